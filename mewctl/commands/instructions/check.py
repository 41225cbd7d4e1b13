"""``mewctl instructions check``: what is wrong with the instructions, for CI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.instructions.options import (
    guard_options,
    layer_options,
    telling_options,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("check", short_help="Say what is wrong with the project's instructions.")
@click.option(
    "--fail-on",
    metavar="error|warning",
    type=click.Choice(("error", "warning")),
    default="error",
    show_default=True,
    help="Exit 1 for errors alone, or for warnings, too.",
)
@layer_options
@guard_options
@telling_options
@click.pass_context
def check(ctx: click.Context, /, **options: Any) -> int:
    r"""Say what is wrong with the project's instructions.

    An include that is not expanded is an error and ends in exit code 1. Warnings: links
    that lead nowhere, absolute paths of one user, secrets, @path imports of other
    tools, @include where it is no directive, a link that became text, files that any
    user may write. Nothing is written to standard output.

    \b
    Examples:
      mewctl instructions check
      mewctl instructions check --no-user --fail-on warning --diagnostics github
    """
    if options["diagnostics"] == "jsonl":
        ctx.meta["mewctl.format"] = "jsonl"
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from mewctl.commands.instructions.rendering import Session, judge, tell
    from mewctl.errors import Exit, Negative
    from mewctl.instructions.checking import warned

    with Session(options) as session:
        rendering = session.render()
        found = tuple(warned(rendering.parts, session.exists))
    tell((*rendering.findings, *found), options)
    judge(rendering, options)
    if found and options["fail_on"] == "warning":
        count = "1 warning" if len(found) == 1 else f"{len(found)} warnings"
        raise Negative(what=f"{count}; mend them, or check with --fail-on error")
    return Exit.DONE
