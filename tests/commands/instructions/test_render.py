"""``mewctl instructions render``: layers, files written and compared, limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mewctl.commands.instructions import options
from mewctl.instructions import places

ROOT = Path(__file__).parents[3]


def test_layers_and_names_are_spelled_as_where_they_are_used():
    assert options.LAYERS == places.LAYERS
    assert options.FILE == places.FILE


@pytest.fixture
def three(project):
    """A project with a file in each layer."""
    project.put("MEWCODE.md", "# Project\n")
    project.put(".mewcode/MEWCODE.md", "# Local\n")
    project.put("../home/.mewcode/MEWCODE.md", "# User\n")
    return project


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], "# Project\n\n# Local\n\n# User\n"),
        (["--no-user"], "# Project\n\n# Local\n"),
        (["--layer", "user"], "# User\n"),
        (["--layer", "user", "--layer", "project"], "# Project\n\n# User\n"),
        (["--name", "AGENTS.md"], ""),
    ],
    ids=["I39-order", "no-user", "one", "two", "another-name"],
)
def test_layers_are_joined_by_priority(args, expected, render):
    seen = render(*args, "-q")
    assert (seen.code, seen.out, seen.err) == (0, expected, "")


@pytest.mark.usefixtures("three")
def test_i39_each_layer_may_be_named(render):
    assert render("--annotate").out == (
        "<!-- project layer: MEWCODE.md -->\n\n# Project\n\n"
        "<!-- local layer: .mewcode/MEWCODE.md -->\n\n# Local\n\n"
        "<!-- user layer: ~/.mewcode/MEWCODE.md -->\n\n# User\n"
    )


def test_other_names_are_other_files(project, render):
    project.put("AGENTS.md", "agents\n")
    project.put("MEWCODE.md", "mewcode\n")
    assert render("--name", "AGENTS.md").out == "agents\n"


@pytest.mark.parametrize("name", ["../x.md", "/etc/passwd", "a/b", "", ".", ".."])
def test_i14_a_name_is_no_path(name, render):
    seen = render("--name", name)
    assert (seen.code, seen.out) == (2, "")


def test_home_paths_work_in_the_user_layer_alone(project, render):
    project.put("../home/notes/a.md", "mine\n")
    project.put("../home/.mewcode/MEWCODE.md", "@include ~/notes/a.md\n")
    assert render().out == "mine\n"


def test_the_user_layer_may_not_leave_the_home(project, render):
    project.put("../home/.mewcode/MEWCODE.md", "@include ~/../outside/secret.md\n")
    seen = render()
    assert (
        "~/.mewcode/MEWCODE.md:1: escape: leads out of what may be read (~)" in seen.err
    )


def test_i20_i40_the_same_file_reached_as_two_layers_is_loaded_once(project, render):
    project.put("AGENTS.md", "once\n")
    project.link("MEWCODE.md", "AGENTS.md")
    project.link(".mewcode/MEWCODE.md", "../AGENTS.md")
    seen = render()
    assert seen.out == "once\n"
    assert "AGENTS.md: repeat: the same file as that of the project layer" in seen.err


def test_i40_the_home_as_a_project_has_its_file_once(project, mew):
    project.put("../home/.mewcode/MEWCODE.md", "home\n")
    seen = mew("instructions", "render", "--root", project.home)
    assert seen.out == "home\n"


def test_a_layer_that_cannot_be_used_is_told_and_the_others_stand(three, render):
    three.put(".mewcode/MEWCODE.md", b"\0")
    seen = render()
    comment = "<!-- @include skipped (binary): .mewcode/MEWCODE.md -->"
    assert seen.out == f"# Project\n\n{comment}\n\n# User\n"
    assert seen.err == ".mewcode/MEWCODE.md: binary: bytes that are no text\n"
    assert render("--strict").code == 1


def test_front_matter_is_kept_where_it_means_something(project, render):
    project.put("MEWCODE.md", "---\na: 1\n---\none\n")
    project.put(".mewcode/MEWCODE.md", "---\nb: 2\n---\ntwo\n")
    seen = render()
    assert seen.out == "---\na: 1\n---\none\n\ntwo\n"
    assert ".mewcode/MEWCODE.md:1: front matter: " in seen.err
    assert render("-q").err == ""
    assert render("--annotate").out.startswith("---\na: 1\n---\n\n<!-- project layer")


def test_without_any_file_the_text_is_empty_and_that_is_said(project, render):
    del project
    seen = render()
    assert (seen.code, seen.out) == (0, "")
    assert "no MEWCODE.md in any layer" in seen.err
    assert render("--strict").code == 1


def test_a_root_that_is_not_there_is_not_found(render):
    seen = render("--root", "gone")
    assert seen.code == 4
    assert len(seen.err.splitlines()) == 1


def test_a_system_message_goes_into_a_pipeline(project, render, mew):
    project.main("Be brief. 漢")
    seen = render("--jsonl")
    assert json.loads(seen.out) == {"role": "system", "content": "Be brief. 漢\n"}
    (project.root / "h.jsonl").write_text(seen.out)
    assert mew("tokens", "--format", "jsonl", "h.jsonl").code == 0


# --- files ---


def test_a_file_inside_the_root_has_no_user_layer(three, render):
    assert render("-o", "AGENTS.md").out == ""
    written = (three.root / "AGENTS.md").read_text()
    assert written == "# Project\n\n# Local\n"
    assert render("--check", "AGENTS.md").code == 0
    assert render("-o", three.top / "out.md").code == 0
    assert "# User" in (three.top / "out.md").read_text()
    assert render("--layer", "user", "-o", "user.md").code == 0
    assert (three.root / "user.md").read_text() == "# User\n"


def test_a_file_is_not_emptied_where_there_is_nothing_to_render(project, render):
    project.put("AGENTS.md", "rendered once\n")
    seen = render("-o", "AGENTS.md")
    assert (seen.code, seen.out) == (4, "")
    assert (project.root / "AGENTS.md").read_text() == "rendered once\n"


def test_a_drift_is_shown_and_ends_in_one(three, render):
    render("-o", "AGENTS.md")
    three.put("MEWCODE.md", "# Changed\n")
    seen = render("--check", "AGENTS.md")
    assert seen.code == 1
    assert seen.out.splitlines()[:2] == ["--- AGENTS.md", "+++ AGENTS.md (rendered)"]
    assert "-# Project\n+# Changed\n" in seen.out
    assert "write it with render -o AGENTS.md" in seen.err


def test_check_is_strict(three, render):
    three.put("MEWCODE.md", "@include gone.md\n")
    render("-o", "AGENTS.md")
    seen = render("--check", "AGENTS.md")
    assert (seen.code, seen.out) == (1, "")
    assert "1 error" in seen.err


def test_line_ends_alone_are_told_apart(three, render):
    three.put("AGENTS.md", b"# Project\r\n\r\n# Local\r\n")
    seen = render("--check", "AGENTS.md")
    assert (seen.code, seen.out) == (1, "")
    assert "differs in its line ends alone" in seen.err


@pytest.mark.usefixtures("three")
def test_a_file_to_compare_that_is_not_there_is_not_found(render):
    assert render("--check", "gone.md").code == 4


def test_a_pipe_to_compare_is_refused_at_once(three, render):
    os.mkfifo(three.root / "pipe")
    assert render("--check", "pipe").code == 12


def test_i22_a_source_is_not_overwritten(three, render):
    three.put("MEWCODE.md", "@include a.md\n")
    three.put("a.md", "a\n")
    for name in ("MEWCODE.md", "a.md"):
        before = (three.root / name).read_bytes()
        assert render("-o", name).code == 12
        assert (three.root / name).read_bytes() == before


def test_i47_a_link_out_of_the_root_is_not_written_through(three, render):
    three.link("AGENTS.md", "../outside/secret.md")
    three.link("docs", "../outside")
    before = (three.outside / "secret.md").read_bytes()
    assert render("-o", "AGENTS.md").code == 12
    assert render("-o", "docs/new.md").code == 12
    assert (three.outside / "secret.md").read_bytes() == before
    assert not (three.outside / "new.md").exists()


def test_a_strict_failure_leaves_the_old_file(three, render):
    render("-o", "AGENTS.md")
    three.put("MEWCODE.md", "@include gone.md\n")
    before = (three.root / "AGENTS.md").read_bytes()
    assert render("--strict", "-o", "AGENTS.md").code == 1
    assert (three.root / "AGENTS.md").read_bytes() == before


@pytest.mark.parametrize(
    "args",
    [
        ["--check", "x", "--jsonl"],
        ["--check", "x", "-o", "y"],
        ["--layer", "user", "--no-user"],
    ],
)
def test_options_that_exclude_each_other_are_usage(args, render):
    assert render(*args).code == 2


def test_a_project_may_set_limits_but_not_what_may_be_read(three, render):
    three.put("MEWCODE.md", "@include ../outside/secret.md\n")
    three.put("b.md", "x" * 200)
    three.put(".mewcode/MEWCODE.md", "@include ../b.md\n")
    table = f'[instructions.render]\nallow-root = ["{three.top}"]\nmax-file = 100\n'
    three.put(".mewcode/config.toml", table)
    seen = render()
    assert "ignored: instructions.render.allow_root" in seen.err
    assert "MEWCODE.md:1: escape: " in seen.err
    assert "too large: larger than 100 bytes" in seen.err


def test_the_users_settings_may_allow_a_root(three, render):
    three.put("MEWCODE.md", "@include ../shared/a.md\n")
    three.put("../shared/a.md", "shared\n")
    table = f'[instructions.render]\nallow-root = ["{three.top}/shared"]\n'
    three.put("../home/mewctl/config.toml", table)
    assert render("--layer", "project") == (0, "shared\n", "")


# --- the same bytes ---


def test_i49_the_same_tree_gives_the_same_bytes_everywhere(three):
    three.put("MEWCODE.md", "# 项目\n\n@include docs/说明.md\n  @include docs/b.md\n")
    three.put("docs/说明.md", "汉字\n\n@include b.md\n")
    three.put("docs/b.md", "b\nb\n")
    (three.root / "sub").mkdir()
    seen = set()
    for cwd in (three.root, three.root / "sub"):
        for locale in ("C", "C.UTF-8", "POSIX", "de_DE.ISO-8859-1"):
            environ = {
                "HOME": str(three.home),
                "LC_ALL": locale,
                "PYTHONPATH": str(ROOT),
            }
            done = subprocess.run(
                [sys.executable, "-m", "mewctl", "instructions", "render"],
                cwd=cwd,
                env=environ,
                capture_output=True,
                check=True,
            )
            seen.add(done.stdout)
    assert len(seen) == 1
    for path in three.root.rglob("*.md"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    done = subprocess.run(
        [sys.executable, "-m", "mewctl", "instructions", "render"],
        cwd=three.root,
        env={"HOME": str(three.home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    seen.add(done.stdout)
    assert len(seen) == 1


# --- limits ---


def test_i32_whole_blocks_of_low_priority_are_left_out(three, render):
    code = "```\n" + "a line\n\n" * 30 + "```\n"
    three.put("MEWCODE.md", f"# Project\n\nfirst\n\n## Second\n\n{code}")
    whole = render().out
    size = len(whole.encode())
    assert render("--max-bytes", size).out == whole
    seen = render("--max-bytes", 200)
    assert len(seen.out.encode()) <= 200
    kept, marker = seen.out.rstrip("\n").rsplit("\n\n", 1)
    assert whole.startswith(kept)
    assert marker.startswith("<!-- ")
    assert "left out: the limit is 200 bytes" in marker
    assert kept == "# Project\n\nfirst"
    assert ": budget: " in seen.err
    assert render("--max-bytes", 200, "--strict").code == 1


@pytest.mark.usefixtures("three")
def test_what_cannot_be_made_to_fit_is_said(render):
    seen = render("--max-bytes", 5)
    assert (seen.code, seen.out) == (7, "")


def test_imports_of_other_tools_are_told_and_stay(project, render):
    project.main("See @docs/a.md, @~/x.md and @./y", "`@not.md` a@b.md @param")
    seen = render("--strict")
    assert (seen.code, seen.out) == (0, (project.root / "MEWCODE.md").read_text())
    told = [line.split(" is not")[0] for line in seen.err.splitlines()]
    assert told == [
        f"MEWCODE.md:1: import: {p}" for p in ("@docs/a.md", "@~/x.md", "@./y")
    ]
