"""Repair: golden cases, one file each, and what no single case can show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from validity import errors

from mewctl import transcripts
from mewctl.errors import BadInput
from mewctl.history import findings, formats
from mewctl.history.losses import Losses
from mewctl.history.repair import check_records, repair_messages, repair_records
from mewctl.history.rules import rules_for
from mewctl.history.view import Call, Image, Message, Result, Text
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record, read_records

DATA = Path(__file__).parents[1] / "data" / "repair"
SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "transcripts"
CASES = sorted(DATA.glob("*.txt"))


def case(path):
    """A case: its format, input lines, output lines and findings."""
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition("\n# output\n")
    after, _, found = ("\n" + rest).partition("\n# findings\n")
    lines = before.split("\n")[1:]
    out = [line for line in after.split("\n") if line]
    return path.name.partition("-")[0], lines, out, found.splitlines()


def repaired(name, lines):
    found = []
    records = [Record(line, number) for number, line in enumerate(lines, 1)]
    pairs = [(record, record.mapping()) for record in records]
    out = list(repair_records(pairs, formats.load(name), found.append))
    return out, found


def lines_of(*values):
    return [json.dumps(value).encode() for value in values]


def told(finding):
    words = [str(finding.line), finding.kind, finding.id]
    return " ".join(word for word in words if word is not None)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_history_is_repaired_as_its_case_says(path):
    name, lines, expected, kinds = case(path)
    out, found = repaired(name, [line.encode() for line in lines])
    assert [raw.decode() for raw in out] == expected
    assert [told(finding) for finding in found] == kinds
    assert repaired(name, out) == (out, [])
    if not any(b'"record"' in raw or b'"compact"' in raw for raw in out):
        assert errors(name, [json.loads(raw) for raw in out]) == []


def test_there_is_a_case_for_every_kind_of_finding():
    seen = {line.split()[1] for path in CASES for line in case(path)[3]}
    assert seen == set(get_args(findings.Kind))
    assert seen > findings.LAYOUT


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_case_is_damaged_unless_it_says_that_it_is_not(path):
    name, lines, expected, kinds = case(path)
    damaged = errors(name, [json.loads(line) for line in lines]) != []
    assert damaged or kinds or lines == expected


def test_a_finding_is_a_record_that_names_line_message_and_call():
    finding = findings.Finding("orphan-call", 7, 5, "why", "what", "toolu_1")
    assert finding.to_json() == {
        "type": "finding",
        "kind": "orphan-call",
        "line": 7,
        "message": 5,
        "id": "toolu_1",
        "detail": "why",
        "repair": "what",
    }
    nameless = findings.Finding("empty-content", 1, 1, "why", "what")
    assert "id" not in nameless.to_json()


def test_lines_are_of_the_input_and_messages_are_counted():
    lines = lines_of(
        {"role": "user", "content": "a"},
        {"type": "progress"},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "c"},
        {"type": "progress"},
        {"role": "user", "content": ""},
        {"role": "user", "content": "d"},
    )
    _, found = repaired("anthropic", lines)
    assert [(f.kind, f.line, f.message) for f in found] == [
        ("consecutive-messages", 3, 2),
        ("empty-content", 6, 4),
    ]


# --- as they arrive ---


def arriving(name, values):
    """How many records were read when each line of output came."""
    read = []

    def pairs():
        for number, value in enumerate(values, 1):
            read.append(number)
            yield Record(json.dumps(value).encode(), number), value

    out = repair_records(pairs(), formats.load(name), lambda _: None)
    return [len(read) for _ in out]


def test_what_is_complete_comes_out_before_the_next_record_is_read():
    user = {"role": "user", "content": "go"}
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "a", "input": {}}],
    }
    answer = {"tool_results": [{"tool_call_id": "a", "content": "1"}]}
    result = {"role": "tool", "content": "", **answer}
    said = {"role": "assistant", "content": "ok"}
    history = [{"type": "x"}, user, call, result, said, user]
    assert arriving("mew", history) == [1, 2, 4, 4, 5, 6]


def test_a_user_message_that_may_go_on_is_held_until_the_assistant_speaks():
    user = {"role": "user", "content": "go"}
    said = {"role": "assistant", "content": "ok"}
    history = [
        {"role": "system", "content": "x"},
        user,
        said,
        user,
        {"type": "x"},
        said,
    ]
    assert arriving("anthropic", history) == [1, 3, 4, 6, 6, 6]


def test_after_damage_records_flow_again():
    user = {"role": "user", "content": "go"}
    said = {"role": "assistant", "content": "ok"}
    history = [user, user, said, user, said, user]
    assert arriving("anthropic", history) == [3, 4, 5, 6, 6]


# --- changing records ---


def test_ids_made_up_do_not_depend_on_what_comes_later():
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "a", "input": {}}],
    }
    result = {
        "role": "tool",
        "content": "",
        "tool_results": [{"tool_call_id": "a", "content": "1"}],
    }
    history = [{"role": "user", "content": "go"}, *[call, result] * 3]
    short, _ = repaired("mew", lines_of(*history[:5]))
    long, _ = repaired("mew", lines_of(*history))
    assert long[:5] == short
    ids = {json.loads(raw)["tool_calls"][0]["id"] for raw in long[1::2]}
    assert len(ids) == 3


def test_an_id_made_up_is_never_one_that_is_there():
    def call(call_id):
        return {"role": "assistant", "tool_calls": [{"id": call_id, "input": {}}]}

    def result(call_id):
        entry = {"tool_call_id": call_id, "content": "1"}
        return {"role": "tool", "content": "", "tool_results": [entry]}

    user = {"role": "user", "content": "go"}
    first, _ = repaired(
        "mew", lines_of(user, call("a"), result("a"), call("a"), result("a"))
    )
    made = json.loads(first[3])["tool_calls"][0]["id"]
    there = [user, call(made), result(made), call("a"), result("a")]
    out, _ = repaired("mew", lines_of(*there, call("a"), result("a")))
    ids = [json.loads(raw)["tool_calls"][0]["id"] for raw in out[1::2]]
    assert len(set(ids)) == 3


def test_a_record_that_is_changed_keeps_its_big_numbers_and_unknown_keys():
    number = 12345678901234567890123
    lines = lines_of(
        {"role": "user", "content": "go", "x_big": number},
        {"role": "user", "content": "on"},
    )
    out, _ = repaired("anthropic", lines)
    assert json.loads(out[0])["x_big"] == number


def test_a_record_too_deep_to_be_changed_is_named():
    deep = b'{"role":"user","content":"on","x":' + b"[" * 300 + b"]" * 300 + b"}"
    with pytest.raises(BadInput, match="line 1: must be changed"):
        repaired("anthropic", [deep, b'{"role":"user","content":"and on"}'])
    untouched, found = repaired("openai", [deep, deep])
    assert untouched == [deep, deep]
    assert found == []


def test_a_record_that_is_no_message_of_its_format_is_refused():
    with pytest.raises(ValueError, match="content"):
        repaired("anthropic", [b'{"role":"user","content":7}'])


ANSWER = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [{"type": "tool_use", "id": "a", "name": "run", "input": {}}],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
COMPLETION = {
    "object": "chat.completion",
    "choices": [
        {
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "a",
                        "type": "function",
                        "function": {"name": "run", "arguments": "{}"},
                    }
                ],
            }
        }
    ],
}


@pytest.mark.parametrize("answer", [ANSWER, COMPLETION], ids=["messages", "chat"])
def test_a_whole_response_is_a_message_with_calls(answer):
    user = {"role": "user", "content": "go"}
    entry = {"tool_call_id": "a", "content": "1"}
    result = {"role": "tool", "content": "", "tool_results": [entry]}
    lines = lines_of(user, answer, result)
    assert repaired("mew", lines) == (lines, [])
    out, found = repaired("mew", lines_of(user, answer, result, answer, result))
    assert [f.kind for f in found] == ["duplicate-id"]
    changed = json.loads(out[3])
    assert changed["tool_calls"][0]["id"] == found[0].repair.split()[2].rstrip(",")


def test_a_response_of_the_same_api_is_changed_in_place():
    user = {"role": "user", "content": "go"}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "1"}
    answers = {"role": "user", "content": [result]}
    out, found = repaired("anthropic", lines_of(user, ANSWER, answers, ANSWER, answers))
    assert [f.kind for f in found] == ["duplicate-id"]
    changed = json.loads(out[3])
    assert changed["usage"] == ANSWER["usage"]
    assert changed["content"][0]["id"] != "a"


# --- views ---


def test_messages_that_need_no_repair_are_the_very_objects():
    messages = [
        Message("user", (Text("go"),)),
        Message("assistant", (Text("ok"), Call("a", "run", {}))),
        Message("tool", (Result("a", (Text("1"),)),)),
        Message("user", (Text("again"),)),
    ]
    for name in ("mew", "openai"):
        same, found = repair_messages(messages, name)
        assert found == []
        assert all(a is b for a, b in zip(same, messages, strict=True))
    joined, found = repair_messages(messages, "anthropic")
    assert {f.kind for f in found} <= findings.LAYOUT
    assert joined[-1].role == "user"
    assert [type(part) for part in joined[-1].parts] == [Result, Text]


def test_results_one_by_one_become_one_message_where_the_api_wants_that():
    messages = [
        Message("user", (Text("go"),)),
        Message("assistant", (Call("a", "run", {}), Call("b", "run", {}))),
        Message("tool", (Result("a", (Text("1"),)),)),
        Message("tool", (Result("b", (Text("2"),)),)),
    ]
    together, found = repair_messages(messages, "anthropic")
    assert [f.kind for f in found] == ["split-results"]
    assert together[2] == Message("tool", (*messages[2].parts, *messages[3].parts))
    assert repair_messages(messages, "openai") == (messages, [])
    assert repair_messages(together, "openai") == (together, [])


def test_made_up_messages_are_marked_as_not_the_users():
    messages = [
        Message("assistant", (Text("hello"), Call("a", "run", {}, "custom"))),
        Message("user", (Text("go"), Image(url="http://x"))),
        Message("system", (Text("be brief"), Text(" "), Image(url="http://y"))),
        Message("assistant", (Text("ok"),)),
        Message("system", (Text("be long"),)),
    ]
    out, _ = repair_messages(messages, "anthropic")
    assert out[0].injected
    assert out[2].parts[0].kind == "custom"
    assert out[2].parts[0].is_error
    assert [type(part) for part in out[2].parts] == [Result, Text, Image, Text, Image]
    assert out[-1] == Message(
        "user", (Text(findings.injected("be long")),), injected=True
    )


def test_a_marker_parts_two_histories():
    marker = Message("system", (), marker=True)
    asked = Message("user", (Text("go"),))
    called = Message("assistant", (Call("a", "run", {}),))
    out, found = repair_messages([asked, called, marker, asked, called], "mew")
    assert [f.kind for f in found] == ["orphan-call", "orphan-call"]
    assert [f.message for f in found] == [2, 5]
    assert out == [asked, called, out[2], marker, asked]


def test_rules_are_those_of_a_known_format():
    with pytest.raises(KeyError):
        rules_for("morse")
    assert {name for name in formats.NAMES if rules_for(name)} == set(formats.NAMES)


# --- real transcripts ---


@pytest.mark.parametrize("name", ["anthropic", "openai", "mew"])
@pytest.mark.parametrize(
    "path",
    sorted(SHARED.glob("claude-code/*.jsonl")) or [None],
    ids=lambda path: path.stem if path else "none",
)
def test_real_transcripts_become_valid_histories(path, name):
    if path is None:
        pytest.skip("no real transcripts beside the project")
    form, report = formats.load(name), transcripts.Report()
    with path.open("rb") as stream:
        reader = transcripts.load("claude-code")
        options = transcripts.ReadOptions(full=True)
        messages = list(reader.read(read_records(stream.read, "x"), options, report))
    valid, _ = repair_messages(messages, name)
    losses = Losses()
    made = [value for message in valid for value in form.make(message, losses)]
    records = [Record(dumps(value)) for value in made]
    pairs = [(record, record.mapping()) for record in records]
    left = {finding.kind for finding in check_records(pairs, form)}
    assert left <= findings.LAYOUT | {"empty-content"}
    out = list(repair_records(pairs, form, lambda _: None))
    assert errors(name, [json.loads(raw) for raw in out]) == []
