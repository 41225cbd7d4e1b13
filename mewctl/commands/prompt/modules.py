"""Where the modules of a prompt come from: instructions, skills, memory, files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.commands.instructions.rendering import Session, files, ground
from mewctl.errors import BadInput
from mewctl.instructions.findings import Finding
from mewctl.instructions.prompt import (
    INSTRUCTIONS,
    MEMORY,
    PRIORITY,
    SKILLS,
    Module,
)
from mewctl.instructions.skills import FILE, BadSkill, Skill, catalogue, read
from mewctl.instructions.source import Binary, decode
from mewctl.streams.beneath import Beneath, Refusal, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mewctl.instructions.places import Names

_INDEX = b".mewcode/memory/MEMORY.md"


@dataclass(slots=True)
class Gathered:
    """The modules, what there is to tell of them, and the files that were read."""

    modules: list[Module] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def add(self, name: str, text: str, priority: int | None = None) -> None:
        """Put a module in; one of ours has a priority."""
        at = PRIORITY[name] if priority is None else priority
        self.modules.append(Module(name, at, text))


def gather(options: Mapping[str, Any]) -> Gathered:
    """All modules that the options ask for.

    Raises ``NotFound``, ``StorageError``, ``Unsafe`` or ``BadInput`` for a file that
    the user named.
    """
    found = Gathered()
    with Session(options, options["output"]) as session:
        rendering = session.render()
    found.add(INSTRUCTIONS, rendering.text)
    found.findings += rendering.findings
    found.files += files(rendering)
    place = ground(options)
    found.add(SKILLS, _skills(options["skills"], place.names, found))
    found.add(MEMORY, memory_index(place.root, place.names, found))
    for module in options["modules"]:
        found.files.append(module.path)
        found.add(module.name, _text(module.path), module.priority)
    return found


def memory_index(root: bytes, names: Names, found: Gathered) -> str:
    """The index of the project's long-term memory as it stands; empty without one."""
    with Beneath([root]) as beneath:
        try:
            with beneath.open(root, _INDEX) as opened:
                data = opened.read(limits.INCLUDE_FILE)
        except Refusal as refusal:
            if refusal.kind != "missing":
                file = names.shown(root + b"/" + _INDEX)
                found.findings.append(Finding("unreadable", file, 0, refusal.why))
            return ""
    found.files.append(os.fsdecode(root + b"/" + _INDEX))
    return _decoded(data, names.shown(root + b"/" + _INDEX), limits.INCLUDE_FILE)


def _text(path: str) -> str:
    """The text of a file that the user named."""
    return _decoded(
        read_regular(path, limits.INCLUDE_TOTAL), path, limits.INCLUDE_TOTAL
    )


def _decoded(data: bytes, name: str, most: int) -> str:
    if len(data) > most:
        what = f"larger than {most} bytes"
        raise BadInput(place=name, what=what, remedy="give a smaller file")
    try:
        source = decode(data)
    except Binary as error:
        raise BadInput(place=name, what=str(error), remedy="give text") from None
    if source.bad:
        what = f"not UTF-8 at byte {source.bad_at}"
        raise BadInput(place=name, what=what, remedy="convert it to UTF-8")
    return source.text


def _skills(given: str | None, names: Names, found: Gathered) -> str:
    if given is None:
        return ""
    if not os.path.isdir(given):
        found.files.append(given)
        return _text(given)
    return catalogue(_listed(os.path.realpath(os.fsencode(given)), names, found))


def _listed(directory: bytes, names: Names, found: Gathered) -> Iterator[Skill]:
    """The skills in the directories of ``directory``; one that is broken is told."""
    with Beneath([directory]) as beneath:
        for name in beneath.names(directory):
            path = os.fsencode(name) + b"/" + FILE.encode()
            file = names.shown(directory + b"/" + path)
            try:
                with beneath.open(directory, path) as opened:
                    data = opened.read(limits.INCLUDE_FILE)
                    found.files.append(os.fsdecode(opened.path))
                yield read(_decoded(data, file, limits.INCLUDE_FILE), file)
            except Refusal as refusal:
                if refusal.kind != "missing":
                    found.findings.append(Finding("skill", file, 0, refusal.why))
            except (BadSkill, BadInput) as error:
                why = error.fields["what"] if isinstance(error, BadInput) else error
                found.findings.append(Finding("skill", file, 1, str(why)))
