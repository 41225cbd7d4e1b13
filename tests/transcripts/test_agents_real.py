"""Real sessions of Codex, Gemini CLI and pi, where they are at hand.

They are counted again, record by record, without the readers.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from sessions import read_file

from mewctl import transcripts
from mewctl.history.view import Call, Image, Result, Text, Thinking
from mewctl.history.words import user_words
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import read_records
from mewctl.transcripts import ReadOptions, Report

REAL = Path(__file__).parents[2].parent / "shared" / "data" / "transcripts"

CODEX = ("compacted", "medium", "short", "v0.4")
GEMINI = ("object.json", "object-2.json", "records.jsonl")


def real(name):
    path = REAL / name
    if not path.exists():
        pytest.skip(f"{path.name} is not at hand")
    return path


def said(messages):
    """Everything that is told, counted part by part."""
    found = Counter()
    for message in messages:
        for part in message.parts:
            if isinstance(part, Text):
                found["text", message.role, part.text] += 1
            elif isinstance(part, Thinking):
                found["thinking", part.text, part.signature] += 1
            elif isinstance(part, Call):
                found["call", part.id, part.name, key(part.input)] += 1
            elif isinstance(part, Result):
                found["result", part.call_id, part.text, part.is_error] += 1
            elif isinstance(part, Image):
                found["image", part.data] += 1
            else:
                found["opaque", part.kind] += 1
    return found


def key(value):
    return json.dumps(value, sort_keys=True)


def assert_paired(messages):
    """Every call is answered in the message after it, and nothing else is."""
    for at, message in enumerate(messages):
        if message.results:
            calls = {call.id for call in messages[at - 1].calls}
            assert {result.call_id for result in message.results} <= calls
        elif message.calls and at + 1 < len(messages):
            answered = {result.call_id for result in messages[at + 1].results}
            assert answered == {call.id for call in message.calls}


def lines_of(path):
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


NOT_RUN = (
    "exec_command failed",
    "execution error",
    "apply_patch verification",
    "patch rejected",
)


def codex_key(item):
    """What a response item says, by hand; its texts for a message."""
    kind = item["type"]
    if kind == "message":
        role = item["role"]
        return [("text", role, part["text"]) for part in item["content"]]
    if kind == "reasoning":
        text = "\n\n".join(part["text"] for part in item["summary"])
        seal = item.get("encrypted_content") or ""
        return [("thinking", text, seal)] if text or seal else []
    if kind == "function_call":
        given = json.loads(item["arguments"])
        return [("call", item["call_id"], item["name"], key(given))]
    if kind == "custom_tool_call":
        return [("call", item["call_id"], item["name"], key(item["input"]))]
    if kind.endswith("_output"):
        text = item["output"]
        if not isinstance(text, str):
            text = "".join(part.get("text", "") for part in text)
        return [("result", item["call_id"], text, text.startswith(NOT_RUN))]
    return [("opaque", kind)]


def codex_counted(values):
    items = [value["payload"] for value in values]
    items = [item for item in items if item.get("role") != "developer"]
    return Counter(said for item in items for said in codex_key(item))


@pytest.mark.parametrize("name", CODEX)
def test_a_real_codex_rollout_is_told_completely(name):
    path = real(f"codex/{name}.jsonl")
    items = [v for v in lines_of(path) if v["type"] == "response_item"]
    messages, report = read_file(path, full=True)
    told = said(messages)
    if name == "compacted":  # what is new in a replaced history is told, too
        (new,) = told - codex_counted(items)
        assert new[2].startswith("<environment_context>")
        del told[new]
    assert told == codex_counted(items)
    assert_paired(messages)
    assert not [note for note in report.notes if note.kind in ("skipped", "recovered")]


def test_a_compacted_codex_rollout_begins_with_what_the_compaction_kept():
    path = real("codex/compacted.jsonl")
    values = lines_of(path)
    (at,) = [n for n, v in enumerate(values) if v["type"] == "compacted"]
    kept = values[at]["payload"]["replacement_history"]
    later = [v for v in values[at:] if v["type"] == "response_item"]
    messages, _ = read_file(path)
    assert said(messages) == codex_counted([{"payload": i} for i in kept] + later)
    assert [m.usage.context for m in messages if m.usage] == [23084]
    known = [message.time is not None for message in messages if not message.injected]
    assert all(known), "what was said before keeps its time"


@pytest.mark.parametrize("name", CODEX)
def test_each_usage_of_a_codex_rollout_is_told_once(name):
    path = real(f"codex/{name}.jsonl")
    counts, before = [], None
    for value in lines_of(path):
        info = value["payload"].get("info")
        if value["payload"].get("type") != "token_count" or info is None:
            continue
        if info["total_token_usage"] != before:
            before = info["total_token_usage"]
            counts.append(info["last_token_usage"]["total_tokens"])
    messages, _ = read_file(path, full=True)
    told = [m.usage.context for m in messages if m.usage]
    if name == "compacted":  # what was counted after a compaction is not of this
        assert counts.pop() == 23084
    assert told == counts


@pytest.mark.parametrize("name", CODEX)
def test_each_usage_belongs_to_the_response_it_counts(name):
    """Old releases wrote it before the response's calls, newer ones behind them."""
    path = real(f"codex/{name}.jsonl")
    before = name in ("medium", "v0.4")
    values = lines_of(path)
    expected, total, calls, count = {}, None, [], None
    for value in reversed(values) if before else values:
        item = value["payload"]
        info = item.get("info")
        if item.get("type") in ("function_call", "custom_tool_call"):
            calls.append(item["call_id"])
        elif item.get("type") == "token_count" and info:
            if info["total_token_usage"] != total:
                count = info["last_token_usage"]["total_tokens"]
                expected |= dict.fromkeys(calls, count)
                total = info["total_token_usage"]
            calls = []
    messages, _ = read_file(path, full=True)
    told = {c.id: m.usage.context for m in messages if m.usage for c in m.calls}
    assert told == expected


