"""``mewctl compact``: files, streams, exit codes and words."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from compacting import (
    FORMATS,
    Talk,
    listing,
    records_of,
    values,
    views,
    written,
)
from validity import errors

from mewctl import cli
from mewctl.compact.summary_read import read
from mewctl.errors import Exit
from mewctl.history.boundary import parse
from mewctl.history.view import Call, Message, Result, Text, Usage
from mewctl.streams.records import Record

ROOT = Path(__file__).parents[2]
TRANSCRIPT = ROOT / "tests" / "data" / "claude-code" / "current.jsonl"


@pytest.fixture(autouse=True)
def _nowhere(tmp_path, monkeypatch):
    """No settings file of this machine takes part; the root is a project."""
    for name in [name for name in os.environ if name.startswith("MEWCTL_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)


@pytest.fixture
def project(tmp_path):
    return tmp_path / "project"


@pytest.fixture
def mew(capfdbinary):
    """Run ``mewctl compact``: exit code, output, words on stderr."""

    def run(*args, command="compact"):
        code = cli.run([command, *map(str, args)])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return code, seen.out, seen.err.decode()

    return run


@pytest.fixture
def save(tmp_path):
    """Write records to a file; its path."""

    def write(records, name="history.jsonl"):
        path = tmp_path / name
        path.write_bytes(written(records))
        return path

    return write


def filled(tokens=40_000, form="mew", **kinds):
    talk = Talk(thinking=form == "anthropic", **kinds)
    if form != "anthropic":
        talk.system()
    return talk.fill(tokens).records(form)


def read_out(data):
    return tuple(Record(line) for line in data.split(b"\n") if line)


def big(tokens, name="big", word="word "):
    """A call, and a result that layer 1 moves away."""
    return [
        Message("assistant", (Text("x"), Call(name, "Bash", {"command": "make"}))),
        Message("tool", (Result(name, (Text(word * tokens),)),)),
    ]


# --- streams ---


@pytest.mark.parametrize("form", FORMATS)
def test_a_history_goes_in_and_a_valid_one_comes_out(mew, save, project, form):
    records = filled(form=form)
    code, out, words = mew("--window", "32k", save(records))
    assert code == Exit.DONE
    made = read_out(out)
    assert errors(form, values(made)) == []
    (line,) = words.splitlines()
    tag = parse(next(m for m in views(made, form) if m.role == "user").text)
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


def test_private_state_is_nobody_elses(mew, save, project):
    mew("--trigger", "manual", save(filled()))
    store = project / ".mewcode"
    assert (store / ".gitignore").exists()
    for where, folders, files in os.walk(store):
        for name in folders:
            assert stat.S_IMODE(os.stat(Path(where, name)).st_mode) == 0o700
        for name in files:
            if name != ".gitignore":
                assert stat.S_IMODE(os.stat(Path(where, name)).st_mode) == 0o600


def test_under_the_threshold_the_input_is_the_output(mew, save, project):
    path = save(filled(5_000))
    code, out, words = mew("--window", "200k", path)
    assert (code, out, words) == (Exit.DONE, path.read_bytes(), "")
    assert listing(project) == {}


def test_the_same_input_gives_the_same_bytes_and_the_same_boundary_anywhere(
    mew, save, tmp_path
):
    path = save((*filled(), *records_of(big(20_000), "mew")))
    wishes = ("-q", "--window", "32k", path, "-d")
    one, other = tmp_path / "one", tmp_path / "two"
    first = mew(*wishes, one)[1]
    state = listing(one)
    assert mew(*wishes, one)[1] == first
    assert listing(one) == state
    mew(*wishes, other)
    dropped = {n: d for n, d in state.items() if n.endswith("jsonl") and "dropped" in n}
    assert len(dropped) == 1
    assert dropped.items() <= listing(other).items()


def test_a_session_keeps_its_boundaries(mew, save, tmp_path):
    session = tmp_path / "session"
    session.mkdir()
    code, out, words = mew("--trigger", "manual", "-s", session, save(filled()))
    assert code == Exit.DONE
    tag = parse(views(read_out(out), "mew")[1].text)
    assert (session / "boundaries" / f"{tag.id}.jsonl").exists()
    assert f"recall --boundary {tag.id} -s {session}" in words


def test_output_to_a_file(mew, save, tmp_path):
    target = tmp_path / "next.jsonl"
    code, out, _ = mew("--trigger", "manual", "-o", target, save(filled()))
    assert (code, out) == (Exit.DONE, b"")
    assert errors("mew", values(read_out(target.read_bytes()))) == []
    path = save(filled())
    assert mew("--trigger", "manual", "-o", path, path)[0] == Exit.UNSAFE
    assert path.read_bytes() == written(filled())


def test_quiet_says_nothing(mew, save):
    code, out, words = mew("-q", "--trigger", "manual", save(filled()))
    assert code == Exit.DONE
    assert out
    assert words == ""


def test_another_format_comes_out_where_it_was_asked_for(mew, save):
    code, out, _ = mew("--trigger", "manual", "--to", "anthropic", save(filled()))
    assert code == Exit.DONE
    assert errors("anthropic", values(read_out(out))) == []
    again = mew("--trigger", "manual", "--to", "mew", save(filled(), "b.jsonl"))[1]
    assert errors("mew", values(read_out(again))) == []


def test_a_compact_marker_begins_the_history(mew, save):
    old = Talk(seed=7).turns(3).records("mew")
    marker = Record(b'{"type":"compact","ts":1}')
    code, out, _ = mew("--trigger", "manual", save((*old, marker, *filled())))
    assert code == Exit.DONE
    before = written((*old, marker))
    assert out.startswith(before)
    assert errors("mew", values(read_out(out[len(before) :]))) == []
    assert b"Summary of the earlier" in out[len(before) :]


def test_bad_records_end_the_run_or_are_passed_over(mew, save):
    records = (*filled(), Record(b"{broken"))
    code, out, words = mew("--trigger", "manual", save(records))
    assert (code, out) == (Exit.BAD_INPUT, b"")
    code, out, words = mew("--trigger", "manual", "--on-bad", "skip", save(records))
    assert code == Exit.DONE
    assert "skipped" in words


# --- transcripts ---


def test_a_transcript_comes_out_as_mew(mew):
    code, out, _ = mew("-q", "--trigger", "manual", "--tail-messages", "1", TRANSCRIPT)
    assert code == Exit.DONE
    assert errors("mew", values(read_out(out))) == []


def test_the_usage_of_a_transcript_is_no_overhead(mew, tmp_path):
    mew("-q", "--dry-run", "--report", tmp_path / "r.json", TRANSCRIPT)
    report = json.loads((tmp_path / "r.json").read_bytes())
    assert "unseen overhead" not in report["floor"]["fills"]


# --- decisions and exit codes ---


def test_check_answers_and_changes_nothing(mew, save, project):
    path = save((*filled(), *records_of(big(20_000), "mew")))
    code, out, words = mew("--check", "--window", "32k", path)
    assert (code, out) == (Exit.NO, b"")
    assert "is due: over the threshold" in words
    code, out, words = mew("--check", "--window", "1M", path)
    assert (code, out) == (Exit.DONE, b"")
    assert "is not due: under the threshold" in words
    assert mew("--check", "-q", "--window", "1M", path)[2] == ""
    assert listing(project) == {}


def test_a_dry_run_prints_the_report_and_writes_nothing(mew, save, project, tmp_path):
    path = save((*filled(), *records_of(big(20_000), "mew")))
    for trigger in ("auto", "manual", "emergency"):
        code, out, words = mew(
            "--dry-run", "--trigger", trigger, "--window", "32k", path
        )
        assert (code, words) == (Exit.DONE, "")
        assert json.loads(out)["outcome"] == "compacted"
    assert listing(project) == {}
    report = tmp_path / "r.json"
    mew("--dry-run", "--window", "32k", "--report", report, path)
    assert json.loads(report.read_bytes())["spilled"] == ["big"]


def test_a_dry_run_tells_what_the_real_one_does(mew, save, tmp_path):
    path = save(filled())
    report = tmp_path / "r.json"
    dry = json.loads(mew("--dry-run", "--window", "32k", path)[1])
    mew("-q", "--window", "32k", "--report", report, path)
    assert json.loads(report.read_bytes()) == dry


def test_a_dry_run_that_fails_has_its_exit_code(mew, save):
    path = save(Talk().turns(1).user(9_000).records("mew"))
    code, out, words = mew("--dry-run", "--trigger", "manual", "--window", "8k", path)
    assert code == Exit.CANNOT_FIT
    assert json.loads(out)["outcome"] == "cannot-fit"
    assert "cannot be removed" in words
    assert mew("--dry-run", "--window", "8k", path)[0] == Exit.DONE
    assert mew("--dry-run", "--strict", "--window", "8k", path)[0] == Exit.CANNOT_FIT


def test_auto_writes_what_it_cannot_compact_and_says_why(mew, save):
    path = save(Talk().turns(1).user(9_000).records("mew"))
    code, out, words = mew("--window", "8k", path)
    assert (code, out) == (Exit.DONE, path.read_bytes())
    assert words.startswith("mewctl compact: not compacted: no room to compact: ")
    assert "the last message with its results" in words
    assert mew("-q", "--window", "8k", path)[2] == words
    strict = mew("--strict", "--window", "8k", path)
    assert strict == (Exit.CANNOT_FIT, out, words)


def test_manual_and_emergency_write_nothing_then(mew, save):
    path = save(Talk().turns(1).user(9_000).records("mew"))
    for trigger in ("manual", "emergency"):
        code, out, words = mew("--trigger", trigger, "--window", "8k", path)
        assert (code, out) == (Exit.CANNOT_FIT, b"")
        assert words.startswith("mewctl compact: ")


def test_manual_without_anything_to_gain_says_so(mew, save):
    path = save(Talk().turns(1).records("mew"))
    code, out, words = mew("--trigger", "manual", path, "--window", "200k")
    assert (code, out) == (Exit.DONE, path.read_bytes())
    assert words == "mewctl compact: not compacted: all of it belongs to the tail\n"


def test_an_emergency_takes_the_window_and_repeats_the_words_of_the_provider(
    mew, save, tmp_path
):
    error = tmp_path / "error.txt"
    error.write_text("prompt is too long:\n20000 tokens > 8000 maximum")
    emergency = ("--trigger", "emergency", "--error", error)
    path = save(Talk().turns(1).user(9_000).records("mew"))
    code, out, words = mew(*emergency, path)
    assert (code, out) == (Exit.CANNOT_FIT, b"")
    assert "the provider said: prompt is too long: 20000 tokens > 8000 maximum" in words
    report = tmp_path / "r.json"
    error.write_text("prompt is too long: 90000 tokens > 64000 maximum")
    assert mew(*emergency, "--report", report, save(filled(60_000)))[0] == Exit.DONE
    value = json.loads(report.read_bytes())
    assert value["window"] == 64_000
    assert value["tokens"]["before"] == pytest.approx(90_000, abs=5)


def test_auto_spills_what_is_too_large(mew, save, project):
    path = save((*filled(5_000), *records_of(big(20_000), "mew")))
    code, out, words = mew("--window", "32k", path)
    assert code == Exit.DONE
    assert words.startswith("mewctl compact: spilled 1 results, ")
    assert b"[content offloaded]" in out
    assert (project / ".mewcode" / "spill" / "ledger.jsonl").exists()
    # the same history again: the same preview, nothing new
    assert mew("--window", "32k", path)[1] == out


def test_a_preview_made_now_lowers_the_anchor_one_made_before_does_not(
    mew, save, tmp_path
):
    talk = Talk().turns(1)
    usage = Usage(input=40_000, output=1)
    said = Message("assistant", (Text("ok"),), usage=usage)
    records = records_of([*talk.messages, *big(20_000), said], "mew")
    path, report = save(records), tmp_path / "r.json"
    for after in (pytest.approx(10_000, abs=5_000), 40_001):
        mew("-q", "--window", "32k", "--overhead", "0", "--report", report, path)
        value = json.loads(report.read_bytes())
        assert value["tokens"]["after_spill"] == after


def test_old_output_goes_to_files_where_that_is_enough(mew, save, tmp_path):
    talk = Talk().user()
    for n in range(30):
        talk.messages += big(1_500, f"c{n}", word=f"w{n} ")
    path, report = save(talk.says().records("mew")), tmp_path / "r.json"
    code, out, words = mew("--window", "100k", "--report", report, path)
    assert code == Exit.DONE
    value = json.loads(report.read_bytes())
    assert value["outcome"] == "aged", value
    assert value["tokens"]["after"] <= value["target"]
    assert len(value["spilled"]) > 10
    assert "older results" in words
    assert errors("mew", values(read_out(out))) == []


def test_nothing_is_compacted_where_the_dropped_records_cannot_be_saved(
    mew, save, tmp_path
):
    where = tmp_path / "state"
    where.mkdir()
    (where / "dropped").write_text("in the way")
    path = save(filled())
    code, out, words = mew("--window", "32k", "-d", where, path)
    assert (code, out) == (Exit.DONE, path.read_bytes())
    assert "not compacted: " in words
    code, out, _ = mew("--trigger", "manual", "-d", where, path)
    assert (code, out) == (Exit.STORAGE, b"")
    assert mew("--strict", "--window", "32k", "-d", where, path)[0] == Exit.STORAGE


def test_a_directory_that_cannot_stand_in_a_history_is_told(mew, save, tmp_path):
    path = save(filled())
    code, out, words = mew("--window", "32k", "-d", tmp_path / "a\nb", path)
    assert code == Exit.DONE
    assert "mewctl compact: " in words
    assert out


# --- facts files ---


def test_a_facts_file_that_cannot_be_read_is_replaced_by_the_text(mew, save, project):
    path = save(filled())
    out = mew("-q", "--trigger", "manual", path)[1]
    tag = parse(views(read_out(out), "mew")[1].text)
    file = project / ".mewcode" / "spill" / "dropped" / f"{tag.id}.facts.json"
    for data in (b"{", b"[]", b'{"users":[{"n":"x","text":7}]}', b'{"messages":"a"}'):
        file.write_bytes(data)
        more = Talk(seed=9).turns(40, tokens=400).records("mew")
        path = save((*read_out(out), *more))
        code, again, words = mew("--trigger", "manual", path)
        assert code == Exit.DONE
        assert "the summary's text is read instead" in words
        users = read(views(read_out(again), "mew")[1].text).users
        assert users[0].text == views(filled(), "mew")[1].text


def test_a_facts_file_that_is_gone_is_replaced_by_the_text_without_a_word(
    mew, save, project
):
    out = mew("-q", "--trigger", "manual", save(filled()))[1]
    for file in (project / ".mewcode" / "spill" / "dropped").iterdir():
        file.unlink()
    path = save(read_out(out))
    again = mew("--trigger", "manual", "--window", "200k", path)
    assert again == (Exit.DONE, out, "")
    more = Talk(seed=9).turns(40, tokens=400).records("mew")
    again = mew("-q", "--trigger", "manual", save((*read_out(out), *more)))
    users = read(views(read_out(again[1]), "mew")[1].text).users
    assert users[0].text == views(filled(), "mew")[1].text


# --- hand-over ---


def test_a_hand_over_is_markdown_and_keeps_its_address(mew, save, project):
    code, out, _ = mew("--emit", "summary", "--origin", "/logs/a", save(filled()))
    assert code == Exit.DONE
    text = out.decode()
    assert text.startswith("## Summary of the earlier conversation\n")
    assert "/logs/a" in text
    assert parse(text) is not None
    assert (project / ".mewcode" / "spill" / "dropped").exists()


def test_a_hand_over_takes_the_words_of_all_of_a_transcript(mew):
    out = mew("-q", "--emit", "summary", TRANSCRIPT)[1].decode()
    assert str(TRANSCRIPT) in out
    assert read(out).users


def test_a_hand_over_of_nothing_is_nothing(mew, save):
    code, out, words = mew("--emit", "summary", save(()))
    assert (code, out) == (Exit.DONE, b"")
    assert "nothing to sum up" in words


# --- numbers ---


def test_the_window_is_the_models_or_said(mew, save, tmp_path):
    report = tmp_path / "r.json"

    def window(*args, records=None):
        path = save(records or filled(2_000))
        words = mew("--report", report, *args, path)[2]
        return json.loads(report.read_bytes())["window"], words

    assert window("--window", "64k") == (64_000, "")
    assert window("--model", "gpt-4o") == (128_000, "")
    found, words = window()
    assert found == 200_000
    assert "200000 tokens assumed" in words
    assert window("-q") == (200_000, "")
    said = Message(
        "assistant", (Text("ok"),), model="claude-sonnet-4-5", usage=Usage(input=5)
    )
    plain = Talk().turns(1).messages
    assert window(records=records_of([*plain, said], "mew")) == (200_000, "")
    more = Message("assistant", (Text("ok"),), usage=Usage(input=300_000, output=1))
    found, words = window(records=records_of([*plain, said, more], "mew"))
    assert found == 1_000_000
    assert "a usage of 300001 was reported" in words


def test_numbers_come_from_options_and_from_the_environment(
    mew, save, tmp_path, monkeypatch
):
    report = tmp_path / "r.json"
    mew(
        "-q", "--report", report, "--window", "200k", "--margin", "0", save(filled(900))
    )
    assert json.loads(report.read_bytes())["threshold"] == 170_000
    monkeypatch.setenv("MEWCTL_COMPACT_THRESHOLD_SHARE", "0.5")
    monkeypatch.setenv("MEWCTL_WINDOW", "100k")
    mew("-q", "--report", report, save(filled(900)))
    assert json.loads(report.read_bytes())["threshold"] == 50_000


def test_what_is_sent_besides_counts(mew, save, tmp_path):
    system, tools = tmp_path / "system.txt", tmp_path / "tools.json"
    system.write_text("be good " * 500)
    tools.write_text(json.dumps([{"name": "grep", "description": "find " * 100}]))
    report = tmp_path / "r.json"
    wishes = ("--system", system, "--tools", tools, "--overhead", "777", "-q")
    code, out, _ = mew(
        *wishes, "--trigger", "manual", "--report", report, save(filled())
    )
    assert code == Exit.DONE
    fills = json.loads(report.read_bytes())["floor"]["fills"]
    assert fills["unseen overhead"] == 777
    assert fills["--system"] > 900
    assert fills["--tools"] > 90
    assert b"### grep" in out
    tools.write_text(json.dumps({"tools": [{"name": "ls"}]}))
    assert mew("-q", "--tools", tools, save(filled(900)))[0] == Exit.DONE


@pytest.mark.parametrize("text", ["{", "7", "[7]", '{"tools":{}}'])
def test_a_tool_list_that_is_none(mew, save, tmp_path, text):
    tools = tmp_path / "tools.json"
    tools.write_text(text)
    assert mew("--tools", tools, save(filled(900)))[0] == Exit.BAD_INPUT


def test_an_anchor_counts(mew, save, tmp_path):
    report = tmp_path / "r.json"
    mew(
        "-q",
        "--anchor",
        "190000:3",
        "--dry-run",
        "--report",
        report,
        save(filled(3_000)),
    )
    assert json.loads(report.read_bytes())["tokens"]["before"] > 190_000


@pytest.mark.parametrize(
    "args",
    [
        ("--check", "--trigger", "manual"),
        ("--emit", "summary", "--trigger", "emergency"),
        ("--emit", "summary", "--check"),
        ("--error", "x"),
        ("--report", "-"),
        ("--report", "x", "-o", "./x"),
        ("--overhead", "much"),
        ("--anchor", "7"),
        ("--family", "nobody"),
        ("--window", "none"),
    ],
)
def test_options_that_cannot_be_meant(mew, save, args):
    assert mew(*args, save(filled(900)))[0] == Exit.USAGE


def test_a_file_that_is_not_there(mew):
    assert mew("/nowhere/at/all")[0] == Exit.NOT_FOUND


def test_a_session_is_found_by_its_id(mew, save, project):
    session = project / ".mewcode" / "sessions" / "abc"
    session.mkdir(parents=True)
    assert mew("-q", "--trigger", "manual", "-s", "abc", save(filled()))[0] == Exit.DONE
    assert (session / "boundaries").is_dir()


def test_outside_of_a_project_the_users_own_store_is_used(
    mew, save, tmp_path, monkeypatch
):
    home = tmp_path / "home"
    monkeypatch.chdir(home)
    words = mew("--trigger", "manual", save(filled()))[2]
    assert f"using the user level, {home}/.mewcode; --root" in words
    assert (home / ".mewcode" / "spill" / "dropped").is_dir()
    assert "user level" not in mew("-q", "--trigger", "manual", save(filled()))[2]


def test_a_working_directory_that_was_removed(mew, save, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert mew("-q", "--trigger", "manual", save(filled()))[0] == Exit.DONE
    assert (tmp_path / "home" / ".mewcode" / "spill" / "dropped").is_dir()


def test_a_session_that_is_not_there(mew, save):
    assert mew("-s", "nobody", save(filled(900)))[0] == Exit.NOT_FOUND
