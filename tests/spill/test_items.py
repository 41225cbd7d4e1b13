"""Spilling items of the Responses API: which outputs are one group, and its calls."""

from __future__ import annotations

import base64
import json

import pytest
from spilling import assistant, lines, results, spill, texts, user

from mewctl import limits
from mewctl.history.formats import load, mew
from mewctl.history.offloaded import recognise
from mewctl.spill.past import Past
from mewctl.spill.weave import may_hold_calls, may_hold_results

FORM = "responses"
BIG = "a line of output\n" * 5000  # 85,000 bytes
SIZES = [(1 << 20,), (4000,), (97,)]


def gone(data: bytes) -> list[bool]:
    return [recognise(text) is not None for _, text in texts(data)]


def step(ids, size):
    """An answer of several items that calls, and the outputs, latest call first."""
    calls = assistant(FORM, [(i, {}) for i in ids])
    return [calls, *results(FORM, [(i, i * size) for i in reversed(ids)])]


@pytest.mark.parametrize("sizes", SIZES)
def test_outputs_that_answer_one_answer_are_one_group(tmp_path, sizes):
    data = lines(user(FORM, "go"), *step("abc", 45_000), *step("de", 45_000))
    run = spill(data, tmp_path, sizes=sizes, single=50_000, aggregate=100_000)
    assert gone(run.data) == [True, False, False, False, False]


@pytest.mark.parametrize("sizes", SIZES)
def test_what_any_call_of_an_answer_read_back_is_not_spilled(tmp_path, sizes):
    given = {"command": f"cat {tmp_path / 'call_x'}"}
    calls = assistant(FORM, [("a", given), ("b", {"command": "ls"}), ("c", {})])
    answers = results(FORM, [("b", BIG), ("a", BIG), ("c", "x")])
    data = lines(user(FORM, "go"), calls, *answers, user(FORM, "next"))
    (_, first), (_, second), _ = texts(spill(data, tmp_path, sizes=sizes).data)
    assert recognise(first)
    assert second.startswith(BIG[:1000])
    assert "[cut: " in second


def test_a_group_is_decided_as_soon_as_each_call_is_answered(tmp_path):
    data = lines(*step("ab", 60_000))
    assert gone(spill(data, tmp_path).data) == [True, True]
    ledger = (tmp_path / "ledger.jsonl").read_text()
    assert "the group is not complete" not in ledger
    spill(lines(*step("cd", 30_000)[:-1]), tmp_path)
    assert "the group is not complete" in (tmp_path / "ledger.jsonl").read_text()


def test_an_answer_is_looked_back_for_as_far_as_the_limit(monkeypatch):
    monkeypatch.setattr(limits, "LOOK_BACK", 1000)
    calls = lines(assistant(FORM, [(f"c{n}", {"pad": "x" * 50}) for n in range(50)]))
    found = []
    for size in (len(calls), 300, 1):
        past, made = Past(), calls.splitlines(keepends=True)
        while made:
            piece = b""
            while made and (not piece or len(piece) + len(made[0]) <= size):
                piece += made.pop(0)
            past.add(b"before" + piece, 6, 6 + len(piece))
        past.add(b"\n \n", 0, 3)
        assert past._held < 1000 + max(size, 200)  # noqa: SLF001 - what memory it takes
        found.append(list(past.mark().calls(load(FORM))))
    assert found[0] == found[1] == found[2]
    assert found[0][-1] == "c49"
    assert 5 < len(found[0]) < 15


def test_only_items_of_one_answer_are_looked_back_for():
    for between in (user(FORM, "go"), {"type": "progress"}, b"not json\n"):
        past = Past()
        data = lines(
            assistant(FORM, [("a", {})]), between, assistant(FORM, [("b", {})])
        )
        past.add(data, 0, len(data))
        assert list(past.mark().calls(load(FORM))) == ["b"]


ITEM = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}


