"""Gemini CLI: messages, calls and results in one record, and whose words they are."""

from __future__ import annotations

import orjson
import pytest

from mewctl.history.view import Call, Image, Opaque, Result, Text, Thinking, Usage
from mewctl.transcripts import gemini_cli

STAMP = "2026-04-01T10:00:00.000Z"
HEADER = {"sessionId": "s-1", "projectHash": "p", "startTime": STAMP}


def message(kind, content, name="m1", **fields):
    record = {"id": name, "timestamp": STAMP, "type": kind, "content": content}
    return record | fields


def answer(output=None, name="c1", error=None, **fields):
    response = {"output": output} if error is None else {"error": error}
    return {
        "functionResponse": {"id": name, "name": "t", "response": response} | fields
    }


def call(result, name="c1", status="success", tool="t", args=None):
    return {
        "id": name,
        "name": tool,
        "args": args or {},
        "result": result,
        "status": status,
    }


@pytest.fixture
def read(read_as):
    return lambda *lines, **options: read_as("gemini-cli", list(lines), **options)


# --- what is known ---


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (HEADER, True),
        (HEADER | {"messages": []}, True),
        ({"sessionId": "s", "startTime": STAMP}, False),
        ({"sessionId": 7, "projectHash": "p"}, False),
        (HEADER | {"type": "user"}, False),
        ({"$set": {"lastUpdated": STAMP}}, True),
        ({"$set": 7}, False),
        ({"$set": {}, "more": 1}, False),
        ({"$rewindTo": "m1"}, True),
        ({"$rewindTo": None}, False),
        (message("user", "x"), True),
        (message("gemini", "x", toolCalls=[], model="m"), True),
        (message("info", "x"), True),
        (message("other", "x"), False),
        (message(["user"], "x"), False),
        (message("user", "x", uuid="u"), False),
        (message("user", "x", role="user"), False),
        ({"type": "user", "content": "x"}, False),
        ({"id": "m", "timestamp": STAMP, "type": "user"}, False),
        ({"id": "m", "type": "user", "content": "x"}, False),
        ({"id": 7, "timestamp": STAMP, "type": "user", "content": "x"}, False),
    ],
)
def test_a_record_is_known_by_its_keys(value, known):
    assert gemini_cli.sniff(value) is known


# --- the user ---


def test_the_words_that_were_shown_are_the_users(read, told):
    messages, report = read(
        HEADER,
        message("user", "<session_context>x</session_context>"),
        message("user", [{"text": "plain"}, "words"], "m2"),
        message("user", "A long prompt.", "m3", displayContent="/init"),
        message("user", "/tidy it", "m4", displayContent=[{"text": "/tidy it"}]),
        message("user", [{"text": "see @a more"}, {"text": "A"}], "m5")
        | {"displayContent": [{"text": "see @a"}]},
        message("user", {"text": "one part"}, "m6"),
        message("user", "System: Please continue.", "m7", displayContent=[answer()]),
    )
    assert told(messages) == [
        "injected: <session_context>x</session_context>",
        "user: plain/words",
        "user: /init",
        "injected: A long prompt.",
        "user: /tidy it",
        "user: see @a",
        "injected: more/A",
        "user: one part",
        "injected: System: Please continue.",
    ]
    assert report.origin == "s-1"


@pytest.mark.parametrize("words", ["/quit", " /mcp:list ", "?", "/"])
def test_a_bare_command_is_no_message(read, noted, words):
    messages, report = read(message("user", words))
    assert messages == []
    assert noted(report, "left-out") == [(0, "1 user records that say nothing")]


@pytest.mark.parametrize("words", ["/tmp/a.py is broken", "/chat now", "? what", "5"])
def test_what_only_begins_like_a_command_is_a_message(read, told, words):
    assert told(read(message("user", words))[0]) == [f"user: {words}"]


