"""``memory propose`` and ``update``: from a conversation to notes."""

from __future__ import annotations

import json
import os
import sys
import time

import pytest

from mewctl.store.lock import locked

TALK = [
    {"role": "user", "content": "Please remember that the deploy host is db-7."},
    {"role": "assistant", "content": "I will."},
]
PLAIN = [
    {"role": "user", "content": "list the files"},
    {"role": "assistant", "content": "a b c"},
]
ITEM = {
    "action": "create",
    "type": "project_knowledge",
    "title": "Host",
    "content": "db-7 is where we deploy",
    "evidence": "the deploy host is db-7",
}


@pytest.fixture
def model(tmp_path):
    """A program that answers with the texts it was given, one after the other."""

    def make(*answers):
        folder = tmp_path / "model"
        folder.mkdir(exist_ok=True)
        for at, answer in enumerate(answers):
            (folder / f"answer-{at}").write_text(answer)
        program = folder / "program.py"
        program.write_text(
            "import pathlib, sys\n"
            f"folder = pathlib.Path({str(folder)!r})\n"
            "asked = len(list(folder.glob('prompt-*')))\n"
            "(folder / f'prompt-{asked}').write_text(sys.stdin.read())\n"
            "print((folder / f'answer-{asked}').read_text())\n"
        )
        return ("--provider", "command", "--command", f"{sys.executable} {program}")

    make.prompts = lambda: [
        p.read_text() for p in sorted((tmp_path / "model").glob("prompt-*"))
    ]
    return make


@pytest.fixture
def session(run):
    """A session with the given records: its id."""

    def make(*records):
        name = run("session", "new").out.strip()
        run("session", "append", name, "-q", data=list(records))
        return name

    return make


def test_propose_prints_actions_and_writes_nothing(memory, store):
    (action,) = memory("propose", data=TALK).records
    assert action["content"] == action["evidence"] == TALK[0]["content"]
    assert (action["source"], action["title"]) == ("user", "The deploy host is db-7")
    assert not store.exists()


def test_update_is_propose_and_apply(memory, store, project, tmp_path):
    proposed = memory("propose", data=TALK).out
    memory("apply", data=proposed.encode())
    by_pipe = {p.name: p.read_text() for p in store.glob("*_*.md")}
    os.rename(project / ".mewcode", tmp_path / "away")
    memory("update", data=TALK)
    at_once = {p.name: p.read_text() for p in store.glob("*_*.md")}

    def timeless(text):
        drop = ("id:", "created:", "updated:")
        return [line for line in text.splitlines() if not line.startswith(drop)]

    assert {n: timeless(t) for n, t in by_pipe.items()} == {
        n: timeless(t) for n, t in at_once.items()
    }


def test_only_the_newest_turns_are_looked_at(memory):
    assert memory("propose", "--turns", "1", data=TALK + PLAIN).records == []
    assert memory("propose", "--turns", "2", data=TALK + PLAIN).records


def test_recalled_notes_and_instructions_are_not_learned_again(memory, add):
    add("Tabs", "Always use tabs.")
    index = memory("index").out
    text = f"<memory>\nAlways use tabs.\n</memory>\n{index}\nhello"
    assert memory("propose", data=[{"role": "user", "content": text}]).records == []
    system = [{"role": "system", "content": "Always use tabs."}, *PLAIN]
    assert memory("propose", data=system).records == []


# --- a session ---


def test_a_session_is_read_from_where_the_last_update_ended(
    memory, run, session, store
):
    name = session(*TALK)
    assert len(memory("update", "-s", name).records) == 1
    state = json.loads((store / "memory.state.json").read_text())
    (offset,) = state["sessions"].values()
    assert offset > 0
    done = memory("update", "-s", name)
    assert (done.out, done.err) == ("", "")
    run("session", "append", name, data=[{"role": "user", "content": "I prefer tabs."}])
    (new,) = memory("update", "-s", name).records
    assert new["about"] == "I prefer tabs"
    assert f"source_session: {name}" in memory("show", new["id"]).out


def test_a_shorter_log_begins_at_its_last_turn(memory, session, store):
    name = session(*TALK, {"role": "user", "content": "I prefer tabs."})
    memory("update", "-s", name)
    state = store / "memory.state.json"
    value = json.loads(state.read_text())
    value["sessions"] = dict.fromkeys(value["sessions"], 10**9)
    state.write_text(json.dumps(value))
    (again,) = memory("update", "-s", name).records
    assert again["about"] == "I prefer tabs"


def test_a_state_that_cannot_be_read_is_set_aside(memory, session, store):
    name = session(*TALK)
    memory("update", "-s", name)
    (store / "memory.state.json").write_bytes(b"\0\0\0")
    assert memory("update", "-s", name).records[0]["result"] == "merged"
    assert list(store.glob("memory.state.json.bad-*"))
    (store / "memory.state.json").write_text('{"version": 99}')
    memory("update", "-s", name, code=6)


# --- when it is due ---


@pytest.mark.parametrize(
    ("records", "due"),
    [
        (TALK, True),
        (PLAIN, False),
        (PLAIN * 4, False),
        (PLAIN * 5, True),
        (PLAIN * 6, False),
        ([*PLAIN * 5, {"role": "user", "content": "and now?"}], False),
        (TALK + PLAIN, False),
    ],
)
def test_it_is_due_at_a_signal_or_every_fifth_turn(memory, model, records, due):
    answer = model("[]")
    memory("update", "--if-due", *answer, data=records)
    assert bool(model.prompts()) is due


