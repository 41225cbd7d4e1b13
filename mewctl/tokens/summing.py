"""What a text costs: exact sums over its bytes at the speed of C.

A weighted sum of bytes is ``translate`` (byte -> weight) and Adler-32 (its low half is
the plain sum) over blocks too short to wrap. For transitions each byte becomes a
hexadecimal digit for its kind, and unhexlify packs neighbours into one byte. Long runs
of one character and long base64 are taken out first, for the tables misjudge both. Must
not know what a message is.
"""

from __future__ import annotations

from binascii import unhexlify
from typing import TYPE_CHECKING
from zlib import adler32

from mewctl import limits
from mewctl.streams.jsonvalue import utf8
from mewctl.tokens.weights import KINDS, RUN_CHARACTERS, RUN_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mewctl.tokens.weights import Weights

_SLICE = (
    64 * 1024
)  # bytes priced at once, so that intermediate copies stay in the cache
_LOW_HALF = 0xFFFF
_START = b"0"  # before a text, and after it, stands a byte of kind OTHER
_RUNS = tuple(character * RUN_LENGTH for character in RUN_CHARACTERS)

_UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = _UPPER.lower()
_DIGITS = b"0123456789"
_BASE64 = _UPPER + _LOWER + _DIGITS + b"+/-_="
_WINDOW = limits.BASE64_RUN // 2  # a run holds a whole window, wherever it begins


def price(text: str | bytes, sets: Sequence[Weights]) -> list[float]:
    """Tokens of ``text`` by each of ``sets``; lone surrogates count as their bytes."""
    raw = utf8(text) if isinstance(text, str) else text
    spans = base64_spans(raw) if len(raw) >= limits.BASE64_RUN else []
    pieces = _between(raw, spans) if spans or len(raw) > _SLICE else (raw,)
    units = [0] * len(sets)
    runs: dict[int, int] = {}
    before = _START
    for piece in pieces:
        plain = _without_runs(piece, runs) if len(piece) >= RUN_LENGTH else piece
        before = _add_units(plain, before, sets, units)
    tokens = [n / weights.scale for n, weights in zip(units, sets, strict=True)]
    if spans or runs:
        base64 = sum(end - start for start, end in spans)
        for i, weights in enumerate(sets):
            tokens[i] += base64 * weights.base64
            tokens[i] += sum(n * weights.runs[run] for run, n in runs.items())
    return [n * weights.margin for n, weights in zip(tokens, sets, strict=True)]


def _between(raw: bytes, spans: list[tuple[int, int]]) -> Iterator[bytes]:
    """What is left of ``raw`` without ``spans``, in slices."""
    done = 0
    for start, end in (*spans, (len(raw), len(raw))):
        for at in range(done, start, _SLICE):
            yield raw[at : min(at + _SLICE, start)]
        done = end


def _without_runs(raw: bytes, runs: dict[int, int]) -> bytes:
    """``raw`` without its long runs of one character, which are added to ``runs``."""
    for i, run in enumerate(_RUNS):
        if run in raw:
            size = len(raw)
            raw = raw.replace(run, b"")
            runs[i] = runs.get(i, 0) + (size - len(raw)) // len(run)
    return raw


def _add_units(
    raw: bytes, before: bytes, sets: Sequence[Weights], units: list[int]
) -> bytes:
    """Add the exact units of ``raw`` by each of ``sets`` to ``units``.

    ``before`` is the kind of the byte before ``raw``; that of the last one comes back.
    """
    kinds = before + raw.translate(KINDS)
    # Every pair of neighbours once: those that begin at even places, then at odd ones.
    # A byte that fills up an odd length adds a step onto OTHER, which is free.
    if len(kinds) % 2:
        pairs = unhexlify(kinds + _START) + unhexlify(kinds[1:])
    else:
        pairs = unhexlify(kinds) + unhexlify(kinds[1:] + _START)
    ascii_only = raw.isascii()
    for i, weights in enumerate(sets):
        length = weights.ascii_block if ascii_only else weights.block
        units[i] += _sum(raw.translate(weights.unigram), length)
        units[i] += _sum(pairs.translate(weights.pairs), weights.pair_block)
    return kinds[-1:]


def _sum(values: bytes, length: int) -> int:
    """The sum of ``values``, of which ``length`` cannot exceed what Adler-32 holds."""
    if len(values) <= length:
        return adler32(values, 0) & _LOW_HALF
    return sum(
        [
            adler32(values[i : i + length], 0) & _LOW_HALF
            for i in range(0, len(values), length)
        ]
    )


def base64_spans(raw: bytes) -> list[tuple[int, int]]:
    """Where long base64 stands, in order: linear, and cheap where words are short."""
    spans: list[tuple[int, int]] = []
    start = 0
    while (end := start + _WINDOW) <= len(raw):
        if raw.find(b" ", start, end) >= 0 or not _is_base64(raw[start:end]):
            start = end
            continue
        lead = raw[max(0, start - _WINDOW) : start]
        first = start - (len(lead) - len(lead.rstrip(_BASE64)))
        end = _end_of_base64(raw, end)
        if end - first >= limits.BASE64_RUN and _is_mixed(raw[first:end]):
            spans.append((first, end))
        start = end + -end % _WINDOW
    return spans


def _is_base64(window: bytes) -> bool:
    return b"\n" not in window and not window.translate(None, _BASE64)


def _end_of_base64(raw: bytes, end: int) -> int:
    """Where the base64 that reaches ``end`` ends."""
    while not (more := raw[end : end + _WINDOW]).translate(None, _BASE64):
        if not more:
            return end
        end += len(more)
    return end + len(more) - len(more.lstrip(_BASE64))


def _is_mixed(run: bytes) -> bool:
    """Whether letters of both cases and digits are as many as encoded bytes make them.

    Random bytes give 26, 26 and 10 of 64. Paths, hexadecimal digits, rulers and names
    fall short of a third of that in one of them.
    """
    for members, share in ((_UPPER, 26), (_LOWER, 26), (_DIGITS, 10)):
        found = len(run) - len(run.translate(None, members))
        if found * 64 * 3 < len(run) * share:
            return False
    return True
