"""Short ways to say messages, and what a collector makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.collect import Collector
from mewctl.history.view import Call, Message, Result, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.history.facts import Facts
    from mewctl.history.tools import ToolRule


def user(text: str, **more: Any) -> Message:
    return Message("user", (Text(text),), **more)


def says(text: str, *calls: Call) -> Message:
    texts = (Text(text),) if text else ()
    return Message("assistant", (*texts, *calls))


def bash(name: str, command: str) -> Call:
    return Call(name, "Bash", {"command": command})


def answer(name: str, text: str = "", *, failed: bool = False) -> Message:
    return Message("tool", (Result(name, (Text(text),), failed),), time=9.0)


def collected(
    *messages: Message, earlier: Facts | None = None, extra: Sequence[ToolRule] = ()
) -> Facts:
    collector = Collector(earlier, extra=extra)
    for message in messages:
        collector.add(message)
    return collector.facts()
