"""``resume``, ``compact``, ``undo``: compactions in the log, taken back by adding."""

from __future__ import annotations

import json
import time

from talks import THOUGHT, turns, user
from validity import errors

WINDOW = ("--window", "8000")


def test_compaction_is_committed_and_the_next_turn_sees_the_same(
    session, markers, long, log, jsonl
):
    before = log(long).read_bytes()
    first = session("resume", long, "--to", "anthropic", *WINDOW)
    assert ": compacted" in first.err
    after = log(long).read_bytes()
    assert after.startswith(before)
    (marker,) = markers(long)
    assert marker["reason"] == "auto"
    assert marker["tokens_after"] < marker["tokens_before"]
    assert marker["messages"] == len(after[len(before) :].splitlines()) - 1
    assert errors("anthropic", jsonl.read(first.out)) == []
    again = session("resume", long, "--to", "anthropic", *WINDOW)
    assert again.out == first.out
    assert again.err == ""
    assert log(long).read_bytes() == after


def test_what_stays_is_the_very_line_it_was_even_if_it_was_spilled(session, new, log):
    call = {"id": "big", "name": "f", "input": {}}
    result = {"tool_call_id": "big", "content": "".join(f"{n}\n" for n in range(30000))}
    odd = json.dumps({"role": "tool", "tool_results": [result], "ts": 5}, indent=None)
    odd = odd.replace('"role": "tool"', '"role" :  "tool"')
    name = new(
        *turns(60),
        user("look"),
        {"role": "assistant", "content": "", "tool_calls": [call]},
        odd.encode(),
    )
    done = session("resume", name, *WINDOW)
    assert ": compacted" in done.err
    assert b"[content offloaded]" in done.out
    lines = log(name).read_bytes().splitlines()
    assert lines.count(odd.encode()) == 2


def test_under_the_threshold_nothing_is_written(session, new, log):
    name = new(*turns(2))
    before = log(name).read_bytes()
    done = session("resume", name, "--window", "200000")
    assert log(name).read_bytes() == before
    assert done.err == ""
    assert len(done.out.splitlines()) == 8


def test_what_was_dropped_comes_back_from_the_log(run, session, markers, long, log):
    before = log(long).read_bytes().splitlines()
    session("resume", long, "-q", *WINDOW)
    (marker,) = markers(long)
    done = run("recall", "-s", long, "--boundary", marker["id"][:6])
    assert done.code == 0
    gone = done.out.splitlines()
    kept = log(long).read_bytes().splitlines()[len(before) + 1 :]
    assert gone == before[: len(gone)]
    assert sorted(gone + [line for line in kept if line in before]) == sorted(before)
    assert not (log(long).parent / "boundaries" / f"{marker['id']}.jsonl").exists()
    listed = run("recall", "-s", long, "--list").out
    assert marker["id"].encode() in listed
    found = run("recall", "-s", long, "--grep", "change part 3$").out
    assert marker["id"].encode() in found


def test_manual_compaction_and_its_reports(session, markers, long, log, tmp_path):
    before = log(long).read_bytes()
    dry = session("compact", long, "--dry-run", *WINDOW)
    assert json.loads(dry.out)["outcome"] == "compacted"
    assert log(long).read_bytes() == before
    assert not (log(long).parent / "boundaries").exists()
    done = session("compact", long, "--report", tmp_path / "r.json", *WINDOW)
    assert done.out == b""
    report = json.loads((tmp_path / "r.json").read_text())
    (marker,) = markers(long)
    assert marker["id"] == report["boundary"]
    assert marker["reason"] == "manual"
    size = log(long).stat().st_size
    again = session("compact", long, *WINDOW)
    assert log(long).stat().st_size == size, again.err


def test_check_answers_and_changes_nothing(session, long, log):
    before = log(long).read_bytes()
    assert "is due" in session("compact", long, "--check", *WINDOW, code=1).err
    session("compact", long, "--check", "--window", "1000000")
    assert log(long).read_bytes() == before


def test_messages_that_arrive_meanwhile_are_kept(session, long, jsonl, monkeypatch):
    from mewctl.compact import engine

    real = engine.run

    def slow(job):
        done = real(job)
        session("append", long, "-q", data=[user("meanwhile")])
        return done

    monkeypatch.setattr(engine, "run", slow)
    session("compact", long, *WINDOW)
    out = jsonl.read(session("load", long).out)
    assert out[-1]["content"] == "meanwhile"
    assert sum(r.get("content") == "meanwhile" for r in out) == 1
    full = jsonl.read(session("load", long, "--full").out)
    assert sum(r.get("content") == "meanwhile" for r in full) == 1


def test_another_history_written_meanwhile_refuses_the_compaction(
    session, markers, long, monkeypatch
):
    from mewctl.compact import engine

    real = engine.run

    def slow(job):
        done = real(job)
        session("append", long, "-q", "--replace", data=[user("other")])
        return done

    monkeypatch.setattr(engine, "run", slow)
    done = session("compact", long, *WINDOW, code=11)
    assert "another history was written meanwhile" in done.err
    assert [m["reason"] for m in markers(long)] == ["replace"]


