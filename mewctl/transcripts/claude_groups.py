"""From live entries to units that become messages: joins, results, sub-agents.

Pure. Claude Code writes one record for each block of an assistant message and one for
each result; parallel calls part the tree, so that some of them hang beside the live
branch. Here they come together: all records of one assistant message, then the
records with the results of its calls. Must not read a record's text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from mewctl.transcripts.claude_index import SPOKEN, Entry
from mewctl.transcripts.claude_queue import Waiting
from mewctl.transcripts.claude_tree import Branch, Tree, newest_leaf, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mewctl.transcripts import Report

Item: TypeAlias = int | Waiting  # a live entry, or a prompt from the queue
_Key: TypeAlias = tuple[bool, str | int]  # what the records of one message share


class Unit(NamedTuple):
    """What becomes one message, or an assistant message and its results.

    ``members``: entries that are one message; ``results``: those that answer its
    calls. ``prompt``: a queued prompt, which is no entry. ``stale``: its usage counts
    a context that is gone. ``inner``: words between agents, none of the user's.
    """

    members: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    prompt: Waiting | None = None
    stale: bool = False
    inner: bool = False


class _Calls:
    """Which entry made the call that a result answers."""

    def __init__(self, tree: Tree, callers: Iterable[int]) -> None:
        self.tree = tree
        self.by_id: dict[str, list[int]] = defaultdict(list)
        for at in sorted(callers):
            for call in tree.entries[at].calls:
                self.by_id[call].append(at)

    def caller(self, at: int) -> int | None:
        """The caller of the first result of ``at`` that has one.

        Ids can stand twice (logs are redacted, agents restart): so the record that the
        result names comes first; without one, the nearest before the result.
        """
        entry = self.tree.entries[at]
        for call in entry.answers:
            callers = self.by_id.get(call)
            if not callers:
                continue
            named = self.tree.find(entry.source or entry.parent or "", at)
            if named is not None and call in self.tree.entries[named].calls:
                spot = bisect_left(callers, named)
                return named if callers[spot : spot + 1] == [named] else None
            return callers[max(0, bisect_left(callers, at) - 1)]
        return None


def _key(entry: Entry, at: int) -> _Key:
    return entry.side, entry.message_id or at


def superseded(tree: Tree, order: Iterable[int], retracted: set[str]) -> set[str]:
    """The uuids of ``retracted`` messages and of those that live ones replace."""
    gone = set(retracted)
    for at in order:
        entry = tree.entries[at]
        if entry.uuid not in retracted:
            gone.update(entry.supersedes)
    return {uuid for uuid in gone if tree.is_name(uuid)}


def complete(
    tree: Tree,
    order: Iterable[int],
    gone: set[str],
    among: Sequence[int] | None = None,
) -> list[int]:
    """``order`` without what is ``gone``, with what hangs beside it and is live too.

    That is, ``among`` all or some entries: records of a live assistant message,
    results of live calls that have no live result (the newest of several), and what
    is attached to those results.
    """
    entries = tree.entries
    kept = [at for at in order if entries[at].uuid not in gone]
    names = {entries[at].uuid for at in kept} - {""} | gone
    taken = set(kept)
    places = range(len(entries)) if among is None else among
    free = [at for at in places if at not in taken and entries[at].uuid not in names]
    groups = _groups(entries, kept)
    before: dict[int, list[int]] = defaultdict(list)
    after: dict[int, list[int]] = defaultdict(list)
    for key, siblings in _groups(entries, free).items():
        members = groups.get(key, [])
        for at in siblings if members else ():
            spot = bisect_left(members, at)
            later = spot < len(members)
            (before[members[spot]] if later else after[members[-1]]).append(at)
            taken.add(at)
    calls = _Calls(tree, (at for at in taken if entries[at].kind == "assistant"))
    for at, caller in _unanswered(tree, calls, kept, free):
        members = groups[_key(entries[caller], caller)]
        after[members[-1]] += [at, *tree.below(at, taken)]
    return [
        item for at in kept for item in (*before.get(at, ()), at, *after.get(at, ()))
    ]


def _groups(entries: Sequence[Entry], places: Iterable[int]) -> dict[_Key, list[int]]:
    """The assistant records among ``places``, by the message they belong to."""
    groups: dict[_Key, list[int]] = defaultdict(list)
    for at in places:
        if entries[at].kind == "assistant":
            groups[_key(entries[at], at)].append(at)
    return groups


def _unanswered(
    tree: Tree, calls: _Calls, kept: Iterable[int], free: Sequence[int]
) -> list[tuple[int, int]]:
    """Records of ``free`` that answer a call which none of ``kept`` answers.

    With their callers, in the order of the file.
    """

    def answered_by(at: int) -> tuple[int | None, set[tuple[int | None, str]]]:
        caller = calls.caller(at)
        return caller, {(caller, call) for call in tree.entries[at].answers}

    answered: set[tuple[int | None, str]] = set()
    for at in kept if free else ():
        answered |= answered_by(at)[1]
    found: list[tuple[int, int]] = []
    for at in reversed(free):
        caller, pairs = answered_by(at)
        if caller is not None and not pairs & answered:
            answered |= pairs
            found.append((at, caller))
    return found[::-1]


def weave(
    tree: Tree,
    order: list[int],
    gone: set[str],
    prompts: Sequence[Waiting],
    sides: Sequence[list[int]],
) -> list[Item]:
    """``order`` with queued prompts, and with sub-agents' branches where they began.

    Each goes after the entry that stood before it in the file, whatever is ``gone``
    left aside. What stood after an entry that is not live (it was rewound, or is
    before the compaction) is left out.
    """
    pieces: list[tuple[int, list[Item]]] = [(p.at, [p]) for p in prompts]
    pieces += [(side[0], list(side)) for side in sides]
    if not pieces:
        return list(order)
    anchors = [
        at
        for at, entry in enumerate(tree.entries)
        if (entry.kind in SPOKEN or entry.boundary)
        and entry.side == tree.side
        and entry.uuid not in gone
    ]
    added: dict[int, list[Item]] = defaultdict(list)
    for at, piece in sorted(pieces, key=lambda item: item[0]):
        spot = bisect_left(anchors, at)
        added[anchors[spot - 1] if spot else -1] += piece
    live = set(order)
    copies = {tree.entries[at].uuid: at for at in order if tree.entries[at].uuid}
    for anchor in [at for at in added if at >= 0 and at not in live]:
        copy = copies.get(tree.entries[anchor].uuid)
        if copy is not None:
            added[copy] = added[anchor] + added[copy]
    woven: list[Item] = list(added[-1])
    for at in order:
        woven += (at, *added.get(at, ()))
    return woven


def side_branches(tree: Tree, report: Report) -> list[list[int]]:
    """The live branch of each sub-agent whose records stand in the file."""
    threads: dict[int, list[int]] = defaultdict(list)
    roots: dict[int, int] = {}
    for at, entry in enumerate(tree.entries):
        if entry.side != tree.side:
            threads[_root(tree, at, roots)].append(at)
    branches: list[list[int]] = []
    for places in threads.values():
        leaf = newest_leaf(tree, places)
        if leaf is not None:
            branches.append(complete(tree, walk(tree, leaf, report), set(), places))
    return branches


def _root(tree: Tree, at: int, roots: dict[int, int]) -> int:
    """The entry that began the sub-agent of ``at``; ``roots`` remembers the answers."""
    path: dict[int, None] = {}
    while at not in roots and at not in path:
        path[at] = None
        parent = tree.find_parent(at)
        if parent is None or tree.entries[parent].side == tree.side:
            break
        at = parent
    root = roots.get(at, at)
    roots.update(dict.fromkeys(path, root))
    return root


def units(tree: Tree, items: Sequence[Item], branch: Branch) -> Iterator[Unit]:
    """The units of the conversation, in order.

    An assistant message stands where its first record stands, with all its results;
    results of no live call stay where they are.
    """
    entries = tree.entries
    places = [item for item in items if isinstance(item, int)]
    groups = _groups(entries, places)
    calls = _Calls(tree, (at for members in groups.values() for at in members))
    results: dict[_Key, list[int]] = defaultdict(list)
    told: set[int] = set()
    for at in places:
        caller = calls.caller(at)
        if caller is not None:
            results[_key(entries[caller], caller)].append(at)
            told.add(at)
    for item in items:
        if isinstance(item, Waiting):
            yield Unit(prompt=item)
        elif item not in told:
            inner = entries[item].side != tree.side
            key = _key(entries[item], item)
            members = groups.get(key, [item])
            told.update(members)
            stale = not branch.stale.isdisjoint(members)
            answers = sorted(results.get(key, ()))
            yield Unit(tuple(members), tuple(answers), None, stale, inner)
