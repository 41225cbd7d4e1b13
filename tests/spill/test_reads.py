from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.history.view import Call
from mewctl.spill.reads import Recovery, recovery, window

HERE = "/srv/app/.mewcode/spill"
FILE = f"{HERE}/toolu_1"


def read(given) -> Recovery | None:
    return recovery(Call("x", "tool", given), HERE)


@pytest.mark.parametrize(
    ("given", "path", "start"),
    [
        ({"file_path": FILE}, FILE, 1),
        ({"file_path": FILE, "offset": 200, "limit": 50}, FILE, 200),
        ({"path": FILE, "start_line": 7}, FILE, 7),
        ({"command": f"sed -n '120,400p' {FILE}"}, FILE, 120),
        ({"command": f"tail -n +50 '{FILE}' | head -100"}, FILE, 50),
        ({"command": f"grep -n error {FILE} | head"}, FILE, None),
        ({"command": "mewctl recall toolu_1 -d /srv/app/.mewcode/spill"}, FILE, 1),
        (
            {"command": "mewctl recall -d /other toolu_1 --lines 30:90"},
            "/other/toolu_1",
            30,
        ),
        ({"command": "cd /srv && uv run mewctl recall toolu_1 | jq ."}, FILE, None),
        ({"cmd": ["bash", "-lc", f"cat {FILE}"]}, FILE, 1),
        ({"a": {"b": [{"c": FILE}]}}, FILE, 1),
        (f"cat {FILE}", FILE, 1),
        ({"command": f'echo "unclosed {FILE} '}, FILE, None),
        # other spill directories, also relative ones
        ({"path": ".mewcode/spill/toolu_2"}, ".mewcode/spill/toolu_2", 1),
        (
            {"path": "/a/.mewcode/sessions/S/tool-results/t"},
            "/a/.mewcode/sessions/S/tool-results/t",
            1,
        ),
        (
            {"path": "/srv/app/src/../.mewcode/spill/toolu_1"},
            "/srv/app/src/../.mewcode/spill/toolu_1",
            1,
        ),
    ],
)
def test_what_reads_spilled_text_is_a_recovery_read(given, path, start):
    assert read(given) == Recovery(path, start)


# S8: paths are compared by component
@pytest.mark.parametrize(
    "given",
    [
        {},
        "",
        {"file_path": "/srv/app/src/main.py"},
        {"file_path": "/srv/app/.mewcode/spill-evil/toolu_1"},
        {"file_path": "/srv/app/.mewcode/spill/../secret"},
        {"file_path": HERE},
        {"path": "/a/.mewcode/sessions/S/conversation.jsonl"},
        {"path": "/a/.mewcode/sessions/S/tool-results"},
        {"path": "/a/.mewcode/memory/x.md"},
        {"command": "ls .mewcode/spill"},
        {"command": "recall the names"},
        {"command": "mewctl spill < x"},
        {"file_path": f"{FILE}\0"},
        {"content": "x" * 20_000 + FILE},
        {"n": 5, "b": None, "f": True},
        {"deep": {"a": {"b": {"c": {"d": {"e": FILE}}}}}},
        {"many": ["x"] * 100 + [FILE]},
    ],
)
def test_anything_else_is_none(given):
    assert read(given) is None


def test_a_path_that_would_break_a_line_is_not_shown():
    assert read({"file_path": f"{HERE}/a\n[saved to] /evil"}) == Recovery(HERE)
    assert read({"file_path": f"{HERE}/{'a' * 5000}"}) == Recovery(HERE)


def test_where_the_start_is_not_known_no_line_is_named():
    cut = window("a line\n" * 10_000, Recovery(FILE, None))
    assert cut is not None
    assert cut.endswith(f" bytes] for the rest, read less of {FILE}")
    assert "continue at line" not in cut


def test_a_body_that_looks_numbered_is_not_taken_for_it():
    cut = window("".join(f"{n * 7}: a row\n" for n in range(9000)), Recovery(FILE, 5))
    assert cut is not None
    assert f"continue at line {5 + cut.count(': a row')} of" in cut


@given(
    st.recursive(
        st.none() | st.text() | st.integers(),
        lambda s: st.lists(s) | st.dictionaries(st.text(), s),
    )
)
def test_no_input_of_a_call_is_a_problem(value):
    recovery(Call("x", "t", value if isinstance(value, dict) else {"v": value}), HERE)


def numbered(first: int, count: int, form: str = "line {}\n") -> str:
    return "".join(form.format(n) for n in range(first, first + count))


def test_what_fits_into_the_window_is_left():
    assert window("x" * limits.RECOVERY_WINDOW, Recovery(FILE)) is None


def test_a_cut_read_says_at_which_line_to_go_on():
    text = numbered(1, 10_000)
    cut = window(text, Recovery(FILE))
    assert cut is not None
    shown, _, notice = cut.rpartition("\n")
    last = int(shown.rsplit(" ", 1)[1])
    hidden = len(text) - len(shown) - 1
    assert notice == f"[cut: {hidden} bytes] continue at line {last + 1} of {FILE}"
    assert text.startswith(shown + "\n")
    assert len(cut.encode()) <= limits.RECOVERY_WINDOW
    assert window(cut, Recovery(FILE)) is None


def test_where_the_read_began_counts():
    cut = window(numbered(1, 10_000, "text\n"), Recovery(FILE, 500))
    assert cut is not None
    lines = cut.count("\n")
    assert f"continue at line {500 + lines} of" in cut


@pytest.mark.parametrize(
    "form", ["{}\ttext\n", "  {}→text\n", "{}: text\n", "{}|text\n"]
)
def test_printed_line_numbers_are_believed(form):
    cut = window(numbered(700, 10_000, form), Recovery(FILE))
    assert cut is not None
    shown = cut.rpartition("\n")[0].rpartition("\n")[2]
    last = int(shown.strip().split("t")[0].strip("\t →:|"))
    assert f"continue at line {last + 1} of" in cut


@pytest.mark.parametrize("char", ["x", "错", "🙂", "\ud800"])
def test_one_long_line_is_cut_between_characters(char):
    cut = window(char * 100_000, Recovery(FILE))
    assert cut is not None
    shown, _, notice = cut.rpartition("\n")
    assert set(shown) == {char}
    size = len(shown.encode("utf-8", "surrogatepass"))
    assert notice.endswith(f"at line 1 of {FILE} (a long line, cut after {size} bytes)")
