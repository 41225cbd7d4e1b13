"""Every command there is, and the settings files as all of them see them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.places import root_from
from mewctl.config import read_project, read_user
from mewctl.origins import Layers
from mewctl.settings import check, options_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mewctl.origins import Commands
    from mewctl.settings import Known


def every_command() -> dict[tuple[str, ...], click.Command]:
    """All commands that can be run, by the words that name them. Imports them all."""
    root = click.get_current_context().find_root()
    return dict(_leaves(root.command, click.Context(root.command, info_name="mewctl")))


def _leaves(
    command: click.Command, ctx: click.Context, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield path, command
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(ctx):
        inner = command.get_command(ctx, name)
        if inner is not None:
            below = click.Context(inner, info_name=name, parent=ctx)
            yield from _leaves(inner, below, (*path, name))


def layers_from(options: Mapping[str, Any], commands: Commands) -> Layers:
    """The settings files, each checked for unknown keys in all tables.

    Raises ``ConfigError``, and what finding the root raises.
    """
    known = _known(commands)
    user = read_user(os.environ)
    check(user.path, user.settings, known)
    project = read_project(root_from(options))
    check(project.path, project.settings, known)
    flags = {"root": options["root"]} if _by_flag("root") else {}
    return Layers(user, project, os.environ, flags)


def _by_flag(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def _known(commands: Commands) -> Known:
    """The keys of all tables, nested like the commands."""
    known: dict[str, Any] = {}
    for path, command in commands.items():
        table = known
        for word in path[:-1]:
            inner = table.setdefault(word, {})
            if not isinstance(inner, dict):  # the group is a command, too
                inner = table[word] = dict.fromkeys(inner)
            table = inner
        table[path[-1]] = frozenset(options_of(command))
    return known
