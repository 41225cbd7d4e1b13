from __future__ import annotations

import pytest

from mewctl.history.document import is_document, records

USER = {"role": "user", "content": "x"}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([], []),
        ([USER], [USER]),
        ({"messages": [USER], "info": {}, "trajectory_format": "x"}, [USER]),
        (
            {"model": "m", "system": "rules", "messages": [USER]},
            [{"role": "system", "content": "rules"}, USER],
        ),
        (
            {"system": [{"type": "text", "text": "a"}], "messages": []},
            [{"role": "system", "content": [{"type": "text", "text": "a"}]}],
        ),
        ({"system": None, "messages": [USER]}, [USER]),
        ({"system": "", "messages": [USER]}, [USER]),
        ({"system": 5, "messages": [USER]}, [USER]),
    ],
)
def test_a_document_gives_its_messages_with_the_system_text_first(value, found):
    assert is_document(value)
    assert records(value) == found


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (5, "a number"),
        ({"messages": "x"}, "a string"),
        ({}, "null"),
        ([USER, 5], "message 2 is a number"),
        ({"messages": [[]]}, "message 1 is an array"),
    ],
)
def test_a_document_of_another_shape_is_refused(value, words):
    with pytest.raises(ValueError, match=words):
        records(value)


@pytest.mark.parametrize(
    "value", [5, "x", None, {}, {"messages": 5}, {"role": "user", "messages": []}]
)
def test_what_holds_no_messages_is_no_document(value):
    assert not is_document(value)
