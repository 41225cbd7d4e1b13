"""Manual pages: their parts, and text that is shown as it is."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from mewctl import errors
from tools import roff, tree

TOP = tree.root()
ALL = [pytest.param(page, id=page.name) for page in tree.every(TOP)]
PARTS = [
    "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS",
    "EXAMPLES", "SEE ALSO",
]  # fmt: skip
MACROS = {".TH", ".SH", ".SS", ".PP", ".TP", ".RS", ".RE", ".nf", ".fi"}
ESCAPES = r"\\(?:e|-|&|f[BIR]|\((?:aq|ga|ha|ti|dq))"


def lint(text: str) -> list[str]:
    """What is wrong with a page, by the rules that our pages keep."""
    lines = [line for line in text.splitlines() if not line.startswith(r".\"")]
    found = [f"{wrong}: {line}" for line in lines for wrong in wrong_in(line)]
    macros = [line.split()[0] for line in lines if line.startswith(".")]
    for begin, end in ((".nf", ".fi"), (".RS", ".RE")):
        if macros.count(begin) != macros.count(end):
            found.append(f"{begin} without {end}")
    return found


def wrong_in(line: str) -> list[str]:
    rest = re.sub(ESCAPES, "", line)
    rules = {
        "no macro of ours": line[:1] in {".", "'"}
        and line.split(maxsplit=1)[0] not in MACROS,
        "empty, or ends in a blank": not line or line != line.rstrip(),
        "not ASCII": not line.isascii(),
        "an escape that roff would not know": "\\" in rest,
        "a sign that roff would change": (
            line[:1] != "." and re.search("[-'`^~\"]", rest)
        ),
        "a font is not ended": (
            line.count(r"\fB") + line.count(r"\fI") != line.count(r"\fR")
        ),
    }
    return [words for words, wrong in rules.items() if wrong]


@pytest.mark.parametrize("page", ALL)
def test_a_page_is_clean_without_any_tool(page):
    assert lint(roff.page(TOP, page)) == []


@pytest.mark.parametrize(
    "line",
    [r"a\qb", "it's", "--flag", r"\fBbold", ".XX", "", "end ", "naïve", ".nf", ".RS"],
)
def test_what_is_wrong_is_seen(line):
    assert lint(f".SH NAME\n{line}\n.PP\n")


@pytest.mark.parametrize("page", ALL)
def test_the_parts_stand_in_their_order(page):
    titles = re.findall(r"^\.SH (.*)$", roff.page(TOP, page), re.MULTILINE)
    expected = [t for t in PARTS if t != "EXAMPLES" or page.examples]
    assert [t for t in titles if t in PARTS] == expected
    assert set(titles) - set(PARTS) <= {"COMMANDS", "ARGUMENTS", "WORDS"}


@pytest.mark.parametrize("page", ALL)
def test_a_command_shows_examples_and_every_option_of_its_own(page):
    text = roff.page(TOP, page)
    assert page.examples or page.commands
    for option in page.options:
        assert all(roff.bold(flag) in text for flag in option.flags)
        assert not option.variable or roff.bold(option.variable) in text
    for code in errors.Exit:
        assert f".TP\n{roff.bold(str(int(code)))}\n" in text


def test_the_examples_are_those_of_the_docstring():
    (page,) = (p for p in tree.every(TOP) if p.words == ("compact",))
    assert "mewctl compact --window 200000 < history.jsonl > next.jsonl" in (
        page.examples
    )
    for line in page.examples:
        assert f"\n{roff.escape(line)}\n" in roff.page(TOP, page)


def test_text_is_shown_as_it_is(tmp_path):
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    hard = r""".dot 'quote' `tick` "double" back\slash a-b ~/x ^y \fBno\fR %d"""
    page = tmp_path / "page.1"
    page.write_text(f".TH X 1\n.SH NAME\nx\n.PP\n{roff.escape(hard)}\n")
    args = ["groff", "-man", "-Tascii", "-P-c", str(page)]
    done = subprocess.run(args, capture_output=True, check=True, text=True)
    shown = " ".join(re.sub(".\x08", "", done.stdout).split())
    assert hard in shown


def test_a_page_leads_to_mewctl_and_to_the_commands_of_its_subsystem():
    pages = {page.words: page for page in tree.every(TOP)}
    last = roff.page(TOP, pages["spill",]).splitlines()[-1]
    names = re.findall(r"\\fB(.*?)\\fR\(1\)", last)
    assert names[0] == "mewctl"
    assert {r"mewctl\-compact", r"mewctl\-recall"} <= set(names)
    assert r"mewctl\-help" not in names
    assert r"mewctl\-spill" not in names
