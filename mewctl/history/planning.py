"""The plan of a repair: what each message of a valid history is made of, and why.

Works on shapes; content is looked at only to tell whether two assistant messages are
one response. Must not build records: ``history.repair`` carries the plan out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl.history.findings import Finding
from mewctl.history.joining import Row
from mewctl.history.pairing import Place, pair, rename
from mewctl.history.shape import (
    BLANK,
    BODY,
    DANGLING,
    ENDS_THINKING,
    ENVELOPE,
    HOLLOW,
    LATE_RESULTS,
    MALFORMED,
    OPAQUE,
    STRAY,
    UNSIGNED,
    UNTIDY,
)
from mewctl.history.steps import Absent, Answer, Own, Step
from mewctl.history.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from mewctl.history.findings import Kind
    from mewctl.history.rules import Rules
    from mewctl.history.shape import Shape
    from mewctl.history.steps import Piece, Progress, Where


class Planner:
    """The repair of a stretch of a history whose calls and results are all in it.

    ``where`` says where the i-th message stands, ``same_response`` of two whether they
    are parts of one provider response. ``end``: nothing comes after the stretch.
    ``progress`` is brought up to date while the steps are taken.
    """

    def __init__(
        self,
        shapes: Sequence[Shape],
        progress: Progress,
        rules: Rules,
        where: Callable[[int], Where],
        same_response: Callable[[int, int], bool],
        *,
        end: bool,
    ) -> None:
        self.shapes = shapes
        self.progress = progress
        self.rules = rules
        self.where = where
        self.found: list[Finding] = []
        self.row = Row(shapes, progress, rules, self._find, same_response)
        self.pairing = pair(shapes)
        self.verdict = judge(shapes, self.pairing, progress, rules, end=end)
        self.told: set[int] = set()  # what went together with results that it precedes
        self._report_strays()
        rename(shapes, self.pairing, progress.ids, rules)

    def steps(self) -> Iterator[Step]:
        """The repaired messages, in order."""
        for i, shape in enumerate(self.shapes):
            self._emit(i, shape)
            yield from self.row.ready()
        yield from self.row.rest()

    def findings(self) -> list[Finding]:
        """What was wrong, in the order of the input, once all steps were taken."""
        return sorted(self.found, key=lambda finding: finding.message)

    def _find(
        self, i: int, kind: Kind, detail: str, repair: str, call_id: str | None = None
    ) -> None:
        line, message = self.where(i)
        self.found.append(Finding(kind, line, message, detail, repair, call_id))

    def _report_strays(self) -> None:
        here = {call_id for shape in self.shapes for call_id in shape.calls}
        for place in self.pairing.strays:
            call_id = self._result_id(place)
            answered = call_id in here or call_id in self.progress.ids.taken
            why = "its call is answered by another result"
            if not answered:
                why = "no call of this history has its id"
            self._find(place.item, "orphan-result", why, "left out", call_id)

    def _result_id(self, place: Place) -> str:
        return self.shapes[place.item].results[place.nth]

    # --- one message after the other ---

    def _emit(self, i: int, shape: Shape) -> None:
        """Add the steps that stand where the ``i``-th message stood."""
        if not shape.role:
            if i not in self.told:
                self.row.keep(i)
        elif i == self.verdict.cut:
            self._report_cut(i, shape)
        elif shape.role == "assistant":
            self._emit_assistant(i, shape)
        else:
            self._emit_other(i, shape)

    def _report_cut(self, i: int, shape: Shape) -> None:
        for call_id in shape.calls:
            self._find(
                i,
                "orphan-call",
                "no result is recorded, and the history ends here",
                "the message is cut",
                call_id,
            )

    def _emit_assistant(self, i: int, shape: Shape) -> None:
        lost = i in self.verdict.lost
        if lost:
            self._find(i, "parted-thinking", _why_lost(shape), "left out")
        if not self.verdict.says(i):
            if not lost and not shape.results:
                self._find(i, "empty-content", "the message says nothing", "left out")
            return
        self._report_untidy(i, shape)
        renamed = self._renamed(i, shape)
        whole = not (shape.has & UNTIDY or renamed or shape.results or lost)
        own = Own(i, thinking=not lost, renamed=renamed)
        self.row.add(Step("assistant", (own,), i, whole))
        if shape.calls:
            self._add_results(i)

    def _renamed(self, i: int, shape: Shape) -> tuple[tuple[int, str], ...]:
        renamed: list[tuple[int, str]] = []
        for nth, call_id in enumerate(shape.calls):
            new = self.pairing.renamed.get(Place(i, nth))
            if new is None:
                continue
            renamed.append((nth, new))
            repair = f"renamed to {new}, with its result"
            if self.rules.call_id.fullmatch(call_id):
                why = "an earlier call has this id"
                self._find(i, "duplicate-id", why, repair, call_id)
            else:
                why = "the API takes no such id"
                self._find(i, "refused-id", why, repair, call_id)
        return tuple(renamed)

    def _emit_other(self, i: int, shape: Shape) -> None:
        """A message that is not the assistant's, without results that have a place."""
        if shape.has & STRAY:
            what = f"a call or thinking in a message of the {shape.role}"
            self._find(i, "misplaced-part", what, "left out")
        if i in self.told:
            return
        if not self.verdict.says(i):
            self._report_nothing(i, shape)
        elif shape.role == "system":
            self._emit_system(i, shape)
        else:
            self._emit_own("user", i, shape)

    def _emit_own(self, role: str, i: int, shape: Shape) -> None:
        self._report_untidy(i, shape)
        whole = not (shape.has & UNTIDY or shape.results)
        self.row.add(Step(role, (Own(i),), i, whole))

    def _emit_system(self, i: int, shape: Shape) -> None:
        if not (self.rules.strict_blocks and self.progress.started):
            self._emit_own("system", i, shape)
        elif shape.has & OPAQUE:  # what only a system message can hold
            self._report_untidy(i, shape)
            self.row.keep(i, whole=not (shape.has & UNTIDY or shape.results))
        else:
            self._find(
                i,
                "late-system",
                "system text after the first user message",
                "made a reminder in a user message",
            )
            self.row.add(Step("user", (Own(i, reminder=True),), None))

    def _report_nothing(self, i: int, shape: Shape) -> None:
        """A message with nothing to say but results that stand elsewhere, or none."""
        if shape.role == "tool" and not shape.results:
            why = "a tool message without a result"
            self._find(i, "orphan-result", why, "left out")
        elif shape.has & BODY:
            why = "text of a tool message that has lost its results"
            self._find(i, "misplaced-part", why, "left out")
        elif not shape.results and not shape.has & STRAY:
            self._find(i, "empty-content", "the message says nothing", "left out")

    def _report_untidy(self, i: int, shape: Shape) -> None:
        if shape.has & MALFORMED:
            why = "a part is not as the API asks for it"
            repair = "set right, or left out where nothing is in it"
            self._find(i, "malformed-part", why, repair)
        if shape.has & HOLLOW:
            why = "an item of the message says nothing"
            self._find(i, "empty-content", why, "left out")
        if not shape.has & BLANK:
            return
        why, repair = "a result without content", "given empty content"
        if self.rules.strict_blocks:
            why = "blank text, or an error result without text"
            repair = "blank text left out, an error given a text that says so"
        self._find(i, "empty-content", why, repair)

    # --- the results of one assistant message ---

    def _add_results(self, i: int) -> None:
        sources = self.pairing.answers.get(i, {})
        run = self._run_after(i, sources)
        absent = self._absent(i)
        # An envelope holds a record of any format, whose results may stand one by one.
        loose = self.shapes[i].has & ENVELOPE and len(sources) + len(absent) > 1
        if self.rules.together and not loose:
            home = next(iter(run), None)
            self._report_moves(i, home, run, "split-results")
            self._add_together(i, sources, home, absent)
            return
        self._report_moves(i, None, run, None)
        before = i
        for j in sources:
            if j in run:
                self._keep_between(before, j)
                before = j
            base = j if self._holds_results(j) else None
            whole = base is not None and self._exact(i, j) and not self._body(j)
            self.row.add(Step("tool", self._answers(i, j), base, whole))
        for piece in absent:
            self.row.add(Step("tool", (piece,), None))

    def _absent(self, i: int) -> tuple[Absent, ...]:
        absent: list[Absent] = []
        for call in self.pairing.open.get(i, ()):
            absent.append(Absent(call, self.pairing.renamed.get(call, "")))
            self._find(
                i,
                "orphan-call",
                "no result is recorded",
                "answered by an error result that says so",
                self.shapes[i].calls[call.nth],
            )
        return tuple(absent)

    def _run_after(self, i: int, sources: Container[int]) -> dict[int, None]:
        """The messages directly after the ``i``-th that hold results of its calls."""
        run: dict[int, None] = {}
        for j in range(i + 1, len(self.shapes)):
            if j in sources and self._holds_results(j):
                run[j] = None
            if self.verdict.says(j):
                break
        return run

    def _keep_between(self, i: int, j: int) -> None:
        """Keep what is no message where it is, before results that keep their place."""
        for between in range(i + 1, j):
            if not self.shapes[between].role:
                self.row.keep(between)
                self.told.add(between)

    def _holds_results(self, j: int) -> bool:
        return self.shapes[j].role in self.rules.result_roles

    def _body(self, j: int) -> int:
        return self.shapes[j].has & BODY

    def _answers(self, i: int, j: int) -> tuple[Answer, ...]:
        """The results in message ``j`` that answer calls of message ``i``."""
        return tuple(
            Answer(result, self.pairing.renamed.get(call, ""))
            for call, result in self.pairing.answers[i][j]
        )

    def _exact(self, i: int, j: int) -> bool:
        """Whether the results of message ``j`` can stay as they are, for ``i``."""
        shape, answers = self.shapes[j], self._answers(i, j)
        return (
            len(answers) == len(shape.results)
            and not any(answer.call_id for answer in answers)
            and not shape.has & UNTIDY
        )

    def _report_moves(
        self,
        i: int,
        home: int | None,
        run: Container[int],
        within: Kind | None,
    ) -> None:
        """Report results that change their place; those ``within`` the run as that."""
        for j, answers in self.pairing.answers.get(i, {}).items():
            if j == home or not self.verdict.says(j):
                self._report_untidy(j, self.shapes[j])
            kind: Kind | None = within if j in run else "misplaced-result"
            if j == home or kind is None:
                continue
            why = "the result does not stand directly after its call"
            if kind == "split-results":
                why = "the results of one message stand in several"
            for _, result in answers:
                repair = "moved to its place"
                self._find(j, kind, why, repair, self._result_id(result))

    def _add_together(
        self,
        i: int,
        sources: Mapping[int, object],
        home: int | None,
        absent: tuple[Absent, ...],
    ) -> None:
        """Add one message with all results of message ``i``, built upon ``home``."""
        base = home
        if home is None:
            base = next((j for j in sources if self._holds_results(j)), None)
        whole = (
            base is not None
            and list(sources) == [base]
            and not absent
            and self._exact(i, base)
            and (base == home or not self._body(base))
        )
        pieces: list[Piece] = [p for j in sources for p in self._answers(i, j)]
        pieces += absent
        if home is not None and self._body(home):
            pieces.append(Own(home))
            self.told.add(home)
            if self.shapes[home].has & LATE_RESULTS:
                why = "something stands before the results of a message"
                self._find(home, "text-before-results", why, "results put first")
        if home is not None:
            self._keep_between(i, home)
        if base is not None and not whole and base not in self.told:
            # what is in an envelope may have no place for more than one result
            base = None if self.shapes[base].has & ENVELOPE else base
        role = "user" if self.rules.alternates else "tool"
        moved = base is not None and base != home
        self.row.add(Step(role, tuple(pieces), base, whole), moved=moved)


def _why_lost(shape: Shape) -> str:
    if shape.has & DANGLING:
        return "thinking without the item that it led to"
    if shape.has & UNSIGNED:
        return "thinking without a signature cannot be sent"
    if shape.has & ENDS_THINKING and not shape.calls:
        return "thinking cannot be the last word of a history"
    return "earlier thinking of the same tool loop is missing"
