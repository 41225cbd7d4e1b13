"""The live branch of a Claude Code transcript: which entries, in which order.

Pure. Records name their parent; the live branch is what leads from the newest leaf
back to the last compaction (or, with ``full``, to the beginning). Order is the order
of the links, never the time: messages that outlive a compaction keep old times.

Rules where the links do not help: a uuid that stands several times means the record
nearest before the one that names it; a parent that is missing, or that would close a
circle, means the record before it in the file. Must not read a record's text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mewctl.transcripts.claude_index import SPOKEN
from mewctl.transcripts.places import Places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.transcripts import Report
    from mewctl.transcripts.claude_index import Entry


class Branch(NamedTuple):
    """Live entries (positions in the index) in the order of the conversation.

    ``stale``: those whose reported usage counts a context that a compaction has ended.
    """

    order: list[int]
    stale: frozenset[int] = frozenset()


class Tree:
    """Finds entries by uuid, and the entry that each one hangs on.

    ``side``: the conversation is that of a sub-agent (a file that holds no other).
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self.side = not any(e.kind in SPOKEN and not e.side for e in entries)
        self._places = Places(entry.uuid for entry in entries)
        self._children = Places(entry.parent or "" for entry in entries)
        self._names: dict[str, bool] = {}

    def find(self, uuid: str, near: int) -> int | None:
        """The entry called ``uuid``: the nearest before ``near``, or the next after."""
        return self._places.find(uuid, near)

    def is_name(self, uuid: str) -> bool:
        """Whether ``uuid`` names one record and its copies, not several at once."""
        known = self._names.get(uuid)
        if known is None:
            named = [self.entries[at] for at in self._places.all(uuid)]
            known = len({(entry.kind, entry.message_id) for entry in named}) == 1
            self._names[uuid] = known
        return known

    def before(self, at: int) -> int | None:
        """The entry before ``at`` in the file, of the same conversation."""
        if self.entries[at].side != self.side:
            return None  # sub-agents run side by side: the one before may be another's
        for earlier in range(at - 1, -1, -1):
            if self.entries[earlier].side == self.side:
                return earlier
        return None

    def children(self, at: int) -> list[int]:
        """The entries that hang on ``at``, in the order of the file."""
        named = self._children.all(self.entries[at].uuid)
        return [child for child in named if self.find_parent(child) == at]

    def find_parent(self, at: int) -> int | None:
        """The entry that ``at`` names as its parent, if it is there."""
        parent = self.entries[at].parent
        return self.find(parent, at) if parent else None

    def below(self, at: int, taken: set[int]) -> list[int]:
        """Attachments, notes and progress that hang on ``at``, directly or in a chain.

        They end at the next message or boundary and at entries that are ``taken``;
        those found are added to it.
        """
        found: list[int] = []
        pending = [at]
        while pending:
            for child in self.children(pending.pop()):
                entry = self.entries[child]
                ends = entry.kind in ("user", "assistant") or entry.boundary
                if child not in taken and not ends:
                    taken.add(child)
                    found.append(child)
                    pending.append(child)
        return sorted(found)


def live_branch(
    tree: Tree, leaf_uuid: str, report: Report, *, full: bool = False
) -> Branch:
    """The live branch. ``leaf_uuid`` names its end; "" for the newest leaf."""
    named = tree.find(leaf_uuid, len(tree.entries)) if leaf_uuid else None
    if named is not None and tree.entries[named].side != tree.side:
        named = None
    leaf = newest_leaf(tree) if named is None else named
    if leaf is None:
        return Branch([])
    chain = walk(tree, leaf, report, full=full)
    if named is None:
        chain += tree.below(leaf, set(chain))
    if full:
        chain = _once(tree, chain)
    return _with_preserved(tree, chain, report)


def newest_leaf(tree: Tree, of: Sequence[int] | None = None) -> int | None:
    """The last message among the entries ``of`` (all), or what answers it.

    Writes overtake each other: an answer may stand before what it answers. Where there
    is no message at all, it is the last attachment.
    """
    entries = tree.entries
    side = entries[of[0]].side if of else tree.side
    among = range(len(entries)) if of is None else of

    def is_message(at: int) -> bool:
        entry = entries[at]
        return entry.kind in ("user", "assistant") and entry.side == side

    leaf = next((at for at in reversed(among) if is_message(at)), None)
    if leaf is None:
        shown = (at for at in reversed(among) if entries[at].kind == "attachment")
        return next((at for at in shown if entries[at].side == side), None)
    seen: set[int] = set()
    while leaf not in seen:
        seen.add(leaf)
        leaf = max((at for at in tree.children(leaf) if is_message(at)), default=leaf)
    return leaf


