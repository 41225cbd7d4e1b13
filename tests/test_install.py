"""A first ``make`` where Python is old, bare or missing: it names the remedy."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BARE = '#!/bin/sh\ncase "$*" in *ensurepip*|*pip*) exit 1;; esac\n'
OLD = "#!/bin/sh\nexit 1\n"
MAKER = '#!/bin/sh\necho "$0 $*" >> "$LOG"\n'


@pytest.fixture
def venv(tmp_path):
    """Run ``.ci/venv`` where only the given programs exist."""

    def run(**programs: str) -> subprocess.CompletedProcess[str]:
        folder = tmp_path / "bin"
        folder.mkdir()
        for tool in ("sh", "rm"):
            (folder / tool).symlink_to(shutil.which(tool))
        for name, text in programs.items():
            path = folder / name.replace("_", ".")
            path.write_text(text)
            path.chmod(0o755)
        environ = {"PATH": str(folder), "LOG": str(tmp_path / "log")}
        return subprocess.run(
            ["sh", str(ROOT / ".ci" / "venv"), str(tmp_path / "venv")],
            env=environ,
            capture_output=True,
            check=False,
            text=True,
        )

    run.log = tmp_path / "log"
    run.target = tmp_path / "venv"
    return run


def test_without_python_it_says_which_is_needed(venv):
    done = venv()
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr


def test_an_old_python_is_no_python(venv):
    done = venv(python3=OLD)
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr


def test_a_python_without_venv_names_the_package(venv):
    done = venv(python3=BARE)
    assert done.returncode == 1
    assert "sudo apt install python3-venv" in done.stderr


@pytest.mark.parametrize("maker", ["virtualenv", "uv"])
def test_another_maker_of_environments_is_used_instead(venv, maker):
    done = venv(python3=BARE, **{maker: MAKER})
    assert done.returncode == 0
    assert f"/{maker} " in venv.log.read_text()
    assert "python3" in venv.log.read_text()


def test_the_newest_python_is_preferred(venv):
    done = venv(python3=MAKER, python3_11=MAKER, python3_13=MAKER)
    assert done.returncode == 0
    made = [row for row in venv.log.read_text().splitlines() if " -m venv " in row]
    assert [row.split()[0].rsplit("/", 1)[1] for row in made] == ["python3.13"]


def test_a_good_environment_is_kept(venv):
    (venv.target / "bin").mkdir(parents=True)
    (venv.target / "bin" / "python").symlink_to(sys.executable)
    mark = venv.target / "mark"
    mark.touch()
    if subprocess.run([sys.executable, "-c", "import pip"], check=False).returncode:
        pytest.skip("this Python has no pip")
    assert venv().returncode == 0
    assert mark.exists()


def test_a_broken_environment_is_replaced(venv):
    (venv.target / "bin").mkdir(parents=True)
    (venv.target / "bin" / "python").symlink_to("/nowhere/python")
    assert venv(python3=MAKER).returncode == 0
    assert not venv.target.exists()
