"""Write man/, completions/ and docs/reference/ from the commands.

    python -m tools.generate            # what `make docs` runs

The same commands give the same bytes, on every machine. Pages whose command is gone are
removed. tests/tools/test_generate.py compares what is committed with what this makes.
"""

from __future__ import annotations

from pathlib import Path

from mewctl.commands.completion_scripts import SCRIPTS
from tools import markdown, roff
from tools.tree import every, root

ROOT = Path(__file__).parents[1]
FOLDERS = ("man", "completions", "docs/reference")
COMPLETIONS = {"bash": "mewctl.bash", "zsh": "_mewctl", "fish": "mewctl.fish"}


def artefacts() -> dict[str, str]:
    """Every generated file: its path under the repository and its text."""
    top = root()
    made = {f"completions/{COMPLETIONS[s]}": text for s, text in SCRIPTS.items()}
    for page in every(top):
        made[f"man/{page.name}.1"] = roff.page(top, page)
        made[f"docs/reference/{markdown.file_of(page)}"] = markdown.page(page)
    return made


def present(where: Path = ROOT) -> dict[str, str]:
    """The files that are in the folders now."""
    return {
        path.relative_to(where).as_posix(): path.read_text(encoding="utf-8")
        for folder in FOLDERS
        for path in sorted((where / folder).glob("*"))
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