def walk(tree: Tree, leaf: int, report: Report, *, full: bool = False) -> list[int]:
    """The entries from the root, or from the last boundary unless ``full``."""
    chain: list[int] = []
    seen: set[int] = set()
    at: int | None = leaf
    unlinked = 0
    while at is not None:
        seen.add(at)
        chain.append(at)
        entry = tree.entries[at]
        link = _link(entry, full=full)
        if link is None:
            break
        parent = tree.find(link, at) if link else None
        if parent is None or parent in seen:
            if parent is not None:
                report.add(entry.line, "branch", "a circle of parents was cut here")
            elif link:
                report.add(entry.line, "branch", _missing(tree, at))
            else:
                unlinked += not (entry.boundary or entry.summary)
            parent = tree.before(at)
            while parent is not None and parent in seen:
                parent = tree.before(parent)
        elif tree.entries[parent].side != entry.side:
            parent = tree.before(at)  # a sub-agent hangs on what started it
        at = parent
    if unlinked:
        text = f"{unlinked} records name no parent: the one before each was taken"
        report.add(0, "branch", text)
    return chain[::-1]


def _link(entry: Entry, *, full: bool) -> str | None:
    """The uuid to go on to, "" for the record before, None for the end of the walk."""
    if entry.boundary is not None:
        return (entry.boundary.logical or entry.parent or "") if full else None
    if entry.parent is None and full and entry.summary:
        return ""  # older releases wrote the summary as a root, without a boundary
    return entry.parent


def _missing(tree: Tree, at: int) -> str:
    if tree.before(at) is None:
        return "the parent is missing: the history begins here"
    return "the parent is missing: the record before was taken"


def _once(tree: Tree, chain: list[int]) -> list[int]:
    """``chain`` without the copies that compactions append of what they preserve."""
    seen: set[str] = set()
    kept: list[int] = []
    for at in chain:
        uuid = tree.entries[at].uuid
        if uuid not in seen or not tree.is_name(uuid):
            kept.append(at)
            seen.add(uuid)
    return kept


def _with_preserved(tree: Tree, chain: list[int], report: Report) -> Branch:
    """``chain`` with what each of its compactions preserved, once, in its place."""
    order: list[int] = []
    stale: set[int] = set()
    known: set[str] = set()
    for part in _parts(tree, chain):
        bound = part[0]
        here = {tree.entries[at].uuid: at for at in part}
        kept = dict.fromkeys(
            here.get(tree.entries[at].uuid, at)
            for at in _preserved(tree, bound, report)
            if tree.entries[at].uuid not in known
        )
        kept.pop(bound, None)
        rest = [at for at in part if at not in kept]
        place = _place(tree, rest) if kept else 0
        part[:] = [*rest[:place], *kept, *rest[place:]]
        # What stands before a boundary (with ``full``) is in no usage reported after.
        stale.update(part if order else kept)
        order += part
        known.update(tree.entries[at].uuid for at in part)
    return Branch(order, frozenset(stale))


def _parts(tree: Tree, chain: Sequence[int]) -> list[list[int]]:
    """``chain`` cut before each boundary."""
    parts: list[list[int]] = []
    for at in chain:
        if not parts or tree.entries[at].boundary is not None:
            parts.append([])
        parts[-1].append(at)
    return parts


def _preserved(tree: Tree, bound: int, report: Report) -> list[int]:
    """The entries that the compaction at ``bound`` preserved, in their order."""
    entry = tree.entries[bound]
    boundary = entry.boundary
    if boundary is None or not (boundary.preserved or boundary.segment[1]):
        return []
    if not boundary.preserved:
        found = _segment(tree, bound, *boundary.segment)
        if not found:
            report.add(entry.line, "branch", "the preserved messages are not all there")
        return found
    places = [tree.find(uuid, bound) for uuid in boundary.preserved]
    missing = places.count(None)
    if missing:
        text = f"{missing} of {len(places)} preserved messages are missing"
        report.add(entry.line, "branch", text)
    return [at for at in places if at is not None]


def _segment(tree: Tree, bound: int, head: str, tail: str) -> list[int]:
    """The run from ``head`` to ``tail`` by the links; nothing if one is missing."""
    run: dict[int, None] = {}
    at = tree.find(tail, bound)
    while at is not None and at not in run:
        run[at] = None
        if tree.entries[at].uuid == head:
            return list(run)[::-1]
        at = tree.find_parent(at)
    return []


def _place(tree: Tree, rest: Sequence[int]) -> int:
    """Where preserved messages go in ``rest``, which begins with their boundary.

    After the anchor it names, else after the summary, else after the boundary.
    """
    boundary = tree.entries[rest[0]].boundary
    anchor = boundary.anchor if boundary else ""
    uuids = [tree.entries[at].uuid for at in rest]
    if anchor in uuids:
        return uuids.index(anchor) + 1
    return 2 if len(rest) > 1 and tree.entries[rest[1]].summary else 1
