from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl.history.read_text import ReadText, unwrapped

REMINDER = "\n\n<system-reminder>\nnote\n</system-reminder>\n"


@pytest.mark.parametrize(
    ("text", "numbered", "read"),
    [
        ("     1→a\n     2→\n     3→c", True, ReadText("a\n\nc", 1, 3)),
        ("   10→a\n   11→b" + REMINDER, True, ReadText("a\nb", 10, 11)),
        ("1\ta\n2\tb\n", True, ReadText("a\nb", 1, 2)),
        ("1\ta\n2\tb\n", False, ReadText("1\ta\n2\tb\n")),
        ("1\ta\n3\tb", True, ReadText("1\ta\n3\tb")),
        ("1\ta\nb", True, ReadText("1\ta\nb")),
        ("12|a\n13|b", True, ReadText("a\nb", 12, 13)),
        ("a\nb" + REMINDER + REMINDER, False, ReadText("a\nb")),
        ("<system-reminder>kept</system-reminder>\nx", False, ReadText("")),
        ("x</system-reminder>", False, ReadText("x</system-reminder>")),
        ("(empty file)", False, ReadText("")),
        ("", False, ReadText("")),
        (
            "Here's the result of running `cat -n` on /a:\n     1\tx\n",
            True,
            ReadText("x", 1, 1),
        ),
        (
            "[notice]\nHere's the content of /a with line numbers:\n     4\tx\n",
            True,
            ReadText("x", 4, 4),
        ),
        (
            "<file>\n00001| a\n00002| b\n\n(End of file - total 2 lines)\n</file>",
            False,
            ReadText("a\nb", 1, 2),
        ),
        (
            (
                "<path>/a</path>\n<type>file</type>\n<content>\n5: a\n6: b\n\n"
                "(Showing lines 5-6 of 9. Use offset=7 to continue.)\n</content>"
            ),
            False,
            ReadText("a\nb", 5, 6, cut=True),
        ),
        ("<content>\n5: a\n6: b cut here", False, ReadText("a\nb cut here", 5, 6)),
        ("<file>\nplain\n</file>", False, ReadText("plain")),
        (
            (
                "IMPORTANT: The file content has been truncated.\n"
                "Status: Showing lines 1-2 of 9 total lines.\n"
                "Action: more\n\n--- FILE CONTENT (truncated) ---\na\nb"
            ),
            False,
            ReadText("a\nb", 1, 2, cut=True),
        ),
        (
            (
                "\nIMPORTANT: The file content has been truncated.\n"
                "Status: Showing lines 8-9 of 9 total lines.\n"
                "Action: x\n\n--- FILE CONTENT (truncated) ---\na"
            ),
            False,
            ReadText("a", 8, 9),
        ),
        (
            "a\n\n[Showing lines 1-2000 of 3000. Use offset=2001 to continue.]",
            False,
            ReadText("a", 1, 2000, cut=True),
        ),
        (
            "a\n\n... (12 more lines not shown. Use offset=9)",
            False,
            ReadText("a", cut=True),
        ),
        (
            "a\n\n(File has more lines. Use 'offset' parameter)",
            False,
            ReadText("a", cut=True),
        ),
    ],
)
def test_what_tools_put_around_a_file_is_taken_off(
    text: str, numbered, read: ReadText
) -> None:
    assert unwrapped(text, numbered=numbered) == read


@pytest.mark.parametrize(
    "text",
    [
        "[content offloaded] original size: 9 bytes",
        "Here's the files and directories up",
    ],
)
def test_what_is_no_content_is_none(text: str) -> None:
    assert unwrapped(text, numbered=True) is None


@given(st.lists(st.text(alphabet="ab\t→|:1 ", max_size=12), min_size=1), st.integers(1))
def test_numbers_come_off_exactly(lines: list[str], first: int) -> None:
    first %= 10**6
    text = "\n".join(f"{first + n:6}→{line}" for n, line in enumerate(lines))
    read = unwrapped(text, numbered=True)
    assert read is not None
    assert read.content == "\n".join(lines)
    assert (read.first, read.last) == (first, first + len(lines) - 1)


@given(st.text(max_size=200), st.booleans())
def test_any_text_is_read(text: str, numbered) -> None:
    read = unwrapped(text, numbered=numbered)
    assert read is None or len(read.content) <= len(text)
