"""What later commands say of failures that were not run again word for word."""

from __future__ import annotations

from mewctl.compact.items import fact_items
from mewctl.compact.sections import WORDS
from mewctl.compact.since import Later, Since
from mewctl.history.facts import CommandFact, Facts, Failure

FAILED = Failure("go vet ./... && go test ./a", "Bash", 10)


def since(*commands: CommandFact) -> Since:
    return Since(Facts(commands=commands))


def ran(command: str, last: int, outcome: str = "passed") -> CommandFact:
    return CommandFact(command, outcome=outcome, last=last)


def test_the_last_run_of_each_program_after_the_failure_is_told():
    found = since(
        ran("go test ./b", 9),
        ran("go vet ./b", 11),
        ran("go vet ./c", 12),
        ran("go test", 13, "failed"),
    )
    assert found.runs(FAILED) == [
        Later("go vet", "passed", 12),
        Later("go test", "failed", 13),
    ]
    assert not found.all_passed(FAILED)


def test_runs_before_the_failure_say_nothing_of_it():
    found = since(ran("go test ./b", 9), ran("go vet ./b", 10))
    assert found.runs(FAILED) == []
    assert not found.all_passed(FAILED)


def test_a_failed_command_of_several_programs_accuses_none_and_acquits_none():
    found = since(
        ran("go test ./b", 11), ran("go vet . && go test ./c && make", 12, "failed")
    )
    assert found.runs(FAILED) == []


def test_a_passed_command_speaks_for_programs_whose_exit_code_it_has():
    assert since(ran("go vet . && go test", 12)).all_passed(FAILED)
    assert since(ran("go vet . && go test | grep x", 12)).runs(FAILED) == []
    assert since(ran("go vet . && go test", 12, "unknown")).runs(FAILED) == []


def test_an_interpreter_of_any_text_says_nothing():
    failed = Failure("python3 -c 1", "Bash", 1)
    found = since(ran("python3 -c 2", 2))
    assert found.runs(failed) == []
    assert not found.all_passed(failed)


def test_a_failure_says_how_its_programs_ended_since():
    facts = Facts(failures=(FAILED,), commands=(ran("go test -v", 12),))
    for lang, told in (
        ("en", "  in other commands since then: `go test` passed (message 12)"),
        ("zh", "  此后在其他命令中：`go test` 通过 (消息 12)"),
    ):
        (item, *_) = fact_items(facts, WORDS[lang], follows=False)
        assert [piece.forms for piece in item.details] == [(told,)]
    settled = Facts(
        failures=(Failure(FAILED.what, "Bash", 10, later="passed"),),
        commands=facts.commands,
    )
    assert not fact_items(settled, WORDS["en"], follows=False)[0].details
