"""Asking a model for prose: chunks, the ladder down when it is too long, one retry.

Pure but for the provider it is given. Owns the order of attempts; ``prompt`` words
them, ``gate`` judges them. Nothing is given up in silence: what a model did not see is
in the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact import flatten, gate, prompt
from mewctl.compact.evidence import Evidence
from mewctl.errors import CannotFit, ProviderRefused
from mewctl.history.tongue import tongue
from mewctl.history.usage import plus
from mewctl.providers.protocol import Prose, SummaryRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewctl.compact.gate import Verdict
    from mewctl.history.facts import Facts
    from mewctl.providers.protocol import Prompt, Provider

Turn = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """What prose is wanted for, and by what it is judged.

    ``request`` is as a provider without a model gets it. ``facts`` is what code will
    print, as text; ``transcript`` all texts that may be quoted. ``replaced``: tokens of
    the messages that the summary stands for.
    """

    request: SummaryRequest
    facts: str
    transcript: Sequence[str]
    replaced: float


@dataclass(frozen=True, slots=True)
class _Rung:
    """How far a request has been cut down: characters of a tool's text, turns gone."""

    most: int = limits.FLAT_TOOL_TEXT
    dropped: int = 0
    tries: int = 0


@dataclass(slots=True)
class _Asked:
    """One task being worked on, and what its report will say."""

    task: Task
    provider: Provider
    standard: gate.Standard
    dropped: list[str] = field(default_factory=list)
    marked: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    last: Prose = field(default_factory=Prose)

    @property
    def answer(self) -> int:
        """Tokens that an answer may take, draft and summary together."""
        most = self.task.request.limits.answer
        window = self.provider.window
        share = int(window * limits.PROVIDER_ANSWER_SHARE)
        return min(most, share) if window else most


def ask(task: Task, provider: Provider) -> Prose:
    """Prose that has passed the gate.

    Raises ``ProviderRefused`` when the second answer is no better than the first,
    ``CannotFit`` when one turn is too long for the model, and what the provider raises.
    """
    request = task.request
    users = [user.text for user in request.facts.users]
    standard = gate.Standard(
        Evidence(task.transcript, _cwd(request.facts)),
        request.lang,
        tongue(users),
        task.replaced,
        request.estimate,
    )
    asked = _Asked(task, provider, standard)
    turns = flatten.turns(request.messages, limits.FLAT_TOOL_TEXT)
    chunks = _chunks(asked, turns)
    previous = dict(request.previous)
    for number, chunk in enumerate(chunks, 1):
        verdict = _chunk(asked, chunk, previous, (number, len(chunks)))
        previous = dict(verdict.sections)
    return replace(
        asked.last,
        sections=previous,
        dropped=tuple(asked.dropped),
        marked=tuple(asked.marked),
        unseen=tuple(asked.unseen),
    )


def _cwd(facts: Facts) -> str:
    from mewctl.history.facts import CWD

    found = facts.extra.get(CWD)
    return found if isinstance(found, str) else ""


# --- chunks ---


def _chunks(asked: _Asked, turns: list[Turn]) -> list[list[Turn]]:
    """The turns in pieces that fit the model's window; all in one where it is unknown.

    A turn that is too long for a piece alone is cut between its messages.
    """
    window = asked.provider.window
    estimate = asked.task.request.estimate
    if not window:
        return [turns]
    bare = _prompt(asked, [], dict(asked.task.request.previous), (9, 9), "")
    form = estimate(bare.system) + estimate(bare.user) + asked.task.request.limits.prose
    room = window * limits.PROVIDER_WINDOW_SHARE - form - asked.answer
    if room <= 0:
        raise CannotFit(
            what=f"a window of {window} tokens has no room for a summary's request",
            remedy="use a provider with a larger window",
        )
    found: list[list[Turn]] = [[]]
    used = 0.0
    for turn in _pieces(turns, room, estimate):
        size = sum(estimate(text) for text in turn)
        if found[-1] and used + size > room:
            found.append([])
            used = 0.0
        found[-1].append(turn)
        used += size
    return found


