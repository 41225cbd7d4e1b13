from __future__ import annotations

import shutil
import subprocess

import pytest

from mewctl.store import gitignore
from mewctl.store.files import AlreadyThere
from mewctl.store.gitignore import TEXT, ensure_store


def test_a_new_store_ignores_itself_but_for_memory_notes(tmp_path):
    store = tmp_path / ".mewcode"
    ensure_store(str(store))
    assert (store / ".gitignore").read_text() == TEXT
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not here")
    (store / "memory").mkdir()
    for name in ("memory/MEMORY.md", "memory/update.log.jsonl", "spill/ledger.jsonl"):
        (store / name).parent.mkdir(exist_ok=True)
        (store / name).write_text("x")
    subprocess.run([git, "init", "-q", tmp_path], check=True)
    listed = subprocess.run(
        [git, "-C", tmp_path, "ls-files", "-o", "--exclude-standard"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert listed == [".mewcode/.gitignore", ".mewcode/memory/MEMORY.md"]


def test_a_gitignore_that_is_there_stays(tmp_path):
    store = tmp_path / ".mewcode"
    store.mkdir()
    (store / ".gitignore").write_text("mine\n")
    ensure_store(str(store))
    assert (store / ".gitignore").read_text() == "mine\n"


def test_another_process_may_be_first(tmp_path, monkeypatch):
    def taken(path, _data):
        raise AlreadyThere(path=path, what="already there", remedy="-")

    monkeypatch.setattr(gitignore, "create_exclusive", taken)
    ensure_store(str(tmp_path / ".mewcode"))
