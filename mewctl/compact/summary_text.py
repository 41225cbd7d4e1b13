"""How a summary is written: title, headings, facts, the user's words, prose. Pure.

Writes what a draft says is shown and counts what it leaves out. Must not choose.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl.compact import user_words
from mewctl.compact.choice import pieces
from mewctl.compact.quote import inline, name
from mewctl.compact.sections import COUNT, HEADINGS, TITLE, USERS
from mewctl.history.facts import CWD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mewctl.compact.choice import Draft, ProseKey
    from mewctl.compact.piece import Item
    from mewctl.compact.sections import Words
    from mewctl.compact.summary import Pointers
    from mewctl.compact.texts import Lang
    from mewctl.history.facts import Facts


@dataclass(frozen=True, slots=True)
class Source:
    """All that could be shown. ``by``: who wrote the prose."""

    facts: Facts
    items: Sequence[Item]
    prose: Mapping[ProseKey, str]
    by: str
    lang: Lang
    words: Words
    pointers: Pointers


def group_line(group: str, shown: int, total: int, words: Words) -> str:
    """The heading of a group: how many there are, and how many of them are shown."""
    count = f"{total}" if shown == total else f"{shown}/{total}"
    return words.group.format(group, count)


def text_of(source: Source, draft: Draft) -> str:
    """The whole text."""
    lines = _opening(source, draft)
    for number in range(1, COUNT + 1):
        lines += ["", HEADINGS[source.lang][number - 1]]
        lines += _section(source, draft, number)
    return "\n".join(lines) + "\n"


def _opening(source: Source, draft: Draft) -> list[str]:
    words, facts = source.words, source.facts
    lines = [TITLE[source.lang], words.intro.format(facts.messages)]
    if source.by:
        lines.append(words.prose_by + name(source.by))
    if facts.boundaries:
        ids = " ".join(name(boundary) for boundary in facts.boundaries)
        lines.append(words.boundaries + ids)
    cwd = facts.extra.get(CWD)
    if isinstance(cwd, str) and cwd:
        lines.append(words.cwd + name(cwd))
    counts = left_out(source, draft)
    if counts:
        kinds = dict(words.kinds)
        listed = words.comma.join(
            words.counted.format(kinds[kind], n) for kind, n in counts.items()
        )
        lines.append(words.left_out.format(listed))
        if source.pointers.facts_file:
            lines.append(words.facts_file.format(inline(source.pointers.facts_file)))
    return lines


def _section(source: Source, draft: Draft, number: int) -> list[str]:
    lines = _facts_of(source, draft, number)
    if number == USERS:
        lines += _users(source, draft)
    prose = [part for key, part in sorted(draft.prose.items()) if key[0] == number]
    if prose:
        lines += [source.words.prose, *prose]
    if lines:
        return lines
    some = any(item.section == number for item in source.items)
    some = some or any(section == number for section, _ in source.prose)
    return [source.words.omitted if some else source.words.nothing]


def _facts_of(source: Source, draft: Draft, number: int) -> list[str]:
    lines: list[str] = []
    group = ""
    heads = [(i, item) for i, item in enumerate(source.items) if item.section == number]
    totals = Counter(item.group for _, item in heads)
    shown = Counter(item.group for i, item in heads if (i, -1) in draft.facts)
    for index, item in heads:
        if (index, -1) not in draft.facts:
            continue
        if item.group != group:
            group = item.group
            if group:
                lines.append(
                    group_line(group, shown[group], totals[group], source.words)
                )
        keys = ((index, place) for place in range(-1, len(item.details)))
        lines += [draft.facts[key] for key in keys if key in draft.facts]
    return lines


def hidden(source: Source, draft: Draft) -> user_words.Unseen:
    """The user's messages that are not shown, those of earlier texts included."""
    shown = set(draft.users)
    users = enumerate(source.facts.users)
    earlier = user_words.unseen_before(source.facts)
    return user_words.with_unseen(
        earlier, (user for index, user in users if index not in shown)
    )


def _users(source: Source, draft: Draft) -> list[str]:
    users = [source.facts.users[index] for index in sorted(draft.users)]
    unseen = hidden(source, draft)
    recall = source.pointers.recall
    lines = (
        [user_words.pointer(unseen, recall, source.words)] if unseen.stretches else []
    )
    return lines + user_words.blocks(users, source.words)


def left_out(source: Source, draft: Draft) -> dict[str, int]:
    """How many of each kind are not shown, in the order of the kinds."""
    found: Counter[str] = Counter()
    for key, piece in pieces(source.items):
        found[piece.kind] += key not in draft.facts
    found["lines of prose"] = len(source.prose) - len(draft.prose)
    found["user messages"] = hidden(source, draft).count
    return {kind: found[kind] for kind, _ in source.words.kinds if found[kind]}
