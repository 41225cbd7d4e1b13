"""Every command by name: where it lives and its short help. Imports no command.

The short help stands here too, so that ``--help`` and TAB stay quick; a test holds it
against the commands' own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: where it lives, what it does in one line, and its subsystem.

    A group of commands has no ``target`` but ``commands`` of its own. One with both is
    a command, too: unless the name of one of its commands follows.
    """

    target: str  # module:attribute under mewctl.commands
    help: str
    section: str = "Commands"
    commands: Mapping[str, Entry] = field(default_factory=dict)

    def calls_below(self, words: Sequence[str]) -> bool:
        """Whether ``words`` behind the name call one of its commands."""
        return bool(self.commands) and (
            not self.target or (bool(words) and words[0] in self.commands)
        )


HISTORY = "Histories (filters)"
INSTRUCTIONS = "Instructions and prompts"
SETUP = "Setup"
NOTES = "Memory"
STORED = "Sessions"
OTHER = "Help"

TRASH: dict[str, Entry] = {
    "list": Entry("session.trash:list_", "List what is in the trash."),
    "restore": Entry("session.trash:restore", "Bring sessions back from the trash."),
    "empty": Entry("session.trash:empty", "Delete for good what is in the trash."),
}
SESSION: dict[str, Entry] = {
    "new": Entry("session.new:new", "Make a session and print its id."),
    "append": Entry("session.append:append", "Add messages to a session's log."),
    "load": Entry("session.load:load", "Print a session's history."),
    "list": Entry("session.list_:list_", "List sessions, the newest activity first."),
    "show": Entry("session.show:show", "Show all that is known of a session."),
    "resume": Entry("session.resume:resume", "Print the history for the next turn."),
    "compact": Entry(
        "session.compact:compact", "Compact a session's history in its log."
    ),
    "undo": Entry("session.undo:undo", "Take a session's last compaction back."),
    "checkpoints": Entry(
        "session.checkpoints:checkpoints", "List the compact markers of a session."
    ),
    "fork": Entry("session.fork:fork", "Make a new session from a point of another."),
    "title": Entry("session.titles:title", "Show or set what a session is called."),
    "pin": Entry(
        "session.titles:pin", "Keep a session whatever session clean is told."
    ),
    "unpin": Entry("session.titles:unpin", "Take the pin off a session."),
    "check": Entry(
        "session.check:check", "Say what is wrong with a session on the disk."
    ),
    "repair": Entry(
        "session.check:repair", "Write a session's log anew without damage."
    ),
    "grep": Entry("session.grep:grep", "Search the messages of sessions."),
    "import": Entry("session.import_:import_", "Make sessions of agents' transcripts."),
    "export": Entry("session.export:export", "Write out a whole conversation."),
    "clean": Entry("session.clean:clean", "Move old sessions to the trash, by rules."),
    "trash": Entry("", "What session clean removed: list, restore, empty.", "", TRASH),
}

MEMORY: dict[str, Entry] = {
    "list": Entry("memory.list_:list_", "List the notes."),
    "search": Entry("memory.search:search", "Search the notes."),
    "show": Entry("memory.show:show", "Print a note."),
    "add": Entry("memory.add:add", "Write a note."),
    "edit": Entry("memory.add:edit", "Change a note."),
    "remove": Entry("memory.remove:remove", "Move notes to the archive."),
    "restore": Entry("memory.remove:restore", "Bring notes back from the archive."),
    "approve": Entry(
        "memory.marks:approve", "Let notes that rest on tool output be used."
    ),
    "pin": Entry("memory.marks:pin", "Keep notes in the index and from gc."),
    "log": Entry("memory.log:log", "Tell what happened to the notes."),
    "why": Entry("memory.why:why", "Tell what a note rests on."),
    "propose": Entry("memory.propose:propose", "Propose notes from a conversation."),
    "apply": Entry("memory.apply:apply", "Apply proposed changes to the notes."),
    "update": Entry("memory.propose:update", "Propose notes and apply them."),
    "index": Entry("memory.index:index", "Print the index of notes for a context."),
    "check": Entry("memory.check:check", "Say what is wrong with the notes."),
    "reindex": Entry("memory.check:reindex", "Write MEMORY.md anew from the notes."),
    "gc": Entry("memory.gc:gc", "Archive notes that are expired or of no use."),
}

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
        {
            "timeline": Entry(
                "timeline:timeline",
                "Show how the context grew, turn by turn.",
            ),
        },
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
    "memory": Entry("", "Keep notes for the long term.", NOTES, MEMORY),
    "session": Entry(
        "", "Keep a conversation in a log: the commands for sessions.", STORED, SESSION
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
        if entry.target:
            found.append(((*path, name), entry))
        found += leaves(entry.commands, (*path, name))
    return found
