"""Messages and whole responses, as agents and providers write them."""

from __future__ import annotations

import time

MESSAGES = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "text", "text": "yes"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 2},
}
CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "gpt-x",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "yes"}},
        {"index": 1, "message": {"role": "assistant", "content": "no"}},
    ],
    "usage": {"prompt_tokens": 7, "completion_tokens": 1},
}
RESPONSES = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1700000000,
    "model": "gpt-x",
    "status": "completed",
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "yes"}],
        },
    ],
    "usage": {"input_tokens": 7, "output_tokens": 1},
}
THOUGHT = {
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
        {"type": "text", "text": "yes"},
    ],
}


def user(text="hi", **more):
    return {"role": "user", "content": text, **more}


def turns(count, start=0, size=400):
    """Turns of a conversation, each with a call and its result."""
    made = []
    for n in range(start, start + count):
        call = {"id": f"c{n}", "name": "bash", "input": {"command": f"cat {n}.txt"}}
        text = f"{n} is fine. " * (size // 10)
        made += [
            user(f"Please change part {n}", ts=1000 + n),
            {"role": "assistant", "content": "I look.", "tool_calls": [call], "ts": 1},
            {
                "role": "tool",
                "tool_results": [{"tool_call_id": f"c{n}", "content": text}],
            },
            {"role": "assistant", "content": f"Part {n} is done.", "ts": time.time()},
        ]
    return made
