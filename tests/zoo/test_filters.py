"""Rows 1 to 33: what a filter meets on its input, and on its output."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.support.processes import PROGRAM

FILTERS = {
    "spill": "spill -q",
    "repair": "repair -q",
    "convert": "convert -q",
    "compact": "compact -q --window 1M",
}
ALL = FILTERS | {"tokens": "tokens -q"}
COMMANDS = [pytest.param(words, id=name) for name, words in FILTERS.items()]
READERS = [pytest.param(words, id=name) for name, words in ALL.items()]

CAREFUL = [*COMMANDS[1:], READERS[-1]]  # who looks at every record

GOOD = b'{"role":"user","content":"say hi"}\n'
LAST = b'{"role":"assistant","content":"hi"}\n'


def message(content: str) -> bytes:
    """A user message whose content is this piece of JSON."""
    return b'{"role":"user","content":' + content.encode() + b"}\n"


@pytest.mark.parametrize("command", READERS)
def test_zoo_001_empty_input(run, command):
    done = run(command)
    assert (done.code, done.err) == (0, "")
    assert bool(done.out) is ("tokens" in command)


def test_zoo_002_a_terminal_and_no_file(environ, work):
    leader, follower = os.openpty()
    with subprocess.Popen(
        [*PROGRAM, "repair"],
        stdin=follower,
        stderr=subprocess.PIPE,
        env=environ,
        cwd=work,
    ) as process:
        os.close(follower)
        assert b"give a FILE or pipe data in" in process.stderr.readline()
        os.write(leader, b"\x04")
        assert process.wait(20) == 0
    os.close(leader)


@pytest.mark.parametrize("command", READERS)
def test_zoo_003_closed_input(shell, command):
    done = shell(f"mewctl {command} <&-")
    assert (done.returncode, done.stdout) == (4, b"")
    assert len(done.stderr.splitlines()) == 1


#: What is accepted: the input, and what a filter makes of it.
ACCEPTED = [
    pytest.param(GOOD + LAST[:-1], GOOD + LAST, id="zoo-004-no-line-end-at-the-end"),
    pytest.param((GOOD + LAST).replace(b"\n", b"\r\n"), GOOD + LAST, id="zoo-005-crlf"),
    pytest.param(
        GOOD.replace(b'{"', b'{\r"') + LAST,
        GOOD.replace(b'{"', b'{\r"') + LAST,
        id="zoo-006-lone-cr-between-tokens",
    ),
    *(
        pytest.param(
            message(f'"a{sign}b"'), message(f'"a{sign}b"'), id=f"zoo-006-{name}"
        )
        for sign, name in (("\u2028", "u2028"), ("\x85", "u0085"), ("\u2029", "u2029"))
    ),
    pytest.param(b"\xef\xbb\xbf" + GOOD, GOOD, id="zoo-007-bom"),
    pytest.param(
        message(r'"a\u0000b"'), message(r'"a\u0000b"'), id="zoo-012-nul-escape"
    ),
    pytest.param(
        message(r'"\ud800"'), message(r'"\ud800"'), id="zoo-013-lone-surrogate"
    ),
    pytest.param(b"\n  \n" + GOOD + b"\t\n\r\n", GOOD, id="zoo-015-blank-lines"),
    pytest.param(
        b'{"role":"user","role":"user","content":"x"}\n',
        b'{"role":"user","role":"user","content":"x"}\n',
        id="zoo-021-duplicate-keys",
    ),
    pytest.param(
        b'{"role":"user","content":"x","future":{"v":[1.50,1e2]},"n":12345678901234567890}\n',
        b'{"role":"user","content":"x","future":{"v":[1.50,1e2]},"n":12345678901234567890}\n',
        id="zoo-033-extra-fields-and-numbers",
    ),
    pytest.param(
        GOOD + b'{"role":"assistant","content":[{"type":"hologram","x":1}]}\n',
        GOOD + b'{"role":"assistant","content":[{"type":"hologram","x":1}]}\n',
        id="zoo-033-unknown-block",
    ),
]


@pytest.mark.parametrize(("data", "expected"), ACCEPTED)
def test_accepted_and_unchanged(run, data, expected):
    done = run("compact -q --window 1M", data)
    assert (done.code, done.out, done.err) == (0, expected, "")
    done = run("spill -q", data)  # it copies what it need not look at
    assert (done.code, done.out.rstrip(b"\n"), done.err) == (0, data.rstrip(b"\n"), "")


@pytest.mark.parametrize(("data", "expected"), ACCEPTED)
@pytest.mark.parametrize("command", ["repair -q", "tokens -q", "convert -q"])
def test_accepted_by_those_that_look_closer(run, command, data, expected):
    done = run(command, data)
    assert (done.code, done.err) == (0, "")
    if (
        command == "repair -q" and b"hologram" not in data
    ):  # which nobody may begin with
        assert done.out == expected


def deep(depth: int) -> bytes:
    return message('"x","y":' + "[" * depth + "]" * depth)


#: What is refused: bytes of a line, and a word of the complaint.
REFUSED = [
    pytest.param(LAST[:20], "JSON", id="zoo-004-torn-at-the-end"),
    pytest.param(b'{"role":"user","content":"\xff"}', "UTF-8", id="zoo-009-not-utf8"),
    pytest.param(
        b"\0" * 300, "300 NUL bytes, likely a power cut", id="zoo-010-nul-run"
    ),
    pytest.param(b'{"role":"user","content":"a\x01b"}', "JSON", id="zoo-011-control"),
    pytest.param(b"42", "not an object but a number", id="zoo-014-number"),
    pytest.param(b'"x"', "not an object but a string", id="zoo-014-string"),
    pytest.param(b"null", "not an object but null", id="zoo-014-null"),
    pytest.param(b"[]", "not an object but an array", id="zoo-014-array"),
    pytest.param(GOOD.strip() + LAST.strip(), "JSON", id="zoo-016-two-glued"),
    pytest.param(b'{"role":"us' + GOOD.strip(), "JSON", id="zoo-017-torn-head"),
    pytest.param(deep(100_000).strip(), "nested too deep", id="zoo-018-deep"),
    pytest.param(b'{"role":"user","content":NaN}', "JSON", id="zoo-020-nan"),
    pytest.param(b'{"role":"user","content":-Infinity}', "JSON", id="zoo-020-infinity"),
]


@pytest.mark.parametrize(("line", "words"), REFUSED)
@pytest.mark.parametrize("command", CAREFUL)
def test_refused_with_its_line_and_place(run, command, line, words):
    done = run(command, GOOD + line + b"\n" + LAST)
    assert done.code == 3
    assert f"stdin:2 (byte {len(GOOD)})" in done.err
    assert words.lower() in done.err.lower()
    assert len(done.err.splitlines()) == 1
    assert done.out in (b"", GOOD)  # what stood before it, if the command streams


@pytest.mark.parametrize(("line", "words"), REFUSED)
def test_what_spill_need_not_look_at_passes_byte_for_byte(run, line, words):
    data = GOOD + line + b"\n" + LAST
    done = run("spill -q", data)
    assert (done.code, done.out, done.err) == (0, data, ""), words


@pytest.mark.parametrize("damage", ["cut", "control", "not-utf8"])
def test_what_spill_has_to_look_at_is_refused_like_by_the_others(run, damage):
    call = b'{"role":"assistant","tool_calls":[{"id":"c","name":"t","input":{}}]}\n'
    body = b"x" * 90_000 + {"control": b"\x01", "not-utf8": b"\xff"}.get(damage, b"")
    result = (
        b'{"role":"tool","tool_results":[{"tool_call_id":"c","content":"%s"}]}' % body
    )
    line = result[:-3] if damage == "cut" else result
    done = run("spill -q", GOOD + call + line + b"\n" + LAST)
    assert (done.code, done.out) == (3, GOOD + call)
    assert "stdin:3" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(("line", "words"), REFUSED)
@pytest.mark.parametrize("command", CAREFUL[:-1])
def test_skipped_if_that_is_asked_for_and_said(run, command, line, words):
    done = run(f"{command} --on-bad skip", GOOD + line + b"\n" + LAST)
    assert (done.code, done.out) == (0, GOOD + LAST)
    assert "skipped stdin:2" in done.err
    assert words.lower() in done.err.lower()


@pytest.mark.parametrize("command", READERS)
def test_zoo_008_utf16(run, command):
    for data in (GOOD.decode().encode("utf-16"), GOOD.decode().encode("utf-16-le")):
        done = run(command, data)
        assert (done.code, done.out) == (3, b"")
        assert "not UTF-8 (looks like UTF-16)" in done.err


@pytest.mark.parametrize("number", ["9" * 5000, "1e999"])
@pytest.mark.parametrize("command", READERS)
def test_zoo_019_020_numbers_beyond_all_bounds(run, command, number):
    data = b'{"role":"user","content":"x","n":' + number.encode() + b"}\n"
    done = run(command, GOOD + data)
    if done.code == 0:
        assert "tokens" in command or done.out == GOOD + data
    else:
        assert done.code == 3
        assert "stdin:2" in done.err


@pytest.mark.parametrize("command", READERS)
def test_zoo_022_a_record_over_the_limit(run, command):
    size = 2000 if "spill" not in command else 2_000_000  # it reads by blocks
    done = run(f"{command} --max-record {size - 1}", GOOD + message(f'"{"x" * size}"'))
    assert done.code == 3
    assert f"more than {size - 1} bytes; raise --max-record" in done.err
    assert "stdin:2" in done.err or "spill" in command  # which counts no short lines


@pytest.mark.parametrize("command", READERS)
def test_zoo_023_a_line_without_end(shell, command):
    limit = "ulimit -v 600000"  # kilobytes
    done = shell(f"{limit}; yes | tr -d '\\n' | mewctl {command} --max-record 20M")
    assert done.returncode not in (0, 70)
    assert b"more than 20000000 bytes" in done.stderr


PEAK = """
import sys
from mewctl.__main__ import main
try:
    main()
