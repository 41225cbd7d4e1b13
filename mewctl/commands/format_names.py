"""What the formats and transcripts are, for ``mewctl help formats``. Data only.

A test holds the names to the registries.
"""

from __future__ import annotations

MESSAGES = {
    "mew": "mewctl's own: messages with calls, results, usage, model and time",
    "anthropic": "Messages API: content blocks, tool_use, tool_result",
    "openai": "Chat Completions: tool_calls, messages of role tool",
    "responses": "Responses API: items such as message and function_call",
}
AGENTS = {
    "claude-code": "Claude Code: ~/.claude/projects/*/*.jsonl",
    "codex": "Codex: ~/.codex/sessions/*/*/*/rollout-*.jsonl",
    "gemini-cli": "Gemini CLI: ~/.gemini/tmp/*/chats/session-*.json[l]",
    "pi": "pi: ~/.pi/agent/sessions/*/*.jsonl",
    "openhands": "OpenHands: events one a line, an array of them, a trajectory",
    "swe-agent": "SWE-agent: *.traj",
    "kimi-cli": "Kimi: ~/.kimi/sessions/*/*/{context,wire}.jsonl, Kimi Code's wire",
    "qwen-code": "Qwen Code: ~/.qwen/projects/*/chats/*.jsonl",
    "copilot-cli": "Copilot CLI: ~/.copilot/session-state/*/events.jsonl",
}
_CLOSING = """\
--from auto, the default, tells them apart by content. A filter gives back the
format it was given; a transcript comes out as mew unless --to says otherwise.
An input may also be one JSON document: an array of messages, an object with
messages, a provider's response. docs/formats.md says what each can carry.
"""


def text() -> str:
    """The topic, in lines of at most 80 characters."""
    return "\n".join(
        (
            "Message formats (read, written, filtered in place):",
            "",
            *_rows(MESSAGES),
            "",
            "Transcripts of agents (read only):",
            "",
            *_rows(AGENTS),
            "",
            _CLOSING,
        )
    )


def _rows(words: dict[str, str]) -> list[str]:
    return [f"  {name:<12} {meaning}" for name, meaning in words.items()]
