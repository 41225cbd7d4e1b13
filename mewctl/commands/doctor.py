"""``mewctl doctor``: does mewctl work here, and where would prompts go?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mewctl.commands.options import (
    color_option,
    format_option,
    output_option,
    root_option,
)

if TYPE_CHECKING:
    from mewctl.commands.diagnosis import Check


@click.command(
    "doctor", short_help="Say whether mewctl works here, and where prompts go."
)
@format_option
@color_option
@root_option
@output_option
def doctor(**options: Any) -> int:
    r"""Say whether mewctl works here, and where prompts go.

    Looks at versions, paths, both settings files, who could read the store, locks,
    synced writes and renames in the directory of the store (a trial that leaves
    nothing), the provider, and completions. Exit 1 if something is wrong. No network is
    asked, and no credential is printed.

    \b
    Examples:
      mewctl doctor
      mewctl doctor --format jsonl | jq -c 'select(.status == "wrong")'
    """
    from mewctl.commands.diagnosis import checks
    from mewctl.commands.screen import as_table, table
    from mewctl.errors import Exit
    from mewctl.streams.jsonvalue import dumps
    from mewctl.streams.stdio import Output

    found = checks(options)
    if as_table(options):
        data = table(options, ("check", "status", "detail"), map(_cells, found))
    else:
        data = b"".join(dumps(check.to_json()) + b"\n" for check in found)
    with Output(options["output"]) as out:
        out.write(data)
    wrong = any(check.status == "wrong" for check in found)
    return Exit.NO if wrong else Exit.DONE


def _cells(check: Check) -> tuple[str, ...]:
    words = f"{check.detail}; {check.remedy}" if check.remedy else check.detail
    return check.name, check.status, words
