r"""Made-up histories of any size, the same bytes on every machine.

Shaped after a big real log: 60 % of the bytes stand in tool results of 1-300 kB and a
few of 2 MB, results over 50,000 bytes hold 43 % of all bytes, 3 % of the lines write
non-ASCII text as ``\uXXXX``; Chinese text, quotes, backslashes and tabs in all of it.
Randomness is ``Random.random`` alone, which is the same in all versions of Python.
"""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSION = 1  # of the bytes; part of each file's name, so that none is reused wrongly
FORMATS = ("mew", "anthropic")
SMALL = (1_000, 34_000)  # bytes of a result that stays
LARGE = (51_000, 243_000)  # bytes of one that is offloaded
HUGE = 2_000_000
PART_LARGE = 0.143  # of the results
PART_HUGE = 0.001
PART_ESCAPED = 0.03  # of the lines
STEP_TURNS = 4  # turns for one tool call
START = 1_780_000_000

_WORDS = (
    "the parser reads each record once and keeps only its bytes because a view is "
    "cheap while a copy of the whole history is not so we measured both on the same "
    "machine before the change and after it then wrote down what was lost and why"
)
_HAN = "我们先读取记录再检查缓存然后把结果写回文件如果失败就报告错误并保留原文不要猜测"
_NAMES = ("upload", "retry", "session", "ledger", "parser", "window", "shard", "queue")


def history(folder: Path, form: str, size: int, *, large: bool) -> Path:
    """A history of about ``size`` bytes in the format ``form``, made if not there.

    ``large``: with results over the limits of spill; else nothing is over them.
    """
    kind = "large" if large else "small"
    path = folder / f"{form}-{kind}-{size}-v{VERSION}.jsonl"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}.tmp")
        with beside.open("wb") as file:
            for block in blocks(form, size, large=large):
                file.write(block)
        beside.replace(path)
    return path


def blocks(form: str, size: int, *, large: bool) -> Iterator[bytes]:
    """The bytes of a history, in blocks of whole lines."""
    maker = _Maker(form, large=large)
    written = 0
    while written < size:
        block = b"".join(maker.turn())
        written += len(block)
        yield block


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some text as the inside of a JSON string: in UTF-8, and all in ASCII."""

    plain: bytes
    escaped: bytes


class _Texts:
    """Texts of any size, put together from pieces that were made once."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        makers = (_prose, _log, _code, _prose, _log, _han, _quoted)
        self._pieces = [_piece(make(chance)) for make in makers for _ in range(120)]

    def text(self, size: int, *, escaped: bool) -> bytes:
        """About ``size`` bytes of the inside of a JSON string."""
        found: list[bytes] = []
        while size > 0:
            piece = self._pieces[int(self._chance.random() * len(self._pieces))]
            found.append(piece.escaped if escaped else piece.plain)
            size -= len(piece.plain)
        return b"\\n".join(found)


class _Maker:
    """Turns of a conversation: the user asks, the assistant works and answers."""

    def __init__(self, form: str, *, large: bool) -> None:
        self._chance = random.Random(20_260_801)
        self._texts = _Texts(self._chance)
        self._large = large
        self._turns = 0
        self._calls = 0
        self._time = START
        self._mew = form == "mew"

    def turn(self) -> Iterator[bytes]:
        """The lines of one turn; one in ``STEP_TURNS`` runs a tool."""
        self._turns += 1
        yield self._line("user", self._said(40, 800))
        if self._turns % STEP_TURNS == 0:
            yield from self._step()
        yield self._line("assistant", self._said(500, 5_900))

    def _step(self) -> Iterator[bytes]:
        self._calls += 1
        name = f"toolu_{self._calls:08}"
        about = f"/srv/app/{self._pick(_NAMES)}_{self._calls % 97}.py"
        given = json.dumps({"command": f"pytest -q {about}"}).encode()
        text, result = self._said(300, 4_000), self._text(self._result_size())
        if self._mew:
            yield self._line("assistant", text, _MEW_CALL % (name.encode(), given))
            yield self._line("tool", b"", _MEW_RESULT % (name.encode(), result))
        else:
            said = b'[{"type":"text","text":"%s"},' % text
            yield self._row("assistant", said + _CALL % (name.encode(), given))
            yield self._row("user", _RESULT % (name.encode(), result))

    def _line(self, role: str, text: bytes, more: bytes = b"") -> bytes:
        return self._row(role, b'"%s"' % text, more)

    def _row(self, role: str, content: bytes, more: bytes = b"") -> bytes:
        if self._mew:
            self._time += 7
            more += b',"ts":%d' % self._time
        return b'{"role":"%s","content":%s%s}\n' % (role.encode(), content, more)

    def _said(self, low: int, high: int) -> bytes:
        return self._text(int(low + (high - low) * self._chance.random()))

    def _text(self, size: int) -> bytes:
        return self._texts.text(size, escaped=self._chance.random() < PART_ESCAPED)

    def _result_size(self) -> int:
        draw, place = self._chance.random(), self._chance.random()
        if self._large and draw < PART_HUGE:
            return HUGE
        if self._large and draw < PART_LARGE:
            return int(LARGE[0] + (LARGE[1] - LARGE[0]) * place)
        return int(SMALL[0] + (SMALL[1] - SMALL[0]) * place * place * place)

    def _pick(self, names: tuple[str, ...]) -> str:
        return names[int(self._chance.random() * len(names))]


_MEW_CALL = b',"tool_calls":[{"id":"%s","name":"Bash","input":%s}]'
_MEW_RESULT = b',"tool_results":[{"tool_call_id":"%s","content":"%s"}]'
_CALL = b'{"type":"tool_use","id":"%s","name":"Bash","input":%s}]'
_RESULT = b'[{"type":"tool_result","tool_use_id":"%s","content":"%s"}]'


# --- pieces of text ---


def _piece(text: str) -> _Piece:
    plain = json.dumps(text, ensure_ascii=False)[1:-1].encode()
    return _Piece(plain, json.dumps(text)[1:-1].encode())


def _some(chance: random.Random, words: list[str], least: int, most: int) -> list[str]:
    count = least + int(chance.random() * (most - least))
    return [words[int(chance.random() * len(words))] for _ in range(count)]


def _prose(chance: random.Random) -> str:
    return " ".join(_some(chance, _WORDS.split(), 20, 120)).capitalize() + "."


def _han(chance: random.Random) -> str:
    return "".join(_some(chance, list(_HAN), 40, 200)) + "。"


def _log(chance: random.Random) -> str:
    lines = [
        f"2026-08-{1 + int(chance.random() * 28):02}T12:00:{i:02}.{number}Z"
        f"\tINFO\t{name}[{number % 999}]: shard {number % 64} took {number % 5_000} ms"
        for i, name in enumerate(_some(chance, list(_NAMES), 3, 9))
        for number in (int(chance.random() * 1_000_000),)
    ]
    return "\n".join(lines)


def _code(chance: random.Random) -> str:
    lines = [
        f"    def {name}_{int(chance.random() * 900)}(self, value: str) -> bytes:\n"
        f'        return self._{name}.get(value, "{name}\\n").encode("utf-8")'
        for name in _some(chance, list(_NAMES), 2, 6)
    ]
    return "\n".join(lines)


def _quoted(chance: random.Random) -> str:
    rows = {name: int(chance.random() * 10**6) for name in _NAMES}
    path = "C:\\srv\\" + "\\".join(_some(chance, list(_NAMES), 2, 5))
    return json.dumps({"path": path, "rows": rows, "note": "“ok” – 完成 ✓"}, indent=1)
