"""The act of spilling: decisions are planned, written down, and replayed.

Must not know records, streams or formats; those are the scanner's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from mewctl.errors import Locked, MewError, StorageError, Unsafe
from mewctl.spill import entries
from mewctl.spill.groups import Limits
from mewctl.spill.parts import body_text, preview_digests
from mewctl.spill.piece import DataPiece, Piece
from mewctl.spill.planning import Lot, Plan, Planner
from mewctl.spill.preview import Style, make, make_for_data
from mewctl.spill.rebuild import rebuilt
from mewctl.spill.vault import Taken, Vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from mewctl.history.view import Result
    from mewctl.spill.piece import Key, Scope
    from mewctl.spill.preview import Body, Lang, Mode

_TRIES = 3  # drafts are made anew when somebody took a name meanwhile

#: For each result of a group: the text that stands for it, None for its own.
Texts: TypeAlias = "list[str | None]"


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for. A limit of None was not asked for, in bytes.

    ``lang`` None: that of the user's messages. ``relimit``: the limits asked for bind
    from now on, whatever the ledger was bound to. ``dry``: write nothing at all.
    ``replay``: decide nothing new either, only repeat what was decided.
    """

    single: int | None = None
    aggregate: int | None = None
    relimit: bool = False
    mode: Mode = "both"
    lang: Lang | None = None
    dry: bool = False
    replay: bool = False


@dataclass(slots=True)
class Tally:
    """What a run did: bodies that left the history, their bytes, and failures."""

    spilled: int = 0
    size: int = 0
    failed: int = 0


