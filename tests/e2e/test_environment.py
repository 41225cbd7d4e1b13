"""Odd surroundings: cron, other locales, no home, no directory, no temporary space."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORDS = '{"role":"user","content":"größer 漢字 😀"}\n'.encode()


def test_an_empty_environment_as_in_cron(mew, spilling, work):
    done = mew("spill", "-d", "store", data=spilling, env={"PYTHONPATH": str(ROOT)})
    assert done.returncode == 0
    assert b"content offloaded" in done.stdout
    listed = mew("recall", "-d", "store", "call_big", env={"PYTHONPATH": str(ROOT)})
    assert listed.returncode == 0
    assert listed.stdout.startswith(b"line 0: nothing to see here\n")
    assert (work / "store").is_dir()


@pytest.mark.parametrize(
    "extra",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"LANG": "zh_CN.GB2312", "LC_ALL": "zh_CN.GB2312"},
        {"PYTHONUNBUFFERED": "1"},
    ],
)
def test_no_locale_and_no_encoding_changes_a_byte(mew, environ, extra):
    for command in ("repair", "spill", "convert"):
        done = mew(command, data=WORDS, env=environ | extra)
        assert done.returncode == 0
        assert done.stdout == WORDS
    done = mew("repair", "größer-漢字", env=environ | extra)
    assert done.returncode == 4
    assert b"Traceback" not in done.stderr
    assert mew("--help", env=environ | extra).returncode == 0


def test_a_file_name_that_is_no_text_can_be_read(mew, work):
    name = os.fsencode(str(work)) + b"/h\xff.jsonl"
    with open(name, "wb") as stream:
        stream.write(WORDS)
    assert mew("repair", os.fsdecode(name)).stdout == WORDS
    missing = mew("repair", os.fsdecode(b"gone\xff"))
    assert missing.returncode == 4
    assert b"gone\\u{dcff}" in missing.stderr


def run_in_deleted_directory(args, environ, tmp_path, data):
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'rmdir "$PWD"; exec "$0" -m mewctl ' + args
    return subprocess.run(
        ["bash", "-c", script, sys.executable],
        input=data,
        capture_output=True,
        check=False,
        env=environ,
        cwd=gone,
        timeout=60,
    )


@pytest.mark.parametrize("args", ["repair", "convert", "tokens", "spill -q", "--help"])
def test_a_deleted_working_directory_stops_no_filter(args, environ, tmp_path):
    done = run_in_deleted_directory(args, environ, tmp_path, WORDS)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0
    assert done.stdout


def test_a_deleted_working_directory_spills_to_the_user_level_and_says_so(
    environ, tmp_path, spilling
):
    done = run_in_deleted_directory("spill", environ, tmp_path, spilling)
    assert done.returncode == 0
    assert b"content offloaded" in done.stdout
    assert b"using the user level" in done.stderr
    assert list((tmp_path / "home" / ".mewcode" / "spill").iterdir())


def test_a_deleted_working_directory_for_the_output_is_a_storage_error(
    environ, tmp_path
):
    done = run_in_deleted_directory("repair -o out", environ, tmp_path, WORDS)
    assert done.returncode == 5
    assert len(done.stderr.splitlines()) == 1


def test_without_a_home_everything_works(mew, environ, spilling):
    del environ["HOME"]
    done = mew("spill", data=spilling, env=environ)
    assert done.returncode == 0
    assert b"content offloaded" in done.stdout


@pytest.mark.parametrize("value", ["/nowhere/at/all", "/dev/null", ""])
def test_a_bad_temporary_directory_is_never_asked(mew, environ, spilling, work, value):
    done = mew("spill", "-o", "out", data=spilling, env=environ | {"TMPDIR": value})
    assert done.returncode == 0
    assert b"content offloaded" in (work / "out").read_bytes()


def test_debug_adds_a_traceback_to_the_one_line(mew, environ):
    quiet = mew("repair", "missing")
    loud = mew("repair", "missing", env=environ | {"MEWCTL_DEBUG": "1"})
    assert quiet.returncode == loud.returncode == 4
    assert len(quiet.stderr.splitlines()) == 1
    assert loud.stderr.startswith(b"Traceback (most recent call last):\n")
    assert loud.stderr.endswith(quiet.stderr)


def test_a_settings_file_with_an_error_stops_a_command_but_not_help(mew, work):
    (work / ".mewcode").mkdir()
    (work / ".mewcode" / "config.toml").write_text("windwo = 5\n")
    done = mew("spill")
    assert done.returncode == 6
    assert b"did you mean window?" in done.stderr
    assert mew("spill", "--help").returncode == 0
    assert mew("help", "exit-codes").returncode == 0
