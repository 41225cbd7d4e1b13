"""The summary of dropped history as text: nine sections, each facts, then prose. Pure.

Owns its size: what goes in, within budgets that are never exceeded. ``summary_text``
writes it, ``summary_read`` reads it back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, TypeAlias

from mewctl.compact import user_words
from mewctl.compact.choice import (
    Costs,
    Draft,
    fill_facts,
    fill_prose,
    pieces,
    share_out,
)
from mewctl.compact.items import fact_items
from mewctl.compact.quote import neutralise, open_fence
from mewctl.compact.sections import COUNT, WORDS
from mewctl.compact.summary_text import (
    Source,
    group_line,
    hidden,
    left_out,
    text_of,
)
from mewctl.compact.user_words import Unseen
from mewctl.errors import CannotFit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mewctl.compact.choice import ProseKey
    from mewctl.compact.texts import Lang
    from mewctl.history.facts import Facts
    from mewctl.providers.protocol import Prose

    Estimate: TypeAlias = Callable[[str], float]

#: Where prose goes first when room is short: what is being done, why, what was solved.
PROSE_ORDER = (8, 1, 5, 3, 4, 9, 2, 7, 6)


@dataclass(frozen=True, slots=True)
class Budgets:
    """Room in tokens: the user's words, other facts, prose. The title counts too."""

    users: float
    facts: float
    prose: float

    @property
    def total(self) -> float:
        """What the whole text may take."""
        return self.users + self.facts + self.prose


@dataclass(frozen=True, slots=True)
class Pointers:
    """Where the rest is, and what comes after the summary.

    ``recall`` makes the command that brings back a boundary's records, or an empty text
    where there is none; it is called with an empty id for messages of no boundary.
    ``follows``: the newest messages stand verbatim after the summary.
    """

    recall: Callable[[str], str]
    facts_file: str = ""
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """The text, its size in tokens, and what it leaves out.

    ``left_out`` counts by ``sections.KINDS``; ``unseen`` are the user's messages that
    are pointed at, not shown; ``clipped`` counts facts shown in part.
    """

    text: str
    tokens: float
    left_out: Mapping[str, int] = field(default_factory=dict)
    unseen: Unseen = field(default_factory=Unseen)
    clipped: int = 0


def render(
    facts: Facts,
    prose: Prose,
    budgets: Budgets,
    lang: Lang,
    estimate: Estimate,
    pointers: Pointers,
) -> Summary:
    """The summary of ``facts`` and ``prose`` within ``budgets``.

    Same arguments, same text. Raises ``CannotFit`` if not even the headings fit.
    """
    words = WORDS[lang]
    source = Source(
        facts=facts,
        items=fact_items(facts, words, follows=pointers.follows),
        prose=prose_parts(prose.sections),
        by=", ".join(part for part in (prose.provider, prose.model) if part),
        lang=lang,
        words=words,
        pointers=pointers,
    )
    draft = _everything(source)
    text = text_of(source, draft)
    if estimate(text) > budgets.total:
        draft = _fitting(source, budgets, estimate)
        text = _trimmed(source, draft, budgets.total, estimate)
    whole = {key: piece.forms[0] for key, piece in pieces(source.items)}
    return Summary(
        text=text,
        tokens=estimate(text),
        left_out=left_out(source, draft),
        unseen=hidden(source, draft),
        clipped=sum(whole[key] != form for key, form in draft.facts.items()),
    )


def prose_parts(sections: Mapping[int, str]) -> dict[ProseKey, str]:
    """Harmless prose in parts that may be left out one by one, most valuable first.

    A part is a line, or a fenced block whole; a line that announces something with a
    colon stays with the line after it.
    """
    parts: dict[int, list[str]] = {}
    for section in PROSE_ORDER:
        text = neutralise(sections.get(section, ""))
        parts[section] = _parts(text.split("\n")) if text else []
    return {
        (section, depth): parts[section][depth]
        for depth in range(max(map(len, parts.values())))
        for section in PROSE_ORDER
        if depth < len(parts[section])
    }


