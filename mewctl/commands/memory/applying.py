"""Applying a batch of actions: one lock, one plan, one write of each index."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol

from mewctl.commands.memory.acting import held, write_all
from mewctl.commands.memory.places import gathered, stores
from mewctl.commands.notes import note as say
from mewctl.errors import Exit
from mewctl.memory import actions as shape
from mewctl.memory.outcomes import Outcome, to_json
from mewctl.memory.planning import Setting, plan
from mewctl.memory.value import stamp
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.secrets import mask
from mewctl.streams.stdio import Output

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mewctl.memory.actions import Action
    from mewctl.memory.evidence import Said
    from mewctl.memory.store import Store


class Sink(Protocol):
    """What takes results."""

    def write(self, data: bytes | memoryview) -> None:
        """Take all of ``data``."""


def apply_all(
    options: Mapping[str, Any],
    values: Sequence[Any],
    said: Said | None,
    by: str,
    *,
    out: Sink | None = None,
) -> int:
    """Apply the values of actions, print a result for each; the exit code.

    Only stores that an action may change are locked; without any action none is made.
    """
    read = [_read(value) for value in values]
    outcomes = _carried_out(options, read, said, by) if read else []
    data = b"".join(dumps(_shown(one)) + b"\n" for one in outcomes)
    if out is not None:
        out.write(data)
    else:
        with Output() as standard:
            standard.write(data)
    if not options["quiet"]:
        _tell(outcomes, dry=options.get("dry_run", False))
    return _code(outcomes)


def _read(value: Any) -> Action | Outcome:
    try:
        return shape.read(value)
    except shape.BadAction as error:
        kind = value.get("action") if isinstance(value, dict) else None
        return Outcome(str(kind or "")[:40], "", "rejected", str(error))


def _carried_out(
    options: Mapping[str, Any],
    read: Sequence[Action | Outcome],
    said: Said | None,
    by: str,
) -> list[Outcome]:
    found = stores({**options, "level": None})
    known = {store.level for store in found}
    level = options["level"] if options["level"] in known else found[0].level
    good = [one for one in read if isinstance(one, shape.Action)]
    if options.get("dry_run"):
        return _merged(read, _planned(options, good, found, said, level, time.time()))
    with held(found if good else []):
        now = time.time()
        planned = _planned(options, good, found, said, level, now)
        for outcome in planned:
            _keep(outcome, found)
        write_all(found, [w for one in planned for w in one.writes], now, by)
    return _merged(read, planned)


def _planned(
    options: Mapping[str, Any],
    good: Sequence[Action],
    found: Sequence[Store],
    said: Said | None,
    level: Any,
    now: float,
) -> list[Outcome]:
    notes, _ = gathered({**options, "level": None})
    gone = [one for store in found for one in store.archived()]
    outcomes = plan(good, notes, gone, Setting(stamp(now), level, said))
    return [_at_home(one, {store.level for store in found}) for one in outcomes]


def _at_home(outcome: Outcome, levels: AbstractSet[str]) -> Outcome:
    """The outcome, rejected where it needs a level that is not here."""
    note = outcome.note
    if note is None or note.level in levels:
        return outcome
    why = f"there is no {note.level} level here"
    return Outcome(outcome.kind, outcome.about, "rejected", why)


def _keep(outcome: Outcome, found: Sequence[Store]) -> None:
    """Keep the text of an update that met a hand edit, beside the note."""
    note = outcome.note
    if outcome.fate == "conflict" and outcome.kind == "update" and note is not None:
        next(one for one in found if one.level == note.level).keep_conflict(note)


def _merged(
    read: Sequence[Action | Outcome], planned: Sequence[Outcome]
) -> list[Outcome]:
    """The outcomes in the order of the input."""
    rest = iter(planned)
    return [one if isinstance(one, Outcome) else next(rest) for one in read]


def _shown(outcome: Outcome) -> dict[str, Any]:
    return {
        key: mask(item) if isinstance(item, str) and key != "hash" else item
        for key, item in to_json(outcome).items()
    }


def _tell(outcomes: Sequence[Outcome], *, dry: bool) -> None:
    counts = {
        fate: sum(one.fate == fate for one in outcomes)
        for fate in ("applied", "merged", "rejected", "conflict")
    }
    words = [f"{count} {fate}" for fate, count in counts.items() if count]
    if words:
        say(", ".join(words) + (" (nothing was written)" if dry else ""))


def _code(outcomes: Sequence[Outcome]) -> int:
    fates = {one.fate for one in outcomes}
    if "conflict" in fates:
        return Exit.LOCKED
    return Exit.NO if "rejected" in fates else Exit.DONE
