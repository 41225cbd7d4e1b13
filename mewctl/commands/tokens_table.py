"""The report of ``tokens`` for people: a few lines and two tables, as plain rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.streams.printable import cell
from mewctl.streams.table import heading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BAR = 24  # characters of a full bar
_HEAD = 48  # characters of an item's beginning
_TOOLS = 10  # tools that are named


def rows(report: Mapping[str, Any], *, color: bool) -> Iterator[str]:
    """The lines of the table, at most 80 columns wide."""
    yield from _totals(report)
    classes = report.get("classes")
    if classes:
        yield ""
        yield from _bars("class", classes, color=color)
    tools = dict(list(report.get("tools", {}).items())[:_TOOLS])
    if tools:
        yield ""
        yield from _bars("tool", tools, color=color)
    biggest = report.get("biggest")
    if biggest:
        yield ""
        yield heading(f"{'message':>7} {'tokens':>9}  biggest", color=color)
        for item in biggest:
            name = item.get("tool") or item["class"]
            head = cell(f"{name}: {item['head']}", _HEAD)
            yield f"{item['message']:>7} {item['tokens']:>9,}  {head}"


def _totals(report: Mapping[str, Any]) -> Iterator[str]:
    model = cell(report.get("model") or "unknown model", 40)
    yield f"{report['tokens']:,} tokens ({report['cautious']:,} cautious), {model}"
    if report["method"] == "exact":
        estimate = report["estimate"]["tokens"]
        words = cell(report["counted_as"], 40)
        yield f"counted by the provider as {words}; estimate: {estimate:,}"
    elif "fallback" in report:
        yield cell(f"an estimate: {report['fallback']}", 80)
    if "threshold" in report:
        left = report["to_threshold"]
        where = f"{left:,} below" if left > 0 else f"{-left:,} over"
        threshold, window = report["threshold"], report["window"]
        yield f"{where} the threshold of {threshold:,} (window {window:,})"
    if "anchor" in report:
        anchor = report["anchor"]
        words = f"{anchor['tokens']:,} tokens for {anchor['messages']} messages"
        yield f"anchor: {words} ({anchor['source']})"
    for key, name in (("spill", "spill"), ("age_spill", "age spill")):
        saving = report.get(key)
        if saving and saving["results"]:
            freed, count = saving["frees_tokens"], saving["results"]
            yield f"{name} would free {freed:,} tokens of {count} results"


def _bars(title: str, sizes: Mapping[str, int], *, color: bool) -> Iterator[str]:
    most = max(sizes.values()) or 1
    yield heading(f"{title:<24} {'tokens':>9}", color=color)
    for name, size in sorted(sizes.items(), key=lambda item: -item[1]):
        bar = "█" * round(_BAR * size / most)
        yield f"{cell(name, 24):<24} {size:>9,}  {bar}".rstrip()
