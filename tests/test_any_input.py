"""Any bytes on standard input end in 0 or 3: never in a traceback, never in a bug."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from contextlib import contextmanager
from unittest import mock

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mewctl import cli

COMMANDS = (
    "repair",
    "repair --check",
    "spill -q --single-limit 20 --aggregate-limit 60",
    "spill -q --single-limit 20 --calls --keep-recent 5",
    "convert --to mew",
    "convert --to anthropic",
    "convert --to openai --request",
    "convert --on-bad skip --from claude-code",
    "convert --from openhands",
    "convert --from swe-agent",
    "convert --from kimi-cli",
    "convert --from qwen-code",
    "convert --from copilot-cli",
    "tokens",
    "tokens --messages --format table",
    "compact -q --window 300",
    "compact -q --trigger manual --emit summary",
    "memory propose",
)

words = st.sampled_from(
    ["", "user", "assistant", "tool", "system", "text", "tool_use", "tool_result",
     "id1", "id2", "thinking", "function", "x" * 90, "\ud83d", "\x00", "漢",
     "[mewctl boundary"]
)  # fmt: skip
keys = st.sampled_from(
    ["role", "content", "type", "text", "id", "name", "input", "tool_calls", "usage",
     "tool_results", "tool_call_id", "tool_use_id", "is_error", "function", "model",
     "arguments", "message", "uuid", "parentUuid", "sessionId", "timestamp", "record",
     "format", "thinking", "signature", "source", "data", "summary", "choices", "ts",
     "action", "observation", "args", "kind", "trajectory", "history", "info", "event"]
)  # fmt: skip
leaves = words | st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats()
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=12,
)
odd_records = st.dictionaries(keys, values, max_size=6)
messages = st.fixed_dictionaries(
    {"role": words, "content": values},
    optional={"tool_calls": values, "tool_results": values, "tool_call_id": words},
)
entries = st.fixed_dictionaries(
    {"type": words, "uuid": words, "parentUuid": words, "message": messages | values},
    optional={"sessionId": words, "isSidechain": st.booleans(), "attachment": values},
)
records = st.one_of(odd_records, messages, entries, values).map(
    lambda value: json.dumps(value).encode()
)
damage = st.binary(max_size=12) | st.sampled_from(
    [b"{", b"}{", b"\x1f\x8b", b"[" * 300]
)
streams = st.lists(records | damage, max_size=8).map(b"\n".join)


@contextmanager
def stdin(data: bytes):
    """Standard streams in memory; what is written to the error output."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    given = io.TextIOWrapper(io.BytesIO(data))
    with (
        mock.patch.object(sys, "stdin", given),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
    ):
        yield out.buffer, err.buffer


@pytest.mark.parametrize("command", COMMANDS)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=streams)
@example(data=b'{"role":"user","content":' + b"[" * 5000 + b"]" * 5000 + b"}")
@example(data=b'{"role":"user","content":"a"}\n{"role":"tool","tool_results":[[]]}')
@example(data=b"\xff\xfe{\x00}\x00")
@example(data=b'{}\n{"input": []}')
def test_any_bytes_end_in_done_or_bad_input(command, data, monkeypatch):
    with tempfile.TemporaryDirectory() as place:
        monkeypatch.setenv("HOME", place)
        monkeypatch.setenv("MEWCTL_ROOT", place)
        monkeypatch.delenv("MEWCTL_DEBUG", raising=False)
        os.mkdir(os.path.join(place, ".mewcode"))
        with stdin(data) as (_, err):
            code = cli.run(command.split())
            said = err.getvalue()
    no = 1 if command == "repair --check" else 0
    refused = 7 if "manual" in command else 0
    assert code in {0, 3, no, refused}, said
    assert b"Traceback" not in said
    assert b"internal error" not in said
