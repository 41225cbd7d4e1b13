"""Pieces of a summary: what can be shown or left out, its worth and its forms. Pure.

Owns the order of worth and the spelling that all fact lines share. A line of ours
starts at the margin, a detail with two spaces, quoted text with four, so that no text
can be taken for a line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact.quote import block, clip, ends, inline

if TYPE_CHECKING:
    from mewctl.compact.sections import Words
    from mewctl.history.facts import Later, Outcome

#: Between the text of an item and its notes.
DASH = " — "
#: In the order of their labels in ``Words``.
OUTCOMES: tuple[Outcome, ...] = ("passed", "failed", "unknown")
LATER: tuple[Later, ...] = ("passed", "failed", "not run again")


class Rank(IntEnum):
    """What goes in first when room is short; the last goes first."""

    WHERE = 0  # where it stopped, what is asked, what comes next
    LAST_CALL = 1
    OPEN = 2
    CHANGED = 3
    UNSOLVED = 4
    LAST_TEXT = 5
    CALL = 6
    SOLVED = 7
    WHY = 8
    LAST_EXCERPT = 9
    CHANGE = 10
    NOTE = 11
    FAILED_COMMAND = 12
    DONE = 13
    COMMAND = 14
    UNSOLVED_LOOK = 15
    OLD_CHANGE = 16
    EXCERPT = 17
    READ = 18
    MINOR_COMMAND = 19
    SAID_BEFORE = 20


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing to show or leave out. ``forms``: from whole to shortest.

    ``rank``: the lower goes first; the second number puts the newest first. ``kind``
    is one of ``sections.KINDS``, for the count of what was left out. ``share`` of the
    facts' room is what a form may take, unless it is the shortest.
    """

    rank: tuple[int, int]
    forms: tuple[str, ...]
    kind: str
    share: float = limits.PIECE_SHARE


@dataclass(frozen=True, slots=True)
class Item:
    """A head with its details, in one group of one section.

    ``needs``: the head of this item of the same list must be shown too.
    """

    section: int
    group: str
    head: Piece
    details: tuple[Piece, ...] = field(default=())
    needs: int | None = None


def plain_line(text: str) -> Piece:
    """A line that code words itself; it goes in first."""
    return Piece((Rank.WHERE, 0), (text,), "excerpts")


def note_list(words: Words, *notes: str) -> str:
    """The notes behind the text of an item; empty ones are left out."""
    return DASH + words.comma.join(note for note in notes if note)


def at_message(number: int, words: Words) -> str:
    """The note that names a message; nothing for number 0."""
    return words.message.format(number) if number else ""


def one_line(rank: tuple[int, int], label: str, text: str, kind: str) -> Piece:
    """A detail kept on one line, with a clipped form where that is shorter."""
    shown = (
        f"  {label}{inline(text)}",
        f"  {label}{inline(clip(text, limits.SUMMARY_LINE))}",
    )
    return Piece(rank, tuple(dict.fromkeys(shown)), kind)


def quoted_block(rank: tuple[int, int], label: str, text: str, words: Words) -> Piece:
    """A detail of several lines, under a label where it has one."""
    first = [f"  {label}"] if label else []
    forms = ["\n".join([*first, block(text)])]
    head, more, _ = ends(text, limits.SUMMARY_EXCERPT, 0)
    if more:
        note = f"  {words.cut.format(more)}"
        forms.append("\n".join([*first, block(head), note]))
    return Piece(rank, tuple(forms), "excerpts")


def exit_note(code: int | None, words: Words) -> str:
    """The note that names an exit code, where there is one."""
    return "" if code is None else words.exit_code.format(code)


def outcome_note(outcome: Outcome, words: Words) -> str:
    """The note that names an outcome."""
    return words.outcomes[OUTCOMES.index(outcome)]
