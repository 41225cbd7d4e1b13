"""How far the token estimate is from real tokenizers, in chunks of 20 kB.

    python benchmarks/tokens_error.py [--per-file N] [PATH ...]

PATHs are transcripts (``.json``, ``.jsonl``: the texts in them are taken, each once) or
plain text; without any, ../shared/data/transcripts where present, else Python's own
library. Needs ``pip install bpe-openai ctok`` (MIT both; ctok wants Python 3.12): what
is not installed is left out. Targets: p90 of the centre <= 8 %, cautious more than 5 %
too low in <= 1 % of chunks.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from mewctl.tokens.estimator import Estimator

CHUNK = 20_000  # characters
SHORTEST = 80  # characters; shorter strings in a transcript are names and ids
#: Keys whose strings no model reads as text, or that repeat what stands elsewhere.
LEFT_OUT = {"data", "signature", "encrypted_content", "toolUseResult", "usage"}
FRAME = {"3.0": 7, "4.8": 6}  # tokens that ctok adds for the message around a text

Count = Callable[[str], int]


def main() -> None:
    """Print one line for each family and set of weights."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--per-file", type=int, default=10**9, metavar="N")
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    given = parser.parse_args()
    counters = dict(tokenizers())
    if not counters:
        sys.exit("no tokenizer to compare with: pip install bpe-openai ctok")
    files = [path for name in given.paths or default_paths() for path in files_of(name)]
    chunks = [
        text for path in files for text in spread(list(chunks_of(path)), given.per_file)
    ]
    if not chunks:
        sys.exit("not enough text for one chunk")
    print(f"{len(chunks)} chunks of {len(files)} files")
    print(f"{'family':22} {'weights':9} {'p50':>6} {'p90':>6} {'median':>7} {'low':>6}")
    for family, count in counters.items():
        real = [max(1, count(text)) for text in chunks]
        for sets in ("centre", "cautious"):
            estimator = Estimator(family, sets)
            errors = [
                estimator.text(text) / n - 1
                for text, n in zip(chunks, real, strict=True)
            ]
            print(f"{family:22} {sets:9} {row(errors)}")


def row(errors: list[float]) -> str:
    """Percentiles of the size of the errors, their median, and how many are < -5 %."""
    sizes = sorted(map(abs, errors))
    middle, high = (sizes[int(len(sizes) * part)] for part in (0.5, 0.9))
    low = sum(error < -0.05 for error in errors) / len(errors)
    median = statistics.median(errors)
    return f"{middle:6.1%} {high:6.1%} {median:+7.1%} {low:6.1%}"


def tokenizers() -> Iterator[tuple[str, Count]]:
    """The tokenizers at hand: family -> tokens of a text."""
    try:
        with warnings.catch_warnings():
            # It reads its data, now, in a way that Python has deprecated.
            warnings.simplefilter("ignore", DeprecationWarning)
            from bpe_openai import get_encoding
    except ImportError:
        print("bpe-openai is not installed", file=sys.stderr)
    else:
        for family, name in (
            ("openai-o200k", "o200k_base"),
            ("openai-cl100k", "cl100k_base"),
        ):
            encoding = get_encoding(name)
            yield family, lambda text, e=encoding: len(e.encode_ordinary(text))
    try:
        import ctok
    except ImportError:
        print("ctok is not installed", file=sys.stderr)
    else:
        for family, version in (
            ("claude-3-to-4.6", "3.0"),
            ("claude-4.7-and-later", "4.8"),
        ):
            yield family, lambda text, v=version: ctok.token_count(text, v) - FRAME[v]


def default_paths() -> list[Path]:
    """Real transcripts beside the repository, else installed text."""
    shared = Path(__file__).parents[2] / "shared" / "data" / "transcripts"
    return [shared] if shared.exists() else [Path(statistics.__file__).parent]


def files_of(path: Path) -> list[Path]:
    """A file, or the text files right under a directory and under its own."""
    if path.is_file():
        return [path]
    found = [*path.glob("*"), *path.glob("*/*")]
    kinds = {".json", ".jsonl", ".py", ".md", ".txt"}
    return sorted(file for file in found if file.suffix in kinds)


def chunks_of(path: Path) -> Iterator[str]:
    """The texts of a file, one after the other, in chunks."""
    raw = path.read_text(encoding="utf-8", errors="replace")
    texts = [raw] if path.suffix not in {".json", ".jsonl"} else texts_of(raw)
    whole = "\n".join(dict.fromkeys(texts))
    whole = whole.encode("utf-8", "replace").decode()  # no lone surrogates
    for start in range(0, len(whole) - CHUNK // 2, CHUNK):
        yield whole[start : start + CHUNK]


def spread(chunks: list[str], most: int) -> list[str]:
    """At most ``most`` of ``chunks``, evenly."""
    step = max(1, -(-len(chunks) // most))
    return chunks[::step]


def texts_of(raw: str) -> list[str]:
    """The longer strings of all JSON values in ``raw``: one value, or one a line."""
    try:
        return list(leaves(json.loads(raw), ""))
    except ValueError:
        found = []
    for line in raw.split("\n"):
        try:
            found += leaves(json.loads(line), "")
        except ValueError:
            continue
    return found


def leaves(value: Any, key: str) -> Iterator[str]:
    """The strings in ``value``, in order."""
    if key in LEFT_OUT:
        return
    if isinstance(value, str):
        if len(value) >= SHORTEST:
            yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, key)


if __name__ == "__main__":
    main()
