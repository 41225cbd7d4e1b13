from __future__ import annotations

import re
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spilling import lines, spill, step, user

from mewctl import limits
from mewctl.errors import BadInput, NotFound
from mewctl.spill.recall import Archive, Body, checksum, part
from mewctl.spill.recall import lines as lines_of
from mewctl.spill.search import Hit, excerpt, search

BIG = "a line of output\n" * 5000


def archive(place) -> Archive:
    return Archive(str(place), str(place / "dropped"))


def read(place, handle: str) -> bytes:
    known = archive(place)
    return b"".join(known.read(known.find(handle)))


def spilled(place, *answers):
    return spill(
        lines(*(r for answer in answers for r in step("mew", [answer]))), place
    )


ODD = {
    "nul": "a\0b\n" * 20_000,
    "carriage returns": "line\r\n" * 20_000,
    "no last line end": "x" * 60_000,
    "surrogates": "\ud800 \udfff\n" * 10_000,
    "chinese": "错误\n" * 20_000,
    "a preview inside": "[content offloaded] original size: 9 bytes\n[saved to] /x\n"
    * 2000,
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_what_was_spilled_comes_back_byte_for_byte(place, text):
    import json

    record = json.dumps(step("mew", [("call_1", text)])[1]) + "\n"
    spill(record.encode(), place)
    assert read(place, "call_1") == text.encode("utf-8", "surrogatepass")


def test_bodies_are_found_by_file_and_by_call(place):
    spilled(place, ("call_1", BIG), ("../x", BIG + "2"))
    (known,) = [body for body in archive(place).bodies() if body.call_id == "../x"]
    assert known.file.startswith("h-")
    assert read(place, "../x") == read(place, known.file) == (BIG + "2").encode()
    assert read(place, "call_1") == BIG.encode()


def test_a_files_name_comes_before_a_calls_id(place):
    spilled(place, ("call_1", BIG), ("call_1", BIG + "2"))
    first, second = [body.file for body in archive(place).bodies()]
    assert first == "call_1"
    assert read(place, "call_1") == BIG.encode()
    assert read(place, second) == (BIG + "2").encode()


def test_a_file_that_no_ledger_knows_is_not_taken_for_the_body_of_its_call(place):
    place.mkdir()
    (place / "call_1").write_text("of somebody else")
    spilled(place, ("call_1", BIG))
    (known,) = [body for body in archive(place).bodies() if body.digest]
    with pytest.raises(NotFound, match="2 bodies are of the call call_1"):
        read(place, "call_1")
    assert read(place, known.file) == read(place, known.digest) == BIG.encode()


def test_a_call_with_several_bodies_is_ambiguous_where_no_file_has_its_name(place):
    spilled(place, ("a/b", BIG), ("a/b", BIG + "2"))
    first, second = archive(place).bodies()
    with pytest.raises(NotFound, match="2 bodies are of the call a/b: ") as caught:
        read(place, "a/b")
    assert f"{first.file} (sha256 {first.digest}), {second.file} (" in str(caught.value)
    assert {body.file for body in archive(place).of_call("a/b")} == {
        first.file,
        second.file,
    }


def test_a_sha256_or_its_beginning_is_a_handle(place):
    spilled(place, ("call_1", BIG), ("call_1", BIG + "2"), ("call_2", BIG))
    digest = sha256((BIG + "2").encode()).hexdigest()
    for length in (8, 12, 64):
        assert read(place, digest[:length]) == (BIG + "2").encode()
    with pytest.raises(NotFound):
        read(place, digest[:7])
    # two calls with the same bytes: either file will do
    assert read(place, sha256(BIG.encode()).hexdigest()) == BIG.encode()


def test_a_beginning_that_two_hashes_share_is_ambiguous(place, monkeypatch):
    monkeypatch.setattr("mewctl.spill.recall._DIGEST", re.compile("[0-9a-f]*"))
    spilled(place, *((f"call_{n}", BIG + str(n)) for n in range(17)))
    firsts = [body.digest[0] for body in archive(place).bodies()]
    shared = next(digit for digit in firsts if firsts.count(digit) > 1)
    with pytest.raises(NotFound, match="bodies are of the call"):
        read(place, shared)


@pytest.mark.parametrize(
    "handle", ["none", "", "../call_1", "/etc/passwd", "ledger.jsonl", ".lock", "*"]
)
def test_what_is_not_there_is_not_found(place, handle):
    spilled(place, ("call_1", BIG))
    (place.parent / "call_1").write_text("outside")
    with pytest.raises(NotFound, match="nothing spilled is called"):
        read(place, handle)


def test_an_empty_place_has_nothing(tmp_path):
    known = archive(tmp_path / "none")
    assert known.bodies() == []
    assert known.boundaries() == []
    with pytest.raises(NotFound):
        known.find("x")
    with pytest.raises(NotFound):
        known.messages("x")


# row 59
def test_a_changed_body_is_refused_before_anything_is_printed(place):
    spilled(place, ("call_1", BIG))
    path = place / "call_1"
    path.write_bytes(path.read_bytes()[:-1] + b"X")
    known = archive(place)
    stream = known.read(known.find("call_1"))
    with pytest.raises(BadInput, match="sha256 differs"):
        next(stream)


def test_a_body_that_is_gone_is_told_with_what_to_do(place):
    spilled(place, ("call_1", BIG))
    (place / "call_1").unlink()
    with pytest.raises(NotFound, match="is gone; spill the history again"):
        read(place, "call_1")


def test_a_planted_link_is_not_followed(place, tmp_path):
    spilled(place, ("call_1", BIG))
    (tmp_path / "secret").write_text("secret")
    (place / "call_1").unlink()
    (place / "call_1").symlink_to(tmp_path / "secret")
    with pytest.raises(Exception, match="is a symbolic link"):
        read(place, "call_1")


def test_bodies_without_a_ledger_are_listed_and_printed_unchecked(place):
    place.mkdir()
    (place / "call_1").write_text("text")
    (place / "call_2.png").write_bytes(b"\x89PNG")
    (place / "dropped").mkdir()
    (place / "notes.txt.old").write_text("x")
    assert archive(place).bodies() == [
        Body("call_1", size=4),
        Body("call_2.png", of="image", size=4),
    ]
    assert read(place, "call_1") == b"text"


# row 60
def test_a_ledger_cannot_name_files_outside(place, tmp_path):
    spilled(place, ("call_1", BIG))
    (tmp_path / "secret").write_text("secret")
    path = place / "ledger.jsonl"
    path.write_text(path.read_text().replace('"file":"call_1"', '"file":"../secret"'))
    with pytest.raises(NotFound):
        read(place, "../secret")
    assert "../secret" not in [body.file for body in archive(place).bodies()]


def test_previews_from_elsewhere_have_no_original_here(place):
    run = spilled(place, ("call_1", BIG))
    from spilling import texts

    text = texts(run.data)[0][1]
    assert archive(place).original(text) == BIG.encode()
    assert archive(place / "other").original(text) is None
    assert archive(place).original("text") is None
    assert archive(place).original(text.replace("85000", "85001")) is None


# --- lines ---


@given(data=st.binary(max_size=60), size=st.integers(1, 9))
def test_lines_are_the_stream(data, size):
    blocks = [data[n : n + size] for n in range(0, len(data), size)]
    found = list(lines_of(blocks))
    assert b"".join(found) == data
    assert all(line.endswith(b"\n") for line in found[:-1])
    assert all(line.count(b"\n") <= 1 for line in found)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(1, None, "1 2 3 4"), (2, 3, "2 3"), (4, 9, "4"), (3, 3, "3"), (1, 1, "1")],
)
def test_a_part_is_lines_counted_from_one(first, last, expected):
    made = [b"%d\n" % n for n in range(1, 5)]
    assert b"".join(part(made, first, last)).split() == expected.encode().split()


