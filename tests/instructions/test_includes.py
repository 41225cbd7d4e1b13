"""What an include puts in. Ids have the number of the case in the lists of complaints
about instruction files (I01 to I50) and of bad input (zoo 71 to 75).
"""

from __future__ import annotations

import json
import os

import pytest


@pytest.fixture
def shown(project, render):
    """The text of a project whose own file has these lines; nothing may be told."""

    def run(*lines, told="", args=()):
        project.main(*lines)
        seen = render(*args)
        assert seen.code == 0
        assert (told in seen.err) if told else seen.err == ""
        return seen.out

    return run


LITERAL = {
    "I01": "Document every @param and @returns.",
    "I02": "It uses @inertiajs/react, @myproject/app and google/clasp.",
    "I03": "hors @domain.fr) et a@b.org",
    "zoo-074-decorator": "@decorator\n@scope/pkg",
    "zoo-074-fence": "```\n@include b.md\n```",
    "I04-in-a-line": "Write @include b.md to include it.",
    "in-a-span": "`@include b.md`",
    "in-an-item": "- @include b.md",
    "in-a-quote": "> @include b.md",
    "in-indented-code": "x\n\n    @include b.md",
    "in-a-comment": "<!--\n@include b.md\n-->",
    "in-front-matter": "---\nkey: |\n  x\n@include b.md\n---\ntext",
    "another-word": "@includes b.md\n@include-once b.md\n@Include b.md",
    "unicode-blank": "@include\u00a0b.md",
    "unicode-indent": "\u3000@include b.md",
}


@pytest.mark.parametrize("text", LITERAL.values(), ids=LITERAL)
def test_what_is_no_directive_stays_as_it_is(text, project, shown):
    project.put("b.md", "INCLUDED\n")
    assert shown(text) == text + "\n"


EXPANDED = {
    "plain": ("@include b.md", "INCLUDED"),
    "after-a-paragraph": ("text\n@include b.md\ntext", "text\nINCLUDED\ntext"),
    "double-quotes": ('@include "b.md"', "INCLUDED"),
    "single-quotes": ("@include 'b.md'", "INCLUDED"),
    "blanks-around": ("@include \t b.md  ", "INCLUDED"),
    "tab": ("@include\tb.md", "INCLUDED"),
    "I06-blanks-in-the-name": ("@include my file.md", "BLANKS"),
    "I06-blanks-in-quotes": ('@include "my file.md"', "BLANKS"),
    "I10-in-an-item": ("- x\n\n  @include b.md", "- x\n\n  INCLUDED"),
    "I24-indent": ("1. x\n   @include two.md", "1. x\n   one\n\n   two"),
    "I24-tab-indent": ("- x\n\n\t@include b.md", "- x\n\n\tINCLUDED"),
    "I04-escaped": ("\\@include b.md", "@include b.md"),
    "I04-escaped-indented": ("  \\@include b.md", "  @include b.md"),
    "I04-escaped-in-code": ("```\n\\@include b.md\n```", "```\n\\@include b.md\n```"),
    "I26-lines": ("@include four.md:2-3", "l2\nl3"),
    "I27-first-line": ("@include four.md:1-1", "l1"),
    "I27-last-line": ("@include four.md:4-4", "l4"),
    "I27-all-lines": ("@include four.md:1-4", "l1\nl2\nl3\nl4"),
    "I26-heading": ("@include doc.md#How", "## How\n\nso\n\n### Deeper\n\nyes"),
    "I26-anchor": ("@include doc.md#what-else-1", "## What else?\n\nsecond"),
    "I26-setext": ("@include doc.md#Last", "Last\n====\n\nend"),
    "part-in-quotes": ('@include "my file.md:1-1"', "BLANKS"),
    "part-after-quotes": ('@include "my file.md":1-1', "BLANKS"),
    "name-with-hash": ("@include c#.md", "SHARP"),
    "name-like-a-range": ("@include odd:1-2", "ODD"),
    "han": ("@include 说明.md", "汉字"),
    "I45-front-matter": ("@include fm.md", "body"),
    "I44-no-front-matter": ("@include rules.md", "---\nnot a key\n---\nprose"),
    "front-matter-lines": ("@include fm.md:1-4", "body"),
    "zoo-075-bom": ("a\n@include bom.md\nb", "a\nbom\nb"),
    "zoo-075-crlf": ("@include crlf.md", "one\ntwo"),
    "old-mac": ("@include cr.md", "one\ntwo"),
    "I31-empty": ("a\n@include empty.md\nb", "a\n\nb"),
    "in-a-div": ("<div>\n@include b.md\n</div>", "<div>\nINCLUDED\n</div>"),
}


