"""What a note is: a Markdown file whose fields say where it came from. Pure.

A file that is damaged is still a note: known by its file's name, with what is wrong in
``problem``. Owns the fields and their meaning; must not touch files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from mewctl.memory import frontmatter

if TYPE_CHECKING:
    from collections.abc import Mapping

Level: TypeAlias = Literal["project", "user"]
Source: TypeAlias = Literal["user", "tool", "model", "hand"]

LEVELS: tuple[Level, ...] = get_args(Level)
SOURCES: tuple[Source, ...] = get_args(Source)
#: The four types, in the order in which the index lists them.
TYPES = (
    "user_preference",
    "correction_feedback",
    "project_knowledge",
    "reference_material",
)
ENDING = ".md"
_USE = re.compile(r"^(?:last_used|uses):[^\n]*\n", re.MULTILINE)
_YES = frozenset({"true", "yes", "on"})
_DIGITS = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Note:
    """A note as its file says it. Times are text, as RFC 3339 has them in UTC.

    ``file`` is the file's name in the store of its ``level``, ``text`` all of the file,
    ``hash`` is ``content_hash``. ``body`` is the text without the fields,
    ``problem`` why the fields could not be read ("" if they could). ``approved`` says
    whether a note of source ``tool`` may be in the index.
    """

    id: str
    type: str
    title: str
    body: str
    level: Level
    file: str
    created: str = ""
    updated: str = ""
    source_session: str = ""
    source: Source = "hand"
    evidence: str = ""
    last_used: str = ""
    uses: int = 0
    valid_until: str = ""
    supersedes: tuple[str, ...] = ()
    pinned: bool = False
    approved: bool = False
    tags: tuple[str, ...] = ()
    lang: str = ""
    text: str = ""
    hash: str = ""
    problem: str = ""

    @property
    def path(self) -> str:
        """Where an agent that works in the project's root finds the file."""
        home = "~/" if self.level == "user" else ""
        return f"{home}.mewcode/memory/{self.file}"

    @property
    def quarantined(self) -> bool:
        """Whether it rests on the output of a tool and nobody approved it yet."""
        return self.source == "tool" and not self.approved

    @property
    def description(self) -> str:
        """The first line of the body that is not empty, without space around it."""
        lines = (line.strip() for line in self.body.splitlines())
        return next((line for line in lines if line), "")


def is_note_file(name: str) -> bool:
    """Whether a file of this name is taken for a note."""
    return name.endswith(ENDING) and name[0] != "." and name != "MEMORY.md"


def digest(text: str) -> str:
    """The sha256 of a text's bytes, in hex."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def content_hash(head: str, body: str) -> str:
    """What ``if_match`` names: the sha256 of a note's text without how it was used.

    To use a note is no change of it.
    """
    return digest(_USE.sub("", head) + body)


def read(text: str, file: str, level: Level) -> Note:
    """The note in a file's text. Never fails: see ``problem``."""
    problem, body = "", text
    known: Mapping[str, Any] = {}
    try:
        parts = frontmatter.split(text)
        body = parts.body
        known = frontmatter.fields(parts.front)
        if not parts.head:
            problem = "no fields before the text"
    except frontmatter.BadFrontmatter as error:
        problem = str(error)
    stem = file.removesuffix(ENDING)
    source = _text(known, "source")
    return Note(
        id=_text(known, "id") or stem,
        type=_text(known, "type") or type_of(stem),
        title=_text(known, "title") or _title_of(stem),
        body=body,
        level=level,
        file=file,
        created=_text(known, "created"),
        updated=_text(known, "updated"),
        source_session=_text(known, "source_session"),
        source=next((one for one in SOURCES if one == source), "hand"),
        evidence=_text(known, "evidence", one_line=False),
        last_used=_text(known, "last_used"),
        uses=_number(known.get("uses")),
        valid_until=_text(known, "valid_until"),
        supersedes=_texts(known.get("supersedes")),
        pinned=_text(known, "pinned").lower() in _YES,
        approved=_text(known, "approved").lower() in _YES,
        tags=_texts(known.get("tags")),
        lang=_text(known, "lang"),
        text=text,
        hash=content_hash(text[: len(text) - len(body)], body),
        problem=problem or _missing(known),
    )


def type_of(stem: str) -> str:
    """The type that a file's name begins with; without one it is project knowledge."""
    return next(
        (kind for kind in TYPES if stem == kind or stem.startswith(f"{kind}_")),
        "project_knowledge",
    )


def slug_of(note: Note) -> str:
    """What follows the type in the file's name."""
    stem = note.file.removesuffix(ENDING)
    return stem.removeprefix(f"{type_of(stem)}_")


def _title_of(stem: str) -> str:
    name = stem.removeprefix(f"{type_of(stem)}_")
    return name.replace("_", " ").replace("-", " ").strip() or stem


def _missing(known: Mapping[str, Any]) -> str:
    lost = [key for key in ("id", "type", "title") if not _text(known, key)]
    if lost:
        return f"without {' and '.join(lost)}"
    kind = _text(known, "type")
    return "" if kind in TYPES else f"{kind[:40]!r} is no type of note"


def _text(known: Mapping[str, Any], key: str, *, one_line: bool = True) -> str:
    value = known.get(key)
    if not isinstance(value, str):
        return ""
    return " ".join(value.split()) if one_line else value.strip()


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part for part in re.split(r"[,\s]+", value) if part)
    if isinstance(value, list):
        return tuple(item for item in value if isinstance(item, str) and item)
    return ()


def _number(value: object) -> int:
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value) else 0
