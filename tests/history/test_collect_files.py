from __future__ import annotations

import pytest

from mewctl import limits
from mewctl.history.collect_files import Files
from mewctl.history.facts import FileFact
from mewctl.history.patches import Touch, TouchKind


def change(
    files: Files, kind: TouchKind, path: str, n: int = 1, *, created: bool = False,
    **more: str,
) -> list[str]:  # fmt: skip
    touch = files.resolved(Touch(kind, path, **more))  # type: ignore[arg-type]
    return files.change(touch, n, "because", created=created)


def test_reads_and_changes_are_counted_in_the_order_of_the_last_touch() -> None:
    files = Files()
    files.read("/a", 1)
    assert change(files, "edit", "/b", 2, change="-x\n+y") == ["/b"]
    files.read("/x/../a", 3)
    change(files, "write", "/b", 4, change="+z")
    assert files.facts() == (
        FileFact("/x/../a", reads=2, last=3),
        FileFact("/b", writes=2, change="+z", why="because", last=4),
    )


@pytest.mark.parametrize(
    ("kind", "created", "is_new"),
    [("write", True, True), ("write", False, False), ("create", False, True)],
)
def test_a_file_is_new_only_on_evidence(kind: TouchKind, created, is_new) -> None:
    files = Files()
    change(files, kind, "/a", created=created)
    assert files.facts()[0].created is is_new


def test_a_file_may_be_made_and_deleted_and_made_again() -> None:
    files = Files()
    change(files, "create", "/a", 1, change="+x")
    change(files, "delete", "/a", 2)
    assert files.facts() == (
        FileFact("/a", writes=1, created=True, deleted=True, why="because", last=2),
    )
    change(files, "write", "/a", 3, change="+y")
    (fact,) = files.facts()
    assert (fact.created, fact.deleted, fact.writes) == (True, False, 2)


def test_a_file_that_was_there_is_not_new_when_it_is_written_again() -> None:
    files = Files()
    files.read("/a", 1)
    change(files, "delete", "/a", 2)
    change(files, "write", "/a", 3)
    assert not files.facts()[0].created


def test_a_move_deletes_one_file_and_makes_another() -> None:
    files = Files()
    files.read("/d/a", 1)
    assert change(files, "move", "/d/a", 2, to="/d/b", change="+x") == ["/d/a", "/d/b"]
    first, second = files.facts()
    assert (first.path, first.deleted) == ("/d/a", True)
    assert first.change == "(moved to /d/b)"
    assert second.created
    assert second.change == "(moved from /d/a)\n+x"


def test_a_deleted_directory_takes_its_files_along() -> None:
    files = Files()
    for path in ("/d/a", "/d/e/b", "/dd/c"):
        files.read(path, 1)
    assert change(files, "delete", "/d", 2) == ["/d", "/d/a", "/d/e/b"]
    assert {f.path: f.deleted for f in files.facts()} == {
        "/dd/c": False,
        "/d": True,
        "/d/a": True,
        "/d/e/b": True,
    }


def test_a_long_relative_path_is_the_one_known_file_it_ends() -> None:
    files = Files()
    files.read("/w/internal/db/open.go", 1)
    change(files, "edit", "internal/db/open.go", 2)
    change(files, "move", "internal/db/open.go", 3, to="internal/db/close.go")
    paths = [fact.path for fact in files.facts()]
    assert paths == ["/w/internal/db/open.go", "/w/internal/db/close.go"]


def test_a_known_target_of_a_move_is_found_too() -> None:
    files = Files()
    files.read("/w/a/b/old.go", 1)
    files.read("/w/a/b/new.go", 1)
    change(files, "move", "a/b/old.go", 2, to="a/b/new.go")
    assert [fact.path for fact in files.facts()] == ["/w/a/b/old.go", "/w/a/b/new.go"]


def test_an_absolute_path_gives_a_relative_one_its_place() -> None:
    files = Files()
    files.read("internal/db/open.go", 1)
    files.read("/w/internal/db/open.go", 2)
    assert files.facts() == (FileFact("/w/internal/db/open.go", reads=2, last=2),)


@pytest.mark.parametrize(
    ("known", "path"),
    [
        (["/w/src/a.go"], "src/a.go"),  # too short to tell
        (["/w/x/src/a.go", "/v/x/src/a.go"], "x/src/a.go"),  # two of them
        (["v/x/src/a.go"], "x/src/a.go"),  # not absolute
        (["/w/x/src/b.go"], "x/src/a.go"),
        (["/w/x/src/a.go"], "/x/src/a.go"),
        (["/w/x/src/a.go"], "~/x/src/a.go"),
    ],
)
def test_a_path_that_does_not_tell_is_taken_as_it_is(
    known: list[str], path: str
) -> None:
    files = Files()
    for name in known:
        files.read(name, 1)
    change(files, "edit", path, 2)
    assert files.facts()[-1].path == path
    assert len(files.facts()) == len(known) + 1


def test_two_relative_names_of_one_end_stay_apart() -> None:
    files = Files()
    files.read("a/b/c/x.go", 1)
    files.read("b/c/x.go", 1)
    files.read("/w/a/b/c/x.go", 2)
    assert len(files.facts()) == 3


def test_a_name_that_too_many_files_have_tells_nothing() -> None:
    files = Files()
    for n in range(limits.SAME_NAMES + 1):
        files.read(f"/{n}/y/z/a.go", n)
    change(files, "edit", "0/y/z/a.go", 999)
    assert files.facts()[-1].path == "0/y/z/a.go"


def test_earlier_facts_go_on() -> None:
    earlier = (FileFact("/a", reads=1, last=1), FileFact("/b", writes=1, last=2))
    files = Files(earlier)
    assert files.facts() == earlier
    files.read("/a", 3)
    assert files.facts()[-1] == FileFact("/a", reads=2, last=3)


def test_files_only_read_are_bounded_and_changed_ones_stay() -> None:
    files = Files()
    change(files, "edit", "/changed", 0)
    for n in range(3 * limits.FACT_FILES_READ):
        files.read(f"/{n}", n)
    facts = files.facts()
    assert len(facts) <= 2 * limits.FACT_FILES_READ + 1
    assert facts[0].path == "/changed"
    assert facts[-1].path == f"/{3 * limits.FACT_FILES_READ - 1}"


def test_changed_files_are_listed_by_the_thousand_without_their_excerpts() -> None:
    files = Files()
    count = limits.FACT_CHANGES_SHOWN + 3
    for n in range(count):
        change(files, "edit", f"/{n}", n, change="+x")
    facts = files.facts()
    assert len(facts) == count
    assert [bool(fact.change) for fact in facts[:5]] == [False] * 3 + [True] * 2
    assert [bool(fact.why) for fact in facts[:4]] == [False] * 3 + [True]


def test_even_changed_files_have_a_bound() -> None:
    files = Files()
    for n in range(2 * limits.FACT_FILES_CHANGED + 1):
        change(files, "delete", f"/{n}", n)
    assert len(files.facts()) == limits.FACT_FILES_CHANGED
