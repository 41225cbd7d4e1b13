"""How fast the exact token estimate is, beside a loop that only parses JSON.

    python benchmarks/tokens_speed.py [FILE ...]

FILEs are JSONL; without any, messages made of Python's own library. Prints MB/s (median
of five, processor time) and the ratio to the time of an ``orjson.loads`` loop over the
same bytes. Target: >= 120 MB/s with one set of weights.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

import orjson

from mewctl.history.formats import mew
from mewctl.streams.jsonvalue import loads
from mewctl.tokens.estimator import Estimator
from mewctl.tokens.report import Tally

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 5
MADE = 16_000_000  # bytes of made messages
PIECE = 2_000  # characters of one made message
SHORTEST = 80  # characters; shorter strings are names and ids


def main() -> None:
    """Print one line for each way of going through the bytes."""
    lines = given_lines(sys.argv[1:]) if sys.argv[1:] else made_lines()
    size = sum(map(len, lines))
    texts = [text for line in lines for text in content(line)]
    text_size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    whole = "\n".join(texts).encode("utf-8", "replace")
    one, both = Estimator(), Estimator(sets="both")
    print(f"{len(lines)} records, {size / 1e6:.1f} MB; texts {text_size / 1e6:.1f} MB")
    base = seconds(lambda: parse(lines))
    show("orjson.loads of each record", base, size, base)
    for name, estimator in (("one set", one), ("both sets", both)):
        spent = seconds(lambda e=estimator: e.tokens(whole))
        show(f"estimate, {name}, one text", spent, len(whole), base)
        spent = seconds(lambda e=estimator: weigh(texts, e))
        show(f"estimate, {name}, each text", spent, text_size, base)
    if not sys.argv[1:]:
        spent = seconds(lambda: tally(lines, both))
        show("read and report, both sets", spent, size, base)


def show(name: str, spent: float, size: int, base: float) -> None:
    """One line of the table."""
    print(f"{name:32} {size / spent / 1e6:8.0f} MB/s   {spent / base:5.2f} x orjson")


def seconds(work: Callable[[], object], rounds: int = RUNS) -> float:
    """Median processor time of ``work``."""
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return statistics.median(spent)


def parse(lines: list[bytes]) -> None:
    """The floor: parse and forget."""
    for line in lines:
        orjson.loads(line)


def weigh(texts: list[str], estimator: Estimator) -> float:
    """Each text by itself, as the messages of a history come."""
    return sum(estimator.tokens(text).shown for text in texts)


def tally(lines: list[bytes], estimator: Estimator) -> Tally:
    """What ``mewctl tokens`` does with records of the mew format."""
    found = Tally(estimator)
    for line in lines:
        found.add(mew.view(loads(line)), len(line))
    return found


def content(line: bytes) -> list[str]:
    """The longer strings of a record."""
    found, waiting = [], [orjson.loads(line)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found += [value] if len(value) >= SHORTEST else []
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return found


def given_lines(paths: list[str]) -> list[bytes]:
    """The records of files that orjson can parse."""
    found = []
    for path in paths:
        for line in Path(path).read_bytes().split(b"\n"):
            try:
                orjson.loads(line)
            except ValueError:
                continue
            found.append(line)
    return found


def made_lines() -> list[bytes]:
    """Messages in the mew format, made of the sources of Python's library."""
    found: list[bytes] = []
    size = 0
    for path in sorted(Path(statistics.__file__).parent.glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        for start in range(0, len(text), PIECE):
            role = "user" if len(found) % 2 else "assistant"
            message = {"role": role, "content": text[start : start + PIECE]}
            found.append(json.dumps(message, ensure_ascii=False).encode())
            size += len(found[-1])
            if size >= MADE:
                return found
    return found


if __name__ == "__main__":
    main()
