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
_GIVEN_NAMES = (
    ("key", r"(?:api|access|auth|secret|private|client|signing|encryption)[_-]?key"),
    ("token", "token"),
    ("secret", "secret"),
    ("passw", "passw(?:or)?d"),
    ("passphrase", "passphrase"),
    ("credential", "credentials?"),
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
    r"(?i:NAME[\"']?\s{0,4}[:=]{1,2}\s{0,4})"
    r"[\"'`]?(?P<value>[A-Za-z0-9_+/=.~-]{16,}+)"
)
_PEM = (
    r"-----BEGIN (?:[A-Z]{1,20} ){0,3}PRIVATE KEY-----[A-Za-z0-9+/=\s]{40,}+"
    r"(?:-----END [A-Z ]{1,60}-----)?+"
)
#: Kind, what stands in every text (in small letters) that has such a secret, shape.
_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("anthropic-key", "sk-ant-", _START + r"sk-ant-[A-Za-z0-9_-]{20,}+"),
    ("openai-key", "sk-", _START + r"sk-(?!ant-)[A-Za-z0-9_-]{20,}+"),
    ("github-token", "gh", _START + r"gh[pousr]_[A-Za-z0-9]{36,}+"),
    ("github-token", "github_pat_", _START + r"github_pat_[A-Za-z0-9_]{22,}+"),
    ("gitlab-token", "gl", _START + r"gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,}+"),
    ("aws-key", "ia", _START + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("google-key", "aiza", _START + r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    ("slack-token", "xox", _START + r"xox[abeoprs]-[A-Za-z0-9-]{10,}+"),
    ("stripe-key", "k_", _START + r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}+"),
    ("huggingface-token", "hf_", _START + r"hf_[A-Za-z0-9]{30,}+"),
    ("npm-token", "npm_", _START + r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("pypi-token", "pypi-age", _START + r"pypi-AgE[A-Za-z0-9_-]{50,}+"),
    ("sendgrid-key", "sg.", _START + r"SG\.[\w-]{16,}+\.[\w-]{16,}+"),
    ("jwt", "eyj", _START + r"eyJ[\w-]{8,}+\.eyJ[\w-]{8,}+\.[\w-]{8,}+"),
    ("private-key", "private key-----", _PEM),
    ("authorization", "authorization", _HEADER),
    ("password", "://", _ADDRESS),
    *(("value", word, _GIVEN.replace("NAME", name)) for word, name in _GIVEN_NAMES),
)
_PATTERNS = tuple(
    (kind, hint, re.compile(shape, re.ASCII)) for kind, hint, shape in _SHAPES
)
_GROUPS = {"authorization", "password", "value"}  # kinds whose secret is a part
_MIXED = {"value", "openai-key"}  # kinds that words joined by dashes could be
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
    small = text.lower()
    found = [
        secret
        for kind, hint, pattern in _PATTERNS
        if hint in small
        for secret in _of(kind, pattern, text)
    ]
    done = 0
    for secret in sorted(found, key=lambda one: (one.start, -one.end)):
        if secret.start >= done:
            done = secret.end
            yield secret


def _of(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Secret]:
    group = kind if kind in _GROUPS else 0
    for match in pattern.finditer(text):
        value = match[group]
        mixed = kind not in _MIXED or _BOTH.match(value)
        if mixed and not _MADE_UP.search(value):
            yield Secret(kind, match.start(group), match.end(group))


def mask(text: str) -> str:
    """``text`` with ``[redacted:KIND]`` in place of every secret."""
    pieces: list[str] = []
    done = 0
    for secret in find(text):
        pieces += text[done : secret.start], f"[redacted:{secret.kind}]"
        done = secret.end
    return "".join((*pieces, text[done:]))
