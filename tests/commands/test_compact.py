"""``mewctl compact``: files, streams and transcripts."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from compacting import (
    FORMATS,
    Talk,
    big,
    listing,
    made,
    records_of,
    values,
    views,
    written,
)
from compacting import read as read_out
from validity import errors

from mewctl.compact.summary_read import read
from mewctl.errors import Exit
from mewctl.history.boundary import parse
from mewctl.streams.records import Record

ROOT = Path(__file__).parents[2]
TRANSCRIPT = ROOT / "tests" / "data" / "claude-code" / "current.jsonl"

pytestmark = pytest.mark.usefixtures("elsewhere")


# --- streams ---


@pytest.mark.parametrize("form", FORMATS)
def test_a_history_goes_in_and_a_valid_one_comes_out(compact, save, project, form):
    records = made(form=form)
    code, out, words = compact("--window", "32k", save(records))
    assert code == Exit.DONE
    found = read_out(out)
    assert errors(form, values(found)) == []
    (line,) = words.splitlines()
    tag = parse(next(m for m in views(found, form) if m.role == "user").text)
    where = project / ".mewcode" / "spill"
    recall = f"mewctl recall --boundary {tag.id} -d {where}"
    assert line.startswith("mewctl compact: compacted, ")
    assert line.endswith(f"{recall} brings them back")
    store = where / "dropped"
    dropped = (store / f"{tag.id}.jsonl").read_bytes()
    assert written(records).find(dropped) >= 0
    assert json.loads((store / f"{tag.id}.facts.json").read_bytes())["boundaries"] == [
        tag.id
    ]


def test_private_state_is_nobody_elses(compact, save, project):
    compact("--trigger", "manual", save(made()))
    store = project / ".mewcode"
    assert (store / ".gitignore").exists()
    for where, folders, files in os.walk(store):
        for name in folders:
            assert stat.S_IMODE(os.stat(Path(where, name)).st_mode) == 0o700
        for name in files:
            if name != ".gitignore":
                assert stat.S_IMODE(os.stat(Path(where, name)).st_mode) == 0o600


def test_under_the_threshold_the_input_is_the_output(compact, save, project):
    path = save(made(5_000))
    code, out, words = compact("--window", "200k", path)
    assert (code, out, words) == (Exit.DONE, path.read_bytes(), "")
    assert listing(project) == {}


def test_the_same_input_gives_the_same_bytes_and_the_same_boundary_anywhere(
    compact, save, tmp_path
):
    path = save((*made(), *records_of(big(20_000), "mew")))
    wishes = ("-q", "--window", "32k", path, "-d")
    one, other = tmp_path / "one", tmp_path / "two"
    first = compact(*wishes, one)[1]
    state = listing(one)
    assert compact(*wishes, one)[1] == first
    assert listing(one) == state
    compact(*wishes, other)
    dropped = {n: d for n, d in state.items() if n.endswith("jsonl") and "dropped" in n}
    assert len(dropped) == 1
    assert dropped.items() <= listing(other).items()


def test_a_session_keeps_its_boundaries(compact, save, tmp_path):
    session = tmp_path / "session"
    session.mkdir()
    (session / "conversation.jsonl").touch(0o600)
    code, out, words = compact("--trigger", "manual", "-s", session, save(made()))
    assert code == Exit.DONE
    tag = parse(views(read_out(out), "mew")[1].text)
    assert (session / "boundaries" / f"{tag.id}.jsonl").exists()
    assert f"recall --boundary {tag.id} -s {session}" in words


def test_output_over_an_input_is_refused_before_anything_is_written(
    compact, save, project
):
    path = save(made())
    for flag in ("-o", "--report"):
        assert compact("--trigger", "manual", flag, path, path)[0] == Exit.UNSAFE
    assert path.read_bytes() == written(made())
    assert listing(project) == {}


def test_output_to_a_file(compact, save, tmp_path):
    target = tmp_path / "next.jsonl"
    code, out, _ = compact("--trigger", "manual", "-o", target, save(made()))
    assert (code, out) == (Exit.DONE, b"")
    assert errors("mew", values(read_out(target.read_bytes()))) == []


def test_quiet_says_nothing(compact, save):
    code, out, words = compact("-q", "--trigger", "manual", save(made()))
    assert code == Exit.DONE
    assert out
    assert words == ""


def test_another_format_comes_out_where_it_was_asked_for(compact, save):
    code, out, _ = compact("--trigger", "manual", "--to", "anthropic", save(made()))
    assert code == Exit.DONE
    assert errors("anthropic", values(read_out(out))) == []
    again = compact("--trigger", "manual", "--to", "mew", save(made(), "b.jsonl"))[1]
    assert errors("mew", values(read_out(again))) == []


def test_a_compact_marker_begins_the_history(compact, save):
    old = Talk(seed=7).turns(3).records("mew")
    marker = Record(b'{"type":"compact","ts":1}')
    code, out, _ = compact("--trigger", "manual", save((*old, marker, *made())))
    assert code == Exit.DONE
    before = written((*old, marker))
    assert out.startswith(before)
    assert errors("mew", values(read_out(out[len(before) :]))) == []
    assert b"Summary of the earlier" in out[len(before) :]


def test_bad_records_end_the_run_or_are_passed_over(compact, save):
    records = (*made(), Record(b"{broken"))
    code, out, words = compact("--trigger", "manual", save(records))
    assert (code, out) == (Exit.BAD_INPUT, b"")
    code, out, words = compact("--trigger", "manual", "--on-bad", "skip", save(records))
    assert code == Exit.DONE
    assert "skipped" in words


# --- transcripts ---


def test_a_transcript_comes_out_as_mew(compact):
    code, out, _ = compact(
        "-q", "--trigger", "manual", "--tail-messages", "1", TRANSCRIPT
    )
    assert code == Exit.DONE
    assert errors("mew", values(read_out(out))) == []


def test_the_usage_of_a_transcript_is_no_overhead(compact, tmp_path):
    compact("-q", "--dry-run", "--report", tmp_path / "r.json", TRANSCRIPT)
    report = json.loads((tmp_path / "r.json").read_bytes())
    assert "unseen overhead" not in report["floor"]["fills"]


# --- hand-over ---


def test_a_hand_over_is_markdown_and_keeps_its_address(compact, save, project):
    code, out, _ = compact("--emit", "summary", "--origin", "/logs/a", save(made()))
    assert code == Exit.DONE
    text = out.decode()
    assert text.startswith("## Summary of the earlier conversation\n")
    assert "/logs/a" in text
    assert parse(text) is not None
    assert (project / ".mewcode" / "spill" / "dropped").exists()


def test_a_hand_over_takes_the_words_of_all_of_a_transcript(compact):
    out = compact("-q", "--emit", "summary", TRANSCRIPT)[1].decode()
    assert str(TRANSCRIPT) in out
    assert read(out).users


def test_a_hand_over_of_nothing_is_no_success(compact, save):
    code, out, words = compact("--emit", "summary", save(()))
    assert (code, out) == (Exit.BAD_INPUT, b"")
    assert "nothing to sum up" in words


@pytest.mark.parametrize("options", [(), ("--trigger", "manual")])
def test_a_history_that_is_left_alone_comes_out_valid_and_else_as_its_bytes(
    compact, save, options
):
    lines = (
        b'{"role":"system","content":""}',
        b'{"role":"user", "content":"go"}',
        b'{"role":"assistant","content":"","tool_calls":[{"id":"a","name":"f","input":{}}]}',
    )
    code, out, words = compact("--window", "64k", *options, save(map(Record, lines)))
    assert (code, out) == (Exit.DONE, lines[1] + b"\n")
    assert "; 2 repairs, mewctl repair --check on the input tells them" in words
    again = compact("--window", "64k", *options, save([Record(out)]))
    assert again[:2] == (Exit.DONE, out)
    assert "repair" not in again[2]
