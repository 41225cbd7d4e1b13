"""``mewctl instructions check`` and ``tree``."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def check(mew):
    return lambda *args: mew("instructions", "check", *args)


def test_a_sound_project_is_passed_over_in_silence(project, check):
    project.put("docs/a.md", "See [the file](../MEWCODE.md#x) and [this](#here).\n")
    project.main("# x", "", "@include docs/a.md", "", "[web](https://example.org/x)")
    assert check("--fail-on", "warning") == (0, "", "")


def test_i29_a_broken_include_ends_in_one(project, check):
    project.main("@include gone.md", "@include /etc/passwd")
    seen = check()
    assert (seen.code, seen.out) == (1, "")
    assert "2 errors" in seen.err.splitlines()[-1]


def test_nothing_to_check_is_no_success(project, check):
    del project
    assert check().code == 1


WARNED = {
    "I50-link": ("[x](gone.md)", "link: leads nowhere: gone.md"),
    "link-with-anchor": ("[x](gone.md#a)", "link: leads nowhere: gone.md#a"),
    "link-in-brackets": ("[x](<my gone.md>)", "link: leads nowhere: my gone.md"),
    "link-encoded": ("[x](go%20ne.md)", "link: leads nowhere: go%20ne.md"),
    "link-image": ("![x](gone.png)", "link: leads nowhere: gone.png"),
    "link-definition": ("[x]: gone.md", "link: leads nowhere: gone.md"),
    "I50-home": ("run /home/ann/bin/x", "home path: an absolute path of one user"),
    "home-mac": ("/Users/ann/x", "home path: an absolute path of one user"),
    "home-windows": ("C:\\Users\\ann\\x", "home path: an absolute path of one user"),
    "home-in-code": ("```\ncd /home/ann\n```", "home path: an absolute path"),
    "I50-secret": (
        f"key sk-ant-{'a1B2' * 8}",
        "secret: looks like a secret (anthropic",
    ),
    "import": ("@docs/x.md", "import: @docs/x.md is not expanded; write @include docs"),
    "item": ("- @include a.md", "not a directive: @include is a directive only as"),
    "quote": ("> @include a.md", "not a directive: @include is a directive only as"),
}


@pytest.mark.parametrize(("text", "words"), WARNED.values(), ids=WARNED)
def test_a_warning_is_told_and_fails_on_request(text, words, project, check):
    project.main("# x", "", text)
    seen = check()
    assert (seen.code, seen.out) == (0, "")
    line = 4 if text.startswith("```") else 3
    assert seen.err.startswith(f"MEWCODE.md:{line}: {words}"), seen.err
    assert check("--fail-on", "warning").code == 1
    assert "a1B2a1B2" not in seen.err


@pytest.mark.parametrize(
    "text",
    [
        "`[x](gone.md)`",
        "```\n[x](gone.md)\n```",
        "[x](/from/the/top.md)",
        "[x](mailto:a@b.org)",
        "[x](//host/x)",
        "[x]()",
        "[x](../../../outside/whatever.md)",
        "[x](MEWCODE.md?plain=1)",
        "see /homework/x and ~/x and src/home/ann",
        "<!-- @docs/x.md -->",
        "mail ann@docs.md, @param, @scope/pkg",
    ],
)
def test_what_is_no_fault_is_not_warned_of(text, project, check):
    project.main("# x", "", text)
    assert check("--fail-on", "warning") == (0, "", "")


def test_i21_a_link_that_became_text_is_warned_of(project, check):
    project.put("AGENTS.md", "# x\n")
    project.put("MEWCODE.md", "AGENTS.md")
    words = "MEWCODE.md:1: link text: a link that became text? write @include AGENTS.md"
    assert check().err == words + "\n"
    project.put("MEWCODE.md", "OTHER.md")
    assert check().err == ""


def test_s05_a_file_that_any_user_may_write_is_warned_of(project, check):
    project.main("@include a.md")
    project.put("a.md", "x\n").chmod(0o646)
    assert check().err.startswith("a.md: open to all: any user may write it")


def test_a_users_own_paths_are_no_fault_in_the_user_layer(project, check):
    project.put("../home/.mewcode/MEWCODE.md", "cd /home/ann/work\n")
    assert check("--fail-on", "warning").code == 0


def test_a_file_that_is_included_twice_is_warned_of_once(project, check):
    project.main("@include a.md", "@include a.md")
    project.put("a.md", "[x](gone.md)\n")
    assert check().err.count("leads nowhere") == 1


def test_findings_for_machines_are_objects_in_order(project, check):
    project.main("[x](gone.md)", "@include gone.md")
    seen = check("--diagnostics", "jsonl")
    found = list(map(json.loads, seen.err.splitlines()))
    assert [row.get("kind") for row in found] == ["missing", "link", None]
    assert found[-1]["code"] == 1


# --- tree ---


def test_i33_the_tree_has_bytes_and_tokens_of_files_and_layers(project, mew):
    project.main("# x", "", "@include docs/a.md", "@include gone.md")
    project.put("docs/a.md", "one two three\n")
    project.put("../home/.mewcode/MEWCODE.md", "mine\n")
    rows = list(map(json.loads, mew("instructions", "tree").out.splitlines()))
    assert [(r["type"], r["layer"], r["file"]) for r in rows] == [
        ("layer", "project", "MEWCODE.md"),
        ("file", "project", "MEWCODE.md"),
        ("file", "project", "docs/a.md"),
        ("file", "project", "gone.md"),
        ("layer", "user", "~/.mewcode/MEWCODE.md"),
        ("file", "user", "~/.mewcode/MEWCODE.md"),
    ]
    assert [r.get("outcome") for r in rows[1:4]] == ["included", "included", "missing"]
    assert [r.get("line") for r in rows[1:4]] == [0, 3, 4]
    assert rows[2]["bytes"] == 14
    assert rows[2]["tokens"] in range(2, 8)
    assert rows[0]["files"] == 2


def test_the_tree_is_a_table_for_people(project, mew):
    project.main("@include a\x1b[31m.md")
    seen = mew("instructions", "tree", "--format", "table")
    assert seen.out.splitlines()[0].split() == ["bytes", "tokens", "file"]
    assert "a\\x1b[31m.md (missing)" in seen.out


def test_a_tree_of_nothing_says_so(project, mew):
    del project
    seen = mew("instructions", "tree")
    assert (seen.code, seen.out) == (0, "")
    assert "no MEWCODE.md" in seen.err
