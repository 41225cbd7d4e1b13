"""``tokens --exact``: what is sent, what the report says, and every way it can fail."""

from __future__ import annotations

import json
import sys

import pytest
from messages_server import error, hang, reply, reset, serving

from mewctl import cli
from mewctl.errors import Exit

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Why do the tests fail?"}
ANSWER = {
    "role": "assistant",
    "content": "I look.",
    "model": "claude-opus-4-8[1m]",
    "usage": {"input": 3_000, "output": 10},
    "tool_calls": [{"id": "c1", "name": "bash", "input": {"command": "make"}}],
}
RESULT = {
    "role": "tool",
    "tool_results": [{"tool_call_id": "c1", "content": "2 failed"}],
}
HISTORY = [SYSTEM, USER, ANSWER, RESULT]
COUNTED = reply(200, '{"input_tokens": 4242}')

pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")


@pytest.fixture
def tokens(capfdbinary, tmp_path):
    """Run ``mewctl tokens`` on records or a text: code, report, words on stderr."""

    def run(content, *args):
        path = tmp_path / "input"
        lines = "".join(f"{json.dumps(record)}\n" for record in content)
        path.write_bytes(content if isinstance(content, bytes) else lines.encode())
        code = cli.run(["tokens", *map(str, args), str(path)])
        sys.stdout.flush()
        seen = capfdbinary.readouterr()
        return code, json.loads(seen.out) if seen.out else None, seen.err.decode()

    return run


def ask(server, *args):
    return ("--exact", "--retries", 0, "--base-url", server.url, *args)


def test_the_count_of_the_request_stands_in_the_report(tokens):
    with serving(COUNTED) as server:
        code, report, err = tokens(HISTORY, *ask(server))
    assert (code, err) == (0, "")
    assert (report["method"], report["tokens"]) == ("exact", 4242)
    assert report["counted_as"] == "claude-opus-4-8"
    assert report["estimate"]["tokens"] > 3_000
    assert report["to_threshold"] == report["threshold"] - report["cautious"]
    assert "fallback" not in report
    ((path, body),) = server.requests
    assert path == "/v1/messages/count_tokens"
    assert body["model"] == "claude-opus-4-8"
    assert body["system"] == "Be brief."
    assert [message["role"] for message in body["messages"]] == [
        *("user", "assistant", "user")
    ]
    assert "usage" not in json.dumps(body)


def test_what_usage_shows_beside_the_messages_is_in_the_cautious_size(tokens):
    with serving(COUNTED) as server:
        report = tokens(HISTORY, *ask(server))[1]
    assert report["unseen"] > 2_900
    assert report["cautious"] == 4242 + report["unseen"]


def test_what_an_old_agent_sent_unseen_does_not_go_along(tokens):
    usage = {"input": 20_000, "output": 10, "unseen": 15_000}
    with serving(COUNTED) as server:
        report = tokens([USER, {**ANSWER, "usage": usage}], *ask(server))[1]
    assert report["cautious"] == 4242


def test_a_text_is_counted_as_a_message(tokens):
    with serving(COUNTED) as server:
        code, report, _ = tokens(
            b"some text\n", *ask(server, "--text", "--model", "claude-x")
        )
    assert (code, report["tokens"], report["cautious"]) == (0, 4242, 4242)
    assert server.requests[0][1]["messages"] == [
        {"role": "user", "content": "some text\n"}
    ]


@pytest.mark.parametrize(
    "answer", [reply(404, '{"detail":"Not Found"}'), reply(405, ""), reply(501, "no")]
)
def test_without_a_count_endpoint_the_report_is_an_estimate_and_says_so(tokens, answer):
    with serving(answer) as server:
        code, report, err = tokens(HISTORY, *ask(server))
    plain = tokens(HISTORY)[1]
    assert code == 0
    assert "the number is an estimate" in err
    assert report["method"] == "estimate"
    assert server.url in report.pop("fallback")
    assert report == plain


