"""What is got out of a model's answer: every whole object, and no false one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mewctl import limits
from mewctl.memory.extract_json import extract

A = {"action": "create", "title": "a"}
B = {"action": "delete", "id": "b"}
J, K = json.dumps(A), json.dumps(B)
FENCE = "```"

#: Name, answer, objects, whether it is told to be cut short, and how many are broken.
TABLE: list[tuple[str, str, list[object], bool, int]] = [
    ("an empty answer", "", [], False, 0),
    ("blanks", " \n\t ", [], False, 0),
    ("no action", "[]", [], False, 0),
    ("no action, fenced", f"{FENCE}json\n[]\n{FENCE}", [], False, 0),
    ("no action in a wrapper", '{"actions": []}', [], False, 0),
    ("an empty object", "{}", [], False, 0),
    ("prose alone", "There is nothing to remember here.", [], False, 0),
    ("one object", J, [A], False, 0),
    ("a list", f"[{J}, {K}]", [A, B], False, 0),
    ("a list over lines", json.dumps([A, B], indent=2), [A, B], False, 0),
    ("a list in a list", f"[[{J}], {K}]", [A, B], False, 0),
    ("a wrapper", f'{{"actions": [{J}, {K}]}}', [A, B], False, 0),
    ("a wrapper with reasons", f'{{"why": "x", "memories": [{J}]}}', [A], False, 0),
    ("objects back to back (M10)", f"{J}{K}", [A, B], False, 0),
    ("objects with a comma between", f"{J}, {K}", [A, B], False, 0),
    ("lines of objects", f"{J}\n{K}\n", [A, B], False, 0),
    ("lists back to back", f"[{J}][{K}]", [A, B], False, 0),
    ("a fence", f"{FENCE}\n[{J}]\n{FENCE}", [A], False, 0),
    ("a json fence", f"{FENCE}json\n[{J}]\n{FENCE}", [A], False, 0),
    ("a fence in capitals", f"{FENCE}JSON\n[{J}]\n{FENCE}", [A], False, 0),
    ("a jsonl fence", f"{FENCE}jsonl\n{J}\n{K}\n{FENCE}", [A, B], False, 0),
    ("a long fence", f"`````json\n[{J}]\n`````", [A], False, 0),
    ("a fence without an end (M6)", f"{FENCE}json\n[{J}]", [A], False, 0),
    ("an end of a fence alone", f"[{J}]\n{FENCE}", [A], False, 0),
    ("two fences", f"{FENCE}json\n{J}\n{FENCE}\nand\n{FENCE}json\n{K}\n{FENCE}",
     [A, B], False, 0),
    ("a shell fence before (M9)", f"{FENCE}bash\necho '{K}'\n{FENCE}\n[{J}]",
     [A], False, 0),
    ("a python fence after", f"[{J}]\n{FENCE}python\nx = {K}\n{FENCE}", [A], False, 0),
    ("a shell fence without an end", f"{FENCE}bash\n[{J}]", [A], False, 0),
    ("a quoted fence", f"> {FENCE}json\n> {J}\n> {FENCE}", [A], False, 0),
    ("an example in a sentence", f"I could say `{K}` but will not.", [], False, 0),
    ("all of it in ticks", f"`[{J}]`", [A], False, 0),
    ("prose before and after", f"Here you are:\n[{J}]\nThat is all.", [A], False, 0),
    ("a reference before (M8)", f"As in [1], [2]: [{J}]", [A], False, 0),
    ("a link before", f"See [this](http://x/y) [{J}]", [A], False, 0),
    ("a word in braces before (M8)", f"For {{project}} I say [{J}]", [A], False, 0),
    ("a set in braces before", f"Of {{a, b}} I say [{J}]", [A], False, 0),
    ("brackets after", f"[{J}] (see [3] and {{x}})", [A], False, 0),
    ("brackets in a sentence around", f"[I propose {J} now]", [A], False, 0),
    ("numbers in a list", "[1, 2, 3]", [], False, 0),
    ("an open bracket in prose", f"a [note: {J}", [A], False, 0),
    ("a thought (M7)", f"<think>maybe {K}</think>[{J}]", [A], False, 0),
    ("a thought in capitals", f"<THINK>{K}</THINK>[{J}]", [A], False, 0),
    ("a thought of another name", f"<reasoning>{K}</reasoning>[{J}]", [A], False, 0),
    ("a thought without an end", f"<think>so {K}", [], True, 0),
    ("a thought without a beginning", f"so {K}</think>[{J}]", [A], False, 0),
    ("a thought and no action", f"<think>{K}</think>[]", [], False, 0),
    ("a comma before ] (M7)", f"[{J},]", [A], False, 0),
    ("a comma before }", '[{"action":"create","title":"a",}]', [A], False, 0),
    ("two commas", f"[{J},,{K}]", [A, B], False, 0),
    ("a comma in front", f"[,{J}]", [A], False, 0),
    ("a forgotten comma in a list", f"[{J} {K}]", [A, B], False, 0),
    ("a forgotten comma at a line's end", '{"action":"create"\n"title":"a"}',
     [A], False, 0),
    ("a comment", '[{"action":"create", // new\n"title":"a"}]', [A], False, 0),
    ("a comment of many lines", '[/* new\n */{"action":"create","title":"a"}]',
     [A], False, 0),
    ("a hash comment", '[{"action":"create", # new\n"title":"a"}]', [A], False, 0),
    ("an address is no comment", '{"u":"http://x//y"}', [{"u": "http://x//y"}],
     False, 0),
    ("single quotes", "{'action': 'create', 'title': 'a'}", [A], False, 0),
    ("an apostrophe in single quotes", "{'a': 'don't', 'b': 1}",
     [{"a": "don't", "b": 1}], False, 0),
    ("Python's words", '{"a": True, "b": False, "c": None}',
     [{"a": True, "b": False, "c": None}], False, 0),
    ("names without quotes", '{action: "create", title: "a"}', [A], False, 0),
    ("curly quotes", "{“action”: “create”, “title”: “a”}", [A], False, 0),
    ("full-width marks", '{"action"："create"，"title"："a"}', [A], False, 0),
    ("full-width marks in a string", '{"a":"，："}', [{"a": "，："}], False, 0),
    ("a raw line break (M11)", '{"a":"x\ny\tz"}', [{"a": "x\ny\tz"}], False, 0),
    ("an escape that is none", r'{"a":"\d+ C:\path"}', [{"a": r"\d+ C:\path"}],
     False, 0),
    ("half a unicode escape (M11)", r'{"a":"\u12 x"}', [{"a": r"\u12 x"}], False, 0),
    ("a pair of surrogates", r'{"a":"\ud83d\ude00"}', [{"a": "😀"}], False, 0),
    ("half a pair (M11)", r'{"a":"x\ud83d"}', [{"a": "x\ufffd"}], False, 0),
    ("an escaped apostrophe", r'{"a":"don\'t"}', [{"a": "don't"}], False, 0),
    ("brackets in strings (M8)", '{"a":"]} [{ ```"}', [{"a": "]} [{ ```"}], False, 0),
    ("an escaped quote in a string", r'{"a":"say \"}\" x"}', [{"a": 'say "}" x'}],
     False, 0),
    ("a thought in a string", '{"a":"<think>x"}', [{"a": "<think>x"}], False, 0),
    ("a fence in a raw string", '{"a":"x\n```bash\nmake\n```"}',
     [{"a": "x\n```bash\nmake\n```"}], False, 0),
    ("an action in a string", json.dumps({"action": "create", "title": K}),
     [{"action": "create", "title": K}], False, 0),
    ("an action as a value", '{"action":"update","content":' + K + "}",
     [{"action": "update", "content": B}], False, 0),
    ("actions as a value", '{"action":"update","items":[' + K + "]}",
     [{"action": "update", "items": [B]}], False, 0),
    ("actions in an action", '{"action":"update","actions":[' + K + "]}",
     [{"action": "update", "actions": [B]}], False, 0),
    ("a string of JSON", json.dumps(f"[{J}]"), [A], False, 0),
    ("numbers", '{"a":-1.5e3,"b":0}', [{"a": -1500.0, "b": 0}], False, 0),
    ("a key twice", '{"a":1,"a":2}', [{"a": 2}], False, 0),
    ("cut in a list (M6)", f'[{J}, {{"action":"del', [A], True, 0),
    ("cut in a string", f'[{J}, {{"action":"delete","id":"b', [A], True, 0),
    ("cut after a comma", f"[{J},", [A], True, 0),
    ("cut before the end of a list", f"[{J}, {K}", [A, B], True, 0),
    ("cut in a wrapper", f'{{"actions":[{J}, {{"act', [A], True, 0),
    ("cut after a key", f'[{J},{{"action"', [A], True, 0),
    ("cut after a backslash", f'[{J},{{"action":"\\', [A], True, 0),
    ("cut at once", "[", [], True, 0),
    ("one object, cut", '{"action":"create"', [], True, 0),
    ("three dots", f"[{J}, ...]", [A], True, 0),
    ("a character for three dots", f"[{J}, …]", [A], True, 0),
    ("a forgotten } before the next (M7)", f'[{{"x":1,{J}]', [A], False, 1),
    ("a forgotten } before ]", f'[{J},{{"x":1]', [A], False, 1),
    ("a forgotten ] in a wrapper", f'{{"actions":[{J},{K}}}', [A, B], False, 0),
    ("a } for a ]", f"[{J}}}", [A], False, 0),
    ("a value that is missing", '[{"a":}]', [], False, 1),
    ("a colon that is missing", '{"a" 1}', [], False, 1),
    ("a bare word for a value", '{"a": yes}', [], False, 1),
    ("NaN", '{"a": NaN}', [], False, 1),
    ("a number beyond all", '{"a": 1e999}', [], False, 1),
    ("quotes within quotes", f'[{{"a":"use "uv" now"}},\n{J}]', [A], False, 1),
    ("an action behind quotes within quotes", f'{{"a":"say "x {K} y"}}', [], False, 1),
    ("a broken list in an object", f'{{"tags":[a b "{{"], "x":{K}}}', [], False, 1),
]  # fmt: skip


def test_the_table_is_long_enough():
    assert len(TABLE) >= 80
    assert len({name for name, *_ in TABLE}) == len(TABLE)


@pytest.mark.parametrize(
    ("answer", "objects", "truncated", "broken"),
    [row[1:] for row in TABLE],
    ids=[row[0] for row in TABLE],
)
def test_every_whole_object_is_found_and_no_other(answer, objects, truncated, broken):
    found = extract(answer)
    assert list(found.objects) == objects
    assert (found.truncated, len(found.broken)) == (truncated, broken)


@pytest.mark.parametrize(
    ("answer", "nothing"),
    [
        ("[]", True),
        ("Nothing to do: []", True),
        ('{"actions": []}', True),
        ("{}", True),
        ("", False),
        ("nothing", False),
        (f"[{J}]", False),
        ('[{"a":1]', False),
        ("<think>[]", False),
        ('[] [{"a', False),
    ],
)
def test_that_there_is_nothing_must_be_said(answer, nothing):
    assert extract(answer).nothing is nothing


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
ITEMS = st.lists(
    st.dictionaries(st.text(max_size=5), VALUES, max_size=3).map(
        lambda d: {"action": "x", **d}
    )
)


@settings(max_examples=40, deadline=None)
@given(ITEMS, st.sampled_from([None, 1]), st.booleans())
def test_json_is_read_as_json(items, indent, ascii_only):
    answer = json.dumps(items, indent=indent, ensure_ascii=ascii_only)
    found = extract(answer)
    assert list(found.objects) == items
    assert not found.truncated
    assert not found.broken


@settings(max_examples=60, deadline=None)
@given(ITEMS.filter(bool), st.data())
def test_a_cut_answer_gives_what_was_whole_and_says_so(items, data):
    answer = json.dumps(items)
    at = data.draw(st.integers(1, len(answer) - 1))
    found = extract(answer[:at])
    assert list(found.objects) == items[: len(found.objects)]
    assert found.truncated
    assert sum(len(json.dumps(one)) for one in found.objects) <= at


@given(st.text(alphabet="{}[]\",:\\'ab1 \n`<>/think“”#", max_size=80))
def test_any_answer_is_read_without_a_fault(answer):
    extract(answer)


@pytest.mark.parametrize(
    "piece",
    ["{", "[", '{"a":', "` x", "<think>", "<think></think>", f"{FENCE}x\n", "{/*",
     '{"a":"', "{'", '{"a":1 b\n{', "{'a'b", "]", "}"],
)  # fmt: skip
def test_a_hostile_answer_costs_no_more_than_its_length(piece):
    """Twice as long may not take much more than twice as many steps."""
    from time import process_time

    def cost(length: int) -> float:
        answer = piece * (length // len(piece))
        start = process_time()
        extract(answer)
        return process_time() - start

    cost(1_000)
    assert cost(80_000) < 40 * max(cost(10_000), 0.01)


def test_an_answer_beyond_all_measure_is_cut_and_told():
    found = extract(f"[{J}" + " " * limits.ANSWER_SCAN + "]")
    assert found.objects == (A,)
    assert found.truncated
