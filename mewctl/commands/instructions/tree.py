"""``mewctl instructions tree``: what is included where, and what it weighs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.instructions.options import (
    comment_lang_option,
    guard_options,
    layer_options,
    telling_options,
)
from mewctl.commands.options import output_option

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("tree", short_help="Show the tree of includes, with bytes and tokens.")
@click.option(
    "--format",
    "format_",
    metavar="table|jsonl",
    type=click.Choice(("table", "jsonl")),
    help="A table for people, or JSON objects (default: a table on a terminal).",
)
@layer_options
@guard_options
@telling_options
@comment_lang_option
@output_option
@click.pass_context
def tree(ctx: click.Context, /, **options: Any) -> int:
    r"""Show the tree of includes, with bytes and tokens.

    A row for each layer, then one for each file in the order of the text. Tokens are
    estimates; those of a layer are of its text with includes put in.

    \b
    Examples:
      mewctl instructions tree
      mewctl instructions tree --format jsonl | jq -r 'select(.bytes > 10000) | .file'
    """
    if options["format_"] == "jsonl" or options["diagnostics"] == "jsonl":
        ctx.meta["mewctl.format"] = "jsonl"
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from mewctl.commands.instructions.rendering import (
        Session,
        files,
        nothing,
        tell,
    )
    from mewctl.commands.notes import note
    from mewctl.errors import Exit
    from mewctl.instructions.tree import rows, table
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.stdio import Output, stdout_is_terminal
    from mewctl.tokens.estimator import Estimator

    with Session(options) as session:
        rendering = session.render()
    tell(rendering.findings, options)
    if not rendering.parts and not options["quiet"]:
        note(nothing(options))
    estimator = Estimator()
    found = list(rows(rendering.parts, lambda text: round(estimator.text(text))))
    as_table = options["format_"] == "table"
    if options["format_"] is None:
        as_table = options["output"] in (None, "-") and stdout_is_terminal()
    with Output(options["output"], files(rendering)) as out:
        if as_table:
            out.write("".join(f"{row}\n" for row in table(found)).encode())
        else:
            out.write(b"".join(dumps(row) + b"\n" for row in found))
    return Exit.DONE
