"""Age, calls, images and tails: spilling a history that is there as a whole."""

from __future__ import annotations

import json

from spilling import assistant, lines, results, spill, step, texts, user

from mewctl.errors import StorageError
from mewctl.history.formats import load
from mewctl.history.offloaded import recognise
from mewctl.spill.ledger import Ledger
from mewctl.spill.spiller import Options, Spiller
from mewctl.spill.vault import Vault
from mewctl.spill.whole import Whole
from mewctl.streams.records import Record

BIG = "a line of output\n" * 5000
OLD = "an old line\n" * 400  # 4,800 bytes


def whole(place, form: str, **options) -> Whole:
    warnings: list[str] = []
    spiller = Spiller(Vault(str(place)), Options(**options), warnings.append)
    return Whole(spiller, load(form), warnings.append)


def records(*values) -> tuple[Record, ...]:
    return tuple(
        Record(line, number)
        for number, line in enumerate(lines(*values).splitlines(), 1)
    )


def data(made) -> bytes:
    return b"".join(record.raw + b"\n" for record in made)


def gone(made) -> list[bool]:
    return [recognise(text) is not None for _, text in texts(data(made))]


def first_with(text: bytes, made) -> int:
    return next(n for n, record in enumerate(made) if text in record.raw)


# --- by size ---


def test_size_limits_do_what_the_stream_does(place, form):
    made = records(
        user(form, "hi"),
        *step(form, [("a", BIG), ("b", "x")]),
        user(form, "go"),
        *step(form, [("c", BIG)]),
    )
    done = whole(place, form).by_size(made)
    assert data(done.records) == spill(data(made), place, form=form).data
    assert done.ids == ("a", "c")
    changed = [
        n for n, (a, b) in enumerate(zip(made, done.records, strict=True)) if a is not b
    ]
    assert done.first == changed[0] == first_with(b"a line of output", made)
    assert len(changed) == 2
    assert [r.line for r in done.records] == [r.line for r in made]


def test_nothing_over_a_limit_gives_back_the_very_records(place, form):
    made = records(*step(form, [("a", "x")]), user(form, "go"))
    done = whole(place, form).by_size(made)
    assert all(a is b for a, b in zip(made, done.records, strict=True))
    assert (done.ids, done.first) == ((), None)
    assert whole(place, form).by_size(()).records == ()


def test_a_history_longer_than_a_block_is_decided_in_batches(place, form, monkeypatch):
    monkeypatch.setattr("mewctl.limits.READ_BLOCK", 50_000)
    steps = (step(form, [(f"c{n}", BIG), (f"d{n}", "x")]) for n in range(4))
    made = records(*(record for one in steps for record in one), user(form, "next"))
    done = whole(place, form).by_size(made)
    assert data(done.records) == spill(data(made), place, form=form).data
    assert len(done.ids) == 4


def test_the_same_bytes_in_a_group_at_the_end_are_decided_for_good(place):
    small = [("a", f"{n}" * 1000) for n in range(9)]
    same = ("a", "a line of output\n" * 150)
    calls = assistant("openai", [("a", {}), ("b", {})])
    answers = results("openai", [*small, same, ("b", "ok"), same])
    limits = {"single": 6000, "aggregate": 9000}
    made = records(calls, *answers)
    first = whole(place, "openai", **limits).by_size(made)
    assert gone(first.records)[-3:] == [True, False, False]
    for more in (
        [user("openai", "next")],
        results("openai", [("a", "y" * 5900), ("a", "z" * 999)]),
    ):
        grown = spill(data(made) + lines(*more), place, form="openai", **limits)
        assert grown.data.startswith(data(first.records))


def test_bad_records_stay(place):
    made = (Record(b'{"role":"tool","tool_results":[' + b"x" * 60_000),)
    assert whole(place, "mew").by_size(made).records == made


# --- by age ---


def old_history(form):
    """Five results of 4,800 bytes, the newest last."""
    steps = [r for n in range(5) for r in step(form, [(f"call_{n}", OLD + str(n))])]
    return records(user(form, "hi"), *steps, user(form, "next"))


def aged(place, form, made, keep=9_000, least=1_000):
    return whole(place, form).by_age(made, keep, least, len)


def test_old_results_leave_short_previews(place, form):
    made = old_history(form)
    done = aged(place, form, made)
    assert gone(done.records) == [True, True, True, False, False]
    assert done.ids == ("call_0", "call_1", "call_2")
    shown = texts(data(done.records))[0][1]
    assert len(shown) < 1500
    assert "an old line" in shown
    assert (place / "call_1").read_text() == OLD + "1"


def test_age_decisions_stick_in_streams_and_in_growing_histories(place, form):
    made = old_history(form)
    done = data(aged(place, form, made).records)
    assert spill(data(made), place, form=form).data == done
    assert spill(data(made), place).data == done
    assert spill(done, place).data == done
    more = data(made) + lines(*step(form, [("call_9", BIG)]), user(form, "end"))
    grown = spill(more, place).data
    assert grown.startswith(done)
    again = whole(place, form).by_size(
        records(*map(json.loads, data(made).splitlines()))
    )
    assert gone(again.records) == [True, True, True, False, False]


def test_what_was_kept_may_go_for_its_age_and_not_come_back(place):
    calls = assistant("openai", [("a", {}), ("b", {})])
    made = records(calls, *results("openai", [("a", OLD)]))
    spill(data(made), place)
    known = Ledger(str(place))
    known.refresh()
    assert [entry.replaced for entry in known.entries()] == [False]
    done = aged(place, "openai", made, keep=0)
    assert gone(done.records) == [True]
    assert spill(data(made), place).data == data(done.records)


