"""A server that answers HTTP requests with bytes made by hand, in turn.

For every shape in which a Messages API or a proxy before it can fail. What it was asked
is kept. The last answer is given again.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Act = Callable[[socket.socket], None]


def reply(
    status: int,
    body: str | bytes,
    kind: str = "application/json",
    headers: dict[str, str] | None = None,
) -> Act:
    """A whole answer."""
    data = body.encode() if isinstance(body, str) else body
    head = [f"HTTP/1.1 {status} X", f"content-type: {kind}"]
    head += [f"{name}: {value}" for name, value in (headers or {}).items()]
    head += [f"content-length: {len(data)}", "connection: close", "", ""]

    def act(client: socket.socket) -> None:
        client.sendall("\r\n".join(head).encode() + data)

    return act


def error(
    status: int, kind: str, text: str, headers: dict[str, str] | None = None
) -> Act:
    """An error object as the Messages API sends it."""
    body = {"type": "error", "error": {"type": kind, "message": text}}
    return reply(status, json.dumps(body), headers=headers)


def event(kind: str, **fields: object) -> str:
    """One server-sent event."""
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"


def events(
    text: str, *, stop: str | None = "end_turn", tokens: int = 100_000, end: bool = True
) -> str:
    """The events of a whole answer; without ``end`` it breaks off."""
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
        "content": [], "stop_reason": None, "stop_sequence": None,
        "usage": {"input_tokens": tokens, "output_tokens": 1},
    }  # fmt: skip
    made = event("message_start", message=message)
    made += event(
        "content_block_start", index=0, content_block={"type": "text", "text": ""}
    )
    for start in range(0, len(text), 200):
        delta = {"type": "text_delta", "text": text[start : start + 200]}
        made += event("content_block_delta", index=0, delta=delta)
    if not end:
        return made
    made += event("content_block_stop", index=0)
    delta = {"stop_reason": stop, "stop_sequence": None}
    made += event("message_delta", delta=delta, usage={"output_tokens": 7})
    return made + event("message_stop")


def stream(body: str, *, after: Callable[[socket.socket], None] | None = None) -> Act:
    """A stream of server-sent events, closed behind ``body``."""
    head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
    head += "request-id: req_42\r\nconnection: close\r\n\r\n"

    def act(client: socket.socket) -> None:
        client.sendall((head + body).encode())
        if after is not None:
            after(client)

    return act


def hang(client: socket.socket) -> None:
    """Say nothing for longer than anybody waits."""
    client.settimeout(30)
    try:
        client.recv(1)
    except OSError:
        time.sleep(0)


def reset(client: socket.socket) -> None:
    """Break the connection off, as a killed server does."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")


class Server:
    """The running server."""

    def __init__(self, answers: tuple[Act, ...]) -> None:
        self.answers = answers
        self.requests: list[tuple[str, dict]] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            path, body = _request(client)
            answer = self.answers[min(len(self.requests), len(self.answers) - 1)]
            self.requests.append((path, body))
            try:
                answer(client)
            except OSError:
                return

    def close(self) -> None:
        """Take no more requests."""
        self._socket.shutdown(socket.SHUT_RDWR)  # wakes who waits for a request
        self._socket.close()


def _request(client: socket.socket) -> tuple[str, dict]:
    data = b""
    while b"\r\n\r\n" not in data:
        block = client.recv(65_536)
        if not block:
            return "", {}
        data += block
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines[1:])
    length = int(fields.get("content-length", 0))
    while len(body) < length:
        body += client.recv(65_536)
    return lines[0].split()[1], json.loads(body) if body else {}


@contextmanager
def serving(*answers: Act) -> Iterator[Server]:
    """A server for the time of a test."""
    server = Server(answers)
    try:
        yield server
    finally:
        server.close()
