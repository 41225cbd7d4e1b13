"""Rows about compaction: its time, and what is left of what was dropped."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import facts_kept
from measure import CAT, LOOP, PYTHON, Command, fresh, mewctl, pipe, words
from rows import Bench, Row, at_most, size_words

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = ("paths of changed files",)  # to be in the output itself


def compact(bench: Bench) -> list[Row]:
    """A big history compacted without a model."""
    rows = []
    for kind in ("claude-code", "mew"):
        path = bench.transcript(kind)
        run = partial(_compact, path=path)
        loop = pipe([PYTHON, "-c", LOOP, str(path)], CAT)
        timing = bench.time({"ours": fresh(run, bench.scratch), "loop": loop})
        size = size_words(path.stat().st_size)
        row = Row(
            f"compact (offline), {kind}, {size}", "", commands=(words(*run("DIR")),)
        )
        rows.append(
            at_most(timing, "ours", "loop", 8, row, note="orjson.loads loop = 1")
        )
    return rows


def _compact(state: str, path: Path) -> tuple[Command, ...]:
    return compacted(state, path), CAT


def compacted(state: str, path: Path) -> Command:
    """A compaction that always acts, with its state in ``state``."""
    flags = ("-q", "--trigger", "manual", "--window", "200000", "-d", state)
    return mewctl("compact", *flags, str(path))


def facts(bench: Bench) -> list[Row]:
    """What of a dropped span is in the output, or one grep away."""
    kept, used, left_out = facts_kept.over(bench.transcripts)
    note = f"{len(used)} transcripts"
    if left_out:
        note += f"; {len(left_out)} more cannot be read, or not be compacted"
    rows = []
    for kind, count in kept.items():
        shown = facts_kept.part(count.shown, count).strip()
        whole = facts_kept.part(count.shown + count.found, count).strip()
        measured, target, met = (
            f"{whole} (in the output {shown})",
            "100 %",
            not count.lost,
        )
        if kind in SHOWN:
            target, met = "100 % in the output", count.shown == count.all
        what = f"facts kept by compact: {count.all} {kind}"
        command = "python benchmarks/facts_kept.py"
        rows.append(Row(what, measured, target, met, note, (command,)))
    return rows


ROWS = {"compact": compact, "facts": facts}
