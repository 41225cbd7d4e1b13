"""Repair: golden cases, one file each, and what no single case can show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from validity import errors

from mewctl import transcripts
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
    answered = Message("tool", (Result("a", (Text("1"),)),))
    history = [asked, called, marker, asked, called, answered, called]
    out, found = repair_messages(history, "mew")
    assert [(f.kind, f.message) for f in found] == [
        ("orphan-call", 2),
        ("orphan-call", 7),
    ]
    assert out == [asked, called, out[2], marker, asked, called, answered]


def test_rules_are_those_of_a_known_format():
    with pytest.raises(KeyError):
        rules_for("morse")
    assert {name for name in formats.NAMES if rules_for(name)} == set(formats.NAMES)


def test_calls_that_no_format_has_written_are_renamed_too():
    messages = [
        Message("user", (Text("go"),)),
        *[
            Message("assistant", (Call("a", "run", {}),)),
            Message("tool", (Result("a", (Text("1"),)),)),
        ]
        * 2,
    ]
    out, found = repair_messages(messages, "openai")
    assert [f.kind for f in found] == ["duplicate-id"]
    assert out[3].calls[0].id == out[4].results[0].call_id != "a"


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
