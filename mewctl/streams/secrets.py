"""Secrets in text, told by the shape of their value: found, and masked.

Only shapes that hardly anything else has, so that a mask seldom hides plain text:

- keys with a prefix of their maker: Anthropic, OpenAI, GitHub, GitLab, AWS, Google,
  Slack, Stripe, Hugging Face, npm, PyPI, SendGrid;
- JSON web tokens; private keys in PEM;
- ``Authorization`` headers; a password in an address (``https://user:word@host``);
- a value given to a name such as ``api_key`` or ``password``, if it is long, without
  blanks, and has both letters and digits.

A placeholder (``sk-ant-...``, ``<token>``, ``${TOKEN}``, ``xxxx``) is none. Every
pattern is linear. Must not know where a text is from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_START = r"(?<![A-Za-z0-9_-])"
_NAME = (
    r"(?:api|access|auth|secret|private|client|signing|encryption)[_-]?(?:key|token|secret)"
    r"|secret|token|passw(?:or)?d|passphrase|credentials?"
)
_HEADER = (
    r"(?i:authorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:bearer|basic|token)\s{1,4})"
    r"(?P<authorization>[A-Za-z0-9._~+/=-]{16,}+)"
)
_ADDRESS = (
    r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}+://[^\s/:@\"']{1,64}+"
    r":(?P<password>[^\s/:@\"'${}<>*]{4,128}+)@"
)
_GIVEN = (
    rf"(?i:(?<![a-z0-9])(?:[a-z0-9]{{1,20}}[_-]){{0,3}}(?:{_NAME})[\"']?"
    r"\s{0,4}[:=]{1,2}\s{0,4})[\"'`]?(?P<value>[A-Za-z0-9_+/=.~-]{16,}+)"
)
_PEM = (
    r"-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----[A-Za-z0-9+/=\s]{40,}+"
    r"(?:-----END [A-Z ]{1,60}-----)?+"
)
_SHAPES: tuple[tuple[str, str], ...] = (
    ("anthropic-key", _START + r"sk-ant-[A-Za-z0-9_-]{20,}+"),
    ("openai-key", _START + r"sk-(?:proj-|svcacct-|admin-)?+[A-Za-z0-9_-]{20,}+"),
    ("github-token", _START + r"gh[pousr]_[A-Za-z0-9]{36,}+"),
    ("github-token", _START + r"github_pat_[A-Za-z0-9_]{22,}+"),
    ("gitlab-token", _START + r"gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,}+"),
    ("aws-key", _START + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("google-key", _START + r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    ("slack-token", _START + r"xox[abeoprs]-[A-Za-z0-9-]{10,}+"),
    ("stripe-key", _START + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}+"),
    ("huggingface-token", _START + r"hf_[A-Za-z0-9]{30,}+"),
    ("npm-token", _START + r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("pypi-token", _START + r"pypi-AgE[A-Za-z0-9_-]{50,}+"),
    ("sendgrid-key", _START + r"SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+"),
    (
        "jwt",
        _START + r"eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+",
    ),
    ("private-key", _PEM),
    ("authorization", _HEADER),
    ("password", _ADDRESS),
    ("value", _GIVEN),
)
_GROUPS = {"authorization", "password", "value"}  # kinds whose secret is a part
_MIXED = {"value", "openai-key"}  # kinds that words joined by dashes could be
_ALL = re.compile(
    "|".join(f"(?P<s{number}>{pattern})" for number, (_, pattern) in enumerate(_SHAPES))
)
_MADE_UP = re.compile(
    r"\.\.\.|(?i:x{4}|example|placeholder|your[_-]|changeme|redacted)|(?P<one>.)(?P=one){7}"
)
_BOTH = re.compile(r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])")


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands in a text, in characters, and what it looks like."""

    kind: str
    start: int
    end: int


def find(text: str) -> Iterator[Secret]:
    """The secrets in ``text``, in order; they do not overlap."""
    for match in _ALL.finditer(text):
        kind = _SHAPES[int(str(match.lastgroup)[1:])][0]
        group = kind if kind in _GROUPS else 0
        value = match[group]
        if _MADE_UP.search(value) or (kind in _MIXED and not _BOTH.match(value)):
            continue
        yield Secret(kind, match.start(group), match.end(group))


def mask(text: str) -> str:
    """``text`` with ``[redacted:KIND]`` in place of every secret."""
    pieces: list[str] = []
    done = 0
    for secret in find(text):
        pieces += text[done : secret.start], f"[redacted:{secret.kind}]"
        done = secret.end
    return "".join((*pieces, text[done:]))