class Spiller:
    """Decides about groups in the order of the history.

    ``say`` takes warnings: a directory that cannot be used is one, and then everything
    stays in the history. Raises ``ConfigError`` for a ledger of a later version.
    """

    def __init__(
        self, vault: Vault, options: Options, say: Callable[[str], None]
    ) -> None:
        self.tally = Tally()
        self._vault = vault
        self._ledger = vault.ledger
        self._options = options
        self._say = say
        self._lang: Lang | None = options.lang
        self._passed: set[int] = set()
        self._unsaved: set[Key] = set()  # replaced, but the body cannot be saved again
        self._counts: dict[int, int] = {}
        self._closed = options.replay  # nothing new is decided, or can be written
        try:
            vault.open()
        except (StorageError, Unsafe) as error:
            self._ledger.forget()
            self._refused(error)
        self.limits = self._bind()
        self._planner = Planner(vault, self.limits, self._passed, self._maker)
        if self._ledger.damaged and not self._closed:
            self._carry_out(Plan)

    @property
    def directory(self) -> str:
        """Where bodies go."""
        return self._vault.directory

    @property
    def base(self) -> int:
        """Texts of no more bytes than this together exceed no limit, now or earlier."""
        return min(self.limits.smallest, self._ledger.smallest or self.limits.smallest)

    @property
    def floor(self) -> int | None:
        """Size of the smallest body that was replaced whatever its size, in bytes."""
        return self._ledger.floor

    def replays(self, of: entries.Of) -> bool:
        """Whether anything of a kind was ever replaced."""
        return any(entry.of == of for entry in self._ledger.entries())

    def settle(self, lots: Sequence[Lot]) -> list[Texts]:
        """Decide about some groups, in order; the texts that stand for their results.

        All decisions of a batch are on the disk when this returns.
        """
        for lot in lots:
            self._count(lot)
        plan = Plan()
        if not self._closed and any(map(self._planner.has_news, lots)):
            plan = self._carry_out(lambda: self._planner.plan(lots))
        texts = [
            [self._text(piece, plan, lot.group.scope) for piece in lot.pieces]
            for lot in lots
        ]
        for lot, said in zip(lots, texts, strict=True):
            if lot.group.scope != "short":
                stand = zip(lot.pieces, said, strict=True)
                self._passed.update(hash(p.key) for p, text in stand if text is None)
        return texts

    def _count(self, lot: Lot) -> None:
        """Number the groups that hold the same text of a call, or its preview."""
        results = lot.group.results
        seen: set[Key] = {
            ("result", result.call_id, digest)
            for result in results
            for digest in preview_digests(result)
        }
        if lot.group.scope == "short" and not seen:
            return
        for piece in lot.pieces:
            if piece.text:
                seen.add(piece.key)
                piece.nth = self._counts.get(hash(piece.key), 0)
        for number in set(map(hash, seen)):
            self._counts[number] = self._counts.get(number, 0) + 1

    def spill(
        self,
        pieces: Sequence[Piece],
        reason: str,
        said: Callable[[], Iterable[str]],
        *,
        brief: bool = False,
    ) -> Texts:
        """Replace pieces whatever their size, as far as a preview is smaller.

        The texts that stand for them; ``brief``: shorter ones, as for age. What was
        kept may be replaced this way, once.
        """

        def plan() -> Plan:
            made = Plan()
            for piece in pieces:
                place = self._vault.find(piece, "short")
                if place or not piece.text or piece.key in made.drafts:
                    continue
                maker = self._maker(piece, said, brief=brief)
                draft = self._vault.draft(piece, maker, reason, short=True)
                if draft is not None:
                    made.drafts[piece.key] = draft
            return made

        done = Plan() if self._closed else self._carry_out(plan)
        return [self._text(piece, done, "short") for piece in pieces]

    def preview(
        self, piece: Piece, said: Callable[[], Iterable[str]], *, brief: bool
    ) -> str | None:
        """What ``spill`` would put in its place, but for the name of the file."""
        return self._maker(piece, said, brief=brief)(
            self._vault.body(piece, piece.name)
        )

    def replay(self, piece: Piece) -> str | None:
        """The text that an earlier decision, whatever the size, put in its place."""
        return self._text(piece, Plan(), "short")

    # --- inside ---

    def _bind(self) -> Limits:
        """The limits that hold: those the ledger is bound to, once it is."""
        asked, bound = self._options, self._ledger.limits
        base = bound or Limits()
        wanted = Limits(
            base.single if asked.single is None else asked.single,
            base.aggregate if asked.aggregate is None else asked.aggregate,
        )
        if bound is None or asked.relimit:
            return wanted
        if wanted != bound:
            self._say(
                f"{self._ledger.path}: bound to limits of {bound.single} and "
                f"{bound.aggregate} bytes; others are ignored without --relimit"
            )
        return bound

    def _text(self, piece: Piece, plan: Plan, scope: Scope) -> str | None:
        draft = plan.drafts.get(piece.key)
        if draft is not None and (draft.short or scope == "all"):
            return draft.text
        place = self._vault.find(piece, scope)
        if place is None or not place.entry.replaced:
            return None
        if piece.key in self._unsaved or (
            self._closed and self._vault.is_lost(place, piece)
        ):
            return None  # no preview without a body: nothing is lost comes first
        try:
            return self._ledger.preview(place) or self._preview_anew(piece, scope)
        except (StorageError, Unsafe) as error:
            self._refused(error)
            return None

    def _preview_anew(self, piece: Piece, scope: Scope) -> str | None:
        """The same where somebody mended the ledger: the line is elsewhere now."""
        self._ledger.reread()
        place = self._vault.find(piece, scope)
        return self._ledger.preview(place) if place else None

    def _refused(self, error: MewError) -> None:
        """Say that the directory cannot be used; from now on nothing is tried in it."""
        self._closed = True
        self.tally.failed += 1
        self._say(f"{error}; what would be spilled stays in the history")

    def _maker(
        self, piece: Piece, said: Callable[[], Iterable[str]], *, brief: bool = False
    ) -> Callable[[Body], str | None]:
        if self._lang is None:
            self._lang = self._ledger.lang or _detect(said())
        style = Style(self._options.mode, self._lang, brief)
        if isinstance(piece, DataPiece):
            return lambda body: make_for_data(body, piece.media_type, style)
        return lambda body: make(body, style)

    def _carry_out(self, planned: Callable[[], Plan]) -> Plan:
        """Plan and write down, under the lock; an empty plan where that failed."""
        if self._options.dry:
            return planned()
        try:
            with self._vault.locked():
                self._mend()
                for _ in range(_TRIES):
                    plan = planned()
                    try:
                        return self._commit(plan)
                    except Taken:
                        self._vault.bodies.forget()
        except (StorageError, Locked, Unsafe) as error:
            self._refused(error)
        return Plan()

    def _commit(self, plan: Plan) -> Plan:
        for key, error in self._vault.heal(plan.lost).items():
            self._unsaved.add(key)
            self._say(f"{error}; the text stays in the history")
            self.tally.failed += 1
        drafts = plan.drafts
        failed = self._vault.commit(
            list(drafts.values()), list(plan.kept.values()), self._head(plan)
        )
        for key, error in failed.items():
            del drafts[key]
            if not self.tally.failed:
                self._say(f"{error}; what would be spilled stays in the history")
            self.tally.failed += 1
        self.tally.spilled += len(drafts)
        self.tally.size += sum(draft.piece.size for draft in drafts.values())
        return plan

    def _head(self, plan: Plan) -> list[dict[str, Any]]:
        """What must stand in the ledger before the decisions of ``plan``."""
        head = []
        bound = self._ledger.limits
        if bound is None or (self._options.relimit and bound != self.limits):
            head.append(entries.header(self.limits))
        if plan.drafts and not self._ledger.lang and self._lang:
            head.append(entries.language(self._lang))
        return head

    def _mend(self) -> None:
        """Rebuild a damaged ledger from its good lines and the bodies."""
        if not self._ledger.damaged and not self._ledger.is_torn():
            return
        style = Style(self._options.mode, self._ledger.lang or self._lang or "en")
        more = rebuilt(self._vault, style, self.limits.smallest)
        aside = self._ledger.mend(entries.header(self.limits), more)
        self._say(f"{self._ledger.path}: damaged; set aside as {aside} and rebuilt")


def piece_of(result: Result) -> Piece:
    """A result as what may leave the history."""
    return Piece("result", result.call_id, body_text(result), failed=result.is_error)


def _detect(texts: Iterable[str]) -> Lang:
    from mewctl.history.language import detect

    return detect(texts)
