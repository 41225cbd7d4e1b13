"""Codex: items as messages, whose words they are, copies, and what is left out."""

from __future__ import annotations

import orjson
import pytest

from mewctl.history.view import Call, Image, Opaque, Text, Thinking
from mewctl.transcripts import codex

PNG = "data:image/png;base64,iVBORw0KGgo="


class Rollout:
    """Builds records; time goes on by a second with each."""

    def __init__(self):
        self.lines = []

    def line(self, kind, payload, **fields):
        n = len(self.lines)
        stamp = f"2026-03-01T09:{n // 60:02}:{n % 60:02}.000Z"
        record = {"timestamp": stamp, "type": kind, "payload": payload}
        self.lines.append(record | fields)
        return self

    def item(self, kind, **fields):
        return self.line("response_item", {"type": kind, **fields})

    def message(self, role, *texts):
        kind = "output_text" if role == "assistant" else "input_text"
        content = [
            text if isinstance(text, dict) else {"type": kind, "text": text}
            for text in texts
        ]
        return self.item("message", role=role, content=content)

    def turn(self, **fields):
        return self.line("turn_context", {"model": "gpt-made-up", **fields})

    def call(self, name="shell", call_id="c1", arguments="{}", **fields):
        fields |= {"name": name, "arguments": arguments, "call_id": call_id}
        return self.item("function_call", **fields)

    def output(self, output, call_id="c1", kind="function_call_output"):
        return self.item(kind, call_id=call_id, output=output)


@pytest.fixture
def rollout():
    return Rollout()


@pytest.fixture
def read(read_as):
    return lambda made, **options: read_as("codex", made.lines, **options)


# --- what is known ---


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ({"timestamp": "t", "type": "response_item", "payload": {}}, True),
        ({"timestamp": "t", "type": "world_state", "payload": {"full": True}}, True),
        ({"timestamp": "t", "type": "other", "payload": {}}, False),
        ({"timestamp": "t", "type": ["x"], "payload": {}}, False),
        ({"timestamp": "t", "type": "response_item", "payload": []}, False),
        ({"timestamp": 3, "type": "response_item", "payload": {}}, False),
        ({"type": "response_item", "payload": {}}, False),
        ({"id": "a", "timestamp": "t", "instructions": None}, True),
        ({"id": "a", "timestamp": "t", "instructions": "x", "git": {}}, True),
        ({"id": "a", "timestamp": "t"}, False),
        ({"id": "a", "timestamp": "t", "instructions": "", "role": "user"}, False),
        ({"record_type": "state"}, True),
        ({"record_type": ["state"]}, False),
        ({"type": "message", "role": "user", "content": []}, False),
        ({"type": "function_call", "name": "x", "call_id": "y"}, False),
    ],
)
def test_a_record_is_known_by_its_envelope_or_as_a_first_line(value, known):
    assert codex.sniff(value) is known


# --- the user ---


def test_what_codex_put_into_a_message_is_parted_from_the_users_words(
    rollout, read, told
):
    rollout.message("user", "<environment_context>x</environment_context>", "Fix it.")
    rollout.message("user", "# AGENTS.md instructions for /repo\n\nx")
    assert told(read(rollout)[0]) == [
        "injected: <environment_context>x</environment_context>",
        "user: Fix it.",
        "injected: # AGENTS.md instructions for /repo//x",
    ]


def test_images_are_the_users_without_the_tags_around_them(rollout, read):
    image = {"type": "input_image", "image_url": PNG}
    rollout.message("user", "<image name=[Image #1]>", image, "</image>", "See.")
    rollout.message("user", "<image>", "no image here")
    first, second = read(rollout)[0]
    assert first.parts == (Image("image/png", "iVBORw0KGgo="), Text("See."))
    assert not first.injected
    assert second.text == "<image>\nno image here"


