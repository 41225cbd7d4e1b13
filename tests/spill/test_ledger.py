from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from mewctl import limits
from mewctl.errors import ConfigError, StorageError, Unsafe
from mewctl.spill import entries
from mewctl.spill.entries import Subject
from mewctl.spill.groups import Limits
from mewctl.spill.ledger import NAME, Ledger
from mewctl.streams.jsonvalue import dumps

HEADER = entries.header(Limits(5, 9))


def subject(n: int, size: int = 100) -> Subject:
    return Subject("result", f"call_{n}", f"{n:064x}", size)


def replaced(n: int, size: int = 100, *, short: bool = False):
    return entries.replaced(
        subject(n, size), f"call_{n}", f"PREVIEW {n}", "why", short=short
    )


@pytest.fixture
def ledger(tmp_path):
    return Ledger(str(tmp_path))


def fresh(tmp_path) -> Ledger:
    made = Ledger(str(tmp_path))
    made.refresh()
    return made


def test_without_a_file_nothing_is_decided(ledger, tmp_path):
    ledger.refresh()
    assert ledger.limits is None
    assert ledger.lang is None
    assert list(ledger.entries()) == []
    assert os.listdir(tmp_path) == []


def test_what_is_appended_is_known_here_and_to_others(ledger, tmp_path):
    ledger.append(
        [HEADER, entries.language("zh"), replaced(1), entries.kept(subject(2), "x")]
    )
    ledger.append([replaced(3, 40, short=True), replaced(4, 30, short=True)])
    for known in (ledger, fresh(tmp_path)):
        assert known.limits == Limits(5, 9)
        assert known.lang == "zh"
        assert known.floor == 30
        assert [entry.name for entry in known.entries()] == [
            f"call_{n}" for n in (1, 2, 3, 4)
        ]
        (place,) = known.of_name("call_1")
        assert known.preview(place) == "PREVIEW 1"
        assert known.of_name("call_9") == ()
    assert oct((tmp_path / NAME).stat().st_mode)[-3:] == "600"


def test_news_of_others_are_taken_in(ledger, tmp_path):
    ledger.append([HEADER, replaced(1)])
    other = fresh(tmp_path)
    ledger.append([replaced(2)])
    other.refresh()
    assert [entry.name for entry in other.entries()] == ["call_1", "call_2"]


def test_another_file_is_read_from_its_beginning(ledger, tmp_path):
    ledger.append([HEADER, replaced(1), replaced(2)])
    lines = dumps(entries.header(Limits(7, 8))) + b"\n" + dumps(replaced(3)) + b"\n"
    (tmp_path / "new").write_bytes(lines)
    (tmp_path / "new").rename(tmp_path / NAME)
    ledger.refresh()
    assert [entry.name for entry in ledger.entries()] == ["call_3"]
    assert ledger.limits == Limits(7, 8)


def test_a_file_that_shrank_is_read_again_and_one_that_went_is_forgotten(
    ledger, tmp_path
):
    ledger.append([HEADER, replaced(1), replaced(2)])
    (tmp_path / NAME).write_bytes(dumps(replaced(3)) + b"\n")
    ledger.refresh()
    assert [entry.name for entry in ledger.entries()] == ["call_3"]
    (tmp_path / NAME).unlink()
    ledger.refresh()
    assert list(ledger.entries()) == []


def test_the_newest_header_binds(ledger):
    ledger.append([HEADER])
    ledger.append([entries.header(Limits(1, 2))])
    assert ledger.limits == Limits(1, 2)


# row 101: two versions on one store
def test_a_ledger_of_a_later_version_is_refused(ledger, tmp_path):
    (tmp_path / NAME).write_bytes(dumps({**HEADER, "version": 2}) + b"\n")
    with pytest.raises(ConfigError, match="a later version of mewctl; upgrade"):
        ledger.refresh()


def test_a_torn_tail_is_no_decision_and_no_damage(ledger, tmp_path):
    ledger.append([HEADER, replaced(1)])
    with open(tmp_path / NAME, "ab") as file:
        file.write(dumps(replaced(2)))
    known = fresh(tmp_path)
    assert [entry.name for entry in known.entries()] == ["call_1"]
    assert known.is_torn()
    assert not known.damaged
    ledger.refresh()
    assert ledger.is_torn()


