# ruff: noqa: INP001 - scripts, not a package
"""Write ``fix-flaky-upload.jsonl``: a made-up session of an agent, as a transcript.

``story/story.txt`` is the talk, ``story/files`` the project it is about; this script
plays the one on the other and writes the records that Claude Code would have written.
Nothing in it was ever said. The output depends on the story alone.

    python examples/make_example.py > examples/fix-flaky-upload.jsonl
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import struct
import sys
import uuid
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from story_logs import LOGS

HERE = Path(__file__).parent
HOME = "/home/mira/src/parcelbox"
SESSION = "5b0e6a52-93d7-4c1e-8f0a-2f6d1c7be482"
MODEL = "claude-opus-4-8"
UNSEEN = 17_400  # tokens of system text and tools, which a transcript does not hold
BYTES_PER_TOKEN = 3.1
STATES = {"[x]": "completed", "[>]": "in_progress", "[ ]": "pending"}


def digest(text: str) -> bytes:
    """The sha256 of a text."""
    return hashlib.sha256(text.encode()).digest()


def identity(kind: str, number: int) -> str:
    """An id that looks like those of the API, the same in every run."""
    tail = base64.b64encode(digest(f"{kind}{number}")).decode()
    return f"{kind}_01" + re.sub(r"[+/=]", "A", tail)[:22]


def picture() -> str:
    """A small bar chart with its third bar missing, as a PNG in base64."""
    width, height = 120, 64
    bars = (56, 57, 0, 58, 59)
    rows = bytearray()
    for y in range(height):
        row = bytearray(width // 8)
        for x in range(width):
            bar, inside = divmod(x, 24)
            if inside in range(4, 20) and height - y <= bars[bar]:
                row[x // 8] |= 0x80 >> x % 8
        rows += b"\0" + bytes(row)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data))
            + kind
            + data
            + struct.pack(">I", zlib.crc32(kind + data))
        )

    # Stored, not compressed: the same bytes whatever zlib is installed.
    stored = b"\x78\x01\x01" + struct.pack("<HH", len(rows), len(rows) ^ 0xFFFF)
    data = stored + bytes(rows) + struct.pack(">I", zlib.adler32(rows))
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data)
    return base64.b64encode(png + chunk(b"IEND", b"")).decode()


def story() -> list[tuple[str, str, str]]:
    """The steps: (verb, rest of its line, text); ``side.`` before a helper's verb."""
    steps = []
    script = (HERE / "story/story.txt").read_text()
    for piece in re.split(r"^§", script, flags=re.MULTILINE)[1:]:
        head, _, text = piece.partition("\n")
        side = "side." if head.startswith("§") else ""
        verb, _, rest = head.lstrip("§ ").partition(" ")
        steps.append((side + verb, rest, text.removesuffix("\n")))
    return steps


