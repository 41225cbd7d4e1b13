"""``mewctl help [TOPIC]``: what belongs to no single command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

#: The words of help, docs and code, and what they mean.
WORDS = {
    "record": "one line of JSONL",
    "history": "the ordered messages a model would be sent",
    "transcript": "an agent's own log on disk, which mewctl only reads",
    "format": "the wire shape of messages, such as anthropic or openai",
    "turn": "a user message and everything up to the next user message",
    "spill": "move an oversized body out of the history into a file",
    "preview": "what stands in the history for a spilled body",
    "ledger": "the record of spill decisions: kept or replaced, never flipped",
    "compaction": "replace old history by a summary message and a verbatim tail",
    "facts": "what code extracts: user words, files, commands, errors, todos",
    "summary": "the text in nine sections that stands for the dropped history",
    "tail": "the recent messages that are kept verbatim",
    "boundary": "where a compaction cut; its id recalls everything dropped there",
    "recovery attachment": "recently read files, tools at hand, and a notice",
    "anchor": "the last usage a provider reported, and the messages it covers",
    "floor": "what no compaction can remove: system text, tools, the minimal tail",
    "provider": "who writes the prose of a summary",
}


_TERMINAL = 80  # columns


def _words() -> str:
    from textwrap import wrap

    width = max(map(len, WORDS)) + 2
    return "\n".join(
        line
        for word, meaning in WORDS.items()
        for line in wrap(
            meaning,
            _TERMINAL,
            initial_indent=word.ljust(width),
            subsequent_indent=" " * width,
        )
    )


def _exit_codes() -> str:
    rows = [f"{int(code):>4}  {words}" for code, words in MEANING.items()]
    closing = "New codes may be added; treat an unknown one as a failure."
    return "\n".join(["Exit codes:", "", *rows, "", closing, ""])


TOPICS: dict[str, Callable[[], str]] = {
    "exit-codes": _exit_codes,
    "formats": format_names.text,
    "pipelines": PIPELINES.strip,
    "words": _words,
}


class Topic(click.Choice[str]):
    """A topic; of a command, where its help is."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The topic's name."""
        root = ctx and ctx.find_root().command
        commands = (
            root.list_commands(ctx) if ctx and isinstance(root, click.Group) else ()
        )
        if value in commands and value not in TOPICS:
            self.fail(f"{value} is a command: see mewctl {value} --help", param, ctx)
        return super().convert(value, param, ctx)


@click.command("help")
@click.argument(
    "topic",
    required=False,
    type=Topic(tuple(TOPICS)),
    metavar="[TOPIC]",
    help=f"What to explain: {', '.join(TOPICS)}.",
)
@click.pass_context
def help_(ctx: click.Context, topic: str | None) -> None:
    r"""Explain a topic, such as exit-codes.

    Without a topic, the help of mewctl itself.

    \b
    Examples:
      mewctl help exit-codes
      mewctl help formats
    """
    if topic is None:
        click.echo(ctx.find_root().get_help())
        return
    click.echo(TOPICS[topic]().rstrip())
