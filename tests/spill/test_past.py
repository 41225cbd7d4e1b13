from __future__ import annotations

import pytest
from spilling import FORMATS, Sink, assistant, lines, reader, results, user

from mewctl.spill.past import Past
from mewctl.spill.scan import scan
from mewctl.spill.spiller import Options, Spiller
from mewctl.spill.vault import Vault
from mewctl.spill.weave import Setting


def test_lines_are_counted_as_they_go_by_or_again_but_none_twice():
    asked = []
    whole = b"a\nb\n\nc\nd\n"

    def recount(start, end):
        asked.append((start, end))
        return whole.count(b"\n", start, end)

    for past in (Past(), Past(recount)):
        assert past.lines == 0
        past.add(whole, 0, 2)
        past.add(whole, 2, 5)
        assert past.lines == 3
        assert past.lines == 3
        past.add(whole, 5, 9)
        assert past.lines == 5
    assert asked == [(0, 5), (5, 9)]


def test_nothing_is_counted_again_before_somebody_asks():
    past = Past(lambda _, __: 1 // 0)
    past.add(b"a\n", 0, 2)
    assert past.offset == 2


@pytest.mark.parametrize("form", FORMATS)
def test_lines_of_a_sound_history_are_never_counted(form, tmp_path):
    asked = []
    steps = [
        (
            user(form, "go"),
            assistant(form, [(name, {})]),
            *results(form, [(name, "x" * 60_000)]),
        )
        for name in "abc"
    ]
    data = lines(*(record for step in steps for record in step))
    said = []
    spiller = Spiller(Vault(str(tmp_path)), Options(), said.append)
    sink = Sink()
    setting = Setting(sink, spiller, said.append, "test")
    scan(reader(data, (1000,)), setting, recount=lambda *part: asked.append(part) or 0)
    assert spiller.tally.spilled == 3
    assert asked == []