class Session:
    """The transcript in the making."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.files = {
            str(path.relative_to(HERE / "story/files")).removesuffix(".txt"):
            path.read_text()
            for path in sorted((HERE / "story/files").rglob("*.txt"))
        }  # fmt: skip
        self.now = datetime(2026, 10, 14, 7, 2, 11, 204_000, tzinfo=UTC)
        self.leaf: str | None = None
        self.counts = {"uuid": 0, "msg": 0, "toolu": 0, "req": 0}
        self.bytes = 0  # of what the model has been sent so far
        self.cached = 0  # tokens in the provider's cache
        self.todos: list[dict[str, str]] = []
        self.blocks: list[dict[str, Any]] = []  # of the assistant message in hand
        self.answers: dict[str, tuple[str, bool, Any]] = {}  # call id -> result
        self.asked: dict[str, str] = {}  # call id -> uuid of its record
        self.side = False
        self.prompt = ""

    # --- records ---

    def number(self, kind: str) -> int:
        """The next number of ids of one kind."""
        self.counts[kind] += 1
        return self.counts[kind]

    def tick(self, seconds: float) -> str:
        """Let time pass; the time as records write it."""
        self.now += timedelta(seconds=seconds)
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def put(self, kind: str, seconds: float, **fields: Any) -> str:
        """Append a record with the envelope all messages have; its uuid."""
        own = str(uuid.UUID(bytes=digest(f"uuid{self.number('uuid')}")[:16], version=4))
        parent = fields.pop("parent", self.leaf)
        self.records.append({
            "parentUuid": parent, "isSidechain": self.side, "userType": "external",
            "cwd": HOME, "sessionId": SESSION, "version": "2.1.170",
            "gitBranch": "main", "type": kind, **fields, "uuid": own,
            "timestamp": self.tick(seconds),
        })  # fmt: skip
        self.leaf = own
        return own

    def aside(self, kind: str, **fields: Any) -> None:
        """Append a record without an envelope."""
        self.records.append({"type": kind, **fields, "sessionId": SESSION})

    def user(self, content: Any, seconds: float, **fields: Any) -> None:
        """Append a user record."""
        message = {"role": "user", "content": content}
        self.put("user", seconds, message=message, **fields)
        self.bytes += len(json.dumps(content))

    # --- the assistant's message ---

    def call(
        self, name: str, value: dict[str, Any], result: tuple[str, bool, Any]
    ) -> None:
        """Add a tool call to the message in hand, with the result it will get."""
        own = identity("toolu", self.number("toolu"))
        self.blocks.append(
            {"type": "tool_use", "id": own, "name": name, "input": value}
        )
        self.answers[own] = result

    def usage(self) -> dict[str, Any]:
        """What the provider would report for the message in hand."""
        total = UNSEEN + int(self.bytes / BYTES_PER_TOKEN)
        read, self.cached = self.cached, total
        written = sum(len(json.dumps(block)) for block in self.blocks)
        return {
            "input_tokens": 2,
            "cache_creation_input_tokens": total - read,
            "cache_read_input_tokens": read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": total - read,
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": 24 + int(written / BYTES_PER_TOKEN),
            "service_tier": "standard",
        }

    def finish(self) -> None:
        """Write what the assistant says, and the results of its calls."""
        self.speak()
        self.answer()

    def speak(self) -> None:
        """Write the assistant's message, a record a block."""
        if not self.blocks:
            return
        own, request = (identity(k, self.number(k)) for k in ("msg", "req"))
        usage = self.usage()
        stop = "tool_use" if self.answers else "end_turn"
        for block in self.blocks:
            message = {
                "model": MODEL, "id": own, "type": "message", "role": "assistant",
                "content": [block], "stop_reason": stop, "stop_sequence": None,
                "usage": usage,
            }  # fmt: skip
            seconds = 1.4 + len(json.dumps(block)) / 700
            at = self.put("assistant", seconds, message=message, requestId=request)
            if "id" in block:
                self.asked[block["id"]] = at
            self.bytes += len(json.dumps(block))
        self.blocks = []

    def answer(self) -> None:
        """Write the results of the calls that were made, a record a result."""
        for call, (text, failed, copy) in self.answers.items():
            block = {"tool_use_id": call, "type": "tool_result", "content": text}
            if failed:
                block["is_error"] = True
            asked = self.asked.pop(call)
            self.user(
                [block], 0.3 + len(text) / 4000, parent=asked,
                toolUseResult=copy, sourceToolAssistantUUID=asked,
            )  # fmt: skip
        self.answers = {}

    def turn(self) -> None:
        """What stands between two turns."""
        self.finish()
        if self.prompt:
            self.put(
                "system", 0.1, subtype="turn_duration", durationMs=91_300, isMeta=False
            )
        self.aside("last-prompt", lastPrompt=self.prompt, leafUuid=self.leaf)
        self.aside("mode", mode="normal")

    # --- steps ---

    def play(self, verb: str, rest: str, text: str) -> None:
        """Do one step of the story."""
        step = getattr(self, "do_" + verb.removeprefix("side."))
        if verb in {"user", "slash"}:
            self.turn()
        elif (
            verb.endswith(("think", "say", "then", "queued", "pause")) and self.answers
        ):
            self.finish()
        step(rest, text)

    def do_user(self, rest: str, text: str) -> None:
        """The user asks."""
        content: Any = text
        extra: dict[str, Any] = {"promptId": identity("p", len(self.records))}
        if rest == "image":
            source = {"type": "base64", "media_type": "image/png", "data": picture()}
            content = [
                {"type": "image", "source": source},
                {"type": "text", "text": text},
            ]
            extra["imagePasteIds"] = [1]
        if self.todos:
            extra["todos"] = self.todos
        self.prompt = text
        self.user(content, 20, permissionMode="default", **extra)

    def do_slash(self, rest: str, text: str) -> None:
        """The user gives a command, which the agent expands."""
        name, _, words = rest.partition(" ")
        self.prompt = f"/{name} {words}"
        self.user(
            f"<command-message>{name}</command-message>\n"
            f"<command-name>/{name}</command-name>\n<command-args>{words}</command-args>",
            20,
        )
        self.user([{"type": "text", "text": text}], 0, isMeta=True)

    def do_queued(self, _rest: str, text: str) -> None:
        """The user types while the agent works."""
        at = self.tick(1)
        self.aside("queue-operation", operation="enqueue", timestamp=at, content=text)
        self.aside("queue-operation", operation="remove", timestamp=self.tick(2))
        attachment = {
            "type": "queued_command", "prompt": text, "commandMode": "prompt",
            "timestamp": at,
        }  # fmt: skip
        self.put("attachment", 0, attachment=attachment)
        self.bytes += len(text)

    def do_pause(self, rest: str, _text: str) -> None:
        """Minutes go by."""
        self.finish()
        self.tick(60 * int(rest))

    def do_then(self, _rest: str, _text: str) -> None:
        """The next call is a request of its own."""

    def do_think(self, _rest: str, text: str) -> None:
        """The assistant thinks."""
        signature = b"".join(digest(f"{text}{n}") for n in range(2 + len(text) // 200))
        signed = base64.b64encode(signature).decode()
        self.blocks.append({"type": "thinking", "thinking": text, "signature": signed})

    def do_say(self, _rest: str, text: str) -> None:
        """The assistant says something."""
        self.blocks.append({"type": "text", "text": text})

    def do_bash(self, rest: str, text: str) -> None:
        """The assistant runs a command."""
        code, _, description = rest.partition(" ")
        command, _, output = text.removeprefix("$ ").partition("\n")
        for name, log in LOGS.items():
            output = output.replace(
                f"{{{{log {name}}}}}", log(self.files["tests/test_upload.py"])
            )
        copy: Any = {
            "stdout": output,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
        }
        if code != "0":
            output = f"Exit code {code}\n{output}"
            copy = f"Error: {output.splitlines()[0]}"
        value = {"command": command, "description": description}
        self.call("Bash", value, (output, code != "0", copy))

    def do_read(self, rest: str, _text: str) -> None:
        """The assistant reads a file as it is by now."""
        content = self.files[rest]
        lines = content.splitlines()
        numbered = "\n".join(f"{n}\t{line}" for n, line in enumerate(lines, 1))
        file = {
            "filePath": f"{HOME}/{rest}", "content": content, "numLines": len(lines),
            "startLine": 1, "totalLines": len(lines),
        }  # fmt: skip
        copy = {"type": "text", "file": file}
        self.call("Read", {"file_path": f"{HOME}/{rest}"}, (numbered, False, copy))

    def do_write(self, rest: str, text: str) -> None:
        """The assistant makes a file."""
        path, self.files[rest] = f"{HOME}/{rest}", text + "\n"
        value = {"file_path": path, "content": self.files[rest]}
        copy = {"type": "create", "filePath": path, "structuredPatch": []}
        self.call(
            "Write", value, (f"File created successfully at: {path}", False, copy)
        )

    def do_edit(self, rest: str, _text: str) -> None:
        """The assistant edits a file: what follows says what."""
        self.editing = rest

    def do_old(self, _rest: str, text: str) -> None:
        """The text to replace, which must be there once."""
        if self.files[self.editing].count(text) != 1:
            raise SystemExit(f"{self.editing} does not hold this once:\n{text}")
        self.old = text

    def do_new(self, _rest: str, text: str) -> None:
        """The text instead."""
        path = f"{HOME}/{self.editing}"
        content = self.files[self.editing]
        self.files[self.editing] = content.replace(self.old, text)
        value = {"file_path": path, "old_string": self.old, "new_string": text}
        copy = {"filePath": path, "oldString": self.old, "newString": text}
        answer = f"The file {path} has been updated successfully."
        self.call("Edit", value, (answer, False, {**copy, "userModified": False}))

    def do_todo(self, _rest: str, text: str) -> None:
        """The assistant writes its todo list."""
        old, self.todos = (
            self.todos,
            [
                {"content": row[4:], "status": STATES[row[:3]], "activeForm": row[4:]}
                for row in text.splitlines()
            ],
        )
        copy = {"oldTodos": old, "newTodos": self.todos}
        answer = "Todos have been modified successfully. Please proceed."
        self.call("TodoWrite", {"todos": self.todos}, (answer, False, copy))

    def do_task(self, rest: str, text: str) -> None:
        """A helper gets a prompt of its own; its records stand in the same file."""
        value = {"description": rest, "prompt": text, "subagent_type": "Explore"}
        self.call("Task", value, ("", False, {}))
        self.speak()
        self.outer = self.answers, self.leaf, self.bytes, self.cached
        self.answers, self.leaf, self.bytes, self.cached = {}, None, 0, 0
        self.side = True
        self.user(text, 0.1)

    def do_result(self, _rest: str, text: str) -> None:
        """The helper's last words become the result of the call."""
        self.finish()
        self.side = False
        self.answers, self.leaf, self.bytes, self.cached = self.outer
        copy = {"status": "completed", "agentId": "a61f0c9e", "totalToolUseCount": 1}
        self.answers[next(reversed(self.answers))] = (text, False, copy)


def main() -> None:
    """Play the story and write its records."""
    session = Session()
    for step in story():
        session.play(*step)
    session.finish()
    for record in session.records:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        sys.stdout.buffer.write(line.encode() + b"\n")


if __name__ == "__main__":
    main()
