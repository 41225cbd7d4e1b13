"""``mewctl compact``: when it acts, its exit codes, its state and its words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from compacting import (
    Talk,
    big,
    listing,
    made,
    records_of,
    values,
    views,
)
from compacting import read as read_out
from validity import errors

from mewctl.compact.summary_read import read
from mewctl.errors import Exit
from mewctl.history.boundary import parse
from mewctl.history.view import Message, Text, Usage

ROOT = Path(__file__).parents[2]
TRANSCRIPT = ROOT / "tests" / "data" / "claude-code" / "current.jsonl"

pytestmark = pytest.mark.usefixtures("elsewhere")


# --- decisions and exit codes ---


def test_check_answers_and_changes_nothing(compact, save, project):
    path = save((*made(), *records_of(big(20_000), "mew")))
    code, out, words = compact("--check", "--window", "32k", path)
    assert (code, out) == (Exit.NO, b"")
    assert "is due: over the threshold" in words
    code, out, words = compact("--check", "--window", "1M", path)
    assert (code, out) == (Exit.DONE, b"")
    assert "is not due: under the threshold" in words
    assert compact("--check", "-q", "--window", "1M", path)[2] == ""
    assert listing(project) == {}


def test_a_dry_run_prints_the_report_and_writes_nothing(
    compact, save, project, tmp_path
):
    path = save((*made(), *records_of(big(20_000), "mew")))
    for trigger in ("auto", "manual", "emergency"):
        code, out, words = compact(
            "--dry-run", "--trigger", trigger, "--window", "32k", path
        )
        assert (code, words) == (Exit.DONE, "")
        assert json.loads(out)["outcome"] == "compacted"
    assert listing(project) == {}
    report = tmp_path / "r.json"
    compact("--dry-run", "--window", "32k", "--report", report, path)
    assert json.loads(report.read_bytes())["spilled"] == ["big"]


def test_a_dry_run_tells_what_the_real_one_does(compact, save, tmp_path):
    path = save(made())
    report = tmp_path / "r.json"
    dry = json.loads(compact("--dry-run", "--window", "32k", path)[1])
    compact("-q", "--window", "32k", "--report", report, path)
    assert json.loads(report.read_bytes()) == dry


def test_a_dry_run_that_fails_has_its_exit_code(compact, save):
    path = save(Talk().turns(1).user(9_000).records("mew"))
    code, out, words = compact(
        "--dry-run", "--trigger", "manual", "--window", "8k", path
    )
    assert code == Exit.CANNOT_FIT
    assert json.loads(out)["outcome"] == "cannot-fit"
    assert "cannot be removed" in words
    assert compact("--dry-run", "--window", "8k", path)[0] == Exit.DONE
    assert (
        compact("--dry-run", "--strict", "--window", "8k", path)[0] == Exit.CANNOT_FIT
    )


def test_auto_writes_what_it_cannot_compact_and_says_why(compact, save):
    path = save(Talk().turns(1).user(9_000).records("mew"))
    code, out, words = compact("--window", "8k", path)
    assert (code, out) == (Exit.DONE, path.read_bytes())
    assert words.startswith("mewctl compact: not compacted: no room to compact: ")
    assert "the last message with its results" in words
    assert compact("-q", "--window", "8k", path)[2] == words
    strict = compact("--strict", "--window", "8k", path)
    assert strict == (Exit.CANNOT_FIT, out, words)


def test_manual_and_emergency_write_nothing_then(compact, save):
    path = save(Talk().turns(1).user(9_000).records("mew"))
    for trigger in ("manual", "emergency"):
        code, out, words = compact("--trigger", trigger, "--window", "8k", path)
        assert (code, out) == (Exit.CANNOT_FIT, b"")
        assert words.startswith("mewctl compact: ")


def test_manual_without_anything_to_gain_says_so(compact, save):
    path = save(Talk().turns(1).records("mew"))
    code, out, words = compact("--trigger", "manual", path, "--window", "200k")
    assert (code, out) == (Exit.DONE, path.read_bytes())
    assert words == "mewctl compact: not compacted: all of it belongs to the tail\n"


def test_an_emergency_takes_the_window_and_repeats_the_words_of_the_provider(
    compact, save, tmp_path
):
    error = tmp_path / "error.txt"
    error.write_text("prompt is too long:\n20000 tokens > 8000 maximum")
    emergency = ("--trigger", "emergency", "--error", error)
    path = save(Talk().turns(1).user(9_000).records("mew"))
    code, out, words = compact(*emergency, path)
    assert (code, out) == (Exit.CANNOT_FIT, b"")
    assert "the provider said: prompt is too long: 20000 tokens > 8000 maximum" in words
    report = tmp_path / "r.json"
    error.write_text("prompt is too long: 90000 tokens > 64000 maximum")
    assert compact(*emergency, "--report", report, save(made(60_000)))[0] == Exit.DONE
    value = json.loads(report.read_bytes())
    assert value["window"] == 64_000
    assert value["tokens"]["before"] == pytest.approx(90_000, abs=5)


def test_auto_spills_what_is_too_large(compact, save, project):
    path = save((*made(5_000), *records_of(big(20_000), "mew")))
    code, out, words = compact("--window", "32k", path)
    assert code == Exit.DONE
    assert words.startswith("mewctl compact: spilled 1 result, ")
    assert b"[content offloaded]" in out
    assert (project / ".mewcode" / "spill" / "ledger.jsonl").exists()
    # the same history again: the same preview, nothing new
    assert compact("--window", "32k", path)[1] == out


def test_a_preview_made_now_lowers_the_anchor_one_made_before_does_not(
    compact, save, tmp_path
):
    talk = Talk().turns(1)
    usage = Usage(input=40_000, output=1)
    said = Message("assistant", (Text("ok"),), usage=usage)
    records = records_of([*talk.messages, *big(20_000), said], "mew")
    path, report = save(records), tmp_path / "r.json"
    for after in (pytest.approx(10_000, abs=5_000), 40_001):
        compact("-q", "--window", "32k", "--overhead", "0", "--report", report, path)
        value = json.loads(report.read_bytes())
        assert value["tokens"]["after_spill"] == after


def test_old_output_goes_to_files_where_that_is_enough(compact, save, tmp_path):
    talk = Talk().user()
    for n in range(30):
        talk.messages += big(1_500, f"c{n}", word=f"w{n} ")
    path, report = save(talk.says().records("mew")), tmp_path / "r.json"
    code, out, words = compact("--window", "100k", "--report", report, path)
    assert code == Exit.DONE
    value = json.loads(report.read_bytes())
    assert value["outcome"] == "aged", value
    assert value["tokens"]["after"] <= value["target"]
    assert len(value["spilled"]) > 10
    assert "older results" in words
    assert errors("mew", values(read_out(out))) == []


def test_nothing_is_compacted_where_the_dropped_records_cannot_be_saved(
    compact, save, tmp_path
):
    where = tmp_path / "state"
    where.mkdir()
    (where / "dropped").write_text("in the way")
    path = save(made())
    code, out, words = compact("--window", "32k", "-d", where, path)
    assert (code, out) == (Exit.DONE, path.read_bytes())
    assert "not compacted: " in words
    code, out, _ = compact("--trigger", "manual", "-d", where, path)
    assert (code, out) == (Exit.STORAGE, b"")
    assert compact("--strict", "--window", "32k", "-d", where, path)[0] == Exit.STORAGE


def test_a_directory_that_cannot_stand_in_a_history_is_told(compact, save, tmp_path):
    path = save(made())
    code, out, words = compact("--window", "32k", "-d", tmp_path / "a\nb", path)
    assert code == Exit.DONE
    assert "mewctl compact: " in words
    assert out


# --- facts files ---


def test_a_facts_file_that_cannot_be_read_is_replaced_by_the_text(
    compact, save, project
):
    path = save(made())
    out = compact("-q", "--trigger", "manual", path)[1]
    tag = parse(views(read_out(out), "mew")[1].text)
    file = project / ".mewcode" / "spill" / "dropped" / f"{tag.id}.facts.json"
    for data in (b"{", b"[]", b'{"users":[{"n":"x","text":7}]}', b'{"messages":"a"}'):
        file.write_bytes(data)
        more = Talk(seed=9).turns(40, tokens=400).records("mew")
        path = save((*read_out(out), *more))
        code, again, words = compact("--trigger", "manual", path)
        assert code == Exit.DONE
        assert "the summary's text is read instead" in words
        users = read(views(read_out(again), "mew")[1].text).users
        assert users[0].text == views(made(), "mew")[1].text


def test_a_facts_file_that_is_gone_is_replaced_by_the_text_without_a_word(
    compact, save, project
):
    out = compact("-q", "--trigger", "manual", save(made()))[1]
    for file in (project / ".mewcode" / "spill" / "dropped").iterdir():
        file.unlink()
    path = save(read_out(out))
    again = compact("--trigger", "manual", "--window", "200k", path)
    assert again == (Exit.DONE, out, "")
    more = Talk(seed=9).turns(40, tokens=400).records("mew")
    again = compact("-q", "--trigger", "manual", save((*read_out(out), *more)))
    users = read(views(read_out(again[1]), "mew")[1].text).users
    assert users[0].text == views(made(), "mew")[1].text
