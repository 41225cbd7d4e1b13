"""Decisions: sticky, written down before they are shown, safe when writing fails."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

from spilling import assistant, gone, lines, results, spill, step, texts, user

from mewctl.history.offloaded import recognise
from mewctl.spill import bodies as bodies_module
from mewctl.spill.vault import command
from mewctl.store.files import AlreadyThere

BIG = "a line of output\n" * 5000  # 85,000 bytes


def ledger(place) -> list[dict]:
    text = (place / "ledger.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


# --- what is written down ---


def test_the_ledger_holds_limits_language_and_the_exact_preview(place, form):
    data = lines(user(form, "hi"), *step(form, [("call_1", BIG)]))
    run = spill(data, place)
    header, language, replaced = ledger(place)
    assert header == {
        "type": "ledger", "version": 1,
        "single_limit": 50_000, "aggregate_limit": 200_000,
    }  # fmt: skip
    assert language == {"type": "language", "lang": "en"}
    assert replaced["type"] == "replaced"
    assert replaced["file"] == "call_1"
    assert replaced["preview"] == texts(run.data)[0][1]
    assert replaced["reason"] == "over the single limit of 50000 bytes"


def test_nothing_over_a_limit_leaves_no_trace(place, form):
    spill(lines(*step(form, [("a", "x" * 50_000)]), user(form, "next")), place)
    assert not place.exists()


def test_a_preview_once_shown_is_shown_again_whatever_a_new_one_would_look_like(
    place, form
):
    data = lines(user(form, "hi"), *step(form, [("call_1", BIG)]))
    first = spill(data, place).data
    again = spill(data, place, mode="head", lang="zh")
    assert again.data == first
    assert again.tally.spilled == 0
    other = spill(lines(*step(form, [("call_2", BIG)])), place, mode="head", lang="zh")
    assert "[完整内容]" in texts(other.data)[0][1]
    assert "[tail preview]" not in texts(other.data)[0][1]


def test_known_ids_with_other_bytes_are_decided_anew(place, form):
    first = lines(*step(form, [("call_1", BIG)]))
    second = lines(*step(form, [("call_1", BIG + "more")]))
    run = spill(first + second, place)
    (_, one), (_, two) = texts(run.data)
    assert recognise(one).path == str(place / "call_1")
    assert recognise(two).path.startswith(str(place / "call_1."))
    assert (place / "call_1").read_text() == BIG
    assert Path(recognise(two).path).read_text() == BIG + "more"


def test_the_same_bytes_in_an_earlier_batch_stay_for_good(place):
    same = ("call_1", "x" * 45_000)
    others = [(f"c{n}", f"{n}" * 44_000) for n in range(5)]
    data = lines(
        *step("mew", [same, ("b", "y" * 10_000)]), *step("mew", [same, *others])
    )
    cut = data.index(b"\n", 60_000) + 1
    run = spill(data, place, sizes=(cut,))  # one block for each group
    assert gone(run.data)[:3] == [False, False, False]
    assert spill(data, place).data == run.data
    assert spill(data[:cut], place).data == run.data[:cut]


def test_previews_of_an_incomplete_group_do_not_change_when_the_rest_comes(place):
    calls = assistant("openai", [("a", {}), ("b", {}), ("c", {})])
    answers = results(
        "openai", [("a", "x" * 45_000), ("b", "y" * 45_000), ("c", "z" * 45_000)]
    )
    limits = {"single": 50_000, "aggregate": 100_000}
    first = spill(lines(calls, *answers[:2]), place, form="openai", **limits)
    assert gone(first.data) == [False, False]
    assert [entry["type"] for entry in ledger(place)] == ["ledger", "kept", "kept"]
    second = spill(lines(calls, *answers), place, form="openai", **limits)
    assert gone(second.data) == [False, False, True]
    assert second.data.startswith(first.data)


def test_bytes_that_left_a_big_group_stay_in_a_later_one_that_is_small(place):
    # the same result of the same call again, after all calls were answered
    sizes = [("a", 3100), ("a", 5900), ("a", 2600), ("b", 100), ("a", 2600)]
    calls = assistant("openai", [("a", {}), ("b", {})])
    answers = [(i, (f"line of {size}\n" * size)[:size]) for i, size in sizes]
    history = [calls, *results("openai", answers), user("openai", "next")]
    limits = {"form": "openai", "single": 6000, "aggregate": 9000}
    before = b""
    for count in range(len(history) + 1):
        run = spill(lines(*history[:count]), place, **limits)
        assert run.data.startswith(before)
        assert spill(run.data, place, **limits).data == run.data
        before = run.data
    assert gone(run.data) == [False, False, True, False, False]


def test_a_group_that_is_small_only_since_it_was_spilled_still_counts(place):
    small = [("x", f"{n}" * 990) for n in range(6)]
    same = ("a", "a line of output\n" * 182)
    calls = assistant("openai", [("a", {}), ("x", {}), ("b", {})])
    group = [calls, *results("openai", [*small, same, ("b", "ok")])]
    again = [assistant("openai", [("c", {})]), *results("openai", [("c", "ok"), same])]
    history = [*group, user("openai", "next"), *again]
    limits = {"form": "openai", "single": 8000, "aggregate": 9000}
    for sizes in ((1 << 20,), (500,)):
        run = spill(lines(*history), place, sizes=sizes, **limits)
        assert gone(run.data)[-4:] == [True, False, False, False]
        assert run.data.index(b'"next"') < 8000
        assert spill(run.data, place, sizes=sizes, **limits).data == run.data


def test_each_coming_of_the_same_bytes_keeps_what_was_decided_about_it(place):
    small = [("x", f"{n}" * 1000) for n in range(9)]
    same = ("a", "a line of output\n" * 150)
    calls = assistant("openai", [("a", {}), ("x", {}), ("b", {})])
    one = [calls, *results("openai", [*small, same, ("b", "ok")])]
    alone = results("openai", [same])
    limits = {"form": "openai", "single": 6000, "aggregate": 9000}
    before = b""
    for history in ([*one, *one, *alone], [*one, *one, *alone, *one, *alone]):
        for data in (lines(*history), lines(*history, user("openai", "next"))):
            run = spill(data, place, **limits)
            assert run.data.startswith(before)
            assert spill(data, place, **limits).data == run.data
            assert spill(run.data, place, **limits).data == run.data
        before = run.data[: run.data.rindex(b'{"role": "user"')]
    left = [recognise(t) is not None for i, t in texts(run.data) if i == "a"]
    assert left[:3] == [True, True, False]


def test_a_complete_group_at_the_end_needs_no_notes(place):
    calls = assistant("openai", [("a", {}), ("b", {})])
    answers = results("openai", [("a", "x"), ("b", "y")])
    spill(lines(calls, *answers), place, form="openai")
    assert not place.exists()


def test_groups_end_where_all_calls_are_answered(place):
    calls = assistant("openai", [("a", {}), ("b", {})])
    answers = results("openai", [(i, i * 45_000) for i in "abcde"])
    data = lines(calls, *answers, user("openai", "next"))
    run = spill(data, place, form="openai", single=50_000, aggregate=100_000)
    # a and b are one group; c, d and e, which nobody asked for, another
    assert gone(run.data) == [False, False, True, False, False]


def test_blank_lines_do_not_part_a_group(place):
    calls = assistant("openai", [("a", {}), ("b", {}), ("c", {})])
    answers = results("openai", [(i, i * 45_000) for i in "abc"])
    spread = b"\n\r\n".join(lines(record).rstrip() for record in [calls, *answers])
    data = spread + b"\n\n" + lines(user("openai", "next"))
    for sizes in ((1 << 20,), (1000,)):
        run = spill(
            data, place, form="openai", sizes=sizes, single=50_000, aggregate=100_000
        )
        assert gone(run.data) == [True, False, False]
    without = b"".join(line + b"\n" for line in run.data.split(b"\n") if line.strip())
    assert data.count(b"\n") == run.data.count(b"\n")
    assert len(without.splitlines()) == 5


def test_many_small_results_in_one_group_are_one_group(place):
    calls = assistant("openai", [(f"c{n}", {}) for n in range(30)])
    answers = results("openai", [(f"c{n}", f"{n:02}" * 1000) for n in range(30)])
    limits = {"single": 30_000, "aggregate": 50_000}
    steps = (step("openai", [(f"s{n}", "x" * 900)]) for n in range(30))
    small = lines(*(record for made in steps for record in made))
    data = small + lines(calls, *answers, user("openai", "next")) + small
    runs = [
        spill(data, place / str(sizes[0]), form="openai", sizes=sizes, **limits)
        for sizes in ((1 << 20,), (5000,))
    ]
    for run in runs:
        shown = gone(run.data)
        assert sum(shown) == 5
        assert shown[30:35] == [True] * 5


def test_a_group_that_never_ends_is_decided_in_the_end(place, monkeypatch):
    monkeypatch.setattr("mewctl.limits.MAX_RECORD", 100_000)
    answers = results("openai", [(f"c{n}", f"{n}" * 40_000) for n in range(5)])
    data = lines(*answers)
    run = spill(data, place, form="openai", sizes=(50_000,), single=50_000)
    assert run.data == data
    assert len(run.flushed) > 4
    assert run.flushed[-3] > 100_000
    kept = [entry for entry in ledger(place) if entry["type"] == "kept"]
    assert len(kept) == 5


def test_results_in_disguise_are_found(place):
    record = lines(*results("openai", [("a", BIG)])).replace(b'"tool"', b'"t\\u006Fol"')
    run = spill(lines(assistant("openai", [("a", {})])) + record, place, form="openai")
    assert gone(run.data) == [True]
    record = lines(*results("anthropic", [("a", BIG)])).replace(
        b"tool_result", b"tool\\u005fresult"
    )
    run = spill(
        lines(assistant("anthropic", [("a", {})])) + record, place, form="anthropic"
    )
    assert gone(run.data) == [True]


# --- limits bind ---


def test_the_limits_of_the_first_run_bind(place, form):
    data = lines(*step(form, [("a", "x" * 20_000)]), *step(form, [("b", "y" * 8_000)]))
    first = spill(data, place, single=10_000)
    assert gone(first.data) == [True, False]
    later = spill(data, place)
    assert later.data == first.data
    assert later.warnings == []
    other = spill(data, place, single=5_000)
    assert other.data == first.data
    assert (
        "bound to limits of 10000 and 200000 bytes; others are ignored"
        in other.warnings[0]
    )


def test_relimit_binds_anew_and_flips_nothing(place, form):
    data = lines(*step(form, [("a", "x" * 20_000)]), *step(form, [("b", "y" * 8_000)]))
    spill(data, place, single=10_000)
    anew = spill(data, place, single=5_000, relimit=True)
    assert gone(anew.data) == [True, True]
    assert anew.warnings == []
    assert spill(data, place, single=50_000, relimit=True).data == anew.data
    assert spill(data, place).data == anew.data
    fresh = lines(*step(form, [("c", "z" * 8_000)]))
    assert gone(spill(fresh, place).data) == [True]  # nothing was decided under 50,000


# --- language ---


def test_the_language_is_the_users_and_is_kept(place, form):
    chinese = lines(user(form, "请修复这个错误，谢谢你"), *step(form, [("a", BIG)]))
    assert "[完整内容]" in texts(spill(chinese, place).data)[0][1]
    english = lines(user(form, "please fix this"), *step(form, [("b", BIG)]))
    assert "[完整内容]" in texts(spill(english, place).data)[0][1]
    assert "[full text]" in texts(spill(english, place / "other").data)[0][1]


def test_the_language_follows_what_came_before_not_after(place, form):
    data = lines(
        user(form, "please fix this"),
        *step(form, [("a", BIG)]),
        user(form, "请用中文回答我的所有问题"),
        user(form, "请修复这个错误"),
        *step(form, [("b", BIG)]),
    )
    for sizes in ((1 << 20,), (50,)):
        run = spill(data, place / str(sizes), sizes=sizes)
        assert all("[full text]" in text for _, text in texts(run.data))


# --- recovery reads (complaint 60) ---


def test_what_reads_a_spilled_body_is_not_spilled_again(place, form):
    path = str(place / "call_1")
    text = "".join(f"line {n}\n" for n in range(10_000))
    data = lines(
        *step(form, [("call_1", text)]),
        *step(form, [("call_2", text)], {"file_path": path}),
        *step(
            form, [("call_3", text)], {"command": f"mewctl recall call_1 -d {place}"}
        ),
        user(form, "next"),
    )
    run = spill(data, place)
    shown = [text for _, text in texts(run.data)]
    assert recognise(shown[0])
    for cut in shown[1:]:
        assert cut.startswith("line 0\nline 1\n")
        following = cut.count("\n") + 1
        assert cut.endswith(f" continue at line {following} of {path}")
        assert len(cut) <= 40_000
    assert spill(data, place).data == run.data
    assert spill(run.data, place).data == run.data
    assert (place / "call_2").read_text() == text


def test_a_recovery_read_takes_no_part_in_a_groups_sum(place):
    path = str(place / "call_1")
    calls = assistant(
        "mew", [(i, {"path": path if i == "r" else "/x"}) for i in "rabcd"]
    )
    answers = [("r", "r" * 45_000), *((i, i * 49_000) for i in "abcd")]
    data = lines(calls, *results("mew", answers))
    assert gone(spill(data, place).data) == [False] * 5


# --- bodies ---


def test_a_body_that_is_gone_is_saved_again(place, form):
    data = lines(*step(form, [("call_1", BIG)]))
    first = spill(data, place).data
    (place / "call_1").unlink()
    assert spill(data, place).data == first
    assert (place / "call_1").read_text() == BIG


def test_a_name_that_was_taken_meanwhile_is_not_used(place, monkeypatch):
    real = bodies_module.create_all
    plants = [b"planted"]

    def create_all(directory, files):
        if plants:
            Path(directory, files[0][0]).write_bytes(plants.pop())
        return real(directory, files)

    monkeypatch.setattr(bodies_module, "create_all", create_all)
    run = spill(lines(*step("mew", [("call_1", BIG)])), place)
    known = recognise(texts(run.data)[0][1])
    assert Path(known.path).read_text() == BIG
    assert Path(known.path).name.startswith("call_1.")
    assert (place / "call_1").read_bytes() == b"planted"


def test_names_that_are_always_taken_leave_the_original(place, monkeypatch):
    def create_all(_directory, files):
        return [
            AlreadyThere(path=name, what="already there", remedy="-")
            for name, _ in files
        ]

    monkeypatch.setattr(bodies_module, "create_all", create_all)
    data = lines(*step("mew", [("call_1", BIG)]))
    run = spill(data, place)
    assert run.data == data


def test_where_all_names_are_taken_the_original_stays(place):
    place.mkdir()
    digest = sha256(BIG.encode()).hexdigest()
    for name in ("call_1", f"call_1.{digest[:8]}", f"call_1.{digest}"):
        (place / name).write_text("planted")
    data = lines(*step("mew", [("call_1", BIG)]))
    run = spill(data, place)
    assert run.data == data
    assert ledger(place)[1]["type"] == "kept"


def test_hostile_ids_stay_inside_the_directory(place, form):
    ids = [
        "../../etc/cron.d/x",
        "/etc/passwd",
        "a/b",
        "x" * 10_000,
        "CON",
        "a\0b",
        "dropped",
        "é",
    ]
    data = lines(*(record for i in ids for record in step(form, [(i, BIG)])))
    run = spill(data, place)
    assert all(gone(run.data))
    assert [i for i, _ in texts(run.data)] == ids
    names = sorted(os.listdir(place))
    assert len(names) == len(ids) + 2
    assert all(
        name.startswith("h-") for name in names if name not in (".lock", "ledger.jsonl")
    )
    assert sorted(os.listdir(place.parent)) == ["spill"]


def test_commands_are_quoted_for_a_shell():
    assert command("call_1", "/a b/c") == "mewctl recall call_1 -d '/a b/c'"
    assert command("-rf", "/a") == "mewctl recall -d /a -- -rf"
