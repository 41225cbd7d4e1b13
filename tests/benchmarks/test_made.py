from __future__ import annotations

import json
from hashlib import sha256

import made
import pytest

from mewctl import limits
from mewctl.history.detect import Detector
from mewctl.history.formats import load
from mewctl.history.repair import check_records
from mewctl.streams.records import Record


def text_sizes(line: bytes) -> list[int]:
    record = json.loads(line)
    content = record["content"] if isinstance(record["content"], list) else []
    texts = [r["content"] for r in record.get("tool_results", ())]
    texts += [b["content"] for b in content if b["type"] == "tool_result"]
    return [len(text.encode()) for text in texts]


@pytest.mark.parametrize(
    ("form", "large", "digest"),
    [
        ("mew", True, "e57c312b71b47c4f"),
        ("mew", False, "69d4a9d399113cac"),
        ("anthropic", True, "c89adc267bb4c71c"),
        ("anthropic", False, "d9083d82e2082e57"),
    ],
)
def test_the_same_bytes_are_made_on_every_machine(form, large, digest):
    whole = b"".join(made.blocks(form, 3_000_000, large=large))
    assert sha256(whole).hexdigest()[:16] == digest


def test_a_file_is_made_once(tmp_path):
    path = made.history(tmp_path, "mew", 100_000, large=True)
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    assert made.history(tmp_path, "mew", 100_000, large=True) == path
    assert path.read_bytes() == before + b"\n"


@pytest.mark.parametrize("form", made.FORMATS)
def test_what_is_made_is_a_valid_history_of_its_format(form):
    detector = Detector("made")
    pairs = []
    for line in b"".join(made.blocks(form, 1_000_000, large=True)).splitlines():
        value = json.loads(line)
        detector.feed(1, value)
        pairs.append((Record(line), value))
    assert detector.settle() == form
    assert list(check_records(pairs, load(form))) == []


@pytest.mark.parametrize("form", made.FORMATS)
def test_only_a_large_history_has_results_over_the_limit(form):
    for large in (True, False):
        whole = b"".join(made.blocks(form, 20_000_000, large=large))
        sizes = [size for line in whole.splitlines() for size in text_sizes(line)]
        over = sum(size for size in sizes if size > limits.SINGLE_LIMIT)
        assert (0.3 < over / len(whole) < 0.5) == large
        assert large or not over
