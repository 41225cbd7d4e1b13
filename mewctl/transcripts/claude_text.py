"""Whose words a text of a Claude Code transcript is, and what attachments say.

A slash command is the command with its arguments, as it was typed. Its arguments are
the user's words; so is a command without any that starts a prompt of its own (Claude
Code writes its ``<command-message>`` first), while a bare built-in such as ``/clear``
is a switch, not words. Texts that hold nothing but what Claude Code or its tools put
there are injected. Must not know links or messages.

Attachments are told as text when a model saw text that is part of the work: queued
prompts, files and edits shown to it, memory files, hooks, diagnostics, reminders with
items, plans. Left out: what describes the old agent's own equipment (tools, skills and
agents at hand, modes, permissions, budgets) and what only its screen showed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import as_text, json_text
from mewctl.history.words import own_words

if TYPE_CHECKING:
    from collections.abc import Mapping

_TAG = re.compile(r"\s*<(command-name|command-message|skill-format)>([^<]*)</\1>")
_ARGUMENTS = re.compile(r"\s*<command-args>(.*)</command-args>\s*", re.DOTALL)
_FROM_AGENTS = (
    "<teammate-message",
    "<cross-session-message",
    "<agent-message",
    "Another Claude session sent a message:",
    "[Cross-session delivery notice]",
)
_PEOPLE = ("human", "cli", "user")  # kinds of origin that are the user

_EQUIPMENT = frozenset(
    {
        "agent_listing_delta",
        "already_read_file",
        "auto_mode",
        "budget_usd",
        "command_permissions",
        "date_change",
        "deferred_tools_delta",
        "dynamic_skill",
        "edited_image_file",
        "environment",
        "goal_status",
        "hook_cancelled",
        "hook_error_during_execution",
        "hook_non_blocking_error",
        "hook_permission_decision",
        "hook_system_message",
        "instructions",
        "mcp_instructions_delta",
        "output_style",
        "prompt_snapshot",
        "skill_listing",
        "structured_output",
        "token_usage",
        "total_tokens_reminder",
        "ultra_effort_enter",
        "ultra_effort_exit",
    }
)

# Where an attachment of a type says what it is about, and its text: paths of keys.
_SHAPES: dict[str, tuple[str, str]] = {
    "compact_file_reference": ("filename", ""),
    "directory": ("path", "content"),
    "edited_text_file": ("filename", "snippet"),
    "file": ("filename", "content.file.content"),
    "hook_additional_context": ("hookName", "content"),
    "hook_blocking_error": ("hookName", "blockingError.blockingError"),
    "hook_stopped_continuation": ("hookName", "message"),
    "nested_memory": ("content.path", "content.content"),
    "new_file": ("filename", "content.file.content"),
    "opened_file_in_ide": ("filename", ""),
    "plan_file_reference": ("planFilePath", "planContent"),
    "plan_mode": ("planFilePath", ""),
    "plan_mode_exit": ("planFilePath", ""),
    "read_truncation_notice": ("", "banner"),
    "selected_lines_in_ide": ("filename", "content"),
    "task_status": ("description", "status"),
}
# Attachments that are lists: the key of the list, what each item is, and its text.
_LISTS: dict[str, tuple[str, str, str]] = {
    "diagnostics": ("files", "uri", "diagnostics"),
    "invoked_skills": ("skills", "name", "content"),
    "relevant_memories": ("memories", "path", "content"),
    "task_reminder": ("content", "status", "subject"),
    "todo": ("content", "status", "content"),
    "todo_reminder": ("content", "status", "content"),
}


def said(text: str) -> tuple[str, bool]:
    """A text as it is to be told, and whether it is injected (no words of the user)."""
    command = _command(text)
    if command is not None:
        return command
    injected = not own_words(text) or text.lstrip().startswith(_FROM_AGENTS)
    return text, injected


def _command(text: str) -> tuple[str, bool] | None:
    fields: dict[str, str] = {}
    at = 0
    while match := _TAG.match(text, at):
        fields.setdefault(match.group(1), match.group(2))
        at = match.end()
    name = fields.get("command-name", "")
    rest = _ARGUMENTS.fullmatch(text, at)
    if not name or (rest is None and text[at:].strip()):
        return None  # no command, or more than one: the text stays as it is
    arguments = rest.group(1) if rest else ""
    if arguments.strip():
        return f"{name} {arguments}", False
    return name, next(iter(fields)) != "command-message"


def from_people(record: Mapping[str, Any]) -> bool:
    """Whether a user record or queued prompt comes from the user, by its labels."""
    if record.get("isMeta") is True or record.get("isCompactSummary") is True:
        return False
    origin = record.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return kind is None or kind in _PEOPLE


def attachment_text(record: Mapping[str, Any], attachment: Mapping[str, Any]) -> str:
    """What the model was shown of an attachment; empty if it is not to be told.

    Newer releases write the very text (``rendered``), which is taken as it is.
    """
    kind = as_text(attachment.get("type"))
    if kind in _EQUIPMENT:
        return ""
    rendered = record.get("rendered")
    if isinstance(rendered, list):
        text = _plain([_at(item, "content") for item in rendered])
        if text:
            return text
    if kind in _LISTS:
        key, about, body = _LISTS[kind]
        text = _items(attachment.get(key), about, body)
        return f"[{kind}]\n{text}" if text else ""
    about, body = _SHAPES.get(kind, ("", "text"))
    head = _plain(_at(attachment, about))
    title = f"[{kind or 'attachment'} {head}]" if head else f"[{kind or 'attachment'}]"
    if not body:
        return title
    text = _plain(_at(attachment, body))
    if kind not in _SHAPES:  # new types appear about monthly
        text = text or _plain(attachment.get("content"))
    return f"{title}\n{text}" if text else ""


def _items(items: object, about: str, body: str) -> str:
    if not isinstance(items, list):
        return ""
    return "\n".join(
        f"- {_plain(item.get(about))}: {_plain(item.get(body))}"
        for item in items
        if isinstance(item, dict)
    )


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _plain(value: object) -> str:
    """The text of a string, of a list of texts or blocks, or what else is there."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(text for item in value if (text := _plain(item)))
    if isinstance(value, dict):
        inner = value.get("text")
        return inner if isinstance(inner, str) else json_text(value)
    return ""
