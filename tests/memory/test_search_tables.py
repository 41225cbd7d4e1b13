"""The weights that SQLite gives, against BM25 written down plainly."""

from __future__ import annotations

import os
import sqlite3
from types import SimpleNamespace

import pytest

from mewctl import limits
from mewctl.memory import search_schema, search_tables
from mewctl.memory.search_tables import Damaged, Entry, Tables, Unfit
from mewctl.memory.search_words import Terms, terms

TEXTS = {
    "a.md": ("tests", "run the tests with pytest and the linter"),
    "b.md": ("linter", "the linter is ruff"),
    "c.md": ("cache", "tests use no cache; tests are tests"),
    "d.md": ("数据库", "每晚备份数据库"),
}


def entries(texts=TEXTS, **more):
    return [Entry(f, "1", terms=terms(*text), **more) for f, text in texts.items()]


@pytest.fixture
def tables():
    made = Tables.empty()
    made.change((), entries(), {})
    yield made
    made.close()


def bm25(term, texts, k1=1.2, b=0.75):
    """File -> weight of a term without its rarity; a title's word counts more."""
    columns = {file: terms(*text) for file, text in texts.items()}
    sizes = {file: len(t.title) + len(t.body) for file, t in columns.items()}
    mean = sum(sizes.values()) / len(sizes)
    found = {}
    for file, t in columns.items():
        count = limits.SEARCH_TITLE * t.title.count(term) + t.body.count(term)
        if count:
            norm = k1 * (1 - b + b * sizes[file] / mean)
            found[file] = count * (k1 + 1) / (count + norm)
    return found


@pytest.mark.parametrize("term", ["test", "linter", "cach", "数据", "备份", "absent"])
def test_a_weight_is_bm25_without_the_rarity(tables, term):
    weights = tables.word(term)
    files = tables.files(list(weights))
    expected = bm25(term, TEXTS)
    assert {files[key] for key in weights} == set(expected)
    for key, weight in weights.items():
        assert weight == pytest.approx(expected[files[key]], rel=1e-6)


def test_a_term_of_most_notes_still_has_its_weight():
    made = Tables.empty()
    texts = {f"{n}.md": ("", "word " * (n + 1)) for n in range(3)}
    made.change((), entries(texts), {})
    weights = made.word("word")
    files = made.files(list(weights))
    expected = bm25("word", texts)
    for key, weight in weights.items():
        assert weight == pytest.approx(expected[files[key]], rel=1e-6)


def test_a_term_may_be_the_beginning_of_terms(tables):
    assert set(tables.files(list(tables.word("备*"))).values()) == {"d.md"}
    assert tables.word("备") == {}


def test_a_mark_is_sought_in_its_column_alone():
    made = Tables.empty()
    some = Terms((), (), ("m5",), ("m6",), "")
    made.change((), [Entry("a.md", "1", terms=some)], {})
    assert list(made.mark("names", "m5")) == [1]
    assert made.mark("names", "m6") == {}
    assert made.word("m5") == {}


def test_a_phrase_is_sought_as_it_stands(tables):
    assert tables.files(tables.phrase("the tests")).values()
    assert [tables.files([key])[key] for key in tables.phrase("linter is")] == ["b.md"]
    assert tables.phrase("nter is") == []


def test_neighbours_are_those_of_a_session_in_the_order_they_were_made():
    made = Tables.empty()
    some = terms("", "x")
    order = [("c", "2", "s"), ("a", "1", "s"), ("b", "1", "s"), ("x", "1", "t")]
    made.change(
        (),
        [
            Entry(f"{id_}.md", "1", id=id_, created=at, session=session, terms=some)
            for id_, at, session in order
        ]
        + [Entry("alone.md", "1", terms=some), Entry("w.md", "1", "why", session="s")],
        {},
    )
    names = made.files(range(1, 7)) | {None: None}
    beside = {names[k]: (names[b], names[a]) for k, b, a in made.beside(range(1, 7))}
    assert beside == {
        "a.md": (None, "b.md"),
        "b.md": ("a.md", "c.md"),
        "c.md": ("b.md", None),
        "x.md": (None, None),
    }


def test_what_is_taken_away_is_found_no_more_and_counts_no_more(tables):
    tables.change(["c.md"], [], {})
    assert tables.count == 3
    rest = {file: text for file, text in TEXTS.items() if file != "c.md"}
    weights = tables.word("test")
    files = tables.files(list(weights))
    assert {files[k]: pytest.approx(w) for k, w in weights.items()} == bm25(
        "test", rest
    )


def test_what_is_not_searched_is_named_with_its_reason(tables):
    tables.change([], [Entry("e.md", "1", "not UTF-8 at byte 3")], {})
    assert tables.unread() == [("e.md", "not UTF-8 at byte 3")]
    assert tables.count == 4


def test_tables_come_back_from_their_bytes(tables, tmp_path):
    tables.change([], [], {"files": "x"})
    path = tmp_path / "50%41?#.sqlite"
    path.write_bytes(tables.raw())
    again = Tables.opened(str(path))
    assert again.state("files") == "x"
    assert again.word("test") == tables.word("test")
    copy = again.copy()
    copy.change(["a.md"], [], {})
    assert (copy.count, again.count) == (3, 4)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM plain; END",
        "CREATE VIEW words_more AS SELECT 1",
        "DROP TABLE beside",
        "ALTER TABLE note ADD COLUMN more",
        "CREATE TABLE other (x)",
        "UPDATE state SET value = 'older' WHERE name = 'edition'",
        "DELETE FROM state",
    ],
)
def test_tables_of_another_make_are_refused(tables, tmp_path, statement):
    path = tmp_path / "cache"
    path.write_bytes(tables.raw())
    with sqlite3.connect(path) as db:
        db.execute(statement)
    db.close()
    with pytest.raises(Damaged):
        Tables.opened(str(path))


@pytest.mark.parametrize("raw", [b"", b"no database", b"SQLite format 3\0" + b"x" * 99])
def test_bytes_that_are_no_tables_are_refused(tmp_path, raw):
    path = tmp_path / "cache"
    path.write_bytes(raw)
    with pytest.raises(Damaged):
        Tables.opened(str(path))


def test_a_python_without_fts5_is_told(monkeypatch):
    monkeypatch.setattr(
        search_schema, "SCHEMA", ("CREATE VIRTUAL TABLE words USING fts9(x)",)
    )
    with pytest.raises(Unfit, match="no such module: fts9"):
        Tables.empty()


def test_a_python_that_cannot_serialize_is_told(monkeypatch):
    monkeypatch.setattr(search_tables, "sqlite3", SimpleNamespace(Connection=object))
    with pytest.raises(Unfit, match="serialize"):
        Tables.empty()


def test_tables_that_cannot_be_read_any_more_cannot_be_copied():
    other = Tables.empty()
    other.close()
    with pytest.raises(Damaged):
        other.copy()


def test_a_file_that_is_not_there_cannot_be_opened(tmp_path):
    with pytest.raises(Damaged):
        Tables.opened(str(tmp_path / "no"))


def test_a_file_whose_name_is_no_text_is_opened_all_the_same(tables, tmp_path):
    path = tmp_path / os.fsdecode(b"\xff")
    path.write_bytes(tables.raw())
    opened = Tables.opened(str(path))
    assert opened.count == tables.count
    opened.close()
