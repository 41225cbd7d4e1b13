"""The example session is what its story says, and has what it promises to show."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from mewctl import limits
from mewctl.streams.records import read_records
from mewctl.transcripts import ReadOptions, Report, load

EXAMPLES = Path(__file__).parents[1] / "examples"
TRANSCRIPT = EXAMPLES / "fix-flaky-upload.jsonl"


@pytest.fixture(scope="module")
def records() -> list[dict]:
    return [json.loads(line) for line in TRANSCRIPT.read_bytes().splitlines()]


def history(options: ReadOptions | None = None) -> tuple[list, Report]:
    report = Report()
    lines = read_records(io.BytesIO(TRANSCRIPT.read_bytes()).read, "example")
    read = load("claude-code").read
    return list(read(lines, options or ReadOptions(), report)), report


def test_the_story_played_again_gives_the_same_bytes():
    script = str(EXAMPLES / "make_example.py")
    made = subprocess.run([sys.executable, script], capture_output=True, check=True)
    assert made.stdout == TRANSCRIPT.read_bytes(), "run examples/make_example.py"


def test_it_is_of_a_size_to_look_at():
    assert 250_000 <= TRANSCRIPT.stat().st_size <= 400_000


def test_it_has_what_real_sessions_have(records):
    blocks = [
        block
        for record in records
        for block in record.get("message", {}).get("content", [])
        if isinstance(block, dict)
    ]
    kinds = {block["type"] for block in blocks}
    assert kinds == {"text", "thinking", "tool_use", "tool_result", "image"}
    tools = {block["name"] for block in blocks if block["type"] == "tool_use"}
    assert tools == {"Bash", "Read", "Edit", "Write", "TodoWrite", "Task"}
    assert all(b["signature"] for b in blocks if b["type"] == "thinking")
    assert sum(b.get("is_error", False) for b in blocks) >= 5
    assert any(record.get("isSidechain") for record in records)
    assert all("usage" in r["message"] for r in records if r["type"] == "assistant")


def test_every_record_has_its_parent_before_it_and_time_goes_on(records):
    seen: set[str | None] = {None}
    times = [r["timestamp"] for r in records if r["type"] in {"user", "assistant"}]
    for record in records:
        assert record.get("parentUuid") in seen
        seen.add(record.get("uuid"))
    assert times == sorted(times)


def test_it_reads_as_one_valid_history():
    messages, report = history()
    asked = [m for m in messages if m.role == "user" and not m.injected]
    assert len(asked) == 12
    assert (
        asked[3].text == "/fix-issue 482 keep the public API of UploadSession as it is"
    )
    assert asked[4].text.startswith("also make the 409 say")
    assert len(asked[1].images) == 1
    assert {note.kind for note in report.notes} <= {"left-out"}
    calls = [call.id for m in messages for call in m.calls]
    results = [result.call_id for m in messages for result in m.results]
    assert calls == results
    assert len(set(calls)) == len(calls)


def test_one_result_is_to_be_spilled_and_no_other():
    messages, _ = history()
    sizes = sorted(len(r.text.encode()) for m in messages for r in m.results)
    assert sizes[-1] > 2 * limits.SINGLE_LIMIT
    assert sizes[-2] < limits.SINGLE_LIMIT


def test_the_sidechain_is_left_out_unless_asked_for():
    live, _ = history()
    with_helper, _ = history(ReadOptions(sidechains=True))
    assert len(with_helper) > len(live)
