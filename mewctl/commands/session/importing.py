"""What ``session import`` does: read transcripts, bring their sessions up to them."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mewctl.commands.notes import note
from mewctl.commands.reading import Reading, Wish
from mewctl.commands.session.finding import store_of
from mewctl.errors import BadInput, Exit, MewError, NotFound, StorageError
from mewctl.session import lines, meta
from mewctl.session.layout import LOG, Layout, sessions_in
from mewctl.session.making import make
from mewctl.session.meta import Meta
from mewctl.session.reading import LogReader
from mewctl.session.writing import Writer
from mewctl.store.listing import units
from mewctl.store.walking import files_under
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.stdio import Output
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENDINGS = (".jsonl", ".json")


def import_(options: Mapping[str, Any]) -> int:
    """Import every file; the exit code of the worst."""
    store = store_of(options)
    known = _known(store)
    code = Exit.DONE
    with Output() as out:
        for path, named in _paths(options["paths"]):
            try:
                told = _one(path, store, known, options)
            except (BadInput, StorageError) as error:
                if named or isinstance(error, StorageError):
                    code = max(code, error.code)
                    note(str(error))
                told = {"outcome": "skipped", "why": str(error)}
            out.write(dumps({"type": "imported", "path": path, **told}) + b"\n")
            out.flush()
    return code


def _paths(given: tuple[str, ...]) -> list[tuple[str, bool]]:
    """The files to read, and whether each was named by the user."""
    found: dict[str, bool] = {}
    for name in given:
        if not os.path.lexists(name):
            raise NotFound(what=f"{name}: no such file", remedy="check the path")
        path = os.path.abspath(name)
        if os.path.isdir(path):
            for file in files_under(path, _ENDINGS):
                found.setdefault(file, False)
        else:
            found[path] = True
    return list(found.items())


def _known(store: str) -> dict[str, Layout]:
    """The sessions that were imported before, by what they were imported from."""
    found: dict[str, Layout] = {}
    directory = sessions_in(store)
    for unit in units(directory, LOG):
        layout = Layout(os.path.join(directory, unit.name))
        try:
            key = meta.load(layout.meta).origin.get("import")
        except MewError:
            continue
        if isinstance(key, str):
            found[key] = layout
    return found


def _one(
    path: str, store: str, known: dict[str, Layout], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Import one file; what was done."""
    made, reading = _read(path, options["from_"])
    if not made:
        return {"outcome": "skipped", "why": "no messages"}
    key = f"{reading.source}:{path}"
    layout = known.get(key)
    if layout is None:
        origin = {
            "import": key,
            "agent": reading.source,
            "path": path,
            "id": reading.report.origin,
        }
        now = time.time()
        layout = make(store, Meta(created=now, origin=origin), now, os.urandom)
        known[key] = layout
    told = {"session": layout.id, "agent": reading.source, "messages": len(made)}
    return {**told, **_brought_up(layout, made)}


def _read(path: str, source: str) -> tuple[list[bytes], Reading]:
    """The lines of a session for a transcript: sub-agents' own where it has no others.

    Raises ``BadInput`` for what is no transcript.
    """
    born = os.stat(path).st_mtime
    for sidechains in (False, True):
        wish = Wish(from_=source, on_bad="fail", full=True, sidechains=sidechains)
        reading = Reading([path], wish)
        records = [record for record, message in reading if not message.marker]
        made = [_line(reading.format, r.raw, r.mapping(), born) for r in records]
        if made or not reading.is_transcript:
            break
    return made, reading


def _line(form: str, raw: bytes, value: Mapping[str, Any], time: float) -> bytes:
    if form in ("", lines.MEW):
        return raw if "ts" in value else lines.stamp(raw, time)
    return lines.envelope(form, raw, lines.Said(time))


def _brought_up(layout: Layout, made: list[bytes]) -> dict[str, Any]:
    """Add to a session what its transcript has more.

    Where the transcript changed (an agent went back), it becomes the history, unless
    the session has messages of its own by now.
    """
    with Writer(layout) as writer, writer.locked() as held:
        with LogReader(layout.log) as reader:
            there = [record.raw for record, _ in reader.everything(Report())]
            now = [r.raw for r, _ in reader.history(reader.live(), Report())]
        if any(base[: len(made)] == made for base in (there, now)):
            return {"outcome": "unchanged"}
        for base in (now, there):
            if made[: len(base)] == base:
                more = made[len(base) :]
                held.append(more)
                _count(layout, len(there) + len(more))
                return {"outcome": "extended" if there else "new", "added": len(more)}
        known = meta.load(layout.meta)
        if known.origin.get("messages") != len(there):
            why = "both the transcript and the session went on; the session stays"
            return {"outcome": "kept", "why": why}
        marker = lines.Marker(time=time.time(), reason="import", messages=len(made))
        held.append([marker.line(), *made])
        return {"outcome": "rewritten", "added": len(made)}


def _count(layout: Layout, messages: int) -> None:
    """Write down how many messages of a session are the transcript's."""
    known = meta.load(layout.meta)
    origin = {**known.origin, "messages": messages}
    meta.save(layout.meta, replace(known, origin=origin))
