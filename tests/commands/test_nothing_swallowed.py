"""What may not be lost or overwritten without a word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRANSCRIPT = Path(__file__).parents[1] / "data" / "claude-code" / "current.jsonl"
WORDS = b'{"role":"user","content":"hi"}\n'
BODY = "a line of output\n" * 8_000


def mew(place: Path, *args: str, data: bytes = b"") -> tuple[int, bytes, str]:
    env = {**os.environ, "HOME": str(place), "XDG_CONFIG_HOME": str(place / "none")}
    done = subprocess.run(
        [sys.executable, "-m", "mewctl", *args],
        cwd=place,
        env=env,
        input=data,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    (place / ".mewcode").mkdir(parents=True)
    return place


@pytest.mark.parametrize("key", ["output", "dir", "root", "session"])
def test_a_projects_settings_cannot_name_where_data_goes(project, key):
    victim = project.parent / "victim"
    victim.mkdir()
    (victim / "file").write_text("mine")
    value = victim / "file" if key == "output" else victim
    (project / ".mewcode" / "config.toml").write_text(f'[spill]\n{key} = "{value}"\n')
    record = {"role": "tool", "tool_results": [{"tool_call_id": "c", "content": BODY}]}

    code, out, err = mew(project, "spill", data=json.dumps(record).encode() + b"\n")

    assert (code, out.startswith(b'{"role"')) == (0, True)
    assert [path.name for path in victim.iterdir()] == ["file"]
    assert (victim / "file").read_text() == "mine"
    assert f"spill.{key}" in err


@pytest.mark.parametrize("command", ["convert", "repair", "spill", "compact", "tokens"])
def test_messages_are_no_transcript(project, command):
    code, out, err = mew(project, command, "--from", "claude-code", data=WORDS)

    assert (code, out) == (3, b"")
    assert "stdin:1" in err


@pytest.mark.parametrize("command", ["convert", "repair", "compact", "tokens"])
def test_messages_behind_a_transcript_are_a_second_kind(project, command):
    data = TRANSCRIPT.read_bytes()
    line = data.count(b"\n") + 1

    code, out, err = mew(project, command, data=data + WORDS)

    assert (code, out) == (3, b"")
    assert f"stdin:{line}" in err


@pytest.mark.parametrize("to", ["anthropic", "openai", "responses"])
def test_a_record_too_deep_to_be_written_anew_is_bad_input(project, to):
    deep = b'{"role":"user","content":"x","k":' + b"[" * 300 + b"]" * 300 + b"}\n"

    code, _, err = mew(project, "convert", "--to", to, data=deep)

    assert code == 3
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("to", ["anthropic", "mew"])
def test_a_record_too_deep_can_be_skipped_where_it_matters(project, to):
    deep = b'{"role":"user","content":"x","k":' + b"[" * 300 + b"]" * 300 + b"}\n"

    code, out, err = mew(
        project, "convert", "--to", to, "--on-bad", "skip", data=WORDS + deep
    )

    assert code == 0
    assert out == (WORDS if to == "anthropic" else WORDS + deep)
    assert ("skipped stdin:2" in err) == (to == "anthropic")


@pytest.mark.parametrize(
    "message",
    [
        b'{"ts":1,"timestamp":"now","role":"user","content":"hi"}\n',
        b'{"content":[{"type":"text","text":"timestamp"}],"role":"assistant"}\n',
        b'{"type":"function_call_output","call_id":"c","output":"timestamp"}\n',
    ],
)
def test_a_message_is_known_whatever_it_says(project, message):
    data = TRANSCRIPT.read_bytes()

    assert mew(project, "convert", data=data + message)[:2] == (3, b"")


@pytest.mark.parametrize("share", ["--threshold-share", "--target-share"])
def test_no_share_is_not_a_number(project, share):
    assert mew(project, "compact", share, "nan", data=WORDS)[0] == 2


def spilled(project: Path) -> tuple[bytes, Path]:
    record = {"role": "tool", "tool_results": [{"tool_call_id": "c", "content": BODY}]}
    data = json.dumps(record).encode() + b"\n"
    assert mew(project, "spill", "-d", "s", data=data)[0] == 0
    return data, project / "s" / "c"


def empty(body: Path) -> None:
    body.write_bytes(b"")


def altered(body: Path) -> None:
    body.write_bytes(b"X" + body.read_bytes()[1:])


def linked(body: Path) -> None:
    body.unlink()
    body.symlink_to("/etc/hostname")


@pytest.mark.parametrize("harm", [empty, altered, linked, Path.unlink])
def test_a_harmed_body_is_made_whole_by_the_history_that_has_it(project, harm):
    data, body = spilled(project)
    harm(body)

    code, out, _ = mew(project, "spill", "-d", "s", data=data)

    assert (code, len(out) < len(data)) == (0, True)
    assert mew(project, "recall", "-d", "s", "c")[1] == BODY.encode()


def test_a_body_that_cannot_be_made_whole_stays_in_the_history(project):
    data, body = spilled(project)
    body.unlink()
    body.mkdir()

    code, out, err = mew(project, "spill", "-d", "s", data=data)

    assert (code, out) == (0, data)
    assert "stays in the history" in err
    assert mew(project, "spill", "-d", "s", "--strict", data=data)[0] == 5
