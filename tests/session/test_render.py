"""A log as a history of any format: bytes kept, formats chosen, losses told."""

from __future__ import annotations

import json

import pytest
from validity import errors

from mewctl.history.formats import NAMES
from mewctl.session import lines, render
from mewctl.session.lines import Said
from mewctl.streams.records import Record


def pairs(*raws):
    made = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in raws]
    return [(Record(raw, n), json.loads(raw)) for n, raw in enumerate(made, 1)]


def rendered(form, *raws):
    told = render.Told()
    return list(render.render(pairs(*raws), form, told)), told


THOUGHT = (
    b'{"role":"assistant" ,"content":[{"type":"thinking","thinking":"t","signature":'
    b'"c2ln"},{"type":"tool_use","id":"toolu_1","name":"ls","input":{"n": 1.0}}]}'
)
ANSWER = (
    b'{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1",'
    b'"content":"ok","cache_control":{"type":"ephemeral"}}]}'
)
USER = b'{"role":"user","content":"go","ts":1}'


def wrapped(raw, form="anthropic"):
    return lines.envelope(form, raw, Said(2.0))


ANTHROPIC_LOG = (USER, wrapped(THOUGHT), wrapped(ANSWER))


def test_messages_of_the_format_come_out_as_their_very_bytes():
    out, told = rendered("anthropic", *ANTHROPIC_LOG)
    assert out == [b'{"role":"user","content":"go"}', THOUGHT, ANSWER]
    assert told.findings == []
    assert told.lost().line() == ""


@pytest.mark.parametrize("form", NAMES)
def test_every_format_is_valid(form):
    out, _ = rendered(form, *ANTHROPIC_LOG)
    assert errors(form, [json.loads(line) for line in out]) == []


def test_mew_opens_envelopes_and_loses_nothing_it_can_say():
    out, _ = rendered("mew", *ANTHROPIC_LOG)
    assert out[0] == USER
    values = [json.loads(line) for line in out]
    assert values[1]["content"][0]["signature"] == "c2ln"
    assert values[1]["tool_calls"][0]["id"] == "toolu_1"
    assert values[2]["tool_results"][0]["content"] == "ok"
    assert not any("record" in value for value in values)


def test_what_another_format_cannot_say_is_told():
    _, told = rendered("openai", *ANTHROPIC_LOG)
    assert "1 thinking" in told.lost().line()
    assert "time" in told.losses.counts
    assert "time" not in told.lost().line()


def test_results_of_openai_records_come_together():
    call = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": n, "type": "function", "function": {"name": "f", "arguments": "{}"}}
            for n in ("a", "b")
        ],
    }
    answers = [{"role": "tool", "tool_call_id": n, "content": n} for n in ("a", "b")]
    log = [USER] + [
        wrapped(json.dumps(value).encode(), "openai") for value in (call, *answers)
    ]
    out, told = rendered("mew", *log)
    last = json.loads(out[-1])
    assert [r["tool_call_id"] for r in last["tool_results"]] == ["a", "b"]
    assert told.findings == []


@pytest.mark.parametrize(
    ("log", "form"),
    [
        ([], "mew"),
        ([USER], "mew"),
        (ANTHROPIC_LOG, "anthropic"),
        ([*ANTHROPIC_LOG, {"role": "tool", "tool_results": []}], "mew"),
        ([wrapped(THOUGHT), wrapped(b'{"role":"user"}', "openai")], "mew"),
        ([wrapped(THOUGHT), b"torn"], "anthropic"),
    ],
)
def test_the_format_of_a_log_is_the_one_of_all_its_messages(log, form):
    raws = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in log]
    assert render.one_format(map(Record, raws)) == form


def test_times_do_not_count_in_what_a_record_means():
    assert render.key({"a": 1, "b": 2, "ts": 5}) == render.key({"b": 2, "a": 1})
    assert render.key({"a": 1}) != render.key({"a": 2})


def test_lines_of_the_log_are_used_again_and_each_once():
    same = json.loads(ANSWER)
    given = [
        (render.key(same), lambda: [b"new 1"]),
        (render.key(same), lambda: [b"new 2"]),
        (render.key({"role": "user", "content": "go"}), lambda: [b"new 3"]),
    ]
    made = render.reused(given, pairs(*ANTHROPIC_LOG), "anthropic")
    assert made == [ANTHROPIC_LOG[2], b"new 2", USER]
