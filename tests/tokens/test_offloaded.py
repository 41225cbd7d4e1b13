"""Previews in a transcript's history: the old agent's usage counted the bodies."""

from __future__ import annotations

import pytest

from mewctl.history.view import Call, Message, Result, Text, Usage
from mewctl.tokens.estimator import NOTHING, Estimator
from mewctl.tokens.report import Bounds, Tally

BODY = "one line of a long log\n" * 5000
PREVIEW = (
    f"[content offloaded] original size: {len(BODY)} bytes\n[saved to] /tmp/x\n"
    f"[sha256] {'a' * 64}, 5000 lines\n[head preview]\n"
    + "one line of a long log\n"
    * 20
)


def history(result: str, *, unseen: int, last: int = 60_000) -> list[Message]:
    call = Call("c", "Bash", {"command": "cat log"})
    first = Usage(input=3_000, output=50, unseen=unseen)
    end = Usage(input=last, output=50, unseen=unseen)
    return [
        Message("user", (Text("look at the log"),)),
        Message("assistant", (call,), usage=first),
        Message("tool", (Result("c", (Text(result),)),)),
        Message("assistant", (Text("seen"),), usage=end),
    ]


def counted(messages: list[Message]) -> int:
    tally = Tally(Estimator())
    for message in messages:
        tally.add(message)
    return int(tally.report(Bounds())["tokens"])


def test_a_preview_costs_what_it_says_the_body_had() -> None:
    estimator = Estimator()
    results = Message("tool", (Result("c", (Text(PREVIEW),)),))

    taken_out = estimator.offloaded(results)

    body = estimator.text(BODY)
    preview = estimator.text(PREVIEW)
    assert taken_out.shown == pytest.approx(body - preview, rel=0.5)


def test_what_is_no_preview_has_no_body_elsewhere() -> None:
    results = Message("tool", (Result("c", (Text(BODY),)),))

    assert Estimator().offloaded(results) == NOTHING


def test_a_preview_made_after_an_old_agents_usage_lowers_it() -> None:
    whole = counted(history(BODY, unseen=1_000))

    spilled = counted(history(PREVIEW, unseen=1_000))

    assert whole == 59_050
    assert spilled < whole / 2


def test_a_preview_that_was_sent_is_in_the_usage_already() -> None:
    assert counted(history(PREVIEW, unseen=0, last=3_400)) == 3_450


def test_a_preview_whose_body_was_sent_lowers_the_usage() -> None:
    assert 3_000 < counted(history(PREVIEW, unseen=0)) < 30_000
