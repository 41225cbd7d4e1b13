"""What ``memory add`` and ``edit`` do: one action of the user's own, carried out."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.memory.acting import held, write_all
from mewctl.commands.memory.places import chosen, gathered, store_of, stores
from mewctl.commands.notes import note as say
from mewctl.errors import BadInput, Locked, Negative, Unsafe
from mewctl.memory import actions
from mewctl.memory.planning import Setting, plan
from mewctl.memory.value import stamp
from mewctl.streams.inputs import STDIN, label, read_whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.memory.outcomes import Outcome
    from mewctl.memory.store import Store


def text_of(options: Mapping[str, Any]) -> str:
    """The text that ``--text`` or a file gives. Raises ``BadInput``."""
    if options["text"] is not None:
        if options["file"] is not None:
            raise click.UsageError("give the text with --text or in a FILE, not both")
        text = str(options["text"]).encode("utf-8", "replace").decode()
        place = "--text"
    else:
        path = options["file"] or STDIN
        place = label(path)
        try:
            text = read_whole(path, limits.NOTE_CONTENT).decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadInput(
                place=place, what=f"not UTF-8 at byte {error.start}", remedy="mend it"
            ) from None
    if not text.strip():
        raise BadInput(place=place, what="no text", remedy="say something")
    return text


def act(options: Mapping[str, Any], by: str, value: Mapping[str, Any]) -> Outcome:
    """Carry one action of the user out, and say what became of it.

    Raises ``UsageError`` for a wrong one, ``NotFound``, ``Unsafe`` for a secret,
    ``Negative`` for one that changes nothing, ``Locked`` for a conflict.
    """
    try:
        action = actions.read({key: item for key, item in value.items() if item})
    except actions.BadAction as error:
        raise click.UsageError(str(error)) from None
    found = stores(options)
    if action.kind == "update":  # a look makes no store
        found = [one for one in found if os.path.isdir(one.directory)]
        notes, _ = gathered({**options, "quiet": True})
        chosen(notes, action.name, options)
    with held(found):
        now = time.time()
        outcome = _decided(options, action, found, now)
        write_all(found, outcome.writes, now, by)
    _tell(outcome, options)
    return outcome


def _decided(
    options: Mapping[str, Any],
    action: actions.Action,
    found: list[Store],
    now: float,
) -> Outcome:
    notes, _ = gathered(options)
    level = found[0].level
    if action.kind == "create":
        action = actions.at_level(action, level)
    setting = Setting(stamp(now), level, by_hand=True)
    gone = [one for store in found for one in store.archived()]
    (outcome,) = plan([action], notes, gone, setting)
    if outcome.fate == "conflict" and outcome.note is not None:
        kept = store_of(found, outcome.note).keep_conflict(outcome.note)
        raise Locked(
            path=outcome.note.path,
            what=f"{outcome.why}; the new text is in {kept}",
            remedy="look at both, then edit again",
        )
    if outcome.fate == "rejected":
        if "secret" in outcome.why:
            raise Unsafe(
                path=action.about, what=outcome.why, remedy="leave it out of the note"
            )
        raise Negative(what=f"{action.about}: {outcome.why}")
    return outcome


def _tell(outcome: Outcome, options: Mapping[str, Any]) -> None:
    if options["quiet"] or outcome.note is None:
        return
    words = {"merged": outcome.why, "applied": f"wrote {outcome.note.path}"}
    say(words[outcome.fate])
