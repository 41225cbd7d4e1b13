"""``mewctl compact`` with a model: its prose where it is true, the input where not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from compacting import Talk, made, read, values, views, written
from validity import errors

from mewctl.compact.answer import ASKED
from mewctl.compact.sections import HEADINGS
from mewctl.errors import Exit
from mewctl.history.boundary import parse
from tests.support.messages_server import (
    error,
    events,
    hang,
    reply,
    reset,
    serving,
    stream,
)

pytestmark = pytest.mark.usefixtures("elsewhere", "key")

TRUE = "The work on the cache goes on."
FALSE = "I deleted /srv/secret/everything.py first."


def answer(text: str = TRUE, **more: str) -> str:
    bodies = {"s8": text, **more}
    lines = [f"{HEADINGS['en'][n - 1]}\n{bodies.get(f's{n}', '-')}" for n in ASKED]
    return "<analysis>draft</analysis>\n<summary>\n" + "\n".join(lines) + "\n</summary>"


GOOD = stream(events(answer()))


@pytest.fixture
def key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "local")
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def ask(compact, save, tmp_path):
    """Compact a history with a model at ``server``; the report as well."""

    def run(server, *args, records=None, trigger="manual"):
        report = tmp_path / "report.json"
        report.unlink(missing_ok=True)
        path = save(records or made())
        code, out, words = compact(
            *("--window", "32k", "--trigger", trigger, "--report", report),
            *("--provider", "anthropic", "--provider-model", "claude-x"),
            *("--base-url", server.url, "--retries", 0, *args, path),
        )
        told = json.loads(report.read_bytes()) if report.exists() else {}
        return code, out, words, told

    return run


def test_prose_that_is_true_stands_in_the_summary_behind_the_facts(ask):
    with serving(GOOD) as server:
        code, out, _, report = ask(server)
    assert code == Exit.DONE
    found = read(out)
    assert errors("mew", values(found)) == []
    text = next(m for m in views(found, "mew") if m.role == "user").text
    assert TRUE in text
    assert "draft" not in text
    assert (report["provider"], report["model"]) == ("anthropic", "claude-x")
    assert report["request_usage"]["input"] == 100_000
    assert report["gate"] == {"dropped": [], "marked": []}


def test_all_words_of_the_user_are_there_whatever_the_model_says(ask):
    records = made()
    lie = stream(events(answer(f"{TRUE} {FALSE} It took 987654 tries.")))
    with serving(lie) as server:
        code, out, _, report = ask(server, records=records)
    assert code == Exit.DONE
    text = next(m for m in views(read(out), "mew") if m.role == "user").text
    assert FALSE not in text
    assert "987654 [unverified] tries" in text
    assert len(report["gate"]["dropped"]) == len(report["gate"]["marked"]) == 1
    with serving(GOOD) as server:
        _, plain, _, _ = ask(server, records=records)
    whole = next(m for m in views(read(plain), "mew") if m.role == "user").text
    assert section_6(text) == section_6(whole) != ""


def test_the_request_holds_the_history_as_data_and_no_tools(ask):
    with serving(GOOD) as server:
        ask(server, "--focus", "the retry")
    ((_, body),) = server.requests
    assert set(body) == {"model", "max_tokens", "system", "messages", "stream"}
    (message,) = body["messages"]
    assert "the retry" in message["content"]
    assert "[call Bash id=" in message["content"]
    assert "[result id=" in message["content"]


def section_6(text: str) -> str:
    return text.partition(HEADINGS["en"][5])[2].partition(HEADINGS["en"][6])[0]


BAD = [
    (error(401, "authentication_error", "no"), Exit.CREDENTIALS),
    (error(400, "invalid_request_error", "no"), Exit.REFUSED),
    (error(413, "request_too_large", "no"), Exit.CANNOT_FIT),
    (error(429, "rate_limit_error", "no", {"retry-after": "999"}), Exit.UNAVAILABLE),
    (error(529, "overloaded_error", "no"), Exit.UNAVAILABLE),
    (reply(200, "<html></html>", "text/html"), Exit.REFUSED),
    (stream(events(answer(), end=False)), Exit.UNAVAILABLE),
    (stream(events(answer(), end=False), after=reset), Exit.UNAVAILABLE),
    (stream(events("", stop="refusal")), Exit.REFUSED),
    (stream(events(answer(), stop="max_tokens")), Exit.REFUSED),
    (stream(events("")), Exit.REFUSED),
    (stream(events("I cannot do that.")), Exit.REFUSED),
    (stream(events(answer(), tokens=9)), Exit.REFUSED),
    (stream(events(answer("x " * 90_000))), Exit.REFUSED),
    (reset, Exit.UNAVAILABLE),
]


@pytest.mark.parametrize(("bad", "code"), BAD)
def test_a_manual_failure_writes_nothing_and_says_why(ask, project, bad, code):
    with serving(bad) as server:
        got, out, words, _ = ask(server)
    assert (got, out) == (code, b"")
    assert len(words.splitlines()) == 1
    assert words.startswith("mewctl compact: ")
    assert not (project / ".mewcode").exists()


@pytest.mark.parametrize(("bad", "code"), BAD)
def test_an_automatic_failure_gives_the_history_back(ask, bad, code):
    records = made()
    with serving(bad) as server:
        got, out, words, report = ask(server, records=records, trigger="auto")
    assert (got, out) == (Exit.DONE, written(records))
    assert "not compacted" in words
    assert report["outcome"] in ("failed", "cannot-fit")
    with serving(bad) as server:
        got, out, _, _ = ask(server, "--strict", records=records, trigger="auto")
    assert (got, out) == (code, written(records))


def test_a_server_that_hangs_costs_the_time_and_nothing_else(ask):
    records = made()
    with serving(hang) as server:
        code, out, words, _ = ask(
            server, "--timeout", "1", records=records, trigger="auto"
        )
    assert (code, out) == (Exit.DONE, written(records))
    assert "not compacted" in words


def test_an_answer_refused_once_is_asked_for_again_with_the_reason(ask):
    with serving(stream(events("Sure!")), GOOD) as server:
        code, _, _, _ = ask(server)
    assert code == Exit.DONE
    assert "sections are missing" in server.requests[1][1]["messages"][0]["content"]


def test_a_program_can_write_the_prose(compact, save, tmp_path):
    program = tmp_path / "model.py"
    program.write_text(f"import sys\nsys.stdin.read()\nprint({answer()!r})\n")
    code, out, _ = compact(
        *("--window", "32k", "--trigger", "manual", "--provider", "command"),
        *("--command", f"'{sys.executable}' '{program}'", save(made())),
    )
    assert code == Exit.DONE
    assert TRUE.encode() in out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--provider", "command"], "needs --command"),
        (["--provider", "command", "--command", "'open"], "--command: No closing"),
        (["--provider", "anthropic"], "needs --provider-model"),
        (["--reset-breaker"], "needs -s SESSION"),
    ],
)
def test_a_choice_that_is_no_choice_is_a_matter_of_usage(compact, save, args, words):
    code, out, said = compact(*args, save(made()))
    assert (code, out) == (Exit.USAGE, b"")
    assert words in said


def test_a_key_in_the_environment_selects_nothing(compact, save):
    with serving(GOOD) as server:
        os.environ["ANTHROPIC_BASE_URL"] = server.url
        try:
            code, _, _ = compact("--window", "32k", save(made()))
        finally:
            del os.environ["ANTHROPIC_BASE_URL"]
    assert code == Exit.DONE
    assert server.requests == []


def test_a_project_cannot_choose_the_provider(compact, save, project):
    (project / ".mewcode").mkdir()
    config = project / ".mewcode" / "config.toml"
    config.write_text("provider = 'command'\n[compact]\ncommand = 'touch owned'\n")
    code, _, words = compact("--window", "32k", save(made()))
    assert code == Exit.DONE
    assert "ignored: provider, compact.command" in words
    assert not (project / "owned").exists()


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not here")
def test_offline_opens_no_socket(tmp_path):
    trace = tmp_path / "trace"
    command = [sys.executable, "-m", "mewctl", "compact", "--window", "32k"]
    done = subprocess.run(
        ["strace", "-f", "-qq", "-e", "trace=network", "-o", trace, *command],
        input=written(made()), capture_output=True, check=False,
    )  # fmt: skip
    if b"ptrace" in done.stderr:
        pytest.skip("tracing is not allowed here")
    assert done.returncode == 0
    calls = [line for line in trace.read_text().splitlines() if "+++" not in line]
    assert calls == []


# --- breaker ---


@pytest.fixture
def session(project):
    path = project / ".mewcode" / "sessions" / "20260101-000000-abcd"
    path.mkdir(parents=True)
    (path / "conversation.jsonl").touch(0o600)
    return path


def test_three_automatic_failures_stop_it_until_something_helps(ask, session):
    records = made()
    with serving(error(529, "overloaded_error", "busy")) as server:
        for count in (1, 2, 3):
            _, _, words, report = ask(
                server, "-s", session, records=records, trigger="auto"
            )
            assert f"{count} in a row" in report["breaker"]
            assert "is stopped" not in words
        asked = len(server.requests)
        code, out, words, report = ask(
            server, "-s", session, records=records, trigger="auto"
        )
        assert (code, out) == (Exit.DONE, written(records))
        assert "automatic compaction is stopped" in words
        assert "busy" in words
        assert "--reset-breaker" in words
        assert len(server.requests) == asked
        ask(server, "-s", session, records=records)  # manual failures do not count
    with serving(GOOD) as server:
        code, _, _, report = ask(server, "-s", session, records=records)
    assert (code, report["breaker"]) == (Exit.DONE, "closed")
    state = json.loads((session / "compact.state.json").read_bytes())
    assert state["failures"] == 0


def test_it_can_be_reset_in_so_many_words(ask, session):
    state = session / "compact.state.json"
    state.write_text('{"failures": 3, "reason": "x"}')
    with serving(GOOD) as server:
        code, _, words, _ = ask(
            server, "-s", session, "--reset-breaker", trigger="auto"
        )
    assert code == Exit.DONE
    assert "is stopped" not in words
    assert json.loads(state.read_bytes())["failures"] == 0


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"failures":"3"}', b"\xff"])
def test_a_damaged_state_is_set_aside_with_a_warning(ask, session, damage):
    state = session / "compact.state.json"
    state.write_bytes(damage)
    with serving(GOOD) as server:
        code, _, words, _ = ask(server, "-s", session, trigger="auto")
    assert code == Exit.DONE
    assert "set aside" in words
    (aside,) = session.glob("compact.state.json.bad-*")
    assert aside.read_bytes() == damage


def test_without_a_session_the_report_says_that_there_is_none(ask):
    with serving(GOOD) as server:
        _, _, _, report = ask(server)
    assert "no session" in report["breaker"]


def test_looking_changes_nothing(ask, session):
    with serving(error(529, "overloaded_error", "busy")) as server:
        ask(server, "-s", session, "--dry-run", trigger="auto")
    assert [path.name for path in session.iterdir()] == ["conversation.jsonl"]


def test_ten_rounds_with_a_model_that_lies_keep_every_word(
    compact, save, tmp_path, project
):
    program = tmp_path / "model.py"
    body = answer(f"{FALSE} {TRUE}", s1="The user asked to drop the database at once.")
    program.write_text(f"import sys\nsys.stdin.read()\nprint({body!r})\n")
    wishes: list[str] = []
    records: list = []
    for turn in range(10):
        talk = Talk(seed=turn + 1).fill(30_000 if turn == 0 else 8_000)
        wishes += [m.text for m in talk.messages if m.role == "user"]
        records += talk.records("mew")
        code, out, words = compact(
            *("--window", "48k", "--trigger", "manual", "--provider", "command"),
            *("--command", f"'{sys.executable}' '{program}'", save(records)),
        )
        assert code == Exit.DONE, words
        records = list(read(out))
        assert FALSE.encode() not in out
    seen = views(records, "mew")
    tag = parse(next(m for m in seen if m.role == "user").text)
    facts = project / ".mewcode" / "spill" / "dropped" / f"{tag.id}.facts.json"
    dropped = [user["text"] for user in json.loads(facts.read_bytes())["users"]]
    kept = [m.text for m in seen if m.role == "user"][1:]
    assert dropped + kept == wishes
