"""Where the store is: the project root, or the user level. Reads, never writes."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from mewctl.errors import ConfigError, NotFound, Unsafe
from mewctl.store.failures import storage_error

if TYPE_CHECKING:
    from collections.abc import Mapping

STORE = ".mewcode"
_MARKS = (STORE, ".git")


def find_root(given: str | None, cwd: str, environ: Mapping[str, str]) -> str:
    """The directory whose ``.mewcode`` is the store, as an absolute path.

    Raises what ``project_root`` raises, and ``Unsafe`` for a store that others could
    have put there.
    """
    root = project_root(given, cwd, environ)
    above = "" if user_level(root, environ) else root
    refuse_foreign(os.path.join(root, STORE), above)
    return root


def project_root(given: str | None, cwd: str, environ: Mapping[str, str]) -> str:
    """The root of a project, or the user level, as an absolute path.

    ``given`` (a flag or variable), else the nearest ancestor of ``cwd`` that has
    ``.mewcode`` or ``.git`` but is not the home directory, else ``cwd``. Where that
    yields the home directory or ``/`` it is the home directory: the user level.
    Raises ``NotFound`` for a ``given`` that is no directory, ``StorageError`` for what
    cannot be looked at, and ``ConfigError`` where a home directory is needed and not
    known.
    """
    home = home_if_known(environ)
    root = os.path.abspath(os.path.join(cwd, given)) if given else _nearest(cwd, home)
    if given and not is_directory(root):
        raise NotFound(
            what=f"{root}: no such directory", remedy="make it, or name another root"
        )
    if root == os.sep or _same(root, home):
        return home or home_directory(environ)
    return root


def is_directory(path: str) -> bool:
    """Whether ``path`` is a directory. Raises ``StorageError`` if nobody may know."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise storage_error(path, error) from None


def refuse_foreign(path: str, root: str = "") -> None:
    """Refuse what stands at ``path`` if the user did not put it there.

    That is what belongs to another user and, with a ``root``, a link that leads out of
    it, as a repository can hold. What is not there is fine. Raises ``Unsafe``.
    """
    if not os.path.lexists(path):
        return
    real = os.path.realpath(path)
    if root and not _within(real, os.path.realpath(root)):
        raise Unsafe(
            path=path,
            what=f"is a link out of the root, to {real}",
            why="is a link out of the root",
            remedy="remove the link, or name that root with --root",
        )
    for name in (path, real):
        if os.path.lexists(name) and os.lstat(name).st_uid != os.geteuid():
            raise Unsafe(
                path=path,
                what="belongs to another user",
                why="belongs to another user",
                remedy="name a root of your own with --root",
            )


def _within(path: str, directory: str) -> bool:
    """Whether ``path`` lies in ``directory``, part by part; both are real paths."""
    return os.path.commonpath((path, directory)) == directory


def home_directory(environ: Mapping[str, str]) -> str:
    """The user's home directory. Raises ``ConfigError`` where there is none."""
    home = home_if_known(environ)
    if not home:
        raise ConfigError(
            place="HOME", what="no home directory is known", remedy="set HOME or --root"
        )
    return home


def user_level(root: str, environ: Mapping[str, str]) -> bool:
    """Whether ``root`` is the user level, which a command says once."""
    return _same(root, home_if_known(environ))


def home_if_known(environ: Mapping[str, str]) -> str:
    """The user's home directory, from ``HOME`` or the password file; else empty."""
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
