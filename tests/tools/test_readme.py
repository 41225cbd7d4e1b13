"""The README's tables are made; the rest of it is left as its authors wrote it."""

from __future__ import annotations

import pytest

from tools import readme, tree

TOP = tree.root()
PAGE = """# Title
<!-- commands: made by "make docs" -->
worn-out
<!-- end -->
Words \\1 between.
<!-- exit codes: made by "make docs" -->
<!-- end -->
The end
"""


def test_what_stands_between_the_marks_is_made_anew_and_no_more():
    text = readme.updated(PAGE, TOP)
    assert "worn-out" not in text
    assert "| [`compact`](docs/reference/compact.md) | Replace old history" in text
    assert "| 130 | interrupted |" in text
    kept = [line for line in text.splitlines() if line[:1] not in {"|", ""}]
    assert kept == [line for line in PAGE.splitlines() if line != "worn-out"]


def test_made_twice_it_is_the_same():
    once = readme.updated(PAGE, TOP)
    assert readme.updated(once, TOP) == once


@pytest.mark.parametrize("name", ["commands", "exit codes"])
def test_a_readme_without_a_place_for_a_table_is_refused(name):
    with pytest.raises(ValueError, match=f"no place for its {name}"):
        readme.updated(PAGE.replace(f"!-- {name}:", "!--"), TOP)