def test_too_little_to_gain_changes_nothing(place, form):
    made = old_history(form)
    done = aged(place, form, made, least=1_000_000)
    assert done.records == made
    assert not place.exists()


def test_errors_are_the_last_to_go(place):
    failed = results("mew", [("bad", OLD)], failed=True)
    made = records(
        assistant("mew", [("bad", {})]),
        *failed,
        *step("mew", [("good", OLD)]),
        *step("mew", [("new", OLD)]),
    )
    done = aged(place, "mew", made, keep=4_800, least=3_000)
    assert gone(done.records) == [False, True, False]
    done = aged(place, "mew", made, keep=4_800, least=5_000)
    assert gone(done.records) == [True, True, False]


def test_what_was_read_back_stays_whatever_its_age(place, form):
    made = records(
        *step(form, [("a", OLD)], {"path": str(place / "call_x")}),
        *step(form, [("b", OLD)]),
        *step(form, [("c", OLD)]),
    )
    assert gone(aged(place, form, made, keep=4_800).records) == [False, True, False]


def test_previews_have_no_age(place, form):
    made = old_history(form)
    once = aged(place, form, made).records
    assert aged(place, form, once).records == once


def test_an_old_result_earlier_left_whole_by_size_is_honoured_only_where_it_is_long(
    place,
):
    # the same bytes under the same id, once alone and once in a group over the limit
    same = ("call_1", "x" * 45_000)
    group = [same, *((f"c{n}", f"{n}" * 44_000) for n in range(4))]
    stream = lines(*step("mew", [same]), *step("mew", group))
    before = spill(stream, place).data
    assert gone(tuple(Record(line) for line in before.splitlines()))[:2] == [
        False,
        True,
    ]
    aged(place, "mew", old_history("mew"))
    assert spill(stream, place).data == before


def test_disk_failures_leave_old_results_where_they_are(place, form, monkeypatch):
    def append(_self, _records):
        raise StorageError(path="x", what="No space left", remedy="-")

    monkeypatch.setattr(Ledger, "append", append)
    made = old_history(form)
    assert aged(place, form, made).records == made


# --- in calls ---


def call_history(form):
    given = {"path": "/a", "content": BIG, "n": 1}
    return records(
        user(form, "write it"),
        assistant(form, [("w1", given), ("w2", {"content": "short"})]),
        *results(form, [("w1", "ok"), ("w2", "ok")]),
        user(form, "again"),
        assistant(form, [("w3", given)]),
        *results(form, [("w3", "ok")]),
    )


def contents(form, made) -> list[str]:
    """What calls write, in order."""
    found = []
    for line in data(made).splitlines():
        message = load(form).view(json.loads(line))
        found += [call.input["content"] for call in message.calls]
    return found


def test_long_texts_in_old_calls_leave_previews_but_not_in_the_newest_turn(place, form):
    made = call_history(form)
    done = whole(place, form).in_calls(made)
    first, second, third = contents(form, done.records)
    assert recognise(first).path == str(place / "w1")
    assert (second, third) == ("short", BIG)
    assert (place / "w1").read_text() == BIG
    assert done.ids == ("w1",)
    assert done.first == first_with(b"w1", made)


def test_decisions_about_calls_stick_in_streams(place, form):
    made = call_history(form)
    done = data(whole(place, form).in_calls(made).records)
    for sizes in ((1 << 20,), (1000,)):
        assert spill(data(made), place, form=form, sizes=sizes).data == done
    assert spill(done, place).data == done
    assert (
        whole(place, form).in_calls(records(*map(json.loads, done.splitlines()))).first
        is None
    )


def test_without_a_user_all_is_the_newest_turn(place, form):
    made = call_history(form)[1:4]
    assert whole(place, form).in_calls(made[:2]).first is None
    odd = (Record(b'{"role":"user"'), *made[:2])
    assert whole(place, form).in_calls(odd).first is None


def test_the_limit_for_texts_in_calls_is_in_bytes(place):
    exact, over = "错" * 3_333 + "x", "错" * 3_334
    made = records(
        assistant("mew", [("a", {"c": exact}), ("b", {"c": over})]), user("mew", "next")
    )
    done = whole(place, "mew", single=10_000).in_calls(made)
    assert done.ids == ("b",)


# --- from a record on ---


def test_the_results_of_a_tail_are_spilled_where_that_helps(place, form):
    made = old_history(form)
    start = next(n for n, r in enumerate(made) if b"call_3" in r.raw)
    done = whole(place, form).from_record(made, start)
    assert gone(done.records) == [False, False, False, True, True]
    assert done.records[:start] == made[:start]
    small = records(*step(form, [("tiny", "x")]))
    assert whole(place, form).from_record(small, 0).records == small


def test_what_cannot_be_read_or_written_stays(place):
    deep = lines(*step("mew", [("a", OLD)])[1:]).rstrip()[:-1]
    deep += b',"x":' + b"[" * 1010 + b"]" * 1010 + b"}"
    odd = (Record(b'{"tool" is no record'), Record(deep))
    made = whole(place, "mew")
    assert made.from_record(odd, 0).records == odd
    assert made.by_age(odd, 0, 0, len).records == odd
    assert "stays as it was" in "".join(made.say.__self__)
