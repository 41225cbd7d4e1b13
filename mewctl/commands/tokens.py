"""``mewctl tokens``: how big a context is, and what fills it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.options import (
    FILES_HELP,
    Count,
    InputFile,
    color_option,
    input_options,
    model_options,
    output_option,
    quiet_option,
    redact_option,
    transcript_options,
)
from mewctl.commands.providing import endpoint_options

if TYPE_CHECKING:
    from collections.abc import Mapping


def _file_or_command(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[Any]:
    """Files for TAB, and a command of ours once a letter of it is there.

    Not before: bash offers no files beside a word that fits.
    """
    from click.shell_completion import CompletionItem

    above: Any = ctx.find_root().command
    below = above.registry["tokens"].commands
    fitting = [name for name in below if incomplete and name.startswith(incomplete)]
    if ctx.params.get(param.name or "") or not fitting:
        return param.type.shell_complete(ctx, param, incomplete)
    return [CompletionItem(name, help=below[name].help) for name in fitting]


@click.command("tokens", short_help="Estimate tokens and show what fills the context.")
@click.argument(
    "files",
    nargs=-1,
    type=InputFile(),
    metavar="[FILE]...",
    help=FILES_HELP,
    shell_complete=_file_or_command,
)
@click.option("--text", is_flag=True, help="Count plain text, not a history.")
@click.option(
    "--check",
    is_flag=True,
    help="Exit 1 at or over the threshold, or over --max-bytes.",
)
@click.option(
    "--exact",
    is_flag=True,
    show_envvar=True,
    help="Ask the provider's count endpoint: SENDS the history to it. The key comes"
    " from the environment.",
)
@click.option("--messages", is_flag=True, help="Add a line about every message.")
@click.option(
    "--biggest",
    metavar="N",
    type=click.IntRange(0, 10_000),
    default=limits.BIGGEST,
    show_default=True,
    show_envvar=True,
    help="How many of the biggest items to name.",
)
@click.option(
    "--anchor",
    metavar="TOKENS:MESSAGES",
    show_envvar=True,
    help="What a provider counted for how many first messages, such as 48000:120.",
)
@click.option(
    "--max-bytes",
    metavar="BYTES",
    type=Count(1),
    default=limits.MAX_REQUEST_BYTES,
    show_default=True,
    show_envvar=True,
    help="The largest request that the provider takes.",
)
@click.option(
    "--format",
    "format_",
    metavar="table|jsonl",
    type=click.Choice(("table", "jsonl")),
    show_envvar=True,
    help="A table for people, or one JSON object (default: a table on a terminal).",
)
@color_option
@model_options
@input_options
@transcript_options
@redact_option
@endpoint_options
@output_option
@quiet_option
def tokens(**options: Any) -> int:
    r"""Estimate tokens and show what fills the context.

    One JSON object: tokens by class and by tool, the biggest items, the distance to
    the threshold of compact. Nothing leaves this machine without --exact, which asks
    a Messages API; "method" says which it was, and "fallback" why it is an estimate
    after all. A file called timeline is ./timeline.

    \b
    Examples:
      mewctl tokens < history.jsonl | jq .classes
      mewctl tokens --check --window 200000 < history.jsonl
      mewctl tokens --text README.md
    """
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from mewctl.commands.counting import count_history, count_text
    from mewctl.commands.notes import note
    from mewctl.errors import Exit
    from mewctl.tokens.report import reasons

    report = count_text(options) if options["text"] else count_history(options)
    _write(options, report)
    found = reasons(report)
    if not options["check"]:
        return Exit.DONE
    for words in found:
        note(words)
    return Exit.NO if found else Exit.DONE


def _write(options: Mapping[str, Any], report: Mapping[str, Any]) -> None:
    from mewctl.commands.screen import as_table, colored
    from mewctl.streams.stdio import Output

    if as_table(options):
        from mewctl.commands.tokens_table import rows

        lines = rows(report, color=colored(options))
        data = "".join(f"{line}\n" for line in lines).encode()
    else:
        from mewctl.streams.jsonvalue import dumps

        data = dumps(report) + b"\n"
    with Output(options["output"], options["files"]) as out:
        out.write(data)
