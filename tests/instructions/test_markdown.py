"""Which lines are code: as CommonMark has it, with markdown-it-py to compare."""

from __future__ import annotations

import random
import re

import pytest
from markdown_it import MarkdownIt

from mewctl.instructions.markdown import scan
from mewctl.instructions.survey import survey

DIRECTIVE = re.compile(r"^[ \t]*@include(?![^ \t\n])", re.MULTILINE)
REFERENCE = MarkdownIt("commonmark")
RAW = re.compile(
    r"\s*<(?:!--|\?|!\[CDATA|![A-Za-z]|(?:pre|script|style|textarea)(?:\s|>|$))",
    re.IGNORECASE,
)


def reference(text: str) -> bool:
    """Whether the one line with MARK is code, by markdown-it-py."""
    for token in REFERENCE.parse(text):
        if token.type in ("fence", "code_block"):
            if "MARK" in token.content:
                return True
        elif token.type == "html_block":
            if "MARK" in token.content:
                return RAW.match(token.content) is not None
        elif token.type == "inline" and "MARK" in token.content:
            return any(map(hidden, token.children))
    return False


def hidden(token) -> bool:
    if "MARK" not in token.content:
        return any(map(hidden, token.children or ()))
    comment = token.type == "html_inline" and token.content.startswith("<!--")
    return token.type == "code_inline" or comment


def looked_at(text: str) -> bool:
    """The same by ours; both ways to look must agree."""
    wanted = [found.start() for found in DIRECTIVE.finditer(text)]
    numbers = {text.count("\n", 0, at) for at in wanted}
    quick = survey(text)
    full = scan(text.split("\n"), numbers)
    assert {text.count("\n", 0, at) for at in quick.includes} == numbers - full.code
    assert quick.closing == full.closing
    return len(quick.includes) < len(wanted)


