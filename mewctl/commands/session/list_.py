"""``mewctl session list``: the sessions of a store, the newest activity first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.options import quiet_option, redact_option
from mewctl.commands.session.options import Moment, format_option, place_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.session.catalogue import Row


@click.command("list", short_help="List sessions, the newest activity first.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1),
    default=limits.SESSION_ROWS,
    show_default=True,
    show_envvar=True,
    help="Show so many.",
)
@click.option("--all", "all_", is_flag=True, show_envvar=True, help="Show all of them.")
@click.option(
    "--since",
    metavar="WHEN",
    type=Moment(),
    show_envvar=True,
    help="Only those active since a date (UTC) or an age, such as 2026-11-30 or 7d.",
)
@click.option(
    "--until",
    metavar="WHEN",
    type=Moment(),
    show_envvar=True,
    help="Only those not active after a date (UTC) or an age.",
)
@click.option(
    "--grep",
    metavar="PATTERN",
    show_envvar=True,
    help="Only those whose title or id matches a regular expression.",
)
@format_option
@place_options
@redact_option
@quiet_option
def list_(**options: Any) -> None:
    r"""List sessions, the newest activity first.

    A title is the first message of the user, unless one was set. What cannot be read
    is listed with the reason.

    \b
    Examples:
      mewctl session list
      mewctl session list --all --since 7d | jq -r .id
      mewctl session list --grep upload
    """
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    import time
    from dataclasses import replace

    from mewctl.commands.notes import note
    from mewctl.commands.session.finding import sessions_of
    from mewctl.commands.session.table import ago, bytes_words, show
    from mewctl.session.catalogue import newest
    from mewctl.streams.secrets import mask

    chosen = any(options[name] is not None for name in ("since", "until", "grep"))
    whole = options["all_"] or chosen
    rows, count = newest(sessions_of(options), None if whole else options["limit"])
    rows = [row for row in rows if _wanted(row, options)]
    matching = len(rows)
    if not options["all_"]:
        rows = rows[: options["limit"]]
    if not options["no_redact"]:
        rows = [replace(row, title=mask(row.title)) for row in rows]
    now = time.time()
    cells = [
        (
            row.id,
            row.title if not row.problem else f"[{row.problem}]",
            row.model,
            ago(now - row.active),
            bytes_words(row.size) + (" pinned" if row.pinned else ""),
        )
        for row in rows
    ]
    heads = ("id", "title", "model", "active", "size")
    show(options["format_"], map(_record, rows), heads, cells)
    left = (matching if chosen else count) - len(rows)
    if left > 0 and not options["quiet"]:
        note(f"{left} more; see --limit and --all")


def _wanted(row: Row, options: Mapping[str, Any]) -> bool:
    import re

    since, until, pattern = options["since"], options["until"], options["grep"]
    if since is not None and row.active < since:
        return False
    if until is not None and row.active > until:
        return False
    if pattern is None:
        return True
    try:
        return re.search(pattern, f"{row.id}\n{row.title}", re.IGNORECASE) is not None
    except (re.error, RecursionError, OverflowError) as error:
        raise click.UsageError(f"--grep: no regular expression: {error}") from None


def _record(row: Row) -> dict[str, Any]:
    value: dict[str, Any] = {
        "type": "session",
        "id": row.id,
        "title": row.title,
        "active": row.active,
        "bytes": row.size,
    }
    optional: dict[str, Any] = {
        "model": row.model,
        "created": row.created,
        "pinned": row.pinned,
        "problem": row.problem,
    }
    return value | {key: item for key, item in optional.items() if item}
