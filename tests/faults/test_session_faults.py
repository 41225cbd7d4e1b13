"""Sessions under failing system calls, kills and full disks, with real processes.

Oracle: what was acknowledged is in the log; the history is the old one or the new one;
a session is in its place or in the trash, never half.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 40  # calls of one kind: more means that the sweep does not end


def tracing() -> str:
    """Why system calls cannot be made to fail here; "" if they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(
        ["strace", "-qq", "-e", "inject=getppid:error=EIO", "true"],
        capture_output=True,
        check=False,
    )
    return "" if done.returncode == 0 else f"strace: {done.stderr.decode()[:200]}"


REFUSED = tracing()
needs_strace = pytest.mark.skipif(bool(REFUSED), reason=REFUSED or "-")


@pytest.fixture
def environ(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "project"
    (path / ".git").mkdir(parents=True)
    return path


@pytest.fixture
def run(environ, project):
    """``run("append", S, data=b"", before=(...))``: a session command, as a process."""

    def call(*args, data=b"", before=(), **more):
        command = [*before, sys.executable, "-m", "mewctl", "session", *map(str, args)]
        return subprocess.run(
            command,
            input=data,
            env=environ,
            cwd=project,
            capture_output=True,
            check=False,
            timeout=60,
            **more,
        )

    return call


def record(number, size=300):
    return {"role": "user", "content": f"{number} " + "x" * size, "ts": number}


def written(*records):
    return b"".join(json.dumps(r).encode() + b"\n" for r in records)


def directory(project, name):
    return project / ".mewcode" / "sessions" / name


def log(project, name):
    return directory(project, name) / "conversation.jsonl"


def make(run, project, *records):
    """A session with records: its id."""
    name = run("new").stdout.decode().strip()
    log(project, name).write_bytes(written(*records))
    return name


def numbers(data: bytes) -> list[int]:
    """The numbers of the whole records in a log, snapshots included."""
    found = []
    for line in data.split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if "content" in value:
            found.append(int(value["content"].split()[0]))
    return found


def injected(path, call, what, number):
    """A command prefix: the ``number``-th ``call`` on ``path`` fails, or kills."""
    inject = f"inject={call}:{what}:when={number}"
    prefix = ("strace", "-f", "-qq", "-o", "/dev/null", "-P", str(path))
    return (*prefix, "-e", f"trace={call}", "-e", inject)


FAULTS = ["error=ENOSPC", "error=EIO", "signal=KILL"]


@needs_strace
@pytest.mark.parametrize("call", ["write", "fsync"])
@pytest.mark.parametrize("what", FAULTS)
def test_an_append_that_fails_loses_nothing_acknowledged(run, project, call, what):
    for number in range(1, MOST):
        name = make(run, project, record(0))
        path = log(project, name)
        before = path.read_bytes()
        data = written(*map(record, range(1, 4)))
        done = run(
            "append", name, "--sync", "each",
            data=data, before=injected(path, call, what, number),
        )  # fmt: skip
        after = path.read_bytes()
        assert after.startswith(before)
        acked = sum(json.loads(line)["records"] for line in done.stdout.splitlines())
        assert acked <= len(numbers(after)) - 1
        if what != "signal=KILL" and done.returncode:
            assert done.returncode == 5
            assert b"Traceback" not in done.stderr
            assert after.endswith(b"\n")
        again = run("append", name, data=written(record(9)))
        assert again.returncode == 0
        assert numbers(path.read_bytes())[-1] == 9
        if acked == 3:
            break
    else:
        pytest.fail("never succeeded")
    assert number > 1, "no call was made to fail"


def commit(kind, run, name, data, before=()):
    """An act that writes a marker and a snapshot."""
    if kind == "replace":
        return run("append", name, "--replace", data=data, before=before)
    if kind == "compact":
        return run("compact", name, "--window", "4000", before=before)
    return run("undo", name, before=before)


def history(run, name):
    done = run("load", name)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_strace
@pytest.mark.parametrize("kind", ["replace", "compact", "undo"])
@pytest.mark.parametrize(
    ("call", "what"),
    [("write", "error=ENOSPC"), ("write", "signal=KILL"), ("fsync", "error=EIO")],
)
def test_a_new_history_is_there_as_a_whole_or_not_at_all(
    run, project, kind, call, what
):
    old = [record(n, 900) for n in range(30)]
    data = written(record(100), record(101))
    reference = make(run, project, *old)
    if kind == "undo":
        run("append", reference, "--replace", data=data)
    start = log(project, reference).read_bytes()
    before = history(run, reference)
    assert commit(kind, run, reference, data).returncode == 0
    wanted = history(run, reference)
    for number in range(1, MOST):
        name = make(run, project)
        path = log(project, name)
        path.write_bytes(start)
        done = commit(kind, run, name, data, injected(path, call, what, number))
        after = path.read_bytes()
        assert after.startswith(start)
        now = history(run, name)
        assert len(now.splitlines()) in (
            len(before.splitlines()),
            len(wanted.splitlines()),
        )
        if done.returncode == 0:
            assert len(now.splitlines()) == len(wanted.splitlines())
            break
        assert now == before
        assert b"Traceback" not in done.stderr
        assert done.returncode in ((5,) if what != "signal=KILL" else (-9, 137))
    else:
        pytest.fail("never succeeded")
    assert number > 1, "no call was made to fail"


def whole(path):
    return {p.name: p.read_bytes() for p in path.iterdir() if p.name[0] != "."}


@needs_strace
@pytest.mark.parametrize("act", ["clean", "restore"])
@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("rename,renameat,renameat2", "error=EACCES"),
        ("rename,renameat,renameat2", "signal=KILL"),
        ("fsync", "error=EIO"),
        ("fsync", "signal=KILL"),
    ],
)
def test_a_session_is_in_its_place_or_in_the_trash(run, project, act, call, what):
    for number in range(1, MOST):
        name = make(run, project, record(1))
        place, trash = directory(project, name), project / ".mewcode" / "trash" / name
        files = whole(place)
        args = ("clean", "--older-than", "30d")
        if act == "restore":
            assert run(*args).returncode == 0
            assert not place.exists()
            args = ("trash", "restore", name)
        prefix = injected(place, call, what, number)
        before = (*prefix[:5], *prefix[7:])  # on any path
        done = run(*args, before=before)
        assert place.exists() != trash.exists()
        assert whole(place if place.exists() else trash) == files
        assert b"Traceback" not in done.stderr
        if done.returncode == 0:
            assert place.exists() is (act == "restore")
            break
        if what != "signal=KILL":
            assert done.returncode == 5
        run("trash", "empty")
        shutil.rmtree(place, ignore_errors=True)
    else:
        pytest.fail("never succeeded")
    assert number > 1, "no call was made to fail"


