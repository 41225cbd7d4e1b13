"""Rows 57 to 62: the files of spilled bodies, and what became of them."""

from __future__ import annotations

import json

import pytest

BIG = "".join(f"line {n}: nothing to see here\n" for n in range(4000)).encode()


@pytest.fixture
def store(run, spilling, project):
    """A spill directory with one body, ``call_big``."""
    done = run("spill -q -d store", spilling)
    assert done.code == 0
    return project / "store"


def body(store):
    (found,) = store.glob("call_big*")
    return found


def test_zoo_057_the_same_body_again(run, spilling, store):
    before = {p.name: p.read_bytes() for p in store.iterdir()}
    first = run("spill -q -d store", spilling).out
    assert run("spill -q -d store", spilling).out == first
    assert {p.name: p.read_bytes() for p in store.iterdir()} == before


def test_zoo_058_another_body_of_that_name(run, spilling, project):
    (project / "store").mkdir()
    taken = project / "store" / "call_big.txt"
    taken.write_bytes(b"not ours")
    done = run("spill -q -d store", spilling)
    assert done.code == 0
    assert taken.read_bytes() == b"not ours"
    assert run("recall -d store call_big").out == BIG


@pytest.mark.parametrize("damage", ["gone", "changed", "cut", "emptied"])
def test_zoo_059_a_body_that_is_not_what_was_spilled(run, store, damage):
    path = body(store)
    if damage == "gone":
        path.unlink()
    else:
        path.chmod(0o600)
        path.write_bytes(
            {"changed": BIG[:-2] + b"!\n", "cut": BIG[:99]}.get(damage, b"")
        )
    for handle in ("call_big", path.name):
        done = run(["recall", "-d", "store", handle])
        assert done.code == (4 if damage == "gone" else 3)
        assert done.out == b""
        assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "path", ["../secret", "{outside}", "../../home/x", "sub/../../secret"]
)
def test_zoo_060_a_ledger_that_points_out_of_the_store(run, store, project, path):
    (project / "secret").write_bytes(BIG)
    outside = str(project / "secret")
    ledger = next(p for p in store.iterdir() if p.suffix == ".jsonl")
    lines = ledger.read_bytes().splitlines()
    name = body(store).name
    changed = [
        row.replace(
            json.dumps(name).encode(), json.dumps(path.format(outside=outside)).encode()
        )
        for row in lines
    ]
    assert changed != lines
    ledger.write_bytes(b"\n".join(changed) + b"\n")
    body(store).unlink()
    for handle in ("call_big", path.format(outside=outside), name):
        done = run(["recall", "-d", "store", handle])
        assert (done.code != 0, done.out) == (True, b""), handle


def test_zoo_061_a_body_that_no_decision_speaks_of(run, spilling, store):
    first = run("spill -q -d store", spilling).out
    for path in store.iterdir():
        if not path.name.startswith("call_big"):
            path.unlink()  # as if we had died before they were written
    assert run("recall -d store call_big").out in (BIG, b"")
    assert run("spill -q -d store", spilling).out == first
    assert run("recall -d store call_big").out == BIG


@pytest.mark.parametrize("strict", [False, True])
def test_zoo_062_a_place_that_cannot_be_written(run, spilling, project, strict):
    (project / "file").write_bytes(b"")
    done = run(["spill", "-d", "file/below", *["--strict"] * strict], spilling)
    assert done.code == (5 if strict else 0)
    assert done.out == spilling  # all of it stays in the history
    assert done.err


@pytest.mark.parametrize("where", ["n" * 300, "loop/below"])
def test_zoo_062_a_place_whose_ledger_nobody_can_read(run, spilling, project, where):
    (project / "loop").symlink_to("loop")
    done = run(["spill", "-d", where], spilling)
    assert (done.code, done.out) == (0, spilling)  # all of it stays in the history
    assert done.err
    done = run(["spill", "--strict", "-d", where], spilling)
    assert (done.code, done.out) == (5, spilling)
