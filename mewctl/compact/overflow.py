"""What a provider's "too long" message says in numbers. Pure.

The shapes are those of the Messages API, OpenAI, Gemini, xAI, llama.cpp and vLLM, as
publicly reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mewctl import limits

_N = r"(?P<{}>\d[\d,_]*)"
_ACTUAL, _LIMIT = _N.format("actual"), _N.format("limit")
#: Each with an example of what it matches.
_SHAPES: tuple[re.Pattern[str], ...] = (
    # as in: prompt is too long: 211180 tokens > 200000 maximum
    re.compile(rf"too long:? {_ACTUAL} tokens? > {_LIMIT}"),
    # as in: input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000
    re.compile(rf"exceed context limit: {_ACTUAL} \+ \d[\d,_]* > {_LIMIT}"),
    # as in: request (20031 tokens) exceeds the available context size (4096 tokens)
    re.compile(rf"request \({_ACTUAL} tokens\) exceeds .{{0,40}}size \({_LIMIT}"),
    # as in: token count (120) exceeds the maximum number of tokens allowed (100)
    re.compile(rf"token count \({_ACTUAL}\) exceeds the max.{{0,40}}\({_LIMIT}\)"),
    # as in: length is 4096 tokens. However, you requested 5000 (4000 in the messages
    re.compile(
        rf"maximum context length is {_LIMIT} tokens"
        rf".{{0,80}}?requested .{{0,40}}?\({_ACTUAL} in the messages",
        re.DOTALL,
    ),
    # as in: length is 8192 tokens. However, your messages resulted in 10001 tokens
    re.compile(
        rf"(?:maximum (?:context|prompt) length is|limit of) {_LIMIT}\b"
        rf".{{0,80}}?(?:requested|resulted in|contains) {_ACTUAL} tokens",
        re.DOTALL,
    ),
)
_FIELDS = (
    re.compile(r'"n_prompt_tokens"\s*:\s*(\d+)'),
    re.compile(r'"n_ctx"\s*:\s*(\d+)'),
)


@dataclass(frozen=True, slots=True)
class Overflow:
    """Tokens of the request as the provider counted them, and its limit; 0: unknown."""

    actual: int = 0
    limit: int = 0


def numbers(error: str) -> Overflow:
    """The numbers in an error message, as far as it has them."""
    for shape in _SHAPES:
        found = shape.search(error)
        if found:
            return Overflow(_whole(found["actual"]), _whole(found["limit"]))
    actual, limit = (field.search(error) for field in _FIELDS)
    return Overflow(
        _whole(actual[1]) if actual else 0, _whole(limit[1]) if limit else 0
    )


def _whole(text: str) -> int:
    digits = text.replace(",", "").replace("_", "")
    return int(digits) if len(digits) <= limits.TOKEN_DIGITS else 0
