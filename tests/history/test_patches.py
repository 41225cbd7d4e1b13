from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.history import patches
from mewctl.history.patches import Touch
from mewctl.streams.jsonvalue import utf8_size

ENVELOPE = """*** Begin Patch
*** Add File: new.py
+print(1)
+print(2)
*** Update File: old.py
@@ def f():
-    return 1
+    return 2
 unchanged
*** Update File: a.py
*** Move to: b.py
@@
-x
+y
*** Delete File: gone.py
*** End Patch
behind the patch"""


def test_an_envelope_says_what_happens_to_each_file() -> None:
    assert list(patches.envelope("noise\n" + ENVELOPE)) == [
        Touch("create", "new.py", "+print(1)\n+print(2)"),
        Touch("edit", "old.py", "-    return 1\n+    return 2"),
        Touch("move", "a.py", "-x\n+y", "b.py"),
        Touch("delete", "gone.py"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no patch",
        "*** Begin Patch\n*** End Patch",
        "*** Begin Patch\n*** Add File: ",
    ],
)
def test_what_names_no_file_touches_none(text: str) -> None:
    assert list(patches.envelope(text)) == []


def test_an_envelope_without_an_end_is_read_to_the_end() -> None:
    text = "*** Begin Patch\n*** Delete File: a\n*** Add File: b\n+1"
    assert [touch.path for touch in patches.envelope(text)] == ["a", "b"]


def test_a_unified_diff_says_what_happens_to_each_file() -> None:
    text = (
        "--- a/one.py\t2026\n+++ b/one.py\n@@ -1 +1 @@\n-a\n+b\n c\n"
        "--- /dev/null\n+++ b/two.py\n@@\n+new\n"
        "--- three.py\n+++ /dev/null\n@@\n-old\n"
    )
    assert list(patches.unified(text)) == [
        Touch("edit", "one.py", "-a\n+b"),
        Touch("create", "two.py", "+new"),
        Touch("delete", "three.py", "-old"),
    ]
    assert list(patches.unified("+++ b/x\nno diff")) == []


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a\nb\nc", "a\nX\nc", "-b\n+X"),
        ("a", "a\nb", "+b"),
        ("a\nb", "a", "-b"),
        ("same", "same", ""),
        ("ab", "ac", "-ab\n+ac"),
        ("a\nb\nc\n", "a\nc\n", "-b"),
        ("", "x", "+x"),
        ("x", "", "-x"),
        ("a\n" * 900 + "b", "a\n" * 900 + "c", "-b\n+c"),
    ],
)
def test_an_edit_shows_only_the_lines_that_differ(
    old: str, new: str, shown: str
) -> None:
    assert patches.replaced(old, new) == shown


@pytest.mark.parametrize(
    ("content", "shown"),
    [("", ""), ("a", "+a"), ("a\nb\n", "+a\n+b"), ("\n", "+")],
)
def test_a_written_file_shows_its_first_lines(content: str, shown: str) -> None:
    assert patches.written(content) == shown


def test_an_edit_without_an_end_in_sight_shows_its_beginning() -> None:
    shown = patches.replaced("x\n" * 9_000, "y\n" * 9_000)
    assert shown.startswith("-x\n-x\n")
    assert "\n+y\n+y\n" in shown
    assert "lines)" in shown


def test_a_long_written_file_says_how_many_lines_follow() -> None:
    shown = patches.written("0123456789\n" * 1_000)
    assert shown.startswith("+0123456789\n+0123456789\n")
    assert shown.splitlines()[-1] == f"… (+{1_000 - len(shown.splitlines()) + 1} lines)"


@given(st.text(max_size=5_000), st.text(max_size=5_000))
def test_an_excerpt_is_bounded_however_large_the_change(old: str, new: str) -> None:
    most = 3 * limits.FACT_CHANGE + 200  # a sign a line, at most one line a byte
    assert utf8_size(patches.replaced(old * 9, new * 9)) <= most
    assert utf8_size(patches.written(new * 9)) <= most
    long = f"*** Begin Patch\n*** Add File: a\n+{new * 9}\n" + "+x\n" * 5_000
    assert all(utf8_size(touch.change) <= most for touch in patches.envelope(long))
