from __future__ import annotations

import re
from dataclasses import replace

import hostile_facts as hostile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewctl.compact.quote import neutralise
from mewctl.history.facts import (
    CommandFact,
    Facts,
    Failure,
    FileFact,
    Said,
    Todo,
    UserWords,
)
from mewctl.providers.offline import Offline
from mewctl.providers.protocol import Limits, Provider, SummaryRequest

CAUSE = "The root cause was that `load` in login.py dropped the token."
FIX = "Fixed login.py so that it keeps the token between two requests."
FACTS = Facts(
    users=(
        UserWords(1, "Fix the login,\nplease.", 0.0),
        UserWords(5, "What about the tests?", 60.0),
        UserWords(9, "Yes, do it.", 120.0),
    ),
    files=(
        FileFact("/p/login.py", writes=1, why="A typo in the call.", last=3),
        FileFact("/p/notes.md", reads=1, last=2),
    ),
    commands=(
        CommandFact("pytest -q", 2, "passed", 0, 4),
        CommandFact("git add -A && git commit -m 'Keep the token'", 1, "passed", 0, 8),
        CommandFact("git commit -m 'Refused by the hook'", 1, "failed", 1, 7),
    ),
    failures=(
        Failure("pytest -q", "Bash", 3, 1, later="passed"),
        Failure("npm run build", "Bash", 6, 2),
        Failure("cat /nowhere", "Bash", 6, 1),
    ),
    todos=(Todo("login", "done"), Todo("docs", "open")),
    said=(
        Said(4, f"{CAUSE} {FIX}"),
        Said(8, "The build fails because `node` 22 is missing here. Shall I add it?"),
        Said(10, "Added `node` 22 to the image, and the build of the page passes now."),
    ),
    last_text="The build is green.",
    messages=10,
)


def size(text):
    return len(text) / 4


def written(facts=FACTS, lang="en", room=2000, **more):
    request = SummaryRequest(facts, lang, Limits(room, 4000), size, **more)
    return Offline().write(request)


def test_the_prose_of_a_small_record():
    assert written().sections == {
        1: "It began with: “Fix the login, please.” (message 1)\n"
        "The newest request in this record: “Yes, do it.” (message 9)\n"
        "  said after the assistant's: “Shall I add it?” (message 8)",
        2: "Languages: Python (1), Markdown (1)\n"
        "Programs run: pytest (2), git commit (2), git add (1)\n"
        "Names that come up often: node (2)",
        3: "The assistant on changed files (1):\n"
        f"- “{CAUSE}” (message 4)\n- “{FIX}” (message 4)",
        4: "1 of 3 failures passed in a later run.\n"
        "Not seen to pass since: `npm run build`",
        5: "Committed, by the messages:\n- “Keep the token” (message 8)\n"
        "The assistant on problems and what was done:\n"
        "- “The build fails because `node` 22 is missing here.” (message 8)",
        6: "3 messages of the user, 1970-01-01T00:00:00Z to 1970-01-01T00:02:00Z.",
        7: "1 of 2 todos are done; in work or open: 1",
        8: "Since the user's “Yes, do it.” (message 9) the assistant said:\n"
        "- “Added `node` 22 to the image, and the build of the page passes now.” "
        "(message 10)",
    }


def test_in_chinese_the_words_around_the_extracts_are_chinese():
    sections = written(lang="zh").sections
    assert sections[1].startswith("开始时的请求：“Fix the login, please.”（消息 1）\n")
    assert f"- “{CAUSE}”（消息 4）" in sections[3]
    assert sections.keys() == written().sections.keys()


def test_the_turns_before_the_last_are_told_with_what_was_asked():
    facts = replace(
        FACTS,
        users=(*FACTS.users, UserWords(11, "And now?")),
        said=(
            *FACTS.said,
            Said(12, "Now the page loads in src/page.ts without errors."),
        ),
    )
    assert written(facts).sections[8] == (
        "Since the user's “And now?” (message 11) the assistant said:\n"
        "- “Now the page loads in src/page.ts without errors.” (message 12)\n"
        "Before that:\n"
        "The user: “Yes, do it.” (message 9). The assistant:\n"
        "- “Added `node` 22 to the image, and the build of the page passes now.” "
        "(message 10)"
    )


def test_at_most_so_many_turns_are_told():
    users = tuple(UserWords(n, f"ask {n}") for n in range(1, 40, 2))
    said = tuple(
        Said(n, f"Changed the file number {n} as asked.") for n in range(2, 40, 2)
    )
    text = written(Facts(users=users, said=said)).sections[8]
    assert re.findall(r"ask (\d+)", text) == ["39", "31", "33", "35", "37"][1:]


def test_what_stands_in_the_summary_as_facts_is_not_told_again():
    failure = replace(FACTS.failures[0], note=FIX)
    facts = replace(FACTS, last_text=CAUSE, failures=(failure,))
    text = "\n".join(written(facts).sections.values())
    assert CAUSE not in text
    assert FIX not in text
    assert "A typo in the call." not in text


