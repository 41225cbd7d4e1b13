"""Secrets are told by the shape of their value, and nothing else is."""

from __future__ import annotations

import time

import pytest

from mewctl.streams.secrets import find, mask

# Put together here, so that no scanner takes this file for a leak.
BODY = "aB3dE6gH9" * 6
SECRETS = {
    "anthropic-key": "sk-" + "ant-api03-" + BODY,
    "openai-key": "sk-" + "proj-" + BODY,
    "github-token": "ghp" + "_" + BODY[:36],
    "gitlab-token": "glpat" + "-" + BODY[:20],
    "aws-key": "AKIA" + "Q4R7T2Y9U3I6O1P5",
    "google-key": "AIza" + BODY[:35],
    "slack-token": "xoxb" + "-1234567890-" + BODY,
    "stripe-key": "sk" + "_live_" + BODY[:24],
    "huggingface-token": "hf" + "_" + BODY[:34],
    "npm-token": "npm" + "_" + BODY[:36],
    "pypi-token": "pypi-AgE" + BODY,
    "sendgrid-key": "SG." + BODY[:22] + "." + BODY[:43],
    "jwt": "eyJ" + BODY[:20] + ".eyJ" + BODY[:30] + "." + BODY[:20],
    "private-key": "-----BEGIN RSA PRIVATE " + "KEY-----\n" + BODY + "\n",
}
IN_PLACE = {
    "authorization": ("Authorization: Bearer {}", BODY[:30]),
    "password": ("postgres://user:{}@host/db", "hunter2hunter"),
    "value": ('API_KEY="{}"', BODY[:24]),
    "value-yaml": ("db_password: {}", BODY[:24]),
    "value-json": ('"client_secret": "{}"', BODY[:24]),
}


@pytest.mark.parametrize(("kind", "secret"), SECRETS.items())
def test_a_secret_is_found_and_masked_wherever_it_stands(kind, secret):
    for text in (secret, f"use {secret} now", f"`{secret}`", f'("{secret}")'):
        (found,) = find(text)
        assert found.kind == kind
        assert mask(text) == text.replace(
            text[found.start : found.end], f"[redacted:{kind}]"
        )
        assert BODY[:16] not in mask(text)


@pytest.mark.parametrize(("kind", "row"), IN_PLACE.items())
def test_of_a_longer_shape_the_value_alone_is_masked(kind, row):
    form, value = row
    word = kind.partition("-")[0]
    assert mask(form.format(value)) == form.format(f"[redacted:{word}]")


@pytest.mark.parametrize(
    "text",
    [
        "ANTHROPIC_API_KEY=sk-ant-...",
        "sk-ant-your-key-goes-here-please-now",
        "token = ${GITHUB_TOKEN}",
        "password: <your password>",
        "api_key = os.environ['API_KEY']",
        "api_key=xxxxxxxxxxxxxxxxxxxxxxxx1",
        "AKIAIOSFODNN7EXAMPLE",
        "secret = another_long_variable_name",
        "the token count is 123456789012345678",
        "sk-learn-estimators-are-nice-to-have",
        "https://user@host/path and http://host:8080/x@y",
        "https://user:${PASSWORD}@host",
        "-----BEGIN PUBLIC KEY-----",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "Authorization: Bearer <token>",
        "token: 0000000000000000000000",
    ],
)
def test_what_only_looks_like_one_stays(text):
    assert mask(text) == text


def test_several_are_masked_and_the_rest_is_as_it_was():
    one, other = SECRETS["github-token"], SECRETS["aws-key"]
    text = f"漢 {one}\n\n{other} end"
    assert mask(text) == "漢 [redacted:github-token]\n\n[redacted:aws-key] end"


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "a",
            "a_",
            "A",
            "sk-",
            "key=",
            "api_key=a",
            "eyJa.",
            "eyJaaaaaaaa.",
            "a://b:c",
        ),
        *(
            "authorization: ",
            "-----BEGIN PRIVATE KEY-----",
            "AKIA",
            "xoxb-",
            " ",
            "=",
            "a-",
        ),
    ],
)
def test_s31_a_megabyte_of_anything_takes_its_time_and_no_more(unit):
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    list(find(text))
    assert time.process_time() - start < 10