except SystemExit:
    pass
lines = open("/proc/self/status").read().splitlines()
sys.stderr.write(next(line for line in lines if line.startswith("VmHWM")).split()[1])
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no /proc here")
@pytest.mark.parametrize("command", ["spill -q", "tokens -q"])
def test_zoo_024_memory_does_not_grow_with_lines(environ, work, command):
    peaks = []  # kilobytes
    for times in (100, 400):
        with open(work / "h", "wb") as stream:
            stream.writelines((GOOD + LAST) * 500 for _ in range(times))
        done = subprocess.run(
            [sys.executable, "-c", PEAK, *command.split(), "h"],
            capture_output=True,
            check=True,
            env=environ,
            cwd=work,
        )
        peaks.append(int(done.stderr))
    assert peaks[1] < peaks[0] + 6_000


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (gzip.compress(GOOD, mtime=0), "gzip"),
        (b"PK\x03\x04rest", "zip"),
        (b"SQLite format 3\0rest", "SQLite"),
        (b"\x89PNG\r\n\x1a\n\0", "PNG"),
    ],
    ids=["gzip", "zip", "sqlite", "png"],
)
@pytest.mark.parametrize("command", READERS)
def test_zoo_025_binary_input(run, command, data, words):
    done = run(command, data)
    assert (done.code, done.out) == (3, b"")
    assert f"binary input ({words}?)" in done.err


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("command", COMMANDS)
def test_zoo_026_one_json_document(run, command, indent):
    messages = [json.loads(GOOD), json.loads(LAST)]
    for value in (messages, {"model": "m", "messages": messages}):
        done = run(command, json.dumps(value, indent=indent).encode())
        assert (done.code, done.records) == (0, messages)


