from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

from rows import Bench  # noqa: E402 - its directory was just added


@pytest.fixture
def bench(tmp_path):
    example = ROOT / "examples" / "fix-flaky-upload.jsonl"
    return Bench(400_000, 1, tmp_path / "data", tmp_path, [example])
