"""The rows of the table: what is run beside what, and the target each is held to.

Each function measures one subject and returns its rows. Targets are ratios (or sizes)
of the contract; a row that is only there to explain another has none.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import compact_speed
import facts_kept
import made
import tokens_error
import tokens_speed
from measure import (
    PYTHON,
    Command,
    Contender,
    Failed,
    Timing,
    emptied,
    fresh,
    mewctl,
    peak,
    pipe,
    side_by_side,
    words,
)

BARE = [PYTHON, "-c", "pass"]
CAT = ["cat"]
STREAMED = 10**9  # bytes that pass the filter where one file is given several times
COMPACTED = 50_000_000
ERROR_PIECES = 12  # chunks of each file that the tokenizers count
LOOP = """
import sys, orjson
for line in open(sys.argv[1], "rb"):
    orjson.loads(line)
"""
READ = """
import sys
from mewctl.commands.reading import Reading, Wish
for _ in Reading(sys.argv[1:], Wish()):
    pass
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. ``met`` is None where there is no target to meet."""

    what: str
    measured: str
    target: str = "–"
    met: bool | None = None
    note: str = ""
    commands: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """In one word."""
        if self.measured == "–":
            return "skipped"
        return {None: "–", True: "met", False: "missed"}[self.met]


@dataclass(frozen=True, slots=True)
class Bench:
    """What the rows work with. ``size`` in bytes; ``scratch`` for spilled bodies."""

    size: int
    rounds: int
    data: Path
    scratch: Path
    transcripts: list[Path] = field(default_factory=facts_kept.default_transcripts)

    def history(self, form: str, *, large: bool, size: int = 0) -> Path:
        """A made-up history; ``large``: with results over the limits of spill."""
        return made.history(self.data, form, size or self.size, large=large)

    @property
    def part(self) -> int:
        """The size of what is held in memory as a whole, in bytes."""
        return min(COMPACTED, self.size // 4)

    def transcript(self, kind: str) -> Path:
        """A look-alike made of the sources of Python's library."""
        path = self.data / f"library-{kind}-{self.part}.jsonl"
        if not path.exists():
            self.data.mkdir(parents=True, exist_ok=True)
            write = {"claude-code": compact_speed.claude_code, "mew": compact_speed.mew}
            write[kind](path, self.part)
        return path

    def time(self, contenders: dict[str, Contender]) -> Timing:
        """Medians over this run's rounds."""
        return side_by_side(contenders, self.rounds)


# --- start-up ---


def startup(bench: Bench) -> list[Row]:
    """What a command costs before it does anything."""
    state = ("-d", str(bench.scratch / "never-made"))
    commands = {"--version": mewctl("--version"), "spill": mewctl("spill", *state)}
    timing = bench.time(
        {"bare": pipe(BARE, empty=True)}
        | {name: pipe(command, empty=True) for name, command in commands.items()}
    )
    return [
        _at_most(timing, name, "bare", 5, what, words(commands[name]), words(BARE))
        for name, what in (
            ("--version", "`mewctl --version`, bare interpreter = 1"),
            ("spill", "`mewctl spill` of an empty input, bare interpreter = 1"),
        )
    ]


# --- spill ---


