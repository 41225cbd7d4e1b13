"""Histories to compact, and compacting them without a process."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field, replace
from pathlib import Path

from mewctl.compact import engine
from mewctl.compact.job import Job, Run
from mewctl.compact.options import Options, Spilled
from mewctl.compact.policy import Numbers
from mewctl.compact.scales import Weights
from mewctl.compact.survey import survey
from mewctl.errors import ProviderUnavailable
from mewctl.history.facts import from_json
from mewctl.history.formats import load
from mewctl.history.lens import lens
from mewctl.history.losses import Losses
from mewctl.history.view import Call, Image, Message, Result, Text, Thinking, Usage
from mewctl.providers.offline import Offline
from mewctl.streams.jsonvalue import dumps, loads
from mewctl.streams.records import Record
from mewctl.tokens.estimator import Estimator

FORMATS = ("mew", "anthropic", "openai", "responses")
THINKERS = ("anthropic", "responses")  # formats whose thinking their API takes back
WINDOWS = (8_000, 16_000, 32_000, 64_000, 128_000, 200_000, 400_000, 1_000_000)
HAN = "缓存"
START = 1_780_000_000.0
ESTIMATOR = Estimator(sets="both")
WORDS = (
    *("cache", "index", "reader", "branch", "commit", "window", "ledger", "config"),
    *("value", "result", "error", "path", "session", "token", "budget", "record"),
    *("parser", "buffer", "stream", "handler", "module", "option"),
)


@dataclass
class Memory:
    """A state that writes nothing down, and spills nothing unless it is told to.

    ``gone``: boundaries whose facts file was deleted.
    """

    saved: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    on_spill: object = None
    on_age: object = None
    on_spill_from: object = None
    acts: list[str] = field(default_factory=list)

    def _act(self, name, hook, records, *more):
        self.acts.append(name)
        return hook(records, *more) if hook else Spilled(records)

    def spill(self, records, _lens):
        return self._act("spill", self.on_spill, records)

    def age_spill(self, records, _lens, keep, least):
        return self._act("age", self.on_age, records, keep, least)

    def spill_from(self, records, _lens, start):
        return self._act("spill from", self.on_spill_from, records, start)

    def facts(self, boundary):
        if boundary in self.gone or boundary not in self.saved:
            return None
        return from_json(loads(self.saved[boundary][1]))

    def address(self, boundary):
        return f"/state/{boundary}.jsonl"

    def facts_address(self, boundary):
        return f"/state/{boundary}.facts.json"

    def recall_command(self, boundary):
        return f"mewctl recall --boundary {boundary}" if boundary else ""

    def save(self, boundary, dropped, facts):
        self.saved[boundary] = (b"".join(line + b"\n" for line in dropped), facts)


# --- histories ---


def prose(rng: random.Random, tokens: int) -> str:
    """Words that cost about so many tokens."""
    return " ".join(rng.choice(WORDS) for _ in range(max(1, round(tokens / 1.9))))


@dataclass(repr=False)
class Talk:
    """A conversation about files and commands, told message by message.

    ``usage``: assistants report what the request took, ``overhead`` tokens more than
    the messages. ``thinking``: they think before they call.
    """

    seed: int = 1
    usage: bool = False
    overhead: int = 0
    thinking: bool = False
    zh: bool = False
    messages: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.calls = 0
        self.tokens = 0
        self.time = START

    def __repr__(self) -> str:
        parts = (f"{m.role} {size(m)}: {m.text[:60]!r}" for m in self.messages)
        return "\n".join(("Talk", *parts))

    def _repr_pretty_(self, printer, _cycle) -> None:
        printer.text(repr(self))

    def add(self, role, *parts):
        """The next message."""
        self.time += 7
        message = Message(role, parts, time=self.time)
        self.tokens += size(message)
        if role == "assistant" and self.usage:
            usage = Usage(input=self.tokens + self.overhead, output=1)
            message = replace(message, usage=usage)
        self.messages.append(message)
        return self

    def fill(self, tokens, step=400):
        """Turns until there are so many tokens."""
        while self.tokens < tokens:
            self.turns(1, tokens=step)
        return self

    def system(self, tokens=50):
        return self.add("system", Text(prose(self.rng, tokens)))

    def user(self, tokens=20, text=""):
        wish = "请修改" if self.zh else "Please change "
        wish += HAN * tokens if self.zh else prose(self.rng, tokens)
        return self.add("user", Text(text or wish))

    def picture(self):
        return self.add("user", Text("look"), Image("image/png", "aGVs" * 40))

    def says(self, tokens=40):
        return self.add("assistant", Text("Done: " + prose(self.rng, tokens)))

    def works(self, calls=1, tokens=200, text="Let me see."):
        """Calls and their results, each of about so many tokens."""
        made = []
        for _ in range(calls):
            self.calls += 1
            name = self.rng.choice(["Read", "Bash", "Edit"])
            path = f"/srv/app/{self.rng.choice(WORDS)}_{self.calls % 9}.py"
            given = {"file_path": path}
            if name == "Bash":
                given = {"command": f"pytest -q {path}"}
            elif name == "Edit":
                given |= {"old_string": "a = 1", "new_string": prose(self.rng, 10)}
            made.append(Call(f"call_{self.seed}_{self.calls}", name, given))
        thought = [Thinking("hm " * 20, "c2lnbmVk" * 8)] if self.thinking else []
        self.add("assistant", *thought, Text(text), *made)
        return self.add("tool", *(self._result(call, tokens) for call in made))

    def _result(self, call, tokens):
        failed = call.name == "Bash" and self.rng.random() < 0.3
        body = "Error: " * failed + prose(self.rng, tokens)
        return Result(call.id, (Text(body),), is_error=failed)

    def turns(self, count, *, steps=3, tokens=200):
        """Whole turns: a request, steps of work, an answer."""
        for _ in range(count):
            self.user()
            for _ in range(steps):
                self.works(calls=self.rng.choice([1, 1, 2]), tokens=tokens)
            self.says()
        return self

    def records(self, form: str) -> tuple[Record, ...]:
        return records_of(self.messages, form)


def size(message: Message) -> int:
    return round(ESTIMATOR.count(message).tokens.shown)


def records_of(messages, form: str) -> tuple[Record, ...]:
    made = []
    for message in messages:
        made += load(form).make(message, Losses())
        if message.usage and form != "mew":  # with the last record of the message
            made[-1] = {**made[-1], "usage": usage_of(message)}
    return tuple(Record(dumps(value)) for value in made)


def usage_of(message: Message) -> dict[str, int]:
    found = message.usage
    return {"input_tokens": found.input, "output_tokens": found.output}


def read(data: bytes) -> tuple[Record, ...]:
    return tuple(Record(line) for line in data.split(b"\n") if line)


def views(records, form: str) -> list[Message]:
    return [lens(form).view(record.mapping()) for record in records]


def values(records) -> list[dict]:
    return [json.loads(record.raw) for record in records]


def written(records) -> bytes:
    return b"".join(record.raw + b"\n" for record in records)


def filled(tokens, form="mew", *, seed=1, step=400, **kinds) -> Talk:
    """A history of so many tokens, with a system text where the format has one."""
    talk = Talk(seed=seed, thinking=form in THINKERS, **kinds)
    if form != "anthropic":
        talk.system()
    return talk.fill(tokens, step)


def made(tokens=40_000, form="mew", **kinds) -> tuple[Record, ...]:
    """The records of such a history."""
    return filled(tokens, form, **kinds).records(form)


def big(words, name="big", word="word ") -> list[Message]:
    """A call, and a result of so many words, which layer 1 may move away."""
    return [
        Message("assistant", (Text("x"), Call(name, "Bash", {"command": "make"}))),
        Message("tool", (Result(name, (Text(word * words),)),)),
    ]


class Broken(Offline):
    """A provider that fails."""

    def write(self, _request):
        raise ProviderUnavailable(what="nobody is there", remedy="try later")


class Never(Offline):
    """A provider that must not be asked."""

    def write(self, _request):
        raise AssertionError("asked")


def spilling(ids=("c",), warnings=()):
    """Replace the texts of results with BIG in them by short ones, as previews do."""

    def act(records, *_):
        new = list(records)
        for at, record in enumerate(records):
            if b"BIG" in record.raw:
                value = record.mapping()
                value["tool_results"][0]["content"] = "preview"
                new[at] = Record(dumps(value))
        return Spilled(tuple(new), ids, frozenset(range(len(new))), warnings)

    return act


# --- compacting ---


def job(records, form="mew", state=None, **wishes) -> Job:
    """A job; ``wishes`` are fields of Options and Numbers, ``weights`` and provider."""
    numbers = {k: wishes.pop(k) for k in list(wishes) if k in Numbers.__slots__}
    weights = wishes.pop("weights", Weights(ESTIMATOR))
    provider = wishes.pop("provider", Offline())
    options = Options(numbers=Numbers(**numbers), **wishes)
    beside = options.system + options.tools
    weights = replace(weights, beside=beside, overhead=options.overhead)
    view = lens(form)
    return Job(
        tuple(records),
        survey(records, view),
        view,
        options,
        state if state is not None else Memory(),
        provider,
        weights,
    )


def compacted(records, form="mew", state=None, **wishes) -> Run:
    """Run, and save what is to be saved."""
    todo = job(records, form, state, **wishes)
    run = engine.run(todo)
    if run.cut is not None:
        span = run.cut.span
        lines = (record.raw for record in span.dropped)
        todo.state.save(span.boundary, lines, run.cut.facts)
    return run


def summary_of(run: Run) -> str:
    return run.cut.text


def user_texts(messages) -> list[str]:
    return [m.text for m in messages if m.role == "user" and not m.results]


def listing(directory) -> dict[str, bytes]:
    """Every file below a directory with its bytes."""
    files = (path for path in Path(directory).rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in files}
