"""``mewctl session grep``: messages of all sessions, by what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.completing import complete_sessions
from mewctl.commands.options import quiet_option
from mewctl.commands.session.options import place_options

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

    from mewctl.session.layout import Layout


@click.command("grep", short_help="Search the messages of sessions.")
@click.argument("pattern", metavar="PATTERN", help="A regular expression.")
@click.argument(
    "references",
    nargs=-1,
    metavar="[S]...",
    shell_complete=complete_sessions,
    help="Where to look; all sessions if none is named.",
)
@click.option(
    "-i", "--ignore-case", is_flag=True, show_envvar=True, help="Case does not matter."
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1),
    default=limits.GREP_ROWS,
    show_default=True,
    show_envvar=True,
    help="Stop after so many lines.",
)
@place_options
@quiet_option
def grep(**options: Any) -> int:
    r"""Search the messages of sessions.

    PATTERN is a regular expression. Searches what was said, called and answered, each
    message once, the newest session first. Exit 1 if nothing matches.

    \b
    Examples:
      mewctl session grep 'checksum mismatch'
      mewctl session grep -i timeout latest | jq -r .excerpt
    """
    return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    import re

    from mewctl.commands.notes import note
    from mewctl.commands.session.finding import session_of
    from mewctl.errors import Exit, MewError
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.stdio import Output

    flags = re.IGNORECASE if options["ignore_case"] else 0
    try:
        pattern = re.compile(options["pattern"], flags)
    except (re.error, RecursionError, OverflowError) as error:
        raise click.UsageError(f"no regular expression: {error}") from None
    named = [session_of({**options, "reference": r}) for r in options["references"]]
    left = options["limit"]
    code = Exit.NO
    with Output() as out:
        for layout in named or _all(options):
            try:
                for hit in _hits(layout, pattern):
                    code = Exit.DONE
                    if not left:
                        note(f"more than {options['limit']} lines match; see --limit")
                        return code
                    left -= 1
                    out.write(dumps(hit) + b"\n")
            except MewError as error:
                note(f"{layout.id}: {error}")
                if named:
                    raise
    return code


def _all(options: Mapping[str, Any]) -> list[Layout]:
    """All sessions, those written last first."""
    import os

    from mewctl.commands.session.finding import sessions_of
    from mewctl.session.layout import LOG, Layout
    from mewctl.store.listing import units

    directory = sessions_of(options)
    found = sorted(units(directory, LOG), key=lambda unit: (-unit.mtime, unit.name))
    return [Layout(os.path.join(directory, unit.name)) for unit in found]


def _hits(layout: Layout, pattern: re.Pattern[str]) -> Iterator[dict[str, Any]]:
    from mewctl.history.formats import mew
    from mewctl.session.reading import LogReader
    from mewctl.session.texts import texts
    from mewctl.spill.search import excerpt
    from mewctl.transcripts import Report

    with LogReader(layout.log) as reader:
        for number, (_, value) in enumerate(reader.everything(Report()), 1):
            message = mew.view(value)
            for text in texts(message):
                for line in text.split("\n"):
                    match = pattern.search(line)
                    if match:
                        yield {
                            "session": layout.id,
                            "message": number,
                            "role": message.role,
                            "excerpt": excerpt(line, *match.span()),
                        }
