"""Options that several commands share, each defined once, as decorators."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mewctl import limits
from mewctl.commands.completing import complete_sessions

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")

# Names of formats and transcripts, spelled here so that --help imports no registry;
# a test compares.
MESSAGE_FORMATS = ("mew", "anthropic", "openai", "responses")
TRANSCRIPTS = ("claude-code", "codex", "gemini-cli", "pi")


def chain(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Several decorators as one, in the order they are given."""

    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


class Count(click.ParamType[int]):
    """A number with an optional k, M or G (decimal): ``200k``, ``1M``, ``50000``."""

    name = "count"

    def __init__(self, minimum: int = 0) -> None:
        self.minimum = minimum

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The number as an integer."""
        if isinstance(value, int):
            number: float = value
        else:
            text = str(value).strip().replace("_", "")
            scale = {"k": 10**3, "m": 10**6, "g": 10**9}.get(text[-1:].lower(), 1)
            try:
                number = float(text[:-1] if scale > 1 else text) * scale
            except ValueError:
                self.fail(
                    f"{value!r} is not a number such as 50000, 200k or 1M", param, ctx
                )
        if not self.minimum <= number < 2**53 or number != int(number):
            self.fail(
                f"{value!r} is not a whole number from {self.minimum} up", param, ctx
            )
        return int(number)


class Share(click.FloatRange):
    """A part of one between two bounds; ``nan`` is between none."""

    name = "share"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


files_argument = click.argument(
    "files", nargs=-1, type=click.Path(), metavar="[FILE]..."
)

output_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(),
    help="Write to FILE, replaced as a whole, instead of standard output.",
)

input_options = chain(
    click.option(
        "--from",
        "from_",
        metavar="FORMAT",
        type=click.Choice(("auto", *MESSAGE_FORMATS, *TRANSCRIPTS)),
        default="auto",
        show_default=True,
        show_envvar=True,
        help="What the input is: "
        + ", ".join(("auto", *MESSAGE_FORMATS, *TRANSCRIPTS))
        + ".",
    ),
    click.option(
        "--on-bad",
        metavar="fail|skip",
        type=click.Choice(("fail", "skip")),
        default="fail",
        show_default=True,
        show_envvar=True,
        help="A record that cannot be read ends the run, or is reported and skipped.",
    ),
    click.option(
        "--max-record",
        metavar="BYTES",
        type=Count(1),
        default=limits.MAX_RECORD,
        show_default=True,
        show_envvar=True,
        help="Refuse a record longer than this.",
    ),
)

transcript_options = chain(
    click.option(
        "--full",
        is_flag=True,
        show_envvar=True,
        help="Read a transcript from its beginning, not from its last boundary.",
    ),
    click.option(
        "--sidechains",
        is_flag=True,
        show_envvar=True,
        help="Include the records of sub-agents.",
    ),
    click.option(
        "--strict",
        is_flag=True,
        show_envvar=True,
        help="Fail on anything skipped or damaged, instead of reporting it.",
    ),
)

state_options = chain(
    click.option(
        "-s",
        "--session",
        metavar="S",
        envvar="MEWCTL_SESSION",
        show_envvar=True,
        shell_complete=complete_sessions,
        help="The session whose store to use: an id, its beginning, latest, or a path.",
    ),
    click.option(
        "-d",
        "--dir",
        "directory",
        metavar="DIR",
        type=click.Path(),
        show_envvar=True,
        help="The spill directory (default: ROOT/.mewcode/spill).",
    ),
    click.option(
        "--root",
        metavar="DIR",
        type=click.Path(),
        envvar="MEWCTL_ROOT",
        show_envvar=True,
        help="The project root (default: the nearest ancestor with .mewcode or .git).",
    ),
)

lang_option = click.option(
    "--lang",
    metavar="auto|en|zh",
    type=click.Choice(("auto", "en", "zh")),
    default="auto",
    show_default=True,
    envvar="MEWCTL_LANG",
    show_envvar=True,
    help="The language of text that mewctl puts in; auto follows the user's messages.",
)

quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    show_envvar=True,
    help="Say nothing on stderr unless something is wrong.",
)

model_options = chain(
    click.option(
        "--window",
        metavar="TOKENS",
        type=Count(1),
        envvar="MEWCTL_WINDOW",
        show_envvar=True,
        help="The model's context window (default: from the model, else 200000).",
    ),
    click.option(
        "--model",
        metavar="NAME",
        envvar="MEWCTL_MODEL",
        show_envvar=True,
        help="The model the history is for (default: the history's own).",
    ),
    click.option(
        "--family",
        metavar="FAMILY",
        show_envvar=True,
        help="The tokenizer family to estimate with (default: from the model).",
    ),
)