@pytest.mark.parametrize("command", READERS)
def test_zoo_027_the_output_is_the_input(run, project, command):
    (project / "h").write_bytes(GOOD)
    done = run(f"{command} h -o ./h")
    assert done.code == 12
    assert (project / "h").read_bytes() == GOOD


@pytest.mark.parametrize("command", READERS)
def test_zoo_028_closed_output(shell, work, spilling, command):
    done = shell(f"mewctl {command} >&-", spilling)
    assert done.returncode == 5
    for path in work.rglob("*"):
        assert not path.is_file() or b'"role"' not in path.read_bytes()


@pytest.mark.parametrize("command", READERS)
def test_zoo_029_full_output(shell, small, command):
    done = shell(f"mewctl {command} > /dev/full", small)
    assert done.returncode == 5
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", READERS)
def test_zoo_030_the_reader_leaves(shell, command):
    done = shell(f"mewctl {command} | head -c 9 > /dev/null", (GOOD + LAST) * 50_000)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "extra",
    [
        {"LC_ALL": "C"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "POSIX"},
    ],
    ids=["c", "ascii", "posix"],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_zoo_031_locales(mew, environ, command, extra):
    data = message('"größer 漢字 😀"')
    assert mew(*command.split(), data=data, env=environ | extra).stdout == data


@pytest.mark.parametrize("command", READERS)
def test_zoo_032_interrupted_in_the_middle(environ, work, command):
    with subprocess.Popen(
        [sys.executable, "-m", "mewctl", *command.split()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environ,
        cwd=work,
    ) as process:
        process.stdin.write(GOOD + LAST)
        process.stdin.flush()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stdout.read() in (b"", GOOD, GOOD + LAST)
        assert process.stderr.read() == b""


@pytest.mark.parametrize("command", ["spill -q", "repair -q", "tokens -q"])
def test_zoo_033_an_unknown_role_among_known_ones(run, command):
    data = GOOD + b'{"role":"narrator","content":"meanwhile"}\n' + LAST
    done = run(command, data)
    assert (done.code, done.err) == (0, "")
    if command == "spill -q":
        assert done.out == data