def spill_small(bench: Bench) -> list[Row]:
    """A history with nothing over the limits goes by."""
    rows = []
    for form in made.FORMATS:
        path = str(bench.history(form, large=False))
        files = [path] * max(1, STREAMED // bench.size)
        peer = (["cat", *files], CAT)

        def ours(state: str, files: list[str] = files) -> tuple[Command, ...]:
            return mewctl("spill", "-q", "-d", state, *files), CAT

        timing = bench.time({"ours": fresh(ours, bench.scratch), "cat": pipe(*peer)})
        what = f"spill, nothing over the limits, {form}, `cat F | cat` = 1"
        shown = words(*ours("DIR", [_name(path)])), words(["cat", _name(path)], CAT)
        note = _through(bench, len(files))
        rows.append(_at_most(timing, "ours", "cat", 1.6, what, *shown, note=note))
    return rows


def spill_large(bench: Bench) -> list[Row]:
    """43 % of the bytes leave the history."""
    path = str(bench.history("mew", large=True))

    def ours(state: str) -> tuple[Command, ...]:
        return mewctl("spill", "-q", "-d", state, path), CAT

    contender = fresh(ours, bench.scratch)
    timing = bench.time({"ours": contender, "cat": pipe(["cat", path], CAT)})
    shown = words(*_named(ours("DIR"), path))
    note = "bodies to " + ("tmpfs" if bench.scratch.is_relative_to("/dev/shm") else "disk")
    what = "spill, 43 % of the bytes offloaded, mew"
    peer = words(["cat", _name(path)], CAT)
    row = _at_most(
        timing, "ours", "cat", 3.5, f"{what}, `cat F \\| cat` = 1", shown, peer, note=note
    )
    return [row, _beside_jq(bench, contender, path, what, shown)]


def _beside_jq(
    bench: Bench, ours: Contender, path: str, what: str, shown: str
) -> Row:
    what, target = f"{what}, times as fast as `jq -c .`", "≥ 12"
    if shutil.which("jq") is None:
        return Row(what, "–", target, note="jq is not installed")
    jq = ["jq", "-c", ".", path], CAT
    timing = bench.time({"jq": pipe(*jq), "ours": ours})
    ratio = timing.ratio("jq", "ours")
    commands = shown, words(*_named(jq, path))
    return Row(
        what, _times(ratio), target, ratio >= 12, _medians(timing, bench), commands
    )


# --- commands that read every record ---


def reading(bench: Bench) -> list[Row]:
    """Reading alone: detection, JSON, and a view of each record."""
    rows = []
    for form in made.FORMATS:
        path = str(bench.history(form, large=True))
        commands = {
            "ours": [PYTHON, "-c", READ, path],
            "loop": [PYTHON, "-c", LOOP, path],
        }
        timing = bench.time({name: pipe(c, CAT) for name, c in commands.items()})
        what = f"reading of repair, tokens, convert, {form}, orjson.loads loop = 1"
        shown = (words(*_named((command,), path)) for command in commands.values())
        rows.append(_at_most(timing, "ours", "loop", 1.3, what, *shown))
    return rows


def whole_commands(bench: Bench) -> list[Row]:
    """The commands themselves, with the work they do beside reading."""
    path = str(bench.history("mew", large=True))
    commands = {
        "tokens": mewctl("tokens", path),
        "repair": mewctl("repair", "-q", path),
        "convert": mewctl("convert", "-q", "--to", "anthropic", path),
    }
    loop = pipe([PYTHON, "-c", LOOP, path], CAT)
    timing = bench.time(
        {"loop": loop} | {name: pipe(c, CAT) for name, c in commands.items()}
    )
    return [
        Row(
            f"`mewctl {name}`, the whole command, orjson.loads loop = 1",
            _times(timing.ratio(name, "loop")),
            note=_medians(timing, bench),
            commands=(words(*_named((command,), path)),),
        )
        for name, command in commands.items()
    ]


def compact(bench: Bench) -> list[Row]:
    """A big history compacted without a model."""
    rows = []
    for kind in ("claude-code", "mew"):
        path = str(bench.transcript(kind))

        def ours(state: str, path: str = path) -> tuple[Command, ...]:
            flags = ("-q", "--trigger", "manual", "--window", "200000", "-d", state)
            return mewctl("compact", *flags, path), CAT

        loop = pipe([PYTHON, "-c", LOOP, path], CAT)
        timing = bench.time({"ours": fresh(ours, bench.scratch), "loop": loop})
        size = _size(Path(path).stat().st_size)
        what = f"compact (offline), {kind}, {size}, orjson.loads loop = 1"
        shown = words(*_named(ours("DIR"), path))
        rows.append(_at_most(timing, "ours", "loop", 8, what, shown))
    return rows


# --- memory ---


def memory_streaming(bench: Bench) -> list[Row]:
    """Commands whose memory does not grow with the input."""
    rows = []
    for size in (bench.size // 10, bench.size):
        path = bench.history("mew", large=True, size=size)
        longest = _longest(path) / 1e6
        with emptied(bench.scratch) as state:
            spill = mewctl("spill", "-q", "-d", state, str(path))
            for name, command in (("spill", spill), ("tokens", _tokens(path))):
                what = f"peak memory of {name}, {_size(size)}"
                shown = words(*_named((command,), str(path), state))
                note = f"longest record {longest:.2f} MB; 30 MB + 8 × it"
                rows.append(_memory(command, 30 + 8 * longest, what, shown, note))
    return rows


def memory_whole(bench: Bench) -> list[Row]:
    """Commands that hold the history."""
    rows = []
    history = bench.history("mew", large=True, size=bench.part)
    transcript = bench.transcript("claude-code")
    with emptied(bench.scratch) as state:
        manual = ("-q", "--trigger", "manual", "--window", "200000", "-d", state)
        for name, path, command in (
            ("compact", transcript, mewctl("compact", *manual, str(transcript))),
            ("repair", history, mewctl("repair", "-q", str(history))),
            ("convert", history, _convert(history)),
            ("convert", transcript, mewctl("convert", "-q", str(transcript))),
        ):
            size = path.stat().st_size / 1e6
            kind = "claude-code" if path == transcript else "mew"
            what = f"peak memory of {name}, {kind}, {_size(path.stat().st_size)}"
            shown = words(*_named((command,), str(path), state))
            note = "30 MB + 3 × the input"
            rows.append(_memory(command, 30 + 3 * size, what, shown, note))
    return rows


def _memory(
    command: Command, limit: float, what: str, shown: str, note: str
) -> Row:
    used = peak(command)
    return Row(what, f"{used:.0f} MB", f"≤ {limit:.0f} MB", used <= limit, note, (shown,))


def _tokens(path: Path) -> Command:
    return mewctl("tokens", str(path))


def _convert(path: Path) -> Command:
    return mewctl("convert", "-q", "--to", "anthropic", str(path))


def _longest(path: Path) -> int:
    with path.open("rb") as file:
        return max(map(len, file))


# --- tokens ---


def estimate(_: Bench) -> list[Row]:
    """How fast the exact estimate of a text is, in this process."""
    lines = tokens_speed.made_lines()
    texts = [text for line in lines for text in tokens_speed.content(line)]
    whole = "\n".join(texts).encode("utf-8", "replace")
    estimator = tokens_speed.Estimator()
    spent = tokens_speed.seconds(lambda: estimator.tokens(whole))
    rate = len(whole) / spent / 1e6
    note = f"{_size(len(whole))} of Python sources, one set of weights, processor time"
    shown = ("python benchmarks/tokens_speed.py",)
    return [
        Row("token estimate", f"{rate:.0f} MB/s", "≥ 120 MB/s", rate >= 120, note, shown)
    ]


def estimate_error(bench: Bench) -> list[Row]:
    """How far the estimate is from real tokenizers, where they are installed."""
    what = "token estimate, error"
    counters = dict(tokens_error.tokenizers())
    if not counters:
        why = "neither bpe-openai nor ctok is installed (`pip install -e '.[bench]'`)"
        return [Row(what, "–", "p90 ≤ 8 %", note=why)]
    files = tokens_error.files_of(tokens_error.default_paths()[0])
    chunks = [
        text
        for path in files
        for text in tokens_error.spread(
            list(tokens_error.chunks_of(path)), min(ERROR_PIECES, bench.size // 10**6)
        )
    ]
    rows = []
    shown = (f"python benchmarks/tokens_error.py --per-file {ERROR_PIECES}",)
    for family, counter in counters.items():
        real = [max(1, counter(text)) for text in chunks]
        for sets, limit in (("centre", 0.08), ("cautious", 0.01)):
            estimator = tokens_error.Estimator(family, sets)
            errors = [
                estimator.text(text) / n - 1
                for text, n in zip(chunks, real, strict=True)
            ]
            sizes = sorted(map(abs, errors))
            share = sum(error < -0.05 for error in errors) / len(errors)
            found = sizes[int(len(sizes) * 0.9)] if sets == "centre" else share
            kind = "p90 of the error" if sets == "centre" else "chunks > 5 % too low"
            held = family != "openai-cl100k"  # the contract names the other three
            rows.append(
                Row(
                    f"token estimate, {family}, {sets} weights: {kind}",
                    f"{found:.1%}",
                    f"≤ {limit:.0%}" if held else "–",
                    found <= limit if held else None,
                    f"{len(chunks)} chunks of 20 kB",
                    shown,
                )
            )
    return rows


# --- facts ---


def facts(bench: Bench) -> list[Row]:
    """What of a dropped span is in the output, or one grep away."""
    kept, used, left_out = facts_kept.over(bench.transcripts)
    note = f"{len(used)} transcripts"
    if left_out:
        note += f"; {len(left_out)} more cannot be read or compacted"
    rows = []
    for kind, count in kept.items():
        whole = facts_kept.part(count.shown + count.found, count).strip()
        shown = facts_kept.part(count.shown, count).strip()
        in_output = kind in ("paths of changed files", "user messages")
        lost = count.lost or (in_output and count.shown < count.all)
        rows.append(
            Row(
                f"facts kept: {count.all} {kind}",
                f"{whole}, in the output {shown}",
                "100 % in the output" if in_output else "100 %",
                not lost,
                note,
                ("python benchmarks/facts_kept.py",),
            )
        )
    return rows


ROWS: dict[str, Callable[[Bench], list[Row]]] = {
    "startup": startup,
    "spill-small": spill_small,
    "spill-large": spill_large,
    "reading": reading,
    "whole-commands": whole_commands,
    "compact": compact,
    "memory-streaming": memory_streaming,
    "memory-whole": memory_whole,
    "estimate": estimate,
    "estimate-error": estimate_error,
    "facts": facts,
}


def measured(name: str, bench: Bench) -> list[Row]:
    """The rows called ``name``; one that says why, where a command failed."""
    try:
        return ROWS[name](bench)
    except Failed as error:
        return [Row(name, "failed", met=False, note=str(error))]


# --- words for numbers ---


def _at_most(
    timing: Timing, one: str, other: str, limit: float, what: str, *shown: str, note: str = ""
) -> Row:
    ratio = timing.ratio(one, other)
    return Row(what, _times(ratio), f"≤ {limit:g}×", ratio <= limit, note, shown)


def _times(ratio: float) -> str:
    return f"{ratio:.2f}×" if ratio < 10 else f"{ratio:.1f}×"


def _medians(timing: Timing, bench: Bench) -> str:
    return f"median of {timing.rounds}" if timing.rounds < bench.rounds else ""


def _through(bench: Bench, files: int) -> str:
    return f"{_size(bench.size)} given {files} times" if files > 1 else ""


def _size(number: int) -> str:
    if number >= 10**9:
        return f"{number / 1e9:.1f} GB"
    return f"{number / 1e6:.0f} MB" if number >= 10**6 else f"{number / 1e3:.0f} kB"


def _name(path: str) -> str:
    return Path(path).name


def _named(
    commands: tuple[Command, ...], path: str, state: str = ""
) -> tuple[Command, ...]:
    """Commands as they are shown: a file by its name, a made-up directory as DIR."""
    short = {path: _name(path), state: "DIR"}
    return tuple(
        [short.get(word, _program(word)) for word in command] for command in commands
    )


def _program(word: str) -> str:
    return "mewctl" if word.endswith("/bin/mewctl") else word
