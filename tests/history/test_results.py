from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mewctl import limits
from mewctl.history.results import (
    Verdict,
    exit_code,
    judge,
    notified,
    output,
    shown_text,
)
from mewctl.history.tools import Action, classify
from mewctl.history.view import Call


def run(command: str) -> Action:
    return classify(Call("c", "bash", {"command": command}))


READ = classify(Call("c", "Read", {"file_path": "/a"}))
EDIT = classify(Call("c", "Edit", {"file_path": "/a", "new_string": "x"}))
POLL = classify(Call("c", "write_stdin", {"session_id": 7}))


def codex(code: object, body: str) -> str:
    return json.dumps({"output": body, "metadata": {"exit_code": code, "d": 0.1}})


def unified(state: str, body: str) -> str:
    return (
        f"Command: /bin/zsh -lc 'x'\nChunk ID: a1\nWall time: 0.1 seconds\n"
        f"Process {state}\nOriginal token count: 3\nOutput:\n{body}"
    )


def gemini(body: str, error: str = "(none)", code: object = 0) -> str:
    return (
        f"Command: x\nDirectory: (root)\nOutput: {body}\nError: {error}\n"
        f"Exit Code: {code}\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 1"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Exit code 2\nboom", 2),
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nfine", 0),
        (codex(0, "ok"), 0),
        (codex(3, "bad"), 3),
        (codex(None, "ok"), None),
        (unified("exited with code 1", "x"), 1),
        (unified("exited with code -9", "x"), -9),
        ("Chunk ID: a1\nWall time: 0.1 seconds\n", None),
        (gemini("ok"), 0),
        (gemini("bad", code=127), 127),
        ("Output: bad\nExit Code: 1\nProcess Group PGID: 3", 1),
        ("bad\n\n\nCommand exited with code 2", 2),
        ("Command exited with code 1", 1),
        ("bad\n<exited with exit code 1>", 1),
        ("bad\n[Command finished with exit code 4]", 4),
        ("bad\n<shellId: 0 completed with exit code 5>", 5),
        ("bad\n<command with shellId: a1 completed with exit code 5>", 5),
        ("<system>ERROR: Command failed with exit code: 8.</system>bad", 8),
        (
            (
                "bad\n[The command completed with exit code 5.]\n"
                "[Current working directory: /]\n[Python interpreter: /p]"
            ),
            5,
        ),
        ("bad\n[The command completed with exit code 0.]", 0),
        ("<returncode>1</returncode>\n<output>\nbad\n</output>", 1),
        ("<status>completed</status>\n\n<exit_code>3</exit_code>\n\n<stdout>", 3),
        ("bad\n(exit code: 6)", 6),
        ("bad\nExit code: 7\n", 7),
        ("<system>ERROR: Command failed with exit code: 8.</system>", 8),
        ("said Exit code 9 in passing", None),
        ("x\nProcess exited with code 1\n", None),
        ("[a list]", None),
        ("<b>bold</b>", None),
        ("", None),
    ],
)
def test_agents_write_exit_codes_in_their_own_ways(text: str, code: int | None) -> None:
    assert exit_code(text) == (code, "")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (unified("running with session ID 49", ""), "49"),
        ("Command running in background with ID: b2q. Output is being written", "b2q"),
    ],
)
def test_a_command_that_goes_on_has_an_id(text: str, name: str) -> None:
    assert judge(text, run("make"), marked=False) == Verdict("unknown", running=name)


@pytest.mark.parametrize(
    ("command", "text", "marked", "outcome"),
    [
        ("make", "all error free: 0 errors", False, "passed"),
        ("grep -r error .", "a: error one\nb: error two", False, "passed"),
        ("cat log", "FAIL\tpkg\nFAIL", False, "passed"),
        ("make", "FAIL\tpkg\nFAIL", False, "passed"),
        ("make", "", True, "failed"),
        ("make", codex(1, "x"), False, "failed"),
        ("make | tail -3", "FAIL\tpkg\nFAIL", False, "failed"),
        ("make | tail -3", "\x1b[31mFAIL\x1b[0m\tpkg", False, "failed"),
        ("make | tail -3", "ok pkg", False, "passed"),
        ("make | head -3", "ok\nok\nok\nok", False, "unknown"),
        ("make | head -30", "ok", False, "passed"),
        ("make | grep x", "x", False, "unknown"),
        ("make || true", "make: *** [all] Error 2", False, "failed"),
        ("pytest | tail", "=== 1 failed, 2 passed in 0.1s ===", False, "failed"),
        ("mypy . | tail", "Found 3 errors in 1 file", False, "failed"),
        ("tsc | tail", "a.ts(1,2): error TS2345: no", False, "failed"),
        ("python x | tail", "ValueError: bad", False, "failed"),
        ("go vet | tail", "vet: a.go:1:2: x", False, "failed"),
        ("sleep 5", "Command aborted", False, "failed"),
        ("make", "execution error: no such file", False, "failed"),
    ],
)
def test_a_run_has_failed_only_on_evidence(
    command: str, text: str, marked, outcome: str
) -> None:
    assert judge(text, run(command), marked=marked).outcome == outcome


