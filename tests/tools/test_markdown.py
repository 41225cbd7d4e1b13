"""The command reference: complete, and safe from what Markdown would make of text."""

from __future__ import annotations

import re

import pytest

from tools import markdown, tree
from tools.generate import ROOT, artefacts

ALL = [pytest.param(page, id=page.name) for page in tree.every(tree.root())]
FOLDER = ROOT / "docs" / "reference"


def cells(row: str) -> list[str]:
    return re.split(r"(?<!\\)\|", row.strip("|"))


@pytest.mark.parametrize("page", ALL)
def test_every_option_has_a_row_with_its_default_and_variable(page):
    text = markdown.page(page)
    for option in page.options:
        start = f"| `{', '.join(option.flags)}"
        (row,) = (
            r for r in text.splitlines() if re.match(re.escape(start) + "[` ]", r)
        )
        shown = [cell.strip() for cell in cells(row)[-2:]]
        assert shown == [markdown.code(option.default), markdown.code(option.variable)]


@pytest.mark.parametrize("page", ALL)
def test_the_rows_of_a_table_have_as_many_cells_as_its_head(page):
    width = 0
    for line in markdown.page(page).splitlines():
        if not line.startswith("|"):
            width = 0
        else:
            width = width or len(cells(line))
            assert len(cells(line)) == width, line


@pytest.mark.parametrize("page", ALL)
def test_the_examples_stand_in_a_block_to_copy(page):
    blocks = re.findall(
        r"^```sh\n(.*?)^```$", markdown.page(page), re.MULTILINE | re.DOTALL
    )
    assert "".join(blocks).splitlines() == list(page.examples)


@pytest.mark.parametrize("page", ALL)
def test_every_link_leads_to_a_page_and_a_heading(page):
    made = artefacts()
    for link in re.findall(r"\]\(([^)]+)\)", markdown.page(page)):
        name, _, heading = link.partition("#")
        text = made[f"docs/reference/{name}"]
        titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        assert not heading or heading in {t.lower().replace(" ", "-") for t in titles}


def test_every_command_is_linked_from_the_list():
    text = markdown.page(tree.root())
    for page in tree.root().commands:
        assert f"[`{page.command}`]({markdown.file_of(page)})" in text


def test_text_is_no_markup():
    assert markdown.escape("a|b *c* _d_ <e> `f` [g](h) \\") == (
        r"a\|b \*c\* \_d\_ &lt;e> \`f\` \[g\](h) " + "\\\\"
    )
