"""Write man/, completions/, docs/reference/ and the README's tables.

    python -m tools.generate            # what `make docs` runs

All from the commands: the same bytes on every machine. Pages whose command is gone are
removed. tests/tools/test_generate.py compares what is committed with what this makes.
"""

from __future__ import annotations

from pathlib import Path

from mewctl.commands.completion_scripts import SCRIPTS
from tools import markdown, readme, roff
from tools.tree import every, root

ROOT = Path(__file__).parents[1]
FOLDERS = ("man", "completions", "docs/reference")
README = "README.md"
COMPLETIONS = {"bash": "mewctl.bash", "zsh": "_mewctl", "fish": "mewctl.fish"}


def artefacts() -> dict[str, str]:
    """Every generated file: its path under the repository and its text."""
    top = root()
    made = {f"completions/{COMPLETIONS[s]}": text for s, text in SCRIPTS.items()}
    for page in every(top):
        made[f"man/{page.name}.1"] = roff.page(top, page)
        made[f"docs/reference/{markdown.file_of(page)}"] = markdown.page(page)
    text = (ROOT / README).read_text(encoding="utf-8")
    made[README] = readme.updated(text, top)
    return made


def present(where: Path = ROOT) -> dict[str, str]:
    """The generated files as they are now."""
    paths = [path for folder in FOLDERS for path in (where / folder).glob("*")]
    return {
        path.relative_to(where).as_posix(): path.read_text(encoding="utf-8")
        for path in (*paths, where / README)
        if path.exists()
    }


def main(where: Path = ROOT) -> None:
    """Write what differs and remove what is made no more."""
    made, old = artefacts(), present(where)
    for name in old.keys() - made.keys():
        (where / name).unlink()
    for name, text in made.items():
        if old.get(name) != text:
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            (where / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
