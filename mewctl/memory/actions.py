"""Proposed changes of notes: what an action may say, checked one by one. Pure.

Owns the shape of an action. An action that is wrong is told why; the others stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from mewctl import limits
from mewctl.memory.note import LEVELS, SOURCES, TYPES, Level, Source
from mewctl.memory.words import clean, is_slug, one_line
from mewctl.streams.jsonvalue import utf8_size

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind: TypeAlias = Literal["create", "update", "delete"]
KINDS: tuple[Kind, ...] = get_args(Kind)

#: What other systems and models call the four types.
_OTHER_NAMES = {
    "user": "user_preference",
    "preference": "user_preference",
    "feedback": "correction_feedback",
    "correction": "correction_feedback",
    "project": "project_knowledge",
    "knowledge": "project_knowledge",
    "reference": "reference_material",
}
_KNOWN = frozenset(
    {
        *("action", "level", "type", "slug", "id", "title", "content", "evidence"),
        *("if_match", "replace", "source", "source_session", "tags", "valid_until"),
        *("supersedes", "lang"),
    }
)
_HASH = re.compile(r"[0-9a-f]{8,64}")
_TEXTS = ("slug", "id", "title", "content", "evidence", "if_match", "source_session",
          "valid_until", "lang")  # fmt: skip


class BadAction(ValueError):
    """An action that cannot be taken; the message says why."""


@dataclass(frozen=True, slots=True)
class Action:
    """A change that somebody proposes.

    ``level`` is "" for wherever the note is. Of an update, "" and an empty tuple mean
    as it was. ``replaces``: a create may take the place of what a note says.
    """

    kind: Kind
    level: Level | Literal[""] = ""
    type: str = ""
    slug: str = ""
    id: str = ""
    title: str = ""
    content: str = ""
    evidence: str = ""
    if_match: str = ""
    replaces: bool = False
    source: Source = "model"
    source_session: str = ""
    tags: tuple[str, ...] = ()
    valid_until: str = ""
    supersedes: tuple[str, ...] = ()
    lang: str = ""

    @property
    def name(self) -> str:
        """What it calls the note it is about: an id, else a slug."""
        return self.id or self.slug

    @property
    def about(self) -> str:
        """A name for people, also where it names none."""
        return self.name or self.title or self.kind


def read(value: object) -> Action:
    """The action in a JSON value. Raises ``BadAction``."""
    if not isinstance(value, dict):
        raise BadAction("an action is an object")
    strange = sorted(set(map(str, value)) - _KNOWN)
    if strange:
        raise BadAction(f"an action has no key {strange[0][:40]!r}")
    kind = value.get("action")
    if kind not in KINDS:
        raise BadAction(f"action is not one of {', '.join(KINDS)}")
    texts = {key: _text(value, key) for key in _TEXTS}
    action = Action(
        kind=kind,
        level=_choice(value, "level", ("", *LEVELS)),
        type=_type(value),
        replaces=_flag(value, "replace"),
        source=_choice(value, "source", SOURCES, "model"),
        tags=_list(value, "tags"),
        supersedes=_list(value, "supersedes"),
        **{**texts, "title": one_line(texts["title"])},
    )
    _check(action)
    return action


def _check(action: Action) -> None:
    """Refuse what is too long, or lacks what its kind needs."""
    if utf8_size(action.content) > limits.NOTE_CONTENT:
        raise BadAction(f"content of more than {limits.NOTE_CONTENT} bytes")
    if len(action.title) > limits.NOTE_TITLE:
        raise BadAction(f"a title of more than {limits.NOTE_TITLE} characters")
    if len(action.evidence) > limits.NOTE_EVIDENCE:
        raise BadAction(f"evidence of more than {limits.NOTE_EVIDENCE} characters")
    if action.if_match and not _HASH.fullmatch(action.if_match):
        raise BadAction("if_match is no hash of a note: 8 to 64 hex digits")
    if action.slug and not is_slug(action.slug):
        raise BadAction(
            f"slug {action.slug[:40]!r}: only small letters, digits and dashes inside,"
            f" at most {limits.SLUG_CHARS}"
        )
    if action.kind == "create":
        for key in ("type", "title", "content"):
            if not getattr(action, key).strip():
                raise BadAction(f"create needs {key}")
    elif not action.name:
        raise BadAction(f"{action.kind} needs the id of a note")


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise BadAction(f"{key} is not a text")
    return clean(found)


def _choice(
    value: Mapping[str, Any], key: str, known: tuple[Any, ...], usual: Any = ""
) -> Any:
    found = value.get(key)
    if found is None:
        return usual
    if found not in known:
        raise BadAction(f"{key} is not one of {', '.join(filter(None, known))}")
    return found


def _type(value: Mapping[str, Any]) -> str:
    found = _text(value, "type")
    kind = _OTHER_NAMES.get(found, found)
    if kind and kind not in TYPES:
        raise BadAction(f"type is not one of {', '.join(TYPES)}")
    return kind


def _flag(value: Mapping[str, Any], key: str) -> bool:
    found = value.get(key)
    if found is not None and not isinstance(found, bool):
        raise BadAction(f"{key} is neither true nor false")
    return bool(found)


def _list(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = value.get(key)
    if found is None:
        return ()
    items = [found] if isinstance(found, str) else found
    if not isinstance(items, list) or not all(isinstance(i, str) for i in items):
        raise BadAction(f"{key} is not a list of texts")
    if len(items) > limits.NOTE_TAGS:
        raise BadAction(f"{key}: more than {limits.NOTE_TAGS}")
    return tuple(filter(None, (one_line(item) for item in items)))


def to_json(action: Action) -> dict[str, Any]:
    """The action as a record, without what it does not say."""
    value = {
        "action": action.kind,
        "level": action.level,
        "type": action.type,
        "slug": action.slug,
        "id": action.id,
        "title": action.title,
        "content": action.content,
        "evidence": action.evidence,
        "if_match": action.if_match,
        "replace": action.replaces,
        "source": action.source,
        "source_session": action.source_session,
        "tags": list(action.tags),
        "valid_until": action.valid_until,
        "supersedes": list(action.supersedes),
        "lang": action.lang,
    }
    return {key: item for key, item in value.items() if item}


def at_level(action: Action, level: Level) -> Action:
    """The action about a note of ``level``."""
    return replace(action, level=level)


def resting_on(action: Action, source: Source) -> Action:
    """The action with whose word it rests on."""
    return replace(action, source=source)


def shown(action: Action) -> str:
    """An action in a few words, without what it says: that may be a secret."""
    return f"{action.kind} {action.type or action.id}".strip()
