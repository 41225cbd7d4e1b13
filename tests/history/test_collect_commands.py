from __future__ import annotations

from mewctl import limits
from mewctl.history.collect_commands import Commands, shown_command
from mewctl.history.facts import CommandFact, Failure
from mewctl.history.results import Verdict
from mewctl.history.tools import Action, classify
from mewctl.history.view import Call

PASSED = Verdict("passed", 0)
FAILED = Verdict("failed", 1, ("error: x",))


def run(command: str) -> Action:
    return classify(Call("c", "bash", {"command": command}))


def edit(path: str) -> Action:
    return classify(Call("c", "Edit", {"file_path": path, "new_string": "x"}))


def poll(name: str) -> Action:
    return classify(Call("c", "write_stdin", {"session_id": name}))


def test_a_command_is_listed_once_by_its_last_run() -> None:
    commands = Commands([CommandFact("make", runs=2, outcome="failed", last=1)])
    commands.ended(run("ls"), PASSED, 2)
    commands.ended(run("make"), PASSED, 3)
    commands.ended(run("make"), Verdict("unknown"), 4)
    assert commands.commands() == (
        CommandFact("ls", 1, "passed", 0, 2),
        CommandFact("make", 4, "unknown", None, 4),
    )


def test_a_later_pass_settles_a_failure_and_names_what_changed() -> None:
    commands = Commands()
    commands.changed("/before", 1)
    commands.ended(run("make"), FAILED, 2)
    for n, path in enumerate(["/a", "/b", "/a"], 3):
        commands.changed(path, n)
    commands.ended(run("make"), PASSED, 6)
    commands.changed("/after", 7)
    commands.ended(run("make"), PASSED, 8)
    assert commands.failures() == (
        Failure("make", "bash", 2, 1, ("error: x",), "passed", ("/a", "/b")),
    )


def test_a_later_failure_says_so_and_is_one_of_its_own() -> None:
    commands = Commands()
    commands.ended(run("make"), FAILED, 1)
    commands.ended(run("make"), Verdict("failed", 2, ("error: y",)), 2)
    assert [(f.n, f.later) for f in commands.failures()] == [
        (1, "failed"),
        (2, "not run again"),
    ]
    commands.ended(run("make"), PASSED, 3)
    assert [f.later for f in commands.failures()] == ["passed", "passed"]
    commands.ended(run("make"), FAILED, 4)
    assert [f.later for f in commands.failures()] == ["passed"] * 2 + ["not run again"]


def test_the_same_failure_again_and_again_is_one_the_newest() -> None:
    commands = Commands()
    commands.ended(run("other"), FAILED, 0)
    for n in range(1, 5):
        commands.ended(run("make"), FAILED, n)
        commands.said(f"attempt {n} did not help")
    assert [(f.what, f.n, f.note) for f in commands.failures()] == [
        ("other", 0, "attempt 1 did not help"),
        ("make", 4, "attempt 4 did not help"),
    ]


def test_repetitions_in_one_message_keep_their_notes_apart() -> None:
    commands = Commands()
    commands.ended(run("make"), FAILED, 1)
    commands.ended(run("other"), FAILED, 1)
    commands.ended(run("make"), FAILED, 1)
    commands.said("all broken")
    assert [f.note for f in commands.failures()] == ["all broken"] * 3


def test_a_repetition_before_another_failure_shifts_no_note() -> None:
    commands = Commands()
    commands.ended(run("make"), FAILED, 1)
    commands.went_on()
    commands.ended(run("other"), FAILED, 2)
    commands.ended(run("make"), FAILED, 2)
    commands.said("why")
    assert [(f.what, f.note) for f in commands.failures()] == [
        ("other", "why"),
        ("make", "why"),
    ]


def test_another_filter_settles_nothing_but_none_does() -> None:
    commands = Commands()
    commands.ended(run("make | tail -20"), FAILED, 1)
    commands.ended(run("make | tail -5"), PASSED, 2)
    assert commands.failures()[0].later == "not run again"
    commands.ended(run("make"), PASSED, 3)
    assert commands.failures()[0].later == "passed"