def test_a_part_behind_the_end_is_not_found():
    with pytest.raises(NotFound, match="it has 2 lines only"):
        list(part([b"a\n", b"b\n"], 3, None))


# --- dropped messages ---


@pytest.fixture
def dropped(place):
    (place / "dropped").mkdir(parents=True)
    data = lines(user("mew", "first"), user("mew", "second\nline two error"), end="\n")
    (place / "dropped" / "abc123def456.jsonl").write_bytes(data + b"\n")
    (place / "dropped" / "abc999.jsonl").write_bytes(lines(user("mew", "other")))
    (place / "dropped" / "abc123def456.facts.json").write_text("{}")
    return place


def test_dropped_messages_come_back_by_their_boundary(dropped):
    known = archive(dropped)
    assert known.boundaries() == ["abc123def456", "abc999"]
    found = list(known.messages("abc123def456"))
    assert b"".join(found) == lines(
        user("mew", "first"), user("mew", "second\nline two error")
    )
    assert list(known.messages("abc1")) == found


@pytest.mark.parametrize(
    ("boundary", "why"),
    [
        ("", "no dropped messages"),
        ("xyz", "no dropped messages"),
        ("../abc999", "no dropped"),
        ("abc", "is the beginning of abc123def456, abc999"),
    ],
)
def test_a_boundary_must_be_there_and_unique(dropped, boundary, why):
    with pytest.raises(NotFound, match=why):
        archive(dropped).messages(boundary)


