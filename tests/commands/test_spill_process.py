"""``mewctl spill`` as a process: streams, imports, kills."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from spilling import FORMATS, gone, lines, step, user

from mewctl.errors import Exit
from mewctl.spill.ledger import Ledger

ROOT = Path(__file__).parents[2]
BIG = "a line of output\n" * 5000
DATA = lines(user("mew", "hi"), *step("mew", [("call_1", BIG)]), user("mew", "next"))


@pytest.fixture(autouse=True)
def _nowhere(tmp_path, monkeypatch):
    """A project of its own, and no settings of this machine."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(work)


def process(*args, data=b"", code=(), **options):
    return subprocess.run(
        [sys.executable, *(code or ("-m", "mewctl")), *args],
        input=data,
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        **options,
    )


def test_it_reads_standard_input():
    done = process("spill", data=DATA)
    assert done.returncode == 0
    assert gone(done.stdout) == [True]


@pytest.mark.parametrize("form", FORMATS)
def test_a_bad_record_on_standard_input_is_named_by_line_and_byte(form, tmp_path):
    head = lines(user(form, "hi"), *step(form, [("a", "x"), ("b", "y")]))
    bad = b'{"role":"tool",' + b"x" * 60_000 + b"\n"
    place = f"stdin:{head.count(b'%c' % 10) + 1} (byte {len(head)})"
    piped = process("spill", data=head + bad)
    assert place in piped.stderr.decode()
    (tmp_path / "f").write_bytes(b"skipped\n" + head + bad)
    with open(tmp_path / "f", "rb", buffering=0) as file:
        file.read(8)
        done = subprocess.run(
            [sys.executable, "-m", "mewctl", "spill"],
            stdin=file,
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    assert done.returncode == Exit.BAD_INPUT
    assert place in done.stderr.decode()


WATCH = (
    "import sys; from mewctl import cli; code = cli.run(sys.argv[1:]);"
    "sys.stderr.write(' '.join(sys.modules)); sys.exit(code)"
)
SLOW = {"orjson", "hashlib", "rich", "yaml", "anthropic", "pydantic", "asyncio"}


def test_an_empty_input_loads_no_parser():
    done = process("spill", code=("-c", WATCH))
    loaded = set(done.stderr.decode().split())
    assert done.returncode == 0
    assert not loaded & (SLOW | {"mewctl.history.view", "mewctl.spill.scan"})


def test_spilling_loads_nothing_it_does_not_need():
    done = process("spill", "-q", data=DATA, code=("-c", WATCH))
    loaded = set(done.stderr.decode().split())
    assert "orjson" in loaded
    assert not loaded & {"rich", "yaml", "anthropic", "pydantic", "asyncio", "tempfile"}


def test_what_is_complete_flows_while_the_input_is_open():
    program = subprocess.Popen(
        [sys.executable, "-m", "mewctl", "spill", "-q"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    got = b""
    for line in DATA.splitlines(keepends=True):
        program.stdin.write(line)
        program.stdin.flush()
        count = got.count(b"\n")
        while got.count(b"\n") == count:
            assert select.select([program.stdout], [], [], 30)[0], "nothing came"
            got += os.read(program.stdout.fileno(), 1 << 20)
    program.stdin.close()
    assert program.stdout.read() == b""
    assert program.wait(30) == 0
    program.stdout.close()
    assert gone(got) == [True]


def test_a_kill_at_any_moment_leaves_a_store_that_works(tmp_path):
    steps = (step("mew", [(f"c{n}", BIG + str(n))]) for n in range(40))
    data = lines(*(record for made in steps for record in made))
    command = ("spill", "-q", "-d", str(tmp_path / "s"))
    (tmp_path / "in").write_bytes(data)
    whole = None
    for wait in (0.12, 0.16, 0.2, 0.25, 0.3):
        out = tmp_path / "out"
        with open(tmp_path / "in", "rb") as source, open(out, "wb") as target:
            program = subprocess.Popen(
                [sys.executable, "-m", "mewctl", *command],
                stdin=source,
                stdout=target,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            time.sleep(wait)
            program.kill()
            program.wait()
        after = process(*command, data=data)
        assert (after.returncode, after.stderr) == (0, b"")
        whole = whole or after.stdout
        assert after.stdout == whole
        shown = out.read_bytes()
        assert whole.startswith(shown[: shown.rfind(b"\n") + 1])
    known = Ledger(str(tmp_path / "s"))
    known.refresh()
    assert not known.damaged


def without_rights(*args: str) -> subprocess.CompletedProcess:
    """Run ``mewctl spill`` as somebody for whom modes count."""
    command = [sys.executable, "-m", "mewctl", "spill", *args]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root needs setpriv to be without permissions")
        away = "-dac_override,-dac_read_search"
        command[:0] = ["setpriv", f"--bounding-set={away}", f"--inh-caps={away}"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, input=DATA, capture_output=True, check=False, env=environ
    )


def test_a_directory_without_permissions_leaves_the_history_as_it_is(tmp_path):
    place = tmp_path / "locked"
    place.mkdir(mode=0)
    done = without_rights("-d", str(place))
    place.chmod(0o700)
    assert (done.returncode, done.stdout) == (0, DATA)
    assert b"Permission denied" in done.stderr
    assert b"stays in the history" in done.stderr


def test_an_input_without_permissions_is_a_storage_error(tmp_path):
    path = tmp_path / "history.jsonl"
    path.write_bytes(DATA)
    path.chmod(0)
    done = without_rights(str(path))
    assert (done.returncode, done.stdout) == (Exit.STORAGE, b"")
    assert b"history.jsonl: Permission denied" in done.stderr


def test_what_a_killed_run_left_is_removed_by_a_later_one(tmp_path):
    place = tmp_path / "spill"
    place.mkdir()
    old, new = place / f".tmp-{'0' * 16}", place / f".tmp-{'1' * 16}"
    other = place / ".tmp-notes"
    for path in (old, new, other):
        path.write_bytes(b"half")
    for path in (old, other):
        os.utime(path, (1e9, 1e9))
    assert process("spill", "-q", "-d", str(place), data=DATA).returncode == 0
    assert not old.exists()
    assert new.exists()  # somebody may still be writing it
    assert other.exists()  # not ours
