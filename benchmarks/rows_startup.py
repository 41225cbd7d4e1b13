"""Rows about what a command costs before it does anything."""

from __future__ import annotations

from measure import PYTHON, Command, mewctl, pipe, words
from rows import Bench, Row, at_most, few

BARE = [PYTHON, "-c", "pass"]
TAB_LIMIT = 150  # milliseconds that a person does not notice


def startup(bench: Bench) -> list[Row]:
    """What a command costs before it does anything."""
    version, spill = mewctl("--version"), mewctl("spill", "-q")
    timing = bench.time(
        {
            "bare": pipe(BARE, empty=True),
            "version": pipe(version, empty=True),
            "spill": pipe(spill, empty=True),
        }
    )
    peer = words(BARE)
    rows = {
        "version": Row("`mewctl --version`", "", commands=(words(version), peer)),
        "spill": Row("spill of an empty input", "", commands=(words(spill), peer)),
    }
    note = "bare interpreter = 1"
    return [at_most(timing, n, "bare", 5, row, note=note) for n, row in rows.items()]


def tab(bench: Bench) -> list[Row]:
    """What a shell waits for when TAB is pressed, nothing being in its memory."""
    rows = []
    for line in ("mewctl ", "mewctl spill --", "mewctl convert --to "):
        timing = bench.time({"tab": pipe(_pressed(line), empty=True)})
        spent = timing.seconds["tab"] * 1000
        rows.append(
            Row(
                f"TAB after `{line}`",
                f"{spent:.0f} ms",
                f"≤ {TAB_LIMIT} ms",
                spent <= TAB_LIMIT,
                few(timing),
                commands=(words(_pressed(line)),),
            )
        )
    return rows


def _pressed(line: str) -> Command:
    """The command that the completion script of bash runs."""
    at = len(line.split(" ")) - 1
    about = (f"COMP_WORDS={line}", f"COMP_CWORD={at}")
    return ["env", "_MEWCTL_COMPLETE=bash_complete", *about, *mewctl()]


ROWS = {"startup": startup, "tab": tab}
