"""Whose words a text is, and what attachments say."""

from __future__ import annotations

import pytest

from mewctl.history.view import Image, Text
from mewctl.history.words import user_words


def notes(report, kind):
    return [(n.line, n.text) for n in report.notes if n.kind == kind]


# --- the user's words ---


def test_the_arguments_of_a_command_are_the_users_words(log, read):
    log.user(
        "<command-name>/goal</command-name>\n            "
        "<command-message>goal</command-message>\n            "
        "<command-args>make it green</command-args>"
    )
    log.user(
        "<command-message>tidy is running…</command-message>\n"
        "<command-name>/tidy</command-name>\n"
        "<command-args>the <b> of\n</command-args> too</command-args>"
    )
    one, two = read(log)[0]
    assert user_words(one) == "/goal make it green"
    assert user_words(two) == "/tidy the <b> of\n</command-args> too"


def test_a_command_without_arguments_is_a_prompt_or_a_switch(log, read, told):
    prompt = (
        "<command-message>tidy</command-message>\n<command-name>/tidy</command-name>"
    )
    log.user(prompt)
    log.user(
        "<command-name>/clear</command-name>\n  <command-message>clear"
        "</command-message>\n  <command-args></command-args>"
    )
    log.user("<local-command-stdout>cleared</local-command-stdout>")
    assert told(read(log)[0]) == [
        "user: /tidy",
        "injected: /clear",
        "injected: <local-command-stdout>cleared</local-command-stdout>",
    ]


@pytest.mark.parametrize(
    "words",
    [
        "<command-name>/x</command-name> is how a command looks",
        "<command-message>x</command-message>",
        "<command-args>x</command-args>",
    ],
)
def test_a_text_that_only_looks_like_a_command_is_left_as_it_is(log, read, words):
    log.user(words)
    assert read(log)[0][0].text == words


@pytest.mark.parametrize(
    "words",
    [
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
        "<task-notification>\n<task-id>1</task-id>\n</task-notification>",
        "<system-reminder>mind the todos</system-reminder>",
        "<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>",
        "<local-command-caveat>Caveat: none</local-command-caveat>",
        '<teammate-message teammate_id="b">done</teammate-message>',
        "Another Claude session sent a message:\n<cross-session-message>x",
    ],
)
def test_texts_of_agents_are_injected(log, read, words):
    log.user(words)
    message = read(log)[0][0]
    assert message.injected
    assert message.text == words


def test_a_shell_command_that_was_typed_is_the_users(log, read):
    log.user("<bash-input>make test</bash-input>")
    assert user_words(read(log)[0][0]) == "make test"


@pytest.mark.parametrize(
    "fields",
    [
        {"isMeta": True},
        {"isCompactSummary": True},
        {"origin": {"kind": "peer"}},
        {"origin": {"kind": "task-notification"}},
    ],
)
def test_records_marked_as_not_the_users_are_injected(log, read, fields):
    log.user("Go on.", **fields)
    assert read(log)[0][0].injected


@pytest.mark.parametrize("origin", [None, {"kind": "human"}, "odd", {}])
def test_records_of_the_user_are_not_injected(log, read, origin):
    log.user("Go on.", origin=origin)
    assert not read(log)[0][0].injected


def test_injected_blocks_and_words_are_parted(log, read, told):
    blocks = ["<ide_opened_file>a.py</ide_opened_file>", "Mend this.", "And that."]
    log.user([{"type": "text", "text": block} for block in blocks])
    assert told(read(log)[0]) == [
        "injected: <ide_opened_file>a.py</ide_opened_file>",
        "user: Mend this./And that.",
    ]


# --- attachments ---


@pytest.mark.parametrize(
    ("kind", "fields", "shown"),
    [
        ("edited_text_file", {"filename": "/a", "snippet": "1 x\n"}, "/a]\n1 x\n"),
        ("file", {"filename": "/a", "content": {"file": {"content": "x"}}}, "/a]\nx"),
        ("directory", {"path": "/d", "content": "a\nb"}, "/d]\na\nb"),
        ("opened_file_in_ide", {"filename": "/a"}, "/a]"),
        ("plan_mode", {}, "]"),
        ("nested_memory", {"content": {"path": "/m", "content": "be"}}, "/m]\nbe"),
        (
            "hook_additional_context",
            {"hookName": "h", "content": ["x", "y"]},
            "h]\nx\ny",
        ),
        ("hook_blocking_error", {"blockingError": {"blockingError": "no"}}, "]\nno"),
        ("hook_success", {"content": "hello"}, "]\nhello"),
        (
            "todo_reminder",
            {"content": [{"content": "a", "status": "pending"}, 7]},
            "]\n- pending: a",
        ),
        (
            "diagnostics",
            {"files": [{"uri": "/a", "diagnostics": [{"message": "bad"}]}]},
            ']\n- /a: {"message":"bad"}',
        ),
        ("a_new_kind", {"text": "mind this"}, "]\nmind this"),
        ("another", {"content": [{"type": "text", "text": "a"}]}, "]\na"),
    ],
)
def test_an_attachment_that_a_model_saw_is_injected(log, read, kind, fields, shown):
    log.attachment(kind, **fields)
    message = read(log)[0][0]
    assert message.injected
    assert message.role == "user"
    space = "" if shown.startswith("]") else " "
    assert message.text == f"[{kind}{space}{shown}"


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("skill_listing", {"content": "- a: b"}),
        ("deferred_tools_delta", {"addedLines": ["x"]}),
        ("hook_success", {"content": ""}),
        ("task_reminder", {"content": []}),
        ("todo_reminder", {"content": "odd"}),
        ("edited_text_file", {"filename": "/a"}),
        ("a_new_kind", {"n": 1}),
    ],
)
def test_other_attachments_are_left_out_and_counted(log, read, kind, fields):
    log.attachment(kind, **fields)
    messages, report = read(log)
    assert messages == []
    assert notes(report, "left-out") == [(0, f"1 attachments {kind}")]


def test_what_newer_releases_rendered_is_taken_as_it_is(log, read):
    shown = {
        "rendered": [{"content": "Mind the date."}, {"content": [{"text": "x"}]}, 7]
    }
    log.attachment("todo_reminder", record=shown, content=[])
    log.attachment("todo_reminder", record={"rendered": []}, content="odd")
    log.user("Go.")
    assert [m.text for m in read(log)[0]] == ["Mind the date.\nx", "Go."]


def test_an_attached_image_is_an_image(log, read):
    file = {"base64": "aa", "type": "image/png"}
    log.attachment("file", filename="/a.png", content={"type": "image", "file": file})
    log.attachment("file", filename="/b.png", content={"type": "image", "file": 7})
    log.attachment("file", filename="/c.png", content={"type": "image", "file": {}})
    log.user("Go.")
    message, _ = read(log)[0]
    assert message.parts == (Text("[file /a.png]"), Image("image/png", "aa"))
