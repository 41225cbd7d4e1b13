"""Rendering for commands: from options to a rendering, and telling what was found."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import click

from mewctl.errors import ConfigError, Negative, NotFound, Unsafe
from mewctl.instructions.findings import count_errors, shown
from mewctl.instructions.include import Rules
from mewctl.instructions.places import LAYERS, Names, inside, places
from mewctl.instructions.render import Wish, render
from mewctl.store.root import home_directory, project_root
from mewctl.streams.beneath import Beneath
from mewctl.streams.stdio import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mewctl.instructions.findings import Finding
    from mewctl.instructions.include import Node
    from mewctl.instructions.places import Place
    from mewctl.instructions.render import Rendering


@dataclass(frozen=True, slots=True)
class Ground:
    """Where instructions are looked for: real paths. ``home`` is empty if not known."""

    root: bytes
    home: bytes

    @property
    def names(self) -> Names:
        """How its files are called."""
        return Names(self.root, self.home)


def ground(options: Mapping[str, Any]) -> Ground:
    """The ground that ``--root`` and the environment name. Raises ``NotFound``."""
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = os.sep
    root = project_root(options["root"], cwd, os.environ)
    if not os.path.isdir(root):
        raise NotFound(what=f"{root}: no such directory", remedy="check --root")
    try:
        home = os.path.realpath(os.fsencode(home_directory(os.environ)))
    except ConfigError:
        home = b""
    return Ground(os.path.realpath(os.fsencode(root)), home)


class Session:
    """One rendering, whose files can still be asked about. Use as a context."""

    def __init__(self, options: Mapping[str, Any], target: str | None = None) -> None:
        self.ground = ground(options)
        self._stack = ExitStack()
        self._places = self._chosen(options, target)
        allowed = [os.fsencode(directory) for directory in options["allow"]]
        self._readers = {
            place.boundary: Beneath([place.boundary, *map(os.path.abspath, allowed)])
            for place in self._places
        }
        rules = Rules(
            options["max_file"],
            options["max_total"],
            options["repeat"],
            options.get("lang", "en"),
            options["verbose"],
        )
        self._wish = Wish(
            rules, options.get("annotate", False), options.get("max_bytes")
        )

    def __enter__(self) -> Self:
        for reader in self._readers.values():
            self._stack.enter_context(reader)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def render(self) -> Rendering:
        """The instructions. Raises ``CannotFit``."""
        return render(self._places, self._readers, self.ground.names, self._wish)

    def exists(self, node: Node, path: str) -> bool:
        """Whether ``path``, from a file of the rendering, leads to anything."""
        from mewctl.streams.beneath import Refusal

        for reader in self._readers.values():
            try:
                return reader.exists(node.directory, path.encode())
            except Refusal:  # it leads out: not ours to judge
                continue
        return True

    def _chosen(self, options: Mapping[str, Any], target: str | None) -> list[Place]:
        asked = options["layers"]
        if asked == ("user",) and options["no_user"]:
            raise click.UsageError("--layer user and --no-user leave nothing")
        layers = set(asked or LAYERS)
        if options["no_user"] or ("user" not in asked and self._holds(target)):
            layers.discard("user")
        found = places(self.ground.root, self.ground.home, options["name"])
        return [place for place in found if place.layer in layers]

    def _holds(self, target: str | None) -> bool:
        """Whether a file lies inside the root. Raises ``Unsafe`` if by a link only."""
        if target in (None, "-"):
            return False
        spelled = os.path.abspath(os.fsencode(target or ""))
        real = os.path.realpath(spelled)
        holds = inside(real, self.ground.root)
        if inside(spelled, self.ground.root) and not holds:
            raise Unsafe(
                path=target, what="a link that leads out of the root",
                remedy="name the file that is meant",
            )  # fmt: skip
        return holds


def files(rendering: Rendering) -> list[str]:
    """The paths of all files that were read."""
    waiting = [part.node for part in rendering.parts]
    found = []
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.source is not None:
            found.append(os.fsdecode(node.path))
    return found


def tell(findings: Iterable[Finding], options: Mapping[str, Any]) -> None:
    """Say each finding, a line each; with ``-q`` no notes."""
    for finding in findings:
        if finding.severity != "note" or not options["quiet"]:
            say(shown(finding, options["diagnostics"]))


def judge(rendering: Rendering, options: Mapping[str, Any]) -> None:
    """Raise ``Negative`` for a rendering with errors, or of nothing."""
    if not rendering.parts:
        raise Negative(what=nothing(options))
    errors = count_errors(rendering.findings)
    if errors:
        what = "1 error" if errors == 1 else f"{errors} errors"
        raise Negative(what=f"{what}; mend them, or allow what is meant to be")


def nothing(options: Mapping[str, Any]) -> str:
    """What to say where no layer has a file."""
    return f"no {options['name']} in any layer; write one in the project root"
