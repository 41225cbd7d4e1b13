"""What is committed is what the commands make, the same on every machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from tests.support.command_tree import NAMES
from tools import generate, tree
from tools.generate import ROOT, artefacts

PAGES = [name for name in artefacts() if name.startswith("man/")]
SCRIPT = "import json; from tools.generate import artefacts; print(json.dumps(%s))"


def test_what_is_committed_is_what_the_commands_make():
    committed, made = generate.present(), artefacts()
    differ = {
        name
        for name in committed.keys() | made.keys()
        if committed.get(name) != made.get(name)
    }
    assert differ == set(), "run make docs"


def test_every_command_and_group_has_its_pages():
    groups = {
        " ".join(page.words) for page in tree.every(tree.root()) if not page.runs
    } - {""}
    for name in [*NAMES, *groups]:
        words = name.replace(" ", "-")
        assert f"man/mewctl-{words}.1" in artefacts()
        assert f"docs/reference/{words}.md" in artefacts()
    assert {"man/mewctl.1", "docs/reference/README.md"} <= set(artefacts())


def test_no_terminal_locale_home_or_setting_changes_a_byte(tmp_path):
    (tmp_path / "mewctl").mkdir()
    (tmp_path / "mewctl" / "config.toml").write_text("window = 7\n")
    strange = {
        "PYTHONPATH": str(ROOT),
        "PATH": os.environ["PATH"],
        "COLUMNS": "40",
        "LC_ALL": "C",
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path),
        "MEWCTL_WINDOW": "5",
        "MEWCTL_COMPACT_RESERVE": "5",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT % "artefacts()"],
        env=strange,
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == artefacts()


def test_pages_of_commands_that_are_gone_are_removed(tmp_path):
    (tmp_path / "man").mkdir()
    (tmp_path / "man" / "mewctl-gone.1").write_text(".TH GONE 1\n")
    generate.main(tmp_path)
    assert generate.present(tmp_path) == artefacts()


def test_what_has_not_changed_is_not_written_again(tmp_path):
    generate.main(tmp_path)
    path = tmp_path / "man" / "mewctl.1"
    os.utime(path, (1, 1))
    generate.main(tmp_path)
    assert path.stat().st_mtime == 1


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_clean_to_groff(name):
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    args = ["groff", "-ww", "-man", "-Tascii", str(ROOT / name)]
    done = subprocess.run(args, capture_output=True, check=True, text=True)
    assert done.stderr == ""
    shown = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)
    assert "EXIT STATUS" in shown


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_clean_to_mandoc(name):
    if shutil.which("mandoc") is None:
        pytest.skip("mandoc is not installed")
    args = ["mandoc", "-T", "lint", "-W", "warning", str(ROOT / name)]
    done = subprocess.run(args, capture_output=True, check=False, text=True)
    assert (done.stdout, done.stderr) == ("", "")
