"""The provider command: any program, whatever it does, bounded and understood."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from mewctl import limits
from mewctl.errors import CannotFit, ProviderRefused, ProviderUnavailable
from mewctl.history.facts import Facts
from mewctl.providers.command import Command, Settings, environment
from mewctl.providers.protocol import Limits, Prompt, SummaryRequest

ENV = {"PATH": os.environ["PATH"]}


def ask(code: str, *, timeout=20.0, prompt="Sum up."):
    """The answer of a Python program, or of ``argv`` given as a list."""
    argv = (sys.executable, "-c", code)
    provider = Command(Settings(argv, ENV, timeout))
    made = Prompt("Be brief.", prompt)
    return provider.write(SummaryRequest(Facts(), "en", Limits(1, 1), len, prompt=made))


def test_the_prompt_is_on_stdin_and_the_answer_on_stdout():
    prose = ask("import sys; print(sys.stdin.read().upper())")
    assert prose.answer == "BE BRIEF.\n\nSUM UP.\n"
    assert (prose.provider, prose.stop) == ("command", "unknown")


def test_a_large_prompt_and_a_large_answer_pass_each_other():
    size = 2_000_000
    prose = ask("import sys\nfor l in sys.stdin: print(l, end='')", prompt="x\n" * size)
    assert len(prose.answer) == len("Be brief.\n\n") + 2 * size


def test_a_program_need_not_read_its_prompt():
    code = "import os; os.close(0); print('done')"
    assert ask(code, prompt="x" * 1_000_000).answer == "done\n"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; sys.exit('no model')", "exit code 1: no model"),
        ("import os; os.kill(os.getpid(), 9)", "ended by signal 9"),
        ("pass", "it printed nothing"),
        ("print(' \\n ')", "it printed nothing"),
        ("import os; os.write(1, b'ok \\xff')", "not UTF-8 at byte 3"),
        ("import sys; print('x', file=sys.stderr); sys.exit(3)", "exit code 3: x"),
        (
            "import sys; sys.stderr.write('a\\x1b[31m\\n\\n'); sys.exit(3)",
            "a\\u{1b}[31m",
        ),
    ],
)
def test_a_failure_is_told_with_its_last_line(code, words):
    with pytest.raises(ProviderRefused) as caught:
        ask(code)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_flood_is_stopped():
    start = time.monotonic()
    with pytest.raises(ProviderRefused, match=f"more than {limits.COMMAND_OUTPUT}"):
        ask("while True: print('y' * 10000)")
    assert time.monotonic() - start < 10


def test_a_flood_of_errors_takes_no_memory_and_no_answer():
    code = "import sys\nfor _ in range(3000): sys.stderr.write('e' * 9999 + '\\n')"
    with pytest.raises(ProviderRefused, match="it printed nothing"):
        ask(code)


@pytest.mark.parametrize(
    "code",
    [
        "import time; time.sleep(60)",
        "import time, os; os.close(0); os.close(1); os.close(2); time.sleep(60)",
        "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)",
    ],
)
def test_a_program_that_hangs_is_ended(code):
    start = time.monotonic()
    with pytest.raises(ProviderUnavailable, match=r"did not end within 0\.5 s"):
        ask(code, timeout=0.5)
    assert time.monotonic() - start < 5


def test_children_are_ended_with_it(tmp_path):
    mark = tmp_path / "pid"
    code = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen(['sleep', '60'])\n"
        f"open({str(mark)!r}, 'w').write(str(p.pid))\n"
        "time.sleep(60)"
    )
    with pytest.raises(ProviderUnavailable):
        ask(code, timeout=1.0)
    assert _is_gone(int(mark.read_text()))


def _is_gone(pid: int) -> bool:
    for _ in range(50):
        status = Path(f"/proc/{pid}/stat")
        try:
            if status.read_text().split()[2] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def test_a_daemon_that_holds_the_pipes_is_not_waited_for():
    code = (
        "import os, time\n"
        "print('the answer', flush=True)\n"
        "if os.fork() == 0:\n"
        "    os.setsid(); time.sleep(20); os._exit(0)"
    )
    start = time.monotonic()
    assert ask(code).answer == "the answer\n"
    assert time.monotonic() - start < 10


def test_one_that_says_too_long_cannot_fit():
    code = "import sys; sys.exit('prompt is too long: 9 tokens > 4 maximum')"
    with pytest.raises(CannotFit):
        ask(code)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("/no/such/program",), "No such file"),
        ((os.devnull,), "Permission denied"),
        (("a\0b",), "null"),
    ],
)
def test_a_program_that_cannot_be_started_is_named(argv, words):
    made = Prompt("a", "b")
    request = SummaryRequest(Facts(), "en", Limits(1, 1), len, prompt=made)
    with pytest.raises(ProviderUnavailable, match=words):
        Command(Settings(argv, ENV)).write(request)


def test_the_time_is_for_all_requests_together():
    argv = (sys.executable, "-c", "import time; time.sleep(0.4); print('x')")
    provider = Command(Settings(argv, ENV, 0.7))
    request = SummaryRequest(Facts(), "en", Limits(1, 1), len, prompt=Prompt("a", "b"))
    assert provider.write(request).answer == "x\n"
    with pytest.raises(ProviderUnavailable):
        provider.write(request)


def test_a_program_gets_a_bare_environment_and_what_was_named():
    whole = {"PATH": "p", "HOME": "h", "SECRET": "s", "MY_KEY": "k", "LD_PRELOAD": "x"}
    assert environment(whole, ["MY_KEY", "NOT_SET"]) == {
        "PATH": "p",
        "HOME": "h",
        "MY_KEY": "k",
    }
