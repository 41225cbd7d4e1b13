# ruff: noqa: INP001 - scripts, not a package
"""The long outputs of the story: test runs whose lines are computed, not kept.

Deterministic: what varies is taken from hashes of its name and number.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS = 60
FAILED = (7, 13, 22, 31, 44, 58)
PART = 64 * 1024
TESTS = (
    "test_upload_in_order",
    "test_upload_out_of_order",
    "test_upload_all_at_once",
    "test_missing_part_is_refused",
    "test_wrong_checksum_is_refused",
    "test_part_can_be_replaced",
    "test_resume_after_disconnect",
    "test_restart_keeps_what_was_received",
)
SLOW = (
    ("RequestHandler.start()", "aiohttp/web_protocol.py:541", "streams.py:248"),
    ("PartStore.write()", "parcelbox/parts.py:78", "parcelbox/uploads.py:101"),
    ("Sweeper._loop()", "parcelbox/sweeper.py:46", "parcelbox/sweeper.py:32"),
    ("ClientRequest.write_bytes()", "aiohttp/client_reqrep.py:636", "tasks.py:410"),
)


def pick(name: str, number: int, below: int) -> int:
    """A number under ``below`` that looks like chance."""
    data = hashlib.sha256(f"{name}/{number}".encode()).digest()
    return int.from_bytes(data[:6], "big") % below


def hexes(name: str, number: int, length: int) -> str:
    """Hexadecimal digits that look like chance."""
    return hashlib.sha256(f"{name}:{number}".encode()).hexdigest()[:length]


def rule(title: str, fill: str = "=", width: int = 80) -> str:
    """A line across the screen with a title in it."""
    return f" {title} ".center(width, fill)


def log_line(level: str, logger: str, place: str, text: str) -> str:
    """A line of a log as pytest shows it."""
    return f"{level:<8} {logger}:{place} {text}"


def access(seed: int, request: str, status: int, size: int) -> str:
    """A line of the access log."""
    second = 10 + pick("second", seed, 49)
    stamp = f"14/Oct/2026:09:{14 + seed % 40:02d}:{second} +0200"
    text = (
        f'127.0.0.1 [{stamp}] "{request} HTTP/1.1" {status} {size} "-" "aiohttp/3.10.5"'
    )
    return log_line("INFO", "aiohttp.access", "web_log.py:214", text)


def slow_task(seed: int, at: int) -> str:
    """A complaint of the event loop about a slow step."""
    what, running, created = SLOW[pick("slow", seed * 31 + at, len(SLOW))]
    took = 100 + pick("took", seed * 31 + at, 400)
    name = f"Task-{200 + seed * 9 + at}"
    text = (
        f"Executing <Task pending name='{name}' coro=<{what} running "
        f"at /home/mira/src/parcelbox/.venv/lib/python3.12/site-packages/{running}> "
        f"wait_for=<Future pending cb=[Task.task_wakeup()]> created at "
        f"/usr/lib/python3.12/asyncio/{created}> took 0.{took} seconds"
    )
    return log_line("WARNING", "asyncio", "base_events.py:1985", text)


def received(seed: int, upload: str, number: int, attempt: int) -> Iterator[str]:
    """The log of one part that arrives."""
    size = PART + 17 * (number - 1)
    temp = f".{number:05d}.{attempt}.tmp"
    parts = ("DEBUG", "parcelbox.parts")
    yield log_line(*parts, "parts.py:70", f"part {number}: receiving into {temp}")
    for at in range(4):
        yield slow_task(seed, number + 10 * at)
    yield log_line(*parts, "parts.py:86", f"part {number}: stored, {size} bytes")
    yield access(seed, f"PUT /uploads/{upload}/parts/{number}", 200, 271)


def failed_round(number: int) -> Iterator[str]:
    """The log of one round in which the client was seen to leave."""
    upload = hexes("upload", number, 16)
    parts = ("DEBUG", "parcelbox.parts")
    text = f"upload {upload}: opened, 5 parts expected"
    yield log_line("INFO", "parcelbox.uploads", "uploads.py:136", text)
    yield access(number, "POST /uploads", 201, 312)
    yield from received(number, upload, 1, 1)
    yield from received(number, upload, 2, 2)
    yield log_line(*parts, "parts.py:70", "part 3: receiving into .00003.3.tmp")
    for at in range(5):
        yield slow_task(number, 50 + at)
    half = (PART + 17 * 2) // 2
    yield log_line(*parts, "parts.py:82", f"part 3: gave up after {half} bytes")
    yield access(number, f"GET /uploads/{upload}", 200, 344)
    yield from received(number, upload, 4, 4)
    yield from received(number, upload, 5, 5)
    text = "part 3: no file although it was received"
    yield log_line("WARNING", "parcelbox.parts", "parts.py:108", text)
    on_disk = sum(PART + 17 * n for n in (0, 1, 3, 4))
    text = (
        f"upload {upload}: checksum mismatch, {on_disk} bytes on disk, "
        f"{on_disk} received"
    )
    yield log_line("WARNING", "parcelbox.uploads", "uploads.py:155", text)
    request = f"POST /uploads/{upload}/complete"
    text = f"POST /uploads/{upload}/complete: 409 the checksum does not match"
    yield log_line("INFO", "parcelbox.app", "app.py:30", text)
    yield access(number, request, 409, 198)


def traceback(number: int, source: str) -> Iterator[str]:
    """One failure of the flaky test, with its log."""
    name = f"test_resume_after_disconnect[{number}-{ROUNDS}]"
    yield rule(name, "_")
    yield ""
    address = "0x7f" + hexes("at", number, 10)
    yield f"client = <aiohttp.test_utils.TestClient object at {address}>"
    yield ""
    lines = source.splitlines()
    start = next(i for i, x in enumerate(lines) if "def test_resume_after" in x)
    end = next(
        i for i, x in enumerate(lines) if i > start and "await answer.text()" in x
    )
    yield from (f"    {line}" if line else "" for line in lines[start:end])
    yield f">   {lines[end]}"
    yield 'E       AssertionError: {"error": "the checksum does not match"}'
    yield "E       assert 409 == 200"
    port = 40000 + number * 113
    yield f"E        +  where 409 = <ClientResponse(http://127.0.0.1:{port}/uploads"
    yield "E           /…/complete) [409 Conflict]>.status"
    yield ""
    yield f"tests/test_upload.py:{end + 1}: AssertionError"
    yield rule("Captured log call", "-")
    yield from failed_round(number)


def flaky(source: str) -> str:
    """Sixty rounds under load, six of which fail; ``source`` is the test file."""
    total = ROUNDS * len(TESTS)
    lines = [
        rule("test session starts"),
        "platform linux -- Python 3.12.5, pytest-8.3.2, pluggy-1.5.0",
        "rootdir: /home/mira/src/parcelbox",
        "configfile: pyproject.toml",
        "plugins: asyncio-0.24.0, aiohttp-1.0.5, repeat-0.9.3",
        f"collecting ... collected {total} items",
        "",
    ]
    for at in range(total):
        test, number = TESTS[at // ROUNDS], at % ROUNDS + 1
        bad = test == "test_resume_after_disconnect" and number in FAILED
        name = f"tests/test_upload.py::{test}[{number}-{ROUNDS}]"
        percent = f"[{(at + 1) * 100 // total:3d}%]"
        lines.append(f"{name} {'FAILED' if bad else 'PASSED':<7}{percent:>12}")
    lines += ["", rule("FAILURES")]
    for number in FAILED:
        lines += traceback(number, source)
    lines.append(rule("slowest 40 durations"))
    for at in range(40):
        test = TESTS[pick("test", at, len(TESTS))]
        lines.append(
            f"{9.8 - at * 0.21:.2f}s call     tests/test_upload.py::{test}"
            f"[{1 + pick('round', at, ROUNDS)}-{ROUNDS}]"
        )
    lines.append(rule("short test summary info"))
    lines += [
        f"FAILED tests/test_upload.py::test_resume_after_disconnect[{n}-{ROUNDS}] - "
        'AssertionError: {"error": "the checksum does not match"}'
        for n in FAILED
    ]
    good = total - len(FAILED)
    lines.append(rule(f"{len(FAILED)} failed, {good} passed in 164.92s (0:02:44)"))
    return "\n".join(lines)


def nightly(_source: str) -> str:
    """Two hundred rounds; one upload is dropped by the sweeper while it runs."""
    total, bad = 2200, 391
    dots = "".join("F" if at == bad else "." for at in range(total))
    rows = [dots[at : at + 72] for at in range(0, total, 72)]
    lines = [
        f"{row:<73}[{min(total, (at + 1) * 72) * 100 // total:3d}%]"
        for at, row in enumerate(rows)
    ]
    upload = hexes("upload", bad, 16)
    error = f'AssertionError: {{"error": "no upload {upload}"}}'
    lines += [
        rule("FAILURES"),
        rule("test_upload_out_of_order[192-200]", "_"),
        "",
        ">       assert answer.status == 200, await answer.text()",
        f"E       {error}",
        "E       assert 404 == 200",
        "",
        "tests/test_upload.py:48: AssertionError",
        rule("Captured log call", "-"),
    ]
    text = f"upload {upload}: opened, 6 parts expected"
    lines.append(log_line("INFO", "parcelbox.uploads", "uploads.py:136", text))
    for number in (4, 1, 6):
        lines += received(bad, upload, number, number)
    lines += [slow_task(bad, at) for at in range(30, 42)]
    text = f"upload {upload}: idle for 2.0 s, dropped"
    lines.append(log_line("INFO", "parcelbox.sweeper", "sweeper.py:68", text))
    lines.append(access(bad, f"PUT /uploads/{upload}/parts/2", 404, 176))
    lines += [
        rule("short test summary info"),
        f"FAILED tests/test_upload.py::test_upload_out_of_order[192-200] - {error}",
        "1 failed, 2199 passed in 431.60s (0:07:11)",
    ]
    return "\n".join(lines)


LOGS = {"flaky": flaky, "nightly": nightly}