@pytest.mark.parametrize(
    ("image", "part"),
    [
        ({"image_url": "https://a/b.png"}, Image(url="https://a/b.png")),
        ({"image_url": "data:image/png;x=1;base64,aa"}, Image("image/png", "aa")),
        ({"file_id": "file-1"}, Image(file_id="file-1")),
        ({"image_url": "data:image/png;base64,"}, None),
        ({"image_url": 7}, None),
    ],
)
def test_an_image_is_read_in_each_of_its_forms(rollout, read, image, part):
    rollout.message("user", {"type": "input_image", **image})
    (message,) = read(rollout)[0]
    (found,) = message.parts
    assert (found if part else found.kind) == (part or "input_image")


def test_content_of_any_other_kind_is_kept(rollout, read):
    audio = {"type": "input_audio", "audio_url": "data:audio/wav;base64,aa"}
    rollout.item("message", role="user", content=["words", audio, 7, "", None])
    rollout.item("message", role="user", content="only words")
    rollout.item("message", role="user", content=None)
    rollout.item("message", role="strange", content="from nobody")
    first, second, third = read(rollout)[0]
    assert [type(part) for part in first.parts] == [Text, Opaque, Text, Text]
    assert first.parts[1].raw == audio
    assert second.text == "only words"
    assert (third.text, third.injected) == ("from nobody", True)


def test_developers_are_system_text_first_and_injected_text_later(
    rollout, read, told, noted
):
    tools = "<permissions instructions>\nx\n</permissions instructions>"
    rollout.message("developer", tools, "Be brief.")
    rollout.message("developer", tools)
    rollout.message("user", "Go.")
    rollout.message("system", "Be polite.", {"type": "input_image", "image_url": PNG})
    messages, report = read(rollout)
    assert [message.role for message in messages] == ["system", "user", "user"]
    assert told(messages) == [
        "system: Be brief.",
        "user: Go.",
        "injected: Be polite.",
    ]
    left = noted(report, "left-out")
    assert (0, "2 texts on the old agent's equipment") in left


def test_letters_of_other_agents_are_injected(rollout, read, told):
    letter = '{"author":"/a","recipient":"/b","content":"Done."}'
    rollout.message("assistant", letter)
    rollout.message("assistant", '{"recipient": "torn')
    rollout.message("assistant", '{"recipient": "x", "answer": 1}')
    rollout.message("assistant")
    text = [{"type": "input_text", "text": "Help me."}]
    rollout.item("agent_message", author="/a", recipient="/b", content=text)
    rollout.line("inter_agent_communication", {"author": "/a", "content": "Hello."})
    rollout.line("inter_agent_communication", {"author": "/a", "content": ""})
    messages, report = read(rollout)
    assert told(messages) == [
        f"injected: {letter}",
        'assistant: {"recipient": "torn/{"recipient": "x", "answer": 1}',
        "injected: Help me.",
        "injected: Hello.",
    ]
    assert [n.text for n in report.notes] == ["1 inter_agent_communication records"]


# --- the model ---


def test_the_items_of_a_response_are_one_message(rollout, read):
    rollout.turn(cwd="/repo")
    summary = [{"type": "summary_text", "text": t} for t in ("One.", "Two.")]
    rollout.item("reasoning", summary=summary, encrypted_content="seal")
    rollout.message("assistant", "I look.", {"type": "refusal", "refusal": "No."})
    rollout.call(call_id="c1", arguments='{"command": ["ls"]}')
    rollout.call(call_id="c2", arguments="[1]")
    rollout.output("a", "c1").output("b", "c2")
    rollout.item("reasoning", content=[{"type": "reasoning_text", "text": "Three."}])
    rollout.message("assistant", "Done.")
    first, results, second = read(rollout)[0]
    assert first.parts == (
        Thinking("One.\n\nTwo.", "seal"),
        Text("I look."),
        Text("No."),
        Call("c1", "shell", {"command": ["ls"]}),
        Call("c2", "shell", "[1]"),
    )
    assert (first.model, first.cwd) == ("gpt-made-up", "/repo")
    assert [(r.call_id, r.text) for r in results.results] == [("c1", "a"), ("c2", "b")]
    assert second.parts == (Thinking("Three."), Text("Done."))
    assert second.cwd is None, "the directory is told where it changes"


