"""Rows about commands that read every record, beside a loop that only parses."""

from __future__ import annotations

import made
from measure import CAT, LOOP, PYTHON, mewctl, pipe, words
from rows import PARSED, Bench, Row, at_most, few, times

READ = """
import sys
from mewctl.commands.reading import Reading, Wish
for _ in Reading(sys.argv[1:], Wish()):
    pass
"""


def reading(bench: Bench) -> list[Row]:
    """Reading alone: detection, JSON, and a view of each record."""
    rows = []
    for form in made.FORMATS:
        path = str(bench.history(form, large=True, most=PARSED))
        read, loop = [PYTHON, "-c", READ, path], [PYTHON, "-c", LOOP, path]
        timing = bench.time({"ours": pipe(read, CAT), "loop": pipe(loop, CAT)})
        row = Row(
            f"reading, as repair, tokens and convert do, {form}",
            "",
            commands=(words(loop) + "  (LOOP: orjson.loads of each line)",),
        )
        note = "orjson.loads loop = 1"
        rows.append(at_most(timing, "ours", "loop", 1.3, row, note=note))
    return rows


def whole_commands(bench: Bench) -> list[Row]:
    """The commands themselves, with the work they do beside reading."""
    path = str(bench.history("mew", large=True, most=PARSED))
    commands = {
        "tokens": mewctl("tokens", path),
        "repair": mewctl("repair", "-q", path),
        "convert": mewctl("convert", "-q", "--to", "anthropic", path),
    }
    loop = pipe([PYTHON, "-c", LOOP, path], CAT)
    timing = bench.time(
        {"loop": loop} | {name: pipe(c, CAT) for name, c in commands.items()}
    )
    note = "; ".join(filter(None, ("orjson.loads loop = 1", few(timing))))
    return [
        Row(
            f"{name}, the whole command",
            times(timing.ratio(name, "loop")),
            note=note,
            commands=(words(command),),
        )
        for name, command in commands.items()
    ]


ROWS = {"reading": reading, "whole-commands": whole_commands}
