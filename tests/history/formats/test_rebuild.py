"""Rebuilding records: what was not changed stays, whatever else a record holds."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.formats import NAMES, load
from mewctl.history.formats.blocks import is_unknown
from mewctl.history.view import Call, Result, Text

SHARED = Path(__file__).parents[3].parent / "shared" / "data" / "transcripts"

words = st.text(max_size=12) | st.sampled_from(["用户说的话", "\u2028", "\ud800", " "])
some = st.text(min_size=1, max_size=8)
scalars = st.none() | st.booleans() | st.integers() | words
odd = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(some, inner, max_size=2)
    ),
    max_leaves=4,
)
extras = st.dictionaries(
    st.sampled_from(["x_vendor", "citations", "cache_control", "weight"]),
    odd,
    max_size=2,
)


def record(required, **optional):
    """An object with fixed, generated and unknown keys."""
    fixed = st.fixed_dictionaries(required, optional=optional)
    return st.tuples(fixed, extras).map(lambda two: {**two[1], **two[0]})


def just(**values):
    return {key: st.just(value) for key, value in values.items()}


texts = record({**just(type="text"), "text": words})
unknown = record({"type": st.sampled_from(["search_result", "new_kind", "document"])})
source = st.one_of(
    record({**just(type="base64", media_type="image/png"), "data": some}),
    record({**just(type="url"), "url": words}),
    record({**just(type="file"), "file_id": words}),
)
images = record({**just(type="image"), "source": source | odd})
thinking = st.one_of(
    record({**just(type="thinking"), "thinking": words}, signature=words),
    record({**just(type="redacted_thinking"), "data": words}),
)
bodies = words | st.none() | st.lists(st.one_of(texts, images, unknown), max_size=3)

MEW = record(
    {"role": st.sampled_from(["user", "assistant", "system", "tool"])},
    content=words
    | st.none()
    | st.lists(
        st.one_of(
            texts,
            thinking,
            images,
            unknown,
            record({**just(type="tool_call"), "id": st.sampled_from(["a", "b"])}),
        ),
        max_size=4,
    ),
    tool_calls=st.none()
    | st.lists(
        record(
            {"id": st.sampled_from(["a", "b"]) | odd, "name": words, "input": odd},
            kind=st.sampled_from(["custom", 5]),
        ),
        max_size=3,
    ),
    tool_results=st.lists(
        record({"tool_call_id": words, "content": bodies}, is_error=odd), max_size=3
    ),
    ts=odd,
    model=odd,
    usage=odd | st.just({"input": 3, "output": 4}),
    injected=odd,
)
ANTHROPIC = record(
    {
        "role": st.sampled_from(["user", "assistant", "system"]),
        "content": words
        | st.lists(
            st.one_of(
                texts,
                thinking,
                images,
                unknown,
                record({**just(type="tool_use"), "id": words}, name=words, input=odd),
                record({**just(type="tool_result")}, content=bodies, tool_use_id=words),
            ),
            max_size=5,
        ),
    },
    usage=odd,
)
parts = st.one_of(
    texts,
    record({**just(type="refusal"), "refusal": words}),
    record({**just(type="image_url"), "image_url": odd | st.just({"url": "http://x"})}),
    record({**just(type="input_audio"), "input_audio": odd}),
)
OPENAI = st.one_of(
    record(
        {"role": st.sampled_from(["user", "assistant", "system", "developer"])},
        content=words | st.none() | st.lists(parts, max_size=4),
        refusal=words | st.none(),
        reasoning_content=words | odd.filter(lambda value: not isinstance(value, str)),
        audio=st.none() | st.just({"id": "a1"}),
        function_call=st.none() | st.just({"name": "f", "arguments": "{}"}),
        tool_calls=st.none()
        | st.lists(
            record(
                {"id": words, "type": st.just("function")},
                function=record({"name": words, "arguments": words | odd}) | odd,
                custom=record({"name": words, "input": words}) | odd,
            ),
            max_size=3,
        ),
    ),
    record(
        {"role": st.sampled_from(["tool", "function"])},
        tool_call_id=odd,
        name=words,
        content=words | st.none() | st.lists(parts, max_size=3),
    ),
)
item_texts = record(
    {"type": st.sampled_from(["input_text", "output_text", "summary_text"])}, text=words
)
item_parts = st.one_of(
    item_texts,
    record({**just(type="refusal"), "refusal": words}),
    record({**just(type="input_image")}, image_url=words | st.none(), file_id=words),
    record({**just(type="input_file"), "file_id": words}),
    unknown,
)
item_bodies = words | st.none() | st.lists(item_parts, max_size=3)
chunks = st.lists(
    record({"stdout": words, "stderr": words}, outcome=odd)
    | record({**just(stdout="x"), "stderr": odd}),
    max_size=3,
)
head = {"id": words | st.none(), "status": st.sampled_from(["completed", "failed"])}
ITEM = st.one_of(
    record(
        {"role": st.sampled_from(["user", "assistant", "system", "developer"])},
        **just(type="message"),
        content=item_bodies,
        **head,
    ),
    record(
        just(type="reasoning"),
        summary=st.lists(item_texts, max_size=2),
        content=st.none() | st.lists(item_texts, max_size=2),
        encrypted_content=st.none() | words,
        **head,
    ),
    record(just(type="function_call"), call_id=words, name=words, arguments=odd),
    record(just(type="custom_tool_call"), call_id=words, name=words, input=words | odd),
    record({"type": st.just("shell_call"), "call_id": words}, action=odd, **head),
    record({"type": st.just("local_shell_call"), "action": odd}, **head),
    record({"type": st.just("apply_patch_call"), "operation": odd}, **head),
    record(
        {"type": st.sampled_from(["function_call_output", "custom_tool_call_output"])},
        call_id=words | st.none(),
        output=item_bodies,
    ),
    record(just(type="shell_call_output"), call_id=words, output=chunks),
    record(just(type="apply_patch_call_output"), output=words | st.none(), **head),
    record(just(type="local_shell_call_output"), call_id=words, output=words, **head),
    record(
        {"type": st.sampled_from(["web_search_call", "new_call", "program_output"])},
        action=odd,
    ),
    record({"type": st.sampled_from(["progress", "new_kind"])}),
)
RESPONSES = st.one_of(
    ITEM,
    record(
        {**just(object="response"), "output": st.lists(ITEM, max_size=4)},
        usage=odd,
        model=words,
        created_at=odd,
    ),
)
RECORDS = {
    "mew": MEW,
    "anthropic": ANTHROPIC,
    "openai": OPENAI,
    "responses": RESPONSES,
}


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_a_record_rebuilt_from_its_own_parts_is_the_same(name, data):
    value = data.draw(RECORDS[name])
    before = copy.deepcopy(value)
    form = load(name)
    seen = form.view(value).parts
    assert form.rebuild(value, seen) == (before if seen else None)
    assert value == before


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_an_edit_changes_only_the_part_it_is_about(name, data):
    value = data.draw(RECORDS[name])
    before = copy.deepcopy(value)
    form = load(name)
    seen = list(form.view(value).parts)
    editable = [i for i, p in enumerate(seen) if isinstance(p, (Call, Result))]
    if not editable:
        return
    chosen = data.draw(st.sampled_from(editable))
    part = seen[chosen]
    changed = (
        part.with_text("NEW")
        if isinstance(part, Result)
        else part.with_input({"new": 1})
    )
    built = form.rebuild(value, [*seen[:chosen], changed, *seen[chosen + 1 :]])
    assert built is not None
    after = form.view(built).parts
    assert value == before
    assert len(after) == len(seen)
    for i, (old, new) in enumerate(zip(seen, after, strict=True)):
        if i != chosen:
            assert new == old
        elif isinstance(new, Result):
            assert new.text == "NEW"
            assert [c for c in new.content if not isinstance(c, Text)] == [
                c for c in old.content if not isinstance(c, Text)
            ]
        else:
            assert new.input in ({"new": 1}, '{"new":1}')
            assert (new.id, new.name, new.kind) == (old.id, old.name, old.kind)
    for key in before.keys() - home(name, changed):
        assert built[key] == before[key]


def home(name, part):
    """The keys of a record where a part stands."""
    if name == "responses":
        return {"output", "arguments", "input", "action", "operation"}
    if name == "anthropic" or (name == "openai" and isinstance(part, Result)):
        return {"content"}
    if isinstance(part, Result):
        return {"tool_results"}
    return {"tool_calls", "function_call"}


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_any_object_gives_a_view_or_a_value_error_of_one_line(name, data):
    keys = (
        "role content tool_calls tool_results type record format usage ts choices"
        " object output summary arguments action"
    )
    value = data.draw(
        st.dictionaries(
            st.sampled_from(keys.split()),
            odd
            | st.sampled_from(
                [
                    "user",
                    "assistant",
                    "tool",
                    "function",
                    "mew",
                    "openai",
                    "response",
                    "reasoning",
                    "function_call",
                    "shell_call_output",
                ]
            )
            | st.lists(st.dictionaries(st.sampled_from(["type", "id", "text"]), odd)),
        )
    )
    form = load(name)
    try:
        seen = form.view(value).parts
    except ValueError as error:
        words = str(error)
    else:
        words = ""
        if seen:
            assert form.rebuild(value, seen) == value
    assert "\n" not in words


def _messages():
    for path in sorted(SHARED.glob("claude-code/*.jsonl")):
        for line in path.read_bytes().split(b"\n"):
            try:
                value = json.loads(line)
            except ValueError:
                continue
            message = value.get("message")
            if isinstance(message, dict) and "role" in message:
                yield message


def _items():
    for path in sorted(SHARED.glob("codex/*.jsonl")):
        for line in path.read_bytes().split(b"\n"):
            value = json.loads(line) if line.startswith(b"{") else {}
            if value.get("type") == "response_item":
                yield value["payload"]


@pytest.mark.skipif(not SHARED.is_dir(), reason="no real transcripts here")
def test_real_items_rebuild_to_themselves():
    form = load("responses")
    count = 0
    for item in _items():
        message = form.view(item)
        assert form.rebuild(item, message.parts) == item
        count += not is_unknown(message)
    assert count > 500


@pytest.mark.skipif(not SHARED.is_dir(), reason="no real transcripts here")
def test_real_messages_rebuild_to_themselves():
    form = load("anthropic")
    count = 0
    for message in _messages():
        seen = form.view(message).parts
        assert form.rebuild(message, seen) == message
        count += 1
    assert count > 1000
