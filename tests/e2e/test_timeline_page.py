"""The timeline's page in a real browser: on a phone, by keyboard, light and dark."""

from __future__ import annotations

import sys

import browser
import pytest
from growing import answer, spilled, summary, timeline, user

from mewctl.tokens.page import page
from mewctl.tokens.report import Bounds

pytestmark = pytest.mark.skipif(
    not browser.found or sys.platform != "linux",
    reason="chromium and chromedriver are not installed",
)

LONG = "wordwithoutanyplacetobreakit" * 20
TAB = "\ue004"
#: Every text that is shown, with the lowest contrast to what it stands on.
CONTRASTS = """
const rgb = (text) => {
  const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
  return {r, g, b, a};
};
const light = ({r, g, b}) => {
  const one = (v) => {
    v /= 255;
    return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * one(r) + 0.7152 * one(g) + 0.0722 * one(b);
};
const behind = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const color = rgb(getComputedStyle(at).backgroundColor);
    if (color.a === 1) return color;
  }
  return {r: 255, g: 255, b: 255};
};
const found = [];
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const node = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || node.closest("title")) continue;
  const style = getComputedStyle(node);
  const color = rgb(node.closest("svg") ? style.fill : style.color);
  const pair = [light(color), light(behind(node))].sort((a, b) => b - a);
  found.push([(pair[0] + 0.05) / (pair[1] + 0.05), texts.currentNode.data.trim()]);
}
return found;
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """A page with all that a page can have."""
    found = timeline(
        *(user(LONG), answer(150_000, cached=100_000), *spilled()),
        *(answer(156_000), summary(), user("go on"), answer(40_000), answer()),
        *(m for n in range(40) for m in (user(f"{n} {LONG}"), answer(50_000 + n))),
    )
    path = tmp_path_factory.mktemp("page") / "timeline.html"
    path.write_text(page(found, Bounds("claude-" + LONG, 200_000, 167_000)))
    return path.as_uri()


@pytest.fixture(scope="module")
def phone():
    with browser.browser(390) as window:
        yield window


@pytest.fixture(scope="module")
def screen():
    with browser.browser(1280) as window:
        yield window


@pytest.mark.parametrize("window", ["phone", "screen"])
def test_nothing_is_wider_than_the_window_and_nothing_is_complained_about(
    window, url, request
):
    shown = request.getfixturevalue(window)
    shown.open(url)
    shown.run("document.querySelector('details').open = true")
    wide, room = shown.run(
        "return [document.documentElement.scrollWidth, window.innerWidth]"
    )
    assert wide <= room
    assert shown.log() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_enough_contrast(phone, url, scheme):
    phone.open(url, scheme)
    phone.run("document.querySelector('details').open = true")
    found = phone.run(CONTRASTS)
    assert len(found) > 100
    assert [(ratio, text) for ratio, text in found if ratio < 4.5] == []


def test_light_and_dark_differ(phone, url):
    script = "return getComputedStyle(document.body).backgroundColor"
    phone.open(url, "light")
    light = phone.run(script)
    phone.open(url, "dark")
    assert phone.run(script) != light


def test_the_curve_keeps_its_size_and_its_letters_on_a_phone(phone, url):
    phone.open(url)
    high, letters = phone.run(
        "const chart = document.querySelector('svg.chart');"
        "return [chart.getBoundingClientRect().height,"
        " parseFloat(getComputedStyle(chart.querySelector('text')).fontSize)]"
    )
    assert high >= 200
    assert letters >= 12


def test_the_keyboard_reaches_the_turns_the_boundary_and_what_is_hidden(screen, url):
    screen.open(url)
    seen = []
    for _ in range(12):
        screen.press(TAB)
        seen.append(
            screen.run(
                "const at = document.activeElement;"
                "return [at.getAttribute('href') || at.localName,"
                " getComputedStyle(at).outlineStyle]"
            )
        )
    names = [name for name, _ in seen]
    assert names[0] == "#turns"
    assert "#boundary-1" in names
    assert "#turn-1" in names
    assert dict(seen)["#turn-1"] == "solid"
    screen.run("document.querySelector('summary').focus()")
    screen.press("\ue007")
    assert screen.run("return document.querySelector('details').open")


def test_a_link_to_a_turn_that_is_hidden_shows_it(screen, url):
    screen.open(url)
    screen.run("document.querySelector('a[href=\"#turn-1\"]').click()")
    assert screen.run("return document.querySelector('details').open")
