"""What a provider's failure means: an error with its exit code, and whether to retry.

Pure. Classifies by status first, by type second, by text last, because servers that
speak the same API word their errors in their own ways.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl.compact import overflow
from mewctl.compact.quote import clip, inline
from mewctl.errors import (
    CannotFit,
    CredentialsError,
    ProviderRefused,
    ProviderUnavailable,
)

if TYPE_CHECKING:
    from mewctl.errors import MewError

_TOO_LARGE = 413
_REFUSED_KEYS = (401, 403)
_AGAIN = (408, 409, 429)
_SERVER = 500
_NO_ENDPOINT = (404, 405, 501)
_TEXT = 400  # characters of a provider's message that are repeated
#: Types that say the same whatever the status; an event in mid-stream has none.
_AGAIN_TYPES = ("overloaded_error", "rate_limit_error", "api_error", "timeout_error")
_KEY_TYPES = ("authentication_error", "permission_error")
_TOO_LONG_TYPES = ("exceed_context_size_error", "request_too_large")
_TOO_LONG = re.compile(
    r"prompt is too long|exceeds? (?:the )?(?:available )?context"
    r"|maximum context length|context.{0,20} (?:limit|window).{0,20} exceed"
    r"|input (?:is|length).{0,40} too long",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """A provider's refusal as it came. ``status`` 0: an event of a running stream.

    ``after``: seconds that it asks to wait, 0 if it says nothing.
    """

    status: int
    type: str
    text: str
    request_id: str = ""
    after: float = 0.0


class NoEndpoint(ProviderRefused):
    """{what}; {remedy}"""  # the server does not know what it was asked


@dataclass(frozen=True, slots=True)
class Failure:
    """The error to raise, and whether the same request may be tried again."""

    error: MewError
    again: bool = False
    after: float = 0.0


def classify(answer: Answer, place: str) -> Failure:
    """What an answer with an error means. ``place`` is the provider's address."""
    said = clip(inline(answer.text), _TEXT)
    status = f"{answer.status} " if answer.status else ""
    where = f", request {answer.request_id}" if answer.request_id else ""
    what = f"{place}: {status}{answer.type}: {said}{where}".replace(": : ", ": ")
    if is_too_long(answer):
        remedy = "use a model with a larger window"
        return Failure(CannotFit(what=what, remedy=remedy))
    if answer.status in _REFUSED_KEYS or answer.type in _KEY_TYPES:
        remedy = "set ANTHROPIC_API_KEY to a key that may use this model"
        return Failure(CredentialsError(what=what, remedy=remedy))
    if answer.status in _NO_ENDPOINT and "model" not in answer.text.lower():
        remedy = "check that the base URL is a Messages API's, without /v1"
        return Failure(NoEndpoint(what=what, remedy=remedy))
    if _is_passing(answer):
        wait = f" in {answer.after:.0f} s" if answer.after else " later"
        error = ProviderUnavailable(what=what, remedy=f"try again{wait}")
        return Failure(error, again=True, after=answer.after)
    remedy = "see the message; check the model's name and the base URL"
    return Failure(ProviderRefused(what=what, remedy=remedy))


def is_too_long(answer: Answer) -> bool:
    """Whether the provider says that the prompt is too long for it."""
    if answer.status == _TOO_LARGE or answer.type in _TOO_LONG_TYPES:
        return True
    said = overflow.numbers(answer.text)
    return bool(said.actual or said.limit or _TOO_LONG.search(answer.text))


def _is_passing(answer: Answer) -> bool:
    if answer.status in _AGAIN or answer.status >= _SERVER:
        return True
    return answer.type in _AGAIN_TYPES and not answer.status


def unreachable(place: str, why: str) -> Failure:
    """No answer at all, or one that broke off."""
    what = f"{place}: {clip(inline(why), _TEXT)}"
    error = ProviderUnavailable(what=what, remedy="check the base URL, or try later")
    return Failure(error, again=True)


def unreadable(place: str, why: str) -> Failure:
    """An answer that is none of a Messages API."""
    what = f"{place}: {clip(inline(why), _TEXT)}"
    remedy = "check that the base URL is a Messages API's, without /v1"
    return Failure(ProviderRefused(what=what, remedy=remedy))
