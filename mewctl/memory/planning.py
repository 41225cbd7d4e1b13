"""What becomes of proposed actions: a plan over the notes as they stand. Pure.

Every action is judged by itself, on what those before it leave; one that cannot be
taken is rejected with the reason, and the rest stand. Nothing that a note says is lost
by a proposal, no note is made of a secret, and what rests on a tool's output alone
changes no note that is in the index.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.memory import making
from mewctl.memory.finding import NoSuchNote, find
from mewctl.memory.frontmatter import BadFrontmatter
from mewctl.memory.outcomes import Outcome
from mewctl.memory.similar import holds, nearest, says_same
from mewctl.memory.value import seconds
from mewctl.memory.writes import Write
from mewctl.streams.secrets import find as find_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mewctl.memory.actions import Action
    from mewctl.memory.evidence import Said
    from mewctl.memory.note import Level, Note, Source
    from mewctl.memory.writes import Archived


@dataclass(frozen=True, slots=True)
class Setting:
    """What holds for all actions of a run.

    ``time`` as notes have it. ``said``: the messages in which evidence must be found,
    None where nobody gave them. ``by_hand``: the user wrote the actions, and may bring
    back what was removed and touch what is pinned.
    """

    time: str
    level: Level = "project"
    said: Said | None = None
    by_hand: bool = False


class _Rejected(Exception):
    def __init__(self, why: str, note: Note | None = None) -> None:
        self.note = note
        super().__init__(why)


@dataclass(slots=True)
class _Desk:
    """The notes as the actions so far leave them."""

    notes: list[Note]
    gone: Sequence[Archived]
    setting: Setting
    taken: dict[tuple[str, str], Note] = field(init=False)

    def __post_init__(self) -> None:
        self.taken = {_place(note): note for note in self.notes}

    def put(self, write: Write) -> Write:
        """Note down a change."""
        if write.old is not None:
            self.notes = [note for note in self.notes if note is not write.old]
            self.taken.pop(_place(write.old), None)
        if write.new is not None:
            self.notes.append(write.new)
            self.taken[_place(write.new)] = write.new
        return write


def _place(note: Note) -> tuple[str, str]:
    return note.level, note.file.casefold()


def plan(
    actions: Iterable[Action],
    notes: Sequence[Note],
    gone: Sequence[Archived],
    setting: Setting,
) -> list[Outcome]:
    """One outcome for each action, in order. ``notes``: of both levels."""
    desk = _Desk(list(notes), gone, setting)
    return [_judged(desk, action) for action in actions]


def _judged(desk: _Desk, action: Action) -> Outcome:
    try:
        _check_words(action)
        source, said_so = _source(desk.setting, action)
        if action.kind == "create":
            return _create(desk, action, source)
        note = find(desk.notes, action.name, action.level)
        _refuse_tool(source, note)
        if action.if_match and not note.hash.startswith(action.if_match):
            return _conflict(desk, action, note, source)
        if action.kind == "delete":
            return _delete(desk, action, note)
        return _update(desk, action, note, said_so)
    except _Rejected as error:
        return Outcome(action.kind, action.about, "rejected", str(error), error.note)
    except (NoSuchNote, BadFrontmatter) as error:
        return Outcome(action.kind, action.about, "rejected", str(error))


def _refuse_tool(source: Source, note: Note) -> None:
    if source == "tool":
        raise _Rejected("rests on the output of a tool, which changes no note", note)


def _check_words(action: Action) -> None:
    for key in ("title", "content", "evidence", "slug", "id"):
        secret = next(find_secrets(getattr(action, key)), None)
        if secret is not None:
            raise _Rejected(f"{key} holds a secret ({secret.kind})")
    if action.valid_until and seconds(action.valid_until) is None:
        raise _Rejected("valid_until is no date such as 2027-01-31")


def _source(setting: Setting, action: Action) -> tuple[Source, Source | None]:
    """Whose word an action rests on, and the same where a quotation shows it."""
    if setting.by_hand:
        return "user", "user"
    if not action.evidence or setting.said is None:
        return action.source, action.source if action.evidence else None
    found = setting.said.source(action.evidence)
    if found is None:
        raise _Rejected("the evidence is not in the messages")
    return found, found


# --- create ---


def _create(desk: _Desk, action: Action, source: Source) -> Outcome:
    level = action.level or desk.setting.level
    same_level = [note for note in desk.notes if note.level == level]
    file = making.file_name(action)
    there = desk.taken.get((level, file.casefold()))
    if there is None:
        there = nearest(action.content, same_level)
    if there is not None:
        known = holds(there.body, action.content) or says_same(
            action.content, there.body
        )
        if known and not action.replaces:
            why = f"already known as {there.id}"
            return Outcome(action.kind, action.about, "merged", why, there)
        if source != "tool" or there.quarantined:
            return _merge(desk, action, there, source)
        file = _free_name(desk, level, file)
    _refuse_removed(desk, action, level)
    taken = {note.id for note in (*desk.notes, *(one.note for one in desk.gone))}
    new = making.new_note(action, level, file, source, desk.setting.time, taken)
    old = [_superseded(desk, action, name, source) for name in action.supersedes]
    writes = (
        desk.put(Write("created", None, new, action.evidence)),
        *(desk.put(Write("superseded", one, None, f"by {new.id}")) for one in old),
    )
    return Outcome(action.kind, action.about, "applied", "", new, writes)


def _free_name(desk: _Desk, level: Level, file: str) -> str:
    stem = file.removesuffix(".md")
    number = 2
    while (level, f"{stem}-{number}.md".casefold()) in desk.taken:
        number += 1
    return f"{stem}-{number}.md"


def _refuse_removed(desk: _Desk, action: Action, level: Level) -> None:
    """Refuse what the user had removed, unless it is the user who asks."""
    if desk.setting.by_hand:
        return
    for one in desk.gone:
        if one.event != "removed" or one.note.level != level:
            continue
        if says_same(action.content, one.note.body, limits.SIMILAR_GONE):
            raise _Rejected(
                f"was removed; mewctl memory restore {one.note.id} brings it back",
                one.note,
            )


def _superseded(desk: _Desk, action: Action, name: str, source: Source) -> Note:
    old = find(desk.notes, name, action.level)
    if source == "tool" or (old.pinned and not desk.setting.by_hand):
        why = "it is pinned" if old.pinned else "the output of a tool is no reason"
        raise _Rejected(f"{old.id} is not superseded: {why}", old)
    return old


def _merge(desk: _Desk, action: Action, there: Note, source: Source) -> Outcome:
    new = making.merged(there, action, source, desk.setting.time)
    write = desk.put(Write("merged", there, new, action.evidence))
    how = "replaces" if action.replaces else "was added to"
    why = f"{how} what {there.id} says"
    return Outcome(action.kind, action.about, "merged", why, new, (write,))


# --- update and delete ---


def _update(desk: _Desk, action: Action, note: Note, source: Source | None) -> Outcome:
    new = making.updated(note, action, source, desk.setting.time)
    if making.says_as_before(note, new):
        raise _Rejected("changes nothing", note)
    if new.file != note.file and _place(new) in desk.taken:
        raise _Rejected(f"{new.file} is there already", note)
    write = desk.put(Write("updated", note, new, action.evidence))
    return Outcome(action.kind, action.about, "applied", "", new, (write,))


def _delete(desk: _Desk, action: Action, note: Note) -> Outcome:
    if note.pinned and not desk.setting.by_hand:
        raise _Rejected("is pinned", note)
    write = desk.put(Write("removed", note, None, action.evidence or action.content))
    return Outcome(action.kind, action.about, "applied", "", note, (write,))


def _conflict(desk: _Desk, action: Action, note: Note, source: Source) -> Outcome:
    """The note was changed since it was read; an update's text is kept beside it."""
    why = f"{note.file} was changed since {action.if_match[: limits.NOTE_ID]}"
    if action.kind == "delete":
        return Outcome(action.kind, action.about, "conflict", why, note)
    proposed = making.updated(note, action, source, desk.setting.time)
    return Outcome(action.kind, action.about, "conflict", why, proposed)
