"""Bringing back what left a history: bodies by handle, dropped messages by boundary.

Reads only. A handle is compared with names that are there; it never becomes a path.
"""

from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.errors import BadInput, MewError, NotFound
from mewctl.history.offloaded import recognise
from mewctl.spill.bodies import SUFFIXES
from mewctl.spill.entries import BODY_NAME, Of
from mewctl.spill.ledger import Ledger
from mewctl.store.names import safe_name
from mewctl.store.opening import names_in, read_blocks, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewctl.spill.entries import Entry

_DIGEST = re.compile(rf"[0-9a-f]{{{limits.RECALL_DIGITS},64}}")
_BOUNDARY = re.compile(r"([A-Za-z0-9_-]{1,64})\.jsonl")
_SHOWN = 20  # matches that an error lists


@dataclass(frozen=True, slots=True)
class Body:
    """A body that is there. ``digest`` is "" where no ledger knows it.

    ``size`` in bytes, of the file; None where it is gone.
    """

    file: str
    call_id: str = ""
    of: Of = "result"
    digest: str = ""
    size: int | None = None


class Archive:
    """A spill directory and its directory of dropped messages, absolute paths.

    What is there is looked up once.
    """

    def __init__(self, directory: str, dropped: str) -> None:
        self.directory = directory
        self.dropped = dropped
        self._bodies: dict[str, Body] | None = None

    # --- bodies ---

    def bodies(self) -> list[Body]:
        """All bodies, in the order of their names."""
        return list(self._known().values())

    def _known(self) -> dict[str, Body]:
        if self._bodies is None:
            self._bodies = self._look()
        return self._bodies

    def _look(self) -> dict[str, Body]:
        found: dict[str, Body] = {}
        for entry in self._entries():
            if entry.file and entry.file not in found:
                found[entry.file] = self._body(entry.file, entry)
        for file in _names(self.directory):
            if file not in found and self._is_file(file):
                found[file] = self._body(file, None)
        return dict(sorted(found.items()))

    def find(self, handle: str) -> Body:
        """The body that ``handle`` means: a file's name, a call's id, or a sha256.

        Of a sha256 its beginning is enough. Raises ``NotFound`` for none, or several;
        a file that the ledger does not know is never taken for the body of its call.
        """
        named = self._known().get(handle)
        matches = self.of_call(handle) or self._of_digest(handle)
        if named and (named.digest or not any(body.digest for body in matches)):
            return named
        if not matches:
            remedy = "see mewctl recall --list, or name its directory with -s or -d"
            raise NotFound(what=f"nothing spilled is called {handle}", remedy=remedy)
        if len(matches) > 1:
            files = ", ".join(map(_named, matches[:_SHOWN]))
            raise NotFound(
                what=f"{len(matches)} bodies are of the call {handle}: {files}",
                remedy="name one of them by its file or its sha256",
            )
        return matches[0]

    def of_call(self, call_id: str) -> list[Body]:
        """All bodies of a call, in the order of their names."""
        name = safe_name(call_id)
        return [body for file, body in self._known().items() if _stem(file) == name]

    def _of_digest(self, beginning: str) -> list[Body]:
        """One body with that hash, or those that it is not told apart from."""
        if not _DIGEST.fullmatch(beginning):
            return []
        bodies = self._known().values()
        found = [body for body in bodies if body.digest.startswith(beginning)] or [
            body for body in bodies if self.sha256(body).startswith(beginning)
        ]
        return found if len({body.digest for body in found}) > 1 else found[:1]

    def sha256(self, body: Body) -> str:
        """The hash of a body's bytes, as its preview says it; "" where it is not known.

        An image is read for it: its ledger has the hash of the base64.
        """
        if body.of != "image":
            return body.digest
        try:
            return _hash(self.read(body))
        except MewError:
            return ""  # gone, or no longer what was spilled

    def read(self, body: Body) -> Iterator[bytes]:
        """The bytes of a body, checked before the first is given.

        Raises ``BadInput`` when they are not those that were spilled, ``NotFound`` when
        the file is gone, ``StorageError`` and ``Unsafe``.
        """
        path = os.path.join(self.directory, body.file)
        if body.size is None:
            raise NotFound(
                what=f"{path} is gone",
                remedy="spill the history again: that saves it anew",
            )
        if body.digest and _digest(body, read_blocks(path)) != body.digest:
            raise BadInput(
                place=path,
                what="sha256 differs: not the bytes that were spilled",
                remedy="restore the file; mewctl prints no other text in its place",
            )
        yield from read_blocks(path)

    def original(self, preview: str) -> bytes | None:
        """The body that a preview in a history stands for; None if it is not here.

        Raises what ``read`` raises.
        """
        known = recognise(preview)
        if known is None or os.path.dirname(known.path) != self.directory:
            return None
        body = self._known().get(os.path.basename(known.path))
        if body is None or body.size != known.size:
            return None
        return b"".join(self.read(body))

    # --- dropped messages ---

    def boundaries(self) -> list[str]:
        """The boundaries whose messages are here."""
        matches = (_BOUNDARY.fullmatch(name) for name in _names(self.dropped))
        return sorted(match[1] for match in matches if match)

    def messages(self, boundary: str) -> Iterator[bytes]:
        """The messages that the compaction at ``boundary`` dropped, in order.

        A unique beginning of the id is enough. They are checked before the first is
        given. Raises ``NotFound``, and ``BadInput`` when they are not those that were
        put there.
        """
        known = self.boundaries()
        matches = [name for name in known if name == boundary] or [
            name for name in known if boundary and name.startswith(boundary)
        ]
        if not matches:
            raise NotFound(
                what=f"no dropped messages of boundary {boundary}",
                remedy="see mewctl recall --list, or name its place with -s or -d",
            )
        if len(matches) > 1:
            raise NotFound(
                what=f"{boundary} is the beginning of {', '.join(matches[:_SHOWN])}",
                remedy="give more of it",
            )
        path = os.path.join(self.dropped, f"{matches[0]}.jsonl")
        _check(path, os.path.join(self.dropped, f"{matches[0]}.sha256"))
        return (line for line in lines(read_blocks(path)) if not line.isspace())

    # --- inside ---

    def _entries(self) -> Iterator[Entry]:
        ledger = Ledger(self.directory)
        ledger.refresh()
        return ledger.entries()

    def _body(self, file: str, entry: Entry | None) -> Body:
        try:
            size = os.stat(os.path.join(self.directory, file), follow_symlinks=False)
        except OSError:
            size = None
        bytes_ = None if size is None else size.st_size
        if entry is None:
            of: Of = "image" if file.endswith(tuple(SUFFIXES.values())) else "result"
            return Body(file, of=of, size=bytes_)
        return Body(file, entry.call_id, entry.of, entry.digest, bytes_)

    def _is_file(self, file: str) -> bool:
        path = os.path.join(self.directory, file)
        return bool(BODY_NAME.fullmatch(file)) and not os.path.isdir(path)


def lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""The lines of a byte stream, with their ``\n``."""
    rest = b""
    held: list[bytes] = []
    for block in blocks:
        *whole, rest = block.split(b"\n")
        for line in whole:
            held.append(line)
            yield b"".join(held) + b"\n"
            held.clear()
        held.append(rest)
    if last := b"".join(held):
        yield last


def part(all_lines: Iterable[bytes], first: int, last: int | None) -> Iterator[bytes]:
    """Lines ``first`` to ``last`` (from 1; None: the end).

    Raises ``NotFound`` when there are fewer than ``first``.
    """
    number = 0
    for number, line in enumerate(all_lines, 1):
        if last is not None and number > last:
            return
        if number >= first:
            yield line
    if number < first:
        raise NotFound(what=f"it has {number} lines only", remedy="ask for fewer")


def _names(directory: str) -> list[str]:
    return names_in(directory) if os.path.isdir(directory) else []


def _stem(file: str) -> str:
    match = BODY_NAME.fullmatch(file)
    return match[1] if match else ""


def checksum(name: str, blocks: Iterable[bytes]) -> bytes:
    """The line of a ``.sha256`` file about the file ``name``, as ``sha256sum`` has it.

    ``blocks``: its bytes.
    """
    return f"{_hash(blocks)}  {name}\n".encode()


def _check(path: str, beside: str) -> None:
    """Compare a file with the checksum ``beside`` it, if there is one."""
    if not os.path.lexists(beside):
        return  # of an earlier version
    said = read_file(beside, limits.LEDGER_LINE_MAX)
    if said != checksum(os.path.basename(path), read_blocks(path)):
        raise BadInput(
            place=path,
            what="sha256 differs: not the messages that were dropped",
            remedy="restore the file; mewctl prints no other text in its place",
        )


def _named(body: Body) -> str:
    return f"{body.file} (sha256 {body.digest})" if body.digest else body.file


def _digest(body: Body, blocks: Iterable[bytes]) -> str:
    """The hash that the ledger has: of the bytes, or of an image's base64."""
    if body.of == "image":
        return sha256(base64.b64encode(b"".join(blocks))).hexdigest()
    return _hash(blocks)


def _hash(blocks: Iterable[bytes]) -> str:
    digest = sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()
