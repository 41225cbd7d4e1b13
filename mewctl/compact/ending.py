"""Where a record ends and what may come next: sections 8 and 9 as items. Pure.

Says what the record shows: whether an answer or a result is missing, what is open, what
the assistant announced or asked. Must not advise: a summary is a record, not a task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl import limits
from mewctl.compact.extracts import announced, left_for_later, questions
from mewctl.compact.piece import (
    Item,
    Piece,
    Rank,
    at_message,
    note_list,
    outcome_note,
    plain_line,
    quoted_block,
)
from mewctl.compact.quote import block, clip, ends, inline, name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.compact.sections import Words
    from mewctl.history.facts import Facts, LastCall

Standing: TypeAlias = Literal["user", "call", "result", "text", "nothing"]


def ending_items(facts: Facts, words: Words, *, follows: bool) -> Iterator[Item]:
    """The lines of sections 8 and 9.

    ``follows``: the newest messages stand verbatim after the summary.
    """
    yield from _current(facts, words, follows=follows)
    yield from _next(facts, words, follows=follows)


def standing(facts: Facts) -> tuple[Standing, int]:
    """What the record ends with, and the number of that message."""
    user = facts.users[-1].n if facts.users else 0
    call = facts.last_calls[-1] if facts.last_calls else None
    said = facts.said[-1].n if facts.said else 0
    if user > max(call.n if call else 0, said):
        return "user", user
    if call is None or said > call.n:
        return ("text", said) if facts.last_text else ("nothing", 0)
    if call.outcome == "unknown" and not call.excerpt:
        return "call", call.n
    return "result", call.n


def _current(facts: Facts, words: Words, *, follows: bool) -> Iterator[Item]:
    text = _stop(facts, words, follows=follows)
    if text:
        yield Item(8, "", plain_line(f"- {text}"))
    for place, call in enumerate(facts.last_calls, 1 - len(facts.last_calls)):
        rank = Rank.CALL if place else Rank.LAST_CALL
        excerpt = Rank.EXCERPT if place else Rank.LAST_EXCERPT
        head = Piece((rank, -place), _call_lines(call, words), "calls")
        details = (quoted_block((excerpt, -place), "", call.excerpt, words),)
        yield Item(8, words.last_calls, head, details if call.excerpt else ())
    if facts.last_text:
        forms = _last_words(facts, words)
        share = limits.LAST_WORDS_SHARE
        yield Item(8, "", Piece((Rank.LAST_TEXT, 0), forms, "excerpts", share))


def _stop(facts: Facts, words: Words, *, follows: bool) -> str:
    """Where the record ends; of what the messages after it go on with, only where."""
    kind, number = standing(facts)
    if follows and kind == "user":
        return words.stops_user.format(number)
    if follows and kind == "result":
        return words.stops_result.format(number)
    said = {
        "user": words.ends_user,
        "call": words.ends_call,
        "result": words.ends_result,
        "text": words.ends_text,
        "nothing": "",
    }
    lines = [said[kind].format(number), words.follows if follows else ""]
    return words.between.join(line for line in lines if line)


def _call_lines(call: LastCall, words: Words) -> tuple[str, ...]:
    notes = note_list(
        words, outcome_note(call.outcome, words), at_message(call.n, words)
    )
    shown = (call.target, clip(call.target, limits.SUMMARY_LINE))
    lines = (f"- {name(call.tool)} {inline(target)}{notes}" for target in shown)
    return tuple(dict.fromkeys(lines))


def _last_words(facts: Facts, words: Words) -> tuple[str, ...]:
    text = facts.last_text
    label = f"{words.last_text}:"
    if facts.said:
        number = words.message.format(facts.said[-1].n)
        label = words.group.format(words.last_text, number)
    forms = [f"{label}\n{block(text)}"]
    for head, tail in limits.LAST_WORDS:
        first, more, last = ends(text, head, tail)
        if more:
            cut = f"  {words.cut.format(more)}"
            forms.append("\n".join((label, block(first), cut, block(last))))
    return tuple(forms)


def _next(facts: Facts, words: Words, *, follows: bool) -> Iterator[Item]:
    lines = [words.next_follows] if follows else []
    todos = [todo for todo in facts.todos if todo.state == "doing"]
    todos += [todo for todo in facts.todos if todo.state == "open"]
    lines += [
        f"{words.next_todo}{inline(todo.text)}" for todo in todos[: limits.NEXT_QUOTES]
    ]
    kind, number = standing(facts)
    if kind == "user" and not follows:
        lines.append(words.unanswered.format(number))
    elif kind == "call":
        lines.append(words.no_result.format(number))
    if kind != "user":
        lines += [
            label.format(n) + f"“{inline(text)}”"
            for label, n, text in _announced(
                facts, words, at_end=kind == "text" and not follows
            )
        ]
        asked = questions(facts.last_text)[-limits.NEXT_QUOTES :]
        lines += [f"{words.asked}“{inline(text)}”" for text in asked]
    for text in lines or [words.no_next]:
        yield Item(9, "", plain_line(f"- {text}"))


def _announced(
    facts: Facts, words: Words, *, at_end: bool
) -> list[tuple[str, int, str]]:
    """What the assistant said would come next: label, number of the message, words.

    From its last words, else from the ends of the last turns that name something left.
    ``at_end``: nothing was done after its last words. Otherwise, and of earlier words,
    what was to be done at once has been done since.
    """
    last = facts.said[-1].n if facts.said else facts.messages
    found = (announced if at_end else left_for_later)(facts.last_text)
    if found:
        return [(words.next_said, last, text) for text in found[-limits.NEXT_QUOTES :]]
    asked = [user.n for user in facts.users[-limits.NEXT_TURNS :]]
    for n in reversed(asked):
        before = [said for said in facts.said if said.n < n]
        found = left_for_later(before[-1].text) if before else []
        if found:
            label, last = words.next_said_before, before[-1].n
            return [(label, last, text) for text in found[-limits.NEXT_QUOTES :]]
    return []
