"""Commands by name, found as the command line finds them."""

from __future__ import annotations

from typing import Any

import click

from mewctl import cli, registry

#: The words of every command that can be run: ``compact``, ``session clean``.
NAMES = [" ".join(path) for path, _ in registry.leaves()]
HELP = {" ".join(path): entry.help for path, entry in registry.leaves()}


def command(name: str) -> click.Command:
    """The command that ``name`` calls."""
    context = click.Context(cli.main, info_name="mewctl")
    found: Any = cli.main
    for word in name.split():
        found, above = found.get_command(context, word), context
        context = click.Context(found, info_name=word, parent=above)
    return found
