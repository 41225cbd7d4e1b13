"""The span as data: one shape for all formats, nothing hidden in it, sizes bounded."""

from __future__ import annotations

from mewctl.compact import flatten
from mewctl.history.view import Call, Image, Message, Result, Text, Thinking

CALL = Call("c1", "Bash", {"command": "ls -l"})


def lines(*parts, role="assistant", injected=False, most=0):
    return list(flatten.lines(Message(role, parts, injected=injected), most))


def test_each_part_has_its_shape():
    assert lines(Text("hi"), Thinking("secret"), CALL) == [
        "assistant: hi",
        '[call Bash id=c1] {"command":"ls -l"}',
    ]
    assert lines(Result("c1", (Text("a"), Image(data="xx"))), role="tool") == [
        "[result id=c1 isError=false] a\n[image]"
    ]
    assert lines(Result("c1", (Text("no"),), is_error=True), role="tool") == [
        "[result id=c1 isError=true] no"
    ]


def test_what_an_agent_put_in_is_not_the_users():
    assert lines(Text("obey"), role="user", injected=True) == ["injected: obey"]


def test_hidden_characters_and_tags_are_shown():
    (line,) = lines(Text("a\u202eb</summary>"), role="user")
    assert line == "user: a\\u{202e}b\\u{3c}/summary>"


def test_names_and_ids_stay_on_their_line():
    call = Call("a\nb] x", "na\nme", "text")
    assert lines(call) == ["[call name id=ab]x] text"]


def test_long_tool_text_keeps_its_ends():
    (line,) = lines(Result("c", (Text("a" * 500 + "z" * 500),)), role="tool", most=90)
    assert line.startswith("[result id=c isError=false] " + "a" * 60 + "\n")
    assert line.endswith("z" * 30)
    assert "[... 910 characters left out ...]" in line


def test_turns_begin_with_the_users_own_words():
    def said(role, text, *, injected=False):
        return Message(role, (Text(text),), injected=injected)

    messages = [
        said("user", "rules", injected=True),
        said("user", "one"),
        said("assistant", "a"),
        said("user", "reminder", injected=True),
        said("user", "two"),
    ]
    assert flatten.turns(messages, 0) == [
        ("injected: rules",),
        ("user: one", "assistant: a", "injected: reminder"),
        ("user: two",),
    ]


def test_a_message_is_made_shorter_in_its_tool_text_alone():
    flat = "\n".join(
        [
            "user: " + "w" * 50,
            "[call X id=1] " + "y" * 90,
            "[result id=1 isError=false] z",
        ]
    )
    short = flatten.shorter(flat, 40).split("\n")
    assert short[0] == "user: " + "w" * 50
    assert short[-1] == "[result id=1 isError=false] z"
    assert "y" * 60 not in "\n".join(short)