def test_thoughts_that_only_their_model_can_read_need_its_name(rollout, read, noted):
    rollout.item("reasoning", summary=[], encrypted_content="seal")
    rollout.message("user", "Go.")
    rollout.turn()
    rollout.item("reasoning", summary=[], encrypted_content="seal")
    rollout.item("reasoning", summary=[], encrypted_content=None)
    messages, report = read(rollout)
    assert messages[1].parts == (Thinking("", "seal", redacted=True),)
    assert len(messages) == 2
    left = noted(report, "left-out")
    assert (0, "1 encrypted thoughts of an unnamed model") in left


def test_calls_of_every_kind_are_told(rollout, read):
    rollout.call("exec", "c1", {"cmd": "ls"})
    rollout.call("exec", "c2", "no json")
    rollout.call("find", "c3", namespace="notes")
    rollout.call("find", "c4", namespace="mcp__notes__")
    rollout.item("custom_tool_call", call_id="c5", name="apply_patch", input="***")
    action = {"type": "exec", "command": ["ls"]}
    rollout.item("local_shell_call", id="c6", action=action)
    rollout.item("tool_search_call", call_id="c7", arguments={"query": "x"})
    rollout.item("tool_search_call", call_id=None, arguments={"query": "y"})
    rollout.item("web_search_call", action={"type": "search"})
    rollout.output("{}", "c6")
    rollout.item("tool_search_output", call_id="c7", tools=[{"name": "t"}])
    rollout.output("Done.", "c5", "custom_tool_call_output")
    rollout.output("late", "c8", "custom_tool_call_output")
    message, results = read(rollout)[0]
    assert message.parts[:7] == (
        Call("c1", "exec", {"cmd": "ls"}),
        Call("c2", "exec", "no json"),
        Call("c3", "notes__find", {}),
        Call("c4", "mcp__notes__find", {}),
        Call("c5", "apply_patch", "***", "custom"),
        Call("c6", "local_shell", action, "local_shell"),
        Call("c7", "tool_search", {"query": "x"}),
    )
    assert [part.kind for part in message.parts[7:]] == [
        "tool_search_call",
        "web_search_call",
    ]
    assert [(r.call_id, r.kind, r.text) for r in results.results] == [
        ("c6", "local_shell", "{}"),
        ("c7", "function", '[{"name":"t"}]'),
        ("c5", "custom", "Done."),
        ("c8", "custom", "late"),
    ]


@pytest.mark.parametrize(
    ("output", "failed", "text"),
    [
        ("Exit code: 1\nOutput:\nno", False, "Exit code: 1\nOutput:\nno"),
        ("exec_command failed for `rm`", True, "exec_command failed for `rm`"),
        ("Wall time: 1.5 seconds\naborted by user", True, None),
        ({"content": "no", "success": False}, True, "no"),
        ({"content": "yes", "success": True}, False, "yes"),
        ({"other": 1}, False, ""),
        ([{"type": "input_text", "text": "patch rejected"}], False, "patch rejected"),
        (None, False, ""),
        (7, False, "7"),
    ],
)
def test_a_result_has_failed_only_where_codex_says_so(
    rollout, read, output, failed, text
):
    rollout.call().output(output)
    (result,) = read(rollout)[0][1].results
    assert result.is_error is failed
    assert result.text == (output if text is None else text)


def test_big_integers_of_arguments_are_kept(rollout, read):
    rollout.call(arguments='{"n": 12345678901234567890123}')
    rollout.call(call_id="c2", arguments='{"n": ' + "[" * 300 + "]" * 300 + "}")
    first, second = read(rollout)[0][0].calls
    assert first.input == {"n": 12345678901234567890123}
    assert isinstance(second.input, str), "what nests too deep stays text"


