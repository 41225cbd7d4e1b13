"""Files of one directory in another: shared as hard links, or copied and compared.

Must not know what the files mean. A file is whole in its new place, or not there.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from mewctl.errors import StorageError
from mewctl.store.failures import storage_error, unsafe
from mewctl.store.files import AlreadyThere, create_exclusive, new_dir, private_dir
from mewctl.store.opening import read_blocks

_NO_LINK = (errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS)


def share_files(source: str, target: str, names: list[str] | None = None) -> None:
    """The plain files of ``source`` (``names``: only these) in ``target`` as well.

    Nothing where ``source`` is not there. Raises ``StorageError``.
    """
    if not os.path.isdir(source):
        return
    private_dir(target)
    for name in sorted(os.listdir(source) if names is None else names):
        path = os.path.join(source, name)
        if not name.startswith(".") and _is_plain(path):
            _share(path, os.path.join(target, name))


def _is_plain(path: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(path, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _share(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno == errno.EEXIST:
            return
        if error.errno not in _NO_LINK:
            raise storage_error(target, error, "cannot link") from None
        with suppress(AlreadyThere):
            create_exclusive(target, b"".join(read_blocks(source)))


def move_across(source: str, target: str) -> None:
    """Move a directory to another device: copied, compared, then removed.

    Only directories and plain files can be moved so. Raises ``Unsafe`` and
    ``StorageError``; then ``source`` is whole, and ``target`` is not there unless the
    removal of ``source`` failed.
    """
    try:
        _copy(source, target)
        _compare(source, target)
    except BaseException:
        from shutil import rmtree

        rmtree(target, ignore_errors=True)
        raise
    remove_tree(source)


def _copy(source: str, target: str) -> None:
    new_dir(target)
    for entry in _entries(source):
        path = os.path.join(target, entry.name)
        if entry.is_dir(follow_symlinks=False):
            _copy(entry.path, path)
        elif entry.is_file(follow_symlinks=False):
            create_exclusive(path, b"".join(read_blocks(entry.path)))
            _keep_times(entry, path)
        else:
            raise unsafe(entry.path, "is no plain file, so it cannot be copied")


def _keep_times(entry: os.DirEntry[str], path: str) -> None:
    status = entry.stat(follow_symlinks=False)
    try:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    except OSError as error:
        raise storage_error(path, error) from None


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise storage_error(directory, error, "cannot list") from None


def _compare(source: str, target: str) -> None:
    for entry in _entries(source):
        path = os.path.join(target, entry.name)
        if entry.is_dir(follow_symlinks=False):
            _compare(entry.path, path)
        elif b"".join(read_blocks(entry.path)) != b"".join(read_blocks(path)):
            raise StorageError(
                path=path,
                what="the copy differs from what was copied",
                remedy="check the disk; nothing was removed",
            )


def remove_tree(path: str) -> None:
    """Remove a directory with all that is in it. No link is followed, ``path`` neither.

    Raises ``StorageError`` naming the first thing that could not be removed; a second
    run goes on from there.
    """
    from shutil import rmtree  # slow to load

    failed: list[tuple[str, OSError]] = []

    def note(_: object, where: str, info: object) -> None:
        error = info[1] if isinstance(info, tuple) else info
        if isinstance(error, OSError) and error.errno != errno.ENOENT:
            failed.append((where, error))

    if os.path.islink(path):
        try:
            os.unlink(path)
        except OSError as error:
            note(None, path, error)
    else:
        rmtree(path, onerror=note)
    if failed:
        raise storage_error(*failed[0], "cannot remove")


def tree_size(path: str) -> int:
    """The bytes of all plain files in a directory, as far as they can be seen."""
    total = 0
    for where, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                total += os.stat(
                    os.path.join(where, name), follow_symlinks=False
                ).st_size
    return total