# --- searching ---


def hits(place, pattern: str) -> list[Hit]:
    warnings: list[str] = []
    found = list(search(archive(place), re.compile(pattern), warnings.append))
    assert warnings == []
    return found


def test_bodies_and_dropped_messages_are_searched(dropped):
    text = BIG + "here is the error: 错误\n" + BIG
    spilled(dropped, ("call_1", text))
    assert hits(dropped, "error") == [
        Hit("call_1", 5001, "here is the error: 错误"),
        Hit("abc123def456", 2, "line two error", message=True),
    ]
    assert hits(dropped, "nothing like it") == []
    assert hits(dropped, "^user$") == []


def test_images_and_lost_bodies_are_not_searched(place):
    spilled(place, ("call_1", BIG), ("call_2", BIG))
    (place / "call_1").unlink()
    (place / "call_3.png").write_bytes(b"a line of no output")
    assert {hit.handle for hit in hits(place, "a line of")} == {"call_2"}


def test_a_search_goes_on_behind_what_cannot_be_read(place, tmp_path):
    spilled(place, ("call_1", BIG), ("call_2", BIG))
    (place / "call_1").unlink()
    (place / "call_1").symlink_to(tmp_path / "x")
    warnings: list[str] = []
    found = list(search(archive(place), re.compile("line of"), warnings.append))
    assert {hit.handle for hit in found} == {"call_2"}
    assert "symbolic link" in warnings[0]


def test_an_altered_body_is_told_and_not_searched(place):
    spilled(place, ("call_1", BIG), ("call_2", BIG))
    (place / "call_1").write_text(BIG.replace("line of", "line or", 1))
    warnings: list[str] = []
    found = list(search(archive(place), re.compile("line o"), warnings.append))
    assert {hit.handle for hit in found} == {"call_2"}
    assert len(warnings) == 1
    assert "call_1: sha256 differs" in warnings[0]


def test_altered_dropped_messages_are_told_and_not_given(dropped):
    path = dropped / "dropped" / "abc123def456.jsonl"
    beside = path.with_suffix(".sha256")
    beside.write_bytes(checksum(path.name, [path.read_bytes()]))
    assert list(archive(dropped).messages("abc123def456"))
    path.write_bytes(path.read_bytes().replace(b"error", b"ERROR"))
    with pytest.raises(BadInput, match="sha256 differs: not the messages"):
        archive(dropped).messages("abc123def456")
    warnings: list[str] = []
    assert list(search(archive(dropped), re.compile("ERROR"), warnings.append)) == []
    assert "sha256 differs" in warnings[0]


def test_a_checksum_is_what_sha256sum_writes():
    digest = sha256(b"ab").hexdigest()
    assert checksum("x.jsonl", [b"a", b"b"]) == f"{digest}  x.jsonl\n".encode()


def test_texts_in_blocks_are_searched(place):
    (place / "dropped").mkdir(parents=True)
    blocks = [
        {"type": "text", "text": "an error"},
        5,
        None,
        {"deep": {"er": "error 2"}},
    ]
    record = {"role": "assistant", "content": blocks}
    (place / "dropped" / "b1.jsonl").write_bytes(lines(record))
    (place / "notes.md").write_text("error")
    found = hits(place, "error")
    assert [hit.excerpt for hit in found] == ["an error", "error 2"]


def test_records_that_are_no_json_are_searched_as_text(place):
    (place / "dropped").mkdir(parents=True)
    (place / "dropped" / "b1.jsonl").write_bytes(b'torn {"error\n')
    assert hits(place, "error") == [Hit("b1", 1, 'torn {"error', message=True)]


@given(line=st.text(max_size=600), data=st.data())
def test_an_excerpt_is_short_and_holds_the_match(line, data):
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, min(len(line), start + 40)))
    got = excerpt(line, start, end)
    assert len(got.encode()) <= limits.RECALL_EXCERPT
    assert line[start:end].encode("utf-8", "replace").decode().strip() in got
