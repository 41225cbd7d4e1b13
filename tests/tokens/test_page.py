"""The timeline's page: safe whatever the input says, and the same for the same."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from growing import answer, spilled, summary, timeline, user

from mewctl.history.view import Call, Message, Result
from mewctl.tokens.page import page
from mewctl.tokens.page_chart import step
from mewctl.tokens.page_style import STYLE
from mewctl.tokens.report import Bounds

BOUNDS = Bounds("claude-x", 200_000, 167_000)
EVIL = '</style><script>alert(1)</script>"><img src=x onerror=alert(1)>\x1b[31m\u202e&'
#: Elements that HTML never closes.
VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})


class Checked(HTMLParser):
    """Reads a page as a browser does; complains about what is left open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict]] = []
        self.wrong: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"/{tag}")

    def handle_data(self, data):
        self.text.append(data)


def grown(words: str = "go on"):
    call = Call(words, words, {"command": words})
    return timeline(
        *(user(words), answer(150_000, cached=100_000), *spilled()),
        *(Message("assistant", (call,)), Message("tool", (Result(words, ()),))),
        *(summary(), user(words), answer(40_000, text=words)),
    )


def seen(found, bounds=BOUNDS) -> Checked:
    return Checked(page(found, bounds))


def test_every_element_is_closed_and_every_link_has_its_place():
    found = seen(grown())
    assert found.wrong == []
    ids = [attrs["id"] for _, attrs in found.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = {attrs["href"] for tag, attrs in found.tags if tag == "a"}
    assert links <= {f"#{name}" for name in ids}
    assert {"#boundary-1", "#turn-1", "#turns"} <= links


def test_what_the_input_says_is_text_and_nothing_else():
    plain, evil = seen(grown()), seen(grown(EVIL), Bounds(EVIL, 200_000, 167_000))
    assert evil.wrong == []
    assert {tag for tag, _ in evil.tags} == {tag for tag, _ in plain.tags}
    assert [tag for tag, _ in evil.tags].count("script") == 0
    names = {name for _, attrs in evil.tags for name in attrs}
    assert not any(name.startswith("on") or name == "style" for name in names)
    words = "".join(evil.text)
    assert "<script>alert(1)</script>" in words
    assert "\\x1b[31m\\u{202e}&" in words
    assert not set(words) & {"\x1b", "\u202e"}


def test_nothing_outside_the_page_is_named():
    found = seen(grown(EVIL))
    for tag, attrs in found.tags:
        assert tag not in {"link", "script", "img", "iframe", "object", "base", "form"}
        assert not {"src", "srcset", "action", "data", "xlink:href"} & attrs.keys()
    assert "url(" not in STYLE
    assert "@import" not in STYLE


def test_the_policy_allows_the_style_sheet_and_no_more():
    text = page(grown(), BOUNDS)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    digest = b64encode(sha256(style.encode()).digest()).decode()
    (policy,) = (
        attrs["content"]
        for tag, attrs in Checked(text).tags
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules == {
        "default-src": "'none'",
        "style-src": f"'sha256-{digest}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_the_same_timeline_gives_the_same_page():
    assert page(grown(), BOUNDS) == page(grown(), BOUNDS)


def test_the_page_tells_sizes_boundaries_spills_items_and_turns():
    words = " ".join("".join(seen(grown()).text).split())
    assert "150,000" in words
    assert "→ 39,990 tokens" in words
    assert "The next request had 39,990 tokens that no cache held." in words
    assert "threshold 167,000" in words
    assert "Biggest items" in words
    assert "Turn 2" in words
    assert "reported by the provider" in words
    assert "From cache" in words


def test_a_boundary_that_the_input_begins_with_has_no_size_before():
    words = "".join(seen(timeline(summary(), answer(9_000), user(), answer())).text)
    assert "unknown → 8,990 tokens" in words
    assert "The input begins with it." in words


@pytest.mark.parametrize("messages", [(), (user(),), (user(), answer(5_000))])
def test_too_few_requests_have_a_page_without_a_curve(messages):
    found = seen(timeline(*messages), Bounds())
    assert found.wrong == []
    assert "Too few requests for a curve." in "".join(found.text)


def test_early_turns_wait_behind_a_summary():
    many = [m for n in range(40) for m in (user(f"word {n}"), answer(1_000 + n))]
    found = seen(timeline(*many))
    assert found.wrong == []
    assert "10 earlier turns" in found.text
    assert sum(attrs.get("class") == "turn" for _, attrs in found.tags) == 40


def test_of_many_spills_those_that_freed_most_are_shown():
    found = seen(timeline(user(), *(m for _ in range(33) for m in spilled())))
    assert found.wrong == []
    assert "3 smaller spills not shown." in found.text


def test_a_pointer_finds_no_turns_where_they_are_too_many():
    many = [m for n in range(401) for m in (user(), answer(1_000 + n))]
    found = seen(timeline(*many))
    assert not any(attrs.get("class") == "turn" for _, attrs in found.tags)


def test_a_curve_of_zeros_and_of_a_size_over_the_threshold_has_a_scale():
    nothing = Message("assistant", ())
    assert seen(timeline(nothing, nothing, biggest=0), Bounds()).wrong == []
    over = page(timeline(user(), answer(190_000), answer(199_000)), BOUNDS)
    assert "32,000 over threshold" in over
    assert not re.search(r' c?[xy][12]?="-', over), "nothing is drawn outside"


@pytest.mark.parametrize(
    ("most", "gap"), [(1, 1), (4, 1), (5, 2), (167_000, 50_000), (1_000_000, 500_000)]
)
def test_lines_of_the_grid_are_at_round_numbers(most, gap):
    assert step(most) == gap
