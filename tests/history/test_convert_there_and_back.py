"""Converting there and back: what is lost is what the losses list."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.convert import convert, convert_records
from mewctl.history.formats import NAMES, load, mew
from mewctl.history.losses import Losses
from mewctl.history.view import (
    KINDS,
    Call,
    Image,
    Message,
    Opaque,
    Result,
    Text,
    Thinking,
    Usage,
)

MINI = (
    Path(__file__).parents[2].parent
    / "shared/data/transcripts/openai/mini-swe-agent.json"
)


def run(values, source, target):
    losses = Losses()
    found = list(convert_records(values, load(source), load(target), losses))
    return found, dict(losses.counts)


def say(*messages, source="mew", target="anthropic"):
    losses = Losses()
    return list(convert(messages, source, load(target), losses)), dict(losses.counts)


# --- there and back ---

ids = st.sampled_from(["toolu_1", "call-2", "functions.bash:0", "", "x" * 41, "長い"])
names = st.sampled_from(["bash", "mcp__a__b", "functions.exec", "n" * 130, ""])
words = st.sampled_from(["hi", "你好，世界", " \n", "", "<b>", "\ud800", "{}"])
texts = words.map(Text)
unknowns = st.sampled_from(["document", "input_audio", "new_kind"]).map(
    lambda kind: Opaque(kind, 0, {"type": kind, "x": 1})
)
images = st.sampled_from(
    [
        Image("image/png", "aGk="),
        Image(url="https://example.org/a.png"),
        Image(file_id="file_1"),
    ]
)
thoughts = st.sampled_from(
    [
        Thinking("so", "sig"),
        Thinking("so", "gAAAAAx"),
        Thinking("", "gAAAAAx", redacted=True),
        Thinking("", "sig"),
        Thinking("unsigned"),
        Thinking("", "data", redacted=True),
    ]
)
inputs = st.sampled_from(
    [{}, {"path": "字"}, {"n": 10**20}, "free text", '{"a":1}', ""]
)
kinds = st.sampled_from(["function", "custom", *sorted(KINDS)])
calls = st.builds(Call, ids, names, inputs, kinds)
results = st.builds(
    Result,
    ids,
    st.lists(st.one_of(texts, images, unknowns), max_size=3).map(tuple),
    st.booleans(),
    kinds,
)
heads = st.fixed_dictionaries(
    {},
    optional={
        "time": st.sampled_from([0.0, 1.5e9, 1.25]),
        "model": st.sampled_from(["claude-x", "gpt-x"]),
        "usage": st.just(Usage(1, 2, 3, 4)),
        "id": st.just("msg_1"),
        "injected": st.just(True),
    },
)


def message(role, *kinds):
    parts = st.lists(st.one_of(*kinds), min_size=1, max_size=4).map(tuple)
    return st.builds(lambda parts, head: Message(role, parts, **head), parts, heads)


histories = st.lists(
    st.one_of(
        message("system", texts),
        message("user", texts, images, unknowns),
        message("assistant", texts, thoughts, calls, unknowns),
        message("tool", results),
        message("user", results, texts),
    ),
    max_size=5,
)


class Without:
    """What is left of a history without what the losses list."""

    def __init__(self, kinds):
        self.kinds = kinds

    def lost(self, *kinds):
        return any(kind in self.kinds for kind in kinds)

    def content(self, content, role):
        for own in content:
            if isinstance(own, Opaque):
                if not self.lost(f"unknown block {own.kind}"):
                    yield replace(own, size=0)
                continue
            part = replace(own, raw=None)
            if isinstance(part, Image):
                if role == "tool" and self.lost("image in a result"):
                    continue
                if part.file_id and self.lost("image by file id"):
                    continue
                if not self.lost(f"{role} image"):
                    yield part
            elif part.text and not (
                role != "tool" and part.text.isspace() and self.lost("blank text")
            ):
                yield part

    def texts(self, content):
        """The parts of a result; texts may have lost the borders between them."""
        if not self.lost("border between texts of a result"):
            return content
        parts = list(content)
        text = "".join(part.text for part in parts if isinstance(part, Text))
        return [Text(text), *(p for p in parts if not isinstance(p, Text))]

    def call(self, call):
        return replace(
            call,
            raw=None,
            id="" if self.lost("id of a call") else call.id,
            name="" if self.lost("tool name") else call.name,
            kind="function" if self.lost(f"kind of a {call.kind} call") else call.kind,
            input=""
            if self.lost("text as a call's input", "kind of a call's input")
            else call.input,
        )

    def result(self, result):
        return replace(
            result,
            raw=None,
            content=tuple(self.texts(self.content(result.content, "tool"))),
            call_id="" if self.lost("id of a call") else result.call_id,
            is_error=result.is_error and not self.lost("error mark of a result"),
            kind=self.kind(result.kind),
        )

    def kind(self, kind):
        """The kind of a result; one that its call did not have may have become any."""
        lost = any(re.fullmatch("kind of a .* result", loss) for loss in self.kinds)
        return "function" if lost else kind

    def part(self, part, role):
        if isinstance(part, Call):
            if not self.lost(f"{role} tool call"):
                yield self.call(part)
        elif isinstance(part, Result):
            yield self.result(part)
        elif not isinstance(part, Thinking):
            yield from self.content([part], role)
        elif not (
            self.lost("thinking", f"{role} thinking", "thinking of another model")
            or (not part.signature and self.lost("thinking without a signature"))
        ):
            redacted = part.redacted and not self.lost("redacted mark of thinking")
            yield replace(part, raw=None, redacted=redacted)

    def head(self, m):
        return (
            None if self.lost("time") else m.time,
            None if self.lost("model") else m.model,
            None if self.lost("usage") else m.usage,
            None if self.lost("message id") else m.id,
            m.injected and not self.lost("injected mark"),
        )

    def flat(self, messages):
        """Every part with who says it and what is known of its message."""
        found = []
        for m in messages:
            role = "user" if m.role == "tool" else m.role
            if role == "system" and self.lost("later system text"):
                role = "user"
            for part in m.parts:
                of = "tool" if isinstance(part, Result) else role
                found += [(of, p, self.head(m)) for p in self.part(part, role)]
        if self.lost("place of a text after a call"):
            found.sort(key=lambda item: (isinstance(item[1], Call), repr(item)))
        return found


@pytest.mark.parametrize("there", NAMES)
@pytest.mark.parametrize("here", NAMES)
@given(messages=histories)
def test_there_and_back_loses_only_what_the_losses_list(here, there, messages):
    form = load(here)
    records = [r for m in messages for r in form.make(m, Losses())]
    before = [form.view(record) for record in records]
    away, lost = run(records, here, there)
    back, lost_too = run(away, there, here)
    if here == there:
        assert away == records
        assert not lost
    kinds = {*lost, *lost_too}
    if "openai" in (here, there):  # its results take the kinds of their calls
        kinds.add("kind of a function result")
    without = Without(kinds)
    after = [form.view(record) for record in back]
    assert without.flat(after) == without.flat(before)


@given(messages=histories)
def test_the_hub_carries_all_that_a_view_shows(messages):
    losses = Losses()
    records = [r for m in messages for r in mew.make(m, losses)]
    assert not losses.counts
    after = [mew.view(record) for record in records]
    plain = Without(set())
    told = [(of, part) for of, part, _ in plain.flat(after)]
    assert told == [(of, part) for of, part, _ in plain.flat(messages)]


@pytest.mark.parametrize("target", ["anthropic", "openai", "responses"])
@given(messages=histories)
def test_converting_to_the_same_format_changes_nothing(target, messages):
    first, _ = say(*messages, target=target)
    second, lost = run(first, target, target)
    assert second == first
    assert not lost
