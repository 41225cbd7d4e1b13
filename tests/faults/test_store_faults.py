"""The primitives of the store under failing system calls, kills and small disks.

Oracle: what was acknowledged can be read; what a reader sees is old or new, never half.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DRIVER = str(ROOT / "tests" / "support" / "store_driver.py")
ENVIRON = {
    "PATH": os.environ.get("PATH", ""),
    "PYTHONPATH": str(ROOT),
    "PYTHONDONTWRITEBYTECODE": "1",
}
MOST = 60  # calls of one kind: more means that the sweep does not end


def drive(*arguments: object, before: tuple[str, ...] = (), **extra):
    command = [*before, sys.executable, "-S", DRIVER, *map(str, arguments)]
    return subprocess.run(
        command, env=ENVIRON, capture_output=True, check=False, timeout=60, **extra
    )


def tracing() -> str:
    """Why system calls cannot be made to fail here; "" if they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    try:
        done = subprocess.run(
            ["strace", "-qq", "-e", "inject=getppid:error=EIO", "true"],
            capture_output=True,
            check=False,
        )
    except OSError as error:
        return f"strace does not run: {error}"
    return "" if done.returncode == 0 else f"strace: {done.stderr.decode()[:200]}"


REFUSED = tracing()
needs_strace = pytest.mark.skipif(bool(REFUSED), reason=REFUSED or "-")


def injected(calls: str, what: str, number: int) -> tuple[str, ...]:
    """A command prefix: the ``number``-th of each of ``calls`` fails, or kills."""
    inject = f"inject={calls}:{what}:when={number}"
    return ("strace", "-f", "-qq", "-o", "/dev/null", "-e", inject)


def read_back(path: Path) -> list[int]:
    """The ids of the whole records in a log, which may end in a torn one."""
    found = []
    for line in path.read_bytes().split(b"\n") if path.exists() else []:
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            assert len(record["pad"]) == 300
            found.append(record["id"])
    return found


def acknowledged(output: bytes) -> list[int]:
    return [int(line) for line in output.split()]


@needs_strace
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("call", ["write", "fsync", "openat"])
def test_a_failed_append_leaves_what_was_acknowledged(tmp_path, call, error):
    for number in range(1, MOST):
        path = tmp_path / f"log-{number}"
        before = injected(call, f"error={error}", number)
        if call == "openat":  # Python opens much: only the log's own
            before = (*before[:-2], "-P", str(path), *before[-2:])
        done = drive("append", path, 3, before=before)
        acked = acknowledged(done.stdout)
        assert set(acked) <= set(read_back(path))
        if path.exists() and done.returncode == 5:
            assert path.read_bytes().endswith(b"\n") or not path.read_bytes()
            assert read_back(path) == acked  # refused means: not there
        if acked == [0, 1, 2] and done.returncode == 0:
            break
    else:
        pytest.fail("never succeeded")
    assert number > 1, "no call was made to fail"


@needs_strace
@pytest.mark.parametrize("call", ["write", "fsync"])
def test_a_killed_append_loses_nothing_acknowledged_and_the_next_one_mends(
    tmp_path, call
):
    for number in range(1, MOST):
        path = tmp_path / f"log-{number}"
        done = drive("append", path, 3, before=injected(call, "signal=KILL", number))
        acked = acknowledged(done.stdout)
        after = drive("append", path, 1)
        assert after.returncode == 0
        readable = read_back(path)
        assert set(acked) <= set(readable)
        assert readable[-1] == 0  # the new one is whole
        if acked == [0, 1, 2] and done.returncode == 0:
            break
    else:
        pytest.fail("never succeeded")
    assert number > 1


@needs_strace
@pytest.mark.parametrize("call", ["write", "fsync", "rename,renameat2", "fchmod,chmod"])
@pytest.mark.parametrize("what", ["error=ENOSPC", "error=EIO", "signal=KILL"])
def test_a_replaced_file_is_old_or_new(tmp_path, call, what):
    old, new = b"old" * 1000, "new" * 1000
    for number in range(1, MOST):
        path = tmp_path / str(number) / "state"
        path.parent.mkdir()
        path.write_bytes(old)
        done = drive("replace", path, new, before=injected(call, what, number))
        assert path.read_bytes() in (old, new.encode())
        if done.stdout:
            assert path.read_bytes() == new.encode()
        if what != "signal=KILL":
            assert os.listdir(path.parent) == ["state"]
        if done.returncode == 0:
            break
    else:
        pytest.fail("never succeeded")
    assert number > 1 or call.startswith("fchmod")