def test_results_follow_their_calls_whatever_came_between(rollout, read, told):
    rollout.call(call_id="c1").call(call_id="c2")
    rollout.output("a", "c1")
    rollout.message("user", "Faster!")
    rollout.output("b", "c2")
    assert told(read(rollout)[0]) == [
        "assistant: call c1 call c2",
        "tool: result c1=a result c2=b",
        "user: Faster!",
    ]


def test_an_item_that_nests_too_deep_is_skipped_alone(rollout, read, told, noted):
    rollout.message("assistant", "One.")
    rollout.item("web_search_call", action=0)
    rollout.output("x", "c9")
    rollout.output("y", "c9")
    rollout.message("user", "Two.")
    deep = b'{"a":' * 250 + b"1" + b"}" * 250
    lines = [orjson.dumps(line) for line in rollout.lines]
    lines[1] = lines[1].replace(b'"action":0', b'"action":' + deep)
    lines[2] = lines[2].replace(b'"x"', b"[" + deep + b"]")
    rollout.lines = lines
    messages, report = read(rollout)
    assert told(messages) == [
        "assistant: One.",
        "tool: result c9=y",
        "user: Two.",
    ]
    assert [line for line, _ in noted(report, "skipped")] == [2, 3]


def test_a_lone_result_that_nests_too_deep_is_no_message(rollout, read, noted):
    rollout.output("x", "c9")
    raw = orjson.dumps(rollout.lines[0])
    rollout.lines = [raw.replace(b'"x"', b"[" * 300 + b"]" * 300)]
    messages, report = read(rollout)
    assert messages == []
    assert noted(report, "skipped") == [(1, "nested too deep")]


# --- what is left out ---


def test_events_and_bookkeeping_are_counted(rollout, read, told, noted):
    rollout.line("session_meta", {"id": "s-1", "cwd": "/repo"})
    rollout.line("session_meta", {"id": "s-0"})
    rollout.line("event_msg", {"type": "user_message", "message": "Go."})
    rollout.line("event_msg", {"type": ["odd"]})
    rollout.line("world_state", {"full": True})
    rollout.item("ghost_snapshot", ghost_commit={})
    rollout.item(None)
    rollout.lines.append({"type": "custom", "x": 1})
    rollout.lines.append({"type": ["message"], "x": 1})
    rollout.message("user", "Go.")
    messages, report = read(rollout)
    assert told(messages) == ["user: Go."]
    assert report.origin == "s-1"
    assert [text for _, text in noted(report, "left-out")] == [
        "1 custom records",
        "1 ghost_snapshot items",
        "2 session_meta records",
        "1 untyped events",
        "1 untyped items",
        "1 untyped records",
        "1 user_message events",
        "1 world_state records",
    ]


def test_a_record_written_twice_in_a_row_is_told_once(rollout, read, told):
    rollout.message("user", "Go.")
    rollout.lines.append(rollout.lines[-1])
    assert told(read(rollout)[0]) == ["user: Go."]


def test_without_times_the_same_words_twice_are_two_messages(rollout, read, told):
    words = {"type": "message", "role": "user", "content": "continue"}
    rollout.lines += [words, words]
    assert told(read(rollout)[0]) == ["user: continue"] * 2


def test_the_directory_of_the_session_holds_until_a_turn_names_another(rollout, read):
    rollout.line("session_meta", {"id": "s", "cwd": "/a"})
    rollout.message("assistant", "One.").message("user", "Go.")
    rollout.turn(cwd="/b")
    rollout.message("assistant", "Two.").message("user", "Go.")
    rollout.turn()
    rollout.message("assistant", "Three.")
    messages = read(rollout)[0]
    assert [m.cwd for m in messages if m.role == "assistant"] == ["/a", "/b", None]
