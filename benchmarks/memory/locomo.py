"""How well the memory search finds the turns of LoCoMo that answer its questions.

    python benchmarks/memory/locomo.py PATH [--sweep]

PATH is ``locomo10.json`` of snap-research/locomo, or a file of that structure. Its
licence (CC BY-NC 4.0) keeps it out of this repository. The metric is that of the
paper's own evaluation: of each question the part of its evidence ids that is among the
first k, compared as text, 1 for a question without evidence, averaged over all
questions. No model takes part. Each conversation is a store of its own, each turn a
note of its session.

``--sweep`` tries weights of neighbours: for the made-up dialogs beside this file
(made_dialogs.json), never for LoCoMo, on which nothing may be tuned.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from mewctl.memory.search_fusion import ARMS, LENT, Lending, arms, fused
from mewctl.memory.search_tables import Entry, Tables
from mewctl.memory.search_words import question, terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

KS = (5, 10, 25, 50)
SESSION_KS = (1, 5, 10)
CATEGORIES = {
    1: "multi-hop",
    2: "temporal",
    3: "open-domain",
    4: "single-hop",
    5: "adversarial",
}
ANSWERABLE = (1, 2, 3, 4)
#: What is measured: each arm alone, what neighbours add, and all together.
SYSTEMS: dict[str, tuple[str, ...]] = {
    **{arm: (arm,) for arm in ARMS if arm != LENT},
    f"words + {LENT}": ("words", LENT),
    f"all without {LENT}": tuple(arm for arm in ARMS if arm != LENT),
    "all": ARMS,
}
RANDOM = "random order"
_TIME = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: the evidence is ids of turns, as the file writes them."""

    text: str
    category: int
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dialog:
    """A conversation: its turns as notes, in order, and the questions about it."""

    turns: tuple[Entry, ...]
    asked: tuple[Asked, ...]


def load(path: Path) -> list[Dialog]:
    """The conversations of a file."""
    return [
        Dialog(tuple(_turns(sample["conversation"])), tuple(map(_asked, sample["qa"])))
        for sample in json.loads(path.read_bytes())
    ]


def _turns(conversation: dict[str, Any]) -> Iterator[Entry]:
    number = 1
    while (key := f"session_{number}") in conversation or f"{key}_date_time" in (
        conversation
    ):
        start = _moment(conversation.get(f"{key}_date_time", ""))
        for at, turn in enumerate(conversation.get(key) or ()):
            created = f"{start + timedelta(seconds=at):%Y-%m-%dT%H:%M:%SZ}"
            caption = turn.get("blip_caption")
            said = f"{turn['speaker']}: {turn['text']}"
            body = f"{said} [shows {caption}]" if caption else said
            yield Entry(
                turn["dia_id"], "1", id=turn["dia_id"], created=created, session=key,
                terms=terms("", body, created=created, lang="en"),
            )  # fmt: skip
        number += 1


def _moment(text: str) -> datetime:
    try:
        return datetime.strptime(text, _TIME)  # noqa: DTZ007 - the file names no zone
    except ValueError:
        return datetime(1970, 1, 1)  # noqa: DTZ001


def _asked(item: dict[str, Any]) -> Asked:
    evidence = tuple(map(str, item.get("evidence") or ()))
    return Asked(item["question"], int(item["category"]), evidence)


# --- ranking ---


def ranked(
    tables: Tables, text: str, system: tuple[str, ...], lending: Lending
) -> list[str]:
    """The ids of the turns that a search finds, the best first."""
    found = arms(question(text), [tables], system)
    scores, _ = fused(found, [tables], lending if LENT in system else None)
    files = tables.files([key for _, key in scores])
    order = sorted(scores, key=lambda key: (-scores[key], key[1]))
    return [files[key] for _, key in order]


def shuffled(turns: Iterable[Entry], seed: int) -> list[str]:
    """All turns in an order that means nothing."""
    order = [entry.file for entry in turns]
    random.Random(seed).shuffle(order)
    return order


# --- the metric ---


def recall(evidence: tuple[str, ...], context: list[str]) -> float:
    """The part of the evidence that is in the context; 1 where there is none."""
    if not evidence:
        return 1.0
    return sum(one in context for one in evidence) / len(evidence)


def session_hit(evidence: tuple[str, ...], order: list[str], k: int) -> float:
    """Whether any session of the evidence is among the first ``k`` sessions found."""
    sessions = list(dict.fromkeys(turn.partition(":")[0] for turn in order))[:k]
    wanted = {turn.partition(":")[0] for turn in evidence}
    return float(not wanted or bool(wanted & set(sessions)))


