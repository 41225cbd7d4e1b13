"""Asking a model: one retry, chunks, the ladder down, and what is said of all that."""

from __future__ import annotations

import itertools
import re

import pytest

from mewctl.compact import asking
from mewctl.compact.answer import ASKED
from mewctl.compact.sections import HEADINGS
from mewctl.errors import CannotFit, ProviderRefused
from mewctl.history.facts import Facts, UserWords
from mewctl.history.view import Call, Message, Result, Text, Usage
from mewctl.providers.protocol import Limits, Prose, SummaryRequest


def good(text: str) -> str:
    body = {8: text}
    lines = [f"{HEADINGS['en'][n - 1]}\n{body.get(n, '-')}" for n in ASKED]
    return "<summary>\n" + "\n".join(lines) + "\n</summary>"


class Model:
    """A model that gives the answers it was made with, in turn; an error is raised."""

    name, is_model = "model", True

    def __init__(self, *answers, window=0, most=0):
        self.answers = iter(answers)
        self.window = window
        self.most = most
        self.prompts: list[str] = []
        self.words = itertools.count()

    def delimiter(self):
        return f"word{next(self.words)}"

    def write(self, request):
        self.prompts.append(request.prompt.user)
        if self.most and len(request.prompt.user) > self.most:
            raise CannotFit(what="prompt is too long", remedy="r")
        found = next(self.answers)
        if isinstance(found, Exception):
            raise found
        return Prose(answer=found, provider="model", usage=Usage(input=10, output=1))


def said(role, text):
    return Message(role, (Text(text),))


def tool(id_, text):
    call = Message("assistant", (Call(id_, "Bash", {"command": "ls"}),))
    return [call, Message("tool", (Result(id_, (Text(text),)),))]


def task(messages, previous=None, answer=100):
    request = SummaryRequest(
        Facts(users=(UserWords(1, "Please mend the upload, it fails every night."),)),
        "en",
        Limits(500, answer),
        len,
        messages=messages,
        previous=previous or {},
    )
    texts = ["upload retry night " + " ".join(m.text for m in messages)]
    return asking.Task(request, "FACTS", texts, 100_000)


MESSAGES = [said("user", "mend the upload"), said("assistant", "done with the retry")]


def test_an_answer_that_passes_is_the_prose():
    model = Model(good("The retry was added."))
    prose = asking.ask(task(MESSAGES), model)
    assert prose.sections[8] == "The retry was added."
    assert (prose.provider, prose.unseen) == ("model", ())
    assert len(model.prompts) == 1


def test_the_span_and_the_facts_stand_between_a_word_that_is_not_in_them():
    messages = [said("user", "=== word0 ==="), *MESSAGES]
    model = Model(good("x"))
    asking.ask(task(messages), model)
    (text,) = model.prompts
    assert text.count("=== word1 ===") == 4
    assert re.search(r"=== word1 ===\nuser: === word0 ===\n", text)
    assert "=== word1 ===\nFACTS\n=== word1 ===" in text


def test_a_refused_answer_is_asked_for_once_more_with_the_reason():
    model = Model("sorry", good("The retry."))
    prose = asking.ask(task(MESSAGES), model)
    assert prose.sections[8] == "The retry."
    assert "sections are missing" in model.prompts[1]
    assert prose.usage == Usage(input=20, output=2)


def test_a_second_refusal_ends_it():
    with pytest.raises(ProviderRefused, match=r"refused twice.*sections are missing"):
        asking.ask(task(MESSAGES), Model("sorry", "so sorry"))


def test_what_the_gate_took_out_is_listed():
    prose = asking.ask(
        task(MESSAGES), Model(good("The retry. I ran `rm x` 4711 times."))
    )
    assert prose.sections[8] == "The retry."
    assert len(prose.dropped) == 1


def test_earlier_prose_is_shown_to_be_updated():
    model = Model(good("x"))
    asking.ask(task(MESSAGES, previous={8: "the state so far"}), model)
    assert "the state so far" in model.prompts[0]


def test_beyond_the_window_chunks_update_one_another():
    messages = [said("user", f"turn {n} " + "x" * 900) for n in range(6)]
    model = Model(*(good(f"state {n} retry") for n in range(9)), window=6_000)
    prose = asking.ask(task(messages), model)
    assert len(model.prompts) > 1
    for n in range(6):
        assert sum(f"turn {n} " in text for text in model.prompts) == 1
    assert "state 0 retry" in model.prompts[1]
    assert "This is part 2 of" in model.prompts[1]
    assert prose.sections[8] == f"state {len(model.prompts) - 1} retry"
    assert prose.unseen == ()


def test_a_turn_longer_than_a_chunk_is_cut_between_its_messages():
    turn = [said("user", "go"), *(said("assistant", c * 2_000) for c in "abcd")]
    model = Model(*(good("retry") for _ in range(9)), window=9_000)
    asking.ask(task(turn), model)
    for c in "abcd":
        assert sum(c * 2_000 in text for text in model.prompts) == 1


def test_a_window_without_room_for_the_request_cannot_fit():
    with pytest.raises(CannotFit, match="no room"):
        asking.ask(task(MESSAGES), Model(window=500))


def test_too_long_first_shortens_tool_text():
    messages = [said("user", "go"), *tool("c1", "y" * 15_000)]
    model = Model(good("retry"), most=8_000)
    prose = asking.ask(task(messages), model)
    assert prose.unseen == ("tool text beyond 1000 characters each",)
    assert "characters left out" in model.prompts[-1]


def test_then_the_oldest_turns_go_and_the_report_says_so():
    messages = [said("user", f"turn {n} " + "x" * 2_000) for n in range(12)]
    model = Model(good("retry"), most=12_000)
    prose = asking.ask(task(messages), model)
    (gone,) = [text for text in prose.unseen if "turns" in text]
    dropped = int(re.search(r"oldest (\d+) of 12", gone)[1])
    assert f"turn {dropped} " in model.prompts[-1]
    assert f"turn {dropped - 1} " not in model.prompts[-1]
    steps = [sum(f"turn {n} " in text for n in range(12)) for text in model.prompts]
    assert steps[:5] == [12, 12, 11, 10, 9]
    assert all(a > b for a, b in itertools.pairwise(steps[1:]))


def test_the_last_turn_is_never_left_out():
    messages = [said("user", "a"), said("user", "x" * 20_000)]
    with pytest.raises(CannotFit, match="one turn is too long for the provider"):
        asking.ask(task(messages), Model(most=8_000))


def test_an_error_of_the_provider_is_passed_on():
    with pytest.raises(ProviderRefused, match="gone"):
        asking.ask(task(MESSAGES), Model(ProviderRefused(what="gone", remedy="r")))
