"""What may leave a history: a result's text, a text in a call, an image. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl.store.names import safe_name
from mewctl.streams.jsonvalue import utf8

if TYPE_CHECKING:
    from mewctl.spill.entries import Of

#: Kind, call id and sha256 of the text: equal keys share one fate.
Key: TypeAlias = tuple[str, str, str]


#: Which decisions count for a result. ``all``: every one about its key. ``short``: its
#: group is too short to exceed a limit, and mostly not even parsed; so only those that
#: were made whatever the size. ``own``: as short, but more may come to it; then what is
#: decided must hold whether it is parsed next time or not, so that a decision about the
#: same bytes elsewhere does not count.
Scope: TypeAlias = Literal["all", "short", "own"]


class Piece:
    """A text of the call ``call_id``, and the body that would be saved for it.

    ``failed``: it is the output of a call that failed. ``nth``: how many groups before
    had the same text of the same call, as far as they were looked at.
    """

    def __init__(
        self, of: Of, call_id: str, text: str, *, failed: bool = False
    ) -> None:
        self.of = of
        self.call_id = call_id
        self.text = text
        self.failed = failed
        self.nth = 0

    @property
    def key(self) -> Key:
        """What tells it from all others."""
        return self.of, self.call_id, self.digest

    @cached_property
    def name(self) -> str:
        """The safe name of the call id."""
        return safe_name(self.call_id)

    @cached_property
    def size(self) -> int:
        """Bytes of the text in UTF-8."""
        return len(self.text if self.text.isascii() else self.data)

    @cached_property
    def data(self) -> bytes:
        """The body that recall gives back."""
        return utf8(self.text)

    @cached_property
    def digest(self) -> str:
        """The sha256 of the text, in hex: its key in a ledger."""
        return sha256(self.data).hexdigest()

    def prepare(self) -> None:
        """Encode and hash it now, while the processor has the text at hand.

        Once other texts were read that takes half as long again.
        """
        _ = self.digest

    @property
    def body_digest(self) -> str:
        """The sha256 of the body, in hex."""
        return self.digest


class DataPiece(Piece):
    """An image or document: its text is base64, its body the bytes."""

    def __init__(self, call_id: str, text: str, data: bytes, media_type: str) -> None:
        super().__init__("image", call_id, text)
        self._bytes = data
        self.media_type = media_type

    @cached_property
    def size(self) -> int:
        """Bytes of the base64 text."""
        return len(self.text)

    @cached_property
    def data(self) -> bytes:
        """The decoded bytes."""
        return self._bytes

    @cached_property
    def digest(self) -> str:
        """The sha256 of the base64 text."""
        return sha256(utf8(self.text)).hexdigest()

    @property
    def body_digest(self) -> str:
        """The sha256 of the decoded bytes."""
        return sha256(self._bytes).hexdigest()


@dataclass(frozen=True, slots=True)
class Draft:
    """A piece that is to leave: its file, and what will stand in its place.

    ``short``: decided whatever the size. ``write``: the file is not there yet.
    """

    piece: Piece
    file: str
    text: str
    reason: str
    short: bool = False
    write: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """A piece that is to stay; ``nth``: only this time, for others of its key left."""

    piece: Piece
    reason: str
    nth: int | None = None
