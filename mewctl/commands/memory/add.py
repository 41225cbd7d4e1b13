"""``mewctl memory add`` and ``edit``: notes as the user writes them."""

from __future__ import annotations

from typing import Any

import click

from mewctl.commands.memory.options import (
    TYPES,
    field_options,
    new_level_option,
    note_argument,
    place_options,
)
from mewctl.commands.options import InputFile, quiet_option, root_option

_text_option = click.option(
    "--text", metavar="TEXT", show_envvar=True, help="The text, instead of a FILE."
)


@click.command("add", short_help="Write a note.")
@click.argument("title", metavar="TITLE", help="What the note is called, in a line.")
@click.argument(
    "file", metavar="[FILE]", required=False, type=InputFile(),
    help="Its text, in Markdown; none, or -, is standard input.",
)  # fmt: skip
@_text_option
@click.option(
    "--type",
    "type_",
    metavar="TYPE",
    type=click.Choice(TYPES),
    default="project_knowledge",
    show_default=True,
    show_envvar=True,
    help=f"What kind of note it is: {', '.join(TYPES)}.",
)
@click.option(
    "--slug",
    metavar="SLUG",
    default="",
    show_envvar=True,
    help="Its name in the file's name (default: made of the title).",
)
@field_options
@new_level_option
@root_option
@quiet_option
def add(**options: Any) -> None:
    r"""Write a note.

    Prints its id. What is known already is not written twice: a note of the same name,
    or one that says the same, gets the text behind its own. A secret is refused.

    \b
    Examples:
      mewctl memory add "Package manager" --text "Use uv, never pip."
      echo "Off since May: it served old pages." | mewctl memory add "Page cache"
    """
    from mewctl.commands.memory.writing import act, text_of
    from mewctl.streams.stdio import Output

    value = {
        "action": "create",
        "level": options["level"],
        "type": options["type_"],
        "slug": options["slug"],
        "title": options["title"],
        "content": text_of(options),
        "tags": list(options["tags"]),
        "valid_until": options["valid_until"] or "",
    }
    outcome = act(options, "add", value)
    if outcome.note is not None:
        with Output() as out:
            out.write(outcome.note.id.encode("utf-8", "replace") + b"\n")


@click.command("edit", short_help="Change a note.")
@note_argument
@click.argument(
    "file", metavar="[FILE]", required=False, type=InputFile(),
    help="The new text, in Markdown; - is standard input.",
)  # fmt: skip
@_text_option
@click.option(
    "--title", metavar="TITLE", default="", show_envvar=True, help="The new title."
)
@click.option(
    "--type",
    "type_",
    metavar="TYPE",
    type=click.Choice(TYPES),
    show_envvar=True,
    help=f"The new type: {', '.join(TYPES)}.",
)
@click.option(
    "--if-match",
    metavar="HASH",
    default="",
    show_envvar=True,
    help="Refuse (exit 11) unless the note has this hash, as memory show tells it.",
)
@field_options
@place_options
@quiet_option
def edit(**options: Any) -> None:
    r"""Change a note.

    Its text, or some of its fields. A note is a file; any editor will do as well. What
    it said before stays in the archive, see memory log.

    \b
    Examples:
      mewctl memory edit package-manager --text "Use uv, never pip or poetry."
      mewctl memory edit package-manager --title "Package manager: uv" --tag python
    """
    from mewctl.commands.memory.writing import act, text_of

    whole = options["text"] is not None or options["file"] is not None
    fields = ("title", "type_", "tags", "valid_until")
    if not whole and not any(options[name] for name in fields):
        raise click.UsageError("nothing to change: give a FILE, --text or a field")
    value = {
        "action": "update",
        "level": options["level"] or "",
        "id": options["name"],
        "type": options["type_"] or "",
        "title": options["title"],
        "content": text_of(options) if whole else "",
        "tags": list(options["tags"]),
        "valid_until": options["valid_until"] or "",
        "if_match": options["if_match"],
    }
    act(options, "edit", value)
