"""The examples of every command's help run: what a reader copies works.

tests/data/examples/prepare.sh makes the directory for them. Before the examples of
``mewctl session trash list`` the files session.sh, session-trash.sh and
session-trash-list.sh of that folder are run there, as far as they exist.
"""

from __future__ import annotations

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
BEFORE = ROOT / "tests" / "data" / "examples"
PAGES = {page.command: page for page in tree.every(tree.root())}
BLOCKS = {
    **{name: "\n".join(page.examples) for name, page in PAGES.items() if page.examples},
    "mewctl help pipelines": "\n".join(
        re.findall(r"^  (.*)$", PIPELINES, re.MULTILINE)
    ),
}
#: An agent that gives its history, or passes on what it is given.
AGENT = '#!/bin/sh\nif [ "${1-}" = --history ]; then cat history.jsonl; else cat; fi\n'
#: Runs the examples as one script, with real ids in the place of theirs.
RUN = 'eval "$(printf "%s\\n" "$EXAMPLES" | sed -f stand-ins.sed)"'


def bash(script: str, work: Path, examples: str = "") -> subprocess.CompletedProcess:
    """Run ``script`` in ``work``, with mewctl and my-agent on the PATH."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=work,
        env={
            "PATH": f"{work.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(work.parent / "home"),
            "PYTHONPATH": str(ROOT),
            "EXAMPLES": examples,
        },
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A directory with a project, a home and programs."""
    root = tmp_path_factory.mktemp("examples")
    work = root / "work"
    for folder in (work, root / "home", root / "bin"):
        folder.mkdir(parents=True)
    for name, text in (
        ("mewctl", f'#!/bin/sh\nexec "{sys.executable}" -m mewctl "$@"\n'),
        ("my-agent", AGENT),
    ):
        (root / "bin" / name).write_text(text)
        (root / "bin" / name).chmod(0o755)
    shutil.copy(ROOT / "examples/fix-flaky-upload.jsonl", work / "transcript.jsonl")
    shutil.copy(ROOT / "README.md", work)
    done = bash((BEFORE / "prepare.sh").read_text(), work)
    assert done.returncode == 0, done.stderr
    return root


def before(name: str) -> str:
    """What is run before the examples of a command."""
    words = name.split()[1:]
    files = [BEFORE / f"{'-'.join(words[: n + 1])}.sh" for n in range(len(words))]
    return "".join(file.read_text() for file in files if file.exists())


@pytest.mark.parametrize("name", BLOCKS)
def test_the_examples_of_a_command_run(name, prepared, tmp_path):
    examples = BLOCKS[name]
    if "| jq " in examples and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    shutil.copytree(prepared, tmp_path / "copy", symlinks=True)
    done = bash(before(name) + RUN, tmp_path / "copy" / "work", examples)
    assert done.returncode == 0, f"{examples}\n{done.stderr}"
    assert "Traceback" not in done.stderr


def test_every_command_has_examples_to_run():
    without = {name for name, page in PAGES.items() if not page.examples}
    groups = {name for name, page in PAGES.items() if page.words and not page.runs}
    assert without == groups


def test_a_failing_example_would_be_seen(prepared):
    work = prepared / "work"
    assert bash(RUN, work, "mewctl recall nothing | cat\ntrue").returncode == 4
    assert bash(RUN, work, "mewctl recall 3f2a9c81d0e4").returncode == 4
    boundary = "mewctl recall --boundary 3f2a9c81d0e4 --message 1"
    assert '"role":' in bash(RUN, work, boundary).stdout
