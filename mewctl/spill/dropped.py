"""Dropped messages in files of their own: a boundary's lines, and their checksum.

Owns the names and the order of writing, so that a reader who finds the lines finds what
to check them by. Reading them back is ``recall``'s part.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mewctl.spill.recall import checksum
from mewctl.store.files import private_dir, replace

if TYPE_CHECKING:
    from collections.abc import Iterable


def address(directory: str, boundary: str) -> str:
    """The path of the records that a boundary dropped."""
    return os.path.join(directory, f"{boundary}.jsonl")


def save(directory: str, boundary: str, dropped: Iterable[bytes]) -> None:
    """Write records, lines without line ends, on the disk when this returns.

    Raises ``StorageError``.
    """
    private_dir(directory)
    data = b"\n".join((*dropped, b""))
    path = address(directory, boundary)
    line = checksum(os.path.basename(path), [data])
    replace(path.removesuffix(".jsonl") + ".sha256", line)
    replace(path, data)
