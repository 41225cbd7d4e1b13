"""Rows about how good the answers are: the token estimate, and facts kept."""

from __future__ import annotations

import facts_kept
import tokens_error
import tokens_speed
from rows import Bench, Row, size_words, skipped

SHOWN = ("paths of changed files",)  # to be in the output itself
HELD = ("openai-o200k", "claude-3-to-4.6", "claude-4.7-and-later")


def speed(_: Bench) -> list[Row]:
    """How fast the exact estimate of a text is, in this process."""
    lines = tokens_speed.made_lines()
    texts = [text for line in lines for text in tokens_speed.content(line)]
    whole = "\n".join(texts).encode("utf-8", "replace")
    estimator = tokens_speed.Estimator()
    spent = tokens_speed.seconds(lambda: estimator.tokens(whole))
    rate = len(whole) / spent / 1e6
    note = f"{size_words(len(whole))} of Python sources, one set of weights"
    shown = ("python benchmarks/tokens_speed.py",)
    target, met = "≥ 120 MB/s", rate >= 120
    return [Row("token estimate, exact", f"{rate:.0f} MB/s", target, met, note, shown)]


def error(_: Bench) -> list[Row]:
    """How far the estimate is from real tokenizers, where they are installed."""
    counters = dict(tokens_error.tokenizers())
    if not counters:
        why = "needs bpe-openai or ctok: `pip install -e '.[bench]'`"
        return [skipped("token estimate, error", "p90 ≤ 8 %", why)]
    chunks = [
        text
        for path in tokens_error.default_paths()
        for file in tokens_error.files_of(path)
        for text in tokens_error.chunks_of(file)
    ]
    rows = []
    for family, counter in counters.items():
        real = [max(1, counter(text)) for text in chunks]
        for sets in ("centre", "cautious"):
            estimator = tokens_error.Estimator(family, sets)
            errors = [
                estimator.text(text) / n - 1
                for text, n in zip(chunks, real, strict=True)
            ]
            rows.append(_error_row(family, sets, errors))
    return rows


def _error_row(family: str, sets: str, errors: list[float]) -> Row:
    if sets == "centre":
        sizes = sorted(map(abs, errors))
        found, limit, what = sizes[int(len(sizes) * 0.9)], 0.08, "p90 of the error"
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
