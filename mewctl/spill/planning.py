"""What is to be decided about groups, before anything is written down.

Brings sizes and limits (``groups``) together with earlier decisions (``vault``) and
what previews would look like. Runs under the directory's lock and writes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from mewctl.spill import groups
from mewctl.spill.groups import Item
from mewctl.spill.piece import Kept
from mewctl.spill.reads import recovery, window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from mewctl.history.view import Call, Result
    from mewctl.spill.groups import Limits, State
    from mewctl.spill.piece import Draft, Key, Piece, Scope
    from mewctl.spill.preview import Body
    from mewctl.spill.vault import Vault

_READ_BACK = "read back from a spill directory, cut to a window"


@dataclass(frozen=True, slots=True)
class Group:
    """Results that answer one assistant message, and how to get at its calls.

    ``said``: texts of the user from before it. ``complete``: no other results can come.
    """

    results: Sequence[Result]
    calls: Callable[[], Mapping[str, Call]]
    said: Callable[[], Iterable[str]]
    complete: bool = True
    scope: Scope = "all"


@dataclass(frozen=True, slots=True)
class Lot:
    """A group, and its results as pieces."""

    group: Group
    pieces: Sequence[Piece]


@dataclass(slots=True)
class Plan:
    """Decisions that are not written down yet.

    ``lost``: bodies of earlier decisions, gone or damaged. ``passed``: keys that
    stay undecided in the history.
    """

    drafts: dict[Key, Draft] = field(default_factory=dict)
    kept: dict[Key, Kept] = field(default_factory=dict)
    lost: list[tuple[str, Piece]] = field(default_factory=list)
    passed: set[Key] = field(default_factory=set)

    def state(self, key: Key) -> State | None:
        """What an earlier group of this plan decided about ``key``."""
        if key in self.drafts:
            return "replaced"
        return "kept" if key in self.kept else None


class Maker(Protocol):
    """Gives what makes the preview of a piece, after what the user said before it."""

    def __call__(
        self, piece: Piece, said: Callable[[], Iterable[str]]
    ) -> Callable[[Body], str | None]:
        """A function from a body to the text that stands for it."""


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans for groups in the order of the history.

    ``passed`` holds hashes of keys that stay in the history undecided since earlier in
    the run: what stood there once may not be replaced later on.
    """

    vault: Vault
    limits: Limits
    passed: AbstractSet[int]
    make: Maker

    def has_news(self, lot: Lot) -> bool:
        """Whether a group may need a decision that is not written down. Cheap."""
        plan = Plan()
        items = [self._item(piece, plan, lot.group.scope) for piece in lot.pieces]
        if plan.lost:
            return True
        if lot.group.scope == "short" or all(item.state != "open" for item in items):
            return False
        return not lot.group.complete or self._is_over(items)

    def plan(self, lots: Sequence[Lot]) -> Plan:
        """What is to be decided about ``lots``."""
        plan = Plan()
        for lot in lots:
            self._add(lot, plan)
        return plan

    def _is_over(self, items: Sequence[Item]) -> bool:
        return self.limits.exceeded(
            [item.size for item in items if item.state in ("open", "kept")]
        )

    def _add(self, lot: Lot, plan: Plan) -> None:
        items = [self._item(piece, plan, lot.group.scope) for piece in lot.pieces]
        if lot.group.scope == "short":
            return
        self._set_reads_aside(lot, items, plan)

        def shrinks(n: int) -> bool:
            piece = lot.pieces[n]
            if self._stands(piece, plan):
                return False
            draft = self.vault.draft(piece, self.make(piece, lot.group.said), "")
            if draft is not None:
                plan.drafts[piece.key] = draft
            return draft is not None

        choices = groups.plan(items, self.limits, shrinks, complete=lot.group.complete)
        for piece, choice in zip(lot.pieces, choices, strict=True):
            if choice.action == "replace":
                draft = plan.drafts[piece.key]
                plan.drafts[piece.key] = replace(draft, reason=choice.reason)
            elif choice.action == "keep":
                nth = self._nth(piece, plan)
                plan.kept[piece.key] = Kept(piece, choice.reason, nth)
            elif piece.key not in plan.drafts:
                plan.passed.add(piece.key)

    def _item(self, piece: Piece, plan: Plan, scope: Scope) -> Item:
        state: State = "open"
        early = plan.state(piece.key)
        if not piece.text:  # nothing but previews, or nothing at all
            state = "aside"
        elif early == "kept" or (early == "replaced" and scope == "all"):
            state = early
        elif place := self.vault.find(piece, scope):
            state = "replaced" if place.entry.replaced else "kept"
            if self.vault.is_lost(place, piece):
                plan.lost.append((place.entry.file, piece))
        return Item(piece.size, piece.key, state)

    def _nth(self, piece: Piece, plan: Plan) -> int | None:
        """Which time a piece stays, where others of its key have left."""
        known = self.vault.find(piece, "all")
        left = piece.key in plan.drafts or (known is not None and known.entry.replaced)
        return piece.nth if left else None

    def _stands(self, piece: Piece, plan: Plan) -> bool:
        """Whether the same bytes of the same call stand earlier in the history."""
        return piece.key in plan.passed or hash(piece.key) in self.passed

    def _set_reads_aside(self, lot: Lot, items: list[Item], plan: Plan) -> None:
        """Take what was read back from a spill directory out of the arithmetic."""
        if not self._is_over(items):
            return
        calls = lot.group.calls()
        for n, piece in enumerate(lot.pieces):
            call = calls.get(piece.call_id)
            if items[n].state != "open" or call is None:
                continue
            read = recovery(call, self.vault.directory)
            if read is None:
                continue
            items[n] = replace(items[n], state="aside")
            if piece.size > self.limits.single and not self._stands(piece, plan):
                cut = _always(window(piece.text, read))
                draft = self.vault.draft(piece, cut, _READ_BACK)
                if draft is not None:
                    plan.drafts[piece.key] = draft


def _always(text: str | None) -> Callable[[Body], str | None]:
    return lambda _: text
