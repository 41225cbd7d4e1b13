"""What is known of models by their names: context window and tokenizer family.

A dated table. Names come as agents and providers write them (``claude-opus-4-8``,
``us.anthropic.claude-sonnet-4-6-v1:0``, ``openrouter/openai/gpt-5``). Must not guess:
an unknown model has no window here, and the default family.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from mewctl.tokens.weights import DEFAULT_FAMILY

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE_DATE = "2026-12-01"

_MILLION = 1_000_000

#: Beginning of a model's name -> the tokens a request may hold, as the makers' model
#: pages and public registries gave them on TABLE_DATE. The longest beginning counts.
#: Where a maker gives more than one number the smaller stands here: gpt-5 takes 272,000
#: of its 400,000 (or, by some routes, 1,050,000) as input. A usage that was reported
#: above an assumed window proves a larger one: ``next_window``.
WINDOWS: dict[str, int] = {
    "gpt-3.5": 16_385,
    "gpt-4": 8_192,
    "gpt-4-32k": 32_768,
    "gpt-4-turbo": 128_000,
    "gpt-4-0125": 128_000,
    "gpt-4-1106": 128_000,
    "gpt-4o": 128_000,
    "chatgpt-4o": 128_000,
    "gpt-4.5": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-5": 272_000,
    "gpt-5-chat": 128_000,
    "gpt-5.3-codex-spark": 128_000,
    "gpt-oss": 131_072,
    "codex-mini": 200_000,
    "o1": 200_000,
    "o1-mini": 128_000,
    "o1-preview": 128_000,
    "o3": 200_000,
    "o4": 200_000,
    "gemini": 1_048_576,
    "gemini-1.5-pro": 2_097_152,
    "gemini-1.0": 32_760,
    "gemini-pro": 32_760,
    "gemma": 131_072,
    "qwen": 131_072,
    "qwen3-max": 262_144,
    "qwen3-coder": 262_144,
    "qwen3-coder-plus": _MILLION,
    "qwen3-coder-flash": _MILLION,
    "qwen3.5-plus": _MILLION,
    "qwen3.6-plus": _MILLION,
    "qwen3.7-plus": _MILLION,
    "qwen3.7-max": 991_000,
    "deepseek": 128_000,
    "deepseek-v4": _MILLION,
    "llama-3": 8_192,
    "llama-3.1": 131_072,
    "llama-3.2": 131_072,
    "llama-3.3": 131_072,
    "llama-4": 1_048_576,
    "kimi": 131_072,
    "kimi-k2-0905": 262_144,
    "kimi-k2-thinking": 262_144,
    "kimi-k2.": 262_144,
    "glm-4": 128_000,
    "glm-4.6": 200_000,
    "glm-4.7": 200_000,
    "glm-5": 200_000,
    "grok-3": 131_072,
    "grok-4": 256_000,
    "grok-4-fast": 2_000_000,
    "grok-4.1-fast": 2_000_000,
    "grok-code": 256_000,
    "mistral": 128_000,
    "devstral": 128_000,
}

# Claude's names carry a version: 5 and later take a million by themselves, 4 only where
# the request asks for it, which agents write as a [1m] behind the name.
_CLAUDE_WINDOW = 200_000
_CLAUDE_OLD_WINDOW = 100_000
_CLAUDE_WIDE_FROM = (2, 1)
_CLAUDE_MILLION_FROM = (5, 0)
_CLAUDE_NEW_TOKENS_FROM = (4, 7)

#: What a window turns out to be when a usage exceeds it, by a name's beginning.
_LADDERS: dict[str, tuple[int, ...]] = {
    "claude": (200_000, _MILLION),
    "gpt-5": (272_000, 922_000),  # 1,050,000 less 128,000 of output
}
#: The same for any other.
_SIZES: tuple[int, ...] = tuple(sorted({*WINDOWS.values(), 400_000, 10_000_000}))

#: Beginning of a name -> tokenizer family. The longest counts.
_FAMILIES: dict[str, str] = {
    "gpt-3.5": "openai-cl100k",
    "gpt-4": "openai-cl100k",
    "gpt-4o": "openai-o200k",
    "gpt-4.": "openai-o200k",
    "gpt-5": "openai-o200k",
    "gpt-oss": "openai-o200k",
    "chatgpt": "openai-o200k",
    "codex": "openai-o200k",
    "o1": "openai-o200k",
    "o3": "openai-o200k",
    "o4": "openai-o200k",
    "gemini": "gemini",
    "gemma": "gemini",
    "qwen": "qwen3",
    "qwq": "qwen3",
    "deepseek": "deepseek",
    "llama-": "llama3",
}

#: How a maker's own name begins, behind whatever a gateway wrote before it.
_OWN_NAME = re.compile(
    r"(?:^|[^a-z0-9])((?:claude|chatgpt|codex|gpt-|o[134](?![a-z0-9])|gemini|gemma"
    r"|qwen|qwq|deepseek|llama|kimi|glm-|grok|mistral|devstral).*)"
)
_ASKED = re.compile(r"\[([0-9]{1,5})([km])\]")
_CLAUDE = re.compile(r"claude[-a-z]*?([0-9]{1,2})(?:[-.]([0-9]{1,2}))?(?![0-9])")
_LLAMA = re.compile(r"llama-?([0-9])(?:[-.]([0-9])(?![0-9b]))?")

T = TypeVar("T")


def window_for(model: str | None, extra: Mapping[str, int] | None = None) -> int | None:
    """The context window of ``model`` in tokens; None for one that is not known.

    ``extra``: beginnings of names with their windows, which go before the table.
    """
    name = own_name(model)
    for spelled in ((model or "").strip().lower(), name):
        given = _longest(spelled, {k.lower(): v for k, v in (extra or {}).items()})
        if given is not None:
            return given
    asked = _ASKED.search(name)
    if asked and int(asked[1]):
        return int(asked[1]) * (_MILLION if asked[2] == "m" else 1_000)
    if not name.startswith("claude"):
        return _longest(name, WINDOWS)
    version = _claude_version(name)
    if version is None:
        return _CLAUDE_WINDOW
    if version >= _CLAUDE_MILLION_FROM:
        return _MILLION
    return _CLAUDE_WINDOW if version >= _CLAUDE_WIDE_FROM else _CLAUDE_OLD_WINDOW


def next_window(usage: int, model: str | None = None) -> int:
    """The smallest window known for such a model that holds ``usage`` tokens.

    ``usage`` itself where none does: so much it is at least.
    """
    ladder = _longest(own_name(model), _LADDERS) or _SIZES
    return next((window for window in ladder if window >= usage), usage)


def family_for(model: str | None) -> str:
    """The tokenizer family of ``model``; the default for one that is not known."""
    name = own_name(model)
    if name.startswith("claude"):
        version = _claude_version(name)
        if version is not None and version < _CLAUDE_NEW_TOKENS_FROM:
            return "claude-3-to-4.6"
        return "claude-4.7-and-later"
    return _longest(name, _FAMILIES) or DEFAULT_FAMILY


def own_name(model: str | None) -> str:
    """``model`` in lower case, without what a gateway wrote before its name."""
    name = (model or "").strip().lower().rsplit("/", 1)[-1]
    found = _OWN_NAME.search(name)
    name = found[1] if found else name
    llama = _LLAMA.match(name)  # llama3.1, llama3-1, llama-3.1
    if llama is None:
        return name
    minor = f".{llama[2]}" if llama[2] else ""
    return f"llama-{llama[1]}{minor}{name[llama.end() :]}"


def _claude_version(name: str) -> tuple[int, int] | None:
    """Major and minor of ``claude-sonnet-4-6`` and ``claude-3-5-sonnet-20241022``."""
    found = _CLAUDE.match(name)
    return (int(found[1]), int(found[2] or 0)) if found else None


def _longest(name: str, table: Mapping[str, T]) -> T | None:
    """The entry of the longest beginning of ``name`` in ``table``."""
    best = max((key for key in table if name.startswith(key)), key=len, default=None)
    return None if best is None else table[best]
