"""How a context grew, turn by turn, and what made it shrink.

Fed with the messages of a transcript, history or session log in order. A size is what a
provider reported, an estimate where nobody did. Owns when a boundary is one; must not
print, and must not know where the messages came from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history import boundary
from mewctl.history.offloaded import recognise
from mewctl.history.usage import plus
from mewctl.history.view import Call, Result
from mewctl.history.words import earlier_summary, injected_parts, user_words
from mewctl.tokens.estimator import Tokens
from mewctl.tokens.report import Tally, head
from mewctl.tokens.timeline_events import About, Cut, Points, Size, Spill, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.history.view import Message, Part, Usage
    from mewctl.tokens.estimator import Estimator
    from mewctl.tokens.timeline_events import Kind

_SNAPSHOT = "state_snapshot"  # the element that Gemini CLI and Qwen Code sum up in


class Timeline:
    """Takes messages in order; after ``finish`` its parts are final.

    ``turns`` and ``events`` grow with the input, by a line each; the curve of sizes
    does not. ``redact``: what looks like a secret is masked in beginnings of texts.
    """

    def __init__(
        self,
        estimator: Estimator,
        *,
        biggest: int = limits.BIGGEST,
        redact: bool = True,
    ) -> None:
        self.tally = Tally(estimator, biggest=biggest, redact=redact)
        self.turns = [Turn(0, 1)]
        self.events: list[Spill | Cut] = []
        self.points = Points(limits.TIMELINE_POINTS)
        self.last = Size()
        self._redact = redact
        self._cut: Cut | None = None  # a boundary after which nobody answered yet
        self._snapshot = 0  # records of a marker's snapshot that are still to come
        self._overhead = 0  # unseen beside the messages, as usage before a cut told
        self._answered = False  # an assistant message went by
        self._measures = False  # ... with a usage that counts
        self._waited = False  # for an answer with usage after a boundary
        self._growing = False  # messages came since the last size
        self._reported = Size()  # the last that usage told, since the last boundary
        self._before: Message | None = None

    @property
    def turn(self) -> Turn:
        """The turn that goes on."""
        return self.turns[-1]

    def marker(self, about: About, time: float | None = None) -> None:
        """A compact marker: what the log holds next replaces what came before."""
        self._shrink("marker", about, time)
        self._snapshot = about.messages

    def add(self, message: Message, size: int | None = None) -> None:
        """The next message. ``size``: bytes of its record."""
        copied = self._snapshot > 0
        if message.usage is not None:  # of a snapshot it counts what is no more
            whole = None if copied else replace(message.usage, unseen=0)
            message = message.told(whole, message.cwd)
        if not copied and self._replaces(message):
            self._shrink("summary", About(), message.time)
        elif not copied and _is_said(message):
            self._begin_turn(message)
        if message.role == "assistant" and not copied:
            self._weigh_cut()
        self.tally.add(message, size)
        self.turn.messages += 1
        self._growing = True
        if copied:
            self._snapshot -= 1
            if not self._snapshot:
                self._weigh_cut()
        else:
            self.events.extend(self._spills(message))
            if message.role == "assistant":
                self._respond(message)
        self._before = message

    def finish(self) -> None:
        """There is no more."""
        self._weigh_cut()
        if self._cut is not None:
            self._cut.complete = not self._snapshot
            self._settle(self._cut)
        if self._growing:
            self._reach(self._size())
        if not self.turns[0].messages and len(self.turns) > 1:
            del self.turns[0]

    # --- sizes ---

    def _size(self) -> Size:
        """The context through the last message, what no message shows included."""
        gauge = self.tally.meter.gauge
        if gauge.anchor is not None and gauge.anchor.messages == gauge.messages:
            return Size(gauge.anchor.tokens, measured=True)
        base = float(self._overhead)
        return Size(gauge.context(None, Tokens(base, base)).tokens)

    def _reach(self, size: Size) -> None:
        self.last = self.turn.size = size
        self._growing = False
        self.turn.peak = max(self.turn.peak, size, key=lambda one: one.tokens)
        if self._answered or self.turn.number:  # before, what is unseen is not known
            self.points.add(self.tally.messages, self.turn.number, size)

    # --- turns ---

    def _begin_turn(self, message: Message) -> None:
        if self._growing and self._cut is None:
            self._reach(self._size())
        words = head(user_words(message), redact=self._redact)
        self.turns.append(
            Turn(
                self.turn.number + 1,
                self.tally.messages + 1,
                message.time,
                words,
                start=self.last.tokens,
                size=self.last,
                peak=self.last,
            )
        )

    def _respond(self, message: Message) -> None:
        """An answer of the model ends one request."""
        self._answered = True
        size, turn = self._size(), self.turn
        self._measures = self._measures or size.measured
        if self._cut is not None and not size.measured and self._measures:
            self._waited, waited = True, self._waited
            if not waited:  # an agent's own "Got it." to its summary: no request
                return
        if not message.continues(self._before):
            turn.requests += 1
        if size.measured and message.usage is not None:
            turn.usage = plus(turn.usage, message.usage)
            prompt = _prompt(message.usage)
            if self._cut is None and self._fell(prompt):
                number = self.tally.messages
                self._note_cut(Cut("fall", number, turn.number, self._reported))
            if self._cut is not None:
                self._cut.after = Size(prompt, measured=True)
                anew = message.usage.input + message.usage.cache_write
                self._cut.rewritten = Size(anew, measured=True)
        if self._cut is not None:
            self._settle(self._cut)
        self._reach(size)
        self._reported = size if size.measured else self._reported

    # --- what shrinks a context ---

    def _replaces(self, message: Message) -> bool:
        """Whether a message is a summary that stands for what came before it.

        In the middle of a conversation a user may quote one: there an agent has to have
        put it in, or it ends in our tag.
        """
        if self._cut is not None and self._cut.kind == "marker":
            return False  # it is what the marker brought
        if boundary.is_summary(message):
            return not self._answered or boundary.parse(message.text) is not None
        if message.injected and _SNAPSHOT in message.text:
            return any(name == _SNAPSHOT for name, _ in injected_parts(message.text))
        if not earlier_summary(message):
            return False
        return message.injected or not self._answered

    def _shrink(self, kind: Kind, about: About, time: float | None) -> None:
        """The history is replaced by what comes next."""
        if self._cut is not None:
            self._weigh_cut()
            self._settle(self._cut)
        before = self.last if self._answered else None
        number = self.tally.messages + 1
        known = self.tally.meter.gauge.unseen()
        self._overhead = self._overhead if known is None else known
        self.tally.restart()
        self._note_cut(Cut(kind, number, self.turn.number, before, time, about))

    def _note_cut(self, cut: Cut) -> None:
        self._cut, self._waited = cut, False
        self.turn.cuts += 1
        self.events.append(cut)

    def _weigh_cut(self) -> None:
        """What a boundary left is known, as an estimate, before anybody answers it."""
        if self._cut is not None and self._cut.after is None:
            self._cut.after = self._size()

    def _settle(self, cut: Cut) -> None:
        """What a boundary left is known for good: unanswered turns have it, too."""
        cut.rewritten = cut.rewritten or cut.after
        self._cut, self._reported = None, Size()
        left = cut.after or Size()
        for turn in self.turns[cut.turn :]:
            if turn.number > cut.turn:
                turn.start, turn.peak = left.tokens, left
            if turn is not self.turn or turn.number == cut.turn:
                turn.size = left
        self.last = left

    def _fell(self, prompt: int) -> bool:
        """Whether a request was so much smaller that something must have left."""
        before = self._reported.tokens
        lost = before - prompt
        return lost >= limits.FALL_LEAST and lost >= limits.FALL_SHARE * before

    # --- spills ---

    def _spills(self, message: Message) -> Iterator[Spill]:
        for part in message.parts:
            for text in _texts(part):
                known = recognise(text)
                if known is None or not isinstance(part, (Call, Result)):
                    continue
                call = part.id if isinstance(part, Call) else part.call_id
                estimator = self.tally.meter.estimator
                left = estimator.text(text)
                freed = estimator.behind(text, known).shown
                self.turn.spills += 1
                yield Spill(
                    self.tally.messages,
                    self.turn.number,
                    self.tally.tool_of(call),
                    call,
                    known,
                    round(left + freed),
                    round(left),
                )


def _texts(part: Part) -> list[str]:
    """The texts of a call or result that may be previews."""
    if isinstance(part, Result):
        return [part.text]
    if isinstance(part, Call) and not isinstance(part.input, str):
        return [value for value in part.input.values() if isinstance(value, str)]
    return []


def _is_said(message: Message) -> bool:
    """Whether a user begins a turn with it."""
    if message.role != "user" or message.injected or message.results:
        return False
    return bool(user_words(message) or message.images)


def _prompt(usage: Usage) -> int:
    """Tokens of the request, without its answer."""
    return max(0, usage.input + usage.cache_read + usage.cache_write)
