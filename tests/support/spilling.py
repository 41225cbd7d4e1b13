"""Histories to spill, and spilling them without a process."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from io import BytesIO
from itertools import cycle

from mewctl.history.offloaded import recognise
from mewctl.spill.scan import scan
from mewctl.spill.spiller import Options, Spiller, Tally
from mewctl.spill.vault import Vault
from mewctl.spill.weave import Setting

FORMATS = ("mew", "anthropic", "openai", "responses")


@dataclass
class Sink:
    pieces: list[bytes] = field(default_factory=list)
    flushed: list[int] = field(default_factory=list)  # bytes passed on at each flush

    def write(self, data) -> None:
        self.pieces.append(bytes(data))

    def flush(self) -> None:
        self.flushed.append(len(self.data))

    @property
    def data(self) -> bytes:
        return b"".join(self.pieces)


@dataclass
class Run:
    data: bytes
    warnings: list[str]
    tally: Tally
    flushed: list[int]


def reader(data: bytes, sizes=(1 << 20,)):
    """A read function that gives blocks of at most the sizes given, in turn."""
    stream, turns = BytesIO(data), cycle(sizes)
    return lambda size: stream.read(min(size, next(turns)))


def spill(  # noqa: PLR0913 - as many as there are wishes
    data: bytes,
    directory,
    *,
    form: str = "auto",
    sizes=(1 << 20,),
    on_bad: str = "fail",
    images: bool = False,
    max_record: int = 1 << 28,
    **options,
) -> Run:
    warnings: list[str] = []
    spiller = Spiller(Vault(str(directory)), Options(**options), warnings.append)
    sink = Sink()
    setting = Setting(sink, spiller, warnings.append, "test", on_bad, images=images)
    scan(reader(data, sizes), setting, form, max_record)
    return Run(sink.data, warnings, spiller.tally, sink.flushed)


def lines(*records: object, end: str = "\n") -> bytes:
    """Records as JSONL; what is bytes already stays, lists are several records."""
    return b"".join(
        record
        if isinstance(record, bytes)
        else (json.dumps(record, ensure_ascii=False) + end).encode(
            "utf-8", "surrogatepass"
        )
        for record in flat(records)
    )


def flat(records):
    """The records, and those of lists among them."""
    for record in records:
        yield from record if isinstance(record, list) else [record]


def user(_form: str, text: str):
    return {"role": "user", "content": text}


def assistant(form: str, calls, text: str = "ok"):
    """An assistant message; ``calls`` are pairs of id and input.

    For ``responses`` the list of its items.
    """
    if form == "responses":
        return [
            {"type": "reasoning", "summary": [], "encrypted_content": "gAAAAAx"},
            {"role": "assistant", "content": text},
            *(
                {
                    "type": "function_call",
                    "call_id": i,
                    "name": "bash",
                    "arguments": json.dumps(given),
                }
                for i, given in calls
            ),
        ]
    if form == "mew":
        made = [{"id": i, "name": "bash", "input": given} for i, given in calls]
        return {"role": "assistant", "content": text, "tool_calls": made}
    if form == "anthropic":
        made = [
            {"type": "tool_use", "id": i, "name": "bash", "input": given}
            for i, given in calls
        ]
        return {
            "role": "assistant",
            "content": [{"type": "text", "text": text}, *made],
        }
    made = [
        {
            "id": i,
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps(given)},
        }
        for i, given in calls
    ]
    return {"role": "assistant", "content": text, "tool_calls": made}


def results(form: str, answers, *, failed: bool = False):
    """The records that answer; ``answers`` are pairs of id and content."""
    if form == "mew":
        made = [
            {"tool_call_id": i, "content": text, "is_error": failed}
            for i, text in answers
        ]
        return [{"role": "tool", "content": "", "tool_results": made}]
    if form == "anthropic":
        made = [
            {"type": "tool_result", "tool_use_id": i, "content": text}
            | ({"is_error": True} if failed else {})
            for i, text in answers
        ]
        return [{"role": "user", "content": made}]
    if form == "responses":
        return [
            {
                "type": "function_call_output",
                "call_id": i,
                "output": as_items(text) if isinstance(text, list) else text,
            }
            for i, text in answers
        ]
    return [{"role": "tool", "tool_call_id": i, "content": text} for i, text in answers]


def as_items(content):
    """Blocks of text as the Responses API has them."""
    return [
        {**block, "type": "input_text"} if block["type"] == "text" else block
        for block in content
    ]


def step(form: str, answers, given=None):
    """An assistant message that calls, and the answers to its calls."""
    calls = [(i, given or {"command": "ls"}) for i, _ in answers]
    return [*flat([assistant(form, calls)]), *results(form, answers)]


def texts(data: bytes) -> list[tuple[str, str]]:
    """Id and text of all results in a history of any of the formats, in order."""
    found: list[tuple[str, str]] = []
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        record = json.loads(line)
        if record.get("role") == "tool" and "tool_call_id" in record:
            found.append((record["tool_call_id"], text_of(record["content"])))
        if record.get("type") == "function_call_output":
            found.append((record["call_id"], text_of(record["output"])))
        found += [
            (entry["tool_call_id"], text_of(entry["content"]))
            for entry in record.get("tool_results") or ()
        ]
        content = record.get("content")
        found += [
            (block["tool_use_id"], text_of(block["content"]))
            for block in (content if isinstance(content, list) else ())
            if block.get("type") == "tool_result"
        ]
    return found


def text_of(content) -> str:
    if isinstance(content, list):
        return "".join(block.get("text", "") for block in content)
    return content


def gone(data: bytes) -> list[bool]:
    """For each result of a history whether a preview stands for it."""
    return [recognise(text) is not None for _, text in texts(data)]