@pytest.mark.parametrize(
    ("action", "text", "outcome"),
    [
        (EDIT, "Error: no such file", "failed"),
        (
            EDIT,
            'Web search results for query: "x"\n\nWeb search error: unavailable\n',
            "failed",
        ),
        (EDIT, "It says:\n\nWeb search error: unavailable", "passed"),
        (EDIT, "The file /a has been updated. Error: is a word in it", "passed"),
        (EDIT, "Error: " + "x" * limits.RESULT_HEAD, "passed"),
        (READ, "Error: no such file", "failed"),
        (READ, "Error: first line\nof a\nfile", "passed"),
        (POLL, unified("exited with code 1", "x"), "failed"),
        (POLL, unified("exited with code 0", "x"), "passed"),
    ],
)
def test_other_tools_say_that_they_failed(
    action: Action, text: str, outcome: str
) -> None:
    assert judge(text, action, marked=False).outcome == outcome


@pytest.mark.parametrize(
    ("command", "text", "nothing"),
    [
        ("grep x a", "Command exited with code 1", True),
        ("cd a && rg x", "Exit code 1", True),
        ("cat a 2>/dev/null", "Exit code 1", True),
        ("grep x a", "grep: a: No such file\n\nCommand exited with code 2", False),
        ("grep x a", "grep: a: denied\nCommand exited with code 1", False),
        ("make", "Exit code 1", False),
    ],
)
def test_a_search_that_finds_nothing_is_told_apart(
    command: str, text: str, nothing
) -> None:
    verdict = judge(text, run(command), marked=True)
    assert verdict.outcome == "failed"
    assert verdict.nothing_found is nothing


def test_what_files_hold_is_no_error_line() -> None:
    text = "Exit code 1\nreturn error\nif failed: raise\n(eval):1: == not found"
    verdict = judge(text, run("cat a; echo ===; cat b"), marked=True)
    assert verdict.lines == ("(eval):1: == not found",)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("plain", "plain"),
        (codex(0, "a\nb"), "a\nb"),
        ('{"output": 7}', '{"output": 7}'),
        ("{not json", "{not json"),
        ("[1]", "[1]"),
        (unified("exited with code 0", "a\nb"), "a\nb"),
        ("Command: x\nno frame", "Command: x\nno frame"),
        (gemini("a\nb"), "a\nb"),
        (gemini("(empty)"), ""),
        (gemini("a", "warned\ntwice"), "a\nwarned\ntwice"),
        ("Output: a\nProcess Group PGID: 3", "a"),
        ("Output: a", "Output: a"),
        ("Directory: /x\nExit Code: 1", "Directory: /x\nExit Code: 1"),
        ("<returncode>0</returncode>\n<output>\na\n</output>", "a"),
        ("<returncode>0</returncode>\n<output>\n</output>", ""),
    ],
)
def test_the_output_is_taken_out_of_its_frame(text: str, body: str) -> None:
    assert output(text) == body


def test_a_spilled_result_is_judged_by_its_preview() -> None:
    text = (
        "[content offloaded] original size: 99 bytes\n[saved to] /x\n[head preview]\n"
        "Exit code 2\nmake: *** [all] Error 2\n[tail preview]\nlast"
    )
    verdict = judge(text, run("make"), marked=True)
    assert verdict.exit_code == 2
    assert "make: *** [all] Error 2" in verdict.lines
    assert shown_text("[content offloaded] and no head") == (
        "[content offloaded] and no head"
    )


@pytest.mark.parametrize(
    ("text", "status", "verdict"),
    [
        (
            'Background command "x" completed (exit code 0)',
            "completed",
            Verdict("passed", 0),
        ),
        ("x failed with exit code 2", "failed", Verdict("failed", 2)),
        ("finished", "completed", Verdict("passed")),
        ("stopped", "failed", Verdict("failed")),
        ("still going", "running", Verdict("unknown")),
    ],
)
def test_a_notification_says_how_it_ended(
    text: str, status: str, verdict: Verdict
) -> None:
    assert notified(text, status) == verdict


@given(st.text(max_size=200), st.booleans())
def test_any_text_has_a_verdict(text: str, marked) -> None:
    for action in (run("make | tail"), READ, EDIT, POLL):
        verdict = judge(text, action, marked=marked)
        assert verdict.outcome == "failed" or not marked
        assert bool(verdict.lines) <= (verdict.outcome == "failed")
