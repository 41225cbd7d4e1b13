"""The examples of every command's help run: what a reader copies works."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mewctl.commands.help import PIPELINES
from tools import tree

ROOT = Path(__file__).parents[1]
PAGES = {page.command: page for page in tree.every(tree.root())}
BLOCKS = {
    **{name: "\n".join(page.examples) for name, page in PAGES.items() if page.examples},
    "mewctl help pipelines": "\n".join(
        re.findall(r"^  (.*)$", PIPELINES, re.MULTILINE)
    ),
}
#: Ids that examples name, for readers; what stands for them here is in the place.
CALL, BOUNDARY = "toolu_01abc", "3f2a9c81d0e4"
SPILLED = "toolu_01Af6SARH7TAirezec3HrQLZ"  # of the example session

#: An agent that gives its history, or passes on what it is given.
AGENT = '#!/bin/sh\nif [ "${1-}" = --history ]; then cat history.jsonl; else cat; fi\n'
PREPARE = """
mkdir -p ~/.config/fish/completions
mewctl convert transcript.jsonl > history.jsonl
mewctl spill history.jsonl | mewctl compact --window 24000 > next.jsonl
mewctl recall --list
"""


def bash(script: str, work: Path) -> subprocess.CompletedProcess[str]:
    """Run ``script`` in ``work``, with mewctl and my-agent on the PATH."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=work,
        env={
            "PATH": f"{work.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(work.parent / "home"),
            "PYTHONPATH": str(ROOT),
            "S": str(work / ".mewcode" / "sessions" / "example"),
        },
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A project after some work: its directory, and the boundary of a compaction."""
    root = tmp_path_factory.mktemp("examples")
    work = root / "work"
    for folder in (work / ".mewcode/sessions/example", root / "home", root / "bin"):
        folder.mkdir(parents=True)
    for name, text in (
        ("mewctl", f'#!/bin/sh\nexec "{sys.executable}" -m mewctl "$@"\n'),
        ("my-agent", AGENT),
    ):
        (root / "bin" / name).write_text(text)
        (root / "bin" / name).chmod(0o755)
    shutil.copy(ROOT / "examples/fix-flaky-upload.jsonl", work / "transcript.jsonl")
    shutil.copy(ROOT / "README.md", work)
    done = bash(PREPARE, work)
    assert done.returncode == 0, done.stderr
    listed = map(json.loads, done.stdout.splitlines())
    return root, next(e["handle"] for e in listed if e["kind"] == "boundary")


@pytest.mark.parametrize("name", BLOCKS)
def test_the_examples_of_a_command_run(name, prepared, tmp_path):
    script = BLOCKS[name]
    if "| jq " in script and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    root, boundary = prepared
    shutil.copytree(root, tmp_path / "copy", symlinks=True)
    script = script.replace(CALL, SPILLED).replace(BOUNDARY, boundary)
    done = bash(script, tmp_path / "copy" / "work")
    assert done.returncode == 0, f"{script}\n{done.stderr}"
    assert "Traceback" not in done.stderr


def test_every_command_has_examples_to_run():
    without = {name for name, page in PAGES.items() if not page.examples}
    assert without == {
        name for name, page in PAGES.items() if page.words and page.commands
    }


def test_a_failing_example_would_be_seen(prepared):
    root, _ = prepared
    assert bash("mewctl recall nothing | cat", root / "work").returncode == 4
