"""What of a dropped span is still to be had after a compaction: a count, no opinion.

    python benchmarks/facts_kept.py [TRANSCRIPT ...]

Each transcript is compacted (``--trigger manual``, offline). From the records that were
dropped this script takes, by itself and from their JSON alone, the user's messages, the
paths and commands of tool calls, and the first line of each error. A fact is kept if
the output holds it, or if one ``mewctl recall --grep`` of its longest line finds it.
Without arguments: the example, and ../shared/data/transcripts where present.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from measure import REPOSITORY, Failed, environment, mewctl

from mewctl.spill.recall import Archive
from mewctl.spill.search import search

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = ("user messages", "paths", "paths of changed files", "commands", "errors")
PATH_KEYS = ("file_path", "path", "notebook_path", "filename", "absolute_path")
COMMAND_KEYS = ("command", "cmd")
CHANGE = re.compile(r"write|edit|replace|create", re.IGNORECASE)
ASKED = 5  # facts of a transcript that a real ``recall --grep`` is run for


@dataclass(slots=True)
class Kept:
    """Counts of one kind of facts: all, those in the output, those one grep finds."""

    all: int = 0
    shown: int = 0
    found: int = 0
    lost: list[str] = field(default_factory=list)

    def add(self, other: Kept) -> None:
        """Count another transcript's as well."""
        self.all += other.all
        self.shown += other.shown
        self.found += other.found
        self.lost += other.lost


def main() -> None:
    """Print a line for each kind, and what was lost."""
    kept, used, left_out = over(list(map(Path, sys.argv[1:])) or default_transcripts())
    print(f"{len(used)} transcripts; left out: {', '.join(left_out) or 'none'}")
    for kind, count in kept.items():
        print(
            f"{kind:24} {count.all:6}  in the output {part(count.shown, count)}"
            f"  by one grep {part(count.found, count)}"
            f"  kept {part(count.shown + count.found, count)}"
        )
        for fact in count.lost[:10]:
            print(f"    lost: {fact[:150]!r}")


def part(some: int, count: Kept) -> str:
    """A share in per cent; never rounded up to all."""
    share = 100 * some / count.all if count.all else 100.0
    return f"{int(share * 10) / 10:5.1f} %"


def default_transcripts() -> list[Path]:
    """The example, and real transcripts beside the repository."""
    shared = REPOSITORY.parent / "shared" / "data" / "transcripts"
    real = sorted(p for p in shared.glob("*/*.json*") if p.parent.name != "malformed")
    return [REPOSITORY / "examples" / "fix-flaky-upload.jsonl", *real]


def over(paths: list[Path]) -> tuple[dict[str, Kept], list[Path], list[str]]:
    """Counts by kind over all transcripts; which were used, and why others were not."""
    whole = {kind: Kept() for kind in KINDS}
    used, left_out = [], []
    for path in paths:
        try:
            one = kept_of(path)
        except Failed as error:
            left_out.append(f"{path.parent.name}/{path.name} ({error})")
            continue
        used.append(path)
        for kind, count in one.items():
            whole[kind].add(count)
    return whole, used, left_out


def kept_of(path: Path) -> dict[str, Kept]:
    """Counts of one transcript. Raises ``Failed`` where nothing could be dropped."""
    with tempfile.TemporaryDirectory() as state:
        where = ("-d", state)
        output = run("compact", "--trigger", "manual", "-q", *where, str(path))
        shown = "\n".join(strings(records(output)))
        boundaries = [
            item["handle"]
            for item in records(run("recall", "--list", *where))
            if item["kind"] == "boundary"
        ]
        dropped = [
            record
            for name in boundaries
            for record in records(run("recall", "--boundary", name, *where))
        ]
        return count(facts(dropped), shown, state)


def count(found: dict[str, set[str]], shown: str, state: str) -> dict[str, Kept]:
    """Which facts are in the output, which a grep finds, and which are lost."""
    missing = {
        kind: {f for f in some if f not in shown} for kind, some in found.items()
    }
    needles = _Needles({longest_line(f) for some in missing.values() for f in some})
    archive = Archive(state, str(Path(state, "dropped")))
    for _ in search(archive, needles, _ignore):  # type: ignore[arg-type]
        pass
    for needle in sorted(needles.found)[:ASKED]:
        run("recall", "--grep", re.escape(needle), "-d", state)
    result = {}
    for kind, some in found.items():
        lost = [f for f in missing[kind] if longest_line(f) not in needles.found]
        shown_count = len(some) - len(missing[kind])
        by_grep = len(missing[kind]) - len(lost)
        result[kind] = Kept(len(some), shown_count, by_grep, lost)
    return result


class _Needles:
    """Many fixed strings as one pattern that never matches, but notes what is there.

    So that one pass over the archive tells what each grep would find.
    """

    def __init__(self, needles: set[str]) -> None:
        self.found: set[str] = set()
        self._left = needles

    def search(self, line: str) -> None:
        """Note the needles in ``line``."""
        here = {needle for needle in self._left if needle in line}
        self.found |= here
        self._left -= here


def _ignore(_: str) -> None:
    pass


# --- facts of records, from their JSON ---


def facts(dropped: list[dict[str, Any]]) -> dict[str, set[str]]:
    """The facts of records in the mew format, by kind."""
    found: dict[str, set[str]] = {kind: set() for kind in KINDS}
    failed = {r["tool_call_id"] for r in results_of(dropped) if r.get("is_error")}
    for record in dropped:
        if record.get("role") == "user" and not record.get("injected"):
            found["user messages"] |= {t for t in texts(record["content"]) if t.strip()}
        for call in record.get("tool_calls") or ():
            given = call["input"] if isinstance(call["input"], dict) else {}
            paths = {given[key] for key in PATH_KEYS if is_path(given.get(key))}
            found["paths"] |= paths
            if CHANGE.search(call["name"]) and call["id"] not in failed:
                found["paths of changed files"] |= paths
            found["commands"] |= set(commands(given))
    for result in results_of(dropped):
        if result.get("is_error"):
            whole = "".join(texts(result["content"]))
            lines = [line.strip() for line in whole.split("\n") if line.strip()]
            found["errors"] |= set(lines[:1])
    return found


def results_of(dropped: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The tool results in records."""
    for record in dropped:
        yield from record.get("tool_results") or ()


def texts(content: object) -> Iterator[str]:
    """The texts of a content: one string, or text blocks."""
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        if block.get("type") == "text":
            yield block["text"]


def commands(given: dict[str, Any]) -> Iterator[str]:
    """The command lines in a call's input."""
    for key in COMMAND_KEYS:
        value = given.get(key)
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            value = value[-1] if value else ""
        if isinstance(value, str) and value.strip():
            yield value.strip()


def is_path(value: object) -> bool:
    """Whether a value of a call looks like a path."""
    return isinstance(value, str) and "/" in value and "\n" not in value


def longest_line(fact: str) -> str:
    """What a reader would search for."""
    return max((line.strip() for line in fact.split("\n")), key=len)


def strings(value: object) -> Iterator[str]:
    """All strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def records(raw: bytes) -> list[dict[str, Any]]:
    """The records in some JSONL."""
    return [json.loads(line) for line in raw.split(b"\n") if line.strip()]


def run(*args: str) -> bytes:
    """The output of one of our commands. Raises ``Failed``."""
    done = subprocess.run(
        mewctl(*args), capture_output=True, env=environment(), check=False
    )
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise Failed(f"{args[0]}: exit {done.returncode}: {words}")
    return done.stdout


if __name__ == "__main__":
    main()
