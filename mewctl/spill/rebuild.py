"""Decisions rebuilt from the bodies themselves, where a ledger has lost some.

A body says its call's name and its own bytes; that is enough to replace it again. Runs
under the directory's lock.
"""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.errors import StorageError, Unsafe
from mewctl.spill import entries
from mewctl.spill.bodies import OTHER_SUFFIX, SUFFIXES
from mewctl.spill.entries import BODY_NAME, Subject
from mewctl.spill.piece import DataPiece, Piece
from mewctl.spill.preview import make, make_for_data
from mewctl.store.opening import names_in, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.spill.preview import Body, Style
    from mewctl.spill.vault import Vault

_REASON = "found in the directory when the ledger was mended"


def rebuilt(vault: Vault, style: Style, smallest: int) -> list[dict[str, Any]]:
    """Records for bodies that no decision names; ``smallest``: the smaller limit."""
    known = {entry.file for entry in vault.ledger.entries()}
    records: list[dict[str, Any]] = []
    for file in sorted(names_in(vault.directory)):
        match = BODY_NAME.fullmatch(file)
        if match is None or file in known:
            continue
        for piece in _pieces(os.path.join(vault.directory, file), match[2] or ""):
            text = _text(piece, vault.body(piece, file), style)
            if text is not None:
                subject = Subject(piece.of, piece.call_id, piece.digest, piece.size)
                short = piece.of == "image" or piece.size <= smallest
                records.append(
                    entries.replaced(subject, file, text, _REASON, short=short)
                )
    return records


def _pieces(path: str, suffix: str) -> Iterator[Piece]:
    """What a body may have stood for: a result or a text in a call, or an image."""
    try:
        data = read_file(path, limits.MAX_RECORD)
    except (StorageError, Unsafe):
        return
    name = os.path.basename(path).partition(".")[0]
    if suffix:
        kinds = {ending: kind for kind, ending in SUFFIXES.items()}
        if suffix in kinds or suffix == OTHER_SUFFIX:
            text = base64.b64encode(data).decode()
            yield DataPiece(name, text, data, kinds.get(suffix, ""))
        return
    try:
        text = data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return
    yield Piece("result", name, text)
    yield Piece("call", name, text)


def _text(piece: Piece, body: Body, style: Style) -> str | None:
    if isinstance(piece, DataPiece):
        return make_for_data(body, piece.media_type, style)
    return make(body, style)