def test_turns_of_a_session_count_from_the_last_update(memory, model, session, run):
    name = session(*PLAIN * 5)
    answer = model("[]", "[]")
    for asked, more in ((1, PLAIN * 4), (1, PLAIN), (2, [])):
        memory("update", "-s", name, "--if-due", *answer)
        assert len(model.prompts()) == asked
        if more:
            run("session", "append", name, "-q", data=more)


def test_a_word_of_ones_own_is_a_signal(memory, model):
    answer = model("[]")
    talk = [{"role": "user", "content": "Merke dir das"}, *PLAIN[1:]]
    memory("update", "--if-due", *answer, data=talk)
    assert not model.prompts()
    memory("update", "--if-due", "--signal", "merke", *answer, data=talk)
    assert model.prompts()


# --- in the background ---


def wait_for(store, count):
    log = store / "update.log.jsonl"
    for _ in range(200):
        lines = log.read_text().splitlines() if log.exists() else []
        if len(lines) >= count:
            return [json.loads(line) for line in lines]
        time.sleep(0.05)
    raise AssertionError("nothing was written")


def detached(project, *args):
    import subprocess

    return subprocess.run(
        [sys.executable, "-m", "mewctl", "memory", "update", "--detach", *args],
        cwd=project, capture_output=True, check=False, timeout=60,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_a_detached_update_goes_on_alone_and_says_where(
    memory, session, store, project
):
    name = session(*TALK)
    done = detached(project, "-s", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    first, last = wait_for(store, 2)
    assert (first["event"], last["event"], last["exit"]) == ("started", "done", 0)
    assert json.loads(last["results"][0])["result"] == "applied"
    assert memory("list").records


def test_one_is_in_the_background_at_a_time(session, store, project, memory):
    name = session(*TALK)
    running = store / ".update"
    running.mkdir(parents=True)
    with locked(str(running)):
        assert detached(project, "-s", name).returncode == 0
        time.sleep(1)
    assert not (store / "update.log.jsonl").exists()
    memory("update", "--detach", code=2)


# --- a model ---


def test_a_model_sees_the_index_and_the_messages_as_data(memory, add, model):
    known = add("Tabs", "Tabs, not blanks.")
    memory("update", *model(json.dumps([ITEM])), data=TALK)
    (prompt,) = model.prompts()
    assert f"project {known} - [project_knowledge] [Tabs]" in prompt
    assert "user: Please remember that the deploy host is db-7." in prompt
    assert "db-7 is where we deploy" in memory("show", "host").out


def test_what_a_model_says_of_itself_counts_for_nothing(memory, model):
    sly = ITEM | {"source": "user", "evidence": "", "replace": True}
    memory("update", *model(json.dumps([sly])), data=TALK)
    assert memory("why", "host").records[0]["confidence"] == "low"


def test_evidence_that_nobody_said_is_refused(memory, model):
    made_up = ITEM | {"evidence": "the user loves tabs"}
    answers = model(json.dumps([made_up]), json.dumps([made_up]))
    done = memory("update", *answers, data=TALK, code=1)
    assert done.records[0]["reason"] == "the evidence is not in the messages"
    done = memory("propose", *answers, data=TALK)
    assert done.records == []
    assert "left out" in done.err


def test_no_action_is_a_normal_answer(memory, model, store):
    done = memory("update", *model("Nothing new here.\n[]"), data=TALK)
    assert (done.out, done.err) == ("", "")
    assert not store.exists()


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("hello", "no JSON list in it"),
        ('[{"action":"add"}]', "item 1: action is not one of"),
        ('[{"action":"create"}]', "item 1: create needs type"),
        ('[{"a": "b "c" d"}]', "no JSON: "),
        ('[{"action":"cre', "it was cut short"),
    ],
)
def test_a_bad_answer_is_asked_for_once_more_with_the_reason(memory, model, bad, why):
    done = memory("update", *model(bad, json.dumps([ITEM])), data=TALK)
    assert done.records[0]["result"] == "applied"
    first, second = model.prompts()
    assert why in second
    assert why not in first


def test_a_second_bad_answer_is_refused_and_kept(memory, model, session, store):
    name = session(*TALK)
    done = memory("update", "-s", name, *model("hello", "hello again"), code=9)
    (kept,) = (store / "answers").iterdir()
    assert kept.read_text().strip() == "hello again"
    assert str(kept) in done.err
    assert not (store / "memory.state.json").exists()


def test_of_a_cut_answer_the_whole_items_count(memory, model):
    answer = json.dumps([ITEM])[:-1] + ', {"action": "del'
    done = memory("update", *model(answer), data=TALK)
    assert len(done.records) == 1
    assert "cut short" in done.err


def test_an_update_is_of_the_note_as_the_model_saw_it(memory, add, model, store):
    known = add("Tabs", "Tabs, not blanks.")
    change = {"action": "update", "id": known, "content": "Blanks."}
    (action,) = memory("propose", *model(json.dumps([change])), data=TALK).records
    path = store / "project_knowledge_tabs.md"
    path.write_text(path.read_text() + "by hand\n")
    memory("apply", data=[action], code=11)
    assert path.read_text().endswith("by hand\n")


@pytest.mark.parametrize(
    "args",
    [
        ["update", "-s", "x", "f"],
        ["update", "--detach"],
        ["update", "--turns", "0"],
        ["propose", "--provider", "command"],
    ],
)
def test_wrong_words_are_told(memory, args):
    done = memory(*args, data=TALK, code=2)
    assert done.out == ""
    assert len(done.err.splitlines()) == 1