def test_what_the_user_asked_to_keep_in_sight_is_kept():
    sections = written(focus="the token").sections
    assert (
        "To be kept in sight, as asked with this compaction: “the token”" in sections[1]
    )
    short = written(room=220, focus="build page").sections
    assert "the build of the page passes now" in short[8]


def test_a_record_of_nothing_has_no_prose():
    assert written(Facts()).sections == {}
    assert written(Facts(users=(UserWords(1, "Hi"),))).sections == {
        1: "It began with: “Hi” (message 1)"
    }


def test_an_assistant_that_was_asked_nothing_is_quoted_too():
    sections = written(Facts(said=(Said(1, FIX),))).sections
    assert sections == {8: f"- “{FIX}” (message 1)"}


# --- earlier prose ---


def test_prose_of_another_provider_is_kept_for_what_lasts():
    previous = {1: "A login was broken.", 5: "It was\nthe token.", 8: "Stopped at 4."}
    sections = written(previous=previous, previous_by="anthropic, claude-x").sections
    assert sections[1].endswith(
        "Earlier prose, by anthropic, claude-x:\nA login was broken."
    )
    assert sections[5].endswith(
        "Earlier prose, by anthropic, claude-x:\nIt was\nthe token."
    )
    assert "Stopped at 4." not in sections[8]
    again = written(previous=sections, previous_by="offline").sections
    assert again == sections


def test_who_wrote_earlier_prose_may_stand_in_the_facts():
    facts = replace(FACTS, extra={"prose_by": "an earlier summary"})
    sections = written(facts, previous={2: "Tokens."}).sections
    assert sections[2].endswith("Earlier prose, by an earlier summary:\nTokens.")
    assert "Earlier prose" not in written(previous={2: "Tokens."}).sections[2]


def test_quotes_that_cannot_be_made_anew_are_kept():
    previous = written().sections
    later = replace(FACTS, said=FACTS.said[1:])
    sections = written(later, previous=previous, previous_by="offline").sections
    assert f"- “{CAUSE}” (message 4)" in sections[3]
    assert sections[5].count("Keep the token") == 1
    without = written(later).sections
    assert CAUSE not in "".join(without.values())


# --- for every record ---


@settings(max_examples=150, deadline=None)
@given(hostile.facts, hostile.langs, st.integers(0, 400), hostile.texts)
def test_the_prose_fits_is_harmless_and_is_the_same_each_time(facts, lang, room, focus):
    first = written(facts, lang, room, focus=focus)
    assert first == written(facts, lang, room, focus=focus)
    assert first.provider == "offline"
    assert set(first.sections) <= set(range(1, 10))
    assert all(first.sections.values())
    for text in first.sections.values():
        assert neutralise(text) == text
    assert sum(size(text + "\n") for text in first.sections.values()) <= room * 1.1 + 9


@settings(max_examples=100, deadline=None)
@given(hostile.facts, st.dictionaries(st.integers(1, 9), hostile.texts), hostile.texts)
def test_no_earlier_prose_makes_it_raise(facts, previous, by):
    written(facts, previous=previous, previous_by=by)


@settings(max_examples=100, deadline=None)
@given(hostile.facts)
def test_what_is_quoted_was_said(facts):
    known = letters("\n".join(said.text for said in facts.said))
    for text in written(facts).sections.values():
        for quoted in re.findall(r"^- “(.*)” \(message \d+\)$", text, re.MULTILINE):
            assert letters(quoted.split(" […+")[0]) in known


def letters(text):
    return "".join(filter(str.isalnum, re.sub(r"\\u\{[0-9a-f]+\}", "", text)))


def test_ten_chained_compactions_do_not_grow():
    sections, facts = {}, FACTS
    sizes = []
    for round_ in range(10):
        facts = replace(facts, messages=facts.messages + 10)
        by = "anthropic" if round_ == 0 else "offline"
        previous = (
            dict.fromkeys(range(1, 10), "Prose.\n" * 40) if not round_ else sections
        )
        sections = dict(
            written(facts, room=500, previous=previous, previous_by=by).sections
        )
        sizes.append(sum(map(len, sections.values())))
    assert max(sizes) <= sizes[0]


def test_it_is_a_provider():
    provider: Provider = Offline()
    assert provider.name == "offline"


@pytest.mark.parametrize("room", [0, 1, 40])
def test_without_room_there_is_no_or_little_prose(room):
    assert sum(size(text) for text in written(room=room).sections.values()) <= room


def test_a_failure_whose_programs_have_passed_since_is_not_called_open():
    later = CommandFact("npm run build -- --all", 1, "passed", 0, 9)
    facts = replace(FACTS, commands=(*FACTS.commands, later))
    assert "Not seen to pass since" not in written(facts).sections[4]
