"""The breaker's state on disk, beside a session: read, kept, set aside if damaged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.commands.notes import note
from mewctl.compact.breaker import Breaker, from_json, to_json
from mewctl.errors import MewError
from mewctl.store.files import replace, set_aside
from mewctl.store.opening import read_file
from mewctl.streams.jsonvalue import BadJSON, dumps, loads

if TYPE_CHECKING:
    from mewctl.commands.places import Place

_NAME = "compact.state.json"


def breaker_of(place: Place) -> Breaker | None:
    """The state of a session's breaker; None where there is no session.

    A file that is no state is set aside with a warning, and the breaker is closed.
    """
    if not place.session:
        return None
    path = os.path.join(place.session, _NAME)
    if not os.path.lexists(path):
        return Breaker()
    data = read_file(path, limits.STATE_FILE)
    try:
        return from_json(loads(data))
    except (BadJSON, ValueError) as error:
        aside = set_aside(path, data)
        note(f"{path}: {error}; set aside as {aside}, the breaker starts closed")
        return Breaker()


def keep_breaker(place: Place, state: Breaker | None) -> None:
    """Write the state, if it is to be kept and is another than that on disk."""
    if state is None or not place.session:
        return
    path = os.path.join(place.session, _NAME)
    data = dumps(to_json(state)) + b"\n"
    try:
        there = os.path.lexists(path)
        old = read_file(path, limits.STATE_FILE) if there else b""
        if old != data and (there or state != Breaker()):
            replace(path, data)
    except MewError as error:  # the compaction itself stands
        note(f"the breaker's state was not kept: {error}")
