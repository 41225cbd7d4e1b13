"""Options that several commands share, each defined once, as decorators."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mewctl import limits
from mewctl.commands.completing import complete_sessions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mewctl.streams.records import OnBad

F = TypeVar("F", bound="Callable[..., Any]")

# Names of formats, transcripts and tokenizer families, spelled here so that --help
# imports no registry; a test compares.
MESSAGE_FORMATS = ("mew", "anthropic", "openai", "responses")
TRANSCRIPTS = (
    *("claude-code", "codex", "gemini-cli", "pi", "openhands", "swe-agent"),
    *("kimi-cli", "qwen-code", "copilot-cli"),
)
FAMILIES = (
    "openai-o200k",
    "openai-cl100k",
    "claude-3-to-4.6",
    "claude-4.7-and-later",
    "gemini",
    "qwen3",
    "deepseek",
    "llama3",
)


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
        if number >= 2**53:
            self.fail(f"{value!r} is too large", param, ctx)
        if not self.minimum <= number or number != int(number):
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


class _Named(click.ParamType[str]):
    """A text that names something: not empty, and without NUL."""

    name = "name"
    direction = ""  # of a file: input or output, which are kept apart

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The name, as it is."""
        if not isinstance(value, str) or not value or "\0" in value:
            self.fail(f"{value!r} is no {self.name}", param, ctx)
        return value


class SessionName(_Named):
    """The name of a session: an id, a beginning of one, or a path."""

    name = "session"


class Directory(_Named):
    """The path of a directory."""

    name = "directory"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        """Directories, by the shell."""
        return click.Path(file_okay=False).shell_complete(ctx, param, incomplete)


class StoreRoot(Directory):
    """The root of a project whose ``.mewcode`` the command uses as its store."""

    is_store = True


class InputFile(_Named):
    """The path of a file that is read; ``-`` for standard input."""

    name = "file"
    direction = "input"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[Any]:
        """Files, by the shell."""
        return click.Path().shell_complete(ctx, param, incomplete)


class OutputFile(InputFile):
    """The path of a file that is written; ``-`` for standard output."""

    direction = "output"


class InsteadFile(OutputFile):
    """One that is written in the place of the command's usual output."""

    instead = True


FILES_HELP = "Files to read, one after the other; none, or -, is standard input."

files_argument = click.argument(
    "files",
    nargs=-1,
    type=InputFile(),
    metavar="[FILE]...",
    help=FILES_HELP,
)

output_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OutputFile(),
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

strict_option = click.option(
    "--strict",
    is_flag=True,
    show_envvar=True,
    help="Fail on anything skipped or damaged, instead of reporting it.",
)

transcript_options = chain(
    click.option(
        "--full",
        is_flag=True,
        show_envvar=True,
        help="Read a transcript from its beginning, not from its last compaction.",
    ),
    click.option(
        "--sidechains",
        is_flag=True,
        show_envvar=True,
        help="Include the records of sub-agents.",
    ),
    strict_option,
)


def on_bad(options: Mapping[str, Any]) -> OnBad:
    """What becomes of a bad record: with ``--strict`` none is skipped."""
    wish: OnBad = "fail" if options.get("strict") else options["on_bad"]
    return wish


def _root_option(kind: Directory) -> Callable[[F], F]:
    return click.option(
        "--root",
        metavar="DIR",
        type=kind,
        envvar="MEWCTL_ROOT",
        show_envvar=True,
        help="The project root (default: the nearest ancestor with .mewcode or .git).",
    )


root_option = _root_option(StoreRoot())

#: The same for a command that only reads the project.
project_option = _root_option(Directory())

state_options = chain(
    click.option(
        "-s",
        "--session",
        metavar="S",
        type=SessionName(),
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
        type=Directory(),
        show_envvar=True,
        help="The spill directory (default: ROOT/.mewcode/spill).",
    ),
    root_option,
)

format_option = click.option(
    "--format",
    "format_",
    metavar="table|jsonl",
    type=click.Choice(("table", "jsonl")),
    show_envvar=True,
    help="A table for people, or JSON lines (default: a table on a terminal).",
)

color_option = click.option(
    "--color",
    metavar="auto|always|never",
    type=click.Choice(("auto", "always", "never")),
    envvar="MEWCTL_COLOR",
    show_envvar=True,
    help="Colours of the table (default: that of mewctl itself, which is auto).",
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

redact_option = click.option(
    "--no-redact",
    is_flag=True,
    show_envvar=True,
    help="Show what looks like a secret in beginnings of texts, instead of masking it.",
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
        type=click.Choice(FAMILIES),
        show_envvar=True,
        help="The tokenizer family to estimate with (default: from the model): "
        + ", ".join(FAMILIES)
        + ".",
    ),
)
