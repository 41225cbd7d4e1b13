"""An independent judge: would the API take this history? Knows nothing of mewctl.

Strict where APIs differ: what any of the Messages-compatible, or any of the Chat
Completions servers refuses is an error. ``errors(name, records)`` lists them in words.
Records of a role that the API does not know are not looked at: filters pass them.
"""

from __future__ import annotations

import re
from collections import Counter

import parts_validity as parts

_NAME = re.compile(r"[A-Za-z0-9_-]+")


def errors(name, records):
    """What the API behind the format ``name`` would refuse, a line each."""
    judges = {
        "anthropic": anthropic,
        "openai": openai,
        "responses": responses,
        "mew": mew,
    }
    return judges[name](records)


def _blank(text):
    return not isinstance(text, str) or not text.strip()


def _unique(ids, found):
    found += [
        f"the id {i!r} is used {n} times" for i, n in Counter(ids).items() if n > 1
    ]


def _same(calls, results, where, found):
    calls, results = sorted(map(repr, calls)), sorted(map(repr, results))
    if calls != results:
        found.append(f"{where}: calls {calls}, results {results}")


# --- Messages API ---


def anthropic(records):
    found = []
    roles = ("user", "assistant", "system")
    messages = [r for r in records if r.get("role") in roles]
    while messages and messages[0]["role"] == "system":
        _system(messages.pop(0), found)
    talk = [m for m in messages if not _late_but_fine(m, found)]
    if talk and talk[0]["role"] != "user":
        found.append("the first message is not the user's")
    ids = []
    waiting = []
    for n, message in enumerate(talk):
        where = f"message {n}"
        last = n == len(talk) - 1
        if n and message["role"] == talk[n - 1]["role"]:
            found.append(f"{where}: roles do not alternate")
        blocks = _blocks(message, last, where, found)
        results = [b for b in blocks if b.get("type") == "tool_result"]
        _same(waiting, [b.get("tool_use_id") for b in results], where, found)
        if message["role"] == "user":
            waiting = []
            _user(blocks, where, found)
        else:
            waiting = _assistant(blocks, last, where, found)
            ids += waiting
    _same(waiting, [], "the end", found)
    _unique(ids, found)
    return found


def _system(message, found):
    content = message.get("content")
    texts = (
        content if isinstance(content, list) else [{"type": "text", "text": content}]
    )
    if not texts:
        found.append("empty system message")
    for block in texts:
        kind = block.get("type")
        if kind == "text" and _blank(block.get("text")):
            found.append("blank system text")
        if kind in ("tool_use", "tool_result", "thinking"):
            found.append(f"{kind} in system text")


def _late_but_fine(message, found):
    if message["role"] != "system":
        return False
    content = message.get("content")
    kinds = [b.get("type") for b in content] if isinstance(content, list) else ["text"]
    common = {"text", "image", "thinking", "tool_use", "tool_result"}
    if common.issuperset(kinds):
        found.append("system text after the first user message")
    elif kinds and isinstance(content, list):
        _system(message, found)
    return True


def _blocks(message, last, where, found):
    content = message.get("content")
    if isinstance(content, str):
        if not content.strip() and not (
            last and not content and message["role"] == "assistant"
        ):
            found.append(f"{where}: blank content")
        return []
    if not content and not (last and message["role"] == "assistant"):
        found.append(f"{where}: no content")
    for block in content or ():
        if block.get("type") == "text" and _blank(block.get("text")):
            found.append(f"{where}: blank text block")
        found += [f"{where}: {why}" for why in parts.anthropic(block)]
    return content or []


def _user(blocks, where, found):
    kinds = [b.get("type") for b in blocks]
    found += [
        f"{where}: {kind} in a user message"
        for kind in kinds
        if kind in ("tool_use", "thinking", "redacted_thinking")
    ]
    results = kinds.count("tool_result")
    if "tool_result" in kinds[results:]:
        found.append(f"{where}: something before the results")
    for block in blocks:
        if block.get("type") == "tool_result":
            _result(block, where, found)


def _result(block, where, found):
    content = block.get("content")
    if block.get("is_error") is True:
        inner = content if isinstance(content, list) else [content]
        if not any(b if isinstance(b, str) else isinstance(b, dict) for b in inner):
            found.append(f"{where}: an error result without content")
    if isinstance(content, list):
        found += [
            f"{where}: blank text in a result"
            for b in content
            if b.get("type") == "text" and _blank(b.get("text"))
        ]


def _assistant(blocks, last, where, found):
    ids = []
    for block in blocks:
        kind = block.get("type")
        if kind == "tool_result":
            found.append(f"{where}: a result in an assistant message")
        if kind == "thinking" and not block.get("signature"):
            found.append(f"{where}: thinking without a signature")
        if kind == "tool_use":
            call_id = block.get("id")
            if not isinstance(call_id, str) or not _NAME.fullmatch(call_id):
                found.append(f"{where}: the API takes no id {call_id!r}")
            ids.append(call_id)
    if last and blocks and blocks[-1].get("type") in ("thinking", "redacted_thinking"):
        found.append(f"{where}: the last word is thinking")
    return ids


