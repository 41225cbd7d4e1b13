from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.boundary import NOTICE
from mewctl.history.view import Image, Message, Result, Text
from mewctl.history.words import injected_parts, own_words, user_words


def user(*texts: str, injected: bool = False) -> Message:
    return Message("user", tuple(map(Text, texts)), injected=injected)


@given(st.text(alphabet="abz <>/`#[]\n\t漢é🎉", max_size=200))
def test_words_come_back_verbatim(text: str) -> None:
    assert own_words(text) == (text if text.strip() else "")


@pytest.mark.parametrize(
    "text",
    [
        "what does <system-reminder>x</system-reminder> mean inside a line?",
        "```\n<system-reminder>\npasted\n</system-reminder>\n```\nwhy?",
        "<system-reminder> is never closed",
        "<div>\nmine\n</div>",
        "  leading and trailing blanks stay \n",
        "[Request for comments] please read",
    ],
)
def test_what_only_looks_injected_stays(text: str) -> None:
    assert own_words(text) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("do it\n<system-reminder>\nnote\n</system-reminder>", "do it"),
        ("<system-reminder>a</system-reminder>\ndo it\n", "do it"),
        ("a\n<ide_selection>x</ide_selection>\nb", "a\nb"),
        (
            (
                "<command-message>x is running…</command-message>\n"
                "            <command-name>/x</command-name>\n"
                "            <command-args>keep it small</command-args>"
            ),
            "keep it small",
        ),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", ""),
        ("<local-command-stdout>Compacted</local-command-stdout>", ""),
        ("<bash-input>git status</bash-input>", "git status"),
        (
            "<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>",
            "",
        ),
        ("<task-notification>\n<task-id>b1</task-id>\n</task-notification>", ""),
        ("<environment_context>\n<cwd>/x</cwd>\n</environment_context>", ""),
        ("<permissions instructions>\nx\n</permissions instructions>\n", ""),
        ("# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>y</INSTRUCTIONS>", ""),
        (
            (
                "# Context from my IDE setup:\n\n## Open tabs:\n- a.md\n\n"
                "## My request for Codex:\nfix it\n  now \n\n"
            ),
            "fix it\n  now ",
        ),
        (
            "# Context from my IDE setup: tell me",
            "# Context from my IDE setup: tell me",
        ),
        ("[Request interrupted by user for tool use]", ""),
        ("System: Please continue.", ""),
        ("<returncode>0</returncode>\n<output>\n</output>", ""),
        ("[content offloaded] original size: 9 bytes\n[saved to] /x", ""),
        (f"{NOTICE} the session was paused for two days", ""),
        (
            (
                "```\n<system-reminder>kept</system-reminder>\n```\n"
                "<system-reminder>gone</system-reminder>"
            ),
            "```\n<system-reminder>kept</system-reminder>\n```",
        ),
    ],
)
def test_injected_text_is_taken_out(text: str, words: str) -> None:
    assert own_words(text) == words


def test_only_user_messages_have_words() -> None:
    assert user_words(user("hello", "again")) == "hello\nagain"
    assert user_words(user("hello", "<system-reminder>x</system-reminder>")) == "hello"
    assert user_words(user("hello", injected=True)) == ""
    assert user_words(Message("assistant", (Text("hello"),))) == ""
    assert user_words(Message("user", (Image(data="x"),))) == ""
    assert user_words(Message("user", (Text("a"),), marker=True)) == ""
    assert user_words(Message("user", (Result("c", ()), Text("words")))) == "words"


def test_a_summary_is_nobodys_words() -> None:
    assert user_words(user("## 历史会话摘要\n\nx")) == ""
    tag = "[mewctl boundary 0123456789ab tail=1]"
    assert user_words(user(f"## 历史会话摘要\nx\n{tag}")) == ""


def test_words_beside_a_summary_are_the_users() -> None:
    tag = "[mewctl boundary 0123456789ab tail=1]"
    assert user_words(user(f"look:\n{tag}")) == f"look:\n{tag}"
    summary = f"## 历史会话摘要\nx\n{tag}"
    assert user_words(user(f"{summary}\n\nGo on!")) == "Go on!"
    assert user_words(user(f"Go on:\n\n{summary}")) == "Go on:"
    quoted = f"What is this?\n{summary}\nI see it often."
    assert user_words(user(quoted)) == quoted
    reminder = "<system-reminder>\nr\n</system-reminder>"
    assert user_words(user(f"{reminder}\n{summary}")) == ""
    parts = (Text(summary), Text("Go on!"))
    assert user_words(Message("user", parts)) == "Go on!"


def test_what_agents_told_is_named() -> None:
    text = "<environment_context>e</environment_context>\nhi\n<skill>s</skill>"
    assert injected_parts(text) == [("environment_context", "e"), ("skill", "s")]
    assert injected_parts("<command-args>mine</command-args>") == []


@pytest.mark.parametrize(
    "text",
    [
        "<skill>\n" * 40_000,
        "```\n<skill>\n" * 20_000,
        "<skill>a</skill>\n" * 30_000,
    ],
)
def test_many_tags_cost_no_more_than_their_length(text: str) -> None:
    start = time.process_time()
    own_words(text)
    assert time.process_time() - start < 5
