"""Transcripts that are wrong in every way: nothing raises, nothing hangs."""

from __future__ import annotations

import time
from copy import deepcopy

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FIXTURES = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

WRONG = st.sampled_from([None, True, 7, -1.5, "x", "u1", [], [1], ["u1"], {}, {"a": 1}])
KINDS = st.sampled_from(
    ["user", "assistant", "system", "attachment", "progress", "queue-operation", "x"]
)


def _set(value, path, new):
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


def _paths(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, (dict, list)):
            yield from _paths(item, (*path, key))


def everything(log, call):
    log.user("First.")
    log.assistant("m0", "Zero.", supersedesUuids=["u9"])
    log.boundary(
        metadata={
            "preservedMessages": {"anchorUuid": "u4", "uuids": ["u1"]},
            "preservedSegment": {
                "anchorUuid": "u4",
                "headUuid": "u1",
                "tailUuid": "u2",
            },
        }
    )
    log.summary()
    log.assistant("m1", {"type": "thinking", "thinking": "t"}, call("c1", n=1))
    source = {"type": "base64", "media_type": "image/png", "data": "aa"}
    log.result("c1", [{"type": "image", "source": source}])
    log.attachment("queued_command", prompt="Q.", origin={"kind": "human"})
    log.attachment(
        "file", filename="/a", content={"type": "text", "file": {"content": "x"}}
    )
    log.attachment(
        "diagnostics", files=[{"uri": "/a", "diagnostics": [{"message": "b"}]}]
    )
    log.system("api_refusal", retractedMessageUuids=["u2"])
    log.system("microcompact", microcompactMetadata={"compactedToolIds": ["c1"]})
    log.record("progress", isSidechain=True)
    log.beside("queue-operation", operation="enqueue", content="q")
    log.beside("last-prompt", leafUuid="u5", explicit=True)


def all_ways(read, lines):
    for full in (False, True):
        for sidechains in (False, True):
            read(lines, full=full, sidechains=sidechains)


@FIXTURES
@given(data=st.data())
def test_wrong_types_anywhere_never_raise(log, read, call, data):
    log = type(log)()
    everything(log, call)
    lines = []
    for line in log.lines:
        value = orjson.loads(line)
        places = st.lists(st.sampled_from(list(_paths(value))), max_size=2)
        for path in data.draw(places):
            try:
                _set(value, path, deepcopy(data.draw(WRONG)))
            except (TypeError, KeyError, IndexError):
                continue
        lines.append(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS))
    all_ways(read, lines)


@FIXTURES
@given(data=st.data())
def test_any_links_are_followed_to_an_end(read, data):
    names = st.sampled_from([f"u{n}" for n in range(8)])
    links = names | st.none() | st.just("lost")
    records = data.draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "type": KINDS,
                    "uuid": names,
                    "parentUuid": links,
                    "isSidechain": st.booleans(),
                    "isCompactSummary": st.booleans(),
                    "subtype": st.sampled_from(["compact_boundary", "x"]),
                    "logicalParentUuid": links,
                    "supersedesUuids": st.lists(names, max_size=2),
                    "retractedMessageUuids": st.lists(names, max_size=1),
                    "compactMetadata": st.fixed_dictionaries(
                        {
                            "preservedMessages": st.fixed_dictionaries(
                                {"uuids": st.lists(names), "anchorUuid": names}
                            )
                            | st.none(),
                            "preservedSegment": st.fixed_dictionaries(
                                {
                                    "headUuid": names,
                                    "tailUuid": names,
                                    "anchorUuid": names,
                                }
                            ),
                        }
                    ),
                    "message": st.fixed_dictionaries(
                        {
                            "id": st.sampled_from(["m1", "m2", ""]),
                            "content": st.lists(
                                st.sampled_from(
                                    [
                                        {"type": "text", "text": "words"},
                                        {"type": "tool_use", "id": "c1", "name": "X"},
                                        {"type": "tool_result", "tool_use_id": "c1"},
                                    ]
                                ),
                                max_size=2,
                            ),
                        }
                    ),
                }
            ),
            max_size=12,
        )
    )
    lines = [orjson.dumps(record) for record in records]
    all_ways(read, lines)
    ids = {r["message"]["id"] for r in records if r["type"] == "assistant"} - {""}
    for full in (False, True):
        messages = read(lines, full=full)[0]
        named = [m.id for m in messages if m.role == "assistant" and m.id]
        assert len(named) == len(set(named))
        assert set(named) <= ids


@FIXTURES
@given(data=st.data())
def test_cut_glued_and_shuffled_lines_never_raise(log, read, call, data):
    log = type(log)()
    everything(log, call)
    lines = data.draw(st.permutations(log.lines))
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
    all_ways(read, broken)


@FIXTURES
@given(lines=st.lists(st.binary() | st.sampled_from([b"{}", b"[]", b"null", b"{"])))
def test_any_bytes_as_records_never_raise(read, lines):
    all_ways(read, lines)


@pytest.mark.parametrize("shape", ["same", "circle", "backwards", "roots", "answers"])
def test_hostile_links_take_no_hostile_time(read, shape):
    count = 4_000

    def record(n):
        uuid, parent = f"u{n}", f"u{n - 1}"
        kind, content = "user", "x"
        if shape == "same":
            uuid = parent = "u"
        elif shape == "circle":
            parent = f"u{(n + 1) % count}"
        elif shape == "backwards":
            parent = f"u{n + 1}"
        elif shape == "roots":
            parent = None
        elif n % 2:
            kind = "assistant"
            content = [{"type": "tool_use", "id": "c", "name": "X"}]
        else:
            content = [{"type": "tool_result", "tool_use_id": "c", "content": "y"}]
        message = {"id": "m", "content": content}
        value = {"type": kind, "uuid": uuid, "parentUuid": parent, "message": message}
        return orjson.dumps(value | {"isSidechain": shape == "roots" and n % 2 == 0})

    lines = [record(n) for n in range(count)]
    begun = time.process_time()
    all_ways(read, lines)
    assert time.process_time() - begun < 20
