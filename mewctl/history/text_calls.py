"""Calls that an agent writes into its text, and gets answered by user messages. Pure.

Agents without tool calls (mini-swe-agent) put a command into a fenced block and get its
output back in a user message. Only their own marks count, never an ordinary code block.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mewctl.history.view import Call, Result, Text

if TYPE_CHECKING:
    from mewctl.history.view import Message

_BLOCK = re.compile(r"```mswea_bash_command\n(.*?)\n```", re.DOTALL)
_MARK = "```mswea_bash_command"
_ANSWER = re.compile(r"\A<returncode>-?\d{1,9}</returncode>\n")
_SUBMIT = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
#: The id that such a call gets: one is open at a time.
ID = "text"


def call_in(message: Message) -> Call | None:
    """The one command in an assistant's text, as a call."""
    if message.role != "assistant" or not any(
        isinstance(part, Text) and _MARK in part.text for part in message.parts
    ):
        return None
    found = _BLOCK.findall(message.text)
    return Call(ID, "bash", {"command": found[0]}) if len(found) == 1 else None


def answer(message: Message, call: Call) -> Result | None:
    """The output that a user message brings, as the result of ``call``.

    The last command hands the work in; what comes back then is its output too.
    """
    text = message.text
    submitted = isinstance(call.input, dict) and _SUBMIT in call.input["command"]
    if _ANSWER.match(text) or submitted:
        return Result(ID, (Text(text),))
    return None


def prose(text: str) -> str:
    """What an assistant's text says around its call."""
    return _BLOCK.sub("", text).strip()
