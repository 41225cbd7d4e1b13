"""What ``session clean`` does: judge every session, show or carry out the plan."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.notes import note
from mewctl.commands.session import loose_bodies
from mewctl.commands.session.finding import store_of
from mewctl.commands.session.table import ago, bytes_words, show
from mewctl.errors import Exit, Locked, MewError, Unsafe
from mewctl.session.catalogue import newest
from mewctl.session.ids import time_of
from mewctl.session.layout import CLEAN_LOG, SESSIONS, TRASH, Layout
from mewctl.session.meta import load as load_meta
from mewctl.session.retention import Decision, Policy, Subject, apply
from mewctl.store import trash
from mewctl.store.copying import tree_size
from mewctl.store.lock import is_locked, locked
from mewctl.store.log import Log
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.stdio import Output, stdin_is_terminal, stdout_is_terminal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.session.catalogue import Row


def clean(options: Mapping[str, Any]) -> int:
    """Carry the policy out; the exit code."""
    started = time.time()
    policy = _policy(options)
    store = store_of(options)
    refuse(store, options)
    rows, _ = newest(os.path.join(store, SESSIONS), None)
    known = {row.id: row for row in rows}
    subjects = [_subject(store, row) for row in rows]
    plan = apply(subjects, policy, started)
    if options["dry_run"]:
        _show(plan, known, options, started)
        if options["spill_older_than"]:
            names = loose_bodies.found(store, options["spill_older_than"], started)
            note(f"{len(names)} bodies spilled without a session would go")
        return Exit.DONE
    if not _agreed(plan, known, options, started):
        return Exit.DONE
    act = _Act(store, options, started)
    with Output() as out:
        act.out = out
        for decision in reversed(plan):
            if not decision.keep:
                act.remove(decision, known[decision.subject.id])
        if options["spill_older_than"]:
            act.bodies(options["spill_older_than"])
        act.empty()
    return act.code


def _policy(options: Mapping[str, Any]) -> Policy:
    return Policy(
        older_than=options["older_than"],
        keep_last=options["keep_last"],
        keep_within=options["keep_within"],
        keep_daily=options["keep_daily"],
        max_total=options["max_total_size"],
        min_age=options["min_age"],
    ).settled()


def refuse(store: str, options: Mapping[str, Any]) -> None:
    """Refuse what is no store, or is all of a home or of a machine.

    Raises ``Unsafe``.
    """
    real = os.path.realpath(store)
    given = options.get("root")
    roots = {os.sep, os.path.realpath(os.environ.get("HOME") or os.sep)}
    if real in roots or (given and os.path.realpath(given) in roots):
        what = "is the root of the machine or a home directory"
    elif not os.path.isdir(store):
        what = "there is no store"
    else:
        return
    raise Unsafe(path=store, what=what, remedy="name a project with --root, or --user")


def _subject(store: str, row: Row) -> Subject:
    directory = os.path.join(store, SESSIONS, row.id)
    born = time_of(row.id)
    return Subject(
        id=row.id,
        active=row.active,
        size=tree_size(directory),
        born=row.created if born is None else born,
        pinned=row.pinned,
        locked=is_locked(directory),
        problem=row.problem,
    )


# --- the plan ---


def _show(
    plan: tuple[Decision, ...],
    known: Mapping[str, Row],
    options: Mapping[str, Any],
    now: float,
) -> None:
    records = [_record(decision, known[decision.subject.id]) for decision in plan]
    cells = [
        (
            "KEEP" if decision.keep else "REMOVE",
            decision.subject.id,
            known[decision.subject.id].title,
            ago(now - decision.subject.active),
            bytes_words(decision.subject.size),
            "; ".join(decision.reasons),
        )
        for decision in plan
    ]
    heads = ("plan", "id", "title", "active", "size", "why")
    show(options["format_"], records, heads, cells)


def _record(decision: Decision, row: Row) -> dict[str, Any]:
    return {
        "type": "keep" if decision.keep else "remove",
        "id": decision.subject.id,
        "title": row.title,
        "active": row.active,
        "bytes": decision.subject.size,
        "reasons": list(decision.reasons),
    }


def _agreed(
    plan: tuple[Decision, ...],
    known: Mapping[str, Row],
    options: Mapping[str, Any],
    now: float,
) -> bool:
    """Whether to go on: asked on a terminal, otherwise yes."""
    count = sum(not decision.keep for decision in plan)
    asks = stdout_is_terminal() and stdin_is_terminal()
    if not asks or options["yes"] or not count:
        return True
    _show(plan, known, {**options, "format_": "table"}, now)
    words = "Delete for good" if options["delete"] else "Move to the trash"
    return click.confirm(f"{words}: {count} of {len(plan)} sessions?", err=True)


# --- the act ---


class _Act:
    """Removes sessions one by one; what cannot be removed is told, the rest goes on."""

    def __init__(self, store: str, options: Mapping[str, Any], now: float) -> None:
        self._store = store
        self._trash = os.path.join(store, TRASH)
        self._delete = options["delete"]
        self._quiet = options["quiet"]
        self._trash_for = options["trash_for"]
        self._now = now
        self.code = Exit.DONE
        self.out = Output()

    def remove(self, decision: Decision, row: Row) -> None:
        """Remove one session, unless it is in use or changed since it was judged."""
        layout = Layout(os.path.join(self._store, SESSIONS, row.id))
        record = _record(decision, row)
        try:
            with locked(layout.directory, timeout=0):
                if changed := _changed(layout, row):
                    self._tell({**record, "type": "kept", "why": changed})
                    return
                record["trash"] = self._away(layout, record)
        except Locked:
            self._tell({**record, "type": "kept", "why": "locked: in use"})
            return
        except MewError as error:
            self._problem(record, error)
            return
        self._log(record)
        self._tell(record)

    def _away(self, layout: Layout, record: Mapping[str, Any]) -> str:
        if self._delete:
            trash.destroy(layout.directory, self._trash)
            return ""
        return trash.discard(layout.directory, self._trash, record, self._now)

    def _problem(self, record: Mapping[str, Any], error: MewError) -> None:
        self._tell({**record, "type": "problem", "why": str(error)})
        note(f"{record['id']}: {error}")
        self.code = Exit.STORAGE

    def _log(self, record: Mapping[str, Any]) -> None:
        """A line in the store's own log of removals."""
        line = dumps({**record, "ts": self._now, "deleted": self._delete}) + b"\n"
        try:
            with locked(self._store), Log(os.path.join(self._store, CLEAN_LOG)) as log:
                log.append(line)
        except MewError as error:
            note(f"{error}; the removal of {record['id']} is not on record there")
            self.code = Exit.STORAGE

    def _tell(self, record: Mapping[str, Any]) -> None:
        if not self._quiet or record["type"] == "problem":
            self.out.write(dumps(record) + b"\n")

    def bodies(self, older_than: float) -> None:
        """Remove bodies spilled without a session that nothing points at."""
        record: dict[str, Any] = {"type": "remove", "id": loose_bodies.SPILL}
        try:
            names = loose_bodies.found(self._store, older_than, self._now)
            if not names:
                return
            record |= {"bodies": names}
            record["trash"] = loose_bodies.remove(
                self._store, names, self._now, delete=self._delete
            )
        except Locked:
            self._tell({**record, "type": "kept", "why": "locked: in use"})
        except MewError as error:
            self._problem(record, error)
        else:
            self._log(record)
            self._tell(record)

    def empty(self) -> None:
        """Delete for good what has been in the trash for long enough."""
        try:
            trash.finish(self._trash)
            items = trash.trashed(self._trash)
        except MewError as error:
            note(str(error))
            self.code = Exit.STORAGE
            return
        for item in items:
            if self._now - item.time <= self._trash_for:
                continue
            record = {"type": "emptied", "id": item.name, "trashed": item.time}
            try:
                trash.destroy(item.path, self._trash)
            except MewError as error:
                self._problem(record, error)
                continue
            self._log(record)
            self._tell(record)


def _changed(layout: Layout, row: Row) -> str:
    """Why a session is not what was judged any more; "" where it is."""
    try:
        status = os.stat(layout.log, follow_symlinks=False)
    except OSError:
        return "its log is gone"
    if (status.st_size, status.st_mtime) != (row.size, row.mtime):
        return "written to meanwhile"
    return "pinned meanwhile" if load_meta(layout.meta).pinned else ""
