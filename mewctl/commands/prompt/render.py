"""``mewctl prompt render``: the stable beginning of a system prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.instructions.options import (
    comment_lang_option,
    guard_options,
    layer_options,
    telling_options,
)
from mewctl.commands.options import InputFile, output_option

if TYPE_CHECKING:
    from collections.abc import Mapping

# Spelled here so that --help imports nothing; a test compares.
BUILT_IN = ("instructions", "skills", "memory")


@dataclass(frozen=True, slots=True)
class ModuleFile:
    """A module of the user's: what it is called, where it stands, where its text is."""

    name: str
    priority: int
    path: str


class ModuleType(click.ParamType[ModuleFile]):
    """``NAME:PRIORITY=FILE``."""

    name = "module"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> ModuleFile:
        """The module that is named."""
        head, given, path = str(value).partition("=")
        name, _, priority = head.rpartition(":")
        if not (name and path and given) or not priority.isdecimal():
            self.fail(f"{value!r} is not NAME:PRIORITY=FILE", param, ctx)
        if name in BUILT_IN:
            self.fail(
                f"{name!r} is a module of mewctl; choose another name", param, ctx
            )
        return ModuleFile(name, int(priority), path)


@click.command("render", short_help="Print the stable beginning of a system prompt.")
@click.option(
    "--skills",
    metavar="DIR|FILE",
    type=InputFile(),
    help="List the skills DIR/*/SKILL.md, or take the list that stands in FILE.",
)
@click.option(
    "--module",
    "modules",
    metavar="NAME:PRIORITY=FILE",
    type=ModuleType(),
    multiple=True,
    help="Add the text of FILE; a small priority comes first; may be given again.",
)
@click.option("--hash", "hash_", is_flag=True, help="Print only the content's hash.")
@click.option("--jsonl", is_flag=True, help="Write a system message, for a pipeline.")
@click.option(
    "--strict",
    is_flag=True,
    help="Exit 1, and write nothing, if anything could not be put in.",
)
@layer_options
@guard_options
@telling_options
@comment_lang_option
@output_option
@click.pass_context
def render(ctx: click.Context, /, **options: Any) -> int:
    r"""Print the stable beginning of a system prompt.

    Modules, by priority: the project's instructions (80), the skills (90), the index of
    long-term memory, ROOT/.mewcode/memory/MEMORY.md (100), and those of --module. Empty
    ones are left out. The same files give the same bytes. The user layer of the
    instructions is left out where -o names a file in the root.

    \b
    Examples:
      mewctl prompt render --skills .claude/skills > system.md
      mewctl prompt render --module style:85=docs/style.md --jsonl
      test "$(mewctl prompt render --hash)" = "$LAST" || echo changed
    """
    names = [module.name for module in options["modules"]]
    if len(set(names)) < len(names):
        raise click.UsageError("--module: each needs a name of its own")
    if options["hash_"] and options["jsonl"]:
        raise click.UsageError("--hash prints a hash; leave --jsonl out")
    if options["diagnostics"] == "jsonl":
        ctx.meta["mewctl.format"] = "jsonl"
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from mewctl.commands.instructions.rendering import tell
    from mewctl.commands.prompt.modules import gather
    from mewctl.errors import Exit, Negative
    from mewctl.instructions.findings import count_errors
    from mewctl.instructions.prompt import compose
    from mewctl.streams.stdio import Output

    gathered = gather(options)
    tell(gathered.findings, options)
    errors = count_errors(gathered.findings)
    if errors and options["strict"]:
        what = "1 error" if errors == 1 else f"{errors} errors"
        raise Negative(what=f"{what}; mend them, or render without --strict")
    with Output(options["output"], gathered.files) as out:
        out.write(_written(compose(gathered.modules), options))
    return Exit.DONE


def _written(text: str, options: Mapping[str, Any]) -> bytes:
    from mewctl.instructions.prompt import content_hash
    from mewctl.streams.jsonvalue import dumps

    if options["hash_"]:
        return f"{content_hash(text.encode())}\n".encode()
    if not options["jsonl"]:
        return text.encode()
    return dumps({"role": "system", "content": text}) + b"\n" if text else b""
