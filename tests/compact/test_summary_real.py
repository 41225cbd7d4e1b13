"""Summaries of real transcripts, in a chain of ten spans, where the data is at hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mewctl.compact.items import is_changed
from mewctl.compact.summary import Budgets, Pointers, render
from mewctl.compact.summary_read import read
from mewctl.compact.user_words import unseen_before
from mewctl.history.collect import Collector
from mewctl.history.facts import Facts
from mewctl.providers.offline import Offline
from mewctl.providers.protocol import Limits, SummaryRequest
from mewctl.streams.records import read_records
from mewctl.transcripts import ReadOptions, Report, claude_code

DATA = (
    Path(__file__).parents[2].parent / "shared" / "data" / "transcripts" / "claude-code"
)
FILES = ["two-boundaries", "v2.1.199", "cjk"]

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="no real transcripts here")


def size(text):
    return len(text.encode("utf-8", "surrogatepass")) / 4


def messages(name):
    with (DATA / f"{name}.jsonl").open("rb") as file:
        records = list(read_records(file.read1, name))
    return list(claude_code.read(records, ReadOptions(full=True), Report()))


def collected(history, earlier=None):
    collector = Collector(earlier)
    for message in history:
        collector.add(message)
    return collector.facts()


def summed_up(facts, budgets, lang="en"):
    request = SummaryRequest(
        facts, lang, Limits(budgets.prose, 4000), size, previous=facts.prose
    )
    prose = Offline().write(request)
    pointers = Pointers(lambda b: f"mewctl recall {b}", "dropped/x.facts.json", True)
    return prose, render(facts, prose, budgets, lang, size, pointers)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("room", [1500, 12_000])
@pytest.mark.parametrize("by_text", [True, False])
def test_ten_spans_keep_or_count_every_message_and_the_paths(name, room, by_text):
    history = messages(name)
    whole = collected(history)
    step = max(1, len(history) // 10)
    budgets = Budgets(room * 0.5, room * 0.4, room * 0.1)
    facts = Facts()
    for at in range(0, len(history), step):
        boundary = f"{at:012x}"
        facts = collected(history[at : at + step], facts)
        users = (
            u if u.boundary else replace(u, boundary=boundary) for u in facts.users
        )
        facts = replace(
            facts, users=tuple(users), boundaries=(*facts.boundaries, boundary)
        )
        prose, got = summed_up(facts, budgets, "zh" if at else "en")
        assert size(got.text) <= room
        back = read(got.text)
        assert unseen_before(back).count == got.unseen.count
        facts = back if by_text else replace(facts, prose=dict(prose.sections))
    hidden = unseen_before(facts)
    numbers = [user.n for user in facts.users]
    assert numbers == sorted(set(numbers))
    assert len(numbers) + hidden.count == len(whole.users)
    words = {user.n: user.text for user in whole.users}
    assert all(user.text == words[user.n] for user in facts.users)
    changed = [fact.path for fact in whole.files if is_changed(fact)]
    if room > 10_000:
        assert hidden.count == 0
        assert all(path in got.text for path in changed)
    assert "dropped/x.facts.json" in got.text or not got.left_out


def test_a_successor_of_the_debugging_session_learns_where_it_stands():
    facts = collected(messages("two-boundaries"))
    text = summed_up(facts, Budgets(6000, 4500, 1500))[1].text
    for known in (
        "Commit 2 is irrelevant in this scenario...?",  # asked last
        "manual_commit_hooks.go",  # changed
        "TestShadowStrategy_BaseCommitUpdatedOnReuse",  # failed
        "a later run passed",
        "Dangerous fallback",  # why
        "Ready to create a new branch from these changes referencing ENT-112",  # next
        "Commit 2 → current session skipped (empty)",  # said last
    ):
        assert known in text


def test_a_successor_of_the_refactoring_learns_where_it_stands():
    facts = collected(messages("v2.1.199"))
    text = summed_up(facts, Budgets(6000, 4500, 1500))[1].text
    for known in (
        "simplify this repo, make sure to de-slop it",  # asked first
        "Drop redundant protocol/mode defaulting from both clients",  # committed
        "[~] Finalize: lint, race tests, PR with green CI, review pass",  # open
        "has no result in this record",  # where it stopped
        "Address review notes on the refactor",
    ):
        assert known in text