def gemini_counted(messages):
    found = Counter()
    for message in messages:
        content = message["content"]
        texts = [content] if isinstance(content, str) else [p["text"] for p in content]
        display = message.get("displayContent", [])
        texts += [part["text"] for part in display if "text" in part]
        if message["type"] not in ("user", "gemini"):
            continue
        role = "user" if message["type"] == "user" else "assistant"
        found.update(("text", role, text) for text in texts if text)
        for thought in message.get("thoughts", ()):
            text = f"{thought['subject']}\n{thought['description']}"
            found["thinking", text, ""] += 1
        for call in message.get("toolCalls", ()):
            found["call", call["id"], call["name"], key(call["args"])] += 1
            (part,) = call["result"]
            response = part["functionResponse"]["response"]
            text = response.get("output") or response["error"]
            failed = call["status"] != "success"
            found["result", call["id"], text, failed] += 1
    return found


@pytest.mark.parametrize("name", GEMINI)
def test_a_real_gemini_session_is_told_completely(name):
    path = real(f"gemini-cli/{name}")
    if path.suffix == ".json":
        values = json.loads(path.read_bytes())["messages"]
    else:
        values = list({v["id"]: v for v in lines_of(path) if "id" in v}.values())
    messages, report = read_file(path)
    assert said(messages) == gemini_counted(values)
    assert_paired(messages)
    told = [m.usage.context for m in messages if m.usage]
    counts = [v["tokens"]["total"] for v in values if v.get("tokens")]
    assert told == [count for count in counts if count]
    assert not [note for note in report.notes if note.kind != "left-out"]


def test_a_session_object_can_be_read_from_its_lines():
    path = real("gemini-cli/object.json")
    with path.open("rb") as file:
        records = list(read_records(file.read, path.name))
    assert len(records) > 100
    reader, report = transcripts.load("gemini-cli"), Report()
    messages = list(reader.read(iter(records), ReadOptions(), report))
    assert messages == read_file(path)[0]


def pi_counted(values):
    found = Counter()
    never = 0
    for value in values:
        message = value.get("message", {})
        role = message.get("role")
        if role == "toolResult":
            text = "".join(part["text"] for part in message["content"])
            found["result", message["toolCallId"], text, message["isError"]] += 1
            continue
        for part in message.get("content", ()):
            if part["type"] == "text":
                found["text", role, part["text"]] += 1
            elif part["type"] == "thinking":
                found["thinking", part["thinking"], part["thinkingSignature"]] += 1
            elif message["stopReason"] in ("aborted", "error"):
                never += 1
            else:
                given = key(part["arguments"])
                found["call", part["id"], part["name"], given] += 1
    return found, never


def test_a_real_pi_session_is_told_completely():
    path = real("pi/before-compaction.jsonl")
    messages, report = read_file(path)
    found, never = pi_counted(lines_of(path))
    assert said(messages) == found
    assert never == 18
    notes = [note.text for note in report.notes]
    assert f"{never} calls that were never run" in notes
    assert "15 responses that say nothing" in notes
    assert_paired(messages)
    usages = [
        sum(usage[k] for k in ("input", "output", "cacheRead", "cacheWrite"))
        for value in lines_of(path)
        if value.get("message", {}).get("stopReason") in ("stop", "toolUse")
        and (usage := value["message"]["usage"])
    ]
    assert [m.usage.context for m in messages if m.usage] == usages


# The user's prompts in each session, counted by hand, reading the files.
PROMPTS = {
    "codex/compacted.jsonl": 15,
    "codex/medium.jsonl": 1,
    "codex/short.jsonl": 1,
    "codex/v0.4.jsonl": 1,
    "gemini-cli/object.json": 1,
    "gemini-cli/object-2.json": 3,
    "gemini-cli/records.jsonl": 2,
    "pi/before-compaction.jsonl": 88,
}


@pytest.mark.parametrize("name", PROMPTS)
def test_all_words_of_the_user_are_told(name):
    messages, _ = read_file(real(name), full=True)
    words = [text for message in messages if (text := user_words(message))]
    assert len(words) == PROMPTS[name]
    for word in words:
        assert not word.startswith("<")
        assert "Open tabs" not in word


@pytest.mark.parametrize("name", PROMPTS)
def test_what_is_told_can_be_written(name):
    from mewctl.history.formats import load
    from mewctl.history.losses import Losses

    mew, losses = load("mew"), Losses()
    for message in read_file(real(name), full=True)[0]:
        (value,) = mew.make(message, losses)
        view = mew.view(json.loads(dumps(value)))
        assert (view.role, view.text, view.usage) == (
            message.role,
            message.text,
            message.usage,
        )
        assert view.injected == message.injected
    assert not losses.counts
