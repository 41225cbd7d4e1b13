"""``mewctl memory check`` and ``reindex``: whether notes and index are sound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.memory.options import place_options
from mewctl.commands.options import format_option, quiet_option
from mewctl.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Mapping


@click.command("check", short_help="Say what is wrong with the notes.")
@place_options
@format_option
@quiet_option
def check(**options: Any) -> int:
    r"""Say what is wrong with the notes.

    Exit code 1 if anything is: an index that differs from the files, fields that cannot
    be read, files that are no notes, two notes with one id or that say the same,
    secrets, hidden characters, notes whose time has passed, and texts that a conflict
    left.

    \b
    Examples:
      mewctl memory check
      mewctl memory check --level project --format jsonl | jq -r .what
    """
    return _check(options)


def _check(options: Mapping[str, Any]) -> int:
    import time

    from mewctl.commands.memory.places import stores
    from mewctl.commands.notes import note as say
    from mewctl.commands.session.table import show
    from mewctl.memory.checking import checked

    found = [one for store in stores(options) for one in checked(store, time.time())]
    rows = [
        {"type": "memory_finding", "kind": f.kind, "path": f.path, "what": f.what}
        for f in found
    ]
    cells = [(f.kind, f.path, f.what) for f in found]
    if rows:
        show(options["format_"], rows, ("kind", "path", "why"), cells)
    elif not options["quiet"]:
        say("the notes and their index are sound")
    return Exit.NO if found else Exit.DONE


@click.command("reindex", short_help="Write MEMORY.md anew from the notes.")
@place_options
@quiet_option
def reindex(**options: Any) -> None:
    r"""Write MEMORY.md anew from the notes.

    Text outside the marks of mewctl is kept. Nothing is written where the index is as
    it should be.

    \b
    Example:
      mewctl memory reindex
    """
    _reindex(options)


def _reindex(options: Mapping[str, Any]) -> None:
    import os

    from mewctl.commands.memory.acting import held
    from mewctl.commands.memory.places import stores
    from mewctl.commands.notes import note as say

    there = [one for one in stores(options) if os.path.isdir(one.directory)]
    with held(there):
        for store in there:
            if store.reindex() and not options["quiet"]:
                say(f"wrote {store.index_path}")
