"""``tokens timeline``: transcripts, histories and logs as records, table and page."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from mewctl import cli
from mewctl.commands.reading import Reading, Wish
from mewctl.errors import Exit

DATA = Path(__file__).parents[1] / "data"
EXAMPLE = Path(__file__).parents[2] / "examples" / "fix-flaky-upload.jsonl"
SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "transcripts"

#: Made-up transcripts with a compaction.
COMPACTED = ("compacted.jsonl", "compressed.jsonl", "condensed.json")

pytestmark = pytest.mark.usefixtures("elsewhere")


def said(role, text, context=0, **more):
    usage = {"usage": {"input": context, "output": 0}} if context else {}
    return {"role": role, "content": text, **usage, **more}


TAG = "[mewctl boundary 0123456789ab tail=0]"
GROWN = [
    said("user", "Why do the tests fail?"),
    said("assistant", "I look.", 150_000, model="claude-opus-4-8"),
    {"type": "compact", "ts": 7, "id": "0123456789ab", "reason": "auto", "messages": 1},
    said("user", "## Summary of the earlier conversation\nIt fails."),
    said("user", "go on"),
    said("assistant", "I go on.", 40_000),
]


@pytest.fixture
def timeline(capfdbinary):
    """Run ``mewctl tokens timeline``: exit code, output, words on stderr."""

    def run(*args):
        code = cli.run(["tokens", "timeline", *map(str, args)])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return code, seen.out, seen.err.decode()

    return run


@pytest.fixture
def records(timeline):
    def run(*args):
        code, out, _ = timeline(*args)
        assert code == 0
        return [json.loads(line) for line in out.splitlines()]

    return run


@pytest.fixture
def grown(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in GROWN))
    return path


def of_type(found, kind):
    return [record for record in found if record["type"] == kind]


def test_a_log_is_told_turn_by_turn_with_its_marker(records, grown):
    found = records(grown)
    assert [r["type"] for r in found][:4] == ["timeline", "turn", "boundary", "turn"]
    (cut,) = of_type(found, "boundary")
    assert (cut["kind"], cut["id"], cut["reason"]) == (
        *("marker", "0123456789ab", "auto"),
    )
    assert cut["before"] == {"tokens": 150_000, "method": "usage"}
    assert cut["after"] == {"tokens": 40_000, "method": "usage"}
    assert [turn["head"] for turn in of_type(found, "turn")] == [
        *("Why do the tests fail?", "go on"),
    ]
    assert found[0]["peak"] == {"tokens": 150_000, "turn": 1, "method": "usage"}


def test_a_marker_of_another_program_says_no_more_than_where_it_is(records, tmp_path):
    path = tmp_path / "log"
    summary = {**GROWN[3], "content": f"{GROWN[3]['content']}\n{TAG}"}
    lines = [*GROWN[:2], {"type": "compact"}, summary, *GROWN[4:]]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in lines))
    (cut,) = of_type(records(path), "boundary")
    assert cut["kind"] == "marker"
    assert "id" not in cut
    assert cut["after"] == {"tokens": 40_000, "method": "usage"}


def test_a_session_is_told_by_its_raw_log(records, capfdbinary, tmp_path):
    assert cli.run(["session", "import", str(EXAMPLE)]) == 0
    assert cli.run(["session", "compact", "latest", "--window", "24000"]) == 0
    capfdbinary.readouterr()
    raw = tmp_path / "raw"
    assert cli.run(["session", "load", "latest", "--raw"]) == 0
    sys.stdout.flush()
    raw.write_bytes(capfdbinary.readouterr().out)
    (cut,) = of_type(records(raw), "boundary")
    assert cut["kind"] == "marker"
    assert cut["before"]["tokens"] > cut["after"]["tokens"]


def test_a_transcript_is_told_from_its_beginning_with_all_usage(records):
    whole = records(DATA / "claude-code" / "compacted.jsonl")
    cuts = of_type(whole, "boundary")
    assert cuts
    assert cuts[0]["after"]["method"] == "usage"


@pytest.mark.parametrize(
    "path",
    sorted(p for p in DATA.glob("*/*") if p.name in COMPACTED),
    ids=lambda path: path.parent.name,
)
def test_a_compaction_of_every_agent_is_seen_and_usage_tells_its_cost(records, path):
    cuts = of_type(records(path), "boundary")
    assert cuts
    if path.parent.name not in ("copilot-cli", "openhands"):  # nothing reported there
        assert cuts[0]["after"]["method"] == "usage"
        assert cuts[0]["rewritten"]["method"] == "usage"


@pytest.mark.parametrize(
    "path",
    sorted(p for p in DATA.glob("*/*") if p.name in COMPACTED),
    ids=lambda path: path.parent.name,
)
def test_usage_after_a_boundary_is_told_where_it_is_asked_for(path):
    def told(**wish):
        reading = Reading([str(path)], Wish(full=True, **wish))
        return sum(message.usage is not None for _, message in reading)

    if path.parent.name != "copilot-cli":  # nothing reported there
        assert told(every_usage=True) > told() > 0


def test_the_table_shows_spills_and_a_boundary_of_unknown_size(timeline, tmp_path):
    body = "a line of the log\n" * 40
    preview = "[content offloaded] original size: 90000 bytes\n[saved to] /x\n"
    call = {"id": "c", "name": "bash", "input": {}}
    text = f"{preview}[head preview]\n{body}"
    lines = [
        {**GROWN[3], "content": f"{GROWN[3]['content']}\n{TAG}"},
        said("assistant", "I look.", tool_calls=[call]),
        {"role": "tool", "tool_results": [{"tool_call_id": "c", "content": text}]},
        said("assistant", "It fails.", 9_000),
    ]
    path = tmp_path / "h"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    text = timeline("--format", "table", path)[1].decode()
    assert "spill bash: ~" in text
    assert "1 spill that freed ~" in text
    assert "boundary: ? → ~" in text


def test_a_terminal_gets_a_table_with_a_sparkline(grown):
    main, side = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "mewctl", "tokens", "timeline", str(grown)],
        stdout=side,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "70", "NO_COLOR": "1"},
    ) as process:
        os.close(side)
        shown = b""
        try:
            while block := os.read(main, 65_536):
                shown += block
        except OSError:  # the other side is closed
            pass
        assert process.wait(60) == 0
    os.close(main)
    text = shown.decode().replace("\r\n", "\n")
    assert "█▃\n" in text
    assert "▲ boundary: 150,000 → 40,000, 40,000 written anew" in text
    assert max(map(len, text.splitlines())) <= 70


def test_the_table_shows_the_newest_turns(timeline, grown):
    text = timeline("--format", "table", "--turns", 1, grown)[1].decode()
    assert "1 earlier turn; see --turns" in text
    assert "go on" in text
    assert "Why do the tests fail?" not in text.split("biggest")[0]
    none = timeline("--format", "table", "--turns", 0, grown)[1].decode()
    assert "requests  words" not in none


def test_what_could_steer_a_terminal_is_shown_as_escapes(timeline, tmp_path):
    path = tmp_path / "evil"
    evil = "\x1b]0;title\x07\u202e[bold]"
    call = {"id": "c", "name": evil, "input": {}}
    lines = [
        said("user", evil),
        said("assistant", evil, 9_000, model=evil, tool_calls=[call]),
        said("assistant", evil, 10_000),
    ]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in lines))
    text = timeline("--format", "table", "--color", "never", path)[1].decode()
    assert "\\x1b]0;title\\x07\\u{202e}[bold]" in text
    assert not set(text) & {"\x1b", "\x07", "\u202e"}


def test_a_page_is_written_whole_and_says_nothing_else(timeline, grown, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = timeline("--html", page, grown)
    assert (code, out, err) == (0, b"", "")
    assert page.read_text().startswith("<!DOCTYPE html>")
    code, out, _ = timeline("--html", "-", grown)
    assert out == page.read_bytes()


def test_a_lone_surrogate_does_not_break_the_page(timeline, tmp_path):
    path = tmp_path / "h"
    path.write_bytes(b'{"role":"user","content":"a \\ud800 b"}\n')
    code, out, _ = timeline("--html", "-", path)
    assert code == 0
    assert b"a \\u{d800} b" in out


def test_a_page_is_refused_where_it_would_replace_its_input(timeline, grown):
    before = grown.read_bytes()
    assert timeline("--html", grown, grown)[0] != 0
    assert grown.read_bytes() == before


def test_a_failed_run_leaves_an_old_page_as_it_was(timeline, tmp_path):
    page, bad = tmp_path / "page.html", tmp_path / "bad"
    page.write_text("old")
    bad.write_text('{"role":"user","content":"x"}\n{"role":\n')
    code, out, err = timeline("--html", page, bad)
    assert (code, out, page.read_text()) == (Exit.BAD_INPUT, b"", "old")
    assert f"{bad}:2" in err


def test_a_page_and_an_output_file_are_not_asked_for_together(timeline, grown):
    code, out, err = timeline("--html", "a", "-o", "b", grown)
    assert (code, out) == (Exit.USAGE, b"")
    assert "give --html or -o, not both" in err


def test_the_settings_of_a_project_do_not_say_where_a_page_goes(
    timeline, grown, project
):
    (project / ".mewcode").mkdir()
    (project / ".mewcode" / "config.toml").write_text(
        '[tokens.timeline]\nhtml = "made.html"\n'
    )
    code, out, err = timeline(grown)
    assert code == 0
    assert b'"type":"timeline"' in out
    assert "tokens.timeline.html" in err
    assert not (project / "made.html").exists()


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_nothing_has_a_timeline_of_nothing(timeline, tmp_path, content):
    path = tmp_path / "empty"
    path.write_bytes(content)
    for args in ((), ("--format", "table"), ("--html", "-")):
        code, out, _ = timeline(*args, path)
        assert code == 0
        assert out


@pytest.mark.skipif(not SHARED.is_dir(), reason="no real transcripts here")
@pytest.mark.parametrize(
    "path", sorted(SHARED.glob("*/*.json*")), ids=lambda path: f"{path.parent.name}"
)
def test_real_transcripts_have_timelines_whose_parts_agree(records, path):
    if path.parent.name == "malformed":
        pytest.skip("damaged on purpose")
    found = records("--biggest", 3, path)
    total, turns = found[0], of_type(found, "turn")
    assert total["tokens"] == turns[-1]["tokens"]
    assert total["peak"]["tokens"] == max(turn["peak"] for turn in turns)
    assert sum(turn["messages"] for turn in turns) == total["message_count"]
    assert sum(turn["requests"] for turn in turns) == total["requests"]
    assert len(of_type(found, "boundary")) == total["boundaries"]
    assert all(turn["peak"] >= turn["tokens"] for turn in turns)
