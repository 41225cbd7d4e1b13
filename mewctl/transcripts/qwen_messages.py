"""Records of a Qwen Code session, once parsed, as messages.

Their contents are Gemini's and are read as such (``gemini_messages``). Records may hold
values of any type in any place. Must not decide which records are live.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import as_id, as_optional, as_text, json_text
from mewctl.history.view import Message, Result, Text
from mewctl.transcripts.gemini_messages import model_messages, user_messages
from mewctl.transcripts.telling import as_object, listed, seconds

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping, Sequence

# What Qwen Code puts before the files that the user named.
_FILES = "\n--- Content from"
# Subtypes of user records that hold what the user said.
_TYPED = ("", "mid_turn_user_message")
_FAILED = ("error", "cancelled", "failed")


def told_of(record: Mapping[str, Any]) -> list[Any]:
    """What may be told of a record."""
    return [record.get(k) for k in ("message", "toolCallResult", "systemPayload")]


def merged(records: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Records that share a name as one: their parts in order, the last usage."""
    first = records[0]
    if len(records) == 1:
        return first
    parts = [part for record in records for part in _parts(record)]
    later = {
        key: record[key]
        for record in records
        for key in ("usageMetadata", "toolCallResult", "model")
        if record.get(key)
    }
    return {**first, **later, "message": {"parts": parts}}


def _parts(record: Mapping[str, Any]) -> list[Any]:
    return listed(as_object(record.get("message")).get("parts"))


def _as_gemini(record: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A record as Gemini CLI has it."""
    content = _parts(record)
    return {"content": content, "timestamp": record.get("timestamp"), **more}


def _tokens(record: Mapping[str, Any]) -> dict[str, Any]:
    """The counts of a request; what was thought is part of the output."""
    about = as_object(record.get("usageMetadata"))
    prompt, total = about.get("promptTokenCount"), about.get("totalTokenCount")
    output = about.get("candidatesTokenCount")
    if isinstance(prompt, int) and isinstance(total, int) and total >= prompt:
        output = total - prompt
    cached = about.get("cachedContentTokenCount")
    return {"input": prompt, "output": output, "cached": cached}


@dataclass(slots=True)
class Teller:
    """Tells records in turn; ``others`` counts what says nothing.

    ``full``: of a compression's history only what was not told before is told.
    """

    others: Counter[str]
    full: bool = False
    _answered: set[str] = field(default_factory=set)
    _told: set[int] = field(default_factory=set)

    def answer(self, record: Mapping[str, Any]) -> Iterator[Message]:
        """What the model said."""
        tokens, model = _tokens(record), as_optional(record.get("model"))
        made = _as_gemini(record, tokens=tokens, model=model)
        cwd = as_optional(record.get("cwd"))
        for message in self._counted(record, model_messages(made, self._answered)):
            is_own = message.role == "assistant"
            yield replace(message, cwd=cwd) if is_own else message

    def results(self, records: Sequence[Mapping[str, Any]]) -> Iterator[Message]:
        """The results of a response's calls, as one message."""
        found: list[Result] = []
        beside: list[Message] = []
        for record in records:
            self._note(record)
            about = as_object(record.get("toolCallResult"))
            made = list(user_messages(_as_gemini(record), self._answered))
            results = [r for message in made for r in message.results]
            failed = about.get("status") in _FAILED
            found += [replace(r, is_error=r.is_error or failed) for r in results]
            beside += [replace(m, injected=True) for m in made if not m.results]
            if not results and about and as_id(about.get("callId")):
                found.append(_copied(about))
        if found:
            yield Message("tool", tuple(found), seconds(records[0].get("timestamp")))
        yield from beside

    def other(
        self, record: Mapping[str, Any], *, injected: bool = False
    ) -> Iterator[Message]:
        """What the user said, or what was said in the user's place."""
        payload = as_object(record.get("systemPayload"))
        made = _as_gemini(record, displayContent=payload.get("displayText"))
        files = len(made["content"])
        for at, part in enumerate(made["content"]):
            if as_text(as_object(part).get("text")).startswith(_FILES):
                files = at
                break
        named = {**made, "content": made["content"][files:], "displayContent": None}
        made["content"] = made["content"][:files]
        typed = as_text(record.get("subtype")) in _TYPED and not injected
        told = [*user_messages(made, self._answered)]
        if not typed:
            told = [replace(m, injected=not m.results) for m in told]
        told += [
            replace(m, injected=True) for m in user_messages(named, self._answered)
        ]
        yield from self._counted(record, iter(told))

    def compressed(self, record: Mapping[str, Any]) -> Iterator[Message]:
        """The history that a compression put in the place of what was before it."""
        payload = as_object(record.get("systemPayload"))
        for item in map(as_object, listed(payload.get("compressedHistory"))):
            known = _key(item.get("parts")) in self._told
            if self.full and known:
                continue
            made = {"content": listed(item.get("parts"))}
            if item.get("role") == "model":
                yield from model_messages(made, self._answered)
            else:
                yield from user_messages(made, self._answered)

    def _note(self, record: Mapping[str, Any]) -> None:
        if self.full:
            self._told.add(_key(_parts(record)))

    def _counted(
        self, record: Mapping[str, Any], told: Iterator[Message]
    ) -> Iterator[Message]:
        self._note(record)
        silent = True
        for message in told:
            silent = False
            yield message
        if silent:
            kind = as_text(record.get("type"))
            self.others[f"{kind} records that say nothing"] += 1


def _copied(about: Mapping[str, Any]) -> Result:
    """A result that only the copy for the user interface holds."""
    said = about.get("result")
    said = about.get("resultDisplay") if said is None else said
    text = said if isinstance(said, str) else "" if said is None else json_text(said)
    failed = about.get("status") in _FAILED
    return Result(as_id(about.get("callId")), (Text(text),) if text else (), failed)


def _key(parts: object) -> int:
    """What a content is known again by, at no cost of memory."""
    return hash(json.dumps(parts, sort_keys=True))