def test_images_and_files_of_the_user_are_kept(read):
    image = {"inlineData": {"mimeType": "image/png", "data": "aa"}}
    film = {"inlineData": {"mimeType": "video/mp4", "data": "bb"}}
    linked = {"fileData": {"mimeType": "image/png", "fileUri": "gs://a"}}
    bare = {"inlineData": {"mimeType": "image/png"}}
    parts = [{"text": "see"}, image, film, linked, bare, 7, {"executableCode": {}}]
    (said,) = read(message("user", parts))[0]
    assert said.parts == (
        Text("see"),
        Image("image/png", "aa"),
        Opaque("inlineData", 51, film),
        Image("image/png", url="gs://a"),
        Opaque("inlineData", 39, bare),
        Text("7"),
        Opaque("executableCode", 21, {"executableCode": {}}),
    )
    assert not said.injected


def test_an_image_alone_is_a_message_and_one_behind_the_words_goes_with_the_rest(read):
    image = {"inlineData": {"mimeType": "image/png", "data": "aa"}}
    (alone,) = read(message("user", [image]))[0]
    assert len(alone.images) == 1
    shown = message("user", [image, {"text": "of a"}, image], displayContent="see @a")
    first, rest = read(shown)[0]
    assert first.parts == (Text("see @a"), Image("image/png", "aa"))
    assert rest.parts == (Text("of a"), Image("image/png", "aa"))
    assert (first.injected, rest.injected) == (False, True)


# --- the model ---


def test_a_record_of_the_model_is_a_message_and_its_results(read):
    thoughts = [
        {"subject": "One", "description": "I read."},
        {"subject": "", "description": ""},
        "odd",
    ]
    said, results = read(
        message(
            "gemini",
            "I look.",
            model="gemini-made-up",
            thoughts=thoughts,
            tokens={"input": 100, "output": 5, "cached": 60, "thoughts": 7, "tool": 3},
            toolCalls=[
                call([answer("a\n")], args={"path": "x"}) | {"timestamp": STAMP},
                call([answer(error="no")], "c2", "error"),
                call(None, "c3"),
                {"odd": True},
                {"name": "n"},
                {"id": "c4"},
                "odd",
            ],
        )
    )[0]
    assert said.parts == (
        Thinking("One\nI read."),
        Text("I look."),
        Call("c1", "t", {"path": "x"}),
        Call("c2", "t", {}),
        Call("c3", "t", {}),
        Call("", "n", {}),
        Call("c4", "", {}),
    )
    assert said.model == "gemini-made-up"
    assert said.usage == Usage(43, 60, 0, 12)
    assert results.results == (
        Result("c1", (Text("a\n"),)),
        Result("c2", (Text("no"),), True),
    )


@pytest.mark.parametrize(
    "tokens", [None, "odd", {}, {"input": 0}, {"input": -5}, {"input": "9"}]
)
def test_a_usage_that_says_nothing_is_none(read, tokens):
    (said,) = read(message("gemini", "x", tokens=tokens))[0]
    assert said.usage is None


def test_an_empty_record_of_the_model_says_nothing(read, noted):
    messages, report = read(message("gemini", "", thoughts=[]), message("gemini", None))
    assert messages == []
    assert noted(report, "left-out") == [(0, "1 gemini records that say nothing")]


def test_calls_that_stand_in_the_content_too_are_told_once(read):
    inside = {"functionCall": {"id": "c1", "name": "t", "args": {"a": 1}}}
    unnamed = {"functionCall": {"name": "u", "args": {"b": 2}}}
    content = [inside, {"text": "and"}, unnamed, unnamed]
    calls = [
        call([answer("x")], args={"a": 1}),
        call(None, "c2", tool="u", args={"b": 2}),
        call(None, "c3", tool="v", args={"c": 3}),
    ]
    said, _ = read(message("gemini", content, toolCalls=calls))[0]
    assert said.parts == (
        Call("c1", "t", {"a": 1}),
        Text("and"),
        Call("", "u", {"b": 2}),
        Call("", "u", {"b": 2}),
        Call("c3", "v", {"c": 3}),
    )


