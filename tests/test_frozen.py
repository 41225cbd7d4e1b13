"""Cheap frozen dataclasses behave as frozen dataclasses do."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, replace

import pytest

from mewctl.frozen import cheap
from mewctl.history.view import Call, Image, Message, Opaque, Result, Text, Thinking
from mewctl.streams.records import Record


@dataclass(frozen=True, slots=True)
class Plain:
    """What ``Cheap`` is compared with."""

    first: int
    second: str = "x"


@cheap
@dataclass(frozen=True, slots=True)
class Cheap:
    """The same, made cheaper."""

    first: int
    second: str = "x"


def test_the_constructor_takes_the_same():
    assert inspect.signature(Cheap).parameters.keys() == {"first", "second"}
    assert (Cheap(1).first, Cheap(1).second) == (1, "x")
    assert Cheap(1, "y") == Cheap(second="y", first=1)
    for args in ((), (1, 2, 3)):
        with pytest.raises(TypeError):
            Cheap(*args)


def test_it_is_frozen_and_equal_and_hashed_and_shown_as_before():
    one = Cheap(1)
    with pytest.raises(FrozenInstanceError):
        one.first = 2
    assert hash(one) == hash(Plain(1))
    assert repr(one) == "Cheap(first=1, second='x')"
    assert one != Plain(1)
    assert replace(one, second="z") == Cheap(1, "z")
    assert copy.copy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.parametrize(
    "value",
    [
        Record(b"a", 1, 2),
        Text("a"),
        Thinking("a", "s"),
        Image(url="u"),
        Opaque("k", 1, {}),
        Call("i", "n", {}),
        Result("i", ()),
        Message("user", (), cwd="/"),
    ],
)
def test_views_and_records_keep_every_field(value):
    fields = {name: getattr(value, name) for name in value.__slots__}
    assert type(value)(**fields) == value
    assert type(value)(*fields.values()) == value
