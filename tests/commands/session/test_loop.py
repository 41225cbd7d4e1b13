"""The loop of an agent: resume, ask, append, for two hundred requests."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

import pytest
from pairing_server import MessagesServer, working

REQUESTS = 200
WINDOW = 12_000


def ask(url: str, body: bytes) -> bytes:
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        pytest.fail(error.read().decode())


def results(answer: dict) -> list[dict]:
    """What the tools say: now and then more than a context should hold."""
    found = []
    for block in answer["content"]:
        if block["type"] == "tool_use":
            number = int(block["id"].removeprefix("toolu_"))
            lines = 4000 if number % 25 == 3 else 30
            text = "".join(f"{number}:{line} all is well\n" for line in range(lines))
            found.append(
                {"type": "tool_result", "tool_use_id": block["id"], "content": text}
            )
    return found


class Loop:
    """Goes round; remembers what ``resume`` printed and what it said."""

    def __init__(self, session, name, url, place) -> None:
        self.session, self.name, self.url = session, name, url
        self.bodies, self.prefixes, self.words = [], [], []
        self.sent = 0
        self.place = place

    def append(self, record):
        data = json.dumps(record).encode() + b"\n"
        self.sent += len(data)
        self.session("append", self.name, data=data)

    def turn(self, user: str) -> None:
        self.append({"role": "user", "content": user})
        while True:
            done = self.session(
                "resume", self.name, "--to", "anthropic", "--window", WINDOW
            )
            self.prefixes.append(done.out)
            self.words.append(done.err)
            messages = [json.loads(line) for line in done.out.splitlines()]
            answer = ask(self.url, json.dumps({"messages": messages}).encode())
            self.sent += len(answer)
            self.session("append", self.name, data=answer)
            found = results(json.loads(answer))
            if not found:
                return
            self.append({"role": "user", "content": found})


def test_two_hundred_requests_are_all_valid_and_share_their_prefixes(
    session, new, log, tmp_path, jsonl
):
    name = new()
    with MessagesServer(working) as server:
        loop = Loop(session, name, server.url, tmp_path)
        turn = 0
        while len(server.requests) < REQUESTS:
            turn += 1
            loop.turn(f"Please do part {turn}, with care.")
        assert server.refused == []
    compacted = [at for at, words in enumerate(loop.words) if ": compacted" in words]
    assert len(compacted) >= 3
    for at in range(1, len(loop.prefixes)):
        kept = loop.prefixes[at].startswith(loop.prefixes[at - 1])
        assert kept or at in compacted or ": spilled" in loop.words[at], at
    changed = [
        at
        for at in range(1, len(loop.prefixes))
        if not loop.prefixes[at].startswith(loop.prefixes[at - 1])
    ]
    assert len(changed) < REQUESTS / 10
    data = log(name).read_bytes()
    records = jsonl.read(data)
    snapshots = snapshot_bytes(data)
    assert len(data) <= 1.5 * (loop.sent + snapshots)
    users = [r for r in records if str(r.get("content", "")).startswith("Please do")]
    assert {r["content"] for r in users} == {
        f"Please do part {n}, with care." for n in range(1, turn + 1)
    }
    full = session("load", name, "--full", "--to", "anthropic").out
    assert sum(b"Please do part" in line for line in full.splitlines()) == turn
    assert full.count(b'"signature":"c2ln"') == len(server.requests)


def snapshot_bytes(data: bytes) -> int:
    """The bytes of what compact markers brought."""
    lines = data.splitlines(keepends=True)
    total = left = 0
    for line in lines:
        if left:
            total += len(line)
            left -= 1
        elif line.startswith(b'{"type":"compact"'):
            left = json.loads(line)["messages"]
            total += len(line)
    return total
