"""``mewctl instructions render``: the project's instructions as one Markdown text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.instructions.options import (
    comment_lang_option,
    guard_options,
    layer_options,
    telling_options,
)
from mewctl.commands.options import Count, InputFile, output_option

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mewctl.instructions.render import Rendering


@click.command(
    "render", short_help="Print the project's instructions, includes put in."
)
@click.option("--jsonl", is_flag=True, help="Write a system message, for a pipeline.")
@click.option(
    "--check",
    metavar="FILE",
    type=InputFile(),
    help="Exit 1 with a diff if FILE is not what would be rendered; implies --strict.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit 1, and write nothing, if an include is not expanded.",
)
@click.option("--annotate", is_flag=True, help="Name each layer in a comment.")
@click.option(
    "--max-bytes",
    metavar="N",
    type=Count(1),
    help="Leave whole blocks out, of the lowest priority first, to fit N bytes.",
)
@layer_options
@guard_options
@telling_options
@comment_lang_option
@output_option
@click.pass_context
def render(ctx: click.Context, /, **options: Any) -> int:
    r"""Print the project's instructions, includes put in.

    Layers by priority: ROOT/MEWCODE.md, ROOT/.mewcode/MEWCODE.md and
    ~/.mewcode/MEWCODE.md. A line that begins with @include PATH, outside code, is
    replaced by that file, or by a part of it: PATH:10-20 (lines), PATH#heading (a
    section). The user layer is left out where -o or --check names a file in the root.

    \b
    Examples:
      mewctl instructions render
      mewctl instructions render -o AGENTS.md
      mewctl instructions render --check AGENTS.md
      mewctl instructions render --jsonl | cat - history.jsonl | mewctl tokens
    """
    if options["check"] is not None and options["jsonl"]:
        raise click.UsageError("--check compares Markdown; leave --jsonl out")
    if options["check"] is not None and options["output"]:
        raise click.UsageError("--check writes a diff; leave -o out")
    if options["diagnostics"] == "jsonl":
        ctx.meta["mewctl.format"] = "jsonl"
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from mewctl.commands.instructions.rendering import (
        Session,
        files,
        judge,
        nothing,
        tell,
    )
    from mewctl.commands.notes import note
    from mewctl.errors import Exit, NotFound
    from mewctl.streams.stdio import Output

    with Session(options, options["check"] or options["output"]) as session:
        rendering = session.render()
    tell([*rendering.findings, *_imports(rendering)], options)
    if options["strict"] or options["check"] is not None:
        judge(rendering, options)
    elif not rendering.parts:
        if options["output"] not in (None, "-"):  # it may hold what was rendered once
            raise NotFound(what=nothing(options), remedy="or check --root")
        if not options["quiet"]:
            note(nothing(options))
    if options["check"] is not None:
        return _check(rendering, options["check"])
    with Output(options["output"], files(rendering)) as out:
        out.write(_written(rendering, options))
    return Exit.DONE


def _imports(rendering: Rendering) -> Iterator[Any]:
    """Findings about imports of other tools, which stay as they are."""
    from mewctl.instructions.checking import sources
    from mewctl.instructions.findings import Finding
    from mewctl.instructions.foreign import imports

    for layer, node, source in sources(rendering.parts):
        for kind, line, why in imports(source):
            yield Finding(kind, node.file, line, why, layer=layer)


def _written(rendering: Rendering, options: Mapping[str, Any]) -> bytes:
    if not options["jsonl"]:
        return rendering.text.encode()
    if not rendering.text:
        return b""
    from mewctl.streams.jsonvalue import dumps

    return dumps({"role": "system", "content": rendering.text}) + b"\n"


def _check(rendering: Rendering, path: str) -> int:
    """Compare FILE with what would be rendered; a diff if it is another."""
    from difflib import unified_diff

    from mewctl import limits
    from mewctl.commands.notes import note
    from mewctl.errors import Exit
    from mewctl.streams.beneath import read_regular
    from mewctl.streams.stdio import Output

    old, new = read_regular(path, limits.MAX_RECORD), rendering.text.encode()
    if old == new:
        return Exit.DONE
    if old.replace(b"\r\n", b"\n") == new:
        note(f"{path}: differs in its line ends alone; write it with line feeds")
        return Exit.NO
    before, after = _lines(old), _lines(new)
    diff = unified_diff(before, after, path, f"{path} (rendered)")
    with Output() as out:
        for line in diff:
            end = "" if line.endswith("\n") else "\n\\ No newline at end of file\n"
            out.write(f"{line}{end}".encode(errors="surrogateescape"))
    note(f"{path}: not what would be rendered; write it with render -o {path}")
    return Exit.NO


def _lines(data: bytes) -> list[str]:
    """Lines of any bytes with their ends, to compare and to give back as they are."""
    return data.decode(errors="surrogateescape").splitlines(keepends=True)
