"""Operating-system errors as ours: what failed, where, and what to do about it.

Owns the remedies. Every ``OSError`` of the store goes through here, so that none
leaves it as a traceback.
"""

from __future__ import annotations

import errno

from mewctl.errors import StorageError, Unsafe

_REMEDY: dict[int, str] = {
    errno.ENOSPC: "free some space and run again",
    errno.EDQUOT: "free some of your quota and run again",
    errno.EFBIG: "raise the file size limit and run again",
    errno.EROFS: "name a directory that can be written",
    errno.EACCES: "check the permissions, or name another directory",
    errno.EPERM: "check the permissions and attributes of the file",
    errno.EIO: "check the disk; what was written may not be on it",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "a part of the path is a file; name another directory",
    errno.ENAMETOOLONG: "use a shorter path",
    errno.EMFILE: "raise the limit of open files",
    errno.ENOLCK: "the file system has no locks; use a directory on a local disk",
    errno.ENOTSUP: "the file system has no locks; use a directory on a local disk",
}


def storage_error(path: str, error: OSError, doing: str = "") -> StorageError:
    """The ``StorageError`` for ``error`` at ``path``; ``doing``: what was tried."""
    what = error.strerror or str(error)
    return StorageError(
        path=path,
        what=f"{doing}: {what}" if doing else what,
        remedy=_REMEDY.get(error.errno or 0, "check the path and its permissions"),
    )


def unsafe(path: str, what: str) -> Unsafe:
    """The refusal of a file that is not what a private file of ours can be."""
    return Unsafe(path=path, what=what, remedy="move it away and run again")
