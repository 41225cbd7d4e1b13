"""A catalogue of skills: the name and description in each one's front matter. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.instructions.source import front_matter

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = "SKILL.md"
_TITLE = "## Skills"
_RULE = 3  # characters of a line that begins or ends front matter


class BadSkill(ValueError):
    """A skill that cannot be listed; the message says why."""


@dataclass(frozen=True, slots=True)
class Skill:
    """What the catalogue says of a skill. ``path``: of its file, for the agent."""

    name: str
    description: str
    path: str


def read(text: str, path: str) -> Skill:
    """The skill in a file's text. Raises ``BadSkill``."""
    end = front_matter(text)
    if not 0 < end <= limits.FRONTMATTER:
        raise BadSkill("no front matter with a name and a description")
    fields = _fields(text[_RULE:end].rstrip().rstrip("-."))
    name, description = (_line(fields.get(key)) for key in ("name", "description"))
    if not name or not description:
        raise BadSkill("front matter needs a name and a description")
    return Skill(name, description, path)


def _fields(text: str) -> dict[Any, Any]:
    import yaml

    try:
        if any(
            isinstance(t, yaml.AliasToken) for t in yaml.scan(text, yaml.SafeLoader)
        ):
            raise BadSkill("front matter with aliases is not read")
        value = yaml.load(text, yaml.BaseLoader)  # noqa: S506 - builds text alone
    except (yaml.YAMLError, RecursionError) as error:
        what = getattr(error, "problem", None) or "nested too deep"
        raise BadSkill(f"front matter is not YAML: {what}") from None
    return value if isinstance(value, dict) else {}


def _line(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def catalogue(skills: Iterable[Skill]) -> str:
    """The list of skills by name; empty without any."""
    ordered = sorted(skills, key=lambda skill: (skill.name, skill.path))
    rows = [f"- {s.name}: {s.description} ({s.path})" for s in ordered]
    return "\n".join((_TITLE, "", *rows)) if rows else ""
