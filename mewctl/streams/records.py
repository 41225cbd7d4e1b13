"""Records: lines of JSONL as they were read, with the place they came from.

A record's bytes are its truth. Values are parsed from them when asked for and are not
kept, so that a history costs its bytes and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from mewctl import limits
from mewctl.errors import BadInput
from mewctl.frozen import cheap
from mewctl.streams.jsonvalue import BadJSON, loads

OnBad: TypeAlias = Literal["fail", "skip"]
Read: TypeAlias = Callable[[int], bytes]  # like io.BufferedReader.read1

BOM = b"\xef\xbb\xbf"


@cheap
@dataclass(frozen=True, slots=True)
class Record:
    """One line, without its line end. ``line`` counts from 1, ``offset`` in bytes.

    ``line`` is 0 for a record that mewctl made.
    """

    raw: bytes
    line: int = 0
    offset: int = 0

    def value(self, *, exact: bool = False) -> Any:
        """The parsed value. Raises ``BadJSON``."""
        return loads(self.raw, exact=exact)

    def mapping(self, *, exact: bool = False) -> dict[str, Any]:
        """The parsed value, which must be an object. Raises ``BadJSON``."""
        value = loads(self.raw, exact=exact)
        if not isinstance(value, dict):
            raise BadJSON(f"not an object but {_kind(value)}")
        return value


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "an array"
    if isinstance(value, str):
        return "a string"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return "a number"


def place(name: str, record: Record) -> str:
    """Where a record stands, for messages: ``INPUT:LINE (byte OFFSET)``."""
    return f"{name}:{record.line} (byte {record.offset})"


def read_records(
    read: Read, name: str, max_record: int = limits.MAX_RECORD
) -> Iterator[Record]:
    r"""The non-blank lines of a byte stream, as they arrive.

    Splits on ``\n`` only; drops a leading BOM and the ``\r`` of a CRLF. Memory is
    the longest line. Raises ``BadInput`` for a line longer than ``max_record`` bytes.
    """
    line, offset = 1, 0
    pieces: list[bytes] = []
    held = 0
    first = True
    while block := read(limits.READ_BLOCK):
        start = 0
        while (end := block.find(b"\n", start)) >= 0:
            raw = block[start:end]
            if pieces:
                pieces.append(raw)
                raw = b"".join(pieces)
                pieces, held = [], 0
            if len(raw) > max_record:
                raise too_long(name, line, max_record)
            size = len(raw) + 1
            if first:
                raw, first = raw.removeprefix(BOM), False
            raw = raw.removesuffix(b"\r")
            if raw and not raw.isspace():
                yield Record(raw, line, offset)
            line, offset, start = line + 1, offset + size, end + 1
        if start < len(block):
            pieces.append(block[start:])
            held += len(block) - start
            if held > max_record:
                raise too_long(name, line, max_record)
    if pieces:
        raw = b"".join(pieces)
        yield from _last(raw.removeprefix(BOM) if first else raw, line, offset)


def _last(raw: bytes, line: int, offset: int) -> Iterator[Record]:
    """The record of a line without a line end, if it is not blank."""
    raw = raw.removesuffix(b"\r")
    if raw and not raw.isspace():
        yield Record(raw, line, offset)


def too_long(name: str, line: int, max_record: int) -> BadInput:
    """The error for a record of more than ``max_record`` bytes."""
    return BadInput(
        place=f"{name}:{line}",
        what=f"a record of more than {max_record} bytes",
        remedy="raise --max-record if it is real",
    )


def bad_record(name: str, record: Record, why: str) -> BadInput:
    """The error for a record that cannot be read, with a word on what it looks like."""
    what, remedy = _guess(record.raw)
    return BadInput(
        place=place(name, record),
        what=what or why,
        remedy=remedy or "mend the line, or use --on-bad skip",
    )


_UNSTREAMED = "ask for the answer without streaming"
#: How inputs begin that are no JSONL, what they are, and what to do about it.
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\x1f\x8b", "binary input (gzip?)", ""),
    (b"PK\x03\x04", "binary input (zip?)", ""),
    (b"SQLite format 3\x00", "binary input (SQLite?)", ""),
    (b"\x89PNG", "binary input (PNG?)", ""),
    (b"\x28\xb5\x2f\xfd", "binary input (zstd?)", ""),
    (b"\xff\xfe", "not UTF-8 (looks like UTF-16)", ""),
    (b"\xfe\xff", "not UTF-8 (looks like UTF-16)", ""),
    (b"event:", "a streamed answer (server-sent events), not JSON", _UNSTREAMED),
    (b"data:", "a streamed answer (server-sent events), not JSON", _UNSTREAMED),
    (b"HTTP/", "the head of an HTTP answer, not JSON", "ask for the body alone"),
    (b"<", "HTML or XML, not JSON", "check which address was asked"),
)


def _guess(raw: bytes) -> tuple[str, str]:
    """What a bad record looks like, and what to do; empty where nothing is known."""
    for magic, words, remedy in _MAGIC:
        if raw.startswith(magic):
            return words, remedy
    nuls = raw.count(b"\0")
    if nuls and nuls == len(raw.strip(b" \t")):
        return f"{nuls} NUL bytes, likely a power cut", ""
    if nuls and nuls * 3 > len(raw):
        return "not UTF-8 (looks like UTF-16)", ""
    return "", ""
