"""What settings may say, and which layer of them wins. Pure.

Shared keys stand at the top of a file, and each command has a table. A key is an
option's long name, with ``_`` here. Must not read files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from mewctl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import click

SHARED = (
    "root", "session", "window", "model", "provider", "lang", "family", "color",
)  # fmt: skip
#: Never from a project file: they decide what runs, where data goes and what is read.
USER_ONLY = (
    "provider",
    "provider_model",
    "command",
    "base_url",
    "exact",
    "allow_root",
    "pass_env",
    "root",
    "session",
    "dir",
    "output",
    "report",
    "html",
    "system",
    "tools",
    "error",
    "skills",
    "module",
)


@dataclass(frozen=True, slots=True)
class Source:
    """A settings file that was read: its keys with ``_``, and those it may not set."""

    path: str
    settings: Mapping[str, Any]
    ignored: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setting:
    """A value, and the file that it is from."""

    value: Any
    path: str


def normal(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with ``_`` for every ``-`` in their keys."""
    return {
        key.replace("-", "_"): normal(value) if isinstance(value, dict) else value
        for key, value in settings.items()
    }


def _nearest(key: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    match = get_close_matches(key, list(known), n=1, cutoff=0.5)
    return f"did you mean {match[0]}?" if match else "see mewctl COMMAND --help"


#: Command -> the keys of its table (none: not checked), group -> its commands. A group
#: that is a command, too, holds its keys beside them, with None ("": not checked).
Known: TypeAlias = "Mapping[str, Mapping[str, Any] | Collection[str] | None]"


def check(path: str, settings: Mapping[str, Any], known: Known) -> None:
    """Refuse unknown keys, naming the nearest known one. Raises ``ConfigError``."""
    own = {k: v for k, v in settings.items() if not _is_shared(k, v)}
    _check_tables(path, own, known, "")


def _is_shared(key: str, value: object) -> bool:
    """Whether a key of the top is a shared option, not a table of commands.

    ``session`` can be either.
    """
    return key in SHARED and not isinstance(value, dict)


def table_of(settings: Mapping[str, Any], command: tuple[str, ...]) -> dict[str, Any]:
    """The table of ``command``; empty if there is none."""
    table: Any = settings
    for word in command:
        table = table.get(word)
        if not isinstance(table, dict):
            return {}
    return dict(table)


def _check_tables(
    path: str, settings: Mapping[str, Any], known: Known, prefix: str
) -> None:
    for key, value in settings.items():
        keys = known.get(key)
        of_group = keys is None and (key in known or "" in known)
        if of_group and not isinstance(value, dict):
            continue  # an option of the command that the group is
        if keys is None or not isinstance(value, dict):
            shared = () if prefix else SHARED
            raise _unknown(path, prefix + key, _nearest(key, (*shared, *known)))
        if isinstance(keys, Mapping):
            _check_tables(path, value, keys, f"{prefix}{key}.")
            continue
        for name in value:
            if keys and name not in keys:
                raise _unknown(path, f"{prefix}{key}.{name}", _nearest(name, keys))


def _unknown(path: str, key: str, remedy: str) -> ConfigError:
    return ConfigError(place=path, what=f"unknown key {key}", remedy=remedy)


def restrict(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A project file's settings, and apart those that only the user may set.

    The latter by all the words of their keys: ``compact.provider``.
    """
    kept: dict[str, Any] = {}
    ignored: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            inner, names = restrict(value)
            kept[key] = inner
            ignored |= {f"{key}.{name}": one for name, one in names.items()}
        elif key in USER_ONLY:
            ignored[key] = value
        else:
            kept[key] = value
    return kept, ignored


def layered(sources: Iterable[Source], command: tuple[str, ...]) -> dict[str, Setting]:
    """The defaults for ``command``: shared keys, then its table, later files first."""
    merged: dict[str, Setting] = {}
    for source in sources:
        shared = {k: v for k, v in source.settings.items() if _is_shared(k, v)}
        values = shared | table_of(source.settings, command)
        merged |= {k: Setting(v, source.path) for k, v in values.items()}
    return merged


def wrong_kind(option: click.Option, value: object) -> str:
    """What is wrong with the kind of a file's ``value`` for ``option``, or nothing.

    What the value says is Click's to judge; but it takes ``true`` for the number 1.
    """
    if option.is_flag:
        return "" if isinstance(value, bool) else f"{value!r} is not true or false"
    values = value if option.multiple and isinstance(value, list) else [value]
    for one in values:
        if isinstance(one, bool) or not isinstance(one, (str, int, float)):
            return f"{one!r} is no text and no number"
    return ""


def check_kinds(
    values: Mapping[str, Setting], options: Mapping[str, click.Option]
) -> None:
    """Refuse values of a kind that their option cannot have. Raises ``ConfigError``."""
    for key, setting in values.items():
        option = options.get(key)
        complaint = wrong_kind(option, setting.value) if option else ""
        if complaint:
            raise ConfigError(
                place=setting.path, what=f"{key}: {complaint}", remedy="mend the file"
            )


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The options of ``command`` by their keys in a file."""
    return {
        spelling(param): cast("click.Option", param)
        for param in command.params
        if param.param_type_name == "option"
    }


def spelling(option: click.Parameter) -> str:
    """An option's long name as a key of a settings file, or in a variable's name."""
    return max(option.opts, key=len).strip("-").replace("-", "_")
