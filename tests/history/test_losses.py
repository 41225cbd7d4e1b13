from __future__ import annotations

from mewctl import limits
from mewctl.history.losses import Losses


def test_losses_are_counted_by_kind_and_told_in_one_line():
    losses = Losses()
    losses.add("usage")
    losses.add("image", 2)
    losses.add("image")
    losses.add("nothing", 0)
    assert losses.line() == "3 image, 1 usage"
    assert Losses().line() == ""


def test_kinds_that_name_the_input_are_limited_in_number_and_length():
    losses = Losses()
    for number in range(limits.LOSS_KINDS + 9):
        losses.add(f"key {number}" + "x" * 999)
    assert len(losses.counts) == limits.LOSS_KINDS + 1
    assert losses.counts["other"] == 9
    assert max(map(len, losses.counts)) == limits.LOSS_KIND_CHARS