@pytest.mark.parametrize(
    ("answer", "code", "words"),
    [
        (error(404, "not_found_error", "model: x"), Exit.REFUSED, "the model's name"),
        (error(400, "invalid_request_error", "bad"), Exit.REFUSED, "bad"),
        (error(401, "authentication_error", "no"), Exit.CREDENTIALS, "API_KEY"),
        (error(403, "permission_error", "no"), Exit.CREDENTIALS, "API_KEY"),
        (error(429, "rate_limit_error", "slow"), Exit.UNAVAILABLE, "try again"),
        (error(529, "overloaded_error", "busy"), Exit.UNAVAILABLE, "try again"),
        (reset, Exit.UNAVAILABLE, "try later"),
        (reply(413, "<html>", "text/html"), Exit.CANNOT_FIT, "larger window"),
        (reply(200, "<html>", "text/html"), Exit.REFUSED, "no number"),
        (reply(200, '{"input_tokens": "many"}'), Exit.REFUSED, "no number"),
        (reply(200, '{"input_tokens": 0}'), Exit.REFUSED, "no number"),
        (reply(200, '{"a": 1}'), Exit.REFUSED, "no number"),
        (reply(200, "null"), Exit.REFUSED, "no number"),
        (reply(200, "{"), Exit.REFUSED, ""),
    ],
)
def test_each_failure_has_its_code_one_line_and_no_report(tokens, answer, code, words):
    with serving(answer) as server:
        found, report, err = tokens(HISTORY, *ask(server))
    assert (found, report) == (code, None)
    assert words in err
    assert len(err.splitlines()) == 1


def test_a_server_that_says_nothing_has_its_time(tokens):
    with serving(hang) as server:
        code, report, err = tokens(HISTORY, *ask(server, "--timeout", 1))
    assert (code, report) == (Exit.UNAVAILABLE, None)
    assert "s" in err


def test_a_busy_server_is_asked_again(tokens):
    with serving(error(529, "overloaded_error", "busy"), COUNTED) as server:
        args = ("--exact", "--retries", 1, "--base-url", server.url)
        assert tokens(HISTORY, *args)[1]["tokens"] == 4242


def test_without_a_key_nothing_is_sent(tokens, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with serving(COUNTED) as server:
        code, report, err = tokens(HISTORY, *ask(server))
    assert (code, report) == (Exit.CREDENTIALS, None)
    assert "set ANTHROPIC_API_KEY" in err
    assert server.requests == []


def test_without_exact_nothing_is_sent_whatever_else_is_said(tokens, monkeypatch):
    with serving(COUNTED) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        assert tokens(HISTORY, "--base-url", server.url)[1]["method"] == "estimate"
        assert tokens(b"text", "--text")[1]["method"] == "estimate"
    assert server.requests == []


def test_the_settings_of_a_project_cannot_have_anything_sent(tokens, project):
    with serving(COUNTED) as server:
        (project / ".mewcode").mkdir()
        (project / ".mewcode" / "config.toml").write_text(
            f'[tokens]\nexact = true\nbase-url = "{server.url}"\n'
        )
        code, report, err = tokens(HISTORY)
    assert (code, report["method"]) == (0, "estimate")
    assert "tokens.exact" in err
    assert server.requests == []


def test_a_model_that_nobody_names_is_a_usage_error(tokens):
    with serving(COUNTED) as server:
        code, report, err = tokens([USER], *ask(server))
    assert (code, report) == (Exit.USAGE, None)
    assert "--exact needs --model NAME" in err
    assert server.requests == []


def test_what_holds_no_message_is_not_sent(tokens):
    with serving(COUNTED) as server:
        report = tokens([], *ask(server))[1]
        assert tokens(b" \n", *ask(server, "--text"))[1]["method"] == "estimate"
    assert report["fallback"] == "there is no message to count"
    assert server.requests == []


def test_a_text_that_is_no_text_is_bad_input(tokens):
    with serving(COUNTED) as server:
        code, _, err = tokens(b"ab\xff", *ask(server, "--text", "--model", "m"))
    assert code == Exit.BAD_INPUT
    assert "byte 2: not UTF-8" in err


def test_the_threshold_is_checked_with_the_count(tokens):
    with serving(COUNTED) as server:
        args = ask(server, "--check", "--window", "6k", "--model", "claude-x")
        assert tokens([USER], *args)[0] == Exit.DONE
    with serving(reply(200, '{"input_tokens": 5999}')) as server:
        args = ask(server, "--check", "--window", "6k", "--model", "claude-x")
        assert tokens([USER], *args)[0] == Exit.NO


def test_the_table_says_who_counted(capfdbinary, tmp_path):
    path = tmp_path / "h"
    path.write_text(json.dumps(USER))
    for answer, words in (
        (COUNTED, b"counted by the provider"),
        (reply(404, ""), b"an estimate: "),
    ):
        with serving(answer) as server:
            args = ask(server, "--format", "table", "--model", "claude-x", path)
            assert cli.run(["tokens", *map(str, args)]) == 0
        assert words in capfdbinary.readouterr().out
