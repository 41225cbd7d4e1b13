"""The kinds of calls that one API has: what every other format makes of them."""

from __future__ import annotations

import pytest

from mewctl.history.formats import load
from mewctl.history.losses import Losses
from mewctl.history.view import KINDS, Call, Message, Opaque, Result, Text

ODD = sorted(KINDS - {"function", "custom"})


def made(name, *parts, role="assistant"):
    losses = Losses()
    return load(name).make(Message(role, parts), losses), dict(losses.counts)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_mew_says_each_kind_and_a_function_by_saying_nothing(kind):
    (record,), lost = made("mew", Call("a", "n", {}, kind))
    assert record["tool_calls"][0].get("kind", "function") == kind
    assert load("mew").view(record).calls[0].kind == kind
    (record,), _ = made("mew", Result("a", (), kind=kind), role="tool")
    assert record["tool_results"][0].get("kind", "function") == kind
    assert load("mew").view(record).results[0].kind == kind
    assert not lost


@pytest.mark.parametrize("kind", ["new", ["custom"], None, 5])
def test_a_kind_that_nobody_knows_is_a_function(kind):
    value = {"role": "assistant", "tool_calls": [{"id": "a", "kind": kind}]}
    assert load("mew").view(value).calls[0].kind == "function"


@pytest.mark.parametrize("name", ["anthropic", "openai"])
@pytest.mark.parametrize("kind", ODD)
def test_an_api_that_lacks_a_kind_has_a_function_and_the_loss(name, kind):
    _, lost = made(name, Call("a", kind, {"commands": ["ls"]}, kind))
    assert lost == {f"kind of a {kind} call": 1}
    _, lost = made(name, Result("a", (Text("x"),), kind=kind), role="tool")
    assert lost == {f"kind of a {kind} result": 1}


def test_a_block_is_of_the_api_whose_keys_it_has():
    block = {"type": "compaction", "content": "x"}
    assert made("anthropic", Opaque("compaction", 5, block)) == (
        [{"role": "assistant", "content": [block]}],
        {},
    )
    item = {"type": "compaction", "encrypted_content": "x"}
    lost = {"unknown block compaction": 1}
    assert made("anthropic", Opaque("compaction", 5, item)) == ([], lost)
    assert made("responses", Opaque("compaction", 5, item)) == ([item], {})
    assert made("responses", Opaque("compaction", 5, block)) == ([], lost)
