"""The benchmark of the memory search, on made-up files of LoCoMo's structure."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from memory import locomo

from mewctl.memory.search_fusion import ARMS, Lending

SCRIPT = Path(locomo.__file__)
DIALOGS = SCRIPT.with_name("made_dialogs.json")


def sample(**more):
    return {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Where is the kayak?"},
                {
                    "speaker": "Bo",
                    "dia_id": "D1:2",
                    "text": "In the shed.",
                    "img_url": ["x"],
                    "blip_caption": "a photo of a red boat",
                },
            ],
            "session_2_date_time": "9:00 am on 1 June, 2023",
            "session_3_date_time": "10:00 am on 2 June, 2023",
            "session_3": [{"speaker": "Bo", "dia_id": "D3:1", "text": "Hello."}],
        },
        "observation": {},
        "qa": [
            {
                "question": "Where is the kayak?",
                "answer": "shed",
                "evidence": ["D1:2"],
                "category": 4,
            },
            {"question": "Who?", "answer": 3, "evidence": [], "category": 3},
            {
                "question": "Which boat?",
                "adversarial_answer": "blue",
                "evidence": ["D1:2; D9:1"],
                "category": 5,
            },
        ],
        **more,
    }


@pytest.fixture
def made(tmp_path):
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([sample()]))
    return path


def test_turns_are_notes_of_their_session_in_order(made):
    (dialog,) = locomo.load(made)
    assert [(e.file, e.session, e.created) for e in dialog.turns] == [
        ("D1:1", "session_1", "2023-05-08T13:56:00Z"),
        ("D1:2", "session_1", "2023-05-08T13:56:01Z"),
        ("D3:1", "session_3", "2023-06-02T10:00:00Z"),
    ]
    assert "red boat" in dialog.turns[1].terms.text
    assert "y2023m5d8" in dialog.turns[0].terms.dates


def test_questions_keep_their_evidence_as_it_is_written(made):
    (dialog,) = locomo.load(made)
    assert [(a.category, a.evidence) for a in dialog.asked] == [
        (4, ("D1:2",)),
        (3, ()),
        (5, ("D1:2; D9:1",)),
    ]


@pytest.mark.parametrize(
    ("evidence", "context", "value"),
    [
        (("D1:1", "D1:2"), ["D1:2", "D2:1"], 0.5),
        (("D1:1",), [], 0.0),
        ((), [], 1.0),
        (("D1:2; D9:1",), ["D1:2"], 0.0),
    ],
)
def test_recall_is_the_part_of_the_ids_found_word_for_word(evidence, context, value):
    assert locomo.recall(evidence, context) == value


def test_a_session_is_hit_when_any_of_its_turns_stands_among_the_first_sessions():
    order = ["D2:1", "D2:4", "D1:1"]
    assert locomo.session_hit(("D1:9",), order, 1) == 0.0
    assert locomo.session_hit(("D1:9",), order, 2) == 1.0
    assert locomo.session_hit((), [], 1) == 1.0


def test_means_are_over_all_questions_and_by_category(made):
    dialogs = locomo.load(made)
    order = {"Where is the kayak?": ["D1:2"]}
    result = locomo.measure(dialogs, lambda *given: order.get(given[2].text, []))
    assert result.overall[5] == pytest.approx(100 * 2 / 3)
    assert result.answerable[5] == 100.0
    assert result.category[5] == dict.fromkeys(locomo.KS, 0.0)


def test_a_turn_without_a_word_of_the_question_is_found_by_what_was_asked_before(made):
    (dialog,) = locomo.load(made)

    def order(system):
        given = locomo.of_system(system, Lending())
        return locomo.measure([dialog], given).category[4][5]

    assert order(("words",)) == 0.0
    assert order(("words", "neighbours")) == 100.0


def test_on_the_made_dialogs_neighbours_help_and_no_arm_harms():
    dialogs = locomo.load(DIALOGS)

    def at_ten(system, lending=Lending()):  # noqa: B008 - the weights in use
        return locomo.measure(dialogs, locomo.of_system(system, lending)).overall[10]

    words, every = at_ten(("words",)), at_ten(ARMS)
    assert at_ten(("words", "neighbours")) > words + 20
    assert at_ten(tuple(a for a in ARMS if a != "neighbours")) >= words
    assert every >= at_ten(("words", "neighbours"))
    best = max(
        at_ten(ARMS, Lending(b / 10, a / 10)) for b in range(6) for a in range(6)
    )
    assert every == best


def test_the_table_has_every_arm_alone_and_a_random_order(made):
    done = subprocess.run(
        [sys.executable, SCRIPT, made], capture_output=True, text=True, check=True
    )
    for name in ("random order", "words", "names", "dates", "phrase", "all"):
        assert f"| {name} |" in done.stdout
    assert "3 turns, 3 questions" in done.stdout
    assert "| adversarial |" in done.stdout


def test_a_sweep_lists_weights_the_best_first(made):
    done = subprocess.run(
        [sys.executable, SCRIPT, made, "--sweep"],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = done.stdout.splitlines()
    assert len(rows) == 49
    means = [float(row.split(": ")[1].split()[0]) for row in rows]
    assert means == sorted(means, reverse=True)
