"""What left one session's history, in another: bodies, previews, dropped messages.

Owns how a decision is told again in another directory, and which command brings back
there what a compaction dropped; must not decide anything.
"""

from __future__ import annotations

import os
import re
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mewctl.errors import NotFound
from mewctl.history.boundary import is_summary
from mewctl.history.formats import mew
from mewctl.session.archive import dropped
from mewctl.spill import ledger
from mewctl.spill.dropped import address, save
from mewctl.spill.entries import read_entry
from mewctl.spill.vault import command
from mewctl.store.copying import share_files
from mewctl.store.files import private_dir
from mewctl.store.lock import locked
from mewctl.store.log import Log
from mewctl.store.opening import names_in, read_blocks
from mewctl.streams.jsonvalue import BadJSON, dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewctl.session.layout import Layout
    from mewctl.session.reading import Chapter, LogReader, Pair

_SAVED = "[saved to] "  # as previews spell it
_RECALL = "[recall] "


def share(source: str, target: str) -> None:
    """The bodies and decisions of the spill directory ``source`` in ``target`` as well.

    ``target`` is new. Nothing where there is no source. Raises ``StorageError``.
    """
    if not os.path.isdir(source):
        return
    private_dir(target)
    with locked(source), locked(target):
        names = [n for n in names_in(source) if not n.startswith(ledger.NAME)]
        share_files(source, target, names)
        lines = list(_decisions(source, target))
        if lines:
            with Log(os.path.join(target, ledger.NAME)) as log:
                log.append(b"\n".join((*lines, b"")))


def _decisions(source: str, target: str) -> Iterator[bytes]:
    """The whole lines of the ledger, told for another directory."""
    path = os.path.join(source, ledger.NAME)
    if not os.path.lexists(path):
        return
    for line in b"".join(read_blocks(path)).split(b"\n"):
        try:
            value = loads(line)
        except BadJSON:
            continue
        if isinstance(value, dict):
            yield dumps(_told_anew(value, source, target))


def _told_anew(value: dict[str, Any], source: str, target: str) -> dict[str, Any]:
    try:
        entry = read_entry(value)
    except ValueError:
        return value
    if entry is None or not entry.replaced:
        return value
    anew = {
        _SAVED + os.path.join(source, entry.file): _SAVED
        + os.path.join(target, entry.file),
        _RECALL + command(entry.file, source): _RECALL + command(entry.file, target),
    }
    lines = value["preview"].split("\n")
    return {**value, "preview": "\n".join(anew.get(line, line) for line in lines)}


# --- compactions ---


def share_dropped(
    reader: LogReader, chapters: Sequence[Chapter], last: int, target: str
) -> None:
    """Write what compactions dropped, up to the marker ``last``, into ``target``.

    There it stays when the log of ``reader`` goes. ``chapters``: all of that log. What
    ``target`` has is left as it is. Raises ``StorageError``.
    """
    for chapter in chapters[1 : last + 1]:
        name = chapter.mark.marker.id if chapter.mark is not None else ""
        if not _BOUNDARY.fullmatch(name) or os.path.lexists(address(target, name)):
            continue
        with suppress(NotFound):  # a marker of another program, which does not count
            save(target, name, dropped(reader, chapters, chapter.number))


def line_anew(pair: Pair, source: Layout, target: Layout) -> bytes:
    """The line of a record that moves to another session.

    A summary's commands for what was dropped name the session that it is in.
    """
    record, value = pair
    if _TAG not in record.raw or not is_summary(mew.view(value)):
        return record.raw
    old, new = (_flags(layout.directory) for layout in (source, target))
    return re.sub(
        rb"(mewctl recall --boundary [0-9a-f]{12}) " + re.escape(old) + _ENDS,
        lambda found: found[1] + b" " + new,
        record.raw,
    )


#: Ids stand in logs, which are data: no other id becomes the name of a file.
_BOUNDARY = re.compile(r"[0-9a-f]{12}")
_TAG = b"[mewctl boundary "
_ENDS = rb'(?=[`\\"])'  # what may follow a command in the JSON of a summary


def _flags(directory: str) -> bytes:
    """How a command names a session, as it stands in the JSON of a text."""
    return dumps(f"-s {shlex.quote(directory)}")[1:-1]
