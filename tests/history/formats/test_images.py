"""Images that the APIs do not take: types they do not know, data without a type."""

from __future__ import annotations

import pytest

from mewctl.history.formats import load
from mewctl.history.losses import Losses
from mewctl.history.view import Image, Message, Result, Text

FORMATS = ("anthropic", "openai", "responses")


def make(name, *parts, role="user"):
    losses = Losses()
    return load(name).make(Message(role, parts), losses), dict(losses.counts)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("media_type", "loss"),
    [("image/svg+xml", "image of type image/svg+xml"), ("", "image of no type")],
)
def test_an_image_of_a_type_that_no_api_takes_is_lost_and_counted(
    name, media_type, loss
):
    image = Image(media_type, "aGk=")
    made, lost = make(name, Text("see"), image)
    assert (made, lost) == ([{"role": "user", "content": "see"}], {loss: 1})
    made, lost = make(name, Result("a", (Text("see"), image)), role="tool")
    assert "aGk=" not in str(made)
    kinds = {"image in a result"} if name == "openai" else {loss}
    assert lost.keys() == kinds


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", ["jpeg", "png", "gif", "webp"])
def test_an_image_of_a_known_type_is_written(name, kind):
    made, lost = make(name, Image(f"image/{kind}", "aGk="))
    assert (str(made).count("aGk="), lost) == (1, {})
    assert make(name, Image(url="https://h/i"))[1] == {}


def test_mew_keeps_an_image_of_any_type():
    made, lost = make("mew", Image("image/svg+xml", "aGk="))
    assert (str(made).count("aGk="), lost) == (1, {})
