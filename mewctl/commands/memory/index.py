"""``mewctl memory index``: the notes for a context, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.memory.options import place_options
from mewctl.commands.options import Count, quiet_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.memory.frontmatter import Value
    from mewctl.memory.note import Note


@click.command("index", short_help="Print the index of notes for a context.")
@click.option(
    "--max-bytes",
    metavar="BYTES",
    type=Count(),
    default=limits.INDEX_MAX,
    show_default=True,
    show_envvar=True,
    help="What is worth least falls off beyond this; a last line says how many.",
)
@click.option(
    "--query",
    metavar="TEXT",
    show_envvar=True,
    help="Only the notes that matter for a task.",
)
@click.option(
    "--top",
    metavar="K",
    type=click.IntRange(1),
    default=limits.INDEX_TOP,
    show_default=True,
    show_envvar=True,
    help="So many of them at most, with --query.",
)
@click.option(
    "--jsonl",
    is_flag=True,
    show_envvar=True,
    help="One system message with the index, instead of Markdown.",
)
@click.option(
    "--hash", "hash_", is_flag=True, show_envvar=True, help="Print the hash alone."
)
@click.option(
    "--if-changed",
    metavar="HASH",
    show_envvar=True,
    help="Print nothing if the index still has this hash.",
)
@click.option(
    "--mark-used",
    is_flag=True,
    show_envvar=True,
    help="Record that the printed notes were used, for their value.",
)
@click.option(
    "--ages",
    is_flag=True,
    show_envvar=True,
    help="Tell how old a note is; then the index is another one every day.",
)
@place_options
@quiet_option
def index(**options: Any) -> None:
    r"""Print the index of notes for a context.

    One line each: the project's notes, then the user's, always in the same order, so
    that a provider's prompt cache keeps its prefix. Read fresh from the files. Notes
    that rest on tool output are left out until memory approve.

    \b
    Examples:
      mewctl memory index
      mewctl memory index --jsonl --mark-used > system.jsonl
      mewctl memory index --if-changed "$(mewctl memory index --hash)"
    """
    if options["hash_"] and (options["jsonl"] or options["mark_used"]):
        raise click.UsageError("--hash uses no note and is no message")
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    import time

    from mewctl.commands.memory.places import gathered
    from mewctl.instructions.prompt import content_hash
    from mewctl.memory.index import kept, rendered
    from mewctl.streams.jsonvalue import dumps, utf8
    from mewctl.streams.stdio import Output

    notes, found = gathered(options)
    if options["query"]:
        from mewctl.commands.memory.querying import matching

        notes = matching(notes, found, options["query"], options["top"])
    now = time.time() if options["ages"] else None
    most = options["max_bytes"]
    text = rendered(notes, most, now)
    mark = content_hash(utf8(text))
    if options["hash_"]:
        data = f"{mark}\n".encode()
    elif not text or options["if_changed"] == mark:
        data = b""
    elif options["jsonl"]:
        data = dumps({"role": "system", "content": text}) + b"\n"
    else:
        data = utf8(text)
    with Output() as out:
        out.write(data)
    if options["mark_used"] and data:
        _mark(kept(notes, most, now), options)


def _mark(used: list[Note], options: Mapping[str, Any]) -> None:
    """Record the use of notes that are still what was printed."""
    from mewctl.commands.memory.acting import change
    from mewctl.memory.frontmatter import BadFrontmatter
    from mewctl.memory.writes import Write, with_fields

    wanted = {(note.level, note.file): note.hash for note in used}

    def decide(notes: list[Note], time: str) -> list[Write]:
        writes = []
        for note in notes:
            if wanted.get((note.level, note.file)) != note.hash or note.problem:
                continue  # it is another note now, or one whose file is not ours
            values: dict[str, Value | None] = {
                "last_used": time,
                "uses": note.uses + 1,
            }
            try:
                writes.append(Write("used", note, with_fields(note, values)))
            except BadFrontmatter:
                continue  # fields in a form that is left alone
        return writes

    change(options, "index", decide)
