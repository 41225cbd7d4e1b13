"""Every setting of a command with its origin: what Click would take, and why. Pure.

The order is flag, environment, project file, user file, default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from mewctl.errors import ConfigError, Usage
from mewctl.settings import SHARED, check_kinds, layered, options_of, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mewctl.settings import Setting, Source

Origin: TypeAlias = Literal["flag", "environment", "project", "user", "default"]
Commands: TypeAlias = "Mapping[tuple[str, ...], click.Command]"


@dataclass(frozen=True, slots=True)
class Row:
    """A setting: ``window``, or ``spill.single-limit`` of one command.

    ``place`` is the variable or file it is from. One that is ``ignored`` stands in a
    project's file, which may not set it.
    """

    key: str
    value: Any
    origin: Origin
    place: str = ""
    ignored: bool = False

    def to_json(self) -> dict[str, Any]:
        """The row as an object; ``place`` and ``ignored`` only where there is one."""
        row = {"key": self.key, "value": self.value, "origin": self.origin}
        row |= {"place": self.place} if self.place else {}
        return row | ({"ignored": True} if self.ignored else {})


@dataclass(frozen=True, slots=True)
class Layers:
    """Where values come from: the user's file, perhaps a project's, the environment.

    ``flags`` are those of the command that asks, by key.
    """

    user: Source
    project: Source | None
    environ: Mapping[str, str]
    flags: Mapping[str, Any]

    @property
    def sources(self) -> Sequence[Source]:
        """The files, the one that wins last."""
        return [self.user] if self.project is None else [self.user, self.project]


def rows(commands: Commands, layers: Layers) -> list[Row]:
    """The settings of ``commands``; those they share stand once, without a command.

    Raises ``ConfigError`` for a value in a file that its option refuses, ``Usage`` for
    one in the environment.
    """
    found: dict[str, Row] = {}
    for path, command in commands.items():
        for row in _of_command(path, command, layers):
            found.setdefault(row.key, row)
    shared = [found[key] for key in SHARED if key in found]
    own = [row for key, row in found.items() if key not in SHARED]
    return [*shared, *own, *_ignored(layers.project)]


def _of_command(
    path: tuple[str, ...], command: click.Command, layers: Layers
) -> Iterator[Row]:
    options = options_of(command)
    values = layered(layers.sources, path)
    check_kinds(values, options)
    ctx = click.Context(command, info_name=" ".join(path))
    name = ".".join(path)
    for key, option in options.items():
        if option.is_eager:
            continue
        own = any(key in table_of(source.settings, path) for source in layers.sources)
        shown = key if key in SHARED and not own else f"{name}.{key.replace('_', '-')}"
        yield _row(shown, key, option, ctx, values.get(key), layers)


def _row(
    shown: str,
    key: str,
    option: click.Option,
    ctx: click.Context,
    setting: Setting | None,
    layers: Layers,
) -> Row:
    if key in SHARED and layers.flags.get(key) is not None:
        return Row(shown, layers.flags[key], "flag")
    variable = str(option.envvar)
    try:
        if layers.environ.get(variable):
            value = _cast(option, ctx, layers.environ[variable])
            return Row(shown, value, "environment", variable)
        if setting is not None:
            project = layers.project is not None and setting.path == layers.project.path
            value = _cast(option, ctx, setting.value)
            return Row(shown, value, "project" if project else "user", setting.path)
    except click.UsageError as error:
        raise _refused(error, variable, setting, layers) from None
    return Row(shown, _plain(option.get_default(ctx)), "default")


def _refused(
    error: click.UsageError, variable: str, setting: Setting | None, layers: Layers
) -> Usage | ConfigError:
    what = error.format_message().rstrip(".")
    if layers.environ.get(variable) or setting is None:
        return Usage(what=f"{variable}: {what}", remedy="mend the variable")
    return ConfigError(place=setting.path, what=what, remedy="mend the file")


def _cast(option: click.Option, ctx: click.Context, value: Any) -> Any:
    return _plain(option.type_cast_value(ctx, value))


def _plain(value: Any) -> Any:
    """The value as JSON has it; None for what is not set."""
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value if isinstance(value, (str, int, float, bool)) else None


def _ignored(project: Source | None) -> Iterator[Row]:
    if project is not None:
        for key, value in project.ignored.items():
            shown = key.replace("_", "-")
            yield Row(shown, _plain(value), "project", project.path, ignored=True)
