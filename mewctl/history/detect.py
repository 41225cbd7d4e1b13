"""Which format or transcript records are of, told by content alone.

``classify`` says what one parsed value may be; ``Detector`` narrows that down over a
stream and refuses two kinds in one. Must not read or parse anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from mewctl import transcripts
from mewctl.errors import BadInput
from mewctl.history import responses
from mewctl.history.document import is_document
from mewctl.history.formats import NAMES, anthropic, mew, openai_make, responses_items
from mewctl.history.formats.blocks import type_word

Group: TypeAlias = Literal[
    "message", "marker", "response", "transcript", "document", "unknown"
]

_ANY = frozenset(NAMES)
_MEW = frozenset({"mew"})
_ANTHROPIC = frozenset({"anthropic"})
_OPENAI = frozenset({"openai"})
_RESPONSES = frozenset({"responses"})
_OPENAIS = _OPENAI | _RESPONSES
_CHAT = frozenset({"mew", "openai"})
_BLOCKS = frozenset({"mew", "anthropic"})


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value is: its ``group``, and the formats or reader it ``fits``.

    Nothing fits a value that tells nothing: a document, an unknown record, a response
    that cannot be read. ``seen`` says by what it was known. ``hint`` is the format
    meant where several fit ("": none).
    """

    group: Group
    fits: frozenset[str]
    seen: str
    hint: str = ""


NEUTRAL = Kind("message", _ANY, "a plain message")

_ROLES: dict[str, frozenset[str]] = {
    "system": _ANY,
    "user": _ANY,
    "assistant": _ANY,
    "tool": _CHAT,
    "developer": _OPENAIS,
    "function": _OPENAI,
}
_KEYS: dict[str, frozenset[str]] = {
    "tool_results": _MEW,
    "tool_call_id": _OPENAI,
    "function_call": _OPENAI,
    "refusal": _OPENAI,
    "reasoning_content": _OPENAI,
    "audio": _OPENAI,
    "phase": _RESPONSES,
}
_TYPES: dict[str, frozenset[str]] = {
    "tool_use": _ANTHROPIC,
    "tool_result": _ANTHROPIC,
    "tool_call": _MEW,
    "image_url": _OPENAI,
    "refusal": _OPENAIS,
    **dict.fromkeys(("thinking", "redacted_thinking", "image"), _BLOCKS),
    **dict.fromkeys(anthropic.OPAQUE_TYPES, _BLOCKS),
    **dict.fromkeys(openai_make.OPAQUE_TYPES, _CHAT),
    **dict.fromkeys(responses_items.CONTENT, _RESPONSES),
    "input_file": _RESPONSES | _MEW,
    "input_audio": _OPENAIS | _MEW,
}
_API_FORMATS = {"messages": _ANTHROPIC, "chat": _OPENAI, "responses": _RESPONSES}


@cache
def _kind(group: Group, fits: frozenset[str], seen: str, hint: str = "") -> Kind:
    return Kind(group, fits, seen, hint)


def classify(value: object) -> Kind:
    """What one parsed value is. Never fails, whatever the value."""
    if not isinstance(value, Mapping):
        if isinstance(value, list):
            return _array(value)
        return _kind("unknown", frozenset(), type_word(value))
    if "type" in value or "role" not in value:
        return _special(value) or _item(value) or _message(value)
    return _message(value)


def _array(value: list[Any]) -> Kind:
    """An array of messages, or of an agent's records: its first object says which."""
    first = next((item for item in value if isinstance(item, Mapping)), None)
    if first is not None:
        kind = classify(first)
        if kind.group == "transcript":
            return kind
    return _kind("document", frozenset(), "an array of messages")


def _special(value: Mapping[str, Any]) -> Kind | None:
    """What has a type, or no role: the records that are no plain messages."""
    if mew.is_marker(value):
        return _kind("marker", _MEW, "a compact marker")
    if mew.is_envelope(value):
        return _kind("message", _MEW, "an envelope of a session log")
    api = responses.api(value)
    if api is not None:
        fits = _API_FORMATS.get(api, frozenset())
        return _kind("response", fits, f"a provider response ({api})")
    agent = _agent(value)
    if agent is not None:
        return agent
    if is_document(value):
        return _kind("document", frozenset(), "an object with messages")
    return None


def _agent(value: Mapping[str, Any]) -> Kind | None:
    """A record of an agent's log."""
    for name in transcripts.NAMES:
        if transcripts.load(name).sniff(value):
            return _kind("transcript", frozenset({name}), f"a {name} record")
    return None


def _item(value: Mapping[str, Any]) -> Kind | None:
    """What only the Responses API has."""
    if responses_items.is_item(value):
        return _kind("message", _RESPONSES, f"an item {value['type']}")
    return None


