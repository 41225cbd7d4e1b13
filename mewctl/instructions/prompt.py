"""The stable beginning of a system prompt, made of modules. Pure.

The same modules give the same bytes, whatever the clock, the machine and the order of
directories, so that a provider's cache keeps its prefix.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

INSTRUCTIONS = "instructions"
SKILLS = "skills"
MEMORY = "memory"
#: Priorities of the modules that are always there; a small one comes first.
PRIORITY = {INSTRUCTIONS: 80, SKILLS: 90, MEMORY: 100}


@dataclass(frozen=True, slots=True)
class Module:
    """A named piece of a prompt."""

    name: str
    priority: int
    text: str


def compose(modules: Iterable[Module]) -> str:
    """The modules by priority, then as given, a blank line between two.

    An empty one is left out. The text is empty, or ends in a line end.
    """
    ordered = sorted(modules, key=lambda module: module.priority)
    texts = [module.text.strip("\n") for module in ordered if module.text.strip()]
    return "\n\n".join(texts) + "\n" if texts else ""


def content_hash(data: bytes) -> str:
    """The hash that tells whether a prompt has changed: SHA-256 in hex."""
    return sha256(data).hexdigest()
