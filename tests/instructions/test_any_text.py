"""Any text ends: in proportion to its size, without an error, and twice the same."""

from __future__ import annotations

import contextlib
import signal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from instructing import Project

from mewctl.errors import CannotFit
from mewctl.instructions.budget import fit
from mewctl.instructions.lint import warnings
from mewctl.instructions.places import Names, places
from mewctl.instructions.render import Wish, render
from mewctl.instructions.source import Binary, decode
from mewctl.instructions.survey import survey
from mewctl.streams.beneath import Beneath

SIZE = 100_000
SECONDS = 20  # of the processor; a text that takes squared time takes many minutes

UNITS = {
    "directives": "@include a\n",
    "directives-indented": " @include a\n",
    "directives-apart": "@include a\n\n",
    "directives-in-spans": "`a\n@include a``\n",
    "fences-that-are-none": "    ````x\n\n",
    "fences-in-info": "``` `\n",
    "fences-in-lists": "- ```\n  ```\n",
    "tildes": "~~~~ \n    ~~~x\n",
    "quotes": ">",
    "quoted-lines": ">" * 500 + "\n",
    "items": "- ",
    "items-in-lines": "- " * 200 + "\n",
    "comments": "<!--",
    "declarations": "x <!A",
    "tags": '<a b="',
    "tags-in-lines": "<a\n",
    "literal": "<pre>\n",
    "ticks": "`a``b```c",
    "headings": "# ",
    "rules": "* ",
    "setext": "a\n=\n",
    "blanks": " ",
    "tabs": "\t",
    "line-ends": "\n",
    "brackets": "](",
    "links": "[a](b",
    "ats": "@a",
    "paths": "@/",
    "numbers": "123456789. a\n",
}
TEXTS = {name: unit * (SIZE // len(unit)) for name, unit in UNITS.items()}
TEXTS |= {
    "a-wide-heading": "# a" + " " * SIZE + "b",
    "runs-of-every-length": "a".join("`" * n for n in range(1, 700)) + "\n@include a",
    "a-rule-that-is-none": "*" + " " * SIZE + "x",
    "deep-then-lines": ">" * (SIZE // 2) + "\n" + "x\n" * (SIZE // 4),
    "front-matter": "---\n" + "#\n" * (SIZE // 2),
    "front-matter-of-keys": "---\n" + "a: b\n" * (SIZE // 5),
}


@pytest.fixture(autouse=True)
def _no_hang():
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)


@pytest.mark.parametrize("tail", ["", "\n@include a\n"], ids=["bare", "then-include"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_made_to_take_long_does_not(text, tail):
    source = decode((text + tail).encode())
    kept = source.text.rstrip("\n")
    survey(kept, source.body)
    list(warnings(source, lambda _: False))
    with contextlib.suppress(CannotFit):
        assert len(fit(kept, 1000).text.encode()) <= 1000


pieces = st.sampled_from(
    [
        *("@include a.md", "@include b.md:1-2", "\\@include", "@include", "  ", "\n"),
        *("\n\n", "```", "~~~", "<!--", "-->", "`", "- ", "> ", "# h", "---\n"),
        *("a: b\n", "<pre>", "\t", "\r", "\ufeff", "\ufffd", "漢", "\x00", "\x85"),
        *("\u2028", "text", "@b.md"),
    ]
)
texts = st.lists(pieces, max_size=25).map("".join)
files = st.dictionaries(
    st.sampled_from(["a.md", "b.md", "MEWCODE.md"]), texts | st.binary(max_size=40)
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(files=files, annotate=st.booleans())
def test_any_tree_is_rendered_twice_the_same(files, annotate, tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("tree"))
    for name, content in files.items():
        data = content.encode() if isinstance(content, str) else content
        project.put(name, data)
    root = str(project.root).encode()
    seen = []
    for _ in range(2):
        with Beneath([root]) as reader:
            wish = Wish(annotate=annotate)
            made = render(places(root, b""), {root: reader}, Names(root, b""), wish)
        seen.append((made.text, made.findings))
    assert seen[0] == seen[1]
    text, _ = seen[0]
    assert text == "" or (text.endswith("\n") and not text.endswith("\n\n"))
    assert "\r" not in text
    text.encode()


@given(data=st.binary(max_size=60))
def test_any_bytes_are_text_or_binary(data):
    try:
        source = decode(data)
    except Binary:
        assert b"\0" in data
        return
    assert source.bad >= 0
    assert (source.bad == 0) == (source.bad_at == -1)
    assert 0 <= source.body <= len(source.text)


@given(text=texts, most=st.integers(1, 300))
def test_what_is_left_of_a_text_fits_and_is_its_beginning(text, most):
    text = text.replace("\r", "\n").strip("\n")
    try:
        fitted = fit(text, most)
    except CannotFit:
        assert len(text.encode()) + 1 > most
        return
    assert len(fitted.text.encode()) + 1 <= most
    if fitted.blocks:
        kept, _, marker = fitted.text.rpartition("\n\n")
        assert text.startswith(kept)
        assert str(fitted.size) in marker
        assert len(text.encode()) - len(kept.encode()) == fitted.size
    else:
        assert fitted.text == text
