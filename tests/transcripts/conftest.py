"""A made-up Claude Code transcript, built record by record, and its reading."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from mewctl.streams.records import Record
from mewctl.transcripts import ReadOptions, Report, claude_code, load

if TYPE_CHECKING:
    from collections.abc import Callable

    from mewctl.history.view import Message

START = 1_770_000_000  # seconds: 2026-02-02T02:40:00Z


class Log:
    """Builds records that hang on each other; every call returns the record's uuid."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.leaf: str | None = None
        self.count = itertools.count(1)

    def raw(self, line: bytes) -> None:
        self.lines.append(line)

    def beside(self, kind: str, **fields: Any) -> None:
        """A record with no place in the conversation."""
        self.raw(orjson.dumps({"type": kind, "sessionId": "s-1", **fields}))

    def record(self, kind: str, **fields: Any) -> str:
        number = next(self.count)
        value = {
            "parentUuid": self.leaf,
            "isSidechain": False,
            "sessionId": "s-1",
            "version": "2.1.0",
            "type": kind,
            "uuid": f"u{number}",
            "timestamp": f"2026-02-02T02:{40 + number // 60:02}:{number % 60:02}.000Z",
            **fields,
        }
        self.raw(orjson.dumps(value))
        if not value["isSidechain"]:
            self.leaf = value["uuid"]
        return value["uuid"]

    def user(self, content: Any, **fields: Any) -> str:
        return self.record(
            "user", message={"role": "user", "content": content}, **fields
        )

    def assistant(
        self, name: str, *blocks: Any, message: dict[str, Any] | None = None, **f: Any
    ) -> str:
        body = {
            "id": name,
            "type": "message",
            "role": "assistant",
            "model": "claude-made-up",
            "content": [text(b) if isinstance(b, str) else b for b in blocks],
            "usage": {"input_tokens": 1, "output_tokens": 1},
        } | (message or {})
        return self.record("assistant", message=body, **f)

    def result(self, call: str, content: Any, **fields: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        return self.user([block], **fields)

    def attachment(self, kind: str, *, record: Any = None, **fields: Any) -> str:
        attachment = {"type": kind, **fields}
        return self.record("attachment", attachment=attachment, **(record or {}))

    def system(self, subtype: str, **fields: Any) -> str:
        return self.record("system", subtype=subtype, **fields)

    def boundary(self, **fields: Any) -> str:
        before = self.leaf
        metadata = {"trigger": "auto", "preTokens": 150_000}
        metadata |= fields.pop("metadata", {})
        given = {"parentUuid": None, "logicalParentUuid": before} | fields
        return self.system("compact_boundary", compactMetadata=metadata, **given)

    def summary(self, content: str = "What went before.", **fields: Any) -> str:
        return self.user(content, isCompactSummary=True, **fields)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def call() -> Callable[..., dict[str, Any]]:
    def make(name: str, tool: str = "Bash", **given: Any) -> dict[str, Any]:
        return {"type": "tool_use", "id": name, "name": tool, "input": given}

    return make


@pytest.fixture
def read() -> Callable[..., tuple[list[Message], Report]]:
    def run(
        lines: Log | list[bytes], *, full: bool = False, sidechains: bool = False
    ) -> tuple[list[Message], Report]:
        given = lines.lines if isinstance(lines, Log) else lines
        records = (Record(line, n) for n, line in enumerate(given, 1))
        report = Report()
        options = ReadOptions(full=full, sidechains=sidechains)
        return list(claude_code.read(records, options, report)), report

    return run


@pytest.fixture
def told() -> Callable[[list[Message]], list[str]]:
    """Messages in one word each: ``user: text``, ``injected: text``, ``calls a b``."""

    def one(message: Message) -> str:
        role = "injected" if message.injected else message.role
        calls = "".join(f" call {c.id}" for c in message.calls)
        results = "".join(f" result {r.call_id}={r.text}" for r in message.results)
        words = message.text.replace("\n", "/")
        return f"{role}: {words}{calls}{results}".replace(":  ", ": ")

    return lambda messages: [one(message) for message in messages]


@pytest.fixture
def read_as() -> Callable[..., tuple[list[Message], Report]]:
    """Reads lines, or values to be written as lines, with the reader called so."""

    def run(
        name: str, lines: list[Any], *, full: bool = False, sidechains: bool = False
    ) -> tuple[list[Message], Report]:
        raw = [
            line if isinstance(line, bytes) else orjson.dumps(line) for line in lines
        ]
        records = (Record(line, n) for n, line in enumerate(raw, 1))
        report = Report()
        options = ReadOptions(full=full, sidechains=sidechains)
        return list(load(name).read(records, options, report)), report

    return run


@pytest.fixture
def noted() -> Callable[[Report, str], list[tuple[int, str]]]:
    """The notes of one kind, as line and text."""

    def of(report: Report, kind: str) -> list[tuple[int, str]]:
        return [(note.line, note.text) for note in report.notes if note.kind == kind]

    return of


STAMP = "2026-05-01T08:00:00.000Z"
MILLISECONDS = 1_777_622_400_000
HEADER = {"type": "session", "version": 3, "id": "s-1", "timestamp": STAMP, "cwd": "/r"}


class PiSession:
    """Builds entries of a pi session that hang on each other; calls give their ids."""

    def __init__(self):
        self.lines = [HEADER]
        self.leaf = None

    def entry(self, kind, **fields):
        name = f"e{len(self.lines)}"
        linked = {"id": name, "parentId": self.leaf, "timestamp": STAMP}
        self.lines.append({"type": kind, **linked, **fields})
        self.leaf = name
        return name

    def say(self, role, content, **fields):
        message = {"role": role, "content": content, "timestamp": MILLISECONDS}
        return self.entry("message", message=message | fields)

    def user(self, words):
        return self.say("user", [{"type": "text", "text": words}])

    def model(self, *parts, stop="stop", **fields):
        content = [
            {"type": "text", "text": part} if isinstance(part, str) else part
            for part in parts
        ]
        usage = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4}
        fields = {"model": "m", "usage": usage, "stopReason": stop} | fields
        return self.say("assistant", content, **fields)

    def result(self, name, *parts, **fields):
        content = [{"type": "text", "text": part} for part in parts]
        return self.say("toolResult", content, toolCallId=name, **fields)

    def first_version(self):
        """The same lines as the first version has them: without names and links."""
        old = (
            {k: v for k, v in x.items() if k not in ("id", "parentId")} for x in self
        )
        header = {k: v for k, v in HEADER.items() if k != "version"}
        return [header, *old]

    def __iter__(self):
        return iter(self.lines[1:])


@pytest.fixture
def pi_log() -> PiSession:
    return PiSession()


@pytest.fixture
def read_pi(read_as: Callable[..., Any]) -> Callable[..., Any]:
    """Reads a built session, or its lines, with the reader of pi."""

    def run(made: Any, **options: Any) -> Any:
        lines = made.lines if isinstance(made, PiSession) else made
        return read_as("pi", lines, **options)

    return run
