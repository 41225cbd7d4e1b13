"""Codex: compactions, rollbacks and forks, live and in full."""

from __future__ import annotations

import orjson
import pytest

BEGINS = "Another language model started to solve this problem"


def user(text):
    return {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": text}],
    }


def model(text):
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
    }


def item(payload):
    return {"timestamp": "2026-03-01T09:00:00Z", "type": "response_item"} | {
        "payload": payload
    }


def compacted(message="", items=None):
    payload = {"message": message}
    if items is not None:
        payload["replacement_history"] = items
    return {
        "timestamp": "2026-03-01T10:00:00Z",
        "type": "compacted",
        "payload": payload,
    }


def rolled_back(turns):
    payload = {"type": "thread_rolled_back", "num_turns": turns}
    return {
        "timestamp": "2026-03-01T10:00:00Z",
        "type": "event_msg",
        "payload": payload,
    }


ENV = "<environment_context>x</environment_context>"
TALK = [item(user(ENV)), item(user("One.")), item(model("First."))]


@pytest.fixture
def say(read_as, told):
    return lambda lines, **options: told(read_as("codex", lines, **options)[0])


def test_a_replaced_history_is_all_that_is_told(say, read_as, noted):
    lines = [
        *TALK,
        compacted("ignored", [user("One."), user(f"{BEGINS}: x")]),
        item(user("Two.")),
    ]
    assert say(lines) == ["user: One.", f"injected: {BEGINS}: x", "user: Two."]
    _, report = read_as("codex", lines)
    assert noted(report, "boundary") == [
        (4, "the history begins after a compaction (3 items before)")
    ]


def test_in_full_only_what_is_new_of_a_replaced_history_is_told(say):
    lines = [
        *TALK,
        compacted("", [user("One."), user("cut to"), model("new"), user(ENV)]),
        compacted("", [user(ENV), user(f"{BEGINS}: x")]),
        item(user("Two.")),
    ]
    assert say(lines, full=True) == [
        f"injected: {ENV}",
        "user: One.",
        "assistant: First.",
        f"injected: {BEGINS}: x",
        "user: Two.",
    ]


def test_without_a_replacement_the_users_words_stay_before_the_summary(say):
    lines = [*TALK, compacted("The first is done."), item(user("Two."))]
    assert say(lines) == [
        "user: One.",
        "injected: The first is done.",
        "user: Two.",
    ]
    assert say(lines, full=True) == [
        f"injected: {ENV}",
        "user: One.",
        "assistant: First.",
        "injected: The first is done.",
        "user: Two.",
    ]


def test_an_empty_compaction_leaves_the_users_words(say):
    assert say([*TALK, compacted(" ")]) == ["user: One."]
    assert say([*TALK, compacted("", [])]) == []
    assert say([*TALK, compacted("", "odd")]) == ["user: One."]


def test_what_a_compaction_kept_keeps_its_time_and_model(read_as):
    turn = {"timestamp": "t", "type": "turn_context", "payload": {"model": "gpt-1"}}
    lines = [
        turn,
        *TALK,
        compacted("", [model("First."), user("One."), model("made"), "odd", {}]),
    ]
    messages, _ = read_as("codex", lines)
    assert [(m.text, m.time, m.model) for m in messages] == [
        ("First.", 1772355600.0, "gpt-1"),
        ("One.", 1772355600.0, None),
        ("made", None, None),
    ]


def test_an_encrypted_summary_is_kept_and_noted(read_as, noted):
    sealed = {"type": "compaction", "encrypted_content": "seal"}
    lines = [*TALK, compacted("", [user("One."), sealed]), item(model("Second."))]
    messages, report = read_as("codex", lines)
    assert messages[1].parts[0].raw == sealed
    assert [m.text for m in messages] == ["One.", "", "Second."]
    ((line, text),) = noted(report, "sealed")
    assert line == 4
    assert "encrypted" in text
    _, report = read_as("codex", lines, full=True)
    assert noted(report, "sealed") == []


def test_an_item_of_a_replacement_that_nests_too_deep_is_skipped(read_as, noted):
    deep = {"type": "web_search_call", "action": 0}
    lines = [orjson.dumps(v) for v in (*TALK, compacted("", [user("One."), deep]))]
    nest = b"[" * 1000 + b"]" * 1000
    lines[-1] = lines[-1].replace(b'"action":0', b'"action":' + nest)
    messages, report = read_as("codex", lines)
    assert [m.text for m in messages] == ["One."]
    assert noted(report, "skipped") == [(4, "nested too deep")]


# --- rollbacks ---


LONGER = [
    *TALK,
    item({"type": "message", "role": "developer", "content": "<model_switch>x"}),
    item(user(ENV)),
    item(user("Two.")),
    item(model("Second.")),
    item(user("Three.")),
]


@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (0, ["One.", "Two.", "Three."]),
        (1, ["One.", "Two."]),
        (2, ["One."]),
        (3, []),
        (99, []),
        (-1, ["One.", "Two.", "Three."]),
        ("1", ["One.", "Two.", "Three."]),
        (None, ["One.", "Two.", "Three."]),
    ],
)
@pytest.mark.parametrize("full", [False, True])
def test_a_rollback_takes_the_last_turns_of_the_user(read_as, turns, left, full):
    messages, _ = read_as("codex", [*LONGER, rolled_back(turns)], full=full)
    assert [m.text for m in messages if m.role == "user" and not m.injected] == left


def test_a_rollback_takes_what_stood_before_the_turn_for_codex(say):
    assert say([*LONGER, rolled_back(2), item(user("Else."))]) == [
        f"injected: {ENV}",
        "user: One.",
        "assistant: First.",
        "user: Else.",
    ]


def test_a_rollback_of_no_turn_takes_nothing(say, read_as, noted):
    assert say([item(user(ENV)), rolled_back(3)]) == [f"injected: {ENV}"]
    begun = [item(model("First.")), item(user(ENV)), rolled_back(3)]
    assert say(begun) == ["assistant: First.", f"injected: {ENV}"]
    _, report = read_as("codex", [*LONGER, rolled_back(2)])
    left = noted(report, "left-out")
    assert (0, "5 items of turns that were taken back") in left


# --- forks ---


def test_a_fork_begins_with_what_it_forks_and_is_its_own(say, read_as):
    def meta(name, **fields):
        payload = {"id": name, "cwd": f"/{name}", **fields}
        return {"timestamp": "t", "type": "session_meta", "payload": payload}

    lines = [meta("fork", forked_from_id="parent"), meta("parent"), *TALK]
    lines.append(item(user("Mine.")))
    assert say(lines)[-1] == "user: Mine."
    messages, report = read_as("codex", lines)
    assert report.origin == "fork"
    assert [m.cwd for m in messages if m.role == "assistant"] == ["/fork"]
