"""What a provider's "too long" message says in numbers. Pure.

The shapes are those of the Messages API, llama.cpp and vLLM, as publicly reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_N = r"(\d[\d,_]*)"
_SHAPES: tuple[re.Pattern[str], ...] = (
    # Messages API: prompt is too long: 211180 tokens > 200000 maximum
    re.compile(rf"too long:? {_N} tokens? > {_N}"),
    # Messages API: input length and `max_tokens` exceed context limit: 188 + 21 > 200
    re.compile(rf"exceed context limit: {_N} \+ \d[\d,_]* > {_N}"),
    # llama.cpp: request (20031 tokens) exceeds the available context size (4096 tokens)
    re.compile(rf"request \({_N} tokens\) exceeds the available context size \({_N}"),
    # vLLM, OpenAI, in the order limit, request
    re.compile(
        rf"maximum context length is (?P<limit>{_N[1:-1]}) tokens"
        rf".{{0,80}}?(?:requested|resulted in) (?P<actual>{_N[1:-1]})",
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
            names = found.groupdict()
            actual = names.get("actual") or found.group(1)
            limit = names.get("limit") or found.group(2)
            return Overflow(_whole(actual), _whole(limit))
    actual, limit = (field.search(error) for field in _FIELDS)
    return Overflow(
        int(actual.group(1)) if actual else 0, int(limit.group(1)) if limit else 0
    )


def _whole(text: str) -> int:
    return int(text.replace(",", "").replace("_", ""))
