"""Sessions of all agents but Claude Code that are wrong in every way.

Nothing raises, nothing hangs, and what is told can be written.
"""

from __future__ import annotations

import json
import time
import tracemalloc
from copy import deepcopy
from pathlib import Path

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mewctl import transcripts
from mewctl.history.formats import load as load_format
from mewctl.history.losses import Losses
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.records import Record
from mewctl.transcripts.damage import Foreign

AGENTS = tuple(name for name in transcripts.NAMES if name != "claude-code")
MADE_UP = Path(__file__).parents[1] / "data"
FIXTURES = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
WRONG = st.sampled_from(
    [None, True, 7, -1.5, 1e300, "x", "a1", [], [1], ["a1"], {}, {"a": 1}, {"text": 3}]
)


def values_of(agent):
    """All records of the made-up sessions of an agent that are whole."""
    found = []
    for path in sorted((MADE_UP / agent).iterdir()):
        if path.suffix == ".jsonl":
            lines = path.read_bytes().split(b"\n")
        elif path.suffix == ".json":
            lines = [path.read_bytes()]
        else:
            continue
        for line in lines:
            try:
                value = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            found.append(value)
    return found


VALUES = {agent: values_of(agent) for agent in AGENTS}


def paths(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, (dict, list)):
            yield from paths(item, (*path, key))


def put(value, path, new):
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


@pytest.fixture
def all_ways(read_as):
    mew = load_format("mew")

    def run(agent, lines):
        for full in (False, True):
            try:
                messages, report = read_as(agent, lines, full=full, sidechains=full)
            except Foreign:  # its logs are told apart by their records, and mixed here
                assert agent == "kimi-cli"
                return []
            for message in messages:
                for value in mew.make(message, Losses()):
                    record = Record(dumps(value))
                    mew.view(record.mapping(exact=True))
            for note in report.notes:
                assert len(note.text) < 200
        return messages

    return run


@pytest.mark.parametrize("agent", AGENTS)
@FIXTURES
@given(data=st.data())
def test_wrong_types_anywhere_never_raise(all_ways, agent, data):
    picked = data.draw(st.lists(st.sampled_from(VALUES[agent]), max_size=12))
    lines = []
    for value in map(deepcopy, picked):
        places = st.lists(st.sampled_from(list(paths(value))), max_size=3)
        for path in data.draw(places):
            try:
                put(value, path, deepcopy(data.draw(WRONG)))
            except (TypeError, KeyError, IndexError):
                continue
        lines.append(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
    all_ways(agent, lines)


@pytest.mark.parametrize("agent", AGENTS)
@FIXTURES
@given(data=st.data())
def test_cut_glued_and_shuffled_lines_never_raise(all_ways, agent, data):
    lines = [orjson.dumps(value) for value in VALUES[agent]]
    lines = data.draw(st.permutations(lines))[:20]
    broken = []
    for line in lines:
        cut = data.draw(st.integers(0, len(line)))
        how = data.draw(st.sampled_from(["whole", "head", "tail", "glue", "junk"]))
        if how == "glue" and broken:
            broken[-1] += line
        else:
            junk = data.draw(st.binary(max_size=9)) if how == "junk" else b""
            pieces = {"head": line[:cut], "tail": line[cut:], "junk": junk + line}
            broken.append(pieces.get(how, line))
    all_ways(agent, broken)


@pytest.mark.parametrize("agent", AGENTS)
@FIXTURES
@given(lines=st.lists(st.binary() | st.sampled_from([b"{}", b"[]", b"null", b"{"])))
def test_any_bytes_as_records_never_raise(all_ways, agent, lines):
    all_ways(agent, lines)


@FIXTURES
@given(data=st.data())
def test_any_links_of_entries_are_followed_to_an_end(all_ways, data):
    names = st.sampled_from([f"e{n}" for n in range(6)])
    links = names | st.none() | st.just("lost")
    kinds = st.sampled_from(["message", "compaction", "label", "branch_summary"])
    entries = data.draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "type": kinds,
                    "id": names,
                    "parentId": links,
                    "firstKeptEntryId": links,
                    "summary": st.just("s"),
                    "message": st.fixed_dictionaries(
                        {
                            "role": st.sampled_from(
                                ["user", "assistant", "toolResult"]
                            ),
                            "content": st.just("words"),
                        }
                    ),
                }
            ),
            max_size=12,
        )
    )
    messages = all_ways("pi", [orjson.dumps(entry) for entry in entries])
    assert len(messages) <= len(entries)


def codex_storm(n):
    stamp = {"timestamp": "2026-03-01T09:00:00Z"}
    content = [{"type": "input_text", "text": f"go on {n}"}]
    message = {"type": "message", "role": "user", "content": content}
    back = {"type": "thread_rolled_back", "num_turns": 1}
    kinds = (
        {"type": "response_item", "payload": message},
        {"type": "event_msg", "payload": back},
        {"type": "compacted", "payload": {"message": "s"}},
    )
    return stamp | kinds[n % 3]


