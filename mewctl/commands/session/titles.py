"""``mewctl session title``, ``pin`` and ``unpin``: what is said about a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import quiet_option
from mewctl.commands.session.options import place_options, session_argument

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mewctl.session.meta import Meta


@click.command("title", short_help="Show or set what a session is called.")
@session_argument
@click.argument(
    "text", required=False, metavar="[TEXT]", help="The title; shown if not given."
)
@place_options
@quiet_option
def title(**options: Any) -> None:
    r"""Show or set what a session is called.

    An empty TEXT takes a set title away: the first words of the user are it again.

    \b
    Examples:
      mewctl session title latest "fix the upload"
      mewctl session title latest
    """
    if options["text"] is None:
        _show(options)
    else:
        from mewctl.session.meta import titled

        text = checked(options["text"])
        _change(
            options,
            lambda meta: titled(meta, text),
            f"is called {text}" if text else "has no title of its own any more",
        )


@click.command("pin", short_help="Keep a session whatever session clean is told.")
@session_argument
@place_options
@quiet_option
def pin(**options: Any) -> None:
    r"""Keep a session whatever session clean is told.

    \b
    Example:
      mewctl session pin latest
    """
    from mewctl.session.meta import pinned

    _change(options, lambda meta: pinned(meta, on=True), "is pinned")


@click.command("unpin", short_help="Take the pin off a session.")
@session_argument
@place_options
@quiet_option
def unpin(**options: Any) -> None:
    r"""Take the pin off a session.

    \b
    Example:
      mewctl session unpin latest
    """
    from mewctl.session.meta import pinned

    _change(options, lambda meta: pinned(meta, on=False), "is not pinned any more")


def checked(text: str) -> str:
    """A title on one line. Raises ``UsageError`` for one that is too long."""
    from mewctl import limits

    line = " ".join(text.encode("utf-8", "replace").decode().split())
    if len(line) > limits.TITLE_SET_CHARS:
        raise click.UsageError(
            f"a title has at most {limits.TITLE_SET_CHARS} characters, "
            f"this one has {len(line)}"
        )
    return line


def _show(options: Mapping[str, Any]) -> None:
    from mewctl.commands.session.finding import session_of
    from mewctl.session import glimpse
    from mewctl.session.meta import load
    from mewctl.session.reading import LogReader
    from mewctl.streams.printable import printable
    from mewctl.streams.stdio import Output, stdout_is_terminal

    layout = session_of(options)
    name = load(layout.meta).title
    if not name:
        with LogReader(layout.log) as reader:
            name = glimpse.title(reader.read, reader.size)
    shown = printable(name) if stdout_is_terminal() else name
    with Output() as out:
        out.write(shown.encode("utf-8", "replace") + b"\n")


def _change(
    options: Mapping[str, Any], change: Callable[[Meta], Meta], words: str
) -> None:
    from mewctl.commands.notes import note
    from mewctl.commands.session.finding import session_of
    from mewctl.session.meta import load, save
    from mewctl.store.lock import locked

    layout = session_of(options)
    with locked(layout.directory):
        before = load(layout.meta)
        after = change(before)
        if after != before:
            save(layout.meta, after)
    if not options["quiet"]:
        note(f"{layout.id} {words}")
