"""Facts of real transcripts, where they are at hand: nothing of weight is missing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mewctl import transcripts
from mewctl.history.collect import Collector
from mewctl.history.facts import Facts
from mewctl.streams.records import read_records

if TYPE_CHECKING:
    from mewctl.history.view import Message

HERE = Path(__file__).parents[2]
SHARED = Path(os.environ.get("MEWCTL_SHARED", HERE.parent / "shared"))
DATA = SHARED / "data" / "transcripts" / "claude-code"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="no real transcripts at hand")
FILES = sorted(DATA.glob("*.jsonl")) if DATA.is_dir() else []


def messages_of(path: Path) -> list[Message]:
    with path.open("rb") as file:
        records = read_records(file.read, path.name)
        reader = transcripts.load("claude-code")
        options = transcripts.ReadOptions(full=True)
        return list(reader.read(records, options, transcripts.Report()))


def facts_of(messages: list[Message]) -> Facts:
    collector = Collector()
    for message in messages:
        collector.add(message)
    return collector.facts()


@pytest.fixture(scope="module", params=FILES, ids=lambda path: path.stem)
def told(request: pytest.FixtureRequest) -> tuple[list[Message], Facts]:
    messages = messages_of(request.param)
    return messages, facts_of(messages)


def test_every_file_a_tool_changed_is_listed(told: tuple[list[Message], Facts]) -> None:
    messages, facts = told
    failed = {r.call_id for m in messages for r in m.results if r.is_error}
    answered = {r.call_id for m in messages for r in m.results}
    changed = {
        call.input["file_path"]
        for message in messages
        for call in message.calls
        if call.name in ("Write", "Edit", "MultiEdit")
        and call.id in answered - failed
        and isinstance(call.input, dict)
    }
    listed = {fact.path for fact in facts.files if fact.writes or fact.created}
    assert changed <= listed


def test_every_marked_failure_of_a_command_is_listed(
    told: tuple[list[Message], Facts],
) -> None:
    messages, facts = told
    commands: dict[str, Any] = {
        call.id: call.input["command"]
        for message in messages
        for call in message.calls
        if call.name == "Bash" and isinstance(call.input, dict)
    }
    failed = {
        commands[result.call_id][:80]
        for message in messages
        for result in message.results
        if result.is_error and result.call_id in commands
    }
    told_of = {failure.what[:80] for failure in facts.failures}
    told_of |= {fact.command[:80] for fact in facts.commands if fact.exit_code}
    assert failed <= told_of


def test_every_users_word_is_a_text_of_the_transcript(
    told: tuple[list[Message], Facts],
) -> None:
    messages, facts = told
    texts = {message.text for message in messages if message.role == "user"}
    for words in facts.users:
        assert not words.text or any(words.text in text for text in texts)


def test_facts_of_parts_are_the_facts_of_the_whole(
    told: tuple[list[Message], Facts],
) -> None:
    messages, facts = told
    units: list[list[Message]] = []  # a cut never parts a call from its result
    for message in messages:
        if message.role == "tool" and units:
            units[-1].append(message)
        else:
            units.append([message])
    step = max(1, len(units) // 10)
    chained = Facts()
    for start in range(0, len(units), step):
        collector = Collector(chained)
        for unit in units[start : start + step]:
            for message in unit:
                collector.add(message)
        chained = collector.facts()
    assert chained.users == facts.users
    assert chained.messages == facts.messages
    assert [fact.path for fact in chained.files] == [fact.path for fact in facts.files]


def test_facts_are_bounded_whatever_the_transcript(
    told: tuple[list[Message], Facts],
) -> None:
    _, facts = told
    words = sum(len(user.text) for user in facts.users)
    size = len(json.dumps(facts.extra)) + sum(len(said.text) for said in facts.said)
    assert size <= words + 40_000