@pytest.mark.parametrize(("text", "expected"), EXPANDED.values(), ids=EXPANDED)
def test_a_directive_is_replaced_by_what_it_names(text, expected, project, shown):
    project.put("b.md", "INCLUDED\n")
    project.put("two.md", "one\n\ntwo\n\n")
    project.put("my file.md", "BLANKS")
    project.put("four.md", "l1\nl2\nl3\nl4\n")
    project.put("c#.md", "SHARP")
    project.put("odd:1-2", "ODD")
    project.put("说明.md", "汉字")
    project.put("fm.md", "---\nname: x\n---\nbody\n")
    project.put("rules.md", "---\nnot a key\n---\nprose\n")
    project.put("bom.md", b"\xef\xbb\xbfbom\n")
    project.put("crlf.md", b"one\r\ntwo\r\n")
    project.put("cr.md", b"one\rtwo\r")
    project.put("empty.md")
    project.put(
        "doc.md",
        "# Doc\n\n## How\n\nso\n\n### Deeper\n\nyes\n\n## What else?\n\nfirst\n\n"
        "## What else?\n\nsecond\n\n```\n## not\n```\n\nLast\n====\n\nend\n",
    )
    if "second" in expected:
        expected += "\n\n```\n## not\n```"
    assert shown(text) == expected + "\n"


FAILING = {
    "I05-comma": ("@include b.md,", "missing", "b.md,: not there"),
    "I05-junk": ('@include "b.md" x', "syntax", "more than a path:  x"),
    "I07-missing": ("@include gone.md", "missing", "gone.md: not there"),
    "zoo-072": ("@include docs/gone.md", "missing", "docs/gone.md: not there"),
    "I15-names-the-roots": ("@include /etc/passwd", "escape", "(.); see --allow-root"),
    "I26-range-end": (
        "@include four.md:3-5",
        "range",
        "lines 3-5 of a file that has 4",
    ),
    "I27-zero": ("@include four.md:0-1", "range", "lines count from 1"),
    "I27-backwards": ("@include four.md:3-2", "range", "is no range"),
    "range-of-nothing": ("@include empty.md:1-1", "range", "a file that has 0"),
    "I28-heading": ("@include b.md#Nope", "heading", "there are: One, Two"),
    "I38-case": ("@include B.md", "missing", "not there, but b.md is"),
    "I16-network": ("@include \\\\host\\x", "escape", "a device or network path"),
    "I37-binary": ("@include bin.md", "binary", "bytes that are no text"),
    "utf-16": ("@include utf16.md", "binary", "UTF-16, not UTF-8"),
    "zoo-073-home": ("@include ~/x.md", "escape", "in the user layer only"),
    "address": ("@include https://x.org/a.md", "missing", "addresses are not fetched"),
    "no-path": ("@include", "syntax", "no path after @include"),
    "empty-quotes": ('@include ""', "syntax", "no path between"),
}


@pytest.mark.parametrize(("text", "kind", "words"), FAILING.values(), ids=FAILING)
def test_what_cannot_be_put_in_leaves_a_comment_and_is_told(
    text, kind, words, project, render
):
    project.put("b.md", "# One\n\n## Two\n")
    project.put("four.md", "l1\nl2\nl3\nl4\n")
    project.put("empty.md")
    project.put("bin.md", b"\0")
    project.put("utf16.md", "x".encode("utf-16"))
    project.main("before", "", f"  {text}", "", "after")
    path = text.removeprefix("@include").strip()
    seen = render()
    comment = f"  <!-- @include skipped ({kind}): {path} -->"
    assert seen.out == f"before\n\n{comment}\n\nafter\n"
    assert seen.err.startswith(f"MEWCODE.md:3: {kind}: ")
    assert words in seen.err
    assert seen.err.count("\n") == 1
    strict = render("--strict")
    assert (strict.code, strict.out) == (1, "")
    assert strict.err.endswith(
        "render: 1 error; mend them, or allow what is meant to be\n"
    )


