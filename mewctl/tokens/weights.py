"""The two tables of the byte model, built for one family and one set of weights.

A text costs the sum of its bytes' weights (one table) and of its transitions' weights:
what it costs that a word, a number or a run of punctuation begins (the other table).
Both hold whole numbers, ``scale`` of which make a token, so that sums are exact. Owns
which byte is of which class; must not look at a text (``summing`` does).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias

from mewctl.tokens.weights_data import (
    BASE64,
    CLASSES,
    MARGIN,
    REFINEMENTS,
    RUNS,
    WEIGHTS,
)

#: ``centre`` is right on average: to show. ``cautious`` rarely too low: to decide.
Which: TypeAlias = Literal["centre", "cautious"]

FAMILIES: tuple[str, ...] = tuple(WEIGHTS)
DEFAULT_FAMILY = "claude-4.7-and-later"  # the highest counts on nearly everything

#: What neighbouring bytes are told apart by, a hexadecimal digit each. The last three
#: are lead bytes whose weight may not fit into a byte of the first table.
OTHER, LOWER, UPPER, DIGIT, PUNCT, SPACE, TAB, LATIN, HIGH, FOUR = range(10)
_DEAR = (LATIN, HIGH, FOUR)

#: Characters whose long runs are taken out and priced by themselves (`RUNS`).
RUN_CHARACTERS: tuple[bytes, ...] = (b" ", b"=", b"-", b"#", "\u2500".encode())
RUN_LENGTH = 32  # characters, as measured

_SCALE_MAX = 128  # units of a token: finer than 1/64, and sums of blocks stay long
_BYTE_MAX = 255
_SUM_MAX = 65_520  # an Adler-32 sum is exact below 65,521

_ASCII: dict[str, bytes] = {
    "lowE": b"etaoinsr",
    "lowM": b"lhdcumfpg",
    "lowR": b"wybvk",
    "lowX": b"xjqz",
    "under": b"_",
    "dash": b"-",
    "dot": b".",
    "slash": b"/",
    "backslash": b"\\",
    "colon": b":;,",
    "quote": b"\"'`",
    "brk": b"()[]{}<>",
    "upper": b"ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "digit": b"0123456789",
    "space": b" ",
    "nlt": b"\n\r",
    "tab": b"\t",
}
#: Where each class of lead bytes begins; continuation bytes cost nothing. Bytes that
#: UTF-8 cannot hold cost what the character in their place (U+FFFD) costs.
_LEAD: tuple[tuple[int, str], ...] = (
    (0x80, ""),
    (0xC0, "ef"),
    (0xC2, "lat2"),
    (0xCC, "lat2 half"),
    (0xCE, "greek"),
    (0xD0, "cyr"),
    (0xD4, "hebarm"),
    (0xD8, "arab"),
    (0xE0, "indic"),
    (0xE1, "e1"),
    (0xE2, "sym"),
    (0xE3, "kana"),
    (0xE4, "han"),
    (0xEA, "hangul"),
    (0xEE, "ef"),
    (0xF0, "four"),
    (0xF5, "ef"),
)


def _byte_classes() -> tuple[str, ...]:
    names = ["oth"] * 0x80 + [""] * 0x80
    for name, members in _ASCII.items():
        for byte in members:
            names[byte] = name
    for start, name in _LEAD:
        names[start:] = [name] * (0x100 - start)
    return tuple(names)


BYTE_CLASSES: tuple[str, ...] = _byte_classes()
_KIND: dict[str, int] = {
    **dict.fromkeys(("lowE", "lowM", "lowR", "lowX"), LOWER),
    **dict.fromkeys(("under", "dash", "dot", "slash", "backslash"), PUNCT),
    **dict.fromkeys(("colon", "quote", "brk", "oth"), PUNCT),
    "upper": UPPER,
    "digit": DIGIT,
    "space": SPACE,
    "tab": TAB,
    "lat2": LATIN,
    "ef": HIGH,
    "four": FOUR,
}
#: Byte -> the ASCII digit of its kind.
KINDS: bytes = bytes(ord("0") + _KIND.get(name, OTHER) for name in BYTE_CLASSES)


@dataclass(frozen=True, slots=True)
class Weights:
    """The tables of one family and set. ``scale`` units are a token before ``margin``.

    ``unigram``: byte -> units. ``pairs``: two neighbouring kinds, packed into a byte ->
    units. ``ascii_block``, ``block``, ``pair_block``: how many bytes can be summed at
    once, of ASCII text, of any text, of pairs. ``base64``: tokens per character of a
    long base64 run. ``runs``: tokens per taken-out run, as in ``RUN_CHARACTERS``.
    """

    family: str
    which: Which
    scale: int
    margin: float
    unigram: bytes
    pairs: bytes
    ascii_block: int
    block: int
    pair_block: int
    base64: float
    runs: tuple[float, ...]


@cache
def weights(family: str, which: Which) -> Weights:
    """The tables of ``family``. Raises ``ValueError`` for an unknown one."""
    if family not in WEIGHTS:
        known = ", ".join(FAMILIES)
        raise ValueError(f"no tokenizer family {family!r} (known: {known})")
    costs = _costs(family, which)
    single = [costs.get(name, 0.0) for name in BYTE_CLASSES]
    steps = [[_step(a, b, costs) for b in range(16)] for a in range(16)]
    kinds = [kind - ord("0") for kind in KINDS]
    dear = [cost for cost, kind in zip(single, kinds, strict=True) if kind in _DEAR]
    plain = [
        cost for cost, kind in zip(single, kinds, strict=True) if kind not in _DEAR
    ]
    highest = max(*plain, max(dear) / 2, *map(max, steps))
    scale = int(min(_SCALE_MAX, _BYTE_MAX / highest))
    units = [round(cost * scale) for cost in single]
    unigram = bytes(min(unit, _BYTE_MAX) for unit in units)
    # What does not fit goes to the step onto the lead byte, which costs nothing else.
    rest = {kind: max(0, units[kinds.index(kind)] - _BYTE_MAX) for kind in _DEAR}
    pairs = bytes(
        rest.get(b, round(steps[a][b] * scale)) for a in range(16) for b in range(16)
    )
    return Weights(
        family,
        which,
        scale,
        MARGIN[family] if which == "cautious" else 1.0,
        unigram,
        pairs,
        _SUM_MAX // max(unigram[:0x80]),
        _SUM_MAX // max(unigram),
        _SUM_MAX // max(pairs),
        BASE64[family] if which == "centre" else 1.0,
        RUNS[family],
    )


def _costs(family: str, which: Which) -> dict[str, float]:
    """Tokens of each class, refined."""
    centre, cautious = WEIGHTS[family]
    costs = dict(zip(CLASSES, centre if which == "centre" else cautious, strict=True))
    backslash, tab, tabs, number = REFINEMENTS.get(family, (0.0, 0.0, 0.0, 0.0))
    costs["backslash"] = max(0.0, costs["slash"] + backslash)
    costs["tab"] = max(0.0, costs["nlt"] + tab)
    costs["tabs"] = tabs
    costs["number"] = number
    costs["lat2 half"] = costs["lat2"] / 2
    return costs


def _step(a: int, b: int, costs: dict[str, float]) -> float:
    """Tokens of the step from kind ``a`` to kind ``b``."""
    if a == b:
        return 0.0
    cost = 0.0
    if b in (LOWER, UPPER) and a not in (LOWER, UPPER):
        cost += costs["words"]
    if b == UPPER:
        cost += costs["upruns"]
    if b == DIGIT:
        cost += costs["digruns"]
    if b == PUNCT:
        cost += costs["punruns"]
    if b == TAB:
        cost += costs["tabs"]
    if (a, b) == (LOWER, UPPER):
        cost += costs["camel"]
    if (a, b) == (SPACE, DIGIT):
        cost += costs["number"]
    if DIGIT in (a, b) and (LOWER in (a, b) or UPPER in (a, b)):
        cost += costs["ld"]
    return cost
