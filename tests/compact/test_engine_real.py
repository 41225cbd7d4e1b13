"""Real transcripts, compacted in a chain of ten spans in every format."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from compacting import FORMATS, Memory, compacted, read, size, values, views
from validity import errors

from mewctl.compact.summary_read import read as read_summary
from mewctl.compact.user_words import unseen_before
from mewctl.history.convert import convert_records
from mewctl.history.formats import load
from mewctl.history.losses import Losses
from mewctl.history.repair import repair_records
from mewctl.history.words import user_words
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record, read_records
from mewctl.tokens.unseen import noted
from mewctl.transcripts import ReadOptions, Report, claude_code

DATA = (
    Path(__file__).parents[2].parent / "shared" / "data" / "transcripts" / "claude-code"
)
FILES = sorted(path.stem for path in DATA.glob("*.jsonl")) if DATA.is_dir() else []
SPANS = 10

pytestmark = pytest.mark.skipif(not FILES, reason="no real transcripts here")


@cache
def history(name, form):
    """The records of a whole transcript, valid in a format."""
    with (DATA / f"{name}.jsonl").open("rb") as file:
        lines = list(read_records(file.read1, name))
    losses, mew = Losses(), load("mew")
    told = noted(claude_code.read(lines, ReadOptions(full=True), Report()))
    made = [value for message in told for value in mew.make(message, losses)]
    if form != "mew":
        made = convert_records(made, mew, load(form), losses)
    pairs = ((Record(dumps(value)), value) for value in made)
    return read(b"\n".join(repair_records(pairs, load(form), lambda _: None)))


def users(records, form):
    messages = views(records, form)
    return [user_words(m) for m in messages if user_words(m) or m.images]


@pytest.mark.parametrize("known", [True, False], ids=["facts", "text"])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", FILES)
def test_ten_spans_keep_every_word_of_the_user(name, form, known):
    whole = history(name, form)
    state = Memory()
    step = max(1, len(whole) // SPANS)
    records, done, cuts = (), 0, 0
    while done < len(whole):
        records += whole[done : done + step]
        done += step
        run = compacted(
            records, form, state, trigger="manual", window=64_000, tail_tokens=2_000
        )
        assert run.error is None
        records = run.records
        if run.cut is None:
            continue
        cuts += 1
        assert run.report.after <= run.report.target
        assert errors(form, values(records)) == []
        facts = read_summary(run.cut.text)
        hidden = unseen_before(facts).count
        numbers = [user.n for user in facts.users]
        said = users(whole[:done], form)
        tail = users(records[1 + run.cut.span.kept.placeholder :], form)
        assert len(numbers) == len(set(numbers)) == len(said) - len(tail) - hidden
        shown = [user.text for user in facts.users]
        assert is_part_of(shown, said[: len(said) - len(tail)])
        assert tail == said[len(said) - len(tail) :]
        if not known:
            state.gone |= set(state.saved)
    if sum(map(size, views(whole, form))) > 40_000:
        assert cuts > 3


def is_part_of(some, whole):
    """Whether ``some`` stand in ``whole``, in that order."""
    rest = iter(whole)
    return all(item in rest for item in some)
