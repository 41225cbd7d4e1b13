r"""The lines of a session log: messages, envelopes, markers. Bytes and values. Pure.

A message is stored as the bytes it came in: a ``mew`` record gets a ``ts`` if it has
none, one of another format goes into an envelope ``{"format",…,"record":BYTES}``. Must
not read or write files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl.history.formats import mew
from mewctl.history.formats.blocks import as_time
from mewctl.history.usage import as_record
from mewctl.streams.jsonvalue import BadJSON, dumps, loads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.history.view import Usage

MEW = mew.NAME

#: The head of an envelope that we wrote; what follows, but for the last brace, are the
#: bytes of the message.
_HEAD = re.compile(
    rb'\{"format":"[a-z]+"(?:,"ts":[0-9.eE+-]+)?(?:,"model":"(?:[^"\\]|\\.)*")?'
    rb'(?:,"usage":\{[^{}]*\})?(?:,"id":"(?:[^"\\]|\\.)*")?,"record":'
)
#: So many opening brackets may be too deep for a parser once there is one more.
_NESTED = 500
_MILLI = 3  # digits of a second that a time is written with


@dataclass(frozen=True, slots=True)
class Said:
    """What is known of a message beside its record. ``time`` is Unix seconds."""

    time: float
    model: str | None = None
    usage: Usage | None = None
    id: str | None = None


def stamp(raw: bytes, now: float) -> bytes:
    """A ``mew`` record with a ``ts``, its other bytes as they are.

    ``raw`` is an object with at least one key and without that one.
    """
    return raw.rstrip()[:-1].rstrip() + b',"ts":' + dumps(seconds(now)) + b"}"


def seconds(time: float) -> float:
    """A time as logs spell it: to the millisecond, whole where it is."""
    short = round(float(time), _MILLI)
    return int(short) if short.is_integer() else short


def envelope(form: str, raw: bytes, said: Said) -> bytes:
    """The line of a message of the format ``form``, whose bytes it holds.

    Raises ``BadJSON`` for one that is nested too deep to be read again.
    """
    head: dict[str, Any] = {"format": form, "ts": seconds(said.time)}
    if said.model is not None:
        head["model"] = said.model
    if said.usage is not None:
        head["usage"] = as_record(said.usage)
    if said.id is not None:
        head["id"] = said.id
    line = dumps(head)[:-1] + b',"record":' + raw + b"}"
    if raw.count(b"[") + raw.count(b"{") > _NESTED:
        loads(line)
    return line


def inner(raw: bytes) -> bytes | None:
    """The message's bytes in an envelope of our writing; None for another line."""
    head = _HEAD.match(raw)
    if head is None or not raw.endswith(b"}"):
        return None
    return raw[head.end() : -1]


def format_of(value: Mapping[str, Any]) -> str:
    """The format of the message that a line holds: ``mew`` where it is no envelope."""
    own = mew.inner(value)
    return mew.NAME if own is None else own.NAME


def is_neutral(value: Mapping[str, Any]) -> bool:
    """Whether a ``mew`` record says only what every format can say alike."""
    return (
        value.get("role") in ("system", "user", "assistant")
        and isinstance(value.get("content"), str)
        and not value.get("tool_calls")
        and not value.get("tool_results")
    )


# --- markers ---


@dataclass(frozen=True, slots=True)
class Marker:
    """A compact marker: where a snapshot of ``messages`` lines begins.

    ``messages`` is None in markers of other programs, which do not count. ``id`` is the
    boundary of a compaction. ``undoes``: the number of the marker that it takes back,
    counted from 1 over the log; 0 for none.
    """

    time: float | None = None
    id: str = ""
    reason: str = ""
    messages: int | None = None
    tokens_before: int | None = None
    tokens_after: int | None = None
    provider: str = ""
    undoes: int = 0

    def line(self) -> bytes:
        """The marker as a line of a log."""
        value: dict[str, Any] = {"type": "compact"}
        if self.time is not None:
            value["ts"] = seconds(self.time)
        optional: dict[str, Any] = {
            "id": self.id,
            "reason": self.reason,
            "messages": self.messages,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "provider": self.provider,
            "undoes": self.undoes,
        }
        value |= {key: item for key, item in optional.items() if item not in ("", None)}
        if not self.undoes:
            del value["undoes"]
        return dumps(value)


def read_marker(raw: bytes) -> Marker | None:
    """The marker that a line is; None for any other line, sound or not."""
    try:
        value = loads(raw)
    except BadJSON:
        return None
    if not isinstance(value, dict) or not mew.is_marker(value):
        return None
    return Marker(
        time=as_time(value.get("ts")),
        id=_text(value, "id"),
        reason=_text(value, "reason"),
        messages=_count(value, "messages"),
        tokens_before=_count(value, "tokens_before"),
        tokens_after=_count(value, "tokens_after"),
        provider=_text(value, "provider"),
        undoes=_count(value, "undoes") or 0,
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    return text if isinstance(text, str) else ""


def _count(value: Mapping[str, Any], key: str) -> int | None:
    number = value.get(key)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        return None
    return number
