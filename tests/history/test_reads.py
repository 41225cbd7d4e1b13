from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.history.facts import FileRead
from mewctl.history.patches import Touch
from mewctl.history.reads import KEPT, Reads, fitting


def touch(path: str, part: str = "", *, numbered: bool = False) -> Touch:
    return Touch("read", path, part=part, content=True, numbered=numbered)


def test_the_newest_read_of_each_file_is_kept_in_order() -> None:
    reads = Reads(len)
    reads.add(touch("/a"), "old", 1, 10.0)
    reads.add(touch("/b"), "b", 2, None)
    reads.add(touch("/x/../a"), "new", 3, 30.0)
    assert reads.facts() == (
        FileRead("/b", "b", 2),
        FileRead("/x/../a", "new", 3, 30.0),
    )


def test_older_reads_are_forgotten() -> None:
    reads = Reads(len, [FileRead("/old", "x", 1)])
    for n in range(KEPT):
        reads.add(touch(f"/{n}"), "x", n, None)
    assert [read.path for read in reads.facts()] == [f"/{n}" for n in range(KEPT)]


def test_a_changed_file_is_stale() -> None:
    reads = Reads(len, [FileRead("/e", "x", 1)])
    reads.add(touch("/d/a"), "x", 2, None)
    reads.add(touch("/d/b"), "x", 3, None)
    reads.add(touch("/c"), "x", 4, None)
    reads.changed("/d/a", "written")
    reads.changed("/d", "written")
    assert [read.stale for read in reads.facts()] == ["", "written", "", ""]
    reads.changed("/d", "deleted")
    reads.changed("/e", "written")
    assert [read.stale for read in reads.facts()] == [
        "written",
        "deleted",
        "deleted",
        "",
    ]
    reads.add(touch("/d/a"), "again", 5, None)
    assert reads.facts()[-1] == FileRead("/d/a", "again", 5)


def test_a_preview_is_no_content() -> None:
    reads = Reads(len)
    reads.add(touch("/a"), "[content offloaded] original size: 9 bytes", 1, None)
    assert reads.facts() == ()


def test_a_part_is_told_by_the_numbers_that_were_shown() -> None:
    reads = Reads(len)
    reads.add(touch("/a", "lines 10-59", numbered=True), "10\tx\n11\ty", 1, None)
    reads.add(touch("/b", numbered=True), "1\tx\n2\ty", 2, None)
    reads.add(touch("/c", "lines 3-9"), "raw", 3, None)
    cut = "x\n\n[Showing lines 1-1 of 9. Use offset=2 to continue.]"
    reads.add(touch("/d"), cut, 4, None)
    reads.add(touch("/e"), "x\n\n(File has more lines. Use offset)", 5, None)
    parts = [(read.part, read.truncated) for read in reads.facts()]
    assert parts == [
        ("lines 10-11", False),
        ("", False),
        ("lines 3-9", False),
        ("lines 1-1", False),
        ("", True),
    ]


def test_contents_are_bounded_in_tokens_and_say_so() -> None:
    reads = Reads(len)
    reads.add(touch("/a"), "line\n" * 5_000, 1, None)
    reads.add(touch("/b"), "x" * (limits.READ_KEPT + 1), 2, None)
    first, second = reads.facts()
    assert first.truncated
    assert second.truncated
    assert first.content.endswith("line")
    assert len(first.content) <= limits.RECENT_FILE_TOKENS
    assert len(second.content) <= limits.RECENT_FILE_TOKENS


@given(st.text(alphabet="ab\n", max_size=400), st.integers(0, 500))
def test_fitting_keeps_whole_lines_of_the_beginning(text: str, tokens: int) -> None:
    kept, cut = fitting(text, len, tokens)
    assert text.startswith(kept)
    assert cut is (len(text) > tokens)
    assert len(kept) <= max(tokens, 0) or not cut
    if cut and "\n" in kept:
        assert text[len(kept)] == "\n"
