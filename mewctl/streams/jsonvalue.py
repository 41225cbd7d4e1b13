"""JSON text to values and back, without losing what JSON cannot lose.

orjson does the work; where it refuses what is well-formed for ``json`` (lone
surrogates) or would bend a number (19 digits and more), ``json`` does. Pure.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import orjson

_MANY_DIGITS = re.compile(rb"\d{19}")
_SURROGATE = re.compile("[\ud800-\udfff]")


class BadJSON(ValueError):
    """Text that is not one JSON value; the message says why, in a few words."""


def _no_constant(name: str) -> NoReturn:
    raise BadJSON(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise BadJSON("a number too large for JSON")
    return number


def _loads_slow(raw: bytes) -> Any:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadJSON(f"not UTF-8 at byte {error.start}") from None
    try:
        return json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError:
        raise BadJSON("nested too deep") from None
    except json.JSONDecodeError as error:
        raise BadJSON(f"not JSON: {error.msg.lower()} at byte {error.pos}") from None
    except BadJSON:
        raise
    except ValueError:
        raise BadJSON("a number with too many digits") from None


def loads(raw: bytes, *, exact: bool = False) -> Any:
    """The value of ``raw``. ``exact`` keeps big integers: ask for it before a change.

    Raises ``BadJSON``. NaN, Infinity and nesting bombs are refused; of duplicate keys
    the last wins.
    """
    if exact and _MANY_DIGITS.search(raw):
        return _loads_slow(raw)
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _loads_slow(raw)


def _escape_surrogate(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def dumps(value: Any) -> bytes:
    """One line of JSON for ``value``, in UTF-8; lone surrogates come out escaped."""
    try:
        return orjson.dumps(value)
    except (TypeError, RecursionError):  # surrogates, big integers, depth over 254
        text = json.dumps(
            value, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
        return _SURROGATE.sub(_escape_surrogate, text).encode("utf-8")


def utf8_size(text: str) -> int:
    """Length of ``text`` in UTF-8 bytes; a lone surrogate counts as three."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-8", "surrogatepass"))


def utf8(text: str) -> bytes:
    """``text`` in UTF-8; lone surrogates (which JSON allows) as their three bytes."""
    return text.encode("utf-8", "surrogatepass")
