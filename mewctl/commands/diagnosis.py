"""What ``doctor`` looks at, one function a check. Asks no network, prints no secret."""

from __future__ import annotations

import os
import platform
import stat
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mewctl import __version__
from mewctl.commands.every import every_command, layers_from
from mewctl.commands.places import root_from
from mewctl.commands.whereto import whereto
from mewctl.config import project_file, user_file
from mewctl.errors import MewError
from mewctl.origins import rows
from mewctl.store.root import STORE, home_if_known, user_level
from mewctl.store.trial import try_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NEEDED = ("click", "orjson", "rich", "pyyaml", "anthropic")
#: Directories of a store that hold what nobody else should read.
_PRIVATE = ("sessions", "spill", "trash")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. ``note`` is worth knowing, ``wrong`` has to be mended."""

    name: str
    status: Literal["ok", "note", "wrong"]
    detail: str
    remedy: str = ""

    def to_json(self) -> dict[str, str]:
        """The check as an object."""
        row = {"check": self.name, "status": self.status, "detail": self.detail}
        return row | ({"remedy": self.remedy} if self.remedy else {})


def checks(options: Mapping[str, Any]) -> list[Check]:
    """All findings, in the order in which a person would look."""
    found = [*_versions()]
    try:
        root = root_from(options)
    except MewError as error:
        return [*found, _wrong("root", error), *_completions(os.environ)]
    found.append(_root(root))
    found += _settings(options, root)
    found += _store(os.path.join(root, STORE))
    found += _disk(root)
    return [*found, *_completions(os.environ)]


def _wrong(name: str, error: MewError) -> Check:
    remedy = str(error.fields.get("remedy", ""))
    return Check(name, "wrong", str(error).removesuffix(f"; {remedy}"), remedy)


def _versions() -> Iterator[Check]:
    from importlib.metadata import PackageNotFoundError, version

    yield Check("mewctl", "ok", f"{__version__}, {sys.argv[0]}")
    yield Check("python", "ok", f"{platform.python_version()}, {sys.executable}")
    yield Check("system", "ok", platform.platform())
    for name in _NEEDED:
        try:
            yield Check(name, "ok", version(name))
        except PackageNotFoundError:
            yield Check(name, "wrong", "is not installed", "install mewctl again")


def _root(root: str) -> Check:
    if user_level(root, os.environ):
        detail = f"the user level, {os.path.join(root, STORE)}"
        return Check("root", "note", detail, "--root names a project")
    return Check("root", "ok", root)


def _settings(options: Mapping[str, Any], root: str) -> Iterator[Check]:
    for name, path in (
        ("user settings", user_file(os.environ)),
        ("project settings", project_file(root)),
    ):
        there = "there" if os.path.lexists(path) else "not there"
        yield Check(name, "ok", f"{path or 'no home directory'}, {there}")
    try:
        commands = every_command()
        layers = layers_from(options, commands)
        found = rows(commands, layers)
    except MewError as error:
        yield _wrong("settings", error)
        return
    ignored = [row.key for row in found if row.ignored]
    if ignored:
        detail = f"ignored in the project's file: {', '.join(ignored)}"
        yield Check("settings", "note", detail, "only the user's file may set these")
    status, detail, remedy = whereto(found, os.environ)
    yield Check("prompts", status, detail, remedy)


def _store(store: str) -> Iterator[Check]:
    if not os.path.isdir(store):
        yield Check("store", "ok", f"{store}, not there yet")
        return
    yield Check("store", "ok", store)
    for name in _PRIVATE:
        path = os.path.join(store, name)
        if os.path.isdir(path) and os.stat(path).st_mode & _OTHERS:
            yield Check(
                "store", "wrong", f"{path} is open to others", f"chmod 700 {path}"
            )


def _disk(root: str) -> Iterator[Check]:
    """A trial in the store, or where it would be."""
    store = os.path.join(root, STORE)
    place = store if os.path.isdir(store) else root
    for name, error in try_directory(place).items():
        if error is None:
            yield Check(name, "ok", f"works in {place}")
        else:
            yield _wrong(name, error)


def _completions(environ: Mapping[str, str]) -> Iterator[Check]:
    home = home_if_known(environ)
    data = environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    shares = (data, os.path.join(sys.prefix, "share"), "/usr/local/share", "/usr/share")
    places = {
        "bash": "bash-completion/completions/mewctl",
        "zsh": "zsh/site-functions/_mewctl",
        "fish": "fish/vendor_completions.d/mewctl.fish",
    }
    for shell, below in places.items():
        paths = [os.path.join(share, below) for share in shares]
        if shell == "fish":
            paths.append(os.path.join(home, ".config/fish/completions/mewctl.fish"))
        found = next((path for path in paths if os.path.exists(path)), "")
        if found:
            yield Check(f"{shell} completion", "ok", found)
        else:
            detail = "not where the shell looks for it by itself"
            yield Check(f"{shell} completion", "note", detail)