# --- Chat Completions ---


def openai(records):
    found = []
    roles = ("system", "developer", "user", "assistant", "tool")
    messages = [r for r in records if r.get("role") in roles]
    ids = []
    waiting, results = [], []
    for n, message in enumerate(messages):
        where = f"message {n}"
        found += [f"{where}: {why}" for why in parts.openai(message)]
        if message["role"] == "tool":
            results.append(message.get("tool_call_id"))
            if not isinstance(message.get("content"), (str, list)):
                found.append(f"{where}: a tool message without content")
            continue
        _same(waiting, results, where, found)
        waiting, results = [], []
        calls = message.get("tool_calls") if message["role"] == "assistant" else None
        if calls:
            waiting = [call.get("id") for call in calls]
            ids += waiting
            found += [
                f"{where}: the API takes no id {i!r}"
                for i in waiting
                if not isinstance(i, str) or not 0 < len(i) <= 40
            ]
        elif not (
            isinstance(message.get("content"), str)
            or message.get("content")
            or any(message.get(k) for k in ("refusal", "audio", "function_call"))
        ):
            found.append(f"{where}: no content")
    _same(waiting, results, "the end", found)
    _unique(ids, found)
    return found


# --- Responses API ---

_CALLS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "shell_call": "shell_call_output",
}
_BESIDE = ("computer_call_output", "mcp_approval_response")
_END = {"type": "end"}
_APART = {"type": "where a whole response begins or ends"}
_DONE = {"type": "web_search_call"}


def responses(records):
    """Turns of the model, each with what answers it, and what others say.

    What nobody knows ends what the model says in a row, but not what answers it.
    """
    found, ids = [], []
    turn, results, parted = [], [], False
    for n, item in enumerate([*_items(records), _END]):
        side = _side(item)
        found += [f"item {n}: {why}" for why in parts.responses(item)]
        if side == "result":
            results.append(item.get("call_id"))
            found += [] if _speaks(item) else [f"item {n}: an output without content"]
        elif side == "nobody":
            parted = True
        elif side == "model" and not (results or parted):
            turn.append(item)
        else:
            ids += _turn(turn, results, f"before item {n}", found)
            turn, results, parted = [item] if side == "model" else [], [], False
        if "role" in item and side != "nobody" and not _has_content(item):
            found.append(f"item {n}: no content")
    found += [f"the API takes no id {i!r}" for i in ids if not _is_call_id(i)]
    _unique(ids, found)
    return found


def _items(records):
    for record in records:
        if record.get("object") != "response":
            yield record
            continue
        yield _APART
        hosted = (i.get("call_id") == "h" for i in record["output"])
        yield from (
            _DONE if h else i for h, i in zip(hosted, record["output"], strict=True)
        )
        yield _APART


def _side(item):
    kind, role = item.get("type", "message"), item.get("role")
    if kind in _CALLS.values():
        return "result"
    if kind.endswith("_call") or kind == "reasoning" or role == "assistant":
        return "model"
    known = kind == "end" or role in ("user", "system", "developer")
    return "other" if known else "nobody"


def _turn(turn, results, where, found):
    """Judge one turn; the ids of its calls."""
    calls = [item.get("call_id") for item in turn if item.get("type") in _CALLS]
    _same(calls, results, where, found)
    if turn and turn[-1].get("type") == "reasoning":
        found.append(f"{where}: reasoning that nothing follows")
    return calls


def _speaks(output):
    said = output.get("output")
    if output["type"] == "shell_call_output":
        return isinstance(said, list)
    return isinstance(said, str) or (isinstance(said, list) and said != [])


def _has_content(message):
    return message.get("content") == "" or bool(message.get("content"))


def _is_call_id(value):
    return isinstance(value, str) and 0 < len(value) <= 64


# --- mew ---


def mew(records):
    found = []
    roles = ("system", "user", "assistant", "tool")
    messages = [r for r in records if r.get("role") in roles]
    talk = [m for m in messages if m["role"] != "system"]
    if talk and talk[0]["role"] != "user":
        found.append("the first message is not the user's")
    ids = []
    waiting = []
    for n, message in enumerate(messages):
        where = f"message {n}"
        results = [r.get("tool_call_id") for r in message.get("tool_results") or ()]
        if results and message["role"] != "tool":
            found.append(f"{where}: results in role {message['role']}")
        _same(waiting, results, where, found)
        if message["role"] == "tool" and not results:
            found.append(f"{where}: a tool message without results")
        waiting = [c.get("id") for c in message.get("tool_calls") or ()]
        if waiting and message["role"] != "assistant":
            found.append(f"{where}: calls in role {message['role']}")
        ids += waiting
        if "" in waiting:
            found.append(f"{where}: an empty id")
        if not waiting and not results and not _says(message.get("content")):
            found.append(f"{where}: says nothing")
    _same(waiting, [], "the end", found)
    _unique(ids, found)
    return found


def _says(content):
    if isinstance(content, str):
        return bool(content.strip())
    return any(
        b.get("type") != "text" or not _blank(b.get("text")) for b in content or ()
    )
