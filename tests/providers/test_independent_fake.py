"""The provider anthropic against somebody else's fake of the Messages API.

Runs where the npm package @copilotkit/aimock is installed (``.ci/run`` does that where
node is): its ``llmock`` on the PATH, or under ``.node``.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from mewctl.errors import ProviderRefused, ProviderUnavailable
from mewctl.history.facts import Facts
from mewctl.providers.anthropic import Anthropic, Settings
from mewctl.providers.protocol import Limits, Prompt, SummaryRequest

ROOT = Path(__file__).parents[2]
OWN = ROOT / ".node" / "node_modules" / ".bin" / "llmock"
LLMOCK = str(OWN) if OWN.exists() else shutil.which("llmock")

pytestmark = pytest.mark.skipif(not LLMOCK, reason="npm @copilotkit/aimock is not here")


@contextmanager
def fake(place: Path, response: dict, **how: int):
    """The fake, giving ``response`` to every request; its address."""
    fixtures = [{"match": {}, "response": response, **how}]
    (place / "fixtures.json").write_text(json.dumps({"fixtures": fixtures}))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [LLMOCK, "-p", str(port), "-f", place / "fixtures.json"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _wait(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("the fake did not start")


@pytest.fixture(autouse=True)
def _environment(monkeypatch, tmp_path):
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "local")
    monkeypatch.setenv("HOME", str(tmp_path))


def ask(url: str):
    provider = Anthropic(Settings("claude-sonnet-4-6", url, timeout=20, retries=0))
    made = Prompt("Be brief.", "Sum up.")
    return provider.write(
        SummaryRequest(Facts(), "en", Limits(1, 300), len, prompt=made)
    )


def test_its_answer_is_read_and_its_journal_holds_our_request(tmp_path):
    usage = {"input_tokens": 1000, "output_tokens": 20}
    with fake(tmp_path, {"content": "The answer. " * 20, "usage": usage}) as url:
        prose = ask(url)
        with urllib.request.urlopen(f"{url}/__aimock/journal") as journal:
            text = journal.read().decode()
    assert prose.answer == "The answer. " * 20
    assert prose.stop == "end"
    assert prose.usage is not None
    assert "/v1/messages" in text
    assert "Sum up." in text


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (529, "overloaded_error", ProviderUnavailable),
        (429, "rate_limit_error", ProviderUnavailable),
        (400, "invalid_request_error", ProviderRefused),
    ],
)
def test_its_errors_are_understood(tmp_path, status, kind, error):
    response = {"error": {"message": "the reason", "type": kind}, "status": status}
    with fake(tmp_path, response) as url, pytest.raises(error, match="the reason"):
        ask(url)


def test_its_truncated_stream_is_no_answer(tmp_path):
    response = {"content": "word " * 200}
    with (
        fake(tmp_path, response, truncateAfterChunks=3) as url,
        pytest.raises(ProviderUnavailable),
    ):
        ask(url)
