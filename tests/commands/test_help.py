"""The topics of ``mewctl help`` are complete, and their pipelines run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mewctl import errors, transcripts
from mewctl.cli import main
from mewctl.commands.help import PIPELINES, TOPICS
from mewctl.history.formats import NAMES

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "fix-flaky-upload.jsonl"


def topic(name):
    done = CliRunner().invoke(main, ["help", name])
    assert done.exit_code == 0
    return done.output


@pytest.mark.parametrize("name", TOPICS)
def test_a_topic_fits_a_terminal(name):
    assert max(map(len, topic(name).splitlines())) <= 80


def test_a_command_is_no_topic_but_its_help_is_named():
    done = CliRunner().invoke(main, ["help", "compact"])
    assert done.exit_code == errors.Exit.USAGE
    assert "compact is a command: see mewctl compact --help" in done.output


def test_the_exit_codes_are_all_told():
    told = re.findall(r"^ +(\d+)  (.+)$", topic("exit-codes"), re.MULTILINE)
    assert told == [(str(int(code)), words) for code, words in errors.MEANING.items()]


def test_the_formats_are_all_told():
    told = re.findall(r"^  (\S+) +\S", topic("formats"), re.MULTILINE)
    assert told == [*NAMES, *transcripts.NAMES]


def test_the_pipelines_run_one_after_another(tmp_path):
    lines = re.findall(r"^  (mewctl .+)$", PIPELINES, re.MULTILINE)
    assert len(lines) >= 8
    assert topic("pipelines").strip() == PIPELINES.strip()
    (tmp_path / ".git").mkdir()
    shutil.copy(EXAMPLE, tmp_path / "transcript.jsonl")
    program = tmp_path / "bin" / "mewctl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mewctl "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    for line in lines:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            check=False,
            text=True,
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        assert done.stdout or ">" in line or "--check" in line, line
