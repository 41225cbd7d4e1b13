"""Groups that import a command when it is run, and what all commands have in common.

Owns the variables of options, the settings a command starts with, and the look at its
files before it begins. Must not know what a command does.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from mewctl.registry import REGISTRY, Entry
from mewctl.streams import progress
from mewctl.streams.apart import keep_apart
from mewctl.streams.color import wants_color
from mewctl.streams.stdio import stderr_is_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class LazyGroup(click.Group):
    """A group that imports a command only when it is run or asked for its help."""

    def __init__(
        self, *args: Any, registry: Mapping[str, Entry], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.registry = registry

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the registry's order."""
        return list(self.registry)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command called ``cmd_name``, imported now."""
        entry = self.registry.get(cmd_name)
        if entry is None:
            return None
        path = (*_path(ctx), cmd_name)
        if not entry.target:
            return LazyGroup(
                cmd_name,
                registry=entry.commands,
                help=entry.help,
            )
        module, _, attribute = entry.target.partition(":")
        command: click.Command = getattr(
            import_module(f"mewctl.commands.{module}"), attribute
        )
        command = _explained(command, path)
        return CommandAndGroup(command, entry.commands) if entry.commands else command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name gets the nearest known ones."""
        name = args[0]
        if name not in self.registry and not name.startswith("-"):
            raise click.NoSuchCommand(name, possibilities=self.registry, ctx=ctx)
        ctx.meta["mewctl.command"] = " ".join((*_path(ctx), name))
        found = super().resolve_command(ctx, args)
        command = found[1]
        below = self.registry[name].calls_below(args[1:])
        if command is None or ctx.resilient_parsing or below:
            return found
        from mewctl.config import apply

        option = _option(command, "--format")
        if option is not None:  # errors of the settings and of the words obey it, too
            _errors_as(ctx, _given(option, args[1:]))
        apply(ctx, (*_path(ctx), name), args[1:], known(REGISTRY))
        if option is not None:
            defaults = (ctx.default_map or {}).get(name) or {}
            _errors_as(ctx, _given(option, args[1:]) or defaults.get(option.name))
        return found

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """Commands by subsystem, from the registry alone."""
        for section in dict.fromkeys(entry.section for entry in self.registry.values()):
            rows = [
                (name, entry.help)
                for name, entry in self.registry.items()
                if entry.section == section
            ]
            with formatter.section(section):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Names and short helps for TAB, without importing a command."""
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=entry.help)
            for name, entry in self.registry.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)


class CommandAndGroup(LazyGroup):
    """A command that has commands of its own, whose names come right behind its own.

    ``mewctl tokens timeline`` runs the command below, ``mewctl tokens ./timeline`` and
    ``mewctl tokens -- timeline`` read a file. Which it is, is told before parsing.
    """

    def __init__(self, own: click.Command, registry: Mapping[str, Entry]) -> None:
        super().__init__(
            own.name,
            registry=registry,
            invoke_without_command=True,
            help=own.help,
            short_help=own.short_help,
            params=own.params,
        )
        self._own = own
        self._below = LazyGroup(own.name, registry=registry, help=own.help)
        rows = (f"  {name}  {entry.help}" for name, entry in registry.items())
        own.epilog = "\n".join(("\b", "Commands:", *rows))

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """The context of the command itself, or of the group of those below it."""
        chosen = self._below if args and args[0] in self.registry else self._own
        return chosen.make_context(info_name, args, parent, **extra)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """What may follow the name: the command's own words."""
        return self._own.collect_usage_pieces(ctx)


def _path(ctx: click.Context) -> tuple[str, ...]:
    """The words that name ``ctx``'s command, without the program's."""
    if ctx.parent is None:
        return ()
    return (*_path(ctx.parent), str(ctx.info_name))


def _explained(command: click.Command, path: tuple[str, ...]) -> click.Command:
    """``command`` with what all help has in common: marks, variables by option name."""
    from mewctl.settings import spelling

    # Docstrings with backslashes are raw; Click wants its mark as a character.
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    for option in command.params:
        if isinstance(option, click.Option):
            option.show_envvar = True
            option.allow_from_autoenv = False  # one variable each, the one help names
            key = spelling(option).upper()
            option.envvar = option.envvar or "_".join(
                ("MEWCTL", *(word.replace("-", "_").upper() for word in path), key)
            )
    if command.callback is not None and not isinstance(command.callback, _Prepared):
        command.callback = _Prepared(command.callback)
    return command


class _Prepared:
    """A command's function, after what holds for all of them."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **options: Any) -> Any:
        ctx = click.get_current_context()
        keep_apart(_paths(ctx, "input"), _paths(ctx, "output"))
        if stderr_is_terminal() and not ctx.params.get("quiet"):
            above = ctx.meta.get("mewctl.color")
            color: Any = ctx.params.get("color") or above or "auto"
            progress.enable(color=wants_color(color, os.environ, tty=True))
        return self._function(*args, **options)


def _paths(ctx: click.Context, direction: str) -> Iterator[str]:
    """The files that a command's words name for reading, or for writing."""
    instead = any(  # an output that comes in the place of the usual one
        getattr(param.type, "instead", False) and ctx.params.get(param.name or "")
        for param in ctx.command.params
    )
    for param in ctx.command.params:
        if getattr(param.type, "direction", "") == direction:
            value = ctx.params.get(param.name or "")
            if isinstance(value, str):
                yield value
            elif value is not None:
                yield from value
            elif (
                param.name == "output" and not instead
            ):  # without a name it is standard output
                yield "-"


# --- how errors are told ---


def _option(command: click.Command, flag: str) -> click.Option | None:
    for param in command.params:
        if isinstance(param, click.Option) and flag in param.opts:
            return param
    return None


def _given(option: click.Option, args: list[str]) -> str:
    """An option's value by the words, which are not parsed yet, or its variable."""
    from mewctl.config import flag_value

    return flag_value(args, option.opts[0]) or os.environ.get(str(option.envvar), "")


def _errors_as(ctx: click.Context, form: object) -> None:
    ctx.meta["mewctl.format"] = form


def known(registry: Mapping[str, Entry]) -> dict[str, Any]:
    """Command -> (), group -> the same of its commands; "" in one that is both."""
    return {
        name: {**known(entry.commands), **({"": None} if entry.target else {})}
        if entry.commands
        else ()
        for name, entry in registry.items()
    }
