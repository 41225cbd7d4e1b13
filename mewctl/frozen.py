"""Frozen dataclasses that cost half as much to make.

A frozen dataclass sets its fields through ``object.__setattr__``, which looks each name
up again. One record, one message and a few parts are made of every line that is read,
so that this is felt. Must not know any of them.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

T = TypeVar("T")


def cheap(cls: type[T]) -> type[T]:
    """A frozen dataclass with slots, with a constructor that sets its slots directly.

    Everything else of it stays, and so does what its constructor takes. For classes of
    plain fields and defaults: no ``__post_init__``, no factories, no keyword-only ones.
    """
    known: tuple[Field[Any], ...] = fields(cls)  # type: ignore[arg-type]
    names: dict[str, Any] = {}
    arguments, body = ["self"], []
    for field in known:
        name = field.name
        names[f"set_{name}"] = cls.__dict__[name].__set__
        names[f"default_{name}"] = field.default
        given = "" if field.default is MISSING else f"=default_{name}"
        arguments.append(name + given)
        body.append(f" set_{name}(self, {name})")
    source = "\n".join([f"def __init__({', '.join(arguments)}):", *body])
    exec(source, names)  # noqa: S102 - as dataclasses does; names of fields alone
    made = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = cls.__init__.__annotations__
    made.__module__ = cls.__module__
    cls.__init__ = made  # type: ignore[method-assign]  # the point of it
    return cls