@needs_strace
@pytest.mark.parametrize("call", ["write", "fsync", "link,linkat"])
@pytest.mark.parametrize("what", ["error=ENOSPC", "error=EIO", "signal=KILL"])
def test_a_new_file_is_whole_or_not_there(tmp_path, call, what):
    data = "data" * 1000
    for number in range(1, MOST):
        path = tmp_path / str(number) / "body"
        path.parent.mkdir()
        done = drive("create", path, data, before=injected(call, what, number))
        if path.exists():
            assert path.read_text() == data
        assert path.exists() or not done.stdout
        if what != "signal=KILL":
            assert set(os.listdir(path.parent)) <= {"body"}
        if done.returncode == 0:
            assert path.exists()
            break
    else:
        pytest.fail("never succeeded")
    assert number > 1


@needs_strace
def test_a_file_system_without_locks_is_told_apart(tmp_path):
    (tmp_path / "n").write_text("0")
    before = injected("flock", "error=ENOLCK", 1)
    done = drive("count", tmp_path / "n", 1, before=before)
    assert done.returncode == 5
    assert b"local disk" in done.stderr


@needs_strace
def test_interrupted_calls_are_carried_on(tmp_path):
    path = tmp_path / "log"
    before = injected("write,fsync", "error=EINTR", 1)
    done = drive("append", path, 3, before=before)
    assert done.returncode == 0
    assert read_back(path) == [0, 1, 2]


@pytest.mark.parametrize("size", [0, 100, 319, 320, 500, 700, 900])
def test_a_file_size_limit_takes_the_half_written_record_back(tmp_path, size):
    path = tmp_path / "log"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    done = drive("append", path, 3, preexec_fn=limit)
    acked = acknowledged(done.stdout)
    assert read_back(path) == acked
    assert acked == list(range(min(3, size // 318)))
    if len(acked) < 3:
        assert done.returncode == 5
        assert b"raise the file size limit" in done.stderr
        assert path.stat().st_size == 318 * len(acked)


def mounted(options: str, directory: Path, *command: str):
    """Run a command where ``directory`` is a tmpfs, seen by it alone."""
    script = f'mount -t tmpfs -o {options} none "$0" && exec "$@"'
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script, str(directory), *command],
        env=ENVIRON,
        capture_output=True,
        check=False,
        timeout=60,
    )


def mounting() -> str:
    """Why nothing can be mounted here; "" if it can."""
    if shutil.which("unshare") is None or os.geteuid() != 0:
        return "mounting a small disk needs root and unshare"
    done = mounted("size=64k", Path("/mnt"), "true")
    return "" if done.returncode == 0 else f"no mount: {done.stderr.decode()[:200]}"


UNMOUNTABLE = mounting()
needs_mount = pytest.mark.skipif(bool(UNMOUNTABLE), reason=UNMOUNTABLE or "-")


@needs_mount
def test_on_a_full_disk_what_was_acknowledged_stays_and_the_rest_is_refused(tmp_path):
    log = str(tmp_path / "log")
    show = (
        f'{sys.executable} -S "$1" append "$2" 1000 > /dev/shm/acks-$$; code=$?; '
        'cat "$2"; echo; cat /dev/shm/acks-$$ >&2; rm /dev/shm/acks-$$; exit $code'
    )
    done = mounted("size=64k", tmp_path, "sh", "-c", show, "-", DRIVER, log)
    assert done.returncode == 5
    acked = [int(line) for line in done.stderr.split() if line.isdigit()]
    records = [json.loads(line)["id"] for line in done.stdout.split(b"\n") if line]
    assert records == acked
    assert len(acked) > 100


@needs_mount
def test_a_read_only_disk_is_a_storage_error(tmp_path):
    for what in ("append", "create", "replace"):
        path = str(tmp_path / "file")
        command = (sys.executable, "-S", DRIVER, what, path, "1")
        done = mounted("ro", tmp_path, *command)
        assert done.returncode == 5
        assert b"Read-only file system; name a directory that can be written" in (
            done.stderr
        )


@needs_mount
def test_without_inodes_nothing_is_half_made(tmp_path):
    path = str(tmp_path / "file")
    command = (sys.executable, "-S", DRIVER, "create", path, "1")
    done = mounted("size=1m,nr_inodes=1", tmp_path, *command)
    assert done.returncode == 5
    assert b"free some space" in done.stderr


def test_eight_writers_under_the_lock_lose_no_update(tmp_path):
    path = tmp_path / "number"
    path.write_text("0")
    command = [sys.executable, "-S", DRIVER, "count", str(path), "20"]
    writers = [subprocess.Popen(command, env=ENVIRON) for _ in range(8)]
    assert [writer.wait(60) for writer in writers] == [0] * 8
    assert path.read_text() == "160"
