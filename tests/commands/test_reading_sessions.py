"""Sessions of agents as commands read them: one object or many records, found alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mewctl.commands.reading import Reading, Wish
from mewctl.errors import BadInput

DATA = Path(__file__).parents[1] / "data"
SESSIONS = [
    ("codex", "codex/current.jsonl", 21),
    ("codex", "codex/bare.jsonl", 9),
    ("gemini-cli", "gemini-cli/records.jsonl", 12),
    ("gemini-cli", "gemini-cli/object.json", 4),
    ("pi", "pi/tree.jsonl", 12),
]


def read(path, **wish):
    reading = Reading([str(path)], Wish(**wish))
    return reading, [message for _, message in reading]


@pytest.mark.parametrize(("agent", "name", "count"), SESSIONS)
@pytest.mark.parametrize("named", [True, False])
def test_a_session_is_found_and_read(agent, name, count, named):
    reading, messages = read(DATA / name, from_=agent if named else "auto")
    assert (reading.source, reading.format) == (agent, "mew")
    assert reading.is_transcript
    assert reading.report.origin
    assert len(messages) == count


@pytest.mark.parametrize("indent", [None, 1])
def test_a_session_object_is_one_record_however_it_is_written(tmp_path, indent):
    value = json.loads((DATA / "gemini-cli" / "object.json").read_bytes())
    path = tmp_path / "full.jsonl"
    path.write_text(json.dumps(value, indent=indent), encoding="utf-8")
    reading, messages = read(path)
    assert reading.source == "gemini-cli"
    assert messages == read(DATA / "gemini-cli" / "object.json")[1]


def test_a_torn_session_object_is_read_when_it_is_named():
    reading, messages = read(DATA / "gemini-cli" / "torn.json", from_="gemini-cli")
    assert len(messages) == 3
    assert "recovered" in {note.kind for note in reading.report.notes}


def test_an_object_with_messages_is_still_a_document(tmp_path):
    path = tmp_path / "chat.json"
    chat = {"model": "m", "messages": [{"role": "user", "content": "Go."}]}
    path.write_text(json.dumps(chat, indent=1))
    reading, messages = read(path)
    assert not reading.is_transcript
    assert [message.text for message in messages] == ["Go."]


def test_what_is_encrypted_is_said(capsys):
    read(DATA / "codex" / "sealed.jsonl")
    assert "encrypted" in capsys.readouterr().err


def test_damage_fails_where_it_is_asked_for():
    with pytest.raises(BadInput, match="recovered"):
        read(DATA / "pi" / "damaged.jsonl", strict=True)
