from __future__ import annotations

import json

import pytest
from compacting import FORMATS, Talk, compacted, records_of

from mewctl import limits
from mewctl.compact.survey import Surveyor, survey
from mewctl.history.boundary import PLACEHOLDER
from mewctl.history.lens import lens
from mewctl.history.view import Image, Message, Result, Text, Thinking
from mewctl.streams.records import Record

TAG = "[mewctl boundary 0123456789ab tail=2]"
TITLE = "## Summary of the earlier conversation"


def user(text):
    return Message("user", (Text(text),))


def said(text="ok"):
    return Message("assistant", (Text(text),))


def result():
    return Message("tool", (Result("c", (Text("x"),)),))


def of(*messages, form="mew"):
    return survey(records_of(messages, form), lens(form))


def test_the_front_holds_system_text_only():
    found = of(
        Message("system", (Text("a"),)), Message("system", (Text("b"),)), user("c")
    )
    assert (found.systems, found.summary, found.body) == (2, -1, 2)


def test_later_system_text_is_no_front():
    found = of(user("a"), Message("system", (Text("b"),)))
    assert found.systems == 0


def test_a_summary_is_the_first_message_of_the_user_and_ends_in_a_tag():
    found = of(Message("system", (Text("s"),)), user(f"{TITLE}\n{TAG}"), said(), said())
    assert (found.summary, found.body) == (1, 2)
    assert found.boundary.id == "0123456789ab"
    assert of(user("a"), said(), user(f"{TITLE}\n{TAG}")).boundary is None


def test_a_summary_without_a_tag_is_one_of_an_unknown_boundary():
    found = of(user(f"{TITLE}\nmore"), said())
    assert (found.summary, found.body, found.boundary) == (0, 1, None)
    assert found.is_fresh


@pytest.mark.parametrize("text", PLACEHOLDER.values())
def test_a_placeholder_belongs_to_the_summary(text):
    found = of(user(f"{TITLE}\n{TAG}"), said(text), user("next"), said())
    assert found.body == 2
    assert of(user(f"{TITLE}\n{TAG}"), said("other"), user("next")).body == 1
    assert of(user("a"), said(text)).body == 0


def test_nothing_is_new_where_only_what_was_kept_is_there():
    start = user(
        f"{TITLE}\n- The newest messages follow verbatim; "
        f"the user's among them: 1.\n{TAG}"
    )
    kept = (start, said(), result(), said(), user("asked"))
    assert not of(*kept).is_fresh
    assert of(*kept, user("more")).is_fresh
    assert of(*kept, said()).is_fresh
    assert not of(*kept[:-1]).is_fresh


def test_without_a_count_of_the_users_messages_those_behind_the_kept_answers_are_new():
    start = user(f"{TITLE}\n{TAG}")
    assert not of(start, user("a"), said(), result(), said(), result()).is_fresh
    assert of(start, said(), said(), result(), user("new")).is_fresh
    assert of(start, said(), said(), said()).is_fresh
    assert not of(start).is_fresh


@pytest.mark.parametrize("form", FORMATS)
def test_a_tail_counts_alike_in_every_format(form):
    talk = Talk().turns(12, tokens=900)
    run = compacted(talk.records(form), form, trigger="manual", window=32_000)
    again = survey(run.records, lens(form))
    assert not again.is_fresh
    assert again.boundary.tail == again.assistants(again.body)
    assert again.ending.users == again.spoken(again.body)
    assert again.boundary.tail == 7


def test_records_that_are_no_messages_are_nobodys():
    records = [Record(b'{"type":"progress"}'), Record(b'{"role":"user","content":"a"}')]
    found = survey(records, lens("mew"))
    assert [entry.role for entry in found.entries] == [None, "user"]


def test_images_and_signatures_do_not_cost_by_their_bytes():
    image = Image("image/png", "a" * 90_000)
    found = of(
        Message("user", (Text("see"), image)),
        Message("assistant", (Thinking("hm", "s" * 9_000), Text("ok"))),
        Message("tool", (Result("c", (Text("x"), image)),)),
        Message("assistant", (Thinking("", "s" * 9_000), Text("ok"))),
    )
    flat = [entry.flat for entry in found.entries]
    assert flat == [limits.IMAGE_TOKENS, 0, limits.IMAGE_TOKENS, 0]
    assert [entry.bulk < 400 for entry in found.entries] == [True, True, True, False]


def test_a_result_with_words_of_the_user_is_both():
    line = json.dumps(
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c", "content": "x"},
                {"type": "text", "text": "and this"},
            ],
        }
    )
    (entry,) = survey([Record(line.encode())], lens("anthropic")).entries
    assert entry.results
    assert entry.speaks


def test_the_language_is_that_of_the_user():
    assert of(user("请修改这个文件，谢谢"), said("ok")).lang == "zh"
    assert of(user("please"), said("好的，我来修改")).lang == "en"
    assert (
        of(user(f"## 历史会话摘要\n用户说了很多话，需要继续\n{TAG}"), said()).lang
        == "zh"
    )


def test_the_time_is_that_of_the_last_message():
    surveyor = Surveyor()
    surveyor.add(Message("user", (Text("a"),), time=5.0), 9)
    surveyor.add(said(), 9)
    assert surveyor.result().time == 5.0