FAILED = {"type": "exit", "exit_code": 2}
PRINTED = [{"stdout": BIG, "stderr": "", "outcome": FAILED}]
OUTPUTS = [
    ("shell_call", {"action": {}}, {"output": PRINTED}),
    ("custom_tool_call", {"name": "p", "input": "x"}, {"output": BIG}),
    ("local_shell_call", {"action": {}}, {"output": BIG}),
    ("apply_patch_call", {"operation": {}}, {"output": BIG, "status": "failed"}),
]


@pytest.mark.parametrize(
    ("kind", "given", "answer"), OUTPUTS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_outputs_of_every_kind_leave_a_preview_in_their_place(
    tmp_path, kind, given, answer
):
    call = {"type": kind, "call_id": "a", **given}
    heard = {"type": f"{kind}_output", "call_id": "a", **answer}
    run = spill(lines(user(FORM, "go"), call, heard), tmp_path)
    changed = json.loads(run.data.splitlines()[2])
    assert (tmp_path / "a").read_text() == BIG
    (result,) = load(FORM).view(changed).results
    assert recognise(result.text)
    assert changed.pop("output") != heard.pop("output")
    assert changed == heard
    assert result.is_error is (kind in ("shell_call", "apply_patch_call"))
    assert spill(run.data, tmp_path).data == run.data


def test_a_type_in_disguise_is_found(tmp_path):
    for line in (
        lines(*results(FORM, [("a", BIG)])).replace(b"_call_o", b"_c\\u0061ll\\u005Fo"),
        lines(*results(FORM, [("a", BIG)])).replace(b'"type": "', b'"type" :\t"'),
    ):
        run = spill(lines(ITEM) + line, tmp_path, form=FORM)
        assert gone(run.data) == [True]


def test_a_whole_response_and_answers_without_text_pass(tmp_path):
    did = {"type": "shell_call_output", "call_id": "h", "output": [{"stdout": BIG}]}
    screen = {"type": "computer_call_output", "call_id": "z", "output": {"x": BIG}}
    whole = {
        "object": "response",
        "output": [{"type": "shell_call", "call_id": "h"}, {**did}],
    }
    data = lines(user(FORM, "go"), whole, screen, *step("a", 60_000))
    run = spill(data, tmp_path)
    assert gone(run.data) == [True]
    assert run.data.startswith(lines(user(FORM, "go"), whole, screen))


def test_cheap_tests_let_every_item_with_calls_or_results_through():
    for kind in ("function", "custom_tool", "local_shell", "shell", "apply_patch"):
        call = {"type": f"{kind}_call", "call_id": "a"}
        heard = {"type": f"{kind}_call_output", "call_id": "a", "output": []}
        for record in (call, mew.envelope(FORM, call)):
            assert may_hold_calls(lines(record))
        for record in (heard, mew.envelope(FORM, heard)):
            assert may_hold_results(lines(record))
    assert not may_hold_results(lines(user(FORM, BIG)))
    assert not may_hold_calls(lines(user(FORM, BIG)))


def test_images_and_files_of_an_output_leave_a_text_in_their_place(tmp_path):
    image, data = (base64.b64encode(t * 2000).decode() for t in (b"PNG", b"%PDF "))
    content = [
        {"type": "input_text", "text": "see"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{image}"},
        {"type": "input_file", "file_data": f"data:application/pdf;base64,{data}"},
        {"type": "input_file", "file_data": data, "filename": "x"},
        {"type": "input_file", "file_id": "f"},
    ]
    heard = {"type": "function_call_output", "call_id": "a", "output": content}
    history = lines(user(FORM, "go"), ITEM, heard)
    assert spill(history, tmp_path / "none").data == history
    run = spill(history, tmp_path / "some", images=True)
    changed = json.loads(run.data.splitlines()[2])["output"]
    assert [part["type"] for part in changed] == [
        "input_text",
        "input_text",
        "input_text",
        "input_file",
        "input_file",
    ]
    assert changed[0] == content[0]
    assert changed[3:] == content[3:]
    assert (tmp_path / "some" / "a.png").read_bytes() == b"PNG" * 2000
    (pdf,) = (tmp_path / "some").glob("*.pdf")
    assert pdf.read_bytes() == b"%PDF " * 2000
