"""What a compaction did: one value, a line for people, an object for machines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Outcome: TypeAlias = Literal[
    "unchanged",  # nothing to do; the input is the output
    "spilled",  # layer 1 was enough
    "aged",  # age spill reached the target
    "compacted",
    "kept",  # asked for, but there is nothing to gain
    "failed",  # layer 2 was due and did not work; layer 1 stands
    "cannot-fit",
]


@dataclass(frozen=True, slots=True)
class Report:
    """The report of one run. Token numbers are cautious estimates unless said.

    ``fills`` says what the floor is made of, biggest first. ``first_changed`` is the
    offset of the first output byte that differs from the input, -1 if none does;
    ``rewrite`` the tokens from there on, which a provider's cache must write again.
    """

    outcome: Outcome
    reason: str
    trigger: str
    window: int
    threshold: int
    target: int = 0
    before: int = 0
    after_spill: int = 0
    after: int = 0
    floor: int = 0
    fills: dict[str, int] = field(default_factory=dict)
    spilled: tuple[str, ...] = ()
    kept: int = 0
    dropped: int = 0
    boundary: str = ""
    address: str = ""
    facts: str = ""
    recall: str = ""
    provider: str = ""
    model: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    unseen: int = 0
    reduced: tuple[str, ...] = ()
    gate_dropped: tuple[str, ...] = ()
    gate_marked: tuple[str, ...] = ()
    repairs: int = 0
    breaker: str = "none: there is no session to keep its state in"
    first_changed: int = -1
    rewrite: int = 0
    warnings: tuple[str, ...] = ()


def as_json(report: Report) -> dict[str, Any]:
    """The report as one JSON object; what is unknown is absent."""
    value: dict[str, Any] = {
        "type": "compaction",
        "outcome": report.outcome,
        "reason": report.reason,
        "trigger": report.trigger,
        "window": report.window,
        "threshold": report.threshold,
        "target": report.target,
        "tokens": {
            "before": report.before,
            "after_spill": report.after_spill,
            "after": report.after,
        },
        "floor": {"tokens": report.floor, "fills": report.fills},
        "spilled": list(report.spilled),
        "messages": {"kept": report.kept, "dropped": report.dropped},
        "gate": {
            "dropped": list(report.gate_dropped),
            "marked": list(report.gate_marked),
        },
        "repairs": report.repairs,
        "breaker": report.breaker,
    }
    if report.first_changed >= 0:
        value["cache"] = {
            "first_changed_byte": report.first_changed,
            "rewrite_tokens": report.rewrite,
        }
    optional: dict[str, Any] = {
        "boundary": report.boundary,
        "address": report.address,
        "facts": report.facts,
        "recall": report.recall,
        "provider": report.provider,
        "model": report.model,
        "request_usage": report.usage,
        "usage": {"unseen": report.unseen} if report.unseen else None,
        "reduced": list(report.reduced),
        "warnings": list(report.warnings),
    }
    value.update({key: item for key, item in optional.items() if item})
    return value


def line(report: Report) -> str:
    """One line for people; empty where nothing changed and nothing was refused."""
    sizes = f"{report.before} -> {report.after} tokens"
    if report.outcome == "unchanged":
        return ""
    if report.outcome == "compacted":
        gone = f"{report.dropped} messages dropped, {report.kept} kept"
        if report.reduced:
            gone += f"; given up: {', '.join(report.reduced)}"
        return f"compacted, {sizes}: {gone}; {report.recall} brings them back"
    if report.outcome == "spilled":
        return f"spilled {len(report.spilled)} results, {sizes}; {report.reason}"
    if report.outcome == "aged":
        return f"spilled {len(report.spilled)} older results, {sizes}; {report.reason}"
    return f"not compacted: {report.reason}"


def first_difference(before: list[bytes], after: list[bytes]) -> int:
    """The offset of the first byte in which two lists of lines differ; -1 if none."""
    offset = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            return offset + _common(old, new)
        offset += len(old) + 1
    return -1 if len(before) == len(after) else offset


def _common(old: bytes, new: bytes) -> int:
    """The length of the common prefix, by halving: slices compare at C speed."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[:middle] == new[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
