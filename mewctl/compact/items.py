"""Facts as lines of a summary, each with its rank and its shorter forms. Pure.

Owns the grammar of the fact lines (``summary_read`` reads it back) and which fact is
worth more when room is short. Must not choose by size: ``summary`` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact.ending import ending_items
from mewctl.compact.piece import (
    LATER,
    Item,
    Piece,
    Rank,
    at_message,
    exit_note,
    note_list,
    one_line,
    outcome_note,
    plain_line,
    quoted_block,
)
from mewctl.compact.programs import only_looks
from mewctl.compact.quote import block, clip, ends, inline, name
from mewctl.compact.since import Since

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewctl.compact.sections import Words
    from mewctl.compact.since import Later
    from mewctl.history.facts import CommandFact, Facts, Failure, FileFact


def fact_items(facts: Facts, words: Words, *, follows: bool) -> list[Item]:
    """All fact lines but the user's words, in the order of the text.

    ``follows``: the newest messages stand verbatim after the summary.
    """
    items = [*_requests(facts, words), *_earlier(facts, words), *_files(facts, words)]
    items += _failures(facts, words, base=len(items))
    items += _commands(facts, words)
    items += _todos(facts, words)
    items += ending_items(facts, words, follows=follows)
    return items


def _requests(facts: Facts, words: Words) -> Iterator[Item]:
    if not facts.users:
        return
    newest = facts.users[1:][-limits.NEWEST_REQUESTS :]
    lines = [words.first.format(facts.users[0].n)]
    if newest:
        numbers = ", ".join(str(user.n) for user in newest)
        lines.append(words.newest.format(numbers))
    yield Item(1, "", plain_line(f"- {words.between.join([*lines, words.same])}"))


def _earlier(facts: Facts, words: Words) -> Iterator[Item]:
    """The summary by another writer that the record began with."""
    if not facts.earlier:
        return
    rank = (Rank.LAST_TEXT, 0)
    forms = [block(facts.earlier)]
    for size in limits.SUMMARY_EARLIER:
        head, more, _ = ends(facts.earlier, size, 0)
        if more:
            forms.append(f"{block(head)}\n  {words.cut.format(more)}")
    whole = Piece(rank, tuple(forms), "excerpts", limits.EARLIER_SHARE)
    yield Item(1, "", Piece(rank, (words.earlier,), "excerpts"), (whole,))


def is_changed(fact: FileFact) -> bool:
    """Whether a file was written, created or deleted, not only read."""
    return bool(fact.writes or fact.created or fact.deleted)


def _files(facts: Facts, words: Words) -> Iterator[Item]:
    newest_first = sorted(facts.files, key=lambda fact: -fact.last)
    known: set[str] = set()
    changes = 0
    for fact in filter(is_changed, newest_first):
        changes += bool(fact.change)
        change = Rank.CHANGE if changes <= limits.NEWEST_CHANGES else Rank.OLD_CHANGE
        why = Rank.SAID_BEFORE if fact.why in known else Rank.WHY
        known.add(fact.why)
        details = tuple(_file_details(fact, words, why, change))
        head = _file_head(fact, words, Rank.CHANGED, "changed files")
        yield Item(3, words.changed_files, head, details)
    for fact in newest_first:
        if not is_changed(fact):
            head = _file_head(fact, words, Rank.READ, "read files")
            rank = Rank.SAID_BEFORE
            details = tuple(_file_details(fact, words, rank, rank))
            yield Item(3, words.read_files, head, details)


def _file_head(fact: FileFact, words: Words, rank: Rank, kind: str) -> Piece:
    return Piece((rank, -fact.last), (_file_line(fact, words),), kind)


def _file_line(fact: FileFact, words: Words) -> str:
    notes = note_list(
        words,
        words.created if fact.created else "",
        words.written.format(fact.writes) if fact.writes else "",
        words.deleted if fact.deleted else "",
        words.read.format(fact.reads) if fact.reads or not is_changed(fact) else "",
        at_message(fact.last, words),
    )
    return f"- {inline(fact.path)}{notes}"


def _file_details(
    fact: FileFact, words: Words, why: Rank, change: Rank
) -> Iterator[Piece]:
    if fact.why:
        yield one_line((why, -fact.last), words.why, fact.why, "excerpts")
    if fact.change:
        yield quoted_block((change, -fact.last), words.change, fact.change, words)


def _failures(facts: Facts, words: Words, base: int) -> Iterator[Item]:
    solved: list[Item] = []
    since = Since(facts)
    for number, failure in enumerate(facts.failures, 1):
        passed = failure.later == "passed"
        unsolved = Rank.UNSOLVED_LOOK if only_looks(failure.what) else Rank.UNSOLVED
        rank = (Rank.SOLVED if passed else unsolved, -failure.n)
        forms = tuple(
            dict.fromkeys(
                _failure_line(number, failure, what, words)
                for what in (failure.what, clip(failure.what, limits.SUMMARY_LINE))
            )
        )
        lines = tuple(_error_lines(failure, rank, words))
        story = tuple(_story(failure, words))
        if not passed:
            story += tuple(_since(since.runs(failure), rank, words))
        head = Piece(rank, forms, "failures", limits.COMMAND_SHARE)
        yield Item(4, words.failures, head, lines if passed else lines + story)
        if passed and story:
            text = f"- {words.solved.format(number)}"
            piece = Piece((Rank.SOLVED, -failure.n), (text,), "excerpts")
            solved.append(Item(5, "", piece, story, needs=base + number - 1))
    yield from solved


def _failure_line(number: int, failure: Failure, what: str, words: Words) -> str:
    later = words.later[LATER.index(failure.later)]
    notes = note_list(
        words, exit_note(failure.exit_code, words), at_message(failure.n, words), later
    )
    return f"{number}. {name(failure.tool)} {inline(what)}{notes}"


def _error_lines(
    failure: Failure, rank: tuple[int, int], words: Words
) -> Iterator[Piece]:
    if not failure.lines:
        return
    rank = rank if failure.later != "passed" else (Rank.NOTE, -failure.n)
    text = "\n".join(inline(line) for line in failure.lines)
    whole = "\n".join(f"    {line}" for line in text.split("\n"))
    first = inline(clip(failure.lines[0], limits.SUMMARY_LINE))
    more = sum(map(len, failure.lines)) - min(
        limits.SUMMARY_LINE, len(failure.lines[0])
    )
    short = f"    {first}\n  {words.cut.format(more)}"
    yield Piece(rank, (whole, short) if more else (whole,), "excerpts")


def _since(
    runs: Sequence[Later], rank: tuple[int, int], words: Words
) -> Iterator[Piece]:
    """How the programs of a failure that was not run again ended since."""
    if runs:
        told = words.comma.join(
            f"{name(run.program)} {outcome_note(run.outcome, words)}"
            f" ({at_message(run.n, words)})"
            for run in runs
        )
        yield Piece(rank, (f"  {words.since}{told}",), "excerpts")


def _story(failure: Failure, words: Words) -> Iterator[Piece]:
    """What became of a failure: the files changed in between, and the words on it."""
    rank = (Rank.SOLVED, -failure.n)
    if failure.fixed_by:
        paths = (f"  {words.fixed_by}{inline(path)}" for path in failure.fixed_by)
        yield Piece(rank, ("\n".join(paths),), "excerpts")
    if failure.note:
        note = (Rank.NOTE, -failure.n)
        yield one_line(note, words.note, failure.note, "excerpts")


def _commands(facts: Facts, words: Words) -> Iterator[Item]:
    told = {failure.what for failure in facts.failures if failure.later != "passed"}
    for fact in sorted(facts.commands, key=lambda fact: -fact.last):
        rank = Rank.FAILED_COMMAND if fact.outcome == "failed" else Rank.COMMAND
        if fact.command in told or only_looks(fact.command):
            rank = Rank.MINOR_COMMAND
        shown = (fact.command, clip(fact.command, limits.SUMMARY_LINE))
        forms = tuple(dict.fromkeys(_command_line(fact, c, words) for c in shown))
        share = limits.COMMAND_SHARE
        head = Piece((rank, -fact.last), forms, "commands", share)
        yield Item(4, words.commands, head)


def _command_line(fact: CommandFact, command: str, words: Words) -> str:
    notes = note_list(
        words,
        outcome_note(fact.outcome, words),
        exit_note(fact.exit_code, words),
        words.ran.format(fact.runs) if fact.runs != 1 else "",
        at_message(fact.last, words),
    )
    return f"- {inline(command)}{notes}"


def _todos(facts: Facts, words: Words) -> Iterator[Item]:
    groups = (
        ("doing", words.doing, "[~]", Rank.OPEN),
        ("open", words.open, "[ ]", Rank.OPEN),
        ("done", words.done, "[x]", Rank.DONE),
    )
    for state, group, mark, rank in groups:
        for number, todo in enumerate(facts.todos, 1):
            if todo.state != state:
                continue
            text = f"{number}. {mark} {inline(todo.text)}"
            order = number if rank is Rank.OPEN else -number
            yield Item(7, group, Piece((rank, order), (text,), "todos"))
