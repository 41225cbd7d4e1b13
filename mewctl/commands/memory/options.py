"""Options and values that several memory commands share, each defined once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import chain, root_option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Spelled here so that --help imports no notes; a test compares.
TYPES = (
    *("user_preference", "correction_feedback"),
    *("project_knowledge", "reference_material"),
)
LEVELS = ("project", "user")


def complete_notes(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - Click's signature
    incomplete: str,
) -> list[CompletionItem]:
    """The ids and slugs that begin with what was typed. Never fails."""
    from click.shell_completion import CompletionItem

    from mewctl.commands.memory.places import gathered
    from mewctl.errors import MewError
    from mewctl.memory.note import slug_of

    try:
        notes, _ = gathered({"root": None, "level": None, **ctx.params})
    except MewError:
        return []
    return [
        CompletionItem(name, help=note.title)
        for note in notes
        for name in (note.id, slug_of(note))
        if name.startswith(incomplete)
    ]


note_argument = click.argument(
    "name", metavar="NOTE", shell_complete=complete_notes, help="An id, or a slug."
)
notes_argument = click.argument(
    "names",
    metavar="NOTE...",
    nargs=-1,
    required=True,
    shell_complete=complete_notes,
    help="Ids, or slugs.",
)

level_option = click.option(
    "--level",
    metavar="project|user",
    type=click.Choice(LEVELS),
    show_envvar=True,
    help="Only the project's notes, or only the user's (default: both).",
)

new_level_option = click.option(
    "--level",
    metavar="project|user",
    type=click.Choice(LEVELS),
    default=LEVELS[0],
    show_default=True,
    show_envvar=True,
    help="Where a new note goes unless it says so itself.",
)

place_options = chain(level_option, root_option)

redact_option = click.option(
    "--no-redact",
    is_flag=True,
    show_envvar=True,
    help="Show secrets that stand in a note instead of masking them.",
)


class Date(click.ParamType[str]):
    """A date or a time as RFC 3339 has it, kept as text."""

    name = "date"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text, if it is a date."""
        from mewctl.memory.value import seconds

        text = str(value).strip()
        if text and seconds(text) is None:
            self.fail(f"{value!r} is no date such as 2027-01-31", param, ctx)
        return text


field_options = chain(
    click.option(
        "--tag",
        "tags",
        metavar="WORD",
        multiple=True,
        show_envvar=True,
        help="A word to find it by; can be given several times.",
    ),
    click.option(
        "--valid-until",
        metavar="DATE",
        type=Date(),
        show_envvar=True,
        help="When it stops being true; then gc archives it.",
    ),
)
