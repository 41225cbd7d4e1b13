"""The items of the Responses API: which there are, who says them, how one is known.

Tables, and the tests by type and keys. Must not read what an item says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.history.view import Kind


class CallType(NamedTuple):
    """A type of call: kind in a view, name ("": it has its own), key of its input."""

    kind: Kind
    name: str
    input: str


#: Calls whose outputs are text, so that a view can show both.
CALLS: dict[str, CallType] = {
    "function_call": CallType("function", "", "arguments"),
    "custom_tool_call": CallType("custom", "", "input"),
    "local_shell_call": CallType("local_shell", "local_shell", "action"),
    "shell_call": CallType("shell", "shell", "action"),
    "apply_patch_call": CallType("apply_patch", "apply_patch", "operation"),
}
#: What answers a call of each kind.
OUTPUTS: dict[str, Kind] = {f"{name}_output": call.kind for name, call in CALLS.items()}
CALL_OF: dict[Kind, str] = {call.kind: name for name, call in CALLS.items()}
OUTPUT_OF: dict[Kind, str] = {kind: name for name, kind in OUTPUTS.items()}

#: Items that a view shows in common words.
TOLD = frozenset((*CALLS, *OUTPUTS, "reasoning"))

#: Items of the model that the view shows as opaque (SDK 3.57).
MODEL_ITEMS = frozenset(
    {
        "code_interpreter_call",
        "compaction",
        "computer_call",
        "file_search_call",
        "image_generation_call",
        "item_reference",
        "mcp_approval_request",
        "mcp_call",
        "mcp_list_tools",
        "program",
        "tool_search_call",
        "web_search_call",
    }
)
#: Items of everybody else that the view shows as opaque: answers, and settings.
OTHER_ITEMS = frozenset(
    {
        "additional_tools",
        "compaction_trigger",
        "computer_call_output",
        "configuration_update",
        "mcp_approval_response",
        "program_output",
        "tool_search_output",
    }
)
#: Parts of a user's message, and of a function's output, that are opaque.
OPAQUE_CONTENT = frozenset({"input_audio", "input_file"})
#: Parts of content that no other API has, or that only some have.
CONTENT = frozenset({"input_text", "input_image", "input_file", "output_text"})

# A word like "program" or "reasoning" may be a type elsewhere too: one of these keys
# must be there.
_NEEDS: dict[str, tuple[str, ...]] = {
    "reasoning": ("summary", "encrypted_content", "content"),
    "item_reference": ("id",),
    "program": ("code",),
    "configuration_update": ("reasoning", "text"),
    **dict.fromkeys((*CALLS, *OUTPUTS, "program_output"), ("call_id",)),
    "local_shell_call_output": ("call_id", "id"),
}
_ALL = TOLD | MODEL_ITEMS | OTHER_ITEMS


def type_of(value: Mapping[str, Any]) -> str:
    """The ``type`` of an item, "" for a message and for what has none."""
    kind = value.get("type")
    return kind if isinstance(kind, str) and kind != "message" else ""


def is_item(value: Mapping[str, Any]) -> bool:
    """Whether ``value`` can only be an item of this API that is no message."""
    kind = type_of(value)
    if kind not in _ALL:
        return False
    if kind == "compaction":  # a block of the Messages API has content, too
        return "encrypted_content" in value and "content" not in value
    needed = _NEEDS.get(kind)
    return needed is None or any(key in value for key in needed)
