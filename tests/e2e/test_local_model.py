"""A small real model behind a real server: the path and the guards, not the quality.

Runs where ``MEWCTL_TEST_MESSAGES_API`` is the address of a Messages API server with a
weak model called ``smollm2`` and a window of 4096 tokens (key ``local``).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from compacting import made, read, values, written
from validity import errors

URL = os.environ.get("MEWCTL_TEST_MESSAGES_API", "")
REAL = Path(__file__).parents[3] / "shared" / "data" / "transcripts"
TRANSCRIPTS = (
    "claude-code/short.jsonl",
    "codex/short.jsonl",
    "openai/mini-swe-agent.json",
)

pytestmark = pytest.mark.skipif(not URL, reason="MEWCTL_TEST_MESSAGES_API is not set")


def compact(data: bytes, cwd: Path, *args: str, key: str = "local"):
    command = [sys.executable, "-m", "mewctl", "compact", "--trigger", "manual"]
    command += ["--provider", "anthropic", "--provider-model", "smollm2"]
    command += ["--provider-window", "4096", "--report", "report.json"]
    command += ["--reserve", "200", "--timeout", "120", *args]
    env = {**os.environ, "ANTHROPIC_BASE_URL": URL, "ANTHROPIC_API_KEY": key}
    return subprocess.run(
        command, input=data, capture_output=True, check=False, cwd=cwd, env=env
    )


def check(done, cwd: Path) -> None:
    """Either a valid history with its facts, or a refusal in one line and no output."""
    assert b"Traceback" not in done.stderr
    report = json.loads((cwd / "report.json").read_bytes())
    if done.returncode == 0:
        assert errors("mew", values(read(done.stdout))) == []
        assert report["outcome"] in ("compacted", "kept")
    else:
        assert done.returncode in (7, 9, 10)
        assert done.stdout == b""
        assert report["reason"]


@pytest.mark.skipif(not REAL.exists(), reason="no real transcripts here")
@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_weak_model_writes_what_is_true_or_is_refused(name, tmp_path):
    data = (REAL / name).read_bytes()
    tail = ("--tail-tokens", "300", "--tail-messages", "1")
    check(compact(data, tmp_path, "--to", "mew", "--window", "16k", *tail), tmp_path)


def test_a_made_up_history_too(tmp_path):
    check(compact(written(made(12_000)), tmp_path, "--window", "16k"), tmp_path)


def test_a_wrong_key_is_a_matter_of_credentials(tmp_path):
    done = compact(written(made()), tmp_path, "--window", "32k", key="wrong")
    assert (done.returncode, done.stdout) == (8, b"")


def test_a_prompt_beyond_the_window_is_cut_down_or_cannot_fit(tmp_path):
    args = ("--window", "32k", "--provider-window", "1M")
    check(compact(written(made()), tmp_path, *args), tmp_path)
