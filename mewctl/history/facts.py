"""Facts: what code takes from a transcript, so that no prose has to be believed.

The values and their JSON form (the facts file beside a dropped store). ``collect``
fills them, ``compact.summary`` prints them. Message numbers ``n`` count from 1 over
the whole life of a history, compactions included.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

from mewctl.frozen import cheap

if TYPE_CHECKING:
    from collections.abc import Callable

#: Where ``Facts.extra`` names the directory in which calls run.
CWD = "cwd"

Outcome: TypeAlias = Literal["passed", "failed", "unknown"]
Later: TypeAlias = Literal["passed", "failed", "not run again"]
TodoState: TypeAlias = Literal["open", "doing", "done"]


@dataclass(frozen=True, slots=True)
class UserWords:
    """One message of the user, verbatim. ``images``: how many came with it."""

    n: int
    text: str
    time: float | None = None
    images: int = 0
    boundary: str = ""  # the boundary whose dropped store holds the message


@dataclass(frozen=True, slots=True)
class FileFact:
    """What happened to one file.

    ``change`` shows the last change, ``why`` the words of the assistant that came with
    it. ``last`` is the number of the last message.
    """

    path: str
    reads: int = 0
    writes: int = 0
    created: bool = False
    deleted: bool = False
    change: str = ""
    why: str = ""
    last: int = 0


@cheap
@dataclass(frozen=True, slots=True)
class CommandFact:
    """One command, by its text: how often it ran and how the last run ended."""

    command: str
    runs: int = 1
    outcome: Outcome = "unknown"
    exit_code: int | None = None
    last: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed command or tool call, with its error lines and what became of it.

    ``fixed_by``: files changed between the failure and the next run that passed.
    ``note``: what the assistant said about it next.
    """

    what: str
    tool: str
    n: int
    exit_code: int | None = None
    lines: tuple[str, ...] = ()
    later: Later = "not run again"
    fixed_by: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Todo:
    """One item of the last recorded todo list."""

    text: str
    state: TodoState


@dataclass(frozen=True, slots=True)
class LastCall:
    """One of the newest calls: ``target`` is its path, command or first argument."""

    n: int
    tool: str
    target: str
    outcome: Outcome = "unknown"
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the assistant worth keeping: explanations, decisions, conclusions."""

    n: int
    text: str


@dataclass(frozen=True, slots=True)
class FileRead:
    """The content of a file as it was last read in the transcript.

    ``part``: "" for a whole file, else which lines. ``stale``: "" or how the file
    changed since (``written``, ``deleted``). ``truncated``: the content is only the
    beginning of what was read.
    """

    path: str
    content: str
    n: int
    time: float | None = None
    part: str = ""
    stale: str = ""
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything code knows about the dropped part of a history."""

    users: tuple[UserWords, ...] = ()
    files: tuple[FileFact, ...] = ()
    commands: tuple[CommandFact, ...] = ()
    failures: tuple[Failure, ...] = ()
    todos: tuple[Todo, ...] = ()
    last_calls: tuple[LastCall, ...] = ()
    last_text: str = ""
    earlier: str = ""  # the summary that the record began with, by another writer
    said: tuple[Said, ...] = ()
    reads: tuple[FileRead, ...] = ()
    prose: dict[int, str] = field(default_factory=dict)  # section number -> text
    boundaries: tuple[str, ...] = ()  # ids, oldest first
    messages: int = 0  # how many messages were ever dropped: the next n is one more
    overhead: int = 0  # unseen overhead in tokens
    language: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


_ITEMS: dict[str, type] = {
    "users": UserWords,
    "files": FileFact,
    "commands": CommandFact,
    "failures": Failure,
    "todos": Todo,
    "last_calls": LastCall,
    "said": Said,
    "reads": FileRead,
}

T = TypeVar("T")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


#: What a value must be, by the annotation of its field.
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "int": _is_whole,
    "int | None": lambda value: value is None or _is_whole(value),
    "float | None": lambda value: value is None or _is_number(value),
    "tuple[str, ...]": lambda value: (
        isinstance(value, (list, tuple))
        and all(isinstance(item, str) for item in value)
    ),
    "Outcome": lambda value: value in get_args(Outcome),
    "Later": lambda value: value in get_args(Later),
    "TodoState": lambda value: value in get_args(TodoState),
}


def _item(kind: type[T], value: Any) -> T:
    data: dict[str, Any] = {}
    for known in fields(kind):  # type: ignore[arg-type]
        if known.name not in value:
            continue
        item = value[known.name]
        if not _CHECKS[str(known.type)](item):
            raise ValueError(f"facts are not readable: {known.name} of {kind.__name__}")
        data[known.name] = tuple(item) if isinstance(item, list) else item
    return kind(**data)


def to_json(facts: Facts) -> dict[str, Any]:
    """The facts as a JSON object (section numbers become text keys)."""
    value = asdict(facts)
    value["prose"] = {str(number): text for number, text in facts.prose.items()}
    return value


def from_json(value: Any) -> Facts:
    """Facts from their JSON object. Raises ``ValueError`` if it is not one."""
    if not isinstance(value, dict):
        raise ValueError("facts are a JSON object")
    try:
        items: dict[str, Any] = {
            name: tuple(_item(kind, entry) for entry in value.get(name) or ())
            for name, kind in _ITEMS.items()
        }
        prose = {int(k): str(v) for k, v in (value.get("prose") or {}).items()}
        return Facts(
            **items,
            prose=prose,
            last_text=str(value.get("last_text") or ""),
            earlier=str(value.get("earlier") or ""),
            boundaries=tuple(str(b) for b in value.get("boundaries") or ()),
            messages=int(value.get("messages") or 0),
            overhead=int(value.get("overhead") or 0),
            language=str(value.get("language") or ""),
            extra=dict(value.get("extra") or {}),
        )
    except (TypeError, AttributeError) as error:
        raise ValueError(f"facts are not readable: {error}") from None
