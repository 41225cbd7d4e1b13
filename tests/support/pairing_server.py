"""A local Messages API that checks what it is sent, and answers as it is told.

An answer is the content of the assistant's message. What the API would refuse is a 400
with the reason, and is remembered.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from validity import errors


class MessagesServer:
    """Serves while it is open. ``answer(number, messages)`` gives the content."""

    def __init__(self, answer) -> None:
        self.requests = []
        self.refused = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                size = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(size))
                code, value = outer.serve(body, answer)
                data = json.dumps(value).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1/messages"

    def serve(self, body, answer):
        messages = body["messages"]
        system = body.get("system")
        first = [{"role": "system", "content": system}] if system else []
        wrong = errors("anthropic", [*first, *messages])
        if messages and messages[-1]["role"] != "user":
            wrong.append("the last message is not the user's")
        if wrong:
            self.refused.append(wrong)
            error = {"type": "invalid_request_error", "message": "; ".join(wrong)}
            return 400, {"type": "error", "error": error}
        number = len(self.requests)
        self.requests.append(messages)
        content = answer(number, messages)
        calls = any(block["type"] == "tool_use" for block in content)
        return 200, {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "claude-test-1",
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "usage": {
                "input_tokens": len(json.dumps(messages)) // 4,
                "output_tokens": 20,
            },
        }

    def __enter__(self):
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def working(number, _messages):
    """An assistant that thinks and runs a tool twice, then says that it is done."""
    thinking = {"type": "thinking", "thinking": f"step {number}", "signature": "c2ln"}
    if number % 3 == 2:
        return [thinking, {"type": "text", "text": f"Done with step {number}."}]
    call = {"command": f"cat log-{number}.txt"}
    return [
        thinking,
        {"type": "text", "text": f"I look at log {number}."},
        {
            "type": "tool_use",
            "id": f"toolu_{number:05}",
            "name": "bash",
            "input": call,
        },
    ]
