"""docs/formats.md is true: its cells are held to conversion and the readers."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from sessions import read_file

from mewctl import transcripts
from mewctl.commands import format_names
from mewctl.history.convert import convert_records
from mewctl.history.formats import NAMES, load
from mewctl.history.losses import Losses
from mewctl.history.view import Image, Result, Thinking

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "formats.md").read_text()


def table(first):
    """A table's rows by name, each a cell by column."""
    lines = [[c.strip() for c in line.split("|")[1:-1]] for line in PAGE.splitlines()]
    start = next(i for i, cells in enumerate(lines) if cells and cells[0] == first)
    rows = {}
    for cells in lines[start + 2 :]:
        if not cells:
            return rows
        rows[cells[0].strip("`")] = dict(zip(lines[start][1:], cells[1:], strict=True))
    return rows


FORMATS, AGENTS = table("format"), table("transcript")


def test_no_format_and_no_transcript_is_missing():
    assert tuple(FORMATS) == NAMES == tuple(format_names.MESSAGES)
    assert tuple(AGENTS) == transcripts.NAMES == tuple(format_names.AGENTS)
    told = re.findall(r"^- \*\*`(.+?)`\*\*", PAGE, re.MULTILINE)
    assert tuple(told) == transcripts.NAMES


# --- message formats ---

USER = {"role": "user", "content": "hi"}
PICTURE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "aa"},
}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
DOCUMENT = {"type": "document", "source": {"type": "text", "data": "x"}}
LATE = [USER, {"role": "assistant", "content": "x"}]


def answer(*blocks, **fields):
    return {
        "role": "assistant",
        "content": [*blocks, {"type": "text", "text": "x"}],
    } | (fields)


def called(given, content, **fields):
    call = {"id": "c", "name": "f", "input": given}
    result = {"tool_call_id": "c", "content": content}
    if isinstance(given, str):
        call["kind"] = result["kind"] = "custom"
    return [
        USER,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_results": [result | fields]},
    ]


COUNTS = {"input": 1, "output": 1, "cache_read": 0, "cache_write": 0}
SAID = {
    "system text": [{"role": "system", "content": "Rules."}, USER],
    "later system text": [*LATE, {"role": "system", "content": "Rules."}, USER],
    "images of the user": [{"role": "user", "content": [PICTURE]}],
    "images in results": called({}, [PICTURE]),
    "signed thinking": [USER, answer(THOUGHT)],
    "calls with free text": called("free", "x"),
    "error mark of a result": called({}, "x", is_error=True),
    "other blocks": [{"role": "user", "content": [DOCUMENT]}],
    "model, usage, time": [USER, answer(model="m", usage=COUNTS, ts=1)],
    "injected mark, directory, message id": [
        USER | {"injected": True},
        answer(cwd="/w", id="m"),
    ],
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("column", SAID)
def test_a_message_format_carries_what_the_page_says(name, column):
    losses = Losses()
    list(convert_records(SAID[column], load("mew"), load(name), losses))
    assert FORMATS[name][column] == ("lost" if losses.counts else "yes"), losses.line()


def test_the_page_has_no_other_columns():
    for row in FORMATS.values():
        assert set(row) == set(SAID)


# --- transcripts ---

_LEFT = re.compile(r"other branches|rewound|taken back|undone")


@cache
def features(agent):
    """What the made-up transcripts of an agent show that its reader tells."""
    found = set()
    for path in sorted((ROOT / "tests" / "data" / agent).iterdir()):
        if path.suffix == ".told":
            continue
        live, report = read_file(path)
        found |= (
            {"compaction"} if any(n.kind == "boundary" for n in report.notes) else set()
        )
        found |= (
            {"rewinds"} if any(_LEFT.search(n.text) for n in report.notes) else set()
        )
        told, _ = read_file(path, full=True)
        with_sides, _ = read_file(path, sidechains=True)
        found |= {"sub-agents"} if len(with_sides) > len(live) else set()
        for message in told:
            found |= shown(message)
    return found


def shown(message):
    found = {"system text"} if message.role == "system" else set()
    found |= {"usage"} if message.usage else set()
    found |= {"model"} if message.model else set()
    found |= {"time"} if message.time is not None else set()
    for part in message.parts:
        inside = part.content if isinstance(part, Result) else (part,)
        for one in inside:
            if isinstance(one, Thinking):
                found |= {"thinking"} | ({"signatures"} if one.signature else set())
            elif isinstance(one, Image):
                found.add("images")
    return found


@pytest.mark.parametrize("agent", transcripts.NAMES)
def test_a_reader_tells_what_the_page_says(agent):
    said = {column for column, cell in AGENTS[agent].items() if cell == "yes"}
    assert said == features(agent)
    assert set(AGENTS[agent].values()) <= {"yes", "no"}
