"""Images and documents: left alone, or moved to files and brought back."""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from pathlib import Path

import pytest
from spilling import lines, spill, step, user

from mewctl.errors import NotFound
from mewctl.history.offloaded import recognise
from mewctl.spill.recall import Archive

BIG = "a line of output\n" * 5000
PNG = b"\x89PNG\r\n" + bytes(range(256)) * 40
BASE64 = base64.b64encode(PNG).decode()


def picture(text="a picture", encoded=BASE64):
    source = {"type": "base64", "media_type": "image/png", "data": encoded}
    return [{"type": "text", "text": text}, {"type": "image", "source": source}]


def pictures():
    return lines(
        user("anthropic", "look"),
        *step("anthropic", [("shot", picture())]),
        user("anthropic", "next"),
    )


def shown(stream: bytes) -> list:
    return json.loads(stream.splitlines()[2])["content"][0]["content"]


def test_images_are_left_alone_unless_asked_for(place):
    assert spill(pictures(), place).data == pictures()


def test_images_move_to_files_and_come_back(place):
    run = spill(pictures(), place, images=True)
    text, image = shown(run.data)
    assert text == {"type": "text", "text": "a picture"}
    known = recognise(image["text"])
    assert known.size == len(PNG)
    assert known.digest == sha256(PNG).hexdigest()
    assert known.path == str(place / "shot.png")
    assert (place / "shot.png").read_bytes() == PNG
    archive = Archive(str(place), str(place / "dropped"))
    assert b"".join(archive.read(archive.find("shot"))) == PNG
    assert archive.original(image["text"]) == PNG
    (body,) = archive.bodies()
    assert archive.sha256(body) == known.digest
    assert archive.find(known.digest[:12]) == archive.find(body.digest) == body
    (place / "shot.png").write_bytes(b"altered")
    assert archive.sha256(body) == ""
    with pytest.raises(NotFound):
        archive.find(known.digest[:12])


def test_moved_images_stay_moved_and_change_no_other_decision(place):
    first = spill(pictures(), place, images=True).data
    assert spill(pictures(), place).data == first
    assert spill(first, place).data == first
    assert spill(first, place, images=True).data == first


def test_text_and_image_of_one_result_both_go(place):
    stream = lines(
        user("anthropic", "look"),
        *step("anthropic", [("shot", picture(BIG))]),
        user("anthropic", "next"),
    )
    run = spill(stream, place, images=True)
    kinds = [recognise(part["text"]) for part in shown(run.data)]
    assert [Path(known.path).name for known in kinds] == ["shot", "shot.png"]
    assert spill(stream, place).data == run.data
    assert spill(run.data, place, images=True).data == run.data


def test_images_too_small_or_not_decodable_stay(place):
    for encoded in (BASE64[:400], BASE64[:-1], "!" * 5000):
        stream = lines(
            user("anthropic", "x"),
            *step("anthropic", [("s", picture(encoded=encoded))]),
        )
        assert spill(stream, place, images=True).data == stream


def test_an_image_whose_ledger_is_lost_is_known_by_its_file(place):
    first = spill(pictures(), place, images=True).data
    (place / "ledger.jsonl").write_bytes(b"garbage\n")
    assert spill(pictures(), place).data == first
