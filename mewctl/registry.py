"""Every command by name: where it lives and its short help. Imports no command.

The short help stands here too, so that ``--help`` and TAB stay quick; a test holds it
against the commands' own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: where it lives, what it does in one line, and its subsystem.

    A group of commands has no ``target`` but ``commands`` of its own.
    """

    target: str  # module:attribute under mewctl.commands
    help: str
    section: str = "Commands"
    commands: Mapping[str, Entry] = field(default_factory=dict)


HISTORY = "Histories (filters)"
INSTRUCTIONS = "Instructions and prompts"
SETUP = "Setup"
OTHER = "Help"

REGISTRY: dict[str, Entry] = {
    "convert": Entry(
        "convert:convert",
        "Turn a transcript or history into another format.",
        HISTORY,
    ),
    "repair": Entry(
        "repair:repair",
        "Make a history valid for the API it is meant for.",
        HISTORY,
    ),
    "spill": Entry(
        "spill:spill",
        "Move oversized tool output to files, leaving previews.",
        HISTORY,
    ),
    "recall": Entry(
        "recall:recall",
        "Bring back what was spilled or dropped.",
        HISTORY,
    ),
    "compact": Entry(
        "compact:compact",
        "Replace old history by a summary and a verbatim tail.",
        HISTORY,
    ),
    "tokens": Entry(
        "tokens:tokens",
        "Estimate tokens and show what fills the context.",
        HISTORY,
    ),
    "instructions": Entry(
        "",
        "Render, check and weigh a project's MEWCODE.md files.",
        INSTRUCTIONS,
        {
            "render": Entry(
                "instructions.render:render",
                "Print the project's instructions, includes put in.",
            ),
            "check": Entry(
                "instructions.check:check",
                "Say what is wrong with the project's instructions.",
            ),
            "tree": Entry(
                "instructions.tree:tree",
                "Show the tree of includes, with bytes and tokens.",
            ),
        },
    ),
    "prompt": Entry(
        "",
        "Make the stable beginning of a system prompt.",
        INSTRUCTIONS,
        {
            "render": Entry(
                "prompt.render:render",
                "Print the stable beginning of a system prompt.",
            ),
        },
    ),
    "config": Entry(
        "",
        "Show the settings.",
        SETUP,
        {
            "show": Entry(
                "config.show:show",
                "Print every setting with its origin.",
                SETUP,
            ),
        },
    ),
    "doctor": Entry(
        "doctor:doctor",
        "Say whether mewctl works here, and where prompts go.",
        SETUP,
    ),
    "help": Entry("help:help_", "Explain a topic, such as exit-codes.", OTHER),
    "completion": Entry(
        "completion:completion",
        "Print the completion script of a shell.",
        OTHER,
    ),
}


def leaves(
    registry: Mapping[str, Entry] = REGISTRY, path: tuple[str, ...] = ()
) -> list[tuple[tuple[str, ...], Entry]]:
    """Every command that can be run, with the words that name it."""
    found: list[tuple[tuple[str, ...], Entry]] = []
    for name, entry in registry.items():
        if entry.commands:
            found += leaves(entry.commands, (*path, name))
        else:
            found.append(((*path, name), entry))
    return found
