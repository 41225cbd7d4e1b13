"""What the reader of Claude Code's transcripts says it met and left out.

One note for each compaction; one note for each kind of record that was left out, with
its count. Must not decide what is left out.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mewctl.transcripts import telling
from mewctl.transcripts.claude_index import SPOKEN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.transcripts import Report
    from mewctl.transcripts.claude_groups import Item
    from mewctl.transcripts.claude_index import Boundary, Entry, Index
    from mewctl.transcripts.claude_tree import Tree


def tell_boundaries(
    index: Index, order: Sequence[int], report: Report, *, full: bool
) -> None:
    """Note the compactions of the branch ``order`` and all partial ones."""
    for at in order:
        entry = index.entries[at]
        if entry.boundary is not None:
            what = "a compaction" if full else "the history begins after a compaction"
            report.add(entry.line, "boundary", f"{what} ({_about(entry.boundary)})")
    for line, count in index.microcompactions:
        text = f"{count} results were cleared from the old context; they are kept here"
        report.add(line, "boundary", text)


def _about(boundary: Boundary) -> str:
    return f"{boundary.trigger or 'unknown trigger'}, {boundary.tokens} tokens before"


def tell_left_out(
    index: Index,
    tree: Tree,
    items: Sequence[Item],
    gone: set[str],
    silent: Counter[str],
    report: Report,
) -> None:
    """Count what is not told, and put the notes into the order of the input."""
    told = [item for item in items if isinstance(item, int)]
    live = set(told)
    names = {tree.entries[at].uuid for at in told} - {""}
    cut = told[0] if told and tree.entries[told[0]].boundary is not None else 0
    counts = Counter(silent)
    for at, entry in enumerate(tree.entries):
        if at in live and entry.boundary is not None:
            continue  # told by a note of its own
        if at not in live or entry.kind not in SPOKEN:
            named = entry.uuid in names
            counts[_left_out(entry, tree, gone, named=named, early=at < cut)] += 1
        elif entry.synthetic:
            counts["errors of the API"] += 1
    for kind, count in index.others.items():
        counts[f"{kind} records"] += count
    telling.tell_left_out(counts, report)


def _left_out(
    entry: Entry, tree: Tree, gone: set[str], *, named: bool, early: bool
) -> str:
    """What an entry that is not told is. ``named``: another of its name is told."""
    if entry.kind not in SPOKEN:
        return f"{entry.kind} records"
    if entry.uuid in gone:
        return "records taken back or replaced"
    if named:
        return "copies of records"
    if entry.side != tree.side:
        return "records of sub-agents"
    return f"records {'before the compaction' if early else 'of rewound branches'}"
