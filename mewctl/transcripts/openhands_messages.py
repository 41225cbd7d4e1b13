"""Events of an OpenHands conversation, once parsed, as messages.

Calls and what the model said with them are those of the response that is recorded with
the event; where none is, the action itself is the call. Parts carry no raw block;
opaque parts do. Events may hold values of any type in any place. Must not decide which
events are live.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.formats.blocks import as_optional, as_text, json_text
from mewctl.history.formats.openai_make import read_arguments
from mewctl.history.usage import normalise
from mewctl.history.view import Call, Content, Message, Part, Result, Text
from mewctl.history.words import own_words
from mewctl.transcripts.chat_parts import calls, contents, parts, thoughts
from mewctl.transcripts.telling import as_object, listed, seconds, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mewctl.history.view import Usage
    from mewctl.transcripts.openhands_log import Event

# What an action holds beside what it asks for.
_BESIDE = frozenset(
    {"thought", "security_risk", "confirmation_state", "is_confirmed", "hidden"}
    | {
        "blocking",
        "is_input",
        "is_static",
        "cwd",
        "impl_source",
        "translated_ipython_code",
    }
)
_SAID = ("message", "finish", "reject", "system")
_FAILED = ("error", "user_rejected", "UserRejectObservation", "AgentErrorEvent")


def told_of(event: Mapping[str, Any]) -> list[Any]:
    """What may be told of an event."""
    return list(event.values())


def _time(event: Mapping[str, Any]) -> float | None:
    return seconds(event.get("timestamp"))


# --- the model ---


def assistant_message(
    events: Sequence[Event], values: Sequence[Mapping[str, Any]]
) -> Message | None:
    """The message that the events of one response are; None if it says nothing."""
    told: list[Part] = []
    response: Mapping[str, Any] = {}
    for event, value in zip(events, values, strict=True):
        recorded = _response(value)
        if event.kind in ("MessageEvent", "ActionEvent"):
            told += _new_parts(value)
        elif recorded and event.kind not in _SAID:
            response = response or recorded
            told += (
                [] if any(isinstance(p, Call) for p in told) else _recorded(recorded)
            )
        else:
            response = response or recorded
            told += _action(event, value)
    if not told:
        return None
    model = as_optional(response.get("model"))
    usage = None if events[0].stale else _usage(response)
    return Message("assistant", tuple(told), _time(values[0]), model, usage)


def _response(value: Mapping[str, Any]) -> Mapping[str, Any]:
    about = as_object(value.get("tool_call_metadata"))
    return as_object(about.get("model_response"))


def _choice(response: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return as_object(as_object(first).get("message"))


def _recorded(response: Mapping[str, Any]) -> list[Part]:
    message = _choice(response)
    said = [part for part in parts(message.get("content")) if _says(part)]
    return [*thoughts(message), *said, *calls(message.get("tool_calls"))]


def _says(part: Part) -> bool:
    return not isinstance(part, Text) or bool(part.text.strip())


def _usage(response: Mapping[str, Any]) -> Usage | None:
    usage = as_object(response.get("usage"))
    return normalise({k: v for k, v in usage.items() if v is not None})


def _action(event: Event, value: Mapping[str, Any]) -> list[Part]:
    """What an action says that no response is recorded with, or that is no call."""
    given = as_object(value.get("args"))
    thought = given.get("thought")
    words = thought if isinstance(thought, str) else as_object(thought).get("text")
    if event.kind in _SAID:
        said = [as_text(_choice(_response(value)).get("content")), as_text(words)]
        said += [as_text(given.get("content")), as_text(given.get("final_thought"))]
        texts = dict.fromkeys(text for text in said if text.strip())
        outputs = as_object(given.get("outputs"))
        if event.kind == "reject" and outputs:
            texts[json_text(outputs)] = None
        images = {"type": "image", "image_urls": given.get("image_urls")}
        shown = parts(images) if given.get("image_urls") else []
        return [*map(Text, texts), *shown]
    asked = {key: item for key, item in given.items() if key not in _BESIDE}
    said_first = [Text(words)] if isinstance(words, str) and words.strip() else []
    return [*said_first, Call(event.call, event.kind, asked)]


def _new_parts(value: Mapping[str, Any]) -> list[Part]:
    """What an event of the new form says: a message, or a thought and a call."""
    message = as_object(value.get("llm_message"))
    if message:
        said = [part for part in parts(message.get("content")) if _says(part)]
        return [*thoughts(message), *said, *calls(message.get("tool_calls"))]
    call = as_object(value.get("tool_call"))
    made = calls([call]) if call else []
    if not made:
        name = as_text(value.get("tool_name"))
        asked = as_object(value.get("action"))
        given = {key: item for key, item in asked.items() if key != "kind"}
        made = [Call(as_text(value.get("tool_call_id")), name, read_arguments(given))]
    said = [part for part in parts(value.get("thought")) if _says(part)]
    return [*thoughts(value), *said, *made]


# --- tools ---


def results_message(
    events: Sequence[Event], values: Sequence[Mapping[str, Any]]
) -> Message | None:
    """One message of role ``tool`` with the results that ``events`` are."""
    if not values:
        return None
    results = tuple(
        Result(event.answers, tuple(_content(event, value)), _failed(event, value))
        for event, value in zip(events, values, strict=True)
    )
    return Message("tool", results, _time(values[0]))


def _failed(event: Event, value: Mapping[str, Any]) -> bool:
    extras, seen = as_object(value.get("extras")), as_object(value.get("observation"))
    marks = [extras.get("error"), extras.get("isError")]
    marks += [seen.get("is_error"), seen.get("error")]
    return event.kind in _FAILED or True in marks or bool(as_text(seen.get("error")))


def _content(event: Event, value: Mapping[str, Any]) -> list[Content]:
    """What the model was shown of a result."""
    if event.kind == "UserRejectObservation":
        return [Text(f"Action rejected: {as_text(value.get('rejection_reason'))}")]
    if event.kind == "AgentErrorEvent":
        return contents(value.get("error"))
    if event.kind == "ObservationEvent":
        seen = as_object(value.get("observation"))
        said = seen.get("content")
        about = as_object(seen.get("metadata"))
        if said is None or said == []:
            said = as_text(seen.get("output")) or as_text(seen.get("error"))
            about = about or seen
        more = contents(value.get("extended_content"))
        return [*_framed(contents(said), about), *more]
    extras = as_object(value.get("extras"))
    about = as_object(extras.get("metadata")) or extras
    shown = contents(value.get("content")) or contents(extras.get("diff"))
    images = {"type": "image", "image_urls": extras.get("image_urls")}
    shown += contents(images) if extras.get("image_urls") else []
    return _framed(shown, about) if event.kind == "run" else shown


def _framed(shown: list[Content], about: Mapping[str, Any]) -> list[Content]:
    """The output of a command as OpenHands shows it: with its exit code at the end."""
    before, after = as_text(about.get("prefix")), as_text(about.get("suffix"))
    if as_text(about.get("working_dir")):
        after += f"\n[Current working directory: {about['working_dir']}]"
    code = about.get("exit_code")
    if isinstance(code, int) and not isinstance(code, bool) and code != -1:
        after += f"\n[Command finished with exit code {code}]"
    if not before and not after:
        return shown
    texts = [part.text for part in shown if isinstance(part, Text)]
    rest = [part for part in shown if not isinstance(part, Text)]
    return [Text(before + "".join(texts) + after), *rest]


# --- the user, and what OpenHands says in the user's place ---


def other_messages(
    event: Event, value: Mapping[str, Any], *, first: bool
) -> Iterator[Message]:
    """What any other event says. ``first``: nothing was said before it."""
    time = _time(value)
    users = value.get("source") == "user"
    system = [*parts(value.get("system_prompt")), *parts(value.get("dynamic_context"))]
    if event.kind == "SystemPromptEvent":
        yield from _system(system, time, first=first)
    elif event.kind == "system":
        content = as_object(value.get("args")).get("content")
        yield from _system(parts(content), time, first=first)
    elif event.kind in ("MessageEvent", "message"):
        message = as_object(value.get("llm_message"))
        old = _action(event, value) if not message else []
        said = old or parts(message.get("content"))
        more = [(True, part) for part in parts(value.get("extended_content"))]
        whose = ((not users or _injected(part), part) for part in said)
        yield from spoken([*whose, *more], time)
    else:
        told = list(_beside(event, value))
        if told:
            yield Message("user", tuple(told), time, injected=True)


def _injected(part: Part) -> bool:
    return isinstance(part, Text) and not own_words(part.text)


def _system(
    told: Sequence[Part], time: float | None, *, first: bool
) -> Iterator[Message]:
    if told and first:
        yield Message("system", tuple(told), time)
    elif told:
        yield Message("user", tuple(told), time, injected=True)


def _beside(event: Event, value: Mapping[str, Any]) -> Iterator[Part]:
    """Injected text: what the user ran, what was looked up, results of no call."""
    given, extras = as_object(value.get("args")), as_object(value.get("extras"))
    if event.kind == "recalled":
        keys = ("repo_instructions", "additional_agent_instructions")
        yield from (Text(as_text(extras[k])) for k in keys if as_text(extras.get(k)))
        for item in listed(extras.get("microagent_knowledge")):
            content = as_text(as_object(item).get("content"))
            yield from [Text(content)] if content else []
    elif event.kind == "run" and event.call:
        yield Text(f"User executed the command:\n{as_text(given.get('command'))}")
    elif event.call:
        yield from _action(event, value)[:-1]
        yield Text(f"The user asked for {event.kind}: {json_text(dict(given))}")
    elif event.kind == "CondensationSummaryEvent":
        yield from parts(value.get("summary"))
    else:
        yield from _content(event, value)
