"""What an old agent sent besides its messages, noted in a transcript's usage. Pure.

Its system text and tools do not travel with a history; what is left of the usage is the
size of the messages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.tokens.calibrate import reading
from mewctl.tokens.estimator import Estimator
from mewctl.tokens.windows import family_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mewctl.history.view import Message


def noted(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages; each usage says how much of it was unseen.

    That is what the first usage says beyond the estimate of the messages through it.
    Messages before it are held back, ``limits.UNSEEN_LOOK`` of them at most.
    """
    stream = iter(messages)
    held: list[Message] = []
    unseen = 0
    for message in stream:
        held.append(message)
        context = reading(message.usage)
        if context:
            estimator = Estimator(family_for(message.model))
            seen = sum(estimator.count(view).tokens.shown for view in held)
            unseen = max(0, round(context - seen))
        if context or len(held) >= limits.UNSEEN_LOOK:
            break
    for message in held:
        yield _with(message, unseen)
    for message in stream:
        yield _with(message, unseen)


def _with(message: Message, unseen: int) -> Message:
    if not unseen or message.usage is None or not reading(message.usage):
        return message
    usage = replace(message.usage, unseen=unseen)
    return message.told(usage, message.cwd)