@dataclass(frozen=True, slots=True)
class Result:
    """Recall in per cent, by k: overall, over categories 1-4, and by category."""

    overall: dict[int, float]
    answerable: dict[int, float]
    category: dict[int, dict[int, float]]
    sessions: dict[int, float]


def measure(
    dialogs: list[Dialog], order_of: Callable[[Tables, Dialog, Asked], list[str]]
) -> Result:
    """The metric over all questions of all conversations."""
    rows: list[tuple[int, list[float], list[float]]] = []
    for dialog in dialogs:
        tables = Tables.empty()
        tables.change((), dialog.turns, {})
        for asked in dialog.asked:
            order = order_of(tables, dialog, asked)
            by_k = [recall(asked.evidence, order[:k]) for k in KS]
            hits = [session_hit(asked.evidence, order, k) for k in SESSION_KS]
            rows.append((asked.category, by_k, hits))
        tables.close()
    groups: dict[int, list[list[float]]] = defaultdict(list)
    for category, by_k, _ in rows:
        groups[category].append(by_k)
    return Result(
        _means(KS, [by_k for _, by_k, _ in rows]),
        _means(KS, [by_k for category, by_k, _ in rows if category in ANSWERABLE]),
        {category: _means(KS, groups[category]) for category in sorted(groups)},
        _means(SESSION_KS, [hits for _, _, hits in rows]),
    )


def _means(ks: tuple[int, ...], rows: list[list[float]]) -> dict[int, float]:
    count = max(1, len(rows))
    return {k: 100 * sum(row[at] for row in rows) / count for at, k in enumerate(ks)}


def of_system(system: tuple[str, ...], lending: Lending) -> Callable[..., list[str]]:
    """How a system orders the turns for a question."""
    return lambda tables, _, asked: ranked(tables, asked.text, system, lending)


def at_random(_: Tables, dialog: Dialog, asked: Asked) -> list[str]:
    """The order that a search must beat."""
    return shuffled(dialog.turns, len(asked.text))


# --- printing ---


def report(path: Path, dialogs: list[Dialog]) -> list[str]:
    """The tables, in Markdown."""
    digest = sha256(path.read_bytes()).hexdigest()[:12]
    count = sum(len(dialog.asked) for dialog in dialogs)
    turns = sum(len(dialog.turns) for dialog in dialogs)
    heads = (_ks("R", KS), _ks("cat. 1-4 R", KS), _ks("session hit", SESSION_KS))
    what = f"{len(dialogs)} conversations, {turns} turns, {count} questions"
    lines = [
        f"{path.name} (sha256 {digest}...): {what}. Recall in %.",
        "",
        f"| system | {' | '.join(heads)} | s |",
        "|" + "---|" * (2 + 2 * len(KS) + len(SESSION_KS)),
    ]
    orders = {RANDOM: at_random} | {
        name: of_system(system, Lending()) for name, system in SYSTEMS.items()
    }
    for name, order_of in orders.items():
        start = time.process_time()
        last = measure(dialogs, order_of)
        spent = time.process_time() - start
        shown = (last.overall, last.answerable, last.sessions)
        cells = " | ".join(_cells(values) for values in shown)
        lines.append(f"| {name} | {cells} | {spent:.1f} |")
    lines += [
        "",
        f"| all, by category | {_ks('R', KS)} |",
        "|" + "---|" * (1 + len(KS)),
    ]
    lines += [
        f"| {CATEGORIES.get(number, number)} | {_cells(values)} |"
        for number, values in last.category.items()
    ]
    return lines


def _ks(what: str, ks: tuple[int, ...]) -> str:
    return " | ".join(f"{what}@{k}" for k in ks)


def _cells(values: dict[int, float]) -> str:
    return " | ".join(f"{value:.1f}" for value in values.values())


def sweep(dialogs: list[Dialog]) -> list[str]:
    """Recall by the weights of neighbours, the mean over the first ks first."""
    steps = (0.0, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    found = []
    for before in steps:
        for after in steps:
            result = measure(dialogs, of_system(ARMS, Lending(before, after)))
            mean = sum(result.overall.values()) / len(KS)
            found.append((mean, -before, -after, result.overall))
    return [
        f"before {-before:.2f} after {-after:.2f}: {mean:.1f} ({_cells(overall)})"
        for mean, before, after, overall in sorted(found, key=lambda x: x[:3])[::-1]
    ]


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--sweep", action="store_true")
    given = parser.parse_args()
    dialogs = load(given.path)
    print("\n".join(sweep(dialogs) if given.sweep else report(given.path, dialogs)))


if __name__ == "__main__":
    main()
