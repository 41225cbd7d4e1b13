"""Whole transcripts: made-up ones always, real ones where they are at hand.

A made-up transcript ``NAME.jsonl`` in tests/data/claude-code stands beside what is to
be told of it, ``NAME.told``. Real ones are counted again, record by record, without
the reader's index and tree.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from mewctl.history.view import Call, Image, Result, Text, Thinking
from mewctl.history.words import user_words
from mewctl.streams.records import read_records
from mewctl.transcripts import ReadOptions, Report, claude_code

MADE_UP = Path(__file__).parents[1] / "data" / "claude-code"
REAL = Path(__file__).parents[2].parent / "shared" / "data" / "transcripts"


def read_file(path, *, full=False, sidechains=False):
    report = Report()
    options = ReadOptions(full=full, sidechains=sidechains)
    with path.open("rb") as file:
        records = read_records(file.read, path.name)
        return list(claude_code.read(records, options, report)), report


def shown(path, told):
    sections = []
    for title, options in (
        ("live", {}),
        ("full, with sidechains", {"full": True, "sidechains": True}),
    ):
        messages, report = read_file(path, **options)
        sections.append(f"# {title}")
        for line, message in zip(told(messages), messages, strict=True):
            size = f" ({message.usage.context} tokens)" if message.usage else ""
            images = " image" * len(message.images)
            sections.append(f"{line}{images}{size}")
        sections += [f"  {note.line} {note.kind}: {note.text}" for note in report.notes]
    return "\n".join(sections) + "\n"


@pytest.mark.parametrize("path", sorted(MADE_UP.glob("*.jsonl")), ids=lambda p: p.stem)
def test_a_made_up_transcript_is_told_as_it_should_be(path, told):
    assert shown(path, told) == path.with_suffix(".told").read_text(encoding="utf-8")


# --- real transcripts ---

WHOLE = [
    "cjk",
    "glued-line",
    "images",
    "short",
    "v2.1.170",
    "v2.1.199",
]


def real(name):
    path = REAL / name
    if not path.exists():
        pytest.skip(f"{path.name} is not at hand")
    return path


def objects(path):
    """Every object of a file with its line, glued ones too."""
    decoder = json.JSONDecoder()
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        text, at = line.decode(), 0
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            yield number, value


def counted(path, *, after=0, sidechains=False):
    """What is said in a file whose records are all live: counts of everything."""
    found = Counter()
    seen = set()
    for number, value in objects(path):
        if value.get("type") not in ("user", "assistant") or number <= after:
            continue
        if (value["isSidechain"] and not sidechains) or value["uuid"] in seen:
            continue
        seen.add(value["uuid"])
        message = value["message"]
        if value["type"] == "assistant":
            found["message", message["id"]] = 1
        if isinstance(message["content"], list):
            found.update(
                kept
                for block in message["content"]
                if (kept := key(block))
                and (kept[0] != "text" or value["type"] == "assistant")
            )
    return found


def key(block):
    kind = block["type"]
    if kind == "tool_use":
        return "call", block["id"], block["name"], str(block["input"])
    if kind == "tool_result":
        body = block["content"]
        if not isinstance(body, str):
            body = "".join(part.get("text", "") for part in body)
        return "result", block["tool_use_id"], body, block.get("is_error", False)
    if kind == "thinking":
        return kind, block["thinking"], block.get("signature")
    return (kind, block["source"]["data"] if kind == "image" else block["text"])


def said(messages):
    found = Counter()
    for message in messages:
        if message.role == "assistant":
            found["message", message.id] += 1
        for part in message.parts:
            if isinstance(part, Call):
                found["call", part.id, part.name, str(part.input)] += 1
            elif isinstance(part, Result):
                found["result", part.call_id, part.text, part.is_error] += 1
            elif isinstance(part, Text) and message.role == "assistant":
                found["text", part.text] += 1
            elif isinstance(part, Thinking):
                found["thinking", part.text, part.signature] += 1
            elif isinstance(part, Image):
                found["image", part.data] += 1
    return found


def assert_paired(messages):
    """Every call but those of the last message is answered in the next message."""
    for at, message in enumerate(messages):
        if message.results:
            calls = {call.id for call in messages[at - 1].calls}
            assert {result.call_id for result in message.results} <= calls
        elif message.calls and at + 1 < len(messages):
            answered = {result.call_id for result in messages[at + 1].results}
            assert answered == {call.id for call in message.calls}


@pytest.mark.parametrize("name", WHOLE)
def test_a_real_transcript_is_told_completely(name):
    path = real(f"claude-code/{name}.jsonl")
    messages, _ = read_file(path)
    assert said(messages) == counted(path)
    assert said(read_file(path, full=True)[0]) == counted(path)
    assert_paired(messages)


def test_a_real_transcript_begins_after_its_last_compaction():
    path = real("claude-code/two-boundaries.jsonl")
    messages, _ = read_file(path)
    assert said(messages) == counted(path, after=427)
    assert messages[0].injected
    assert messages[0].text.startswith("This session is being continued")
    whole, _ = read_file(path, full=True)
    assert said(whole) == counted(path)
    assert_paired(messages)
    assert_paired(whole)


def test_real_sub_agents_are_told_when_asked_for():
    path = real("claude-code/inline-sidechains.jsonl")
    messages, _ = read_file(path)
    assert said(messages) == counted(path)
    whole, _ = read_file(path, sidechains=True)
    assert said(whole) == counted(path, sidechains=True)
    assert_paired(messages)
    assert_paired(whole)


PROMPTS = {
    "cjk": 2,
    "glued-line": 5,
    "images": 21,
    "inline-sidechains": 2,
    "short": 1,
    "two-boundaries": 34,
    "v2.1.170": 11,
    "v2.1.199": 2,
}


@pytest.mark.parametrize("name", PROMPTS)
def test_all_words_of_the_user_are_told(name):
    """Real prompts, arguments of commands and queued prompts; nothing injected.

    The numbers were counted by hand, reading the files.
    """
    path = real(f"claude-code/{name}.jsonl")
    messages, _ = read_file(path, full=True)
    words = [text for message in messages if (text := user_words(message))]
    pictures = sum(bool(m.images) and not m.text for m in messages if m.role == "user")
    assert len(words) + pictures == PROMPTS[name]
    for _, value in objects(path):
        queued = value.get("attachment", {})
        if value.get("operation") == "enqueue" and "<task-" not in value["content"]:
            assert value["content"] in words
        if queued.get("commandMode") == "prompt":
            assert queued["prompt"] in words


def test_the_last_usage_of_a_message_counts():
    path = real("claude-code/cjk.jsonl")
    last = {}
    for _, value in objects(path):
        if value.get("type") == "assistant":
            usage = value["message"]["usage"]
            last[value["message"]["id"]] = usage["output_tokens"]
    messages, _ = read_file(path)
    told = {m.id: m.usage.output for m in messages if m.role == "assistant"}
    assert told == last


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("sidechains", [False, True])
def test_a_file_of_every_kind_of_record_is_read(full, sidechains):
    path = real("claude-code/every-line-kind.jsonl")
    messages, report = read_file(path, full=full, sidechains=sidechains)
    assert len(messages) == (16 if sidechains else 11)
    assert not [note for note in report.notes if note.kind in ("skipped", "recovered")]


@pytest.mark.parametrize(("name", "count"), [("a", 6), ("b", 5), ("c", 3), ("d", 2)])
def test_records_of_wrong_shapes_are_read_as_far_as_they_go(name, count):
    messages, report = read_file(real(f"malformed/{name}.jsonl"))
    assert len(messages) == count
    assert report.notes
