"""``import``, ``export`` and ``grep``: in from agents, out to people, found again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from talks import THOUGHT, user
from validity import errors

DATA = Path(__file__).parents[2] / "data"
REAL = next(
    (
        p
        for p in (
            Path(__file__).parents[3].parent / "shared" / "data" / "transcripts",
            Path(__file__).parents[4] / "shared" / "data" / "transcripts",
        )
        if p.is_dir()
    ),
    None,
)


def outcomes(done, jsonl):
    return [r["outcome"] for r in jsonl.read(done.out)]


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli", "pi"])
def test_the_transcripts_of_every_agent_become_sessions(session, jsonl, agent):
    files = sorted((DATA / agent).glob("*.json*"))
    done = session("import", DATA / agent)
    rows = jsonl.read(done.out)
    assert [Path(r["path"]) for r in rows] == files
    made = [r for r in rows if r["outcome"] == "new"]
    assert len(made) >= len(files) - 1
    assert {r["agent"] for r in made} == {agent}
    for row in made:
        out = jsonl.read(session("load", row["session"], "--to", "anthropic").out)
        assert errors("anthropic", out) == []


def test_a_second_run_changes_nothing(session, jsonl, project):
    session("import", DATA / "codex", "-q")
    logs = sorted((project / ".mewcode" / "sessions").rglob("conversation.jsonl"))
    before = [log.read_bytes() for log in logs]
    assert set(outcomes(session("import", DATA / "codex"), jsonl)) == {"unchanged"}
    after = sorted((project / ".mewcode" / "sessions").rglob("conversation.jsonl"))
    assert after == logs
    assert [log.read_bytes() for log in logs] == before


def test_what_a_transcript_has_more_is_added(session, jsonl, tmp_path, log):
    whole = (
        (DATA / "claude-code" / "current.jsonl").read_bytes().splitlines(keepends=True)
    )
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"".join(whole[:6]))
    (row,) = jsonl.read(session("import", path).out)
    before = log(row["session"]).read_bytes()
    path.write_bytes(b"".join(whole))
    (more,) = jsonl.read(session("import", path).out)
    assert more["session"] == row["session"]
    assert more["outcome"] in ("extended", "rewritten")
    assert log(row["session"]).read_bytes().startswith(before)
    assert outcomes(session("import", path), jsonl) == ["unchanged"]


def test_a_session_that_went_on_by_itself_is_left_alone(session, jsonl, tmp_path, log):
    whole = [user(f"m{n}", ts=n) for n in range(6)]
    path = tmp_path / "chat.jsonl"
    path.write_bytes(jsonl.write(*whole[:3]))
    (row,) = jsonl.read(session("import", path).out)
    name = row["session"]
    session("append", name, "-q", data=[user("my own")])
    before = log(name).read_bytes()
    assert outcomes(session("import", path), jsonl) == ["unchanged"]
    path.write_bytes(jsonl.write(*whole))
    assert outcomes(session("import", path), jsonl) == ["kept"]
    assert log(name).read_bytes() == before


def test_a_transcript_that_changed_becomes_the_history(session, jsonl, tmp_path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(jsonl.write(user("a", ts=1), user("b", ts=2)))
    (row,) = jsonl.read(session("import", path).out)
    path.write_bytes(jsonl.write(user("a", ts=1), user("c", ts=3)))
    assert outcomes(session("import", path), jsonl) == ["rewritten"]
    assert outcomes(session("import", path), jsonl) == ["unchanged"]
    raw = jsonl.read(session("load", row["session"], "--raw").out)
    assert [r.get("content") for r in raw] == ["a", "b", None, "a", "c"]
    path.write_bytes(jsonl.write(user("a", ts=1), user("c", ts=3), user("d", ts=4)))
    assert outcomes(session("import", path), jsonl) == ["extended"]
    raw = jsonl.read(session("load", row["session"], "--raw").out)
    assert raw[-1]["content"] == "d"


def test_a_compacted_session_is_extended_as_well(session, jsonl, tmp_path):
    path = tmp_path / "chat.jsonl"
    records = [user(f"m{n}", ts=n) for n in range(4)]
    path.write_bytes(jsonl.write(*records[:3]))
    (row,) = jsonl.read(session("import", path).out)
    session("append", row["session"], "-q", "--replace", data=[user("S")])
    path.write_bytes(jsonl.write(*records))
    assert outcomes(session("import", path), jsonl) == ["extended"]
    raw = jsonl.read(session("load", row["session"], "--raw").out)
    assert raw[-1]["content"] == "m3"
    assert len(raw) == 3 + 2 + 1


def test_nested_projects_and_sub_agents_are_found(session, jsonl, tmp_path):
    deep = tmp_path / "projects" / "-home-me" / "abc" / "subagents"
    deep.mkdir(parents=True)
    shutil.copy(DATA / "claude-code" / "current.jsonl", deep.parent.parent / "s.jsonl")
    line = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "isSidechain": True,
        "sessionId": "s",
        "agentId": "a1",
        "timestamp": "2026-11-01T00:00:00Z",
        "message": {"role": "user", "content": "look into it"},
    }
    (deep / "agent-a1.jsonl").write_text(json.dumps(line) + "\n")
    (deep / "notes.json").write_text('{"hello": "world"}')
    rows = {
        Path(r["path"]).name: r for r in jsonl.read(session("import", tmp_path).out)
    }
    assert rows["s.jsonl"]["outcome"] == "new"
    assert rows["agent-a1.jsonl"]["messages"] == 1
    assert rows["notes.json"]["outcome"] == "skipped"


def test_a_file_that_was_named_and_is_no_transcript_is_an_error(session, tmp_path):
    (tmp_path / "x.json").write_text('{"hello": "world"}')
    session("import", tmp_path / "x.json", code=3)
    assert "no such file" in session("import", tmp_path / "none", code=4).err


def test_a_chat_of_a_message_format_is_taken_as_it_is(session, jsonl, tmp_path):
    raw = [json.dumps(r, separators=(", ", ":")) for r in (user("a"), THOUGHT)]
    (tmp_path / "chat.jsonl").write_text("\n".join(raw) + "\n")
    (row,) = jsonl.read(session("import", tmp_path / "chat.jsonl").out)
    out = session("load", row["session"], "--to", "anthropic").out
    assert out.splitlines()[1] == raw[1].encode()


@pytest.mark.skipif(REAL is None, reason="there are no real transcripts here")
def test_real_transcripts_come_in_and_go_out(session, jsonl):
    files = sorted(
        (p for p in REAL.rglob("*.json*") if p.stat().st_size < 2_000_000),
        key=lambda p: p.stat().st_size,
    )[:25]
    rows = jsonl.read(session("import", *files, "-q").out)
    made = [r for r in rows if r["outcome"] == "new"]
    assert made
    for row in made:
        for form in ("anthropic", "openai", "responses"):
            done = session("export", row["session"], "--to", form, "-q")
            assert errors(form, jsonl.read(done.out)) == [], row["path"]
        assert session("export", row["session"]).out.startswith(b"# ")


# --- export ---


def test_a_conversation_is_readable_markdown(session, new):
    call = {"id": "x", "name": "bash", "input": {"command": "ls"}}
    fence = "```\nnot the end\n```"
    name = new(
        user("# not a title\nlook"),
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_results": [{"tool_call_id": "x", "content": fence}]},
        THOUGHT,
    )
    text = session("export", name).out.decode()
    assert text.startswith("# # not a title look\n")
    assert "\n## User\n" in text
    assert '**bash**\n\n```\n{"command":"ls"}\n```' in text
    assert f"\n````\n{fence}\n````\n" in text
    assert "> *thinking:* hm" in text


def test_an_export_is_the_whole_conversation_or_the_history_now(session, new):
    name = new(user("a"))
    session("append", name, "-q", "--replace", data=[user("S")])
    for form in ("markdown", "mew", "openai"):
        whole = session("export", name, "--to", form).out
        live = session("export", name, "--to", form, "--live").out
        assert (b"S" in live) > (b'"S"' in whole)
        assert b"a" in whole


def test_an_export_may_go_to_a_file(session, new, tmp_path):
    session("export", new(user("a")), "-o", tmp_path / "x.md")
    assert (tmp_path / "x.md").read_text().startswith("# a\n")


# --- grep ---


def test_what_was_said_called_and_answered_is_found(session, new, jsonl):
    call = {"id": "x", "name": "bash", "input": {"command": "grep Needle f"}}
    name = new(
        user("a needle here\nand more"),
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {
            "role": "tool",
            "tool_results": [{"tool_call_id": "x", "content": "f:needle 2"}],
        },
    )
    session("append", name, "-q", "--replace", data=[user("no more")])
    rows = jsonl.read(session("grep", "needle").out)
    assert [(r["message"], r["role"]) for r in rows] == [(1, "user"), (3, "tool")]
    assert rows[0] == {
        "session": name,
        "message": 1,
        "role": "user",
        "excerpt": "a needle here",
    }
    assert len(jsonl.read(session("grep", "-i", "needle", name).out)) == 3
    assert "more than 1" in session("grep", "needle", "--limit", "1").err
    session("grep", "nothing at all", code=1)
    session("grep", "(", code=2)
    session("grep", "needle", "nope", code=4)


def test_one_log_that_cannot_be_read_does_not_end_the_search(session, new, log, jsonl):
    bad, good = new(user("needle")), new(user("needle"))
    log(bad).unlink()
    done = session("grep", "needle")
    assert [r["session"] for r in jsonl.read(done.out)] == [good]
    assert bad in done.err
