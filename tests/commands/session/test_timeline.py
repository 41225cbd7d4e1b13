"""``tokens timeline -s``: a session as it was sent, spills and markers included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mewctl.errors import Exit

EXAMPLE = Path(__file__).parents[3] / "examples" / "fix-flaky-upload.jsonl"
BODY = "a line of the log\n" * 6_000
CALL = {"id": "c1", "name": "bash", "input": {"command": "make"}}
SPILLED = (
    {"role": "user", "content": "Why do the tests fail?"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_results": [{"tool_call_id": "c1", "content": BODY}]},
)
ANSWER = {"role": "assistant", "content": "I see.", "usage": {"input": 9_000}}


@pytest.fixture
def told(run):
    """The records of a timeline: ``told("-s", S)``."""

    def call(*args, data=b""):
        done = run("tokens", "timeline", *args, data=data)
        assert done.code == 0, done.err
        return [json.loads(line) for line in done.out.splitlines()]

    return call


@pytest.fixture
def spilled(new, session):
    """A session one of whose results was spilled when it was resumed."""
    name = new(*SPILLED)
    session("resume", name, "-q")
    return name


def of_type(found, kind):
    return [record for record in found if record["type"] == kind]


def test_a_body_that_the_ledger_knows_is_a_spill(told, spilled, log):
    assert (
        BODY[:50]
        in json.loads(log(spilled).read_text().splitlines()[2])["tool_results"][0][
            "content"
        ]
    )
    (spill,) = of_type(told("-s", spilled), "spill")
    assert (spill["tool"], spill["id"]) == ("bash", "c1")
    assert spill["bytes"] == len(BODY)
    assert spill["freed"] > 10_000


def test_its_size_is_that_of_the_preview(told, spilled, log):
    as_sent, as_stored = told("-s", spilled), told(log(spilled))
    assert as_sent[0]["tokens"] < 2_000
    assert as_stored[0]["tokens"] > 15_000


def test_another_body_of_the_same_call_is_none(told, spilled, log):
    text = log(spilled).read_text().replace("a line of the log", "A line of the log")
    log(spilled).write_text(text)
    assert of_type(told("-s", spilled), "spill") == []


def test_compactions_of_a_session_are_told_with_their_markers(told, session):
    session("import", EXAMPLE)
    session("compact", "latest", "--window", "24000", "-q")
    found = told("-s", "latest")
    (cut,) = of_type(found, "boundary")
    assert cut["kind"] == "marker"
    assert cut["id"]
    assert cut["before"]["tokens"] > cut["after"]["tokens"]
    assert found[0]["tokens"] == cut["after"]["tokens"]


def test_a_damaged_line_is_told_and_the_rest_is_shown(run, told, spilled, log):
    lines = log(spilled).read_bytes().splitlines(keepends=True)
    log(spilled).write_bytes(
        lines[0] + b'{"role":"user","conte\n' + b"".join(lines[1:])
    )
    assert of_type(told("-s", spilled), "turn")
    done = run("tokens", "timeline", "-s", spilled)
    assert f"{log(spilled)}:2: skipped" in done.err
    strict = run("tokens", "timeline", "--strict", "-s", spilled)
    assert (strict.code, strict.out) == (Exit.BAD_INPUT, b"")
    assert "mewctl session repair" in strict.err


def test_a_ledger_that_cannot_be_used_is_told_and_bodies_are_shown(run, spilled, log):
    ledger = log(spilled).parent / "tool-results" / "ledger.jsonl"
    ledger.write_text('{"type":"ledger","version":99}\n')
    done = run("tokens", "timeline", "-s", spilled)
    assert done.code == 0
    assert "spills are not shown" in done.err
    assert b'"type":"spill"' not in done.out


def test_a_variable_does_not_take_the_place_of_what_is_piped_in(
    told, spilled, monkeypatch, log
):
    monkeypatch.setenv("MEWCTL_SESSION", spilled)
    line = json.dumps({"role": "user", "content": "piped"}).encode()
    assert of_type(told(data=line), "turn")[0]["head"] == "piped"
    assert of_type(told(log(spilled)), "spill") == []


def test_a_file_and_a_session_are_not_asked_for_together(run, spilled, log):
    done = run("tokens", "timeline", "-s", spilled, log(spilled))
    assert (done.code, done.out) == (Exit.USAGE, b"")
    assert "give FILE or --session, not both" in done.err


def test_a_session_that_is_not_there_is_not_found(run):
    assert run("tokens", "timeline", "-s", "nowhere").code == Exit.NOT_FOUND


def test_an_answer_after_a_spill_is_measured(told, new, session):
    name = new(*SPILLED)
    session("resume", name, "-q")
    session("append", name, "-q", data=[ANSWER])
    total = told("-s", name)[0]
    assert (total["tokens"], total["method"]) == (9_000, "usage")
