"""Options that the commands about instructions share."""

from __future__ import annotations

from typing import Any

import click

from mewctl import limits
from mewctl.commands.options import (
    Count,
    Directory,
    chain,
    project_option,
    quiet_option,
)

# Spelled here so that --help imports nothing; a test compares.
LAYERS = ("project", "local", "user")
FILE = "MEWCODE.md"


class FileName(click.ParamType[str]):
    """The name of a file, not a path: it may not lead anywhere."""

    name = "file name"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The name as it is."""
        name = str(value)
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            self.fail(
                f"{value!r} is a path or empty; give the name of a file", param, ctx
            )
        try:
            name.encode()
        except UnicodeEncodeError:
            self.fail("the name is not UTF-8", param, ctx)
        return name


layer_options = chain(
    project_option,
    click.option(
        "--layer",
        "layers",
        metavar="|".join(LAYERS),
        type=click.Choice(LAYERS),
        multiple=True,
        help="Only this layer: ROOT, ROOT/.mewcode or ~/.mewcode; may be given again.",
    ),
    click.option("--no-user", is_flag=True, help="Leave the user layer out."),
    click.option(
        "--name",
        metavar="FILE",
        type=FileName(),
        default=FILE,
        show_default=True,
        help="What the file of a layer is called, such as AGENTS.md.",
    ),
)

guard_options = chain(
    click.option(
        "--allow-root",
        "allow",
        metavar="DIR",
        type=Directory(),
        multiple=True,
        help="Let includes lead into DIR, too; may be given again.",
    ),
    click.option(
        "--max-file",
        metavar="BYTES",
        type=Count(1),
        default=limits.INCLUDE_FILE,
        show_default=True,
        help="Refuse a larger file.",
    ),
    click.option(
        "--max-total",
        metavar="BYTES",
        type=Count(1),
        default=limits.INCLUDE_TOTAL,
        show_default=True,
        help="Refuse what goes beyond this, all files together.",
    ),
    click.option(
        "--repeat",
        is_flag=True,
        help="Expand a file again where it is included again.",
    ),
)

telling_options = chain(
    click.option(
        "--diagnostics",
        metavar="text|jsonl|github",
        type=click.Choice(("text", "jsonl", "github")),
        default="text",
        show_default=True,
        help="How findings are told on standard error.",
    ),
    click.option(
        "--verbose",
        is_flag=True,
        help="Tell where a path leads in full, which may name the user.",
    ),
    quiet_option,
)

#: The same flag as ``commands.options.lang_option``, for text that no user wrote.
comment_lang_option = click.option(
    "--lang",
    metavar="auto|en|zh",
    type=click.Choice(("auto", "en", "zh")),
    default="auto",
    show_default=True,
    envvar="MEWCTL_LANG",
    show_envvar=True,
    help="The language of the comments that mewctl puts in; auto is English.",
)
