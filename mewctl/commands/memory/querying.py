"""Notes that matter for a question, as more than one command looks for them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from mewctl.commands.notes import note as say
from mewctl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mewctl.memory.note import Note
    from mewctl.memory.search import Found
    from mewctl.memory.store import Store


def searched(
    stores: Sequence[Store], text: str, top: int, kind: str | None = None
) -> Found:
    """The ``top`` notes of ``stores`` on ``text``, of a type or of any (None).

    Raises ``ConfigError`` where this Python cannot search, and ``StorageError``.
    """
    try:
        from mewctl.memory.search import Wish, search
        from mewctl.memory.search_tables import Unfit
    except ImportError as error:  # a Python that was built without sqlite3
        raise _unfit(str(error)) from None
    try:
        return search(stores, text, Wish(top, kind or ""), time.time())
    except Unfit as error:
        raise _unfit(str(error)) from None


def _unfit(what: str) -> ConfigError:
    return ConfigError(
        place="this Python",
        what=what,
        remedy="install mewctl for a Python whose sqlite3 has FTS5",
    )


def matching(
    notes: Sequence[Note], stores: Sequence[Store], query: str, top: int
) -> list[Note]:
    """Those of ``notes`` that matter for ``query``, ``top`` at most, the best first."""
    found = searched(stores, query, top)
    known = {(note.level, note.file): note for note in notes}
    wanted = [(hit.note.level, hit.note.file) for hit in found.hits]
    return [known[name] for name in wanted if name in known]


def tell_unread(found: Found) -> None:
    """Say what was not searched, and why; what waits for approval as one number."""
    from mewctl.memory.search_cache import WAITS
    from mewctl.streams.printable import counted

    waiting = [file for _, file, why in found.unread if why == WAITS]
    for store, file, why in found.unread:
        if why != WAITS:
            say(f"{os.path.join(store.directory, file)}: {why}; not searched")
    if waiting:
        say(f"{counted(len(waiting), 'note')} not searched: {WAITS}")
