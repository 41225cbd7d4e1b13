"""``check`` and ``repair``: told, mended on request, the old log kept."""

from __future__ import annotations

import json
import os
import stat

import pytest
from talks import user

GLUED = b'{"role":"user","content":"b"}{"role":"user","content":"c"}\n'


@pytest.fixture
def damaged(new, log):
    """A session with a glued line, NULs, wide modes and a leftover."""
    name = new(user("a", ts=1))
    with log(name).open("ab") as file:
        file.write(GLUED + b"\0\0\0\n")
    log(name).chmod(0o644)
    (log(name).parent / ".tmp-1").write_text("")
    (log(name).parent / ".tmp-1").chmod(0o600)
    return name


def kinds(done, jsonl):
    return sorted(r["kind"] for r in jsonl.read(done.out))


def test_a_sound_session_has_nothing_to_tell(session, new):
    assert session("check", new(user("a"))).out == b""


def test_findings_are_told_and_are_the_answer_no(session, damaged, jsonl):
    done = session("check", damaged, code=1)
    expected = ["leftover", "recovered-line", "skipped-line", "wide-mode"]
    assert kinds(done, jsonl) == expected
    assert {r["session"] for r in jsonl.read(done.out)} == {damaged}
    assert session("check", "--all", code=1).out == done.out


@pytest.mark.parametrize("args", [(), ("latest", "--all")])
def test_check_is_of_one_session_or_of_all(session, args):
    done = session("check", *args, code=2)
    assert done.out == b""
    assert "--all" in done.err


def test_spilled_bodies_are_checked(session, new, log, jsonl):
    big = "".join(f"line {n}\n" for n in range(9000))
    records = [user("a")]
    for n in ("x", "y"):
        call = {"id": n, "name": "f", "input": {}}
        result = {"tool_call_id": n, "content": big + n}
        records.append({"role": "assistant", "content": "", "tool_calls": [call]})
        records.append({"role": "tool", "tool_results": [result]})
    name = new(*records)
    session("resume", name, "-q")
    assert session("check", name).out == b""
    (log(name).parent / "tool-results" / "x").unlink()
    (log(name).parent / "tool-results" / "y").write_text("other")
    (log(name).parent / "tool-results" / "y").chmod(0o600)
    done = session("check", name, code=1)
    assert kinds(done, jsonl) == ["altered-spill", "missing-spill"]


def test_repair_only_tells_until_it_is_applied(session, damaged, log):
    before = log(damaged).read_bytes()
    assert session("repair", damaged, code=1).out
    assert log(damaged).read_bytes() == before


def test_repair_writes_a_sound_log_and_keeps_the_old_one(session, damaged, log):
    before = log(damaged).read_bytes()
    done = session("repair", damaged, "--apply")
    kept = log(damaged).parent / "conversation.jsonl.bak"
    assert str(kept) in done.err
    assert kept.read_bytes() == before
    lines = log(damaged).read_bytes().splitlines()
    assert [json.loads(line)["content"] for line in lines] == ["a", "b", "c"]
    assert stat.S_IMODE(os.stat(log(damaged)).st_mode) == 0o600
    assert session("check", damaged).out == b""
    assert "needs no repair" in session("repair", damaged, "--apply").err
    with log(damaged).open("ab") as file:
        file.write(GLUED)
    session("repair", damaged, "--apply")
    assert kept.read_bytes() == before
    assert len(list(kept.parent.glob("*.bak*"))) == 2
