"""Rows about memory: a search of many notes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from measure import PYTHON, mewctl, pipe, words
from rows import Bench, Row, times

if TYPE_CHECKING:
    from pathlib import Path

BARE = [PYTHON, "-c", "pass"]
CLICK = [PYTHON, "-c", "import click"]
MANY = 10_000  # notes of a store
VOCABULARY = 5_000  # words, the n-th as often as 1/n
SESSION = 20  # notes of one session
FACTOR = 2.5


def search(bench: Bench) -> list[Row]:
    """The best of many notes for three words, none of which is rare."""
    count = min(MANY, max(100, bench.size // 1000))
    root = _store(bench.data, count)
    asked = " ".join(_word(rank) for rank in (40, 200, 1000))
    ours = mewctl("memory", "search", "-q", "--root", str(root), asked)
    pipe(ours)()  # makes the cache
    timing = bench.time(
        {"ours": pipe(ours), "click": pipe(CLICK), "bare": pipe(BARE, empty=True)}
    )
    own = timing.seconds["ours"] - timing.seconds["click"]
    ratio = own / timing.seconds["bare"]
    row = Row(
        f"memory search, {count} notes",
        times(max(0.0, ratio)),
        f"≤ {FACTOR:g}×",
        ratio <= FACTOR,
        "a bare interpreter = 1; click taken off; every file is looked at for a change",
        (words(ours), words(BARE)),
    )
    return [row]


def _word(rank: int) -> str:
    """A made-up word of its own for each rank."""
    letters = []
    while rank or not letters:
        rank, at = divmod(rank, 60)
        letters.append("bdfglmnprstv"[at // 5] + "aeiou"[at % 5])
    return "".join(letters) + "k"


def _store(data: Path, count: int) -> Path:
    root = data / f"notes-{count}"
    directory = root / ".mewcode" / "memory"
    if directory.exists():
        return root
    directory.mkdir(parents=True)
    rng = random.Random(1)
    vocabulary = [_word(rank) for rank in range(VOCABULARY)]
    weights = [1 / (rank + 1) for rank in range(VOCABULARY)]
    for number in range(count):
        said = rng.choices(vocabulary, weights, k=rng.randint(20, 60))
        fields = (
            f"id: n{number:05}\ntype: project_knowledge\ntitle: {' '.join(said[:4])}\n"
            f"created: 2026-01-01T00:00:00Z\nsource_session: s{number // SESSION}\n"
        )
        path = directory / f"project_knowledge_n{number:05}.md"
        path.write_text(f"---\n{fields}---\n{' '.join(said[4:])}\n", encoding="utf-8")
    return root


ROWS = {"memory": search}
