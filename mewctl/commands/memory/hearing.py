"""The messages that a memory command looks at: of a history, or of a session's log."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl.commands.looks import Views
from mewctl.commands.places import store_from
from mewctl.commands.reading import Source, Wish, wish_from
from mewctl.history.formats import mew
from mewctl.memory import cursor
from mewctl.memory.signals import newest_turns
from mewctl.session.layout import sessions_in
from mewctl.session.reading import LogReader
from mewctl.session.references import find
from mewctl.transcripts import Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mewctl.history.view import Message


@dataclass(frozen=True, slots=True)
class Heard:
    """``messages`` are those to look at, ``all`` those that count turns.

    ``session`` is the directory of the session, "" for none, and ``end`` how far its
    log was read, in bytes.
    """

    messages: list[Message]
    all: list[Message]
    model: str = ""
    session: str = ""
    end: int = 0

    @property
    def last_turn(self) -> list[Message]:
        """The messages of the newest turn."""
        return newest_turns(self.all, 1)

    @property
    def name(self) -> str:
        """The session's id, "" for none."""
        return os.path.basename(self.session)


def messages_of(files: Sequence[str], wish: Wish | None = None) -> list[Message]:
    """The messages of inputs in any format that is read. Raises as ``Source`` does."""
    source = Source(files, wish or Wish(), Views())
    return [message for _, message in source]


def heard(options: Mapping[str, Any], notes: str) -> Heard:
    """What the options name. ``notes``: the directory of the cursor.

    Raises as ``Source`` and ``LogReader`` do.
    """
    if options["session"]:
        return _session(options, notes)
    source = Source(options["files"], wish_from(options), Views())
    every = [message for _, message in source]
    return Heard(newest_turns(every, options["turns"]), every, source.model)


def _session(options: Mapping[str, Any], notes: str) -> Heard:
    name = str(options["session"])
    store = store_from({**options, "quiet": True})
    layout = find("" if os.sep in name else sessions_in(store), name)
    done = cursor.load(notes).get(layout.directory, 0)
    with LogReader(layout.log) as reader:
        restart = done > reader.size
        messages = list(_since(reader, 0 if restart else done))
        end = reader.size
    if restart:  # the log was written anew
        messages = newest_turns(messages, 1)
    model = next((m.model for m in reversed(messages) if m.model), None)
    return Heard(messages, messages, model or "", layout.directory, end)


def _since(reader: LogReader, offset: int) -> Iterator[Message]:
    """The messages that were appended from an offset on, without snapshots."""
    for chapter in reader.chapters():
        if chapter.end <= offset:
            continue
        for record, value in reader.since(chapter, Report()):
            if record.offset >= offset:
                yield mew.view(value)