def _parts(lines: Sequence[str]) -> list[str]:
    found: list[str] = []
    held: list[str] = []
    for line in lines:
        held.append(line)
        if not (open_fence(held) or line.endswith((":", "："))):
            found.append("\n".join(held))
            held = []
    return [*found, "\n".join(held)] if held else found


# --- choosing ---


def _everything(source: Source) -> Draft:
    shown = {key: piece.forms[0] for key, piece in pieces(source.items)}
    return Draft(list(range(len(source.facts.users))), shown, dict(source.prose))


def _fitting(source: Source, budgets: Budgets, estimate: Estimate) -> Draft:
    """A draft that fits, as far as the costs of its parts add up."""
    bare = estimate(text_of(source, Draft()))
    if bare > budgets.total:
        raise CannotFit(
            what=f"{budgets.total:.0f} tokens have no room for a summary's headings",
            remedy="use a larger window",
        )
    costs = _costs(source, estimate)
    room = budgets.total - bare
    draft = _draft(source, costs, budgets, room)
    # A full text is shorter than the sum: it says less about what is left out.
    spare = budgets.total - estimate(text_of(source, draft))
    for part in (1.0, 0.75, 0.5) if spare > 0 else ():
        fuller = _draft(source, costs, budgets, room + spare * part)
        if estimate(text_of(source, fuller)) <= budgets.total:
            return fuller
    return draft


def _draft(source: Source, costs: Costs, budgets: Budgets, room: float) -> Draft:
    """What fits ``room`` tokens beyond the headings."""
    wants = (
        sum(costs.users),
        sum(costs.forms[piece.forms[0]] for _, piece in pieces(source.items))
        + sum(costs.groups.values()),
        sum(costs.prose.values()) + costs.label * COUNT,
    )
    shares = (budgets.users, budgets.facts, budgets.prose)
    for_users, for_facts, for_prose = share_out(wants, shares, room)
    chosen = user_words.choose(costs.users, for_users, for_prose + for_facts / 2)
    # The two that are always shown may have borrowed: from the prose, then the facts.
    spent = sum(costs.users[index] for index in chosen)
    owed = max(0.0, spent - for_users)
    for_facts -= max(0.0, owed - for_prose)
    shown, left = fill_prose(source.prose, max(0.0, for_prose - owed), costs)
    return Draft(chosen, fill_facts(source.items, for_facts + left, costs), shown)


def _costs(source: Source, estimate: Estimate) -> Costs:
    most = len(source.items)
    forms = {form for _, piece in pieces(source.items) for form in piece.forms}
    groups = {item.group for item in source.items if item.group}
    users = source.facts.users
    return Costs(
        # whole numbers: their sum is the same in every order
        users=[
            ceil(estimate(user_words.message_block(user, "\0", source.words) + "\n"))
            for user in users
        ],
        forms={form: estimate(form + "\n") for form in forms},
        groups={
            group: estimate(group_line(group, most, most + 1, source.words))
            for group in groups
        },
        prose={key: estimate(part + "\n") for key, part in source.prose.items()},
        label=estimate(source.words.prose + "\n"),
    )


def _trimmed(source: Source, draft: Draft, total: float, estimate: Estimate) -> str:
    """The draft's text, with the least valuable parts taken back until it fits.

    Estimates of parts need not add up to the estimate of the whole. What is left at
    last are the headings, which are known to fit.
    """
    text = text_of(source, draft)
    while (over := estimate(text) - total) > 0:
        while over > 0 and (draft.prose or draft.facts or draft.users):
            over -= max(1.0, estimate(_take_back(source, draft)))
        text = text_of(source, draft)
    return text


def _take_back(source: Source, draft: Draft) -> str:
    if draft.prose:
        return draft.prose.popitem()[1]
    if draft.facts:
        return draft.facts.popitem()[1]
    return source.facts.users[draft.users.pop()].text
