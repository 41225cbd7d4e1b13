"""The view of a message: what every format can show of a raw record.

A view is read from a record and never stored in its place. Its parts carry the raw
block they were read from, so that a format can write a changed message back and keep
every byte it did not have to change. Must not parse JSON or know a format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from mewctl.frozen import cheap

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
Raw: TypeAlias = Mapping[str, Any]
#: Variants of calls and results that an API tells apart; an answer is of its call's.
Kind: TypeAlias = Literal["function", "custom", "local_shell", "shell", "apply_patch"]
KINDS: frozenset[str] = frozenset(get_args(Kind))


@dataclass(frozen=True, slots=True)
class Usage:
    """What a provider reported for one request, in tokens, as disjoint counts.

    ``unseen`` is the part of the context that the transcript does not hold (the old
    agent's system text and tools), noted by a transcript reader; 0 where not known.
    """

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    unseen: int = 0

    @property
    def context(self) -> int:
        """Tokens of the context through the message that reported this usage."""
        whole = self.input + self.cache_read + self.cache_write + self.output
        return max(0, whole - self.unseen)


@cheap
@dataclass(frozen=True, slots=True)
class Text:
    """Text for or from the model."""

    text: str
    raw: Raw | None = None


@cheap
@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block. ``signature`` also holds redacted or encrypted data.

    ``redacted``: there is no readable text, only ``signature``.
    """

    text: str
    signature: str = ""
    redacted: bool = False
    raw: Raw | None = None


@cheap
@dataclass(frozen=True, slots=True)
class Image:
    """An image: one of ``data`` (base64), ``url`` and ``file_id`` is not empty."""

    media_type: str = ""
    data: str = ""
    url: str = ""
    file_id: str = ""
    raw: Raw | None = None


@cheap
@dataclass(frozen=True, slots=True)
class Opaque:
    """A block no common word exists for: documents, server tools, unknown kinds.

    ``kind`` is the block's own type; ``size`` the length of its JSON in bytes.
    """

    kind: str
    size: int
    raw: Raw


Content: TypeAlias = Text | Image | Opaque


@cheap
@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. ``input`` is a mapping, or text where it is not a JSON object.

    ``kind`` tells a provider's variants apart (``custom`` calls take free text).
    """

    id: str
    name: str
    input: Mapping[str, Any] | str
    kind: Kind = "function"
    raw: Raw | None = None
    edited: bool = False  # ``input`` is no longer what ``raw`` says

    def with_input(self, value: Mapping[str, Any] | str) -> Call:
        """The same call with another input."""
        return replace(self, input=value, edited=True)


@cheap
@dataclass(frozen=True, slots=True)
class Result:
    """The answer to a call.

    ``text`` is the texts of ``content`` with nothing between them: the body that spill
    measures and recall gives back.
    """

    call_id: str
    content: tuple[Content, ...]
    is_error: bool = False
    kind: Kind = "function"
    raw: Raw | None = None
    edited: bool = False  # ``content`` is no longer what ``raw`` says

    @property
    def text(self) -> str:
        """All text of the result."""
        return "".join(part.text for part in self.content if isinstance(part, Text))

    def with_text(self, text: str) -> Result:
        """The same result with ``text`` for its texts; images and documents stay."""
        rest = tuple(part for part in self.content if not isinstance(part, Text))
        return replace(self, content=(Text(text), *rest), edited=True)


Part: TypeAlias = Text | Thinking | Image | Opaque | Call | Result


@cheap
@dataclass(frozen=True, slots=True)
class Message:
    """One message: a role and its parts, in the order the model sees them.

    ``time`` is Unix seconds. ``id`` is the provider's id of the message. ``injected``:
    an agent put the text there; it is not the user's words. ``marker``: the record is
    no message but a compact marker of a session log, and has no parts. ``cwd``: the
    directory in which its calls run; None where it is that of the message before.
    ``item``: the record is an item of the Responses API; the assistant's items in a row
    are one message (``continues``).
    """

    role: Role
    parts: tuple[Part, ...]
    time: float | None = None
    model: str | None = None
    usage: Usage | None = None
    id: str | None = None
    injected: bool = False
    marker: bool = False
    cwd: str | None = None
    item: bool = False

    def told(self, usage: Usage | None, cwd: str | None) -> Message:
        """The same message with another usage and directory.

        ``dataclasses.replace`` does the same at ten times the cost, and a transcript's
        reader does it to most messages.
        """
        return Message(
            self.role,
            self.parts,
            self.time,
            self.model,
            usage,
            self.id,
            self.injected,
            self.marker,
            cwd,
            self.item,
        )

    def continues(self, before: Message | None) -> bool:
        """Whether this is more of the assistant's message that ``before`` is of."""
        return (
            self.item
            and self.role == "assistant"
            and before is not None
            and before.item
            and before.role == "assistant"
        )

    @property
    def text(self) -> str:
        """The message's own texts, joined by a line break."""
        return "\n".join(p.text for p in self.parts if isinstance(p, Text))

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls, in order."""
        return tuple(p for p in self.parts if isinstance(p, Call))

    @property
    def results(self) -> tuple[Result, ...]:
        """The tool results, in order."""
        return tuple(p for p in self.parts if isinstance(p, Result))

    @property
    def images(self) -> tuple[Image, ...]:
        """The images of the message itself, not those inside results."""
        return tuple(p for p in self.parts if isinstance(p, Image))
