"""Rows 93 to 102: stores, settings, modes, signals and machines that are odd.

Rows 88 to 92 are about retention, and belong to ``session clean``.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import time

import pytest

from tests.support.processes import PROGRAM, ROOT

RECORD = b'{"role":"user","content":"hi"}\n'


@pytest.mark.parametrize("target", ["/", "..", "../home"])
def test_zoo_093_a_store_that_is_a_link_to_elsewhere(run, spilling, project, target):
    (project / ".mewcode").symlink_to(target)
    done = run("spill", spilling)
    assert (done.code, done.out) == (12, b"")
    assert "is a link out of the root" in done.err
    assert len(done.err.splitlines()) == 1
    filtered = run("repair", RECORD)  # it needs no store, and says what it leaves out
    assert (filtered.code, filtered.out) == (0, RECORD)
    assert "its settings do not count" in filtered.err


@pytest.mark.parametrize("damage", ["empty", "torn", "no-json", "newer", "directory"])
def test_zoo_096_101_a_ledger_that_is_damaged_or_of_later_days(
    run, spilling, project, damage
):
    first = run("spill -q -d store", spilling)
    ledger = project / "store" / "ledger.jsonl"
    whole = ledger.read_bytes()
    if damage == "directory":
        ledger.unlink()
        ledger.mkdir()
    else:
        ledger.write_bytes(
            {
                "empty": b"",
                "torn": whole[:-20],
                "no-json": whole + b"\0\0\0\n",
                "newer": whole.replace(b'"version":1', b'"version":99'),
            }[damage]
        )
    before = b"" if damage == "directory" else ledger.read_bytes()
    done = run("spill -d store", spilling)
    if damage == "newer" and before != whole:
        assert (done.code, done.out) == (6, b"")
        assert "a later version" in done.err
        assert ledger.read_bytes() == before
    else:
        assert done.code == 0
        # The decisions are made again, and the same; without a ledger all stays.
        assert done.out == (spilling if damage == "directory" else first.out)


CONFIGS = [
    pytest.param("windwo = 3", 6, "did you mean window?", id="unknown-key"),
    pytest.param("window = true", 6, "no text and no number", id="wrong-type"),
    pytest.param("window = 1\nwindow = 2", 6, "", id="duplicate"),
    pytest.param("window = ", 6, "", id="no-value"),
    pytest.param('command = "rm -rf ~"', 0, "ignored: command", id="runs-something"),
    pytest.param('[compact]\nprovider = "command"', 0, "ignored", id="sends-something"),
    pytest.param("\0", 6, "", id="nul"),
]


@pytest.mark.parametrize(("text", "code", "words"), CONFIGS)
def test_zoo_097_settings_of_a_project(run, project, text, code, words):
    (project / ".mewcode").mkdir()
    (project / ".mewcode" / "config.toml").write_text(text)
    for command in ("spill", "tokens", "compact"):
        done = run(command, RECORD)
        assert done.code == code
        assert words in done.err
        assert str(project / ".mewcode" / "config.toml") in done.err
        assert (done.out == b"") is bool(code)
    assert run("spill --help").code == 0


@pytest.mark.parametrize("mask", ["000", "777", "077"])
def test_zoo_098_whatever_the_umask(shell, work, spilling, mask):
    done = shell(f"umask {mask}; mewctl spill -q", spilling)
    assert done.returncode == 0
    for path in [work / ".mewcode", *(work / ".mewcode").rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize(
    "extra",
    [
        {"TMPDIR": "/nowhere"},
        {"PATH": ""},
        {"TERM": "dumb"},
        {"TERM": ""},
        {"COLUMNS": "0"},
        {"COLUMNS": "1"},
        {"COLUMNS": "many"},
        {"LINES": "x"},
        {"NO_COLOR": "1"},
        {"PYTHONDONTWRITEBYTECODE": "1", "HOME": "/nonexistent"},
        {"HOME": "relative"},
        {"XDG_CONFIG_HOME": "/dev/null"},
    ],
    ids=lambda extra: "-".join(f"{k}={v}".replace("/", "_") for k, v in extra.items()),
)
def test_zoo_099_a_poor_environment(mew, environ, spilling, extra):
    env = environ | extra
    assert mew("spill", "-q", "-d", "store", data=spilling, env=env).returncode == 0
    listed = mew("recall", "--list", "-d", "store", "--format", "table", env=env)
    assert listed.returncode == 0
    assert b"\x1b" not in listed.stdout
    assert listed.stdout.startswith(b"han")
    assert mew("--help", env=env).returncode == 0
    assert mew("doctor", env=env).returncode in (0, 1)


def test_zoo_099_nothing_at_all_in_the_environment(mew, small):
    done = mew("repair", data=small, env={"PYTHONPATH": str(ROOT)})
    assert (done.returncode, done.stdout) == (0, small)


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
@pytest.mark.parametrize("wait", [0.2, 0.3, 0.4, 0.6])
def test_zoo_100_a_signal_in_any_phase(environ, work, spilling, number, code, wait):
    with subprocess.Popen(
        [*PROGRAM, "spill", "-q", "-d", "store", "-o", "out"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        cwd=work,
    ) as process:
        process.stdin.write(spilling)
        process.stdin.flush()
        time.sleep(wait)
        process.send_signal(number)
        ended = process.wait(20)
        said = process.stderr.read()
    if ended not in (-number, 1):  # before our first line ran
        assert (ended, said) == (code, b"")
    assert not (work / "out").exists()
    assert [p for p in work.rglob("*") if "tmp" in p.name] == []
    again = subprocess.run(
        [*PROGRAM, "spill", "-q", "-d", "store"],
        input=spilling,
        capture_output=True,
        check=True,
        env=environ,
        cwd=work,
    )
    assert b"call_big" in again.stdout


def test_zoo_102_doctor_tries_the_disk(run, project):
    done = run("doctor")
    assert done.code == 0
    tried = {row["check"] for row in done.records if "works in" in row["detail"]}
    assert tried == {"write", "rename", "append", "lock"}
    assert os.listdir(project) == []
