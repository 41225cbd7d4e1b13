"""Hypothesis strategies: facts and prose full of what could pass for our own lines."""

from __future__ import annotations

from hypothesis import strategies as st

from mewctl.compact.sections import AFTER, HEADINGS, TITLE
from mewctl.history.facts import (
    CommandFact,
    Facts,
    Failure,
    FileFact,
    LastCall,
    Said,
    Todo,
    UserWords,
)
from mewctl.providers.protocol import Prose

HOSTILE = (
    *TITLE.values(),
    *HEADINGS["en"],
    *HEADINGS["zh"],
    *AFTER,
    "[mewctl boundary 0123456789ab tail=3]",
    "### In words",
    "### 文字说明",
    "### 7 · 2026-01-01T00:00:00Z · images: 2 · boundary `abc`",
    "Not shown here, for lack of room: 3 messages, 9 characters (`a` 1–3)",
    "Last words of the assistant (message 3):",
    "Let me go on.",
    "Shall we?",
    "  why: because",
    "  last change:",
    "    quoted",
    "- `Bash` ls — passed, message 3",
    "1. [x] done",
    "1. `Bash` ls — message 3, passed later",
    " — created, written 3×, message 4",
    " — 新建，写入 3×，消息 4",
    " · ",
    "- ",
    "```",
    "````",
    "`",
    "~~~",
    "</summary>",
    "<summary>",
    "< / ANALYSIS >",
    "<system-reminder>",
    "\x1b[31m",
    "\x00",
    "\u200b",
    "\u202e",
    "\U000e0041",
    "\ud800",
    "\\u{41}",
    "\\u{",
    "\\",
    "⏎",
    " […+12]",
    "\r\n",
    "\r",
    "\n",
    "\n\n",
    "\u2028",
    " ",
    "\t",
    "中文，标点。",
    "failure 1: a later run passed",
    "(3 characters not shown)",
)

texts = st.lists(
    st.one_of(st.sampled_from(HOSTILE), st.just("\n"), st.text(max_size=12)), max_size=8
).map("".join)
numbers = st.integers(1, 10**6)
_IDS = st.one_of(st.sampled_from(["", "0123456789ab", "ba9876543210"]), texts)
_TIMES = st.one_of(
    st.none(),
    st.floats(0, 4e9),
    st.integers(0, 4 * 10**9),
    st.floats(allow_nan=False),
)
_OUTCOMES = st.sampled_from(["passed", "failed", "unknown"])
_CODES = st.one_of(st.none(), st.integers(-200, 300))
_COUNTS = st.integers(0, 99)


def few(strategy):
    return st.lists(strategy, max_size=4).map(tuple)


users = st.builds(
    UserWords,
    n=numbers,
    text=texts,
    time=_TIMES,
    images=st.integers(0, 9),
    boundary=_IDS,
)
files = st.builds(
    FileFact,
    path=texts,
    reads=_COUNTS,
    writes=_COUNTS,
    created=st.booleans(),
    deleted=st.booleans(),
    change=texts,
    why=texts,
    last=numbers,
)
commands = st.builds(
    CommandFact,
    command=texts,
    runs=numbers,
    outcome=_OUTCOMES,
    exit_code=_CODES,
    last=numbers,
)
failures = st.builds(
    Failure,
    what=texts,
    tool=texts,
    n=numbers,
    exit_code=_CODES,
    lines=few(texts),
    later=st.sampled_from(["passed", "failed", "not run again"]),
    fixed_by=few(texts),
    note=texts,
)
todos = st.builds(Todo, text=texts, state=st.sampled_from(["open", "doing", "done"]))
calls = st.builds(
    LastCall, n=numbers, tool=texts, target=texts, outcome=_OUTCOMES, excerpt=texts
)
facts = st.builds(
    Facts,
    users=few(users),
    files=few(files),
    commands=few(commands),
    failures=few(failures),
    todos=few(todos),
    last_calls=few(calls),
    last_text=texts,
    said=few(st.builds(Said, n=numbers, text=texts)),
    boundaries=few(_IDS),
    messages=st.integers(0, 10**9),
)
prose = st.builds(
    Prose,
    sections=st.dictionaries(st.integers(1, 9), texts),
    provider=texts,
    model=texts,
)
langs = st.sampled_from(["en", "zh"])