@pytest.mark.parametrize("size", [100, 700, 1500])
def test_a_file_size_limit_takes_a_half_written_batch_back(run, project, size):
    name = make(run, project, record(0))
    before = log(project, name).read_bytes()

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    data = written(*map(record, range(1, 6)))
    done = run("append", name, data=data, preexec_fn=limit)
    assert done.returncode == 5
    assert done.stdout == b""
    assert b"raise the file size limit" in done.stderr
    assert log(project, name).read_bytes() == before


def test_a_killed_appender_loses_nothing_that_it_acknowledged(environ, project, run):
    name = make(run, project)
    rng = random.Random(7)
    acked = sent = 0
    for _ in range(12):
        process = subprocess.Popen(
            [sys.executable, "-m", "mewctl", "session", "append", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environ,
            cwd=project,
        )
        end = time.monotonic() + rng.uniform(0.05, 0.15)
        while True:
            sent += 1
            process.stdin.write(written(record(sent, 3000)))
            process.stdin.flush()
            line = process.stdout.readline()
            acked = sent if line else acked
            if not line or time.monotonic() > end:
                break
        process.kill()
        process.wait(20)
        process.stdin.close()
        process.stdout.close()
        found = numbers(log(project, name).read_bytes())
        assert acked in found
    assert set(found) >= set(range(1, acked + 1)) - {acked + 1}
    assert run("append", name, data=written(record(999))).returncode == 0
    assert numbers(log(project, name).read_bytes())[-1] == 999


@pytest.mark.parametrize("writers", [2, 8])
def test_processes_that_append_at_once_lose_and_mix_nothing(
    environ, project, run, writers
):
    name = make(run, project)
    each = 25
    running = []
    for who in range(writers):
        data = written(*(record(who * 1000 + n, 20_000) for n in range(each)))
        process = subprocess.Popen(
            [sys.executable, "-m", "mewctl", "session", "append", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=environ,
            cwd=project,
        )
        process.stdin.write(data)
        process.stdin.close()
        running.append(process)
    assert [process.wait(60) for process in running] == [0] * writers
    found = numbers(log(project, name).read_bytes())
    wanted = [who * 1000 + n for who in range(writers) for n in range(each)]
    assert sorted(found) == wanted
    for who in range(writers):  # each in its order
        own = [n for n in found if n // 1000 == who]
        assert own == sorted(own)


def test_a_reader_that_leaves_does_not_stop_the_appending(environ, project, run):
    name = make(run, project)
    process = subprocess.Popen(
        [sys.executable, "-m", "mewctl", "session", "append", name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        cwd=project,
    )
    process.stdout.close()
    for number in range(4):  # each is a batch of its own
        process.stdin.write(written(record(number)))
        process.stdin.flush()
        end = time.monotonic() + 20
        while number not in numbers(log(project, name).read_bytes()):
            assert time.monotonic() < end
            time.sleep(0.01)
    process.stdin.close()
    assert process.wait(30) == 0
    assert process.stderr.read() == b""
    process.stderr.close()
