"""Rows about sessions: loading a long log, listing many, appending safely."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from functools import partial
from typing import TYPE_CHECKING

from measure import PYTHON, Failed, environment, mewctl, pipe, words
from rows import Bench, Row, at_most, size_words, times

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BARE = [PYTHON, "-c", "pass"]
CLICK = [PYTHON, "-c", "import click"]
PARSE = """
import sys, orjson
for line in open(sys.argv[1], "rb"):
    orjson.loads(line)
"""
TAIL = 7_000_000  # bytes of the log after its last marker
EVERY = 5_000_000  # bytes between two markers
MANY = 10_000  # sessions of a store
NEWEST = 20  # of them are listed
BATCHES = (1, 10, 100, 1000)  # records
APPENDED = 2_000  # records at most, of about 1 kB each
ROUNDS_LEAST = 20  # batches that are timed


def load(bench: Bench) -> list[Row]:
    """The history behind the last marker of a long log."""
    log = _log(bench)
    ours = mewctl("session", "load", str(log.parent), "-q")
    parse = [PYTHON, "-c", PARSE, str(log)]
    timing = bench.time(
        {"ours": pipe(ours), "bare": pipe(BARE, empty=True), "parse": pipe(parse)}
    )
    what = f"session load, a log of {size_words(log.stat().st_size)}"
    shown = words(ours), words(BARE)
    first = at_most(timing, "ours", "bare", 6, Row(what, "", commands=shown))
    ratio = timing.ratio("parse", "ours")
    fast = Row(
        f"{what}, times as fast as parsing it",
        times(ratio),
        "≥ 20×",
        ratio >= 20,
        commands=(words(ours), words(parse)),
    )
    return [first, fast]


def _log(bench: Bench) -> Path:
    """A log with a marker every few megabytes, the last one a bit before its end."""
    path = bench.data / f"session-{bench.size}" / "conversation.jsonl"
    if path.exists():
        return path
    path.parent.mkdir(parents=True)
    path.parent.chmod(0o700)
    rng = random.Random(1)
    written = last = number = 0
    with path.open("wb") as file:
        while written < bench.size:
            data = b"".join(_turn(number, rng))
            number += 1
            if written - last > EVERY and bench.size - written > TAIL:
                data = _marker() + data
                last = written
            file.write(data)
            written += len(data)
    path.chmod(0o600)
    return path


def _line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _marker() -> bytes:
    marker = {"type": "compact", "ts": 1, "reason": "auto", "messages": 1}
    return _line(marker) + _line({"role": "user", "content": "a summary", "ts": 1})


def _turn(number: int, rng: random.Random) -> Iterator[bytes]:
    """A turn with traps: what looks like a marker inside a message."""
    text = "word " * rng.randint(10, 200)
    given = {"type": "compact"} if number % 50 == 0 else {"command": "ls"}
    call = {"id": f"c{number}", "name": "bash", "input": given}
    body = 'a "compact" line\n{"type":"compact"}\n' * rng.randint(5, 100)
    result = {"tool_call_id": call["id"], "content": body, "is_error": False}
    yield _line({"role": "user", "content": f"do {text}", "ts": number})
    yield _line({"role": "assistant", "content": text, "tool_calls": [call]})
    yield _line({"role": "tool", "content": "", "tool_results": [result]})
    yield _line({"role": "assistant", "content": text, "ts": number})


# --- listing ---


def list_newest(bench: Bench) -> list[Row]:
    """The newest of many sessions."""
    count = min(MANY, max(NEWEST, bench.size // 1000))
    root = _store(bench.data, count)
    ours = mewctl("session", "list", "-q", "--root", str(root))
    form = r"%T@ %s %p\n"
    find = ["find", str(root), "-name", "conversation.jsonl", "-printf", form]
    timing = bench.time({"ours": pipe(ours), "click": pipe(CLICK), "find": pipe(find)})
    own = timing.seconds["ours"] - timing.seconds["click"]
    ratio = own / timing.seconds["find"]
    row = Row(
        f"session list, the newest {NEWEST} of {count}",
        times(max(0.0, ratio)),
        "≤ 0.6×",
        ratio <= 0.6,
        "`find -printf` = 1; interpreter and click taken off",
        (words(ours), words(find)),
    )
    return [row]


def _store(data: Path, count: int) -> Path:
    root = data / f"store-{count}"
    sessions = root / ".mewcode" / "sessions"
    if sessions.exists():
        return root
    rng = random.Random(1)
    for number in range(count):
        directory = sessions / f"20261201-{number:06}-{number:04x}"
        directory.mkdir(parents=True)
        log = directory / "conversation.jsonl"
        log.write_bytes(b"".join(_turn(number, rng)))
        os.utime(log, (number, number))
    return root


# --- appending ---


def append(bench: Bench) -> list[Row]:
    """Acknowledged batches, beside a bare loop of write and fsync."""
    rows = []
    for batch in BATCHES:
        rounds = max(ROUNDS_LEAST, min(APPENDED, bench.size // 1000) // batch)
        path = bench.data / f"append-{batch}"  # on a disk: memory has nothing to sync
        ours = partial(_append, path, batch, rounds)
        bare = partial(_bare, path, batch, rounds)
        timing = bench.time({"ours": ours, "bare": bare})
        ratio = timing.ratio("bare", "ours")
        rows.append(
            Row(
                f"session append, batches of {batch}",
                times(ratio),
                "≥ 0.9×",
                ratio >= 0.9,
                "write and fsync in a loop = 1; start-up taken off",
            )
        )
    return rows


def _data(batch: int) -> bytes:
    return _line({"role": "user", "content": "x" * 1000, "ts": 1}) * batch


def _append(directory: Path, batch: int, rounds: int) -> float:
    """Seconds in which ``rounds`` batches were acknowledged, one after another."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    (directory / "conversation.jsonl").write_bytes(b"")
    command = mewctl("session", "append", str(directory))
    child = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    )
    assert child.stdin is not None
    assert child.stdout is not None
    data = _data(batch)
    start = 0.0
    for number in range(rounds + 1):
        child.stdin.write(data)
        child.stdin.flush()
        left = batch
        while left > 0:  # a pipe may part a batch
            line = child.stdout.readline()
            if not line:
                raise Failed(f"{words(command)}: ended early")
            left -= json.loads(line)["records"]
        start = start if number else time.perf_counter()
    spent = time.perf_counter() - start
    child.stdin.close()
    child.stdout.close()
    if child.wait():
        raise Failed(f"{words(command)}: exit code {child.returncode}")
    return spent


def _bare(directory: Path, batch: int, rounds: int) -> float:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    data = _data(batch)
    fd = os.open(directory / "bare", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    start = time.perf_counter()
    for _ in range(rounds):
        os.write(fd, data)
        os.fsync(fd)
    spent = time.perf_counter() - start
    os.close(fd)
    return spent


ROWS = {
    "session-load": load,
    "session-list": list_newest,
    "session-append": append,
}
