"""What a history brings along: an earlier summary, and where its calls run."""

from __future__ import annotations

from mewctl.history.collect import Collector
from mewctl.history.facts import CWD, Facts
from mewctl.history.view import Call, Message, Part, Result, Text
from mewctl.history.words import earlier_summary

CONTINUED = (
    "This session is being continued from a previous conversation that ran out of"
    " context. The summary below covers the earlier portion.\n\n"
    "Analysis:\nI think.\n\nSummary:\n1. Primary Request: fix it\n2. Files: a.py\n"
)


def user(text: str, *, injected: bool = False) -> Message:
    return Message("user", (Text(text),), injected=injected)


def edit(path: str, cwd: str | None = None) -> list[Message]:
    call = Call("c1", "Bash", {"command": f"echo x > {path}"})
    result: tuple[Part, ...] = (Result("c1", (Text("ok"),)),)
    return [Message("assistant", (call,), cwd=cwd), Message("tool", result)]


def facts_of(*messages: Message, earlier: Facts | None = None) -> Facts:
    collector = Collector(earlier)
    for message in messages:
        collector.add(message)
    return collector.facts()


def test_the_summary_that_an_agent_put_first_is_kept_without_its_analysis() -> None:
    facts = facts_of(user(CONTINUED, injected=True), user("go on"))

    assert facts.earlier == "1. Primary Request: fix it\n2. Files: a.py"
    assert [words.text for words in facts.users] == ["go on"]


def test_the_first_earlier_summary_stays_over_later_compactions() -> None:
    first = facts_of(user(CONTINUED))

    assert facts_of(user(CONTINUED + "other"), earlier=first).earlier == first.earlier


def test_an_earlier_summary_is_only_what_begins_so() -> None:
    assert earlier_summary(user("Summary:\nnot one")) == ""
    assert earlier_summary(user(f"He said: {CONTINUED}")) == ""
    assert earlier_summary(Message("assistant", (Text(CONTINUED),))) == ""


def test_a_summary_in_tags_is_told_without_them() -> None:
    text = (
        "The conversation history before this point was compacted into the following"
        " summary:\n\n<summary>\n## Goal\nship it\n</summary>"
    )

    assert earlier_summary(user(text)) == "## Goal\nship it"


def test_an_earlier_summary_without_a_heading_is_kept_whole() -> None:
    text = "Another language model started to solve this problem and made: x"

    assert earlier_summary(user(text)) == text


def test_a_relative_path_is_placed_where_the_calls_run() -> None:
    facts = facts_of(*edit("src/a.py", "/home/me/app"), *edit("src/a.py"))

    assert [(file.path, file.writes) for file in facts.files] == [
        ("/home/me/app/src/a.py", 2)
    ]
    assert facts.extra[CWD] == "/home/me/app"


def test_where_calls_run_is_known_after_a_compaction() -> None:
    before = facts_of(*edit("src/a.py", "/home/me/app"))

    after = facts_of(*edit("b.py"), earlier=before)

    assert "/home/me/app/b.py" in [file.path for file in after.files]
