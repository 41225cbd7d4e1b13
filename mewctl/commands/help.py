"""``mewctl help [TOPIC]``: what belongs to no single command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mewctl.commands import format_names
from mewctl.errors import MEANING

if TYPE_CHECKING:
    from collections.abc import Callable

PIPELINES = """\
Each command reads and writes JSONL, so that they compose.

From an agent's transcript to a history that fits a window:

  mewctl convert --from claude-code < transcript.jsonl > history.jsonl
  mewctl spill < history.jsonl | mewctl compact --window 200000 > next.jsonl

What fills it, and whether its API would take it:

  mewctl tokens < next.jsonl
  mewctl repair --check < next.jsonl

To another model: a valid history, or one request body:

  mewctl convert --to openai < next.jsonl > chat.jsonl
  mewctl convert --to anthropic --request < next.jsonl > body.json

To a colleague or the next agent, in Markdown:

  mewctl compact --emit summary < transcript.jsonl > handover.md

Back from what left the history:

  mewctl recall --list
  mewctl recall --grep 'checksum mismatch' --limit 3
"""


def _exit_codes() -> str:
    rows = [f"{int(code):>4}  {words}" for code, words in MEANING.items()]
    closing = "New codes may be added; treat an unknown one as a failure."
    return "\n".join(["Exit codes:", "", *rows, "", closing, ""])


TOPICS: dict[str, Callable[[], str]] = {
    "exit-codes": _exit_codes,
    "formats": format_names.text,
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
