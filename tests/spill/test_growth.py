"""The promises about a history that grows: its spilled prefix never changes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spilling import FORMATS, assistant, flat, lines, results, spill, step, texts, user

from mewctl.history.offloaded import recognise
from mewctl.spill.recall import Archive

LIMITS = {"single": 6000, "aggregate": 9000}
IDS = ["call_1", "call_1", "call_2", "CALL_1", "../../x", "", 7]
SIZES = [0, 1, 2600, 3100, 3100, 4000, 5900, 6100, 9500]
KINDS = [
    "line {} of the output\n",
    "lime {} of the output\n",
    "错误 {} 行\n",
    "{}\0\r\n",
]


def body(size: int, kind: int) -> str:
    """A text of ``size`` characters; equal arguments give equal texts."""
    line = KINDS[kind].format(size)
    return (line * (size // len(line) + 1))[:size]


bodies = st.builds(body, st.sampled_from(SIZES), st.sampled_from([0, 0, 0, 1, 2, 3]))
answers = st.tuples(st.sampled_from(IDS), bodies)


@st.composite
def records(draw, form: str):
    """A few steps of an agent, honest or not."""
    made = [user(form, draw(st.sampled_from(["hello", "请修复这个错误"])))]
    for _ in range(draw(st.integers(1, 4))):
        given_ids = draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=5))
        if draw(st.integers(0, 4)):  # the usual: what is called is answered
            answered = [(i, draw(bodies)) for i in given_ids]
        else:
            answered = draw(st.lists(answers, max_size=5))
        made.append(assistant(form, [(i, {"command": "ls"}) for i in given_ids]))
        made += results(form, answered) if answered else []
        if draw(st.booleans()):
            made.append(user(form, "go on"))
    return made


@st.composite
def streams(draw):
    """A format, the lines of a history in it, and where it is cut to be run."""
    form = draw(st.sampled_from(FORMATS))
    ends = st.sampled_from([b"\n", b"\n", b"\r\n", b"\n\n", b" \n\t\r\n"])
    made = [
        json.dumps(record, ensure_ascii=draw(st.booleans())).encode() + draw(ends)
        for record in flat(draw(records(form)))
    ]
    cuts = draw(st.lists(st.integers(0, len(made)), max_size=4))
    return form, made, [*sorted(cuts), len(made)]


chunks = st.lists(st.sampled_from([1, 7, 100, 4096, 1 << 20]), min_size=1, max_size=4)
quick = settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """One path for all examples, for it stands in previews. Syncs cost nothing."""
    monkeypatch.setattr(os, "fsync", lambda _fd: None)
    return tmp_path / "spill"


def fresh(place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    return place


@given(stream=streams(), sizes=chunks, form_known=st.booleans())
@quick
def test_each_run_over_a_growing_history_begins_with_the_last_ones_bytes(
    place, stream, sizes, form_known
):
    form, made, cuts = stream
    fresh(place)
    before = b""
    for cut in cuts:
        data = b"".join(made[:cut])
        named = form if form_known else "auto"
        run = spill(data, place, form=named, sizes=sizes, **LIMITS)
        assert run.data.startswith(before)
        assert run.warnings == []
        before = run.data


@given(
    sizes=st.lists(
        st.sampled_from([100, 2600, 3100, 5900, 6100]), min_size=2, max_size=7
    ),
    ids=st.lists(
        st.sampled_from(["a", "b", "c", "d", "e", "f"]), min_size=7, max_size=7
    ),
    called=st.booleans(),
)
@quick
def test_a_group_that_is_cut_anywhere_keeps_what_was_decided(place, sizes, ids, called):
    made = results(
        "openai", [(i, body(size, 0)) for i, size in zip(ids, sizes, strict=False)]
    )
    head = [assistant("openai", [(i, {}) for i in ids] if called else [("z", {})])]
    history = [lines(record) for record in [*head, *made, user("openai", "next")]]
    fresh(place)
    before = b""
    for cut in range(len(history) + 1):
        data = b"".join(history[:cut])
        run = spill(data, place, form="openai", **LIMITS)
        assert run.data.startswith(before)
        before = run.data


@given(
    first=st.lists(answers, min_size=1, max_size=3),
    second=st.lists(answers, min_size=1, max_size=5),
    form=st.sampled_from(FORMATS),
)
@quick
def test_the_same_result_twice_is_decided_once(place, first, second, form):
    start = lines(*step(form, first), user(form, "go on"))
    data = start + lines(*step(form, first + second), user(form, "end"))
    fresh(place)
    alone = spill(start, place, form=form, **LIMITS).data
    longer = spill(data, place, form=form, **LIMITS).data
    again = spill(data, place, form=form, **LIMITS).data
    assert longer.startswith(alone)
    assert again == longer


@given(stream=streams(), sizes=chunks)
@quick
def test_spilling_what_is_spilled_changes_nothing(place, stream, sizes):
    form, made, cuts = stream
    fresh(place)
    for cut in cuts:
        once = spill(b"".join(made[:cut]), place, form=form, **LIMITS).data
        twice = spill(once, place, form=form, sizes=sizes, **LIMITS).data
        assert twice == once


@given(stream=streams(), sizes=chunks)
@quick
def test_how_a_stream_arrives_decides_nothing(place, stream, sizes):
    form, made, _ = stream
    data = b"".join(made)
    at_once = spill(data, fresh(place), form=form, **LIMITS)
    in_pieces = spill(data, fresh(place), form=form, sizes=sizes, **LIMITS)
    assert in_pieces.data == at_once.data
    assert in_pieces.tally == at_once.tally


@given(stream=streams())
@quick
def test_every_body_comes_back_byte_for_byte(place, stream):
    form, made, _ = stream
    data = b"".join(made)
    run = spill(data, fresh(place), form=form, **LIMITS)
    archive = Archive(str(place), str(place / "dropped"))
    for (_, was), (_, text) in zip(texts(data), texts(run.data), strict=True):
        if text == was:
            continue
        known = recognise(text)
        assert known is not None
        assert len(text.encode()) < len(was.encode()) == known.size
        handle = Path(known.path).name
        assert b"".join(archive.read(archive.find(handle))) == was.encode()
        assert archive.original(text) == was.encode()


@given(stream=streams())
@quick
def test_limits_hold_as_far_as_previews_help(place, stream):
    form, made, _ = stream
    data = b"".join(made)
    run = spill(data, fresh(place), form=form, **LIMITS)
    preview_floor = 2500  # bodies of this size and more have smaller previews here
    seen: set[tuple[str, str]] = set()
    for (identity, was), (_, text) in zip(texts(data), texts(run.data), strict=True):
        stands = (str(identity), was) in seen
        if text == was:
            seen.add((str(identity), was))
        if len(was.encode()) > LIMITS["single"] and not stands:
            assert text != was or len(was.encode()) < preview_floor


@given(stream=streams())
@quick
def test_nothing_over_a_limit_comes_out_byte_for_byte(place, stream):
    form, made, _ = stream
    data = b"".join(made)
    run = spill(data, fresh(place), form=form, single=50_000, aggregate=10**6)
    assert run.data == data


@pytest.mark.parametrize("form", FORMATS)
def test_the_smallest_limit_there_ever_was_is_remembered(tmp_path, form):
    place = tmp_path / "spill"
    records = [user(form, "hi")]
    before = []
    for number, single in enumerate((1000, 5000, 50_000, 100_000)):
        records += step(form, [(f"c{number}", "a line\n" * (single // 5))])
        for _ in range(2):
            run = spill(lines(*records), place, single=single, relimit=True)
            after = texts(run.data)
            assert after[: len(before)] == before
            before = after
        assert recognise(after[-1][1])
