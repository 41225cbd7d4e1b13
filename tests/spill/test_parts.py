from __future__ import annotations

import base64

import pytest

from mewctl import limits
from mewctl.history.view import Image, Opaque, Result, Text
from mewctl.spill.parts import (
    body_text,
    images,
    leaves,
    with_body,
    with_images,
    with_leaves,
)

PREVIEW = (
    "[content offloaded] original size: 99999 bytes\n[saved to] /x\n[head preview]\na"
)
DATA = b"\x89PNG" + bytes(100)
BASE64 = base64.b64encode(DATA).decode()
IMAGE = Image("image/png", BASE64)


def result(*content):
    return Result("call_1", content, raw={"k": 1})


def test_the_body_of_a_result_is_its_texts_without_previews():
    assert body_text(result(Text("a"), IMAGE, Text("b"))) == "ab"
    assert body_text(result(Text(PREVIEW))) == ""
    assert body_text(result(Text("a"), Text(PREVIEW))) == "a"


def test_a_new_text_takes_the_place_of_all_texts_but_previews():
    changed = with_body(result(Text("a"), IMAGE, Text("b"), Text(PREVIEW)), "new")
    assert changed.content == (Text("new"), IMAGE, Text(PREVIEW))
    assert changed.edited
    assert changed.raw == {"k": 1}


def test_base64_of_images_and_documents_is_found():
    document = Opaque(
        "document",
        9,
        {"source": {"type": "base64", "media_type": "application/pdf", "data": BASE64}},
    )
    found = list(images(result(Text("a"), IMAGE, document), 10))
    assert [(n, p.text, p.data, p.media_type, p.of) for n, p in found] == [
        (1, BASE64, DATA, "image/png", "image"),
        (2, BASE64, DATA, "application/pdf", "image"),
    ]


@pytest.mark.parametrize(
    "part",
    [
        Text(BASE64),
        Image("image/png", url="https://x"),
        Image("image/png", BASE64[:8]),  # too small to be worth it
        Image("image/png", BASE64 + "\n"),  # would come back as other text
        Image("image/png", "not base64 at all!!"),
        Image("image/png", "é" * 40),
        Image("image/png", BASE64[:-1]),
        Image("image/png", BASE64[:-4] + "QR=="),  # other bits than it decodes to
        Opaque("document", 9, {"source": {"type": "url", "url": "x"}}),
        Opaque(
            "document",
            9,
            {"source": {"type": "base64", "media_type": 5, "data": BASE64}},
        ),
        Opaque("document", 9, {"source": "text"}),
        Opaque("odd", 9, {}),
    ],
)
def test_anything_else_is_no_data_to_move(part):
    assert list(images(result(part), 12)) == []


def test_texts_take_the_place_of_images():
    changed = with_images(result(Text("a"), IMAGE), {1: "moved"})
    assert changed.content == (Text("a"), Text("moved"))
    assert changed.edited


def test_long_texts_in_an_input_are_found_and_replaced_where_they_stand():
    given = {"path": "/a", "edits": [{"new": "x" * 20}, 5, {"new": "y" * 30}]}
    assert list(leaves(given, 20)) == [
        (("edits", 0, "new"), "x" * 20),
        (("edits", 2, "new"), "y" * 30),
    ]
    new = with_leaves(given, {("edits", 2, "new"): "short"})
    assert new == {"path": "/a", "edits": [{"new": "x" * 20}, 5, {"new": "short"}]}
    assert list(leaves("z" * 20, 20)) == [((), "z" * 20)]
    assert with_leaves("z" * 20, {(): "short"}) == "short"


def test_bottomless_inputs_are_no_problem():
    deep: dict = {}
    inner = deep
    for _ in range(900):
        inner["a"] = {"text": "x" * 30}
        inner = inner["a"]
    assert len(list(leaves(deep, 20))) == limits.MAX_DEPTH - 1
    assert with_leaves(deep, {}) == deep
