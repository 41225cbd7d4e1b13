"""``mewctl help [TOPIC]``: what belongs to no single command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mewctl.errors import MEANING
from mewctl.history.formats import NAMES as FORMATS
from mewctl.transcripts import NAMES as TRANSCRIPTS

if TYPE_CHECKING:
    from collections.abc import Callable

PIPELINES = """\
Each command reads and writes JSONL, so that they compose:

  mewctl convert --from claude-code < transcript.jsonl > history.jsonl
  mewctl spill < history.jsonl | mewctl compact --window 200000 > next.jsonl
  mewctl repair --check < history.jsonl
  mewctl tokens < history.jsonl
  mewctl compact --emit summary < transcript.jsonl > handover.md
  mewctl recall --list
  mewctl session resume $S --to anthropic | agent | mewctl session append $S
"""


def _exit_codes() -> str:
    rows = [f"{int(code):>4}  {words}" for code, words in MEANING.items()]
    closing = "New codes may be added; treat an unknown one as a failure."
    return "\n".join(["Exit codes:", "", *rows, "", closing, ""])


def _formats() -> str:
    return (
        "Message formats (read, written, filtered in place): "
        + ", ".join(FORMATS)
        + "\nTranscripts of agents (read only): "
        + ", ".join(TRANSCRIPTS)
        + "\n\n--from auto tells them apart by content. A filter gives back the format"
        "\nit was given; a transcript comes out as mew unless --to says otherwise.\n"
    )


TOPICS: dict[str, Callable[[], str]] = {
    "exit-codes": _exit_codes,
    "formats": _formats,
    "pipelines": PIPELINES.strip,
}


@click.command("help")
@click.argument(
    "topic", required=False, type=click.Choice(tuple(TOPICS)), metavar="[TOPIC]"
)
@click.pass_context
def help_(ctx: click.Context, topic: str | None) -> None:
    """Explain a topic, such as exit-codes.

    Topics: exit-codes, formats, pipelines. Without one, the help of mewctl itself.
    """
    if topic is None:
        click.echo(ctx.find_root().get_help())
        return
    click.echo(TOPICS[topic]().rstrip())
