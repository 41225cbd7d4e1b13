from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.history.error_lines import failed_at_end, matter
from mewctl.streams.jsonvalue import utf8_size


def test_diagnoses_come_before_lines_that_only_sound_bad() -> None:
    noise = [f"server.go:{n}: INFO unexpected visitor {n}" for n in range(20)]
    text = "\n".join([*noise, "--- FAIL: TestX", "x_test.go:9: got 1, want 2", *noise])
    lines = matter(text)
    assert "--- FAIL: TestX" in lines
    assert "x_test.go:9: got 1, want 2" in lines
    assert len(lines) == limits.FACT_LINES
    assert lines[0] == noise[0]


def test_of_many_diagnoses_the_first_and_the_last_are_kept() -> None:
    lines = matter("\n".join(f"error: number {n}" for n in range(50)))
    assert lines[0] == "error: number 0"
    assert lines[-1] == "error: number 49"
    assert len(lines) == limits.FACT_LINES


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        ("one\ntwo\nthree\nfour", ("two", "three", "four")),
        ("Exit code 1\n\n", ()),
        ("0 errors\nno failures\nran fine", ("0 errors", "no failures", "ran fine")),
        ("same error\nsame error", ("same error",)),
        ("\x1b[31merror: red\x1b[0m\r", ("error: red",)),
        (
            "<tool_use_error>File does not exist.</tool_use_error>",
            ("File does not exist.",),
        ),
        (
            "Output: bash: pip: command not found\nError: (none)\nExit Code: 127",
            ("bash: pip: command not found",),
        ),
        ('  File "a.py", line 3\nnothing else', ('File "a.py", line 3',)),
        ("npm error path /x\nnpm error code 2", ("npm error code 2",)),
        (
            (
                "The user doesn't want to proceed with this tool use. the user said:\n"
                "use the other file\n\nplease"
            ),
            ("The user refused this call, and said:", "use the other file", "please"),
        ),
    ],
)
def test_frames_colours_and_repetitions_go(text: str, lines: tuple[str, ...]) -> None:
    assert matter(text) == lines


def test_content_of_files_tells_nothing() -> None:
    text = "return error\nraise Failure: x\nlast line"
    assert matter(text, content=True) == (
        "return error",
        "raise Failure: x",
        "last line",
    )
    assert matter(text + "\nsed: a: No such file", content=True) == (
        "sed: a: No such file",
    )


@given(st.text(max_size=300).map(lambda text: text * 100))
def test_lines_are_few_and_short(text: str) -> None:
    for content in (True, False):
        lines = matter(text, content=content)
        assert len(lines) <= limits.FACT_LINES
        assert all(utf8_size(line) <= limits.FACT_LINE + 4 for line in lines)


def test_both_ends_of_a_long_output_are_seen() -> None:
    text = "error: first\n" + "fine\n" * 10_000 + "error: last"
    assert matter(text) == ("error: first", "error: last")


@pytest.mark.parametrize(
    ("tail", "failed"),
    [
        ("ok\nFAIL", True),
        ("ok\n--- FAIL: TestX (0.1s)", True),
        ("npm ERR! code 1", True),
        ("[lint] ERROR task failed", True),
        ("== 3 failed, 1 passed ==", True),
        ("== 2 errors in 0.1s ==", True),
        ("json.JSONDecodeError: x", True),
        ("2 issues:", True),
        ("0 issues.", False),
        ("an error: in prose", False),
        ("ok FAIL", False),
        ("== 3 passed ==", False),
        ("", False),
    ],
)
def test_well_known_tools_end_failures_in_known_words(tail: str, failed) -> None:
    assert failed_at_end(tail) is failed