X = "@include MARK"
#: Made after the sections on fenced and on indented code of the specification:
#: each of its cases, in other words, with an include put inside.
EXAMPLES = {
    "backticks": f"```\n<\n {X}\n```",
    "tildes": f"~~~\n<\n{X}\n~~~",
    "two backticks are a span": f"``\n{X}\n``",
    "a span is no fence": f"`` foo ``\n{X}",
    "tildes do not end backticks": f"```\naaa\n~~~\n{X}\n```",
    "backticks do not end tildes": f"~~~\naaa\n```\n{X}\n~~~",
    "a shorter end": f"````\naaa\n```\n{X}\n``````",
    "a shorter end of tildes": f"~~~~\naaa\n~~~\n{X}\n~~~~",
    "after the end": f"```\naaa\n```\n{X}",
    "after a longer end": f"```\naaa\n``````\n{X}",
    "never ended": f"```\n\n{X}",
    "five never ended": f"`````\n\n```\n{X}",
    "ended by its quote": f"> ```\n> aaa\n\n{X}",
    "ended by its quote at once": f"> ```\n{X}",
    "blank lines inside": f"```\n\n  \n{X}\n```",
    "empty": f"```\n```\n{X}",
    "indented by one": f" ```\n {X}\naaa\n```",
    "indented by two": f"  ```\naaa\n  {X}\naaa\n  ```\n",
    "indented by three": f"   ```\n   aaa\n    {X}\n  aaa\n   ```",
    "indented by four": f"    ```\n    {X}\n    ```",
    "after four that begin nothing": f"    ```\n\n{X}\n\n    ```",
    "an end indented by three": f"```\naaa\n   ```\n{X}",
    "an end of another indent": f"   ```\naaa\n  ```\n{X}",
    "an end indented by four": f"```\naaa\n    ```\n{X}",
    "an info with backticks": f"``` ```\n{X}",
    "an end with words": f"~~~~~~\naaa\n~~~ ~~\n{X}",
    "in the midst of a paragraph": f"foo\n```\n{X}\n```\nbaz",
    "right after it": f"foo\n```\nbar\n```\n{X}",
    "under a heading": f"foo\n---\n~~~\n{X}\n~~~\n# baz",
    "with an info": f"```ruby\ndef foo(x)\n{X}\nend\n```",
    "with a long info": f"~~~~    ruby startline=3 $%@#$\n{X}\n~~~~~~~",
    "with an odd info": f"````;\n{X}\n````",
    "backticks in an info of backticks": f"``` aa ```\n{X}",
    "backticks in an info of tildes": f"~~~ aa ``` ~~~\n{X}\n~~~",
    "an end with an info": f"```\n``` aaa\n{X}\n```",
    "indented code": f"    a simple\n      {X}",
    "in an item": f"  - foo\n\n    {X}",
    "in a numbered item": f"1.  foo\n\n    - bar\n\n    {X}",
    "as it stands": f"    <a/>\n    {X}\n\n    - one",
    "chunks": f"    chunk1\n\n    chunk2\n  \n \n \n    {X}",
    "chunks with more blanks": f"    chunk1\n      \n      {X}",
    "no break of a paragraph": f"Foo\n    {X}",
    "ended by less": f"    foo\n{X}",
    "between others": f"# Heading\n    foo\nHeading\n------\n    {X}\n----",
    "a first line with more": f"        {X}\n    bar",
    "blank lines before": f"\n    \n    {X}\n    \n",
    "tab": f"\t{X}",
    "blanks and a tab": f"  \t{X}",
    "tab in an item": f"- foo\n\n\t{X}",
    "two tabs in an item": f"- foo\n\n\t\t{X}",
    "code in an item": f"- foo\n\n      {X}",
    "a fence in an item": f"- foo\n\n  ```\n  {X}\n  ```",
    "after a fence in an item": f"- foo\n\n  ```\n  bar\n  ```\n  {X}",
    "outdented from an item's fence": f"- ```\n  foo\n{X}",
    "a fence in a quote in an item": f"- > ```\n  > bar\n  {X}",
    "a wide marker": f"10.  foo\n\n     {X}",
    "after a fence in a wide item": f"10. a\n\n    ```\n    x\n    ```\n\n    {X}",
    "a fence that continues a paragraph": (
        f"foo ` bar\n    ```\n    x\n    ```\n{X}\n` baz"
    ),
    "an empty item, later and deep": f"-\n\n     {X}",
    "a wide marker, less": f"10.  foo\n\n    {X}",
    "an item that begins with code": f"-     foo\n\n      {X}",
    "an empty item": f"-\n  {X}",
    "an empty item, later": f"-\n\n  {X}",
    "lazy": f"> foo\n{X}",
    "lazy, indented": f"> foo\n    {X}",
    "a comment": f"<!-- foo\n{X}\n-->",
    "after a comment": f"<!-- foo -->\n{X}",
    "a comment in a paragraph": f"foo <!-- bar\n{X}\n--> baz",
    "a comment never ended in a paragraph": f"foo <!-- bar\n{X}\nbaz",
    "a comment over blanks": f"<!--\n\n{X}\n\n-->",
    "pre": f"<pre>\n{X}\n</pre>",
    "after pre": f"<pre>\nfoo\n</pre>\n{X}",
    "a div": f"<div>\n{X}\n</div>",
    "a fence in a div": f"<div>\n```\n{X}\n```\n</div>",
    "an empty comment": f"foo <!--> bar\n{X}\n--> ` baz",
    "a declaration": f"<!DOCTYPE html\n{X}\n>",
    "a declaration in a paragraph": f"foo <!A `\n{X}\n> ` baz",
    "a span over lines": f"foo ` bar\n{X}\n` baz",
    "a span of others": f"foo `` bar\n{X}\n` baz",
    "an escaped backtick": f"foo \\` bar\n{X}\n` baz",
    "a backtick in a tag": f"<a href='`'>x\n{X}\n` y",
    "a rule that is no list": f"- - -\n\n    {X}",
    "deep": f"> - > 1. foo\n>   >\n    {X}",
}


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=EXAMPLES)
def test_an_include_is_code_where_the_specification_has_code(text):
    assert text.count("MARK") == 1
    assert looked_at(text) is reference(text)


