"""Disks that fail, ledgers that are damaged, and several writers at once."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from spilling import gone, lines, spill, step, texts, user

from mewctl.errors import StorageError
from mewctl.history.view import Result, Text
from mewctl.spill import bodies as bodies_module
from mewctl.spill import vault as vault_module
from mewctl.spill.ledger import Ledger
from mewctl.spill.planning import Group, Lot
from mewctl.spill.spiller import Options, Spiller, piece_of
from mewctl.spill.vault import Vault
from mewctl.store.lock import locked

BIG = "a line of output\n" * 5000  # 85,000 bytes
ROOT = Path(__file__).parents[2]


def ledger(place) -> list[dict]:
    text = (place / "ledger.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def broken(error: int):
    def fail(*_args, **_kwargs):
        raise OSError(error, os.strerror(error))

    return fail


# --- when writing fails ---


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_full_disk_leaves_the_original_undecided(place, form, monkeypatch, error):
    data = lines(user(form, "hi"), *step(form, [("call_1", BIG)]), user(form, "next"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", broken(error))
        run = spill(data, place)
    assert run.data == data
    assert run.tally.failed
    assert "stays in the history" in run.warnings[0]
    assert sorted(os.listdir(place)) in ([".lock"], [".lock", "ledger.jsonl"])
    retried = spill(data, place)
    assert gone(retried.data) == [True]


def test_one_body_that_cannot_be_written_does_not_keep_the_others(place, monkeypatch):
    real = bodies_module.create_all

    def create_all(directory, files):
        keep = [file for file in files if file[0] != "call_2"]
        made = dict(zip([f[0] for f in keep], real(directory, keep), strict=True))
        error = StorageError(path="call_2", what="too big", remedy="-")
        return [made.get(name, error) for name, _ in files]

    monkeypatch.setattr(bodies_module, "create_all", create_all)
    data = lines(*(r for n in range(1, 4) for r in step("mew", [(f"call_{n}", BIG)])))
    run = spill(data, place)
    assert gone(run.data) == [True, False, True]
    assert [e["id"] for e in ledger(place) if "id" in e] == ["call_1", "call_3"]
    assert len(run.warnings) == 1
    monkeypatch.undo()
    assert gone(spill(data, place).data) == [True, True, True]


def test_decisions_that_cannot_be_written_down_are_not_made(place, monkeypatch):
    def append(_self, _records):
        raise StorageError(path="ledger", what="No space left", remedy="free some")

    data = lines(*step("mew", [("call_1", BIG)]), *step("mew", [("call_2", BIG)]))
    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "append", append)
        run = spill(data, place, sizes=(200,))
    assert run.data == data
    assert len(run.warnings) == 1  # said once; nothing is tried in vain
    assert not (place / "call_2").exists()
    assert gone(spill(data, place).data) == [True, True]


def test_without_a_writable_directory_nothing_new_is_spilled(tmp_path, form):
    (tmp_path / "file").write_bytes(b"")
    data = lines(*step(form, [("call_1", BIG)]))
    run = spill(data, tmp_path / "file" / "spill")
    assert run.data == data
    assert "Not a directory" in run.warnings[0]
    assert run.tally.failed == 1


def test_what_was_decided_is_replayed_where_nothing_can_be_written(place, monkeypatch):
    def locked(path):
        raise StorageError(path=path, what="Read-only file system", remedy="-")

    data = lines(*step("mew", [("call_1", BIG)]))
    first = spill(data, place).data
    monkeypatch.setattr(vault_module, "locked", locked)
    more = lines(*step("mew", [("call_2", BIG)]))
    run = spill(data + more, place)
    assert run.data == first + more
    assert "Read-only" in run.warnings[0]


def test_a_lock_that_others_hold_leaves_the_original(place, monkeypatch):
    place.mkdir()
    monkeypatch.setattr("mewctl.spill.vault.locked", lambda path: locked(path, 0.01))
    data = lines(*step("mew", [("call_1", BIG)]))
    with locked(str(place)):
        run = spill(data, place)
    assert run.data == data
    assert "another process has held the lock" in run.warnings[0]


# --- a damaged ledger ---


@pytest.mark.parametrize("damage", ["middle", "tail", "nuls", "all", "header"])
def test_a_damaged_ledger_is_set_aside_and_rebuilt_from_the_bodies(place, form, damage):
    data = lines(
        user(form, "hi"),
        *step(form, [("call_1", BIG)]),
        *step(form, [("../x", BIG)]),
        user(form, "next"),
    )
    first = spill(data, place).data
    path = place / "ledger.jsonl"
    old = path.read_bytes()
    rows = old.splitlines(keepends=True)
    match damage:
        case "middle":
            rows[2] = rows[2][:50] + b"\n"
        case "tail":
            rows[3] = rows[3][:50]
        case "nuls":
            rows[3] = b"\0" * 300 + b"\n"
        case "all":
            rows = [b"garbage\n"]
        case _:
            rows[0] = b"{\n"
    path.write_bytes(b"".join(rows))
    run = spill(data, place)
    assert run.data == first
    if damage != "tail":
        assert "damaged; set aside as" in run.warnings[0]
        assert len(list(place.glob("ledger.jsonl.bad-*"))) == 1
    more = data + lines(*step(form, [("call_9", BIG)]))
    assert spill(more, place).data.startswith(first)
    assert spill(more, place).warnings == []


def test_a_ledger_that_is_lost_is_made_again_from_the_history(place, form):
    data = lines(user(form, "hi"), *step(form, [("call_1", BIG)]))
    first = spill(data, place).data
    (place / "ledger.jsonl").unlink()
    assert spill(data, place).data == first


def test_a_ledger_mended_by_another_process_meanwhile_is_read_anew(place):
    data = lines(*step("mew", [("call_1", BIG)]), *step("mew", [("call_2", BIG)]))
    first = spill(data, place).data
    spiller = Spiller(Vault(str(place)), Options(), lambda _: None)
    path = place / "ledger.jsonl"
    rows = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*rows[:2], rows[3], rows[2]]))
    result = Result("call_1", (Text(BIG),))
    lot = Lot(Group([result], dict, list), [piece_of(result)])
    assert spiller.settle([lot]) == [[texts(first)[0][1]]]


# --- several at once ---

WRITER = """
import sys
sys.path.insert(0, sys.argv[1])
from spilling import *
place, number = sys.argv[2], int(sys.argv[3])
big = "a line of output\\n" * 5000
data = lines(*(r for n in range(12) for r in step("mew", [(f"call_{n}", big)])))
own = lines(*(r for n in range(4) for r in step("mew", [(f"own_{number}_{n}", big)])))
run = spill(data + own, place, sizes=(200_000,))
assert run.warnings == [], run.warnings
sys.stdout.buffer.write(run.data)
"""


def test_eight_processes_spill_into_one_directory_without_damage(place):
    support = str(ROOT / "tests" / "support")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, support, str(place), str(n)],
            env={"PYTHONPATH": str(ROOT), "PATH": os.environ.get("PATH", "")},
            stdout=subprocess.PIPE,
        )
        for n in range(8)
    ]
    outputs = [writer.communicate(timeout=120)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * 8
    shared = {output[: output.index(b"own_")] for output in outputs}
    assert len(shared) == 1
    known = Ledger(str(place))
    known.refresh()
    assert not known.damaged
    assert not known.is_torn()
    entries = list(known.entries())
    assert len(entries) == 12 + 8 * 4
    assert len({(entry.name, entry.digest) for entry in entries}) == len(entries)
    assert not [name for name in os.listdir(place) if name.startswith(".tmp")]
