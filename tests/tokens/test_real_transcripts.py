"""Real transcripts, where they are present: the estimate beside the usage in them."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import pytest

from mewctl import transcripts
from mewctl.streams.records import read_records
from mewctl.tokens.calibrate import reading
from mewctl.tokens.estimator import Estimator
from mewctl.tokens.gauge import Meter
from mewctl.tokens.report import Bounds, Tally
from mewctl.tokens.windows import family_for

DATA = Path(__file__).parents[3] / "shared" / "data" / "transcripts" / "claude-code"
FILES = sorted(DATA.glob("*.jsonl"))
ENOUGH = 20  # usages from which growth says something

pytestmark = pytest.mark.skipif(not FILES, reason="no transcripts beside this checkout")


def history(path: Path):
    reader = transcripts.load("claude-code")
    records = read_records(io.BytesIO(path.read_bytes()).read1, path.name)
    return list(
        reader.read(records, transcripts.ReadOptions(), transcripts.Report()),
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_estimated_growth_is_near_what_the_provider_counted(path):
    messages = history(path)
    usages = [(n, c) for n, m in enumerate(messages) if (c := reading(m.usage))]
    if len(usages) < ENOUGH:
        pytest.skip("too few usages")
    model = next(m.model for m in messages if m.model)
    estimator = Estimator(family_for(model))
    real = estimated = 0.0
    for (start, before), (end, after) in pairwise(usages):
        grown = sum(
            estimator.count(message).tokens.shown
            for message in messages[start + 1 : end + 1]
        )
        if after > before and grown:
            real += after - before
            estimated += grown
    assert 0.7 < real / estimated < 1.3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_report_is_made_of_each_and_its_sums_agree(path):
    messages = history(path)
    tally = Tally(Estimator(sets="both"))
    meter = Meter(tally.meter.estimator)
    for message in messages:
        assert tally.add(message) == meter.add(message)
    report = tally.report(Bounds())
    size = meter.context()
    assert (report["tokens"], report["cautious"]) == (size.tokens, size.cautious)
    assert report["message_count"] == len(messages)
    total = meter.gauge.total.shown
    assert sum(report["classes"].values()) == pytest.approx(total, abs=4)
