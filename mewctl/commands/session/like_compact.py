"""The options of ``compact`` that sessions share: its own, each defined once there."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mewctl.commands.compact import compact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

F = TypeVar("F", bound="Callable[..., Any]")

#: What ``compact`` has and sessions have their own way for.
_NOT = frozenset(
    {"emit", "origin", "to", "session", "directory", "root", "from_", "on_bad"}
    | {"max_record", "full", "sidechains", "strict", "output", "files"}
)
#: What decides that a compaction happens, and what becomes of it.
_ACT = frozenset({"trigger", "error", "focus", "dry_run", "check", "report"})


def act_options(function: F) -> F:
    """All options that a compaction of a session can have; ``manual`` by default."""
    for option in _options():
        if option.name == "trigger":
            option.default = "manual"
        _add(function, option)
    return function


def auto_options(function: F) -> F:
    """Those of an automatic compaction."""
    for option in _options():
        if option.name not in _ACT:
            _add(function, option)
    return function


def _options() -> list[click.Option]:
    """Copies, the last first, with variables of the command that gets them."""
    found: list[click.Option] = []
    for param in reversed(compact.params):
        if isinstance(param, click.Option) and param.name not in _NOT:
            own = copy(param)
            if str(own.envvar).startswith("MEWCTL_COMPACT_"):
                own.envvar = None
            found.append(own)
    return found


def _add(function: Any, option: click.Option) -> None:
    if not hasattr(function, "__click_params__"):
        function.__click_params__ = []
    function.__click_params__.append(option)


def completed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with values for those that ``compact`` has besides."""
    besides = {
        "trigger": "auto",
        "error": None,
        "focus": "",
        "emit": "history",
        "dry_run": False,
        "check": False,
        "report": None,
        "files": (),
        "output": None,
    }
    return {**besides, **options}
