"""What an installation gets: the package, its man pages and its completions."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tools.generate import COMPLETIONS, artefacts

ROOT = Path(__file__).parents[1]
PLACES = {
    "bash": "share/bash-completion/completions/mewctl",
    "zsh": "share/zsh/site-functions/_mewctl",
    "fish": "share/fish/vendor_completions.d/mewctl.fish",
}

for needed in ("hatchling", "pip"):
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed", allow_module_level=True)


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An environment of its own with a wheel that was built here, without the net."""
    made, prefix = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("prefix")
    python("hatchling", "build", "-t", "wheel", "-d", str(made))
    (wheel,) = made.iterdir()
    python("venv", "--without-pip", str(prefix))
    # Never into the environment of the tests: pip would take mewctl out of it first.
    into = ["--python", str(prefix / "bin" / "python")]
    python("pip", *into, "install", "--no-deps", "--no-index", "--quiet", str(wheel))
    return prefix


def python(*args: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *args],
        cwd=ROOT,
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_manual_pages_are_where_man_looks(prefix):
    found = {p.name: p.read_text() for p in (prefix / "share/man/man1").iterdir()}
    assert found == {
        name.removeprefix("man/"): text
        for name, text in artefacts().items()
        if name.startswith("man/")
    }


@pytest.mark.parametrize("shell", PLACES)
def test_the_completions_are_where_shells_look(shell, prefix):
    text = (prefix / PLACES[shell]).read_text()
    assert text == artefacts()[f"completions/{COMPLETIONS[shell]}"]


def test_the_package_alone_is_installed_and_it_runs(prefix, tmp_path):
    (site,) = prefix.glob("lib/python*/site-packages")
    packages = {path.name for path in site.iterdir() if path.suffix != ".dist-info"}
    assert packages == {"mewctl"}
    needed = sysconfig.get_path("purelib")  # Click and orjson, not what .pth files name
    env = {"PYTHONPATH": needed, "PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        [prefix / "bin" / "mewctl", "completion", "bash"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout == (prefix / PLACES["bash"]).read_text()


@pytest.mark.usefixtures("prefix")
def test_the_environment_of_the_tests_keeps_its_own_mewctl():
    assert installed() == BEFORE


def installed() -> bytes:
    """Where this environment finds mewctl, seen from nowhere."""
    found = "importlib.util.find_spec('mewctl')"
    script = f"import importlib.util; print(getattr({found}, 'origin', None))"
    args = [sys.executable, "-c", script]
    return subprocess.run(args, cwd="/", capture_output=True, check=True).stdout


BEFORE = installed()
