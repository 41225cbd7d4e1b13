"""Sessions found, listed and meant; ids that clash; what a log says was dropped."""

from __future__ import annotations

import os

import pytest

from mewctl.errors import NotFound, StorageError
from mewctl.history.formats import load
from mewctl.history.view import Call, Image, Message, Opaque, Result, Text
from mewctl.session import making
from mewctl.session.archive import SessionArchive, archive_of
from mewctl.session.catalogue import newest
from mewctl.session.layout import LOG
from mewctl.session.lines import Marker
from mewctl.session.meta import Meta
from mewctl.session.references import find
from mewctl.session.sharing import share
from mewctl.session.texts import markdown, texts
from mewctl.spill.recall import Archive
from mewctl.store.files import AlreadyThere


def unit(directory, name, data=b'{"role":"user","content":"a","ts":1}\n'):
    place = directory / name
    place.mkdir(parents=True)
    (place / LOG).write_bytes(data)
    return place


def test_a_log_that_is_refused_is_listed_with_the_reason(tmp_path):
    place = unit(tmp_path, "20261201-000000-aaaa")
    os.link(place / LOG, tmp_path / "other")
    ((row,), count) = newest(str(tmp_path), None)
    assert count == 1
    assert "second name" in row.problem
    assert row.active == 1796083200.0  # what the id says


def test_a_damaged_side_file_is_told(tmp_path):
    place = unit(tmp_path, "20261201-000000-aaaa")
    (place / "session.json").write_text("{")
    ((row,), _) = newest(str(tmp_path), None)
    assert row.problem.startswith("session.json: ")
    assert row.title == "a"


def test_a_name_that_says_no_time_has_that_of_its_log(tmp_path):
    place = unit(tmp_path, "odd", b'{"role":"user","content":"a"}\n')
    os.utime(place / LOG, (77, 77))
    ((row,), _) = newest(str(tmp_path), 1)
    assert row.active == 77.0


def test_a_directory_elsewhere_is_meant_by_its_name(tmp_path, monkeypatch):
    unit(tmp_path / "here", "mine")
    monkeypatch.chdir(tmp_path / "here")
    assert find(str(tmp_path / "none"), "mine").directory == str(tmp_path / "here/mine")
    with pytest.raises(NotFound, match="no session at"):
        find("", str(tmp_path / "nothing"))


def test_a_session_may_be_called_latest(tmp_path):
    unit(tmp_path, "latest")
    assert find(str(tmp_path), "latest").id == "latest"


def test_an_id_that_is_taken_is_drawn_again(tmp_path):
    drawn = iter([b"\0\0", b"\0\0", b"\0\1"])
    store = str(tmp_path / ".mewcode")
    first = making.make(store, Meta(), 0.0, lambda _: next(drawn))
    second = making.make(store, Meta(), 0.0, lambda _: next(drawn))
    assert (first.id[-4:], second.id[-4:]) == ("0000", "0001")
    with pytest.raises(StorageError, match="every id"):
        making.make(store, Meta(), 0.0, lambda _: b"\0\0")


A, B, C = (b'{"role":"user","content":"%s"}' % text for text in (b"a", b"b", b"c"))


def test_what_a_marker_dropped_is_what_its_snapshot_has_not(tmp_path):
    marker = Marker(id="abcdef012345", messages=2).line()
    log = b"\n".join([A, B, A, C, marker, b'{"role":"user","content":"S"}', A, B, b""])
    place = unit(tmp_path, "s", log)
    archive = archive_of("none", str(place / "boundaries"), str(place / LOG))
    assert archive.boundaries() == ["abcdef012345"]
    lines = list(archive.messages("abc"))
    assert lines == [line + b"\n" for line in (A, B, C)]  # the newest A stayed
    for name in ("", "xyz"):
        with pytest.raises(NotFound):
            archive.messages(name)


def test_a_marker_without_a_count_has_no_known_snapshot(tmp_path):
    marker = Marker(id="abcdef012345").line()
    place = unit(tmp_path, "s", b"\n".join([A, marker, B, b""]))
    archive = SessionArchive("none", "none", str(place / LOG))
    with pytest.raises(NotFound, match="does not say"):
        list(archive.messages("abcdef012345"))


def test_files_of_a_filter_are_found_beside_those_of_the_log(tmp_path):
    place = unit(tmp_path, "s", A + b"\n")
    (place / "boundaries").mkdir()
    (place / "boundaries" / "0123456789ab.jsonl").write_bytes(B + b"\n")
    log = str(place / LOG)
    archive = archive_of("none", str(place / "boundaries"), log)
    assert list(archive.messages("0123456789ab")) == [B + b"\n"]
    assert type(archive_of("none", "none", "")) is Archive
    assert type(archive_of("none", "none", log + "x")) is Archive


def test_decisions_of_other_kinds_are_shared_as_they_are(tmp_path):
    source, target = tmp_path / "a", tmp_path / "b"
    source.mkdir()
    lines = [b'{"type":"kept","of":"result"}', b"torn", b"[1]", b'{"type":"language"}']
    (source / "ledger.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    share(str(source), str(target))
    got = (target / "ledger.jsonl").read_bytes().splitlines()
    assert got == [lines[0], lines[3]]
    share(str(tmp_path / "none"), str(tmp_path / "c"))
    assert not (tmp_path / "c").exists()


def test_bodies_without_a_ledger_are_shared_without_one(tmp_path):
    source, target = tmp_path / "a", tmp_path / "b"
    source.mkdir()
    (source / "x").write_bytes(b"body")
    share(str(source), str(target))
    assert (target / "x").read_bytes() == b"body"
    assert not (target / "ledger.jsonl").exists()


PARTS = (
    Text("said"),
    Image("image/png", "aGk="),
    Opaque("document", 3, {"type": "document"}),
    Call("x", "run", {"a": ["one", {"b": "two"}], "n": 5, "z": None}),
    Call("y", "patch", "free text"),
)


def test_all_texts_of_a_message_are_found():
    found = list(texts(Message("assistant", PARTS)))
    assert found == ["said", "run", "one", "two", "5", "patch", "free text"]


def test_every_part_has_its_markdown():
    told = "".join(
        markdown(
            "t",
            [
                Message("assistant", PARTS),
                Message("assistant", (Text(" "),)),
                Message("user", (Text("put in"),), injected=True),
                Message("tool", (Result("x", (Text("bad"),), is_error=True),)),
            ],
        )
    )
    for piece in ("*[image image/png]*", "*[document]*", "free text", "## Injected"):
        assert piece in told
    assert "**error**\n\n```\nbad\n```" in told
    assert told.count("## Assistant") == 1


def test_an_existing_directory_is_never_taken_for_a_new_one(tmp_path):
    from mewctl.store.files import new_dir

    with pytest.raises(AlreadyThere):
        new_dir(str(tmp_path))
    with pytest.raises(StorageError):
        new_dir(str(tmp_path / "none" / "inner"))


def test_results_apart_is_mew_in_all_but_how_results_stand():
    from mewctl.history.losses import Losses
    from mewctl.session.grouping import ResultsApart

    form, plain = ResultsApart(), load("mew")
    message = Message("user", (Text("a"),))
    results = (Result("x", (Text("r"),)),)
    assert form.make(message, Losses()) == plain.make(message, Losses())
    assert form.results_records(results) == plain.results_records(results)
    assert not form.RESULTS_TOGETHER
