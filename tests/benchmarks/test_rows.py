"""Each row can be measured. What it measures is never judged here."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import measure
import pytest
import run
import tokens_error
import tokens_peers
import tokens_speed
from rows import Row


@pytest.mark.parametrize("name", run.ROWS)
def test_each_row_is_measured_on_a_little_data(name, bench, monkeypatch):
    monkeypatch.setattr("rows_spill.STREAMED", bench.size * 2)
    monkeypatch.setattr(tokens_speed, "MADE", 50_000)
    monkeypatch.setattr(tokens_error, "default_paths", lambda: bench.transcripts)
    rows = run.ROWS[name](bench)
    assert rows
    for row in rows:
        assert row.what
        assert row.measured == "skipped" or row.measured[0].isdigit()
        assert row.note or row.commands
        assert "/" not in " ".join(row.commands).replace("benchmarks/", "")


def test_all_that_is_made_can_be_recalled_from_the_example(bench):
    rows = run.ROWS["facts"](bench)
    assert all(row.met for row in rows), rows


def test_a_command_that_fails_is_a_line_in_the_table(bench, monkeypatch):
    def fail(_):
        return measure.pipe([measure.PYTHON, "-c", "raise SystemExit(3)"])()

    monkeypatch.setitem(run.ROWS, "startup", fail)
    (row,) = run.measured("startup", bench)
    assert row.verdict == "missed"
    assert "exit codes [3]" in row.note


def test_contenders_run_in_turns_and_medians_are_compared():
    seen = []
    spent = {"one": iter([1.0, 9.0, 3.0]), "other": iter([2.0, 1.0, 30.0])}

    def contender(name):
        def step():
            seen.append(name)
            return next(spent[name])

        return step

    timing = measure.side_by_side({n: contender(n) for n in spent}, 3)
    assert seen == ["one", "other"] * 3
    assert timing.ratio("one", "other") == 1.5
    assert timing.rounds == 3


def test_a_pipeline_ends_when_its_reader_leaves():
    with pytest.raises(measure.Failed, match=r"exit codes \[-13, 0\]"):  # SIGPIPE
        measure.pipe(["yes"], ["head", "-c", "1"])()


def test_peak_memory_is_that_of_the_command_alone():
    held = bytearray(300_000_000)
    assert measure.peak([measure.PYTHON, "-c", "pass"]) < 60
    assert measure.peak([measure.PYTHON, "-c", "bytearray(80_000_000)"]) > 80
    del held


def test_the_table_and_the_page_say_what_was_measured():
    rows = [
        Row("a", "2×", "≤ 3×", met=True, note="why", commands=("mewctl a",)),
        Row("b", "4×", "≤ 3×", met=False, commands=("mewctl a", "mewctl b")),
        Row("c", "5×"),
    ]
    page = run.document(10**6, 5, rows)
    assert "| a | 2× | ≤ 3× | met | why |" in page
    assert "| b | 4× | ≤ 3× | missed |  |" in page
    assert "| c | 5× |  |  |  |" in page
    assert page.count("mewctl a\n") == 1
    assert "1 MB" in page


@pytest.mark.parametrize(("text", "size"), [("200m", 2e8), ("1g", 1e9), ("5", 5)])
def test_sizes_may_have_a_letter(text, size):
    assert run.size(text) == size


def test_a_script_in_place_of_an_interpreter_is_refused(tmp_path):
    shim = tmp_path / "python"
    shim.write_text("#!/bin/sh\n")
    with pytest.raises(SystemExit, match="shim"):
        run.refuse_shim(str(shim))


def test_every_subject_adds_its_rows_under_names_of_their_own():
    names = [name for subject in run.SUBJECTS for name in subject.ROWS]
    assert names == list(run.ROWS)
    files = {path.stem for path in Path(run.__file__).parent.glob("rows_*.py")}
    assert {subject.__name__ for subject in run.SUBJECTS} == files


def test_the_head_names_the_machine_by_its_parts_alone():
    head = run.head(10**6, 5)
    assert re.match(r"\d{4}-\d\d-\d\d: .+, \d+ cores", head)
    assert "Python 3." in head
    assert socket.gethostname() not in head
    for name in run.PEERS:
        assert re.search(rf"\bno {name}\b|\b{name} \d", head)


def test_a_peer_that_is_not_there_is_skipped_with_what_would_bring_it(
    bench, monkeypatch
):
    monkeypatch.setattr(tokens_speed, "MADE", 5_000)
    monkeypatch.setattr(tokens_peers, "MODULES", bench.data)
    rows = {row.what: row for row in run.ROWS["tokens-speed"](bench)}
    row = rows["token estimate, times as fast as tokenx"]
    assert (row.measured, row.met) == ("skipped", None)
    assert "npm install" in row.note


def test_another_estimator_counts_the_same_texts():
    texts = ["a few words of text", "日本語", 'broken "quotes" and \ud800']
    peer = tokens_peers.tokenx(texts, 3)
    if peer is None:
        pytest.skip("node or tokenx is not installed")
    assert len(peer.counts) == len(texts)
    assert 3 <= peer.counts[0] <= 8
    assert peer.seconds >= 0
