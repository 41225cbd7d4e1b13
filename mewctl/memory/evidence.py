"""What was said, and by whom: the texts in which a quotation must be found. Pure.

Owns whose word a quotation is. Recalled notes and instructions that an agent put into
the history are nobody's word, so that they are not learned again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl.history.words import user_words
from mewctl.memory import index
from mewctl.memory.similar import holds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mewctl.history.view import Message
    from mewctl.memory.note import Source

# Elements in which agents hand notes and instructions to a model.
_GIVEN = re.compile(
    r"<(memory|memories|memory-context|claude-mem-context|mewctl-memory"
    r"|project_instructions|instructions|INSTRUCTIONS)\b[^<>\n]{0,200}>"
)
_ROW = re.compile(
    r"^- \[\w+\] \[[^\n]*\]\([^\n]*\.mewcode/memory/[^\n]*\n?", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Said:
    """Texts by who wrote them: the user, the model, and tools."""

    user: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    tool: tuple[str, ...] = ()

    def source(self, quotation: str) -> Source | None:
        """Whose word a quotation is; None where nobody said it."""
        if any(holds(text, quotation) for text in self.user):
            return "user"
        if any(holds(text, quotation) for text in self.tool):
            return "tool"
        if any(holds(text, quotation) for text in self.model):
            return "model"
        return None


def learnable(text: str) -> str:
    """``text`` without notes and instructions that somebody put into it."""
    return _ROW.sub("", _without_elements(_without_index(text)))


def _without_index(text: str) -> str:
    """``text`` without copies of ``MEMORY.md``'s part that mewctl writes."""
    kept: list[str] = []
    while index.BEGIN in text:
        before, _, rest = text.partition(index.BEGIN)
        kept.append(before)
        text = rest.partition(index.END)[2]
    return "".join((*kept, text))


def _without_elements(text: str) -> str:
    kept: list[str] = []
    unclosed: set[str] = set()
    done = at = 0
    while match := _GIVEN.search(text, at):
        at = match.end()
        close = f"</{match[1]}>"
        stop = -1 if close in unclosed else text.find(close, at)
        if stop < 0:
            unclosed.add(close)  # so that many of them cost no more than one
            continue
        kept.append(text[done : match.start()])
        done = at = stop + len(close)
    return "".join((*kept, text[done:]))


def said(messages: Iterable[Message]) -> Said:
    """The texts of messages, by who wrote them. System text is nobody's."""
    user: list[str] = []
    model: list[str] = []
    tool: list[str] = []
    for message in messages:
        tool += (learnable(result.text) for result in message.results)
        if message.role == "user":
            user.append(learnable(user_words(message)))
        elif message.role == "assistant":
            model.append(learnable(message.text))
        elif message.role == "tool":
            tool.append(learnable(message.text))
    return Said(tuple(filter(None, user)), tuple(filter(None, model)),
                tuple(filter(None, tool)))  # fmt: skip
