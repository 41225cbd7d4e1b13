"""Which compaction an undo takes back."""

from __future__ import annotations

import pytest

from mewctl.errors import NotFound
from mewctl.session.backward import Mark
from mewctl.session.lines import Marker
from mewctl.session.reading import Chapter
from mewctl.session.undoing import plan, standing


def chapters(*markers):
    made = [Chapter(0, None, 0, 10)]
    for number, marker in enumerate(markers, 1):
        made.append(Chapter(number, Mark(0, 0, marker), 0, 0))
    return made


def c(messages=1, **more):
    return Marker(messages=messages, **more)


def undo(number):
    return Marker(messages=1, reason="undo", undoes=number)


@pytest.mark.parametrize(
    ("markers", "stands"),
    [
        ([], []),
        ([c()], [1]),
        ([c(), c()], [1, 2]),
        ([c(), c(), undo(2)], [1]),
        ([c(), c(), undo(2), undo(1)], []),
        ([c(), c(), undo(2), c()], [1, 4]),
        ([c(reason="fork"), c()], [2]),
        ([c(reason="import")], []),
    ],
)
def test_what_was_undone_stands_no_more(markers, stands):
    assert standing(chapters(*markers)) == stands


def test_the_last_that_stands_is_taken_back_with_all_that_came_since():
    found = chapters(c(), c(), undo(2))
    todo = plan(found)
    assert todo.number == 1
    assert todo.before is found[0]
    assert todo.since == tuple(found[1:])


def test_none_left_is_not_found():
    with pytest.raises(NotFound, match="no compaction is left"):
        plan(chapters(c(), undo(1)))


def test_a_marker_without_a_count_cannot_be_taken_back():
    with pytest.raises(NotFound, match="does not count"):
        plan(chapters(c(messages=None)))
    with pytest.raises(NotFound, match="checkpoint 2 does not count"):
        plan(chapters(c(), c(messages=None)))
