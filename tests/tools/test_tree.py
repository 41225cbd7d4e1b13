"""The command tree as values: groups, and all that an option can be."""

from __future__ import annotations

import sys
import types

import click
import pytest

from mewctl import registry
from tests.tools.test_roff import lint
from tools import markdown, readme, roff, tree

README = """<!-- commands: made by "make docs" -->
<!-- end -->
<!-- exit codes: made by "make docs" -->
<!-- end -->
"""


@click.command("inner")
@click.argument("name", help="What it is called.")
@click.option(
    "--mode",
    metavar="MODE",
    type=click.Choice(["fast", "slow"]),
    default="slow",
    show_default=True,
    help="How.",
)
@click.option("--kind", metavar="a|b", type=click.Choice(["a", "b"]), help="Which.")
@click.option("-t", "--tag", metavar="TAG", multiple=True, help="A mark.")
@click.option("--root", metavar="DIR", envvar="MEWCTL_ROOT", help="Where.")
@click.option("--wet/--dry", default=True, show_default=True, help="Whether to write.")
@click.option("--secret", hidden=True)
def inner() -> None:
    r"""Do the inner thing.

    In two
    lines.

    \b
    A list:
      - one
        - two

    \b
    Examples:
      mewctl outer inner x \
          --tag y
    """


@pytest.fixture
def top(monkeypatch):
    """The tree with ``mewctl outer inner`` in it."""
    module = types.ModuleType("made_up")
    module.inner = inner
    monkeypatch.setitem(sys.modules, "mewctl.commands.made_up", module)
    entry = registry.Entry("made_up:inner", "Do the inner thing.")
    outer = registry.Entry("", "A group.", registry.OTHER, {"inner": entry})
    monkeypatch.setitem(registry.REGISTRY, "outer", outer)
    return tree.root()


@pytest.fixture
def pages(top):
    return {page.command: page for page in tree.every(top)}


def test_a_group_and_its_commands_are_named_in_full(pages):
    assert pages["mewctl outer"].name == "mewctl-outer"
    page = pages["mewctl outer inner"]
    assert page.name == "mewctl-outer-inner"
    assert page.usage == "[OPTIONS] NAME"
    assert [a.name for a in page.arguments] == ["NAME"]


def test_paragraphs_are_filled_and_marked_ones_keep_their_lines(pages):
    page = pages["mewctl outer inner"]
    assert page.summary == "Do the inner thing."
    assert page.body == (
        tree.Text(("In two", "lines.")),
        tree.Text(("A list:", "  - one", "    - two"), kept=True),
    )
    assert page.examples == ("mewctl outer inner x \\", "    --tag y")


def test_an_option_tells_its_values_default_variable_and_key(pages):
    page = pages["mewctl outer inner"]
    shown = {option.key: option for option in page.options}
    assert list(shown) == ["mode", "kind", "tag", "root", "wet", "help"]
    assert shown["mode"].default == "slow"
    assert not shown["mode"].choices_told
    assert shown["mode"].variable == "MEWCTL_OUTER_INNER_MODE"
    assert shown["kind"].choices_told
    assert shown["tag"].repeated
    assert shown["tag"].flags == ("-t", "--tag")
    assert shown["root"].variable == "MEWCTL_ROOT"
    assert shown["root"].user_only
    assert shown["wet"].flags == ("--wet", "--dry")
    assert (shown["wet"].value, shown["wet"].default) == ("", "wet")


def test_the_manual_pages_of_a_group_lead_to_each_other(top, pages):
    group = roff.page(top, pages["mewctl outer"])
    leaf = roff.page(top, pages["mewctl outer inner"])
    assert lint(group) == lint(leaf) == []
    assert ".SH COMMANDS\n.TP\n\\fBmewctl\\-outer\\-inner\\fR(1)\nDo the inner" in group
    assert ".SH SEE ALSO\n\\fBmewctl\\fR(1), \\fBmewctl\\-outer\\fR(1)\n" in leaf
    assert r"\fB\-t\fR, \fB\-\-tag\fR \fITAG\fR" in leaf
    assert "How. One of fast, slow. Default: slow." in leaf
    assert "A mark. May be given more than once." in leaf
    assert "Sets \\-\\-root." in roff.page(top, top)


def test_the_reference_of_a_group_leads_to_its_commands_and_back(pages):
    group = markdown.page(pages["mewctl outer"])
    leaf = markdown.page(pages["mewctl outer inner"])
    assert "| [`mewctl outer inner`](outer-inner.md) | Do the inner thing. |" in group
    assert leaf.splitlines()[-1].startswith("[mewctl outer](outer.md) · ")
    assert "| How. One of `fast`, `slow`. | `slow` |" in leaf
    assert "keys of `[outer.inner]`; a project's may not set `root`." in leaf
    assert "```text\nA list:\n  - one\n    - two\n```" in leaf


def test_the_readme_lists_the_commands_of_a_group_not_the_group(top):
    text = readme.updated(README, top)
    assert "| [`outer inner`](docs/reference/outer-inner.md) | Do the" in text
    assert "[`outer`]" not in text