def test_a_commit_that_fails_leaves_the_history_after_layer_1(
    session, long, log, monkeypatch
):
    from mewctl.errors import StorageError
    from mewctl.session.writing import Held

    def full(*_):
        raise StorageError(path="log", what="disk full", remedy="free some space")

    monkeypatch.setattr(Held, "append", full)
    before = log(long).read_bytes()
    done = session("resume", long, *WINDOW)
    assert "disk full" in done.err
    assert len(done.out.splitlines()) == 240
    assert log(long).read_bytes() == before
    session("resume", long, "--strict", *WINDOW, code=5)
    session("compact", long, *WINDOW, code=5)


# --- the notice of a pause ---


def test_a_pause_is_told_last_and_never_stored(session, new, log, jsonl):
    old = {"role": "assistant", "content": "b", "ts": time.time() - 3 * 86_400}
    name = new(user("a", ts=1), old)
    before = log(name).read_bytes()
    for form in ("mew", "anthropic", "openai", "responses"):
        out = jsonl.read(session("resume", name, "--to", form).out)
        assert "[mewctl notice]" in json.dumps(out[-1])
        assert "3 days" in json.dumps(out[-1])
        assert errors(form, out) == []
    assert log(name).read_bytes() == before
    quiet = session("resume", name, "--remind-after", "4d").out
    assert b"notice" not in quiet
    assert b"notice" not in session("load", name).out


def test_the_notice_speaks_the_users_language(session, new, jsonl):
    name = new(user("请修改缓存的索引文件", ts=1))
    assert "暂停" in jsonl.read(session("resume", name).out)[-1]["content"]


def test_the_notice_comes_after_compaction_and_is_not_counted(session, new, jsonl):
    records = [{**r, "ts": 5} for r in turns(60)]
    name = new(*records)
    first = session("resume", name, *WINDOW)
    assert ": compacted" in first.err
    out = jsonl.read(first.out)
    assert out[-1]["content"].startswith("[mewctl notice]")
    assert not any("[mewctl notice]" in str(r) for r in out[:-1])
    again = session("resume", name, *WINDOW)
    assert again.err == ""
    assert jsonl.read(again.out)[:-1] == out[:-1]


def test_openai_results_are_judged_as_one_group(session, new, jsonl):
    ids = [f"call_{n}" for n in range(6)]
    calls = [
        {"id": i, "type": "function", "function": {"name": "f", "arguments": "{}"}}
        for i in ids
    ]
    answers = [{"role": "tool", "tool_call_id": i, "content": i * 6000} for i in ids]
    call = {"role": "assistant", "content": None, "tool_calls": calls}
    name = new(user("a"), call, *answers)
    out = jsonl.read(session("resume", name, "-q").out)
    spilled = [r for r in out if "[content offloaded]" in str(r["content"])]
    assert spilled  # together they are over the limit, none alone is


def test_thinking_survives_the_tail_of_a_compaction(session, new):
    name = new(*turns(60), user("now"), THOUGHT)
    out = session("resume", name, "--to", "anthropic", "-q", *WINDOW).out
    assert b'"signature":"c2ln"' in out.replace(b" ", b"")


def test_an_emergency_is_committed_with_its_reason(session, markers, long, tmp_path):
    (tmp_path / "e.json").write_text("prompt is too long: 9000 tokens > 8000 maximum")
    args = ("--trigger", "emergency", "--error", tmp_path / "e.json")
    session("compact", long, *args)
    (marker,) = markers(long)
    assert marker["reason"] == "emergency"
    session("compact", long, "--error", tmp_path / "e.json", code=2)
    session("compact", long, "--check", "--trigger", "emergency", code=2)


def test_an_empty_session_resumes_as_nothing(session, new):
    name = new()
    assert session("resume", name, "-q").out == b""
    body = json.loads(
        session("resume", name, "--to", "anthropic", "--request", "-q").out
    )
    assert body == {"messages": []}


def test_a_transcript_may_be_appended(session, new, jsonl):
    from pathlib import Path

    source = Path(__file__).parents[2] / "data" / "claude-code" / "current.jsonl"
    name = new()
    session("append", name, source)
    out = jsonl.read(session("load", name, "--to", "anthropic").out)
    assert errors("anthropic", out) == []
    assert len(out) > 5


def test_an_automatic_run_that_cannot_fit_still_prints_the_history(session, new):
    huge = [user("word " * 9000), {"role": "assistant", "content": "x " * 9000}]
    name = new(*huge)
    done = session("resume", name, "--window", "4000")
    assert "not compacted" in done.err
    assert len(done.out.splitlines()) == 2
    strict = session("resume", name, "--window", "4000", "--strict", code=7)
    assert strict.out == done.out


def test_orphans_anywhere_leave_all_other_messages(session, new, jsonl):
    records = turns(3)
    del records[6]  # a result in the middle
    name = new(*records)
    done = session("load", name)
    out = jsonl.read(done.out)
    assert [r["content"] for r in out if r["role"] == "user"] == [
        f"Please change part {n}" for n in range(3)
    ]
    assert "no result" in done.err
    assert len(out) == len(records) + 1
