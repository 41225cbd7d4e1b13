"""Outputs of whole commands: never an input, never one file twice, never half."""

from __future__ import annotations

import pytest

TOOLS = b'[{"name":"ls"}]'


def files(work) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in work.iterdir() if p.is_file()}


@pytest.fixture
def project(work, small):
    """Files to read, each with a hard and a symbolic link."""
    for name, data in (("h", small), ("t", TOOLS), ("e", b"prompt is too long")):
        (work / name).write_bytes(data)
        (work / f"{name}.hard").hardlink_to(work / name)
        (work / f"{name}.link").symlink_to(name)
    return work


@pytest.mark.parametrize("spelling", ["{}", "./{}", "{}.hard", "{}.link"])
@pytest.mark.parametrize(
    ("command", "read"),
    [
        ("repair h -o", "h"),
        ("repair --check h -o", "h"),
        ("spill h -o", "h"),
        ("tokens h -o", "h"),
        ("convert h --report", "h"),
        ("compact h --report", "h"),
        ("compact h --check --report", "h"),
        ("compact h --tools t -o", "t"),
        ("compact h --system t --report", "t"),
        ("compact h --trigger emergency --error e -o", "e"),
        ("compact - -o", "h"),
    ],
)
def test_no_output_is_an_input(shell, project, command, read, spelling):
    before = files(project)
    done = shell(f"mewctl {command} {spelling.format(read)} < h")
    assert done.returncode == 12
    assert b"the output is also an input; name another file" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert files(project) == before


@pytest.mark.parametrize("command", ["repair", "spill", "convert", "tokens"])
def test_what_is_appended_to_its_own_input_is_refused(shell, project, command):
    before = files(project)
    done = shell(f"mewctl {command} h >> h")
    assert done.returncode == 12
    assert files(project) == before


@pytest.mark.parametrize("other", ["new", "./new", "h.out", "out.link"])
@pytest.mark.parametrize("command", ["convert", "compact"])
def test_two_outputs_are_two_files(mew, project, command, other):
    (project / "h.out").write_bytes(b"old")
    (project / "out.link").symlink_to("h.out" if other == "h.out" else "new")
    name = "out.link" if other == "h.out" else "new"
    before = files(project)
    done = mew(command, "h", "-o", other, "--report", name)
    assert done.returncode == 2
    assert b"is the output twice; give each a file of its own" in done.stderr
    assert files(project) == before


@pytest.mark.parametrize(
    "args", ["--report -", "--report /dev/stdout", "-o - --report -"]
)
def test_a_report_does_not_get_into_the_data(mew, small, args):
    done = mew("convert", *args.split(), data=small)
    assert (done.returncode, done.stdout) == (2, b"")


def test_a_report_may_be_the_only_thing_on_standard_output(mew, project, small):
    done = mew("convert", "h", "-o", "new", "--report", "-")
    assert done.returncode == 0
    assert done.stdout.startswith(b'{"type":"conversion"')
    assert (project / "new").read_bytes() == small


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_name_of_standard_output_replaces_no_file(shell, work, small, name):
    done = shell(f"echo first > log; mewctl repair -o {name} >> log", small)
    assert done.returncode == 0
    assert (work / "log").read_bytes() == b"first\n" + small
    assert [p.name for p in work.iterdir()] == ["log"]


def test_the_error_output_can_be_the_output(shell, small):
    done = shell("mewctl repair -o /dev/stderr", small)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", small)


@pytest.mark.parametrize(
    "args",
    [
        ("repair", "-o", ""),
        ("repair", ""),
        ("convert", "--report", ""),
        ("compact", "--tools", ""),
        ("spill", "-d", ""),
        ("spill", "-s", ""),
        ("recall", "--list", "--root", ""),
    ],
)
def test_an_empty_name_is_usage(mew, work, args):
    done = mew(*args)
    assert done.returncode == 2
    assert b"'' is no " in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(work.iterdir()) == []


def test_an_empty_variable_is_none_at_all(mew, environ, spilling, work):
    done = mew("spill", data=spilling, env=environ | {"MEWCTL_SESSION": ""})
    assert done.returncode == 0
    assert (work / ".mewcode" / "spill").is_dir()


@pytest.mark.parametrize("args", ["--help", "--version", "help formats", "spill -h"])
def test_help_for_a_closed_output_is_a_storage_error(shell, args):
    done = shell(f"mewctl {args} >&-")
    assert done.returncode == 5
    assert done.stderr.endswith(b"standard output: closed; give data somewhere to go\n")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("args", ["--help", "help formats"])
def test_help_for_a_full_disk_says_where_and_what_to_do(shell, args):
    done = shell(f"mewctl {args} > /dev/full")
    words = b"standard output: No space left on device; free some space and run again\n"
    assert done.stderr.endswith(words)


def test_nothing_for_a_closed_output_is_fine(shell):
    done = shell("mewctl repair < /dev/null >&-")
    assert (done.returncode, done.stderr) == (0, b"")


# --- files of the store, which nobody names as inputs ---


@pytest.mark.parametrize(
    "args", ["-o store/call_big", "--lines 1:2 -o ./store/call_big"]
)
def test_a_body_is_not_replaced_by_what_is_recalled_of_it(mew, work, spilling, args):
    mew("spill", "-d", "store", data=spilling)
    before = (work / "store" / "call_big").read_bytes()
    done = mew("recall", "-d", "store", "call_big", *args.split())
    assert done.returncode == 12
    assert (work / "store" / "call_big").read_bytes() == before


@pytest.mark.parametrize("command", ["spill", "compact", "recall --list"])
def test_the_ledger_is_no_output(mew, work, spilling, command):
    mew("spill", "-d", "store", data=spilling)
    before = (work / "store" / "ledger.jsonl").read_bytes()
    words = [*command.split(), "-d", "store", "-o", "store/ledger.jsonl"]
    done = mew(*words, data=spilling)
    assert done.returncode == 12
    assert (work / "store" / "ledger.jsonl").read_bytes() == before


def test_the_log_of_the_session_is_no_output(mew, work, spilling):
    (work / "s").mkdir()
    (work / "s" / "conversation.jsonl").write_bytes(b"precious")
    for command in ("spill", "compact"):
        done = mew(command, "-s", "s", "-o", "s/conversation.jsonl", data=spilling)
        assert done.returncode == 12
    assert (work / "s" / "conversation.jsonl").read_bytes() == b"precious"
