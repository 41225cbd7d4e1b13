"""Names of files as text: when two of them mean the same file. Pure: no file is asked.

A path is shown as it was given, or absolute where the transcript says in which
directory the call ran. What the transcript does not say is not guessed.
"""

from __future__ import annotations

import posixpath
import re

from mewctl import limits

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def is_path(value: object) -> bool:
    """Whether ``value`` can be a path: one line of text, and no address."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= limits.FACT_PATH
        and "\n" not in value
        and "://" not in value
    )


def is_absolute(path: str) -> bool:
    """Whether ``path`` needs no directory: POSIX, home, or Windows spelling."""
    return path.startswith(("/", "~", "\\\\")) or _DRIVE.match(path) is not None


def shown(path: str, cwd: str = "") -> str:
    """``path``, absolute if ``cwd`` is known and ``path`` depends on it."""
    if not path or not cwd or is_absolute(path) or not is_absolute(cwd) or "\\" in cwd:
        return path
    return posixpath.normpath(posixpath.join(cwd, path))


def identity(path: str) -> str:
    """What two spellings of one path have in common: ``a/./b`` and ``a/b``."""
    if "\\" in path:
        return path
    if "//" in path or "." in path:
        return posixpath.normpath(path)
    return path.rstrip("/") or path


def moved(source: str, target: str) -> str:
    """Where ``source`` is after a move; a ``target`` with ``/`` at its end holds it."""
    if target.endswith("/"):
        return target + posixpath.basename(source.rstrip("/"))
    return target