def test_thoughts_in_the_content_are_thinking(read):
    content = [{"text": "hm", "thought": True, "thoughtSignature": "sig"}]
    content += [{"text": "", "thought": True}, {"text": ""}]
    (said,) = read(message("gemini", content))[0]
    assert said.parts == (Thinking("hm", "sig"),)


# --- results ---


def result_of(read, result, **fields):
    return read(message("gemini", "", toolCalls=[call(result, **fields)]))[0][1]


@pytest.mark.parametrize(
    ("result", "texts", "failed"),
    [
        ("plain", ["plain"], False),
        ([answer("a"), {"text": "and b"}], ["a", "and b"], False),
        ([answer({"n": 1})], ['{"n":1}'], False),
        ([answer("", error="broken")], ["broken"], True),
        ([answer("")], [], False),
        ([answer("a", name="")], ["a"], False),
        ([answer("a", name="c9"), {"text": "b"}], ["a", "b"], False),
        ([answer("mine"), answer("other", "c9"), {"text": "theirs"}], ["mine"], False),
        ([answer("other", "c9"), {"text": "x"}, answer("mine")], ["mine"], False),
        ([{"functionResponse": {"id": "c1", "response": "odd"}}], ["odd"], False),
        (
            [{"functionResponse": {"id": "c1", "response": {"x": 1}}}],
            ['{"x":1}'],
            False,
        ),
        ([{"functionResponse": {"id": "c1", "response": {}}}], [], False),
        ([{"functionResponse": 7}], None, False),
        ([7], ["7"], False),
        ([""], [], False),
    ],
)
def test_a_result_is_read_in_each_of_its_forms(read, result, texts, failed):
    (found,) = result_of(read, result).results
    if texts is None:
        assert [type(part) for part in found.content] == [Opaque]
    else:
        assert [part.text for part in found.content] == texts
    assert found.is_error is failed


@pytest.mark.parametrize("status", ["error", "cancelled"])
def test_a_call_that_ended_badly_has_failed(read, status):
    (found,) = result_of(read, [answer("a")], status=status).results
    assert found.is_error


def test_images_of_a_result_are_kept(read):
    image = {"inlineData": {"mimeType": "image/png", "data": "aa"}}
    inner = {"functionCall": {"name": "odd"}}
    (found,) = result_of(read, [answer("a", parts=[image]), image, inner]).results
    assert found.content == (
        Text("a"),
        Image("image/png", "aa"),
        Image("image/png", "aa"),
        Opaque("functionCall", len(orjson.dumps(inner)), inner),
    )


def test_results_among_the_users_parts_are_told_if_nobody_told_them(read, told):
    messages, _ = read(
        message("gemini", "", "m1", toolCalls=[call([answer("a")]), call(None, "c2")]),
        message("user", [answer("a"), answer("b", "c2"), {"text": "Go."}], "m2"),
        message("user", [answer("a"), answer("b", "c2")], "m3"),
        message("gemini", [{"functionCall": {"id": "c3", "name": "t"}}], "m4"),
        message("gemini", [answer("c", "c3")], "m5"),
        message("user", [answer("c", "c3")], "m6"),
    )
    assert told(messages) == [
        "assistant: call c1 call c2",
        "tool: result c1=a",
        "tool: result c2=b",
        "user: Go.",
        "assistant: call c3",
        "tool: result c3=c",
    ]


def test_a_message_that_nests_too_deep_is_skipped_alone(read, told, noted):
    lines = [message("user", "a"), message("gemini", "b", "m2", toolCalls=0)]
    lines = [orjson.dumps(line) for line in (*lines, message("user", "c", "m3"))]
    deep = b"[" * 250 + b"]" * 250
    lines[1] = lines[1].replace(b'"toolCalls":0', b'"toolCalls":' + deep)
    messages, report = read(*lines)
    assert told(messages) == ["user: a", "user: c"]
    assert noted(report, "skipped") == [(2, "nested too deep")]
