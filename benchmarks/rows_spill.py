"""Rows about spill, beside what copies bytes and what only parses them."""

from __future__ import annotations

import shutil
from functools import partial

import made
from measure import CAT, Command, Contender, fresh, mewctl, pipe, words
from rows import Bench, Row, at_most, few, size_words, skipped, times

STREAMED = 10**9  # bytes that go by; a smaller file is given several times
FASTER = {"jq": 12, "gojq": None}  # peers, and how many times as fast we want to be


def spill_small(bench: Bench) -> list[Row]:
    """A history with nothing over the limits goes by."""
    rows = []
    for form in made.FORMATS:
        path = str(bench.history(form, large=False))
        count = max(1, STREAMED // bench.size)
        files = [path] * count
        timing = bench.time(
            {
                "ours": fresh(partial(_spill, files=files), bench.scratch),
                "cat": pipe([*CAT, *files], CAT),
            }
        )
        shown = words(*_spill("DIR", [path])), words([*CAT, path], CAT)
        row = Row(f"spill, nothing over the limits, {form}", "", commands=shown)
        note = "`cat F \\| cat` = 1"
        if count > 1:
            note += f"; {size_words(bench.size)} given {count} times"
        rows.append(at_most(timing, "ours", "cat", 1.6, row, note=note))
    return rows


def _spill(state: str, files: list[str]) -> tuple[Command, ...]:
    return mewctl("spill", "-q", "-d", state, *files), CAT


def spill_large(bench: Bench) -> list[Row]:
    """A good part of the bytes leaves the history."""
    path = str(bench.history("mew", large=True))
    ours = fresh(partial(_spill, files=[path]), bench.scratch)
    timing = bench.time({"ours": ours, "cat": pipe([*CAT, path], CAT)})
    what = f"spill, 43 % of {size_words(bench.size)} offloaded"
    shown = words(*_spill("DIR", [path]))
    row = Row(what, "", commands=(shown, words([*CAT, path], CAT)))
    where = "tmpfs" if str(bench.scratch).startswith("/dev/shm/") else "disk"
    note = f"`cat F \\| cat` = 1; bodies to {where}"
    return [
        at_most(timing, "ours", "cat", 3.5, row, note=note),
        *(_beside(peer, bench, ours, path, what) for peer in FASTER),
    ]


def _beside(peer: str, bench: Bench, ours: Contender, path: str, what: str) -> Row:
    """How many times as long a program takes that parses and prints JSON."""
    what, least = f"{what}, times as fast as `{peer} -c .`", FASTER[peer]
    target = f"≥ {least}×" if least else ""
    if shutil.which(peer) is None:
        return skipped(what, target, f"{peer} is not installed")
    command = [peer, "-c", ".", path], CAT
    timing = bench.time({"peer": pipe(*command), "ours": ours})
    ratio = timing.ratio("peer", "ours")
    met = ratio >= least if least else None
    return Row(what, times(ratio), target, met, few(timing), (words(*command),))


ROWS = {"spill-small": spill_small, "spill-large": spill_large}
