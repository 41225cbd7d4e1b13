"""The gate: what of a model's answer may replace history. Pure.

Refuses an answer whole that is incomplete, empty, inflated, in another language or
without its sections; of any other it drops the sentences that name what the transcript
does not hold, and marks numbers that it does not hold. Both are listed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact import answer, claims
from mewctl.compact.extracts import split_line
from mewctl.compact.quote import clip, neutralise, open_fence
from mewctl.history.tongue import NAMES, tongue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mewctl.compact.claims import Claims
    from mewctl.compact.evidence import Evidence
    from mewctl.compact.texts import Lang
    from mewctl.providers.protocol import Prose

#: Stands behind a number that the transcript does not hold.
MARK: dict[Lang, str] = {"en": " [unverified]", "zh": " [未核实]"}

_STOPS = {
    "length": "the answer was cut at its maximum of tokens",
    "refusal": "the model refused",
}


@dataclass(frozen=True, slots=True)
class Standard:
    """What an answer is held against.

    ``most``: tokens of what it replaces. ``tongue``: the language of the user's
    messages, "" where that does not show. ``delimiter``: the word around the record in
    the request, "" for none.
    """

    evidence: Evidence
    lang: Lang
    tongue: str
    most: float
    estimate: Callable[[str], float]
    delimiter: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The sections that may be used, or why the answer is ``refused``.

    ``dropped``: sentences with what is unknown in them; ``marked``: numbers, with their
    sentences.
    """

    sections: Mapping[int, str] = field(default_factory=dict)
    refused: str = ""
    dropped: tuple[str, ...] = ()
    marked: tuple[str, ...] = ()


def judge(prose: Prose, standard: Standard) -> Verdict:
    """What of ``prose.answer`` may be used."""
    text = answer.kept(prose.answer)
    found = answer.sections(text)
    refused = _refused(prose, text, found, standard)
    if refused:
        return Verdict(refused=refused)
    lists = _Lists()
    sections = {
        number: neutralise("\n".join(_vetted(found[number], standard, lists)))
        for number in answer.ASKED
        if number in found
    }
    if not any(sections.values()):
        why = "no sentence of it is borne out by the transcript"
        return Verdict(refused=f"{why}, as in: {lists.dropped[0]}")
    kept = {number: text for number, text in sections.items() if text}
    return Verdict(kept, "", tuple(lists.dropped), tuple(lists.marked))


def _refused(
    prose: Prose, text: str, found: Mapping[int, str], standard: Standard
) -> str:
    """Why the answer cannot be used at all; empty if it can."""
    if why := _no_answer(prose, text, standard.delimiter):
        return why
    missing = [str(number) for number in answer.ASKED if number not in found]
    if missing:
        return f"sections are missing: {', '.join(missing)}"
    if not any(found[number].strip() for number in answer.ASKED):
        return "the answer is nothing but headings"
    size = standard.estimate(text)
    if size >= standard.most:
        return f"the answer ({size:.0f} tokens) is not smaller than what it replaces"
    wanted, written = standard.tongue, tongue(found.values())
    if wanted and written and written != wanted:
        return f"the answer is in {NAMES[written]}, the user writes {NAMES[wanted]}"
    return ""


def _no_answer(prose: Prose, text: str, delimiter: str) -> str:
    if prose.stop in _STOPS or not text.strip():
        return _STOPS.get(prose.stop, "the answer is empty")
    return "the answer repeats the request" if delimiter and delimiter in text else ""


@dataclass(slots=True)
class _Lists:
    dropped: list[str] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)


def _vetted(text: str, standard: Standard, lists: _Lists) -> Iterator[str]:
    """The lines of a section without what is not borne out."""
    for line, is_code in _blocks(text):
        if is_code:
            unknown = _unknown_code(line, standard.evidence)
            if unknown:
                lists.dropped.append(_told(line, unknown))
            else:
                yield line
            continue
        pieces = [_vetted_sentence(p, standard, lists) for p in split_line(line)]
        whole = "".join(pieces).rstrip()
        if whole.strip(" \t-*+•>#") or not line.strip():
            yield whole


def _blocks(text: str) -> Iterator[tuple[str, bool]]:
    """Lines, and fenced blocks whole, each with whether it is such a block."""
    held: list[str] = []
    for line in text.split("\n"):
        held.append(line)
        if not open_fence(held):
            yield "\n".join(held), len(held) > 1
            held = []
    if held:
        yield "\n".join(held), True


def _unknown_code(block: str, evidence: Evidence) -> str:
    """The first line of a fenced block that is not in the transcript."""
    body = block.split("\n")[1:]
    lines = [
        line.strip() for line in body if not line.strip().startswith(("```", "~~~"))
    ]
    said = (line.removeprefix("$ ") for line in lines if len(line) >= limits.CODE_LINE)
    return next((line for line in said if not evidence.says(line)), "")


def _vetted_sentence(sentence: str, standard: Standard, lists: _Lists) -> str:
    """The sentence, marked where it must be; empty if it is dropped."""
    evidence = standard.evidence
    found = claims.find(sentence)
    unknown = next(_unknown(found, evidence), "")
    if unknown:
        lists.dropped.append(_told(sentence, unknown))
        return ""
    numbers = frozenset(n for n in found.numbers if not evidence.counts(n))
    if not numbers:
        return sentence
    lists.marked += [_told(sentence, number) for number in sorted(numbers)]
    return claims.with_mark(sentence, numbers, MARK[standard.lang])


def _unknown(found: Claims, evidence: Evidence) -> Iterator[str]:
    """What a sentence names that the transcript does not."""
    yield from (path for path in found.paths if not evidence.names(path))
    for code in found.code:
        if not (evidence.says(code) or evidence.names(code)):
            yield code
    yield from (quote for quote in found.quotes if not evidence.says(quote))


def _told(sentence: str, what: str) -> str:
    whole = clip(" ".join(sentence.split()), limits.QUOTE)
    return f"{clip(what, limits.QUOTE)}: {whole}"
