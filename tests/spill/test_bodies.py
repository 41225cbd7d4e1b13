from __future__ import annotations

import base64
from hashlib import sha256

import pytest

from mewctl.errors import StorageError
from mewctl.spill.bodies import Bodies
from mewctl.spill.piece import DataPiece, Piece
from mewctl.store.files import AlreadyThere


def piece(identity: str, text: str) -> Piece:
    return Piece("result", identity, text)


def short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]


@pytest.fixture
def bodies(tmp_path):
    return Bodies(str(tmp_path))


def save(bodies, identity: str, text: str) -> str:
    file, write = bodies.name_for(piece(identity, text))
    if write:
        assert bodies.write([(file, text.encode())]) == {}
    return file


def test_a_body_is_named_for_its_call(bodies, tmp_path):
    assert save(bodies, "call_1", "text") == "call_1"
    assert (tmp_path / "call_1").read_text() == "text"
    assert oct((tmp_path / "call_1").stat().st_mode)[-3:] == "600"


# rows 57, 58
def test_the_same_bytes_are_not_written_again(bodies, tmp_path):
    save(bodies, "call_1", "text")
    assert bodies.name_for(piece("call_1", "text")) == ("call_1", False)
    assert Bodies(str(tmp_path)).name_for(piece("call_1", "text")) == ("call_1", False)


def test_other_bytes_of_the_same_call_get_another_name(bodies, tmp_path):
    save(bodies, "call_1", "one")
    assert save(bodies, "call_1", "two") == f"call_1.{short('two')}"
    assert save(bodies, "call_1", "two") == f"call_1.{short('two')}"
    assert (tmp_path / "call_1").read_text() == "one"


def test_names_that_differ_in_case_alone_are_told_apart(bodies):
    save(bodies, "call_a", "one")
    assert save(bodies, "CALL_A", "two") == f"CALL_A.{short('two')}"
    assert save(bodies, "Call_A", "one") == f"Call_A.{short('one')}"


def test_where_even_the_longer_name_is_taken_the_whole_hash_is_used(bodies, tmp_path):
    (tmp_path / "call_1").write_text("x")
    (tmp_path / f"call_1.{short('two')}").write_text("y")
    name = f"call_1.{sha256(b'two').hexdigest()}"
    assert save(bodies, "call_1", "two") == name
    (tmp_path / name).write_text("z")
    assert bodies.name_for(piece("call_1", "two")) is None


@pytest.mark.parametrize("plant", ["directory", "symlink"])
def test_what_is_no_file_is_other_bytes(bodies, tmp_path, plant):
    if plant == "directory":
        (tmp_path / "call_1").mkdir()
    else:
        (tmp_path / "real").write_text("text")
        (tmp_path / "call_1").symlink_to(tmp_path / "real")
    assert save(bodies, "call_1", "text") == f"call_1.{short('text')}"


def test_a_name_is_promised_until_it_is_written_or_given_back(bodies):
    assert bodies.name_for(piece("call_1", "one")) == ("call_1", True)
    assert bodies.name_for(piece("call_1", "one")) == ("call_1", True)
    assert bodies.name_for(piece("call_1", "two")) == (f"call_1.{short('two')}", True)
    bodies.release("call_1")
    assert bodies.name_for(piece("call_1", "three")) == ("call_1", True)
    bodies.forget()
    assert bodies.name_for(piece("call_1", "four")) == ("call_1", True)


def test_a_name_that_somebody_took_meanwhile_is_reported(bodies, tmp_path):
    bodies.name_for(piece("call_1", "one"))
    bodies.name_for(piece("call_2", "same"))
    (tmp_path / "call_1").write_text("theirs")
    (tmp_path / "call_2").write_text("same")
    failed = bodies.write([("call_1", b"one"), ("call_2", b"same")])
    assert list(failed) == ["call_1"]
    assert isinstance(failed["call_1"], AlreadyThere)
    assert bodies.name_for(piece("call_1", "one")) == (f"call_1.{short('one')}", True)


def test_many_bodies_are_written_in_batches(bodies, tmp_path, monkeypatch):
    monkeypatch.setattr("mewctl.limits.SPILL_BATCH_FILES", 2)
    assert bodies.write([(f"b{n}", b"%d" % n) for n in range(5)]) == {}
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"b{n}" for n in range(5)
    ]


def test_images_get_an_ending_that_tools_know(bodies):
    data = b"\x89PNG"
    text = base64.b64encode(data).decode()
    png = DataPiece("call_1", text, data, "image/png")
    assert bodies.name_for(png) == ("call_1.png", True)
    odd = DataPiece("call_1", text, data, "image/x-odd")
    assert bodies.name_for(odd) == ("call_1.bin", True)
    other = DataPiece("call_1", text, b"other", "image/png")
    assert bodies.name_for(other) == (
        f"call_1.{sha256(b'other').hexdigest()[:8]}.png",
        True,
    )


def test_a_body_is_intact_while_it_has_its_bytes_and_can_be_restored(bodies, tmp_path):
    save(bodies, "call_1", "text")
    assert bodies.is_intact("call_1", b"text")
    (tmp_path / "call_1").write_bytes(b"tex!")
    assert not bodies.is_intact("call_1", b"text")
    (tmp_path / "call_1").unlink()
    assert not bodies.is_intact("call_1", b"text")
    bodies.restore("call_1", b"text")
    assert bodies.is_intact("call_1", b"text")


def test_a_directory_that_cannot_be_listed_is_a_storage_error(tmp_path, monkeypatch):
    def listdir(_path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.listdir", listdir)
    with pytest.raises(StorageError, match="cannot list"):
        Bodies(str(tmp_path)).name_for(piece("call_1", "x"))


def test_a_directory_that_is_not_there_yet_has_no_names(tmp_path):
    named = Bodies(str(tmp_path / "none")).name_for(piece("call_1", "x"))
    assert named == ("call_1", True)
