"""Messages of conversations whose context grows, is cut, and grows again."""

from __future__ import annotations

from mewctl.history.view import Call, Message, Result, Text, Usage
from mewctl.tokens.estimator import Estimator
from mewctl.tokens.timeline import Timeline

BODY = "one line of a long log\n" * 5_000
PREVIEW = (
    f"[content offloaded] original size: {len(BODY)} bytes\n[saved to] /tmp/<x>\n"
    f"[sha256] {'a' * 64}, 5000 lines\n[head preview]\n" + BODY[:460]
)
SUMMARY = (
    "This session is being continued from a previous conversation that ran out of"
    " context.\nSummary:\nThe tests fail."
)
OURS = (
    "## Summary of the earlier conversation\nThe tests fail.\n\n"
    "[mewctl boundary 0123456789ab tail=1]"
)


def user(text: str = "Why do the tests fail?", **more) -> Message:
    return Message("user", (Text(text),), **more)


def answer(context: int = 0, *, cached: int = 0, text: str = "I look.") -> Message:
    """``context`` 0: no usage came with it. 10 tokens of it are the answer."""
    usage = None
    if context:
        usage = Usage(input=context - cached - 10, cache_read=cached, output=10)
    return Message("assistant", (Text(text),), model="claude-opus-4-8", usage=usage)


def spilled() -> list[Message]:
    """A call and the preview of its result."""
    call = Call("c1", "bash", {"command": "cat log"})
    return [
        Message("assistant", (call,)),
        Message("tool", (Result("c1", (Text(PREVIEW),)),)),
    ]


def summary(text: str = SUMMARY) -> Message:
    return Message("user", (Text(text),), injected=text == SUMMARY)


def timeline(*messages: Message, **options) -> Timeline:
    """The finished timeline of messages."""
    found = Timeline(Estimator(), **options)
    for message in messages:
        found.add(message)
    found.finish()
    return found
