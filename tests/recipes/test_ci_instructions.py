"""The recipe for CI does what it says: its scripts run, and a drift fails."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
RECIPE = (ROOT / "docs" / "recipes" / "ci-instructions.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", RECIPE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def shell(tmp_path):
    """Run a script in an empty repository, with mewctl on the PATH."""
    work, home, programs = (tmp_path / name for name in ("work", "home", "bin"))
    for directory in (work / ".git", home / ".mewcode", programs):
        directory.mkdir(parents=True)
    (home / ".mewcode" / "MEWCODE.md").write_text("a user's own\n")
    program = programs / "mewctl"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mewctl "$@"\n')
    program.chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environ = {"PATH": path, "HOME": str(home), "PYTHONPATH": str(ROOT)}
    return lambda script: subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=work,
        env=environ,
        capture_output=True,
        check=False,
        text=True,
    )


def test_the_scripts_run_one_after_another(shell):
    assert len(blocks("sh")) == 4
    for block in blocks("sh"):
        done = shell(block)
        assert done.returncode == 0, f"{block}\n{done.stderr}"
    rendered = "# How we work\n\nRun `make test` before each commit.\n"
    rendered += "Name what a test holds in a sentence.\n"
    assert shell("cat AGENTS.md").stdout == rendered
    assert shell("cmp AGENTS.md CLAUDE.md").returncode == 0


@pytest.mark.parametrize(
    "change",
    [
        "echo more >> docs/testing.md",
        "echo by hand >> CLAUDE.md",
        "rm CLAUDE.md",
        "rm docs/testing.md",
        "echo '@include ../x.md' >> MEWCODE.md",
    ],
)
@pytest.mark.parametrize("job", ["shell", "github"])
def test_a_drift_fails(change, job, shell):
    once, plain, *_ = blocks("sh")
    (workflow,) = blocks("yaml")
    steps = yaml.safe_load(workflow)["jobs"]["check"]["steps"]
    commands = [step["run"] for step in steps if "mewctl " in step.get("run", "")]
    script = plain if job == "shell" else "\n".join(commands)
    assert shell(once).returncode == 0
    assert shell(script).returncode == 0
    assert shell(change).returncode == 0
    done = shell(script)
    assert done.returncode in (1, 4), done.stderr
