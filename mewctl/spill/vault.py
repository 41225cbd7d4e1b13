"""A spill directory: bodies and the ledger about them, changed under its lock.

Owns the order of writing: bodies first, then the decisions about them. Must not decide
what leaves a history.
"""

from __future__ import annotations

import os
import re
import shlex
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.errors import StorageError, Unsafe
from mewctl.spill import entries
from mewctl.spill.bodies import Bodies
from mewctl.spill.entries import Subject
from mewctl.spill.ledger import Ledger
from mewctl.spill.piece import Draft, Kept, Key, Piece
from mewctl.spill.preview import Body
from mewctl.store.files import AlreadyThere, private_dir, sweep
from mewctl.store.gitignore import ensure_store_above
from mewctl.store.lock import locked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mewctl.spill.ledger import Place
    from mewctl.spill.piece import Scope

#: Characters that would break a preview's line, or cannot be written in UTF-8.
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def command(file: str, directory: str) -> str:
    """The command line that recalls a body, quoted for a shell."""
    name, where = shlex.quote(file), shlex.quote(directory)
    if file.startswith("-"):
        return f"mewctl recall -d {where} -- {name}"
    return f"mewctl recall {name} -d {where}"


class Taken(Exception):
    """Somebody else took a name that was promised to a body: draft anew."""


class Vault:
    """The bodies and the ledger of ``directory``, an absolute path.

    Nothing is made before it is needed.
    """

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.ledger = Ledger(self.directory)
        self.bodies = Bodies(self.directory)
        self._swept = False

    def open(self) -> None:
        """Take in the decisions that are there.

        Raises ``Unsafe`` for a path that cannot stand in a history, and what the ledger
        raises.
        """
        if _UNSHOWN.search(self.directory):
            raise Unsafe(
                path=ascii(self.directory),
                what="characters in the path that a preview cannot show",
                remedy="name another directory with --dir",
            )
        self.ledger.refresh()

    def find(self, piece: Piece, scope: Scope) -> Place | None:
        """The decision about ``piece`` that counts in ``scope``."""
        first: Place | None = None
        own: Place | None = None
        for place in self.ledger.of_name(piece.name):
            entry = place.entry
            same = entry.of == piece.of and entry.size == piece.size
            if not same or entry.digest != piece.digest:
                continue
            if entry.short:
                return place
            if entry.nth is None:
                first = first or place
            elif entry.nth == piece.nth:
                own = place
        if scope == "short":
            return None
        if own is None and scope == "own" and first and first.entry.replaced:
            return None
        return own or first

    def is_lost(self, place: Place, piece: Piece) -> bool:
        """Whether the body of an earlier decision about ``piece`` is not as it was."""
        file = place.entry.file
        return bool(file) and not self.bodies.is_intact(file, piece.data)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the directory if need be, hold its lock, know the newest decisions.

        Raises ``StorageError``, ``Locked`` and ``Unsafe``.
        """
        ensure_store_above(self.directory)
        private_dir(self.directory)
        with locked(self.directory):
            if not self._swept:
                sweep(self.directory, limits.UNFINISHED_AGE)
                self._swept = True
            self.ledger.refresh()
            self.bodies.forget()
            yield

    def draft(
        self,
        piece: Piece,
        make: Callable[[Body], str | None],
        reason: str,
        *,
        short: bool = False,
    ) -> Draft | None:
        """What would stand for ``piece``: the text that ``make`` gives for its body.

        None if it gives none, or if no name is left for the body.
        """
        named = self.bodies.name_for(piece)
        if named is None:
            return None
        file, write = named
        text = make(self.body(piece, file))
        if text is None:
            self.bodies.release(file)
            return None
        return Draft(piece, file, text, reason, short, write)

    def body(self, piece: Piece, file: str) -> Body:
        """What a preview says about ``piece`` and its address."""
        path = os.path.join(self.directory, file)
        recall = command(file, self.directory)
        return Body(piece.data, piece.body_digest, path, recall, piece.failed)

    def commit(
        self,
        drafts: Sequence[Draft],
        kept: Sequence[Kept],
        head: Sequence[dict[str, Any]],
    ) -> dict[Key, StorageError]:
        """Save bodies, then write the decisions down; the pieces that could not leave.

        ``kept``: what stays. ``head``: records to come before the
        first decision. Raises ``Taken``, ``StorageError`` and ``Unsafe``; then no
        decision was made.
        """
        bad = self.bodies.write([(d.file, d.piece.data) for d in drafts if d.write])
        if any(isinstance(error, AlreadyThere) for error in bad.values()):
            raise Taken
        failed = {d.piece.key: bad[d.file] for d in drafts if d.file in bad}
        records = [
            entries.replaced(_subject(d.piece), d.file, d.text, d.reason, short=d.short)
            for d in drafts
            if d.piece.key not in failed
        ]
        records += [entries.kept(_subject(k.piece), k.reason, k.nth) for k in kept]
        if records:
            self.ledger.append([*head, *records])
        return failed

    def heal(self, lost: Sequence[tuple[str, Piece]]) -> dict[Key, StorageError]:
        """Save bodies again that are gone or damaged; what could not be saved."""
        failed: dict[Key, StorageError] = {}
        for file, piece in lost:
            try:
                self.bodies.restore(file, piece.data)
            except StorageError as error:
                failed[piece.key] = error
        return failed


def _subject(piece: Piece) -> Subject:
    return Subject(piece.of, piece.call_id, piece.digest, piece.size)
