"""Any bytes come in, or stand in a log: an answer or one line, never a traceback."""

from __future__ import annotations

import json
import os
import tempfile

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mewctl.session.lines import Marker
from tests.test_any_input import records, stdin, streams

NAME = "20261201-000000-aaaa"
COMMANDS = (
    "load -q",
    "load --to anthropic",
    "load --full --to openai --request",
    "load --raw",
    "load --spilled",
    "load --at 1",
    "resume --to anthropic --window 300",
    "compact --window 300 --dry-run",
    "undo",
    "checkpoints",
    "show",
    "check",
    "repair --apply",
    "fork",
    "export",
    "title",
)
#: done, no, bad input, not found, cannot fit, refused
MARKERS = (b'{"type":"compact"}', Marker(messages=2).line(), b"\0\0", b"{")
CODES = {0, 1, 3, 4, 7}

logs = st.lists(
    records
    | st.sampled_from(
        [b'{"type":"compact"}', Marker(messages=2).line(), b"\0\0", b"{"]
    ),
    max_size=8,
).map(b"\n".join)
SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


def run(command, log, data, monkeypatch):
    from mewctl import cli

    with tempfile.TemporaryDirectory() as place:
        monkeypatch.setenv("HOME", place)
        monkeypatch.setenv("MEWCTL_ROOT", place)
        monkeypatch.delenv("MEWCTL_DEBUG", raising=False)
        directory = os.path.join(place, ".mewcode", "sessions", NAME)
        os.makedirs(directory)
        path = os.path.join(directory, "conversation.jsonl")
        with open(path, "wb") as file:
            file.write(log)
        with stdin(data) as (out, err):
            code = cli.run(["session", *command.split()])
            said, shown = err.getvalue(), out.getvalue()
        with open(path, "rb") as file:
            after = file.read()
    assert b"Traceback" not in said
    assert b"internal error" not in said
    return code, said, shown, after


@pytest.mark.parametrize("command", COMMANDS)
@settings(max_examples=25, deadline=None, suppress_health_check=SLOW)
@given(log=logs)
@example(log=b'{"role":"user","content":' + b"[" * 5000 + b"]" * 5000 + b"}")
@example(log=b"\xff\xfe{\x00}\x00")
def test_any_log_is_read_or_refused(command, log, monkeypatch):
    first, *rest = command.split()
    words = f"{first} {NAME} {' '.join(rest)}"
    code, said, _, after = run(words, log, b"", monkeypatch)
    assert code in CODES, said
    if command not in ("undo", "repair --apply", "resume --to anthropic --window 300"):
        assert after == log


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(data=streams, more=st.sampled_from(["", "--replace", "--on-bad skip"]))
@example(data=b'{"role":"user","content":' + b"[" * 5000 + b"]" * 5000 + b"}", more="")
def test_any_input_is_appended_or_refused(data, more, monkeypatch):
    old = b'{"role":"user","content":"old","ts":1}\n'
    code, said, shown, after = run(f"append {NAME} {more}", old, data, monkeypatch)
    assert code in {0, 3}, said
    assert after.startswith(old)
    if code and not more:
        assert (after == old) == (shown == b"")
    acked = sum(json.loads(line)["bytes"] for line in shown.splitlines())
    assert len(after) == len(old) + acked
