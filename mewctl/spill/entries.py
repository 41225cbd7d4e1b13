"""What a ledger's lines say: limits, language, and decisions. Pure.

    {"type":"ledger","version":1,"single_limit":50000,"aggregate_limit":200000}
    {"type":"language","lang":"en"}
    {"type":"replaced","of":"result","id":ID,"name":STEM,"sha256":HEX,"bytes":N,
     "file":NAME,"reason":WORDS,"preview":TEXT}
    {"type":"kept","of":"result","id":ID,"name":STEM,"sha256":HEX,"bytes":N,"reason":WORDS}

``name`` is the safe name of the call id; with ``of`` and ``sha256`` it is the key. An
id too long to be worth a line is left out. ``short``: decided without regard to the
limits, so that the body may be of any size. ``nth`` (rare): the decision is about the
text's n-th coming only, counted from 0; others of the same key have left.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mewctl import limits
from mewctl.spill.groups import Limits
from mewctl.store.names import safe_name
from mewctl.streams.jsonvalue import utf8_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.spill.preview import Lang

Of: TypeAlias = Literal["result", "call", "image"]

VERSION = 1
#: A body's file: the safe name of its call, perhaps a part of its hash, perhaps an
#: ending. No other name in a ledger is believed: ids and names are data, never paths.
BODY_NAME = re.compile(
    r"([A-Za-z0-9_-]{1,64})(?:\.[0-9a-f]{8}|\.[0-9a-f]{64})?(\.[a-z]{3,4})?"
)
_OFS: tuple[Of, ...] = ("result", "call", "image")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a decision is about: a text (or base64 data) of the call ``call_id``."""

    of: Of
    call_id: str
    digest: str  # sha256 of the body, in hex
    size: int  # of the text in the history, in bytes

    @property
    def name(self) -> str:
        """The safe name of the call id."""
        return safe_name(self.call_id)


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision as a ledger holds it. ``file`` is "" where nothing was saved."""

    of: Of
    name: str
    digest: str
    size: int
    replaced: bool
    file: str = ""
    short: bool = False
    call_id: str = ""
    nth: int | None = None


def header(bound: Limits) -> dict[str, Any]:
    """The record that binds a ledger to limits."""
    return {
        "type": "ledger",
        "version": VERSION,
        "single_limit": bound.single,
        "aggregate_limit": bound.aggregate,
    }


def language(lang: str) -> dict[str, Any]:
    """The record that fixes the language of the previews."""
    return {"type": "language", "lang": lang}


def kept(subject: Subject, reason: str, nth: int | None = None) -> dict[str, Any]:
    """The record of a body that stays in the history; ``nth``: only that time."""
    record = {"type": "kept", **_key(subject), "reason": reason}
    return record if nth is None else {**record, "nth": nth}


def replaced(
    subject: Subject, file: str, preview: str, reason: str, *, short: bool = False
) -> dict[str, Any]:
    """The record of a body that left the history, with what stands there now."""
    record = {"type": "replaced", **_key(subject), "file": file, "reason": reason}
    if short:
        record["short"] = True
    return {**record, "preview": preview}


def _key(subject: Subject) -> dict[str, Any]:
    key: dict[str, Any] = {"of": subject.of}
    if utf8_size(subject.call_id) <= limits.LEDGER_ID_MAX:
        key["id"] = subject.call_id
    name, digest = subject.name, subject.digest
    return {**key, "name": name, "sha256": digest, "bytes": subject.size}


def read_header(value: Mapping[str, Any]) -> Limits | None:
    """The limits that a header binds to; None if ``value`` is no header.

    Raises ``ValueError`` for one that cannot be read, ``OverflowError`` for one of a
    later version.
    """
    if value.get("type") != "ledger":
        return None
    if _whole(value, "version") > VERSION:
        raise OverflowError
    return Limits(_whole(value, "single_limit"), _whole(value, "aggregate_limit"))


def read_language(value: Mapping[str, Any]) -> Lang | None:
    """The language that a record fixes; None if it is none that does."""
    lang: Lang = "zh" if value.get("lang") == "zh" else "en"
    return lang if value.get("type") == "language" else None


def read_entry(value: Mapping[str, Any]) -> Entry | None:
    """The decision in a record; None for a record of another type.

    Raises ``ValueError`` for one that cannot be read.
    """
    kind = value.get("type")
    if kind not in ("kept", "replaced"):
        return None
    of = value.get("of")
    if of not in _OFS:
        raise ValueError("of what?")
    file = ""
    if kind == "replaced":
        _text(value, "preview")
        file = _text(value, "file")
        if not BODY_NAME.fullmatch(file):
            raise ValueError("a file name that is none of ours")
    return Entry(
        of=of,
        name=_text(value, "name"),
        digest=_text(value, "sha256"),
        size=_whole(value, "bytes"),
        replaced=kind == "replaced",
        file=file,
        short=value.get("short") is True,
        call_id=str(value.get("id") or ""),
        nth=_whole(value, "nth") if "nth" in value else None,
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    if not isinstance(text, str):
        raise ValueError(f"{key} is no text")
    return text


def _whole(value: Mapping[str, Any], key: str) -> int:
    number = value.get(key)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"{key} is no whole number")
    return number
