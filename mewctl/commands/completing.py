"""What TAB completes by looking at the disk: ids of sessions. Never fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem


def complete_sessions(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - Click's signature
    incomplete: str,
) -> list[CompletionItem]:
    """The ids that begin with what was typed, the newest first. Never fails."""
    from click.shell_completion import CompletionItem

    from mewctl.commands.session.finding import sessions_of
    from mewctl.errors import MewError
    from mewctl.store.opening import names_in

    try:
        names = names_in(sessions_of({"quiet": True, **ctx.params}))
    except MewError:
        return []
    wanted = [name for name in names if name.startswith(incomplete)]
    wanted.sort(reverse=True)
    return [CompletionItem(name) for name in wanted if not name.startswith(".")]
