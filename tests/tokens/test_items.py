"""Weighing items: several of them are one message of the assistant."""

from __future__ import annotations

import pytest

from mewctl.history.formats import load
from mewctl.history.view import Message, Text, Usage
from mewctl.tokens.estimator import Estimator, Tokens
from mewctl.tokens.gauge import Gauge, Meter
from mewctl.tokens.report import Bounds, Tally


def message(role, usage=0, *, item=False):
    return Message(role, (Text("x"),), usage=Usage(usage) if usage else None, item=item)


def anchor(messages, ignored):
    meter = Meter(Estimator())
    meter.gauge.ignore_usage(ignored)
    for each in messages:
        meter.add(each)
    return meter.gauge.anchor and meter.gauge.anchor.tokens


ANSWER = [
    message("assistant", item=True),
    message("assistant", item=True),
    message("assistant", 1000, item=True),
]


@pytest.mark.parametrize(
    ("messages", "ignored", "found"),
    [
        (ANSWER, 0, 1000),
        (ANSWER, 1, None),
        ([*ANSWER, message("tool", item=True), *ANSWER], 1, 1000),
        ([*ANSWER, message("tool", item=True), *ANSWER], 2, None),
        ([message("assistant"), message("assistant", 1000)], 1, 1000),
        ([*ANSWER, message("assistant", 2000)], 1, 2000),
        ([*ANSWER, message("user", 3000), message("assistant", item=True)], 1, 3000),
    ],
)
def test_the_usage_of_an_answer_is_ignored_as_a_whole(messages, ignored, found):
    assert anchor(messages, ignored) == found


def test_a_gauge_is_told_what_continues():
    gauge = Gauge()
    gauge.ignore_usage(1)
    gauge.add(Tokens(1, 1), Usage(500))
    gauge.add(Tokens(1, 1), Usage(600), continues=True)
    assert gauge.anchor is None
    gauge.add(Tokens(1, 1), Usage(700))
    assert gauge.anchor.tokens == 700


def test_a_report_names_the_tool_of_an_output_and_anchors_on_a_response():
    form = load("responses")
    call = {"type": "function_call", "call_id": "a", "name": "bash", "arguments": "{}"}
    values = [
        {"role": "user", "content": "go"},
        {
            "object": "response",
            "output": [{"type": "reasoning", "summary": []}, call],
            "usage": {"input_tokens": 900, "output_tokens": 100},
        },
        {"type": "function_call_output", "call_id": "a", "output": "x" * 100},
    ]
    tally = Tally(Estimator())
    for value in values:
        tally.add(form.view(value))
    report = tally.report(Bounds())
    assert report["anchor"] == {"tokens": 1000, "messages": 2, "source": "usage"}
    assert list(report["tools"]) == ["bash"]
    assert report["classes"]["tool_results"] > 0
