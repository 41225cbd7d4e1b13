"""What the API behind a format accepts: the rules that repair keeps.

Sources: the refusals that these APIs answer with (HTTP 400), as publicly reported.
Must not decide what to do about a breach.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mewctl import limits


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one API.

    Attributes:
        together: the results of one assistant message stand in one message.
        result_roles: the roles (of views) of messages that may hold results.
        user_first: the first message after system text is the user's.
        alternates: no two messages of one side stand in a row.
        strict_blocks: blank text, thinking without a signature, thinking as the very
            last word, and system text after the first user message are refused.
        blank_message: a message of blank text is a message.
        call_id: what the id of a call looks like.
        thinking_leads: thinking that nothing of the same message follows is refused.
    """

    together: bool
    result_roles: frozenset[str]
    user_first: bool
    alternates: bool
    strict_blocks: bool
    blank_message: bool
    call_id: re.Pattern[str]
    thinking_leads: bool = False


_BY_NAME = {
    # "first message must use the user role", "roles must alternate" (the first-party
    # API joins such messages itself, its relatives refuse them), "text content blocks
    # must contain non-whitespace text", "id: String should match pattern".
    "anthropic": Rules(
        together=True,
        result_roles=frozenset({"user", "tool"}),
        user_first=True,
        alternates=True,
        strict_blocks=True,
        blank_message=False,
        call_id=re.compile(r"[A-Za-z0-9_-]+"),
    ),
    # Chat Completions takes roles in any order and blank text; each call is answered
    # at once; "string too long. Expected a string with maximum length".
    "openai": Rules(
        together=False,
        result_roles=frozenset({"tool"}),
        user_first=False,
        alternates=False,
        strict_blocks=False,
        blank_message=True,
        call_id=re.compile(rf"(?s).{{1,{limits.OPENAI_ID_CHARS}}}"),
    ),
    # "No tool output found for function call", "No tool call found for function call
    # output", "'reasoning' was provided without its required following item"; the
    # same words on a call_id that is too long.
    "responses": Rules(
        together=False,
        result_roles=frozenset({"tool"}),
        user_first=False,
        alternates=False,
        strict_blocks=False,
        blank_message=True,
        call_id=re.compile(rf"(?s).{{1,{limits.RESPONSES_ID_CHARS}}}"),
        thinking_leads=True,
    ),
    # mew is meant for any API; what a conversion sets right by itself is no breach.
    "mew": Rules(
        together=True,
        result_roles=frozenset({"tool"}),
        user_first=True,
        alternates=False,
        strict_blocks=False,
        blank_message=False,
        call_id=re.compile(r"(?s).+"),
    ),
}


def rules_for(name: str) -> Rules:
    """The rules of the format called ``name``. Raises ``KeyError``."""
    return _BY_NAME[name]
