"""The provider anthropic against a real server that fails in every way known."""

from __future__ import annotations

import time

import pytest

from mewctl.errors import (
    CannotFit,
    CredentialsError,
    ProviderRefused,
    ProviderUnavailable,
)
from mewctl.history.facts import Facts
from mewctl.history.view import Usage
from mewctl.providers.anthropic import Anthropic, Settings
from mewctl.providers.protocol import Limits, Prompt, SummaryRequest
from tests.support.messages_server import (
    error,
    event,
    events,
    hang,
    reply,
    reset,
    serving,
    stream,
)

GOOD = stream(events("The answer. " * 40))


@pytest.fixture(autouse=True)
def _environment(monkeypatch, tmp_path):
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "local")
    monkeypatch.setenv("HOME", str(tmp_path))


def ask(url: str, *, progress=None, **settings):
    settings = {"timeout": 20, "retries": 0, **settings}
    provider = Anthropic(Settings("claude-x", url, **settings), progress)
    prompt = Prompt("Be brief.", "Sum up.")
    request = SummaryRequest(Facts(), "en", Limits(1, 300), len, prompt=prompt)
    return provider.write(request)


def test_an_answer_comes_with_its_usage_and_the_request_it_was():
    heard = []
    with serving(GOOD) as server:
        prose = ask(server.url, progress=heard.append)
    assert prose.answer == "The answer. " * 40
    assert "".join(heard) == prose.answer
    assert (prose.stop, prose.model, prose.request_id) == ("end", "claude-x", "req_42")
    assert prose.usage == Usage(input=100_000, output=7)
    ((path, body),) = server.requests
    assert path == "/v1/messages"
    assert body["stream"] is True
    assert body["max_tokens"] == 300
    assert body["system"] == "Be brief."
    assert body["messages"] == [{"role": "user", "content": "Sum up."}]
    assert "tools" not in body


@pytest.mark.parametrize(
    ("stop", "told"),
    [
        ("end_turn", "end"),
        ("max_tokens", "length"),
        ("refusal", "refusal"),
        ("new_reason", "unknown"),
    ],
)
def test_why_an_answer_ended_is_told(stop, told):
    with serving(stream(events("x", stop=stop))) as server:
        assert ask(server.url).stop == told


TOO_LONG = [
    error(
        400,
        "invalid_request_error",
        "prompt is too long: 211180 tokens > 200000 maximum",
    ),
    error(
        400,
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
    ),
    reply(413, "<html>Request Entity Too Large</html>", "text/html"),
    stream(events("", stop="model_context_window_exceeded")),
    reply(
        400,
        '{"error":{"code":400,"message":"the request exceeds the available context'
        ' size","type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":4}}',
    ),
    error(
        400,
        "BadRequestError",
        "This model's maximum context length is 4096 tokens. However, you requested"
        " 5000 tokens",
    ),
]


@pytest.mark.parametrize("answer", TOO_LONG)
def test_each_shape_of_too_long_is_known(answer):
    with serving(answer) as server, pytest.raises(CannotFit):
        ask(server.url, retries=2)
    assert len(server.requests) == 1


def test_a_front_that_the_server_dropped_in_silence_is_seen():
    with (
        serving(stream(events("x", tokens=5))) as server,
        pytest.raises(ProviderRefused, match="dropped the front"),
    ):
        ask(server.url)


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (error(401, "authentication_error", "bad key"), CredentialsError, "bad key"),
        (error(403, "permission_error", "no"), CredentialsError, "403"),
        (error(404, "not_found_error", "model: x"), ProviderRefused, "model: x"),
        (error(400, "invalid_request_error", "no such"), ProviderRefused, "no such"),
        (error(402, "billing_error", "pay"), ProviderRefused, "pay"),
        (error(500, "api_error", "oops"), ProviderUnavailable, "oops"),
        (error(529, "overloaded_error", "busy"), ProviderUnavailable, "busy"),
        (error(408, "timeout_error", "slow"), ProviderUnavailable, "slow"),
        (
            reply(502, "<html>Bad Gateway</html>", "text/html"),
            ProviderUnavailable,
            "502",
        ),
        (reply(200, "<html>log in</html>", "text/html"), ProviderRefused, "text/html"),
        (reply(200, "{}"), ProviderRefused, "not an event stream"),
        (stream("event: message_start\ndata: {no json\n\n"), ProviderRefused, ""),
        (reply(200, "", "text/event-stream"), ProviderUnavailable, "broke off"),
        (stream(events("half", end=False)), ProviderUnavailable, "broke off"),
        (stream(events("half", end=False), after=reset), ProviderUnavailable, ""),
        (
            stream(
                events("half", end=False)
                + event("error", error={"type": "overloaded_error", "message": "busy"})
            ),
            ProviderUnavailable,
            "busy",
        ),
        (reset, ProviderUnavailable, ""),
    ],
)
def test_each_failure_has_its_kind_in_one_line(answer, kind, words):
    with serving(answer) as server, pytest.raises(kind) as caught:
        ask(server.url)
    text = str(caught.value)
    assert words in text
    assert server.url in text
    assert "\n" not in text


