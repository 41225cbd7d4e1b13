"""``mewctl memory search``: the notes that say something on a subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.memory.options import TYPES, place_options, redact_option
from mewctl.commands.options import format_option, quiet_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.memory.search import Hit
    from mewctl.memory.search_words import Question


_ARMS = ("id", "title", "level", "score", "arms")


@click.command("search", short_help="Search the notes.")
@click.argument("query", metavar="QUERY", help="Words, names, dates, or a question.")
@click.option(
    "--top",
    metavar="K",
    type=click.IntRange(1),
    default=limits.SEARCH_TOP,
    show_default=True,
    show_envvar=True,
    help="Show so many at most.",
)
@click.option(
    "--type",
    "type_",
    metavar="TYPE",
    type=click.Choice(TYPES),
    show_envvar=True,
    help=f"Only notes of one type: {', '.join(TYPES)}.",
)
@click.option(
    "--explain",
    is_flag=True,
    show_envvar=True,
    help="Show what was searched for, and what each arm of the search gave a note.",
)
@place_options
@format_option
@redact_option
@quiet_option
def search(**options: Any) -> int:
    r"""Search the notes.

    The best match comes first. Finds other forms of a word, Chinese, Japanese and
    Korean, identifiers and paths whole or in part, dates however they are written, and
    a "quoted phrase" as it stands. Notes of one session lend each other a little, so
    one may come up for what its neighbour says. Notes that wait for memory approve are
    not searched. Exit 1 if nothing matches.

    \b
    Examples:
      mewctl memory search 'how do we run the tests'
      mewctl memory search --explain --format table SINGLE_LIMIT
      mewctl memory search --top 3 2026-05 | jq -r .path
    """
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from mewctl.commands.memory.places import stores
    from mewctl.commands.memory.querying import searched, tell_unread
    from mewctl.commands.memory.records import HEADS, cells, masked, record
    from mewctl.commands.notes import note
    from mewctl.commands.session.table import show
    from mewctl.errors import Exit

    places, text = stores(options), options["query"]
    found = searched(places, text, options["top"], options["type_"])
    if not options["quiet"]:
        tell_unread(found)
    if options["explain"]:
        note(_asked(found.question))
    rows = []
    for hit in found.hits:
        value = masked(record(hit.note), no_redact=options["no_redact"])
        value["score"] = hit.score
        rows.append(value | ({"arms": dict(hit.arms)} if options["explain"] else {}))
    if options["explain"]:
        shown = [_explained(hit) for hit in found.hits]
    else:
        shown = [cells(hit.note) for hit in found.hits]
    show(options["format_"], rows, _ARMS if options["explain"] else HEADS, shown)
    if found.more and not options["quiet"]:
        note(f"{found.more} more; see --top")
    return Exit.DONE if found.hits else Exit.NO


def _explained(hit: Hit) -> tuple[str, ...]:
    """The cells of a note that say how it was found."""
    from mewctl.commands.memory.records import cells

    id_, _, title, level, *_ = cells(hit.note)
    arms = " ".join(f"{arm}={score:g}" for arm, score in hit.arms.items())
    return id_, title, level, f"{hit.score:g}", arms


def _asked(question: Question) -> str:
    """What was searched for, on one line."""
    parts = {
        "words": " ".join("|".join(terms) for terms in question.words),
        "names": " ".join(question.names),
        "dates": " ".join(question.dates),
        "phrase": " ".join(f'"{text}"' for text in question.phrases),
    }
    return "; ".join(f"{arm}: {text}" for arm, text in parts.items() if text)
