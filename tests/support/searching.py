"""Stores of made-up notes, as files, and what a search of them finds."""

from __future__ import annotations

import os
from pathlib import Path

from mewctl.memory.frontmatter import whole
from mewctl.memory.search import Wish, search
from mewctl.memory.store import Store

#: A moment long after any file was written: every file has settled.
LATER = 2**33


def store_at(root: Path, level: str = "project") -> Store:
    """The store of a project, made if it is not there."""
    directory = root / ".mewcode" / "memory"
    directory.mkdir(parents=True, exist_ok=True)
    return Store(str(directory), level)


def put(store: Store, name: str, title: str, body: str = "", **fields: object) -> Path:
    """A note's file, called ``name`` after its type."""
    kind = str(fields.pop("type", "project_knowledge"))
    path = Path(store.directory) / f"{kind}_{name}.md"
    values = {"id": f"id-{name}", "type": kind, "title": title, **fields}
    path.write_text(whole(values, f"{body}\n"), encoding="utf-8")
    return path


def found(*stores: Store, asked: str, now: float = LATER, **wish: object) -> list[str]:
    """The slugs of the notes that a question finds, the best first."""
    hits = search(stores, asked, Wish(**wish), now).hits
    return [hit.note.file.removesuffix(".md").split("_")[-1] for hit in hits]


def cache_of(store: Store) -> Path:
    """Where the cache of a store is."""
    return Path(store.directory).parent / "cache" / "memory-search.sqlite"


def rewrite(path: Path, text: str) -> None:
    """Change a file in place, as an editor does that keeps the inode."""
    with path.open("r+", encoding="utf-8") as file:
        file.write(text)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
