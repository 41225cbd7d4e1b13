from __future__ import annotations

import pytest

from mewctl.history import text_calls
from mewctl.history.view import Call, Message, Text

BLOCK = "I look.\n\n```mswea_bash_command\nls -la\n```"


def says(text: str, role: str = "assistant") -> Message:
    return Message(role, (Text(text),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "command"),
    [
        (says(BLOCK), "ls -la"),
        (says(BLOCK + BLOCK), None),
        (says("```bash\nls\n```"), None),
        (says("```mswea_bash_command\nunclosed"), None),
        (says(BLOCK, "user"), None),
    ],
)
def test_one_marked_block_is_a_call(message: Message, command: str | None) -> None:
    call = text_calls.call_in(message)
    assert (call.input if call else None) == ({"command": command} if command else None)


def test_the_answer_is_a_user_message_with_a_return_code() -> None:
    call = Call("text", "bash", {"command": "ls"})
    answer = text_calls.answer(says("<returncode>0</returncode>\nx", "user"), call)
    assert answer is not None
    assert answer.call_id == text_calls.ID
    assert text_calls.answer(says("well done", "user"), call) is None


def test_what_comes_back_after_handing_in_is_output() -> None:
    command = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff"
    call = Call("text", "bash", {"command": command})
    assert text_calls.answer(says("diff --git a b", "user"), call) is not None
    assert text_calls.answer(says("x", "user"), Call("text", "bash", "x")) is None


def test_prose_is_the_text_without_its_call() -> None:
    assert text_calls.prose(BLOCK) == "I look."