def _pieces(
    turns: list[Turn], room: float, estimate: Callable[[str], float]
) -> list[Turn]:
    """The turns; one that exceeds ``room`` in several."""
    found: list[Turn] = []
    for turn in turns:
        if sum(map(estimate, turn)) <= room:
            found.append(turn)
        else:
            found += ((text,) for text in turn)
    return found


def _chunk(
    asked: _Asked, turns: list[Turn], previous: dict[int, str], part: tuple[int, int]
) -> Verdict:
    """The judged answer for one chunk, cut down for as long as it is too long."""
    rung = _Rung()
    while True:
        seen = _cut(turns, rung)
        try:
            verdict = _judged(asked, seen, previous, part)
        except CannotFit as error:
            rung = _lower(rung, turns, error)
            continue
        _note(asked, turns, rung)
        return verdict


def _cut(turns: list[Turn], rung: _Rung) -> list[Turn]:
    left = turns[rung.dropped :]
    if rung.most == limits.FLAT_TOOL_TEXT:
        return left
    return [tuple(flatten.shorter(text, rung.most) for text in turn) for turn in left]


def _lower(rung: _Rung, turns: list[Turn], error: CannotFit) -> _Rung:
    """The next rung: first shorter tool text, then fewer turns. Never the last turn."""
    if rung.most > limits.FLAT_TOOL_LEAST:
        return replace(rung, most=limits.FLAT_TOOL_LEAST)
    left = len(turns) - rung.dropped
    if left <= 1:
        raise CannotFit(
            what=f"one turn is too long for the provider: {error.fields['what']}",
            remedy="use a provider with a larger window, or --provider offline",
        )
    step = 1
    if rung.tries >= limits.LADDER_SINGLES:
        step = max(1, int(left * limits.LADDER_SHARE))
    return replace(
        rung, dropped=rung.dropped + min(step, left - 1), tries=rung.tries + 1
    )


def _note(asked: _Asked, turns: list[Turn], rung: _Rung) -> None:
    if rung.most != limits.FLAT_TOOL_TEXT:
        asked.unseen.append(f"tool text beyond {rung.most} characters each")
    if rung.dropped:
        asked.unseen.append(f"the oldest {rung.dropped} of {len(turns)} turns")


# --- one answer ---


def _judged(
    asked: _Asked, turns: list[Turn], previous: dict[int, str], part: tuple[int, int]
) -> Verdict:
    """A verdict that lets something pass, after a second try if need be."""
    mend = ""
    for _ in range(limits.ANSWER_TRIES):
        made = _prompt(asked, turns, previous, part, mend)
        prose = _written(asked, made)
        standard = replace(asked.standard, delimiter=made.delimiter)
        verdict = gate.judge(prose, standard)
        if not verdict.refused:
            asked.dropped += verdict.dropped
            asked.marked += verdict.marked
            return verdict
        mend = verdict.refused
    where = f" (request {prose.request_id})" if prose.request_id else ""
    raise ProviderRefused(
        what=f"the answer of {asked.provider.name} was refused twice{where}: {mend}",
        remedy="try another model, or --provider offline",
    )


def _written(asked: _Asked, made: Prompt) -> Prose:
    room = replace(asked.task.request.limits, answer=asked.answer)
    request = replace(asked.task.request, prompt=made, messages=(), limits=room)
    prose = asked.provider.write(request)
    usage = plus(asked.last.usage, prose.usage)
    asked.last = replace(prose, usage=usage)
    return prose


def _prompt(
    asked: _Asked,
    turns: list[Turn],
    previous: dict[int, str],
    part: tuple[int, int],
    mend: str,
) -> Prompt:
    task, request = asked.task, asked.task.request
    span = [text for turn in turns for text in turn]
    return prompt.make(
        prompt.Ask(
            span=span,
            facts=task.facts,
            lang=request.lang,
            delimiter=_delimiter(
                asked.provider, (*span, task.facts, *previous.values())
            ),
            tongue=asked.standard.tongue,
            previous=previous,
            focus=request.focus,
            tokens=max(limits.PROSE_ASKED_LEAST, int(request.limits.prose)),
            part=part,
            mend=mend,
        )
    )


def _delimiter(provider: Provider, texts: Sequence[str]) -> str:
    """A random word that stands nowhere in the texts."""
    while True:
        word = provider.delimiter()
        if not any(word in text for text in texts):
            return word
