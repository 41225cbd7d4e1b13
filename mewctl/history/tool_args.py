"""The arguments of a tool call, whatever an agent calls them. Pure.

Takes arguments by their bare keys (no case, no separators) and trusts no type: what
is no text, number or path is as if it were not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from mewctl import limits
from mewctl.history import paths, shell
from mewctl.history import tool_names as names

Args: TypeAlias = Mapping[str, Any]

_LONGEST_KEY = 64
_DROP = str.maketrans("", "", "_- .")


def bare_key(key: Any) -> str:
    """A key without case and separators; empty for what is no short text."""
    short = isinstance(key, str) and len(key) <= _LONGEST_KEY
    return _bare_key(key) if short else ""


@lru_cache(maxsize=512)
def _bare_key(key: str) -> str:
    return key.lower().translate(_DROP)


def has(args: Args, keys: Sequence[str]) -> bool:
    """Whether one of ``keys`` holds a text, be it empty."""
    return any(isinstance(args.get(key), str) for key in keys)


def first(args: Args, keys: Sequence[str]) -> Any:
    """The value of the first of ``keys`` that holds something, else None."""
    return next((args[key] for key in keys if args.get(key)), None)


def text(args: Args, keys: Sequence[str]) -> str:
    """The text of the first of ``keys`` that holds one, else the empty text."""
    for key in keys:
        value = args.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def command(args: Args) -> str:
    """The command that a call runs."""
    for key in names.COMMAND_KEYS:
        value = args.get(key)
        if value:
            return shell.unwrap(value)
    return ""


def file_paths(args: Args) -> list[str]:
    """The files that a call is about."""
    for key in names.PATH_KEYS:
        value = args.get(key)
        if isinstance(value, str) and paths.is_path(value):
            return [value]
    for key in names.PATHS_KEYS:
        value = args.get(key)
        if isinstance(value, list):
            found = [_item_path(item) for item in value[: limits.FACT_PATHS]]
            return [path for path in found if paths.is_path(path)]
    return []


def _item_path(item: Any) -> Any:
    if isinstance(item, Mapping):
        return item.get("path") or item.get("file_path")
    return item


def part(args: Args) -> str:
    """Which lines a read asks for: ``lines 10-50``, or nothing for all."""
    asked = first(args, names.RANGE_KEYS)
    if isinstance(asked, list) and len(asked) == 2:  # noqa: PLR2004 - first, last
        return _lines(_number(asked[0]), _number(asked[1]))
    start = _number(first(args, names.FIRST_KEYS))
    stop = _number(first(args, names.LAST_KEYS))
    count = _number(first(args, names.COUNT_KEYS))
    if count and not stop:
        stop = max(start, 1) + count - 1
    return _lines(start, stop)


def _lines(start: int, stop: int) -> str:
    if start <= 1 and stop <= 0:
        return ""
    return f"lines {max(start, 1)}-{stop if stop > 0 else ''}"


def _number(value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value[:9])
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def first_argument(args: Args) -> str:
    """What an unknown call is about: its title, else its shortest text."""
    told = text(args, names.TITLE_KEYS)
    texts = [value for value in args.values() if isinstance(value, str) and value]
    return (told or min(texts[:3], key=len, default=""))[: limits.FACT_TARGET * 4]
