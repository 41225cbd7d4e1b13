"""Made-up sessions of all agents are told as they should be.

A session ``NAME.jsonl`` in tests/data/AGENT stands beside what is to be told of it,
``NAME.told``, from its last boundary and in full.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from sessions import read_file, records_of

from mewctl import transcripts
from mewctl.history.view import Call, Image, Opaque, Result, Text, Thinking

AGENTS = tuple(name for name in transcripts.NAMES if name != "claude-code")
MADE_UP = Path(__file__).parents[1] / "data"

made_up = sorted(
    path
    for agent in AGENTS
    for path in (MADE_UP / agent).iterdir()
    if path.suffix != ".told"
)


def part_words(part):
    match part:
        case Text():
            return part.text
        case Thinking():
            return f"thinking {part.text!r} {part.signature}".rstrip()
        case Call():
            return f"call {part.id} {part.name} {part.kind} {part.input}"
        case Result():
            content = " + ".join(map(part_words, part.content))
            failed = " failed" if part.is_error else ""
            return f"result {part.call_id} {part.kind}{failed} = {content}"
        case Image():
            return f"image {part.media_type}{part.url} {len(part.data)}"
        case Opaque():
            return f"opaque {part.kind}"


def shown(path):
    lines = []
    for title, full in (("live", False), ("full", True)):
        messages, report = read_file(path, full=full)
        lines.append(f"# {title} {report.origin}")
        for message in messages:
            role = "injected" if message.injected else message.role
            usage = f" ({message.usage.context} tokens)" if message.usage else ""
            beside = [message.model, message.cwd, message.id]
            about = " ".join(word for word in beside if word)
            time = "-" if message.time is None else f"{message.time % 10_000:.1f}"
            lines.append(f"{time} {role} {about}{usage}".rstrip())
            lines += [f"    {part_words(p)}".replace("\n", "/") for p in message.parts]
        lines += [f"  {note.line} {note.kind}: {note.text}" for note in report.notes]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", made_up, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_made_up_session_is_told_as_it_should_be(path):
    assert shown(path) == path.with_suffix(".told").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", made_up, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_a_made_up_session_is_known_by_its_agent_alone(path):
    if "torn" in path.stem:
        pytest.skip("a torn object is nothing that can be known")
    known = Counter()
    for record in records_of(path):
        try:
            value = record.mapping()
        except ValueError:
            continue
        for name in transcripts.NAMES:
            known[name] += transcripts.load(name).sniff(value)
    assert [name for name, count in known.items() if count] == [path.parent.name]
