"""Spilled bodies of one session in another: shared files, and previews with new paths.

Owns how a decision is told again in another directory; must not decide anything.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mewctl.spill import ledger
from mewctl.spill.entries import read_entry
from mewctl.spill.vault import command
from mewctl.store.copying import share_files
from mewctl.store.files import private_dir
from mewctl.store.lock import locked
from mewctl.store.log import Log
from mewctl.store.opening import names_in, read_blocks
from mewctl.streams.jsonvalue import BadJSON, dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterator

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