def test_a_request_id_is_in_the_error():
    answer = error(529, "overloaded_error", "busy", {"request-id": "req_7"})
    with serving(answer) as server, pytest.raises(ProviderUnavailable, match="req_7"):
        ask(server.url)


@pytest.mark.parametrize(
    "first",
    [
        error(529, "overloaded_error", "busy"),
        error(429, "rate_limit_error", "slow down", {"retry-after": "0.1"}),
        stream(events("half", end=False)),
        reset,
    ],
)
def test_what_passes_is_tried_again(first):
    with serving(first, GOOD) as server:
        assert ask(server.url, retries=2).answer.startswith("The answer.")
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "answer", [error(401, "authentication_error", "x"), error(400, "x", "y")]
)
def test_what_does_not_pass_is_not(answer):
    with (
        serving(answer, GOOD) as server,
        pytest.raises((CredentialsError, ProviderRefused)),
    ):
        ask(server.url, retries=2)
    assert len(server.requests) == 1


def test_a_wait_beyond_the_time_is_not_waited_for():
    answer = error(429, "rate_limit_error", "slow down", {"retry-after": "3600"})
    start = time.monotonic()
    with (
        serving(answer) as server,
        pytest.raises(ProviderUnavailable, match="try again in 3600 s"),
    ):
        ask(server.url, retries=2)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    "answer", [hang, stream(events("half", end=False), after=hang)]
)
def test_a_server_that_hangs_ends_with_the_time(answer):
    start = time.monotonic()
    with serving(answer) as server, pytest.raises(ProviderUnavailable):
        ask(server.url, timeout=1.5, retries=5)
    assert time.monotonic() - start < 12


def test_a_server_that_drips_for_ever_ends_with_the_time():
    def drip(client):
        for _ in range(200):
            delta = {"type": "text_delta", "text": "x"}
            client.sendall(event("content_block_delta", index=0, delta=delta).encode())
            time.sleep(0.05)

    with (
        serving(stream(events("half", end=False), after=drip)) as server,
        pytest.raises(ProviderUnavailable, match="no answer within"),
    ):
        ask(server.url, timeout=1.5)


def test_nobody_there_is_unavailable():
    with serving(GOOD) as server:
        url = server.url
    with pytest.raises(ProviderUnavailable, match=r"127\.0\.0\.1"):
        ask(url)


def test_without_a_key_nothing_is_sent(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    with (
        serving(GOOD) as server,
        pytest.raises(CredentialsError, match="set ANTHROPIC"),
    ):
        ask(server.url)
    assert server.requests == []


@pytest.mark.parametrize("url", ["nonsense", "http://[::1", "ftp://example.org"])
def test_an_address_that_is_none_is_said(url):
    with pytest.raises((ProviderRefused, ProviderUnavailable)) as caught:
        ask(url)
    assert "\n" not in str(caught.value)


def test_counting_asks_the_count_endpoint():
    with serving(reply(200, '{"input_tokens": 321}')) as server:
        provider = Anthropic(Settings("claude-x", server.url, timeout=20))
        found = provider.count([{"role": "user", "content": "hi"}], system="s")
    assert found == (321, "claude-x")
    ((path, body),) = server.requests
    assert path == "/v1/messages/count_tokens"
    assert body["system"] == "s"
