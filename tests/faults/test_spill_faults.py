"""``mewctl spill`` killed or failing at each of its system calls in turn.

Oracle: what was written out stays true. A preview on stdout has its body and its line
in the ledger, whatever happened next; a later run gives the same output as one that was
never disturbed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from spilling import gone, lines, spill, step, texts, user

from mewctl.history.offloaded import recognise
from mewctl.spill.ledger import Ledger

ROOT = Path(__file__).parents[2]
MOST = 80  # calls of one kind: more means that the sweep does not end
BIG = "a line of output\n" * 4000
DATA = lines(
    user("mew", "hi"),
    *step("mew", [("call_1", BIG), ("call_2", BIG + "2")]),
    *step("mew", [("call_3", BIG + "3")]),
    user("mew", "next"),
)
ENVIRON = {
    "PATH": os.environ.get("PATH", ""),
    "HOME": "/nonexistent",
    "PYTHONPATH": str(ROOT),
    "PYTHONDONTWRITEBYTECODE": "1",
}


def disturbed(place: Path, before: tuple[str, ...]) -> subprocess.CompletedProcess:
    command = [*before, sys.executable, "-m", "mewctl", "spill", "-q", "-d", str(place)]
    return subprocess.run(
        command, input=DATA, env=ENVIRON, capture_output=True, check=False, timeout=60
    )


def tracing() -> str:
    """Why system calls cannot be made to fail here; "" if they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    probe = ["strace", "-qq", "-e", "inject=getppid:error=EIO", "true"]
    done = subprocess.run(probe, capture_output=True, check=False)
    return "" if done.returncode == 0 else f"strace: {done.stderr.decode()[:200]}"


REFUSED = tracing()
pytestmark = pytest.mark.skipif(bool(REFUSED), reason=REFUSED or "-")


def injected(calls: str, what: str, number: int) -> tuple[str, ...]:
    """A command prefix; only the calls in question stop, so that it costs little.

    (A signal is not injected with --seccomp-bpf: strace 6.1.)
    """
    quick = ("--seccomp-bpf",) if what.startswith("error") else ()
    trace = ("-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}")
    return ("strace", *quick, *trace, "-e", f"inject={calls}:{what}:when={number}")


def check_shown(shown: bytes, place: Path) -> None:
    """Every preview that was written out has its body and its decision."""
    whole = shown[: shown.rfind(b"\n") + 1]
    known = Ledger(str(place))
    known.refresh()
    assert not known.damaged
    decided = {entry.file for entry in known.entries()}
    for _, text in texts(whole):
        preview = recognise(text)
        if preview is not None:
            assert Path(preview.path).stat().st_size == preview.size
            assert Path(preview.path).name in decided


@pytest.fixture
def undisturbed(tmp_path):
    """What comes out when nothing happens, for the directory ``spill``."""
    place = tmp_path / "spill"
    done = spill(DATA, place)
    assert done.warnings == []
    assert gone(done.data) == [True] * 3
    shutil.rmtree(place)
    return done.data


def check_after(place: Path, undisturbed: bytes) -> None:
    """A later run, in this process, knows nothing of what happened."""
    after = spill(DATA, place)
    assert after.warnings == []
    assert after.data == undisturbed


@pytest.mark.parametrize("calls", ["write", "fsync", "link,linkat", "mkdir,mkdirat"])
def test_a_kill_at_any_call_loses_nothing_that_was_shown(tmp_path, undisturbed, calls):
    for number in range(1, MOST):
        place = tmp_path / "spill"
        done = disturbed(place, injected(calls, "signal=KILL", number))
        assert undisturbed.startswith(done.stdout[: done.stdout.rfind(b"\n") + 1])
        check_shown(done.stdout, place)
        check_after(place, undisturbed)
        shutil.rmtree(place)
        if done.returncode == 0:
            break
    else:
        pytest.fail("never succeeded")
    assert number > 1


@pytest.mark.parametrize("calls", ["write", "fsync", "link,linkat", "mkdir,mkdirat"])
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
def test_an_error_at_any_call_leaves_originals_or_previews(
    tmp_path, undisturbed, calls, error
):
    originals = DATA.splitlines()
    previews = undisturbed.splitlines()
    for number in range(1, MOST):
        place = tmp_path / "spill"
        done = disturbed(place, injected(calls, f"error={error}", number))
        shown = done.stdout.splitlines()
        check_shown(done.stdout, place)
        assert b"Traceback" not in done.stderr
        if done.returncode == 0:
            for line, original, preview in zip(shown, originals, previews, strict=True):
                assert (
                    line == original or texts(line) == texts(preview) or any(gone(line))
                )
            assert shown == previews or b"stays in the history" in done.stderr
        else:
            assert done.returncode == 5  # standard output itself failed
        check_after(place, undisturbed)
        shutil.rmtree(place, ignore_errors=True)
        if done.stdout == undisturbed and not done.stderr:
            break
    else:
        pytest.fail("never succeeded")
    assert number > 1
