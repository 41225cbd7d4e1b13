"""Every transcript, made-up and real, goes through the commands.

It is converted, checked, spilled, and compacted in a chain of ten spans.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from compacting import FORMATS, read, views
from validity import errors

from mewctl import cli, transcripts
from mewctl.errors import Exit
from mewctl.history.words import user_words

MADE_UP = Path(__file__).parents[1] / "data"
REAL = Path(__file__).parents[2].parent / "shared" / "data" / "transcripts"
SPANS = 10

files = [
    path
    for agent in transcripts.NAMES
    for path in sorted((MADE_UP / agent).iterdir())
    if path.suffix != ".told"
] + sorted(path for path in REAL.glob("*/*") if path.parent.name != "malformed")
each_file = pytest.mark.parametrize(
    "path", files, ids=lambda p: f"{p.parent.name}-{p.name}"
)

pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.fixture
def mewctl(capfdbinary):
    """Run mewctl: exit code, output, words on stderr."""

    def run(*args):
        code = cli.run([*map(str, args)])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return code, seen.out, seen.err.decode()

    return run


def kind(path):
    """How the input is named: a torn object cannot be known."""
    return path.parent.name if path.stem.startswith("torn") else "auto"


def test_every_kind_of_transcript_has_made_up_files():
    assert {path.parent.name for path in files} >= set(transcripts.NAMES)


@each_file
def test_it_is_converted_to_a_valid_history_of_each_format(mewctl, path, tmp_path):
    made = tmp_path / "made.jsonl"
    for form in FORMATS:
        code, out, said = mewctl("convert", "--from", kind(path), "--to", form, path)
        assert code == 0, said
        assert out
        assert errors(form, [json.loads(line) for line in out.splitlines()]) == []
        made.write_bytes(out)
        code, out, said = mewctl("repair", "--check", "--from", form, made)
        assert (code, out) == (0, b""), said


@each_file
def test_a_filter_gives_it_back_as_mew(mewctl, path):
    code, out, said = mewctl("repair", "--from", kind(path), path)
    assert code == 0, said
    assert errors("mew", [json.loads(line) for line in out.splitlines()]) == []


@each_file
def test_what_is_spilled_of_it_is_valid_and_spilled_once(mewctl, path, tmp_path):
    args = ("spill", "-q", "--single-limit", "2k", "--aggregate-limit", "9k")
    code, once, said = mewctl(*args, "--from", kind(path), path)
    assert code == 0, said
    spilled = tmp_path / "spilled.jsonl"
    spilled.write_bytes(once)
    assert mewctl(*args, "--from", "mew", spilled)[:2] == (0, once)


@each_file
def test_ten_spans_keep_every_word_of_the_user(mewctl, path, tmp_path):
    args = ("convert", "--full", "--from", kind(path), "--to", "mew", path)
    code, out, said = mewctl(*args)
    assert code == 0, said
    lines = out.splitlines(keepends=True)
    step = -(-len(lines) // SPANS)
    history, state, cuts = b"", tmp_path / "state", 0
    spans = tmp_path / "history.jsonl"
    for start in range(0, len(lines), step):
        spans.write_bytes(history + b"".join(lines[start : start + step]))
        code, out, said = mewctl(
            *("compact", "-q", "--trigger", "manual", "--window", "100k", "-d", state),
            *("--tail-tokens", "2k", "--from", "mew", spans),
        )
        assert code in (Exit.DONE, Exit.CANNOT_FIT), said
        history = spans.read_bytes()
        if code == Exit.DONE and out != history:
            history = out
            cuts += 1
            assert errors("mew", [json.loads(line) for line in out.splitlines()]) == []
    assert cuts or len(lines) < 2 * SPANS
    assert_told(words(b"".join(lines)), history, state)


def words(data):
    return [said for view in views(read(data), "mew") if (said := user_words(view))]


def assert_told(said, history, state):
    """All words stand in the history, or in what left it."""
    texts = [view.text for view in views(read(history), "mew")]
    kept = [path.read_text() for path in state.rglob("*") if path.is_file()]
    told = "\n".join([*texts, *kept])
    for one in said:
        assert one in told or json.dumps(one, ensure_ascii=False)[1:-1] in told