def test_the_examples_have_both():
    found = [reference(text) for text in EXAMPLES.values()]
    assert 20 < sum(found) < len(found) - 20


LINES = [
    *("", "text", "  text", "    four", "      six", "- item", "  - sub", "* star"),
    *("1. one", "2. two", "1) x", "-", "> q", ">> qq", ">", "> - qi", "- > iq", "# h"),
    *("```", "~~~", "````", "  ```", "```py", "~~~ a`b", "> ```", "- ```", "  ~~~"),
    *("===", "---", "***", "- - -", "a `code", "b` end", "``", "` `` `", "\\`", "<b"),
    *("<!-- c", "c -->", "<!-- x -->", "<div>", "</div>", "<pre>", "</pre>", " ```"),
    *("x <!-- y", "<?php", "?>", "1.  wide", "-     code", "     five", "10. ten"),
    *("<http://a`b>", ">     qcode", ">\tq", "-\ttab", " > q", "<a b='c'>"),
]
LAZY = re.compile(r"^ {0,3}(?:[>*+-]|\d+[.)]).*\n(?:.+\n)*?(?: {4}|\t)", re.MULTILINE)
PLACES = [" " * width + X for width in range(9)] + ["\t" + X]


def quirk(text: str) -> bool:
    """Where markdown-it-py does not do as the specification says.

    It lets a fence that is indented by four or more, and begins nothing, end a quote or
    an item that a paragraph continues lazily.
    """
    return LAZY.search(text) is not None


@pytest.mark.parametrize("seed", range(40))
def test_any_lines_are_judged_as_by_markdown_it(seed):
    pick = random.Random(seed)
    tried = 0
    while tried < 60:
        before = pick.choices(LINES, k=pick.randrange(7))
        after = pick.choices(LINES, k=pick.randrange(4))
        text = "\n".join([*before, pick.choice(PLACES), *after]).rstrip("\n")
        if quirk(text) or "MARK" not in REFERENCE.render(text):
            continue
        tried += 1
        assert looked_at(text) is reference(text), text


@pytest.mark.parametrize("seed", range(40))
def test_the_quick_look_and_the_full_one_agree(seed):
    pick = random.Random(seed)
    for _ in range(60):
        lines = pick.choices([*LINES, *PLACES, *[""] * 20], k=pick.randrange(1, 30))
        text = "\n".join(lines).rstrip("\n")
        looked_at(text)  # compares what the two see of includes
        assert survey(text).closing == scan(text.split("\n"), set()).closing


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ("```\nx", "```"),
        ("  ~~~~ py\nx", "  ~~~~"),
        ("- a\n\n  ```\n  x", "  ```"),
        ("> ```\n> x", "> ```"),
        ("<!-- x", "-->"),
        ("<PRE>\n\nx", "</pre>"),
        ("<?x\n\ny", "?>"),
        ("<div>\nx", ""),
        ("```\nx\n```", ""),
        ("- ```\nx", ""),
    ],
)
def test_what_is_left_open_is_known_by_what_would_close_it(text, closing):
    layout = scan(text.split("\n"))
    assert layout.closing == closing
    assert survey(text).closing == closing
    if closing:
        closed = f"{text}\n{closing}\n\n{X}"
        assert not reference(closed)


def test_headings_are_those_outside_code_lists_and_quotes():
    text = "# a #\n```\n# b\n```\n- # c\n\n> # d\n\nTwo\nlines\n---\n\n"
    text += "   ## e ##  \n\n#f\n#"
    found = [(h.level, h.text, h.line) for h in scan(text.split("\n")).headings]
    assert found == [(1, "a", 0), (2, "Two lines", 8), (2, "e", 12), (1, "", 15)]
