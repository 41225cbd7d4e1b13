"""The body files of a spill directory: which name a body gets, and writing them.

A name is never used for other bytes than those it has. Needs the directory's lock.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.errors import StorageError, Unsafe
from mewctl.spill.piece import DataPiece
from mewctl.store.files import AlreadyThere, create_all, replace
from mewctl.store.names import clash_names
from mewctl.store.opening import names_in, read_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.spill.piece import Piece

SUFFIXES = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "application/pdf": ".pdf",
}
OTHER_SUFFIX = ".bin"


class Bodies:
    """The files of ``directory``, by names that are told apart whatever their case."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._files: dict[str, str] | None = None  # case-folded -> as it is spelled
        self._promised: dict[str, tuple[str, bytes]] = {}

    def name_for(self, piece: Piece) -> tuple[str, bool] | None:
        """The file for a body, and whether it must be written; None if none is free.

        The name is promised until ``write`` or ``forget``. Raises ``StorageError``.
        """
        suffix = ""
        if isinstance(piece, DataPiece):
            suffix = SUFFIXES.get(piece.media_type, OTHER_SUFFIX)
        for name in (piece.name, *clash_names(piece.name, piece.body_digest)):
            file = name + suffix
            fold = file.casefold()
            promised = self._promised.get(fold)
            there = self._listing().get(fold)
            if promised == (file, piece.data):
                return file, True
            if promised is None and there is None:
                self._promised[fold] = file, piece.data
                return file, True
            if there == file and self._holds(file, piece.data):
                return file, False
        return None

    def release(self, file: str) -> None:
        """Take the promise of a name back."""
        self._promised.pop(file.casefold(), None)

    def forget(self) -> None:
        """Take all promises back: nothing will be written."""
        self._promised.clear()

    def write(self, bodies: Sequence[tuple[str, bytes]]) -> dict[str, StorageError]:
        """Save bodies under the names promised; an error for each that was not.

        ``AlreadyThere`` for a name that somebody took meanwhile: name it anew.
        """
        self._promised.clear()
        failed: dict[str, StorageError] = {}
        files = list(dict(bodies).items())
        for at in range(0, len(files), limits.SPILL_BATCH_FILES):
            some = files[at : at + limits.SPILL_BATCH_FILES]
            for (file, data), error in zip(
                some, create_all(self._directory, some), strict=True
            ):
                there = isinstance(error, AlreadyThere)
                if error is None or there:
                    self._listing()[file.casefold()] = file
                if error is not None and not (there and self._holds(file, data)):
                    failed[file] = error
        return failed

    def is_intact(self, file: str, data: bytes) -> bool:
        """Whether a body is there with its very bytes."""
        return self._holds(file, data)

    def restore(self, file: str, data: bytes) -> None:
        """Put a body that is gone or damaged back. Raises ``StorageError``."""
        replace(os.path.join(self._directory, file), data)
        self._listing()[file.casefold()] = file

    def _listing(self) -> dict[str, str]:
        """The names that are there: read once, then kept up with what we write."""
        if self._files is None:
            there = os.path.isdir(self._directory)
            names = names_in(self._directory) if there else []
            self._files = {name.casefold(): name for name in names}
        return self._files

    def _holds(self, file: str, data: bytes) -> bool:
        """Whether a file has these very bytes."""
        at = 0
        try:
            for block in read_blocks(os.path.join(self._directory, file)):
                if data[at : at + len(block)] != block:
                    return False
                at += len(block)
        except (StorageError, Unsafe):
            return False
        return at == len(data)