def test_an_unknown_outcome_settles_nothing() -> None:
    commands = Commands()
    commands.ended(run("make"), FAILED, 1)
    commands.ended(run("make"), Verdict("unknown"), 2)
    assert commands.failures()[0].later == "not run again"


def test_a_search_that_found_nothing_is_a_command_but_no_failure() -> None:
    commands = Commands()
    commands.ended(run("grep x a"), Verdict("failed", 1, nothing_found=True), 1)
    assert commands.failures() == ()
    assert commands.commands() == (CommandFact("grep x a", 1, "failed", 1, 1),)


def test_failed_calls_of_other_tools_are_known_by_tool_and_target() -> None:
    commands = Commands([], [Failure("/a", "Edit", 1)])
    commands.ended(edit("/b"), FAILED, 2)
    commands.ended(edit("/a"), PASSED, 3)
    assert [(f.what, f.later) for f in commands.failures()] == [
        ("/a", "passed"),
        ("/b", "not run again"),
    ]
    assert commands.commands() == ()


def test_only_the_next_words_are_the_note() -> None:
    commands = Commands()
    commands.said("nothing failed yet")
    commands.ended(run("make"), FAILED, 1)
    commands.said("The header is missing. " + "And so on. " * 100)
    commands.said("something else")
    commands.ended(run("test"), FAILED, 2)
    commands.went_on()
    commands.said("too late")
    first, second = commands.failures()
    assert first.note.startswith("The header is missing.")
    assert len(first.note) <= limits.FACT_NOTE + 2
    assert second.note == ""


def test_a_running_command_ends_where_it_is_polled_or_notified() -> None:
    commands = Commands()
    commands.ended(run("make"), Verdict("unknown", running="7"), 1)
    commands.ended(run("test"), Verdict("unknown", running="8"), 2)
    commands.ended(poll("7"), Verdict("unknown", running="7"), 3)
    assert [c.outcome for c in commands.commands()] == ["unknown", "unknown"]
    commands.ended(poll("7"), FAILED, 4)
    commands.notified("8", PASSED, 5)
    commands.notified("9", PASSED, 6)
    assert commands.commands() == (
        CommandFact("make", 1, "failed", 1, 4),
        CommandFact("test", 1, "passed", 0, 5),
    )
    assert [(f.what, f.n) for f in commands.failures()] == [("make", 4)]


def test_a_long_command_is_shown_with_its_length() -> None:
    long = "echo " + "x" * 1_000
    assert shown_command("ls") == "ls"
    assert shown_command(long).endswith(" … (+605 characters)")
    assert shown_command(long) != shown_command(long + "x")


def test_commands_are_bounded_and_failed_ones_stay_longer() -> None:
    commands = Commands()
    commands.ended(run("make"), FAILED, 0)
    for n in range(2 * limits.FACT_COMMANDS):
        commands.ended(run(f"ls {n}"), PASSED, n)
    facts = commands.commands()
    assert len(facts) == limits.FACT_COMMANDS
    assert facts[0].command == "make"


def test_failures_are_bounded_and_open_ones_stay_longer() -> None:
    commands = Commands()
    commands.ended(run("open"), FAILED, 0)
    for n in range(2 * limits.FACT_FAILURES):
        commands.ended(run(f"x {n}"), FAILED, n)
        commands.ended(run(f"x {n}"), PASSED, n)
    facts = commands.failures()
    assert len(facts) <= 2 * limits.FACT_FAILURES
    assert facts[0].what == "open"
    commands.ended(run("last"), FAILED, 9)
    commands.said("noted")
    assert commands.failures()[-1].note == "noted"


def test_running_commands_are_bounded() -> None:
    commands = Commands()
    for n in range(limits.PENDING_CALLS + 1):
        commands.ended(run(f"x {n}"), Verdict("unknown", running=str(n)), n)
    commands.ended(poll("0"), PASSED, 9)
    commands.ended(poll("1"), PASSED, 9)
    facts = {fact.command: fact.outcome for fact in commands.commands()}
    assert (facts["x 0"], facts["x 1"]) == ("unknown", "passed")
