"""What ``memory propose`` and ``update`` do: hear, ask, check, apply, note how far."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.commands.memory.applying import apply_all
from mewctl.commands.memory.hearing import Heard, heard
from mewctl.commands.memory.places import gathered, stores
from mewctl.commands.notes import note as say
from mewctl.commands.providing import provider_from
from mewctl.errors import Exit, Locked, MewError
from mewctl.memory import actions as shape
from mewctl.memory import cursor
from mewctl.memory.evidence import said
from mewctl.memory.proposing import BadAnswer, Proposal, ask
from mewctl.memory.remembering import proposals
from mewctl.memory.signals import finished_turns, signalled
from mewctl.memory.value import stamp
from mewctl.store.files import AlreadyThere, create_exclusive, private_dir
from mewctl.store.lock import locked
from mewctl.store.log import Log
from mewctl.streams.jsonvalue import dumps
from mewctl.streams.printable import counted
from mewctl.streams.secrets import find as find_secrets
from mewctl.streams.stdio import Output

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.memory.actions import Action
    from mewctl.memory.evidence import Said
    from mewctl.memory.store import Store

ANSWERS = "answers"  # beside the notes: answers of a model that could not be used
LOG = "update.log.jsonl"
RUNNING = ".update"  # the directory whose lock an update in the background holds


@dataclass(frozen=True, slots=True)
class _Quiet:
    """Takes results in the place of standard output."""

    lines: list[bytes]

    def write(self, data: bytes | memoryview) -> None:
        self.lines.append(bytes(data))


def propose(options: Mapping[str, Any]) -> None:
    """Print the proposed actions that can be applied; say what is left out, and why."""
    found = heard(options, _main_store(options).directory)
    spoken = said(found.messages)
    good: list[Action] = []
    for action in _proposed(options, found, spoken):
        why = _refusal(action, spoken)
        if why:
            say(f"left out {shape.shown(action)}: {why}")
        else:
            source = spoken.source(action.evidence) if action.evidence else None
            good.append(shape.resting_on(action, source or "model"))
    with Output() as out:
        for action in good:
            out.write(dumps(shape.to_json(action)) + b"\n")


def _refusal(action: Action, spoken: Said) -> str:
    for text in (action.title, action.content, action.evidence):
        secret = next(find_secrets(text), None)
        if secret is not None:
            return f"it holds a secret ({secret.kind})"
    if action.evidence and spoken.source(action.evidence) is None:
        return "its evidence is not in the messages"
    return ""


def update(options: Mapping[str, Any]) -> int:
    """Propose and apply, now or in the background; the exit code."""
    store = _main_store(options)
    found = heard(options, store.directory)
    if not found.messages or (options["if_due"] and not _due(options, found)):
        return Exit.DONE
    if not options["detach"]:
        return _update(options, store, found, None)
    from mewctl.streams.background import in_background

    provider_from(options, "")  # wrong options are told while somebody listens
    if in_background(options["timeout"]):
        _in_background(options, store)
    return Exit.DONE


def _due(options: Mapping[str, Any], found: Heard) -> bool:
    """Whether an update is wanted: enough finished turns, or a signal word."""
    newest = found.messages if found.session else found.last_turn
    if any(signalled(text, options["signals"]) for text in said(newest).user):
        return True
    turns = finished_turns(found.all)
    if found.session:
        return turns >= limits.UPDATE_EVERY
    ended = bool(found.all) and finished_turns(found.last_turn) > 0
    return ended and turns % limits.UPDATE_EVERY == 0


def _update(
    options: Mapping[str, Any], store: Store, found: Heard, out: _Quiet | None
) -> int:
    spoken = said(found.messages)
    actions = _proposed(options, found, spoken)
    values = [
        shape.to_json(action) | {"source_session": found.name} for action in actions
    ]
    code = Exit.DONE
    if values:
        code = Exit(apply_all(options, values, spoken, "update", out=out))
    if found.session:
        with store.lock():
            cursor.save(store.directory, found.session, found.end)
    return code


def _proposed(options: Mapping[str, Any], found: Heard, spoken: Said) -> list[Action]:
    provider = provider_from(options, found.model)
    if not provider.is_model:
        return list(proposals(spoken.user))
    if not found.messages:
        return []
    from mewctl.commands.counting import estimator_for

    estimator = estimator_for(None, found.model)
    notes, _ = gathered({**options, "level": None})
    try:
        proposal = ask(
            found.messages,
            notes,
            provider,
            lambda text: estimator.tokens(text).cautious,
        )
    except BadAnswer as error:
        path = _saved(_main_store(options), error.answer)
        error.fields["what"] = f"{error.fields['what']}; the answer is in {path}"
        raise BadAnswer(**error.fields) from None
    _tell(proposal)
    return list(proposal.actions)


def _saved(store: Store, answer: str) -> str:
    """Keep an answer that could not be used; where it is."""
    data = answer.encode("utf-8", "replace")
    directory = os.path.join(store.directory, ANSWERS)
    with store.lock():
        private_dir(directory)
        path = os.path.join(directory, f"{sha256(data).hexdigest()[:12]}.txt")
        try:
            create_exclusive(path, data)
        except AlreadyThere:  # the same answer as before
            return path
    return path


def _tell(proposal: Proposal) -> None:
    if proposal.truncated:
        say("the answer was cut short: what was whole in it is taken")
    if proposal.unseen:
        oldest = counted(proposal.unseen, "message")
        say(f"the oldest {oldest} did not fit and were not shown to the model")
    if proposal.over:
        over = counted(proposal.over, "action")
        say(f"{over} left out: at most {limits.ACTIONS_MOST} are taken")


def _main_store(options: Mapping[str, Any]) -> Store:
    """The store that keeps the state: the project's, else the user's."""
    return stores({**options, "level": None})[0]


# --- in the background ---


def _in_background(options: Mapping[str, Any], store: Store) -> None:
    """Do it, one at a time for a store; note the outcome where it can be read."""
    ready = os.path.join(store.directory, RUNNING)
    try:
        with store.lock():
            private_dir(ready)
        with locked(ready, 0):
            _log(store, {"event": "started", "session": options["session"]})
            _log(store, _outcome(options, store))
    except Locked:  # another is at it: the cursor will bring ours to the next
        return
    finally:
        os._exit(Exit.DONE)


def _outcome(options: Mapping[str, Any], store: Store) -> dict[str, Any]:
    lines = _Quiet([])
    value: dict[str, Any] = {"event": "done", "session": options["session"]}
    try:
        found = heard(options, store.directory)  # another may have been here since
        value["exit"] = int(_update({**options, "quiet": True}, store, found, lines))
    except MewError as error:
        value |= {"exit": int(error.code), "error": str(error)}
    except Exception as error:  # noqa: BLE001 - nobody else could tell it
        value |= {"exit": int(Exit.BUG), "error": repr(error)}
    return value | {"results": b"".join(lines.lines).decode().splitlines()}


def _log(store: Store, value: dict[str, Any]) -> None:
    record = {"type": "memory_update", "time": stamp(time.time()), **value}
    with Log(os.path.join(store.directory, LOG)) as log:
        log.append(dumps(record) + b"\n")
