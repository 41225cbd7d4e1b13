"""Rows about the token estimate: how fast it is, and how far from real counts."""

from __future__ import annotations

import tokens_error
import tokens_peers
import tokens_speed
from rows import Bench, Row, size_words, skipped, times

HELD = ("openai-o200k", "claude-3-to-4.6", "claude-4.7-and-later")
LIMIT = 0.08  # p90 of the error with the centre weights
INSTALL = {
    "tokenx": "`npm install --prefix benchmarks/data tokenx`",
    "bpe-openai": "`pip install -e '.[bench]'`",
}


def speed(bench: Bench) -> list[Row]:
    """How fast the exact estimate of a text is, in this process."""
    lines = tokens_speed.made_lines()
    texts = [text for line in lines for text in tokens_speed.content(line)]
    whole = "\n".join(texts).encode("utf-8", "replace")
    estimator = tokens_speed.Estimator()
    spent = tokens_speed.seconds(lambda: estimator.tokens(whole), bench.rounds)
    rate = len(whole) / spent / 1e6
    note = f"{size_words(len(whole))} of Python sources, one set of weights"
    shown = ("python benchmarks/tokens_speed.py",)
    target, met = "≥ 120 MB/s", rate >= 120
    row = Row("token estimate, exact", f"{rate:.0f} MB/s", target, met, note, shown)
    each = tokens_speed.seconds(
        lambda: tokens_speed.weigh(texts, estimator), bench.rounds
    )
    return [row, *(_beside(peer, texts, each, bench) for peer in tokens_peers.PEERS)]


def _beside(name: str, texts: list[str], ours: float, bench: Bench) -> Row:
    """How many times as long a peer takes for the same texts, one by one."""
    what = f"token estimate, times as fast as {name}"
    peer = tokens_peers.PEERS[name](texts, bench.rounds)
    if peer is None:
        return skipped(what, "", f"needs {INSTALL[name]}")
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    note = (
        f"{len(texts)} texts one by one; {name}: {size / peer.seconds / 1e6:.0f} MB/s"
    )
    return Row(what, times(peer.seconds / ours), note=note)


def error(_: Bench) -> list[Row]:
    """How far the estimate is from real tokenizers, where they are installed."""
    counters = dict(tokens_error.tokenizers())
    why = f"needs bpe-openai and ctok (Python 3.12): {INSTALL['bpe-openai']}"
    rows = [
        skipped(f"token estimate, {family}: error", f"p90 ≤ {LIMIT:.0%}", why)
        for family in HELD
        if family not in counters
    ]
    chunks = [
        text
        for path in tokens_error.default_paths()
        for file in tokens_error.files_of(path)
        for text in tokens_error.chunks_of(file)
    ]
    for family, counter in counters.items():
        real = [max(1, counter(text)) for text in chunks]
        for sets in ("centre", "cautious"):
            estimator = tokens_error.Estimator(family, sets)
            errors = [
                estimator.text(text) / n - 1
                for text, n in zip(chunks, real, strict=True)
            ]
            rows.append(_error_row(family, sets, errors))
        if family == tokens_peers.O200K:
            rows.append(_error_of_tokenx(chunks, real))
    return rows


def _error_of_tokenx(chunks: list[str], real: list[int]) -> Row:
    """The same measure for another estimator, which has no target."""
    what = f"tokenx, {tokens_peers.O200K}: p90 of the error"
    peer = tokens_peers.tokenx(chunks, rounds=1)
    if peer is None:
        return skipped(what, "", f"needs {INSTALL['tokenx']}")
    errors = [made / n - 1 for made, n in zip(peer.counts, real, strict=True)]
    return Row(what, f"{_p90(errors):.1%}", note=f"the same {len(errors)} chunks")


def _p90(errors: list[float]) -> float:
    return sorted(map(abs, errors))[int(len(errors) * 0.9)]


def _error_row(family: str, sets: str, errors: list[float]) -> Row:
    if sets == "centre":
        found, limit, what = _p90(errors), LIMIT, "p90 of the error"
    else:
        found = sum(error < -0.05 for error in errors) / len(errors)
        limit, what = 0.01, "chunks more than 5 % too low"
    held = family in HELD
    return Row(
        f"token estimate, {family}, {sets} weights: {what}",
        f"{found:.1%}",
        f"≤ {limit:.0%}" if held else "",
        found <= limit if held else None,
        f"{len(errors)} chunks of 20 kB",
        ("python benchmarks/tokens_error.py",),
    )


ROWS = {"tokens-speed": speed, "tokens-error": error}