def _message(value: Mapping[str, Any]) -> Kind:
    role, content = value.get("role"), value.get("content")
    fits = _ROLES.get(role) if isinstance(role, str) else None
    if fits is None:
        unknown = _kind("unknown", frozenset(), "a record of no known role")
        return _agent(value) or unknown
    seen = NEUTRAL.seen if fits is _ANY else f"role {role}"
    hint = ""
    if len(value) > 2 or "content" not in value:  # noqa: PLR2004  (role, content)
        fits, seen = _by_keys(value, fits, seen)
        hint = _hint(value)
    if isinstance(content, list):
        fits, seen = _by_blocks(content, fits, seen)
    return _kind("message", fits, seen, hint if hint in fits else "")


def _by_keys(
    value: Mapping[str, Any], fits: frozenset[str], seen: str
) -> tuple[frozenset[str], str]:
    for key in value:
        if key in _KEYS:
            fits, seen = _narrow(fits, seen, _KEYS[key], f"the key {key}")
    calls = value.get("tool_calls")
    if isinstance(calls, list) and calls and isinstance(calls[0], dict):
        call = calls[0]
        if "function" in call or "custom" in call:
            return _narrow(fits, seen, _OPENAI, "tool_calls with a function")
        if "name" in call:
            return _narrow(fits, seen, _MEW, "tool_calls with a name")
        return _narrow(fits, seen, _CHAT, "tool_calls")
    return fits, seen


def _by_blocks(
    content: list[Any], fits: frozenset[str], seen: str
) -> tuple[frozenset[str], str]:
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        known = _TYPES.get(kind) if isinstance(kind, str) else None
        if known is not None:
            fits, seen = _narrow(fits, seen, known, f"a block {kind}")
    return fits, seen


def _narrow(
    fits: frozenset[str], seen: str, by: frozenset[str], words: str
) -> tuple[frozenset[str], str]:
    """``fits`` narrowed by a sign; one that contradicts those before is no sign."""
    narrower = fits & by
    return (narrower, words) if narrower and narrower != fits else (fits, seen)


def _hint(value: Mapping[str, Any]) -> str:
    """The format whose records have such keys; others have them by an agent's whim."""
    usage = value.get("usage")
    ours = isinstance(usage, dict) and "input" in usage
    if ours or "ts" in value or "injected" in value:
        return "mew"
    return "responses" if value.get("type") == "message" else ""


class Detector:
    """The format of a stream, which it is fed record by record.

    Until ``format`` is known, every sound record seen so far means the same in each
    format that is left, and none of them holds a tool call or a result. ``format``: the
    one format or reader that is left, "" while it is not known.
    """

    def __init__(self, name: str) -> None:
        """``name`` is the input's name, for errors."""
        self.format = ""
        self._name = name
        self._left: frozenset[str] | None = None  # None: no record told anything
        self._steps: list[
            tuple[str, int, Kind]
        ] = []  # what narrowed it down, and where
        self._hint = ""

    def enter(self, name: str) -> None:
        """Go on in another input of the same history."""
        self._name = name

    @property
    def is_transcript(self) -> bool:
        """Whether the stream is an agent's log; the rest is for its reader."""
        return self.format in transcripts.NAMES

    def allows(self, name: str) -> bool:
        """Whether all records seen so far may be of the format called ``name``."""
        return self._left is None or name in self._left

    def expects(self, value: object) -> bool:
        """Whether a record is of the one kind that is known, so that it tells nothing.

        Asking is cheaper than ``feed`` where the number of a line must be counted.
        """
        if not self.format or self._left is None:
            return False
        fits = classify(value).fits
        return not fits or self._left <= fits

    def feed(self, line: int, value: object) -> Kind:
        """Take one record in and say what it is.

        Raises ``BadInput`` for a record of another kind than those before it.
        """
        kind = classify(value)
        if kind.hint:
            self._hint = kind.hint
        if not kind.fits or (self._left is not None and self._left <= kind.fits):
            return kind
        left = kind.fits if self._left is None else self._left & kind.fits
        if not left:
            raise self._two_kinds(line, kind)
        self._left = left
        self.format = next(iter(left)) if len(left) == 1 else ""
        self._steps.append((self._name, line, kind))
        return kind

    def settle(self, default: str = "mew") -> str:
        """The format at the end of a stream: ``default`` if nothing tells it.

        A stream that may be an API's format or mew is the API's, unless its records
        have what only mew's have. Of OpenAI's two, Chat Completions is the one meant.
        """
        left = self._left or _ANY
        if len(left) == 1:
            return next(iter(left))
        if self._hint in left:
            return self._hint
        if left == _ANY:
            return default
        return next(name for name in NAMES if name in left - _MEW)

    def _two_kinds(self, line: int, kind: Kind) -> BadInput:
        name, there, other = next(
            (step for step in self._steps if not step[2].fits & kind.fits),
            self._steps[-1],
        )
        of = "" if name == self._name else f" of {name}"
        return BadInput(
            place=f"{self._name}:{line}",
            what=f"two kinds of records: {kind.seen} ({_names(kind)}) here, "
            f"{other.seen} ({_names(other)}) in line {there}{of}",
            remedy="name one with --from, or give each kind by itself",
        )


def _names(kind: Kind) -> str:
    return " or ".join(sorted(kind.fits))