def gemini_storm(n):
    said = {"id": f"m{n // 3}", "type": "user", "content": "x", "timestamp": "t"}
    kinds = (said, {"$rewindTo": f"m{n // 6}"}, {"$set": {"messages": [said]}})
    return kinds[n % 3]


def pi_storm(n):
    message = {"role": "user", "content": "x"}
    parents = (f"e{n + 1}", "lost", f"e{n // 2}", f"e{n}")
    return {"type": "message", "id": f"e{n}", "parentId": parents[n % 4]} | {
        "message": message
    }


def openhands_storm(n):
    event = {"id": n, "source": "agent", "timestamp": "t"}
    forgotten = {"forgotten_events_start_id": 0, "forgotten_events_end_id": n}
    kinds = (
        {"action": "run", "args": {"command": "x"}},
        {"action": "condensation", "args": forgotten | {"summary": "s"}},
        {"observation": "run", "content": "x", "cause": n - 2},
    )
    return event | kinds[n % 3]


def swe_storm(n):
    item = {"role": ("user", "assistant", "tool")[n % 3], "content": "x", "agent": "a"}
    return {"trajectory": [], "history": [item] * 3, "info": {}}


def kimi_storm(n):
    said = {"role": "user", "content": "x", "origin": {"kind": "user"}}
    kinds = (
        {"type": "context.append_message", "message": said},
        {"type": "context.undo", "count": n % 2},
        {"type": "context.append_message", "message": said},
        {"type": "context.apply_compaction", "summary": "s", "compactedCount": 0},
    )
    return {"time": n} | kinds[n % 4]


def qwen_storm(n):
    record = {"uuid": f"u{n}", "sessionId": "s", "type": "user"}
    parents = (f"u{n + 1}", "lost", f"u{n // 2}", f"u{n}")
    said = {"role": "user", "parts": [{"text": "x"}]}
    return record | {"parentUuid": parents[n % 4], "message": said}


def copilot_storm(n):
    kinds = (
        ("user.message", {"content": "x"}),
        ("session.snapshot_rewind", {"upToEventId": f"e{n // 2}"}),
        ("session.compaction_complete", {"success": True, "summaryContent": "s"}),
    )
    kind, data = kinds[n % 3]
    return {"type": kind, "data": data, "id": f"e{n}", "timestamp": "t"}


STORMS = {
    "codex": codex_storm,
    "gemini-cli": gemini_storm,
    "pi": pi_storm,
    "openhands": openhands_storm,
    "swe-agent": swe_storm,
    "kimi-cli": kimi_storm,
    "qwen-code": qwen_storm,
    "copilot-cli": copilot_storm,
}


def test_there_is_a_storm_for_each_agent():
    assert set(STORMS) == set(AGENTS)


@pytest.mark.parametrize(("agent", "storm"), STORMS.items())
def test_hostile_records_take_no_hostile_time(all_ways, agent, storm):
    lines = [orjson.dumps(storm(n)) for n in range(6_000)]
    begun = time.process_time()
    all_ways(agent, lines)
    assert time.process_time() - begun < 20


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_costs_its_bytes_and_little_more(agent):
    body = "a line of output that says nothing new\n" * 1_000
    made = {
        "codex": lambda n: {
            "timestamp": "2026-03-01T09:00:00Z",
            "type": "response_item",
            "payload": {
                "type": "function_call_output",
                "call_id": f"c{n}",
                "output": body,
            },
        },
        "gemini-cli": lambda n: {
            "id": f"m{n}",
            "timestamp": "t",
            "type": "user",
            "content": body,
        },
        "pi": lambda n: {
            "type": "message",
            "id": f"e{n}",
            "parentId": f"e{n - 1}" if n else None,
            "message": {"role": "toolResult", "toolCallId": f"c{n}", "content": body},
        },
        "openhands": lambda n: {
            "id": n,
            "timestamp": "t",
            "source": "user",
            "action": "message",
            "args": {"content": body},
        },
        "swe-agent": lambda n: {
            "trajectory": [],
            "info": {"n": n},
            "history": [{"role": "user", "content": body}],
        },
        "kimi-cli": lambda _: {"role": "user", "content": body},
        "qwen-code": lambda n: {
            "uuid": f"u{n}",
            "sessionId": "s",
            "parentUuid": f"u{n - 1}" if n else None,
            "type": "user",
            "message": {"role": "user", "parts": [{"text": body}]},
        },
        "copilot-cli": lambda n: {
            "type": "user.message",
            "data": {"content": body},
            "id": f"e{n}",
            "timestamp": "t",
        },
    }[agent]
    tracemalloc.start()
    raw = [json.dumps(made(n)).encode() for n in range(400)]
    size = sum(map(len, raw))
    records = (Record(raw.pop(0), n) for n in range(1, 401))
    report = transcripts.Report()
    reader = transcripts.load(agent)
    tracemalloc.reset_peak()
    told = sum(1 for _ in reader.read(records, transcripts.ReadOptions(), report))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert told
    assert peak < 3 * size
