"""Where the store is: the project root, or the user level. Reads, never writes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mewctl.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

STORE = ".mewcode"
_MARKS = (STORE, ".git")


def find_root(given: str | None, cwd: str, environ: Mapping[str, str]) -> str:
    """The directory whose ``.mewcode`` is the store, as an absolute path.

    ``given`` (a flag or variable), else the nearest ancestor of ``cwd`` that has
    ``.mewcode`` or ``.git`` but is not the home directory, else ``cwd``. Where that
    yields the home directory or ``/`` it is the home directory: the user level.
    Raises ``ConfigError`` where a home directory is needed and not known.
    """
    home = _home_if_known(environ)
    root = os.path.abspath(os.path.join(cwd, given)) if given else _nearest(cwd, home)
    if root == os.sep or _same(root, home):
        return home or home_directory(environ)
    return root


def home_directory(environ: Mapping[str, str]) -> str:
    """The user's home directory. Raises ``ConfigError`` where there is none."""
    home = _home_if_known(environ)
    if not home:
        raise ConfigError(
            place="HOME", what="no home directory is known", remedy="set HOME or --root"
        )
    return home


def user_level(root: str, environ: Mapping[str, str]) -> bool:
    """Whether ``root`` is the user level, which a command says once."""
    return _same(root, _home_if_known(environ))


def _home_if_known(environ: Mapping[str, str]) -> str:
    home = environ.get("HOME", "")
    if os.path.isabs(home):
        return os.path.normpath(home)
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def _nearest(cwd: str, home: str) -> str:
    at = os.path.abspath(cwd)
    while True:
        marked = any(os.path.lexists(os.path.join(at, mark)) for mark in _MARKS)
        if marked and not _same(at, home):
            return at
        above = os.path.dirname(at)
        if above == at:
            return os.path.abspath(cwd)
        at = above


def _same(path: str, other: str) -> bool:
    """Whether two paths are one directory, symbolic links included."""
    if not other:
        return False
    return path == other or os.path.realpath(path) == os.path.realpath(other)
