"""Facts from a history: fed with messages in order, asked at the end.

Knows which message says what, and hands it to those who keep it. Streams: what it
remembers is bounded (``limits``), except the user's words, which are never dropped.
Must not write prose, and must not take injected text for the user's.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.history import boundary, excerpt, text_calls
from mewctl.history.collect_commands import Commands
from mewctl.history.collect_files import Files
from mewctl.history.collect_said import Words
from mewctl.history.facts import CWD, Facts, LastCall, UserWords
from mewctl.history.language import Votes
from mewctl.history.reads import Reads
from mewctl.history.results import judge, notified, output, shown_text
from mewctl.history.todos import Todos
from mewctl.history.tools import classify
from mewctl.history.view import Call, Image, Result, Text
from mewctl.history.words import earlier_summary, injected_parts, user_words
from mewctl.streams.jsonvalue import utf8_size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewctl.history.results import Verdict
    from mewctl.history.tools import Action, ToolRule
    from mewctl.history.view import Message

_CWD = re.compile(r"<cwd>([^<\n]{1,4096})</cwd>")
_SYSTEM_CWD = re.compile(
    r"^\W{0,4}(?:Primary )?[Ww]orking directory: (/[^\n]*)$", re.MULTILINE
)
_CREATED = re.compile(
    r"created successfully|created and wrote|Successfully created|New file created"
    r"|Created (?:new )?file|created new file",
    re.IGNORECASE,
)
_NOTE_FIELD = re.compile(r"<(task-id|tool-use-id|status)>([^<]{1,200})</\1>")
_SHOWN_FROM_END = ("run", "poll")


def _cautious(text: str) -> int:
    """An estimate that is hardly ever too low, where the caller has no better one."""
    return utf8_size(text) // 2


@dataclass(slots=True)
class _Called:
    """A call, and what came of it. ``verdict`` is None until its result is there."""

    action: Action
    n: int
    why: str
    verdict: Verdict | None = None
    result: str = ""

    def fact(self) -> LastCall:
        """What is said of it among the last calls."""
        action, verdict = self.action, self.verdict
        if verdict is None:
            return LastCall(self.n, action.tool, action.target)
        shown = _excerpt(action, verdict, self.result)
        return LastCall(self.n, action.tool, action.target, verdict.outcome, shown)


class _Reason:
    """Words that came with changes: which changes they speak of.

    Those are the first changes after them, more changes of the same files, and files
    that they name. What is changed later on the words may not be about.
    """

    def __init__(self, text: str = "", n: int = 0) -> None:
        self.text = text
        self._first = n
        self._short = excerpt.sentences(text, limits.FACT_WHY)
        self._files: set[str] = set()

    def of(self, path: str, n: int) -> str:
        """Why ``path`` was changed in message ``n``, in short; or nothing."""
        name = path.rpartition("/")[2]
        if n != self._first and path not in self._files and name not in self.text:
            return ""
        self._files.add(path)
        return self._short


class Collector:
    """Collects facts from messages, on top of ``earlier`` facts.

    ``extra``: what configuration says about tools. ``estimate``: tokens of a text, for
    the contents of files that were read.
    """

    def __init__(
        self,
        earlier: Facts | None = None,
        *,
        extra: Sequence[ToolRule] = (),
        estimate: Callable[[str], int] = _cautious,
    ) -> None:
        old = earlier or Facts()
        self._earlier = old
        self._extra = tuple(extra)
        self._n = old.messages
        self._users = list(old.users)
        self._votes = Votes()
        for user in self._users:
            self._votes.add(user.text)
        self._files = Files(old.files)
        self._commands = Commands(old.commands, old.failures)
        self._words = Words(old.said, old.last_text)
        self._reads = Reads(estimate, old.reads)
        self._todos = Todos(old.todos, _texts(old.extra.get("todo_ids")))
        self._boundaries = list(old.boundaries)
        self._last: deque[_Called | LastCall] = deque(
            old.last_calls, maxlen=limits.FACT_LAST_CALLS
        )
        self._pending: dict[str, _Called] = {}
        self._why = ("", 0)
        self._reason = _Reason()
        self._earlier_summary = old.earlier
        cwd = old.extra.get(CWD)
        self._cwd = cwd if isinstance(cwd, str) else ""

    def weigh_with(self, estimate: Callable[[str], int]) -> None:
        """From now on ``estimate`` gives the tokens of a text."""
        self._reads.weigh_with(estimate)

    def add(self, message: Message) -> None:
        """Take the next message. Our own summary is no message: it only has an id."""
        if message.marker:
            return
        if boundary.is_summary(message):
            self._summary(message)
            if not user_words(message):
                return
        self._n += 1
        self._cwd = message.cwd or self._cwd
        if message.role == "assistant":
            self._assistant(message)
        elif message.role == "system":
            self._system(message)
        else:
            self._answers(message)

    def facts(self) -> Facts:
        """What is known so far. May be asked at any time, and again."""
        old = self._earlier
        extra: dict[str, Any] = dict(old.extra)
        if any(self._todos.ids()):
            extra["todo_ids"] = self._todos.ids()
        if self._cwd:
            extra[CWD] = self._cwd
        return replace(
            old,
            users=tuple(self._users),
            files=self._files.facts(),
            commands=self._commands.commands(),
            failures=self._commands.failures(),
            todos=self._todos.facts(),
            last_calls=tuple(
                call if isinstance(call, LastCall) else call.fact()
                for call in self._last
            ),
            last_text=self._words.last_text,
            earlier=self._earlier_summary,
            said=self._words.facts(),
            reads=self._reads.facts(),
            boundaries=tuple(self._boundaries),
            messages=self._n,
            language=self._language(),
            extra=extra,
        )

    def _language(self) -> str:
        if not self._users:
            return self._earlier.language
        return self._votes.language

    def _summary(self, message: Message) -> None:
        cut = boundary.parse(message.text)
        if cut and cut.id not in self._boundaries:
            self._boundaries.append(cut.id)

    def _system(self, message: Message) -> None:
        found = _SYSTEM_CWD.search(message.text[: limits.READ_KEPT])
        if found and not self._cwd:
            self._cwd = found.group(1).strip()

    def _assistant(self, message: Message) -> None:
        written = text_calls.call_in(message)
        for part in message.parts:
            if isinstance(part, Text):
                self._said(text_calls.prose(part.text) if written else part.text)
            elif isinstance(part, Call):
                self._called(part)
        if written:
            self._called(written)

    def _said(self, text: str) -> None:
        if not text.strip():
            return
        self._why = (text, self._n)
        self._words.said(text, self._n)
        self._commands.said(text)

    def _called(self, call: Call) -> None:
        action = classify(call, self._extra, self._cwd)
        why, said = self._why
        recent = self._n - said <= limits.FACT_WHY_AGE
        called = _Called(action, self._n, why if recent else "")
        self._commands.went_on()
        self._last.append(called)
        self._pending[call.id] = called
        if len(self._pending) > limits.PENDING_CALLS:
            del self._pending[next(iter(self._pending))]

    def _answers(self, message: Message) -> None:
        for part in message.parts:
            if isinstance(part, Result):
                self._answered(part, message.time)
        written = self._pending.get(text_calls.ID)
        if written and message.role == "user":
            command = Call(text_calls.ID, "", {"command": written.action.command})
            result = text_calls.answer(message, command)
            if result:
                self._answered(result, message.time)
                return
        if message.role == "user":
            self._user(message)

    def _user(self, message: Message) -> None:
        words = user_words(message)
        images = 0
        if not message.injected:
            images = sum(isinstance(part, Image) for part in message.parts)
        if words or images:
            self._users.append(UserWords(self._n, words, message.time, images))
            self._votes.add(words)
            self._words.turn()
            self._commands.went_on()
            self._why = ("", 0)
        elif not self._earlier_summary:
            text = earlier_summary(message)
            self._earlier_summary = excerpt.lines(text, limits.FACT_EARLIER)
        for part in message.parts:
            if isinstance(part, Text) and "<" in part.text:
                self._injected(part.text)

    def _injected(self, text: str) -> None:
        """What agents tell in a user message: where we are, and what has ended."""
        for name, content in injected_parts(text):
            if name == "environment_context":
                found = _CWD.search(content[: limits.READ_KEPT])
                self._cwd = found.group(1).strip() if found else self._cwd
            elif name == "task-notification":
                fields = dict(_NOTE_FIELD.findall(content[: limits.RESULT_HEAD]))
                verdict = notified(content, fields.get("status", ""))
                self._commands.notified(fields.get("task-id", ""), verdict, self._n)

    def _answered(self, result: Result, time: float | None) -> None:
        called = self._pending.pop(result.call_id, None)
        if called is None:
            return
        action, text = called.action, result.text
        verdict = judge(text, action, marked=result.is_error)
        called.verdict, called.result = verdict, text
        if action.touches:
            self._touched(called, verdict, text, time)
        if action.kind == "todo" and verdict.outcome == "passed":
            self._todos.apply(action, text)
        self._commands.ended(action, verdict, self._n)
        if verdict.outcome == "failed" and not verdict.nothing_found:
            self._words.failed()

    def _touched(
        self, called: _Called, verdict: Verdict, text: str, time: float | None
    ) -> None:
        failed = verdict.outcome == "failed"
        for named in called.action.touches:
            if failed and not named.certain:
                continue
            touch = self._files.resolved(named)
            if touch.kind == "read":
                self._files.read(touch.path, self._n)
                if touch.content:
                    self._reads.add(touch, _content(text), self._n, time)
                continue
            created = touch.kind == "write" and _CREATED.search(text[:400]) is not None
            if self._reason.text is not called.why:
                self._reason = _Reason(called.why, called.n)
            why = self._reason.of(touch.path, called.n)
            gone = touch.path if touch.kind in ("delete", "move") else ""
            for path in self._files.change(touch, self._n, why, created=created):
                self._commands.changed(path, self._n)
                deleted = gone and path != touch.to
                self._reads.changed(path, "deleted" if deleted else "written")
            self._words.changed()


def _content(text: str) -> str:
    """The file in the result of a read, without the frame of a shell's answer."""
    return output(shown_text(text)) if text[:1] in "{CPW<" else text


def _excerpt(action: Action, verdict: Verdict, text: str) -> str:
    """A few words of a result: what failed, or how the output ends or begins."""
    if verdict.outcome == "failed":
        return excerpt.clip("\n".join(verdict.lines), limits.FACT_EXCERPT)
    if action.kind in ("read", "change", "todo"):
        return ""
    shown = shown_text(text)
    if action.kind in _SHOWN_FROM_END:
        return excerpt.last_lines(output(shown), limits.FACT_EXCERPT)
    return excerpt.lines(shown.strip(), limits.FACT_EXCERPT)


def _texts(value: Any) -> list[str]:
    """A list of texts from a facts file; what is none is empty."""
    items = value if isinstance(value, list) else []
    return [item if isinstance(item, str) else "" for item in items]
