"""``mewctl recall``: what was spilled or dropped, brought back byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.options import color_option, output_option, state_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mewctl.spill.recall import Archive


class Lines(click.ParamType["tuple[int, int | None]"]):
    """A range of lines, counted from 1: ``10:20``, ``10:``, ``:20`` or ``10``."""

    name = "lines"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int | None]:
        """First and last line; None for the end."""
        first, colon, last = str(value).partition(":")
        try:
            start = int(first) if first or not colon else 1
            end = (int(last) if last else None) if colon else start
        except ValueError:
            self.fail(f"{value!r} is not a range such as 10:20", param, ctx)
        if start < 1 or (end is not None and end < start):
            self.fail(f"{value!r} is no range of lines, which count from 1", param, ctx)
        return start, end


@click.command("recall", short_help="Bring back what was spilled or dropped.")
@click.argument(
    "handle",
    metavar="[ID]",
    required=False,
    help="The id of a tool call or the name of a body's file, as a preview names it.",
)
@click.option(
    "--lines",
    metavar="A:B",
    type=Lines(),
    help="Only lines A to B, counted from 1.",
)
@click.option(
    "--boundary",
    metavar="ID",
    help="The messages that the compaction at this boundary dropped.",
)
@click.option(
    "--message",
    metavar="N",
    type=click.IntRange(1),
    help="Only the N-th of them, counted from 1.",
)
@click.option("--list", "list_", is_flag=True, help="List what can be recalled.")
@click.option(
    "--grep",
    metavar="PATTERN",
    help="Search bodies and dropped messages for a regular expression.",
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1),
    default=limits.RECALL_LIMIT,
    show_default=True,
    show_envvar=True,
    help="Stop --grep after so many lines.",
)
@click.option(
    "--format",
    "format_",
    metavar="table|jsonl",
    type=click.Choice(("table", "jsonl")),
    help="How --list looks (default: a table on a terminal).",
)
@color_option
@state_options
@output_option
def recall(**options: Any) -> None:
    r"""Bring back what was spilled or dropped.

    ID is the name of a body's file, as a preview names it, the id of a tool call, or
    the beginning of a body's sha256. Its bytes are checked against what was spilled
    before the first is printed. A terminal is shown control characters as escapes; a
    pipe or file gets the very bytes.

    \b
    Examples:
      mewctl recall toolu_01abc > output.txt
      mewctl recall toolu_01abc --lines 100:150
      mewctl recall --grep 'error TS' | jq -r .handle
      mewctl recall --boundary 3f2a9c81d0e4 --message 12
    """
    asked = [options["handle"], options["boundary"], options["grep"]]
    if sum(value is not None for value in asked) + options["list_"] != 1:
        raise click.UsageError("give one of ID, --boundary, --list and --grep")
    if options["lines"] and options["handle"] is None:
        raise click.UsageError("--lines needs an ID")
    if options["message"] and options["boundary"] is None:
        raise click.UsageError("--message needs --boundary")
    _run(options)


def _run(options: Mapping[str, Any]) -> None:
    from mewctl.commands.places import place_from
    from mewctl.commands.screen import as_table
    from mewctl.session.archive import archive_of
    from mewctl.streams.stdio import Output, stdout_is_terminal

    place = place_from({**options, "quiet": True})
    archive = archive_of(place.spill, place.dropped, place.log)
    on_screen = options["output"] in (None, "-") and stdout_is_terminal()
    if on_screen and options["handle"] is not None:
        _refuse_data(archive, options["handle"])
    with Output(options["output"]) as out:
        found = _found(archive, options)
        is_table = options["list_"] and as_table(options)
        for data in _harmless(found) if on_screen and not is_table else found:
            out.write(data)


def _refuse_data(archive: Archive, handle: str) -> None:
    """Keep what is no text away from a terminal."""
    if archive.find(handle).of == "image":
        raise click.UsageError(
            f"{handle} is data, not text: give it to a pipe, or to a file with -o"
        )


def _harmless(found: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines of text as a terminal may see them."""
    from mewctl.commands.notes import note
    from mewctl.spill.recall import lines
    from mewctl.streams.printable import printable

    changed = False
    for line in lines(found):
        text = line.decode("utf-8", "replace").rstrip("\n")
        shown = printable(text)
        changed |= shown != text
        yield shown.encode() + b"\n"
    if changed:
        note("some characters are shown as escapes; a pipe or -o gives the very bytes")


def _found(archive: Archive, options: Mapping[str, Any]) -> Iterator[bytes]:
    if options["list_"]:
        return _listed(archive, options)
    if options["grep"] is not None:
        return _grep(archive, options["grep"], options["limit"])
    if options["boundary"] is not None:
        return _messages(archive, options["boundary"], options["message"])
    return _body(archive, options)


def _body(archive: Archive, options: Mapping[str, Any]) -> Iterator[bytes]:
    import os

    from mewctl.commands.notes import note
    from mewctl.spill.recall import lines as lines_of
    from mewctl.spill.recall import part
    from mewctl.streams.apart import keep_apart

    handle, lines = options["handle"], options["lines"]
    body = archive.find(handle)
    keep_apart([os.path.join(archive.directory, body.file)], [options["output"] or "-"])
    others = len(archive.of_call(handle)) - 1
    if others > 0:
        bodies = "another body" if others == 1 else f"{others} other bodies"
        note(f"{handle} is a file; there is also {bodies} of its call: see --list")
    blocks = archive.read(body)
    yield from blocks if lines is None else part(lines_of(blocks), *lines)


def _messages(archive: Archive, boundary: str, number: int | None) -> Iterator[bytes]:
    from mewctl.errors import NotFound
    from mewctl.streams.printable import counted

    found = archive.messages(boundary)
    if number is None:
        yield from found
        return
    count = 0
    for count, line in enumerate(found, 1):
        if count == number:
            yield line
            return
    raise NotFound(
        what=f"{boundary} has {counted(count, 'message')}", remedy="ask for one of them"
    )


def _grep(archive: Archive, pattern: str, limit: int) -> Iterator[bytes]:
    import re
    from itertools import islice

    from mewctl.commands.notes import note
    from mewctl.commands.patience import watched
    from mewctl.spill.search import search
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.printable import counted

    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise click.UsageError(f"--grep: no regular expression: {error}") from None
    with watched(compiled, limits.RECALL_PATIENCE) as patient:
        hits = list(islice(search(archive, patient, note), limit + 1))
    for hit in hits[:limit]:
        record = {"handle": hit.handle, "line": hit.line, "excerpt": hit.excerpt}
        if hit.message:
            record["message"] = hit.line
        yield dumps(record) + b"\n"
    if len(hits) > limit:
        found = counted(limit, "line matches", "lines match")
        note(f"more than {found}; see --limit")


def _listed(archive: Archive, options: Mapping[str, Any]) -> Iterator[bytes]:
    from mewctl.commands.screen import as_table, table
    from mewctl.streams.jsonvalue import dumps

    rows: list[dict[str, Any]] = [
        {
            "handle": body.file,
            "kind": body.of,
            "id": body.call_id,
            "bytes": body.size,
            "sha256": archive.sha256(body),
        }
        for body in archive.bodies()
    ]
    rows += [{"handle": name, "kind": "boundary"} for name in archive.boundaries()]
    if as_table(options):
        yield table(options, ("handle", "kind", "bytes", "call"), map(_cells, rows))
        return
    for row in rows:
        yield dumps(row) + b"\n"


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    size = row.get("bytes")
    shown = "" if size is None else f"{size:,}"
    return row["handle"], row["kind"], shown, row.get("id") or ""
