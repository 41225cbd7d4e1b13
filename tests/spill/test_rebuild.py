"""Decisions rebuilt from bodies, where the ledger that held them is damaged."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest
from spilling import lines, spill, step, user

from mewctl.spill.preview import Style
from mewctl.spill.rebuild import rebuilt
from mewctl.spill.vault import Vault


@pytest.fixture
def place(tmp_path):
    return tmp_path


def records(place, smallest: int = 50_000):
    return rebuilt(Vault(str(place)), Style(), smallest)


def test_a_body_may_have_been_a_result_or_a_text_in_a_call(place):
    text = "a line of output\n" * 5000
    (place / "call_1").write_text(text)
    made = records(place)
    assert [(r["type"], r["of"], r["name"], r["file"]) for r in made] == [
        ("replaced", "result", "call_1", "call_1"),
        ("replaced", "call", "call_1", "call_1"),
    ]
    assert made[0]["sha256"] == sha256(text.encode()).hexdigest()
    assert "short" not in made[0]


def test_a_small_body_must_have_gone_whatever_its_size(place):
    (place / "call_1.0a1b2c3d").write_text("an old line\n" * 400)
    made = records(place)
    assert [r["name"] for r in made] == ["call_1", "call_1"]
    assert all(r["short"] for r in made)


def test_what_is_no_body_of_ours_is_left_out(place):
    (place / "tiny").write_text("x")  # no preview of it would be smaller
    (place / "bytes").write_bytes(b"\xff" * 90_000)
    (place / "odd.txt").write_text("x" * 90_000)
    (place / "dropped").mkdir()
    (place / "call_1").symlink_to(place / "bytes")
    (place / "ledger.jsonl.bad-0a1b2c3d").write_text("x" * 90_000)
    (place / ".lock").write_text("")
    assert records(place) == []


def test_what_the_ledger_still_knows_is_left_out(place):
    spill(lines(user("mew", "hi"), *step("mew", [("call_1", "x" * 60_000)])), place)
    vault = Vault(str(place))
    vault.ledger.refresh()
    assert rebuilt(vault, Style(), 50_000) == []
    (place / "ledger.jsonl").unlink()
    known = json.dumps(records(place))
    assert known.count('"replaced"') == 2
