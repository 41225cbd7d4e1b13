"""Rows about time: commands beside what does less, or the same."""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING

import made
from measure import PYTHON, Command, Contender, fresh, mewctl, pipe, words
from rows import PARSED, Bench, Row, at_most, few, size_words, skipped, times

if TYPE_CHECKING:
    from pathlib import Path

BARE = [PYTHON, "-c", "pass"]
CAT = ["cat"]
STREAMED = 10**9  # bytes that go by; a smaller file is given several times
LOOP = """
import sys, orjson
for line in open(sys.argv[1], "rb"):
    orjson.loads(line)
"""
READ = """
import sys
from mewctl.commands.reading import Reading, Wish
for _ in Reading(sys.argv[1:], Wish()):
    pass
"""


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
        _beside_jq(bench, ours, path, what, shown),
    ]


def _beside_jq(bench: Bench, ours: Contender, path: str, what: str, shown: str) -> Row:
    what, target = f"{what}, times as fast as `jq -c .`", "≥ 12×"
    if shutil.which("jq") is None:
        return skipped(what, target, "jq is not installed")
    jq = ["jq", "-c", ".", path], CAT
    timing = bench.time({"jq": pipe(*jq), "ours": ours})
    ratio = timing.ratio("jq", "ours")
    return Row(
        what, times(ratio), target, ratio >= 12, few(timing), (shown, words(*jq))
    )


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