def test_a_ledger_that_is_gone_is_not_torn(ledger):
    assert not ledger.is_torn()


@pytest.mark.parametrize(
    "bad",
    [
        b"{", b"5", b"\0" * 50, b"\xff\xfe", b'{"type":"replaced"}', b"[" * 5000,
        b'{"type":"ledger"}', b'{"type":"kept","of":"result"}',
        b"x" * (limits.LEDGER_LINE_MAX + 5), b"y" * (3 * limits.LEDGER_LINE_MAX),
    ],
)  # fmt: skip
def test_damage_is_noticed_and_the_rest_is_read(ledger, tmp_path, bad):
    good = [dumps(record) for record in (HEADER, replaced(1), replaced(2))]
    (tmp_path / NAME).write_bytes(b"\n".join([good[0], good[1], bad, good[2], b""]))
    ledger.refresh()
    assert ledger.damaged
    assert [entry.name for entry in ledger.entries()] == ["call_1", "call_2"]
    for place in (*ledger.of_name("call_1"), *ledger.of_name("call_2")):
        assert ledger.preview(place) == f"PREVIEW {place.entry.name[-1]}"


def test_blank_lines_and_records_of_other_types_are_no_damage(ledger, tmp_path):
    (tmp_path / NAME).write_bytes(b'\n{"type":"later"}\n\n' + dumps(HEADER) + b"\n")
    ledger.refresh()
    assert not ledger.damaged
    assert ledger.limits == Limits(5, 9)


def test_mending_sets_the_old_one_aside_and_keeps_what_is_good(ledger, tmp_path):
    old = (
        dumps(HEADER)
        + b"\n"
        + dumps(replaced(1))
        + b"\n{bad\n"
        + dumps(replaced(2))
        + b"\ntorn"
    )
    (tmp_path / NAME).write_bytes(old)
    ledger.refresh()
    aside = ledger.mend(entries.header(Limits(1, 1)), [replaced(3)])
    assert Path(aside).read_bytes() == old
    assert os.path.basename(aside).startswith(f"{NAME}.bad-")
    known = fresh(tmp_path)
    assert not known.damaged
    assert known.limits == Limits(5, 9)
    assert [entry.name for entry in known.entries()] == ["call_1", "call_2", "call_3"]
    assert [entry.name for entry in ledger.entries()] == ["call_1", "call_2", "call_3"]


def test_mending_the_same_damage_twice_and_without_a_header(ledger, tmp_path):
    for _ in range(2):
        (tmp_path / NAME).write_bytes(b"garbage\n")
        ledger.refresh()
        ledger.mend(HEADER, [])
    assert fresh(tmp_path).limits == Limits(5, 9)
    assert len(os.listdir(tmp_path)) == 2


def test_a_line_that_is_elsewhere_now_gives_no_preview(ledger, tmp_path):
    ledger.append([HEADER, replaced(1)])
    (place,) = ledger.of_name("call_1")
    (tmp_path / NAME).write_bytes(dumps(replaced(2)) + b"\n" + b"x" * 500 + b"\n")
    assert ledger.preview(place) is None


# row 46: what is planted at a log's path
@pytest.mark.parametrize("plant", ["symlink", "fifo", "directory"])
def test_a_planted_ledger_is_refused(ledger, tmp_path, plant):
    path = tmp_path / NAME
    (tmp_path / "real").write_bytes(b"secret\n")
    match plant:
        case "symlink":
            path.symlink_to(tmp_path / "real")
        case "fifo":
            os.mkfifo(path)
        case _:
            path.mkdir()
    with pytest.raises(Unsafe):
        ledger.append([HEADER])
    if plant != "fifo":  # it has no size, so there is nothing to read
        with pytest.raises(Unsafe):
            ledger.refresh()
    assert (tmp_path / "real").read_bytes() == b"secret\n"


def test_a_ledger_that_cannot_be_seen_is_a_storage_error(ledger, monkeypatch):
    def stat(*_args, **_kwargs):
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "stat", stat)
    with pytest.raises(StorageError, match="Permission denied"):
        ledger.refresh()


def test_a_file_in_the_place_of_the_directory_means_no_decisions(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    made = Ledger(str(tmp_path / "file"))
    made.refresh()
    assert list(made.entries()) == []
