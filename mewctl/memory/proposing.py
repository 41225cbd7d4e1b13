"""Asking a model which notes to change, and reading its answer. Pure but for the model.

An answer that cannot be read, or has an item that is no action, is asked for once more
with the reason. A second such answer is refused with its text, so that nothing is
dropped in silence.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.errors import ProviderRefused
from mewctl.history.facts import Facts
from mewctl.memory import actions, prompt
from mewctl.memory.extract_json import extract
from mewctl.memory.finding import NoSuchNote, find
from mewctl.providers.protocol import Limits, SummaryRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mewctl.history.view import Message
    from mewctl.memory.actions import Action
    from mewctl.memory.note import Note
    from mewctl.providers.protocol import Prose, Provider

_NONE = frozenset({"none", "no action", "no_action", "noop", "nothing", "skip"})


class BadAnswer(ProviderRefused):
    """{what}; {remedy}"""

    @property
    def answer(self) -> str:
        """The model's answer as it came."""
        return str(self.fields["answer"])


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model proposes. ``unseen``: messages that it was not shown.

    ``truncated``: its answer was cut short; the actions are those that were whole.
    """

    actions: tuple[Action, ...]
    truncated: bool = False
    unseen: int = 0
    over: int = 0  # actions beyond ``limits.ACTIONS_MOST``, which are left out


def ask(
    messages: Sequence[Message],
    notes: Sequence[Note],
    provider: Provider,
    estimate: Callable[[str], float],
) -> Proposal:
    """The model's proposal. Raises ``BadAnswer``, and what the provider raises."""
    why = ""
    for _ in range(limits.ANSWER_TRIES):
        made, unseen = prompt.make(messages, notes, provider.delimiter(), why)
        prose = provider.write(
            SummaryRequest(
                Facts(), "en", Limits(0, limits.UPDATE_ANSWER), estimate, prompt=made
            )
        )
        proposal, why = _judged(prose, notes)
        if not why:
            return replace(proposal, unseen=unseen)
    where = f" (request {prose.request_id})" if prose.request_id else ""
    raise BadAnswer(
        what=f"the answer of {provider.name} was refused twice{where}: {why}",
        remedy="try another model, or --provider offline",
        answer=prose.answer,
    )


def _judged(prose: Prose, notes: Sequence[Note]) -> tuple[Proposal, str]:
    """The proposal in an answer, and why it cannot be used ("" if it can)."""
    if prose.stop == "refusal":
        return Proposal(()), "the model refused"
    found = extract(prose.answer)
    truncated = found.truncated or prose.stop == "length"
    objects = [value for value in found.objects if not _is_none(value)]
    none_said = found.nothing or len(objects) < len(found.objects)
    if found.broken:
        return Proposal(()), f"no JSON: {found.broken[0]}"
    if not objects and not (none_said and not truncated):
        return Proposal(()), "it was cut short" if truncated else "no JSON list in it"
    read: list[Action] = []
    for number, value in enumerate(objects, 1):
        try:
            read.append(_known(actions.read(_plain(value)), notes))
        except actions.BadAction as error:
            return Proposal(()), f"item {number}: {error}"
    over = max(0, len(read) - limits.ACTIONS_MOST)
    return Proposal(tuple(read[: limits.ACTIONS_MOST]), truncated, over=over), ""


def _is_none(value: dict[str, object]) -> bool:
    return str(value.get("action", "")).strip().lower() in _NONE


def _plain(value: dict[str, object]) -> dict[str, object]:
    """An item without what is not a model's to say: whose word it is, what it saw."""
    ours = ("source", "source_session", "if_match", "replace")
    return {key: item for key, item in value.items() if key not in ours}


def _known(action: Action, notes: Sequence[Note]) -> Action:
    """An update or delete of the note as it was shown; a hand edit since is seen."""
    if action.kind == "create":
        return action
    try:
        note = find(notes, action.name, action.level)
    except NoSuchNote:
        return action  # told when it is applied
    return replace(action, id=note.id, level=note.level, if_match=note.hash)