def test_zoo_071_a_diamond_is_expanded_once_and_the_second_place_says_so(
    project, shown
):
    for name in "ab":
        project.put(f"{name}.md", f"{name}\n\n@include shared.md\n")
    project.put("shared.md", "shared\n")
    lines = ("@include a.md", "", "@include b.md")
    again = "<!-- @include skipped (already included): shared.md -->"
    told = "b.md:3: repeat: shared.md is already included; see --repeat"
    assert shown(*lines, told=told) == f"a\n\nshared\n\nb\n\n{again}\n"
    assert shown(*lines, args=("--repeat",)) == "a\n\nshared\n\nb\n\nshared\n"
    assert shown(*lines, told=told, args=("--strict",))


def test_two_parts_of_a_file_are_no_repeat(project, shown):
    project.put("a.md", "1\n2\n3\n")
    assert shown("@include a.md:1-1", "@include a.md:3-3") == "1\n3\n"


def test_i17_a_cycle_shows_its_chain(project, render):
    project.main("@include docs/a.md")
    project.put("docs/a.md", "a\n@include ../b.md\n")
    project.put("b.md", "b\n@include MEWCODE.md\n")
    chain = "MEWCODE.md → docs/a.md → b.md → MEWCODE.md"
    seen = render()
    comment = f"<!-- @include skipped (cycle): MEWCODE.md ({chain}) -->"
    assert seen.out == f"a\nb\n{comment}\n"
    assert seen.err == f"b.md:2: cycle: {chain} (MEWCODE.md → docs/a.md → b.md)\n"


@pytest.mark.parametrize("levels", [4, 5, 6, 7])
def test_i18_the_fifth_level_is_the_last(levels, project, render):
    project.main("one", "@include 2.md")
    for level in range(2, levels + 1):
        project.put(f"{level}.md", f"level {level}\n@include {level + 1}.md\n")
    project.put(f"{levels}.md", f"level {levels}\n")
    seen = render()
    assert [f"level {n}" in seen.out for n in (5, 6)] == [levels >= 5, False]
    assert ("5.md:2: depth: more than 5 files deep" in seen.err) == (levels > 5)


def test_i08_i09_a_path_counts_from_the_file_it_stands_in(project, shown, monkeypatch):
    project.put("docs/a.md", "@include more/b.md\n")
    project.put("docs/more/b.md", "@include ../c.md\n")
    project.put("docs/c.md", "end\n")
    project.put("elsewhere/x")
    monkeypatch.chdir(project.root / "elsewhere")
    assert shown("@include docs/a.md") == "end\n"


def test_i12_a_link_inside_counts_from_where_it_leads(project, shown):
    project.put("docs/a.md", "@include b.md\n")
    project.put("docs/b.md", "beside\n")
    project.link("link.md", "docs/a.md")
    assert shown("@include link.md") == "beside\n"


def test_i11_an_allowed_root_may_be_included_from(project, render):
    project.put("../shared/a.md", "shared\n@include b.md\n")
    project.put("../shared/b.md", "too\n")
    project.main("@include ../shared/a.md")
    assert "escape" in render().err
    seen = render("--allow-root", "../shared")
    assert (seen.out, seen.err) == ("shared\ntoo\n", "")


@pytest.mark.parametrize("mark", ["```", "~~~~", "<!--", "<pre>"])
def test_i23_what_is_left_open_is_closed_at_the_end_and_told(mark, project, render):
    project.put("open.md", f"text\n\n{mark}\nopen\n")
    project.main("@include open.md", "", "@include after.md")
    project.put("after.md", "AFTER\n")
    closing = {"<!--": "-->", "<pre>": "</pre>"}.get(mark, mark)
    seen = render()
    assert seen.out == f"text\n\n{mark}\nopen\n{closing}\n\nAFTER\n"
    assert seen.err.startswith("open.md:3: left open: ")


def test_a_part_that_cuts_a_fence_is_closed_too(project, render):
    project.put("a.md", "text\n```\n@include b.md\n```\nend\n")
    project.main("@include a.md:1-3", "after")
    seen = render()
    assert seen.out == "text\n```\n@include b.md\n```\nafter\n"
    assert "a.md:2: left open" in seen.err


