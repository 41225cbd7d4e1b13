"""Rows about peak memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from measure import Command, mewctl, own_directory, peak, words
from rows import Bench, Row, size_words
from rows_compact import compacted

if TYPE_CHECKING:
    from pathlib import Path


def streaming(bench: Bench) -> list[Row]:
    """Commands whose memory does not grow with the input."""
    rows = []
    for size in (bench.size // 10, bench.size):
        path = bench.history("mew", large=True, most=size)
        longest = _longest(path) / 1e6
        note = f"30 MB + 8 × the longest record, {longest:.2f} MB"
        with own_directory(bench.scratch) as state:
            for name, command in (
                ("spill", mewctl("spill", "-q", "-d", state, str(path))),
                ("tokens", mewctl("tokens", str(path))),
            ):
                what = f"peak memory of {name}, {size_words(size)}"
                rows.append(_memory(command, 30 + 8 * longest, what, note))
    return rows


def whole(bench: Bench) -> list[Row]:
    """Commands that hold the history."""
    history = bench.history("mew", large=True, most=bench.part)
    transcript, kept = bench.transcript("claude-code"), bench.transcript("mew")
    rows = []
    with own_directory(bench.scratch) as state:
        for name, path, command in (
            ("compact", transcript, compacted(state, transcript)),
            ("compact", kept, compacted(state, kept)),
            ("repair", history, mewctl("repair", "-q", str(history))),
            ("convert", history, _convert("anthropic", history)),
            ("convert", transcript, _convert("mew", transcript)),
        ):
            size = path.stat().st_size
            kind = "claude-code" if path == transcript else "mew"
            what = f"peak memory of {name}, {kind}, {size_words(size)}"
            limit = 30 + 3 * size / 1e6
            rows.append(_memory(command, limit, what, "30 MB + 3 × the input"))
    return rows


def _convert(form: str, path: Path) -> Command:
    return mewctl("convert", "-q", "--to", form, str(path))


def _memory(command: Command, limit: float, what: str, note: str) -> Row:
    used = peak(command)
    target = f"≤ {limit:.0f} MB"
    return Row(what, f"{used:.0f} MB", target, used <= limit, note, (words(command),))


def _longest(path: Path) -> int:
    with path.open("rb") as file:
        return max(map(len, file))


ROWS = {"peak-streaming": streaming, "peak-whole": whole}
