"""``mewctl prompt render``: modules by priority, always the same bytes."""

from __future__ import annotations

import hashlib
import json

import pytest

from mewctl.commands.prompt.render import BUILT_IN
from mewctl.instructions.prompt import PRIORITY


def test_the_modules_of_mewctl_are_spelled_as_where_they_are_made():
    assert set(BUILT_IN) == set(PRIORITY)


@pytest.fixture
def prompt(mew):
    return lambda *args: mew("prompt", "render", *args)


@pytest.fixture
def full(project):
    """A project with all that a prompt is made of."""
    project.main("# Instructions")
    project.put("skills/b/SKILL.md", "---\nname: beta\ndescription: does b\n---\nx\n")
    project.put(
        "skills/a/SKILL.md",
        "---\nname: alpha\ndescription: >\n  does\n  a\n---\n# secret steps\n",
    )
    project.put(".mewcode/memory/MEMORY.md", "- [reference] [x](x.md) — y\n")
    project.put("style.md", "\nwrite plainly\n\n")
    return project


SKILLS = """\
## Skills

- alpha: does a (skills/a/SKILL.md)
- beta: does b (skills/b/SKILL.md)"""


@pytest.mark.usefixtures("full")
def test_modules_come_by_priority(prompt):
    seen = prompt("--skills", "skills", "--module", "style:85=style.md")
    assert seen == (
        0,
        f"# Instructions\n\nwrite plainly\n\n{SKILLS}\n\n- [reference] [x](x.md) — y\n",
        "",
    )


@pytest.mark.usefixtures("full")
def test_modules_of_one_priority_stay_in_the_order_given(project, prompt):
    project.put("a.md", "A")
    project.put("b.md", "B")
    modules = ("--module", "z:1=b.md", "--module", "y:1=a.md")
    assert prompt(*modules).out.startswith("B\n\nA\n\n# Instructions")


@pytest.mark.usefixtures("full")
def test_the_hash_is_that_of_the_text(prompt):
    text, told = prompt().out, prompt("--hash").out
    assert told == hashlib.sha256(text.encode()).hexdigest() + "\n"


def test_the_hash_changes_with_any_module(full, prompt):
    seen = [prompt("--hash").out]
    full.put(".mewcode/memory/MEMORY.md", "other\n")
    seen.append(prompt("--hash").out)
    full.put("MEWCODE.md", "other\n")
    seen.append(prompt("--hash").out)
    assert len(set(seen)) == 3


@pytest.mark.usefixtures("full")
def test_a_prompt_may_be_a_system_message(prompt):
    text = prompt().out
    assert json.loads(prompt("--jsonl").out) == {"role": "system", "content": text}


def test_without_anything_the_prompt_is_empty(project, prompt):
    del project
    assert prompt() == (0, "", "")
    assert prompt("--jsonl").out == ""


def test_a_list_of_skills_may_be_a_file(full, prompt):
    full.put("list.md", "our skills\n")
    assert "our skills\n\n- [reference]" in prompt("--skills", "list.md").out


BROKEN = {
    "no-front-matter": "# x\n",
    "no-name": "---\ndescription: x\n---\n",
    "no-description": "---\nname: x\n---\n",
    "aliases": "---\nname: &a x\ndescription: *a\n---\n",
    "not-yaml": "---\nname: [x\ndescription: y\n---\n",
    "a-list": "---\nname:\n- x\ndescription: y\n---\n",
    "binary": "\0",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_skill_is_told_and_the_others_are_listed(text, full, prompt):
    full.put("skills/c/SKILL.md", text)
    seen = prompt("--skills", "skills")
    assert (seen.code, SKILLS in seen.out) == (0, True)
    assert seen.err.startswith("skills/c/SKILL.md:1: skill: ")
    assert prompt("--skills", "skills", "--strict").code == 1


def test_a_skill_that_is_a_link_out_is_not_read(full, prompt):
    full.put("../outside/skill/SKILL.md", "---\nname: evil\ndescription: x\n---\n")
    full.link("skills/evil", "../../outside/skill")
    seen = prompt("--skills", "skills")
    assert "evil:" not in seen.out
    assert "leads out" in seen.err


def test_a_memory_index_that_is_a_link_out_is_not_read(full, prompt):
    (full.root / ".mewcode/memory/MEMORY.md").unlink()
    full.link(".mewcode/memory/MEMORY.md", "../../../outside/secret.md")
    seen = prompt()
    assert seen.out == "# Instructions\n"
    assert "MEMORY.md: unreadable: leads out" in seen.err


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--module", "x=style.md"], 2),
        (["--module", "x:y=style.md"], 2),
        (["--module", "x:1="], 2),
        (["--module", "memory:1=style.md"], 2),
        (["--module", "x:1=style.md", "--module", "x:2=style.md"], 2),
        (["--hash", "--jsonl"], 2),
        (["--skills", "gone"], 4),
        (["--module", "x:1=gone.md"], 4),
        (["--module", "x:1=skills"], 12),
        (["--module", "x:1=bin.md"], 3),
        (["--module", "x:1=latin.md"], 3),
        (["-o", "style.md", "--module", "x:1=style.md"], 12),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(args, code, full, prompt):
    full.put("bin.md", b"\0")
    full.put("latin.md", b"\xe9\n")
    seen = prompt(*args)
    assert (seen.code, seen.out) == (code, "")
    assert len(seen.err.splitlines()) == 1


def test_a_project_cannot_choose_what_is_read(full, prompt):
    full.put(".mewcode/config.toml", '[prompt.render]\nmodule = ["x:1=/etc/passwd"]\n')
    seen = prompt()
    assert "root:" not in seen.out
    assert "ignored: prompt.render.module" in seen.err


def test_errors_of_the_instructions_are_told_and_count(full, prompt):
    full.main("@include gone.md")
    assert "skipped (missing)" in prompt().out
    seen = prompt("--strict")
    assert (seen.code, seen.out) == (1, "")