def test_i34_what_is_not_utf_8_is_kept_replaced_and_told_with_its_offset(
    project, render
):
    project.put("a.md", b"\xef\xbb\xbfna\xefve caf\xe9\n")
    project.main("@include a.md")
    seen = render()
    assert seen.out == "na\ufffdve caf\ufffd\n"
    words = "a.md: encoding: not UTF-8, 2 places replaced, the first at byte 5"
    assert seen.err.startswith(words)


def test_i30_findings_name_the_line_of_the_directive_and_the_chain(project, mew):
    project.main("", "", "@include a.md")
    project.put("a.md", "1\n2\n\n@include gone.md\n")
    seen = mew("instructions", "render", "--diagnostics", "jsonl", "--strict")
    found, error = map(json.loads, seen.err.splitlines())
    assert found == {
        "type": "finding",
        "kind": "missing",
        "severity": "error",
        "layer": "project",
        "file": "a.md",
        "line": 4,
        "path": "gone.md",
        "message": "gone.md: not there",
        "chain": ["MEWCODE.md", "a.md"],
    }
    assert (error["type"], error["code"]) == ("error", 1)


def test_findings_may_be_annotations_of_github(project, render):
    project.main("@include a,b:100%.md")
    seen = render("--diagnostics", "github")
    assert seen.err == (
        "::error file=MEWCODE.md,title=mewctl%3A missing,line=1"
        "::a,b:100%25.md: not there\n"
    )


def test_where_a_path_leads_in_full_is_told_on_request_alone(project, render):
    project.main("@include ../outside/secret.md", "@include gone.md")
    assert str(project.top) not in render().err
    told = render("--verbose").err
    assert f"[{project.outside}/secret.md]" in told
    assert f"[{project.root}/gone.md]" in told


def test_the_place_in_full_is_in_objects_too(project, mew):
    project.put("../home/.mewcode/MEWCODE.md", "@include ~/gone.md\n")
    args = ("--verbose", "--diagnostics", "jsonl")
    (row,) = map(json.loads, mew("instructions", "render", *args).err.splitlines())
    assert (row["file"], row["layer"]) == ("~/.mewcode/MEWCODE.md", "user")
    assert row["resolved"] == str(project.home / "gone.md")
    assert row["message"] == "~/gone.md: not there"


def test_an_annotation_of_a_whole_file_has_no_line(project, render):
    project.put("MEWCODE.md", b"\0")
    told = render("--diagnostics", "github").err
    assert told.startswith("::error file=MEWCODE.md,title=mewctl%3A binary::")


def test_i35_a_byte_order_mark_does_not_hide_the_first_line(project, render):
    project.put("a.md", b"\xef\xbb\xbf---\nx: y\n---\n@include b.md\n")
    project.put("b.md", "b\n")
    project.put("MEWCODE.md", b"\xef\xbb\xbf@include a.md\n")
    assert render("--strict") == (0, "b\n", "")


def test_comments_are_chinese_where_that_is_asked_for(project, render, monkeypatch):
    project.main("@include gone.md")
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert render().out == "<!-- @include skipped (missing): gone.md -->\n"
    chinese = render("--lang", "zh").out
    assert chinese == "<!-- @include 已跳过（missing）: gone.md -->\n"


@pytest.mark.parametrize(
    "path", ["x --> y", "--", "a---b", "x --!> <script>", "\x01\x1b[2J", "x\u2028y"]
)
def test_a_path_cannot_end_its_comment(path, project, render):
    project.main(f"@include {path}")
    out = render().out.strip()
    inner = out.removeprefix("<!--").removesuffix("-->")
    assert out == f"<!--{inner}-->"
    assert "--" not in inner
    assert inner.isprintable()


def test_i33_limits_are_of_what_is_read(project, render):
    project.put("a.md", "a" * 999 + "\n")
    project.main("@include a.md")
    assert "too large" not in render("--max-file", "1000").err
    assert "a.md: larger than" not in render("--max-file", "1000").err
    assert "larger than 999 bytes" in render("--max-file", "999").err
    own = os.path.getsize("MEWCODE.md")
    assert render("--max-total", 1000 + own).err == ""
    assert "all files together" in render("--max-total", 999 + own).err


def test_an_indent_makes_no_text_larger_than_all_files_may_be(project, render):
    project.put("a.md", "x\n" * 50_000)
    project.main("x", " " * 60_000 + "@include a.md")
    seen = render()
    assert len(seen.out) < 100_000
    assert "too large: with its indent" in seen.err
