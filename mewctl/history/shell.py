"""Shell commands as text: split into simple commands, as far as that is certain. Pure.

A reader, not a shell: nothing is expanded and nothing is run. What it cannot read
(unclosed quotes, quotes inside expansions, text beyond the limit) it leaves out, and
with it all that follows. Words stay as they are written until somebody asks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mewctl import limits

_SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "fish"}
_PREFIXES = {"sudo", "env", "command", "nohup", "time", "exec", "then", "do", "else"}
_TESTS = {"[", "[[", "{"}  # programs that look like patterns
_TOKEN = re.compile(
    r"(?:[ \t\r]|\\\n)*+(?:"
    r"(\d*<<-?(?!<)[ \t]*(['\"]?)([\w.+-]+)\2)"  # 1 here-document, 3 its mark
    r"|\d*(>>|>\||[<>]&|&>>|&>|<<<|<>|[<>])"  # 4 redirection
    r"|(&&|\|\||;;|\|&|[;&|\n()])"  # 5 operator
    r"|(\#[^\n]*)"  # 6 comment
    r"|((?:"  # 7 word
    r"[^\s'\"\\;&|<>()`$]++|\\.|'[^']*+'|\"(?:[^\"\\]|\\.)*+\""
    r"|\$\{[^}\n]*+\}|\$\([^()]*+\)|`[^`]*+`|\$"
    r")++)"
    r"|\Z)",
    re.DOTALL,
)
_HEREDOC, _MARK, _REDIRECT, _OPERATOR, _WORD = 1, 3, 4, 5, 7
_PIECE = re.compile(r"\\(.)|'([^']*)'|\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_IN_QUOTES = re.compile(r"\\([\"\\$`\n])")
_UNCLEAR = re.compile(r"[$`*?\[{]")
_QUOTED = re.compile(r"\\.|'[^']*'|\"(?:[^\"\\$`]|\\.)*\"", re.DOTALL)
_SPECIAL = re.compile(r"['\"\\$`*?\[{]")
_SAFE = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


@dataclass(slots=True)
class Simple:
    """A simple command, between the operators ``before`` and ``after`` it.

    ``words`` are as written, quotes included; see ``plain``. ``program``: its name
    without its directory, empty if unknown; ``arguments``: the words after it.
    """

    before: str = ""
    after: str = ""
    words: list[str] = field(default_factory=list)
    redirects: list[tuple[str, str]] = field(default_factory=list)
    heredoc: str = ""
    redirect: str = ""  # an operator whose word has not come
    program: str = ""
    arguments: list[str] = field(default_factory=list)

    def take(self, word: str) -> None:
        """The next word: an argument, or where a redirection goes."""
        if self.redirect:
            self.redirects.append((self.redirect, word))
            self.redirect = ""
        else:
            self.words.append(word)

    def end(self, operator: str) -> None:
        """No more words come: tell program and arguments apart.

        Assignments and programs that run another one (``sudo``) are passed.
        """
        self.after = operator
        for at, word in enumerate(self.words):
            if word in _PREFIXES or _is_assignment(word):
                continue
            name = word if word in _TESTS else plain(word) or ""
            self.program = name.rpartition("/")[2]
            self.arguments = self.words[at + 1 :]
            break


def _is_assignment(word: str) -> bool:
    name, assigned, _ = word.partition("=")
    return bool(assigned) and name.isidentifier()


class Script:
    """A command text, split when that is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def parts(self) -> list[Simple]:
        """Its simple commands, in order; none from an unreadable part on."""
        return _split(self.text)


def unwrap(value: Any) -> str:
    """The command text of an argument: a string, or an argv list as agents give it."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    argv = [item for item in value if isinstance(item, str)]
    if len(argv) > 1 and argv[0].rpartition("/")[2] in _SHELLS:
        for at, word in enumerate(argv[1:], 1):
            if word.startswith("-") and word.endswith("c") and at + 1 < len(argv):
                return argv[at + 1]
    return " ".join(quote(word) for word in argv)


def quote(word: str) -> str:
    """``word`` as one would type it in a shell."""
    if _SAFE.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def plain(word: str) -> str | None:
    """What the shell takes ``word`` for; None if that depends on an expansion."""
    if not _SPECIAL.search(word):
        return word
    if _UNCLEAR.search(_QUOTED.sub("", word)):
        return None
    return _PIECE.sub(_unquoted, word)


def literal(word: str) -> str:
    """``word`` without its quotes, expansions left as they are written."""
    return _PIECE.sub(_unquoted, word)


def subcommand(part: Simple) -> str:
    """The subcommand of a program like git: its first argument that is no option."""
    words = iter(part.arguments)
    for word in words:
        if word in ("-C", "-c"):
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""


def _split(text: str) -> list[Simple]:
    found: list[Simple] = []
    current = Simple()
    waiting: list[tuple[Simple, str]] = []
    at, budget = 0, limits.SHELL_TEXT
    while at < len(text) and budget > 0:
        token = _TOKEN.match(text, at)
        if token is None:
            break
        budget -= token.end() - at
        at, kind = token.end(), token.lastindex
        if kind == _WORD:
            word = token.group(_WORD)
            if _nested(word):
                break
            current.take(word)
        elif kind == _OPERATOR:
            operator = token.group(_OPERATOR)
            if waiting and operator == "\n":
                at = _heredocs(text, at, waiting)
            current = _ended(found, current, operator)
        elif kind == _REDIRECT:
            current.redirect = token.group(_REDIRECT)
        elif kind == _HEREDOC:
            waiting.append((current, token.group(_MARK)))
    else:
        if at >= len(text):
            _ended(found, current, "")
    return found


def _ended(found: list[Simple], current: Simple, operator: str) -> Simple:
    """Take a command over that an operator ends; the next one."""
    if current.words or current.redirects:
        current.end(operator)
        found.append(current)
        return Simple(before=operator)
    if operator != "\n" or not current.before:
        current.before = operator
    return current


def _heredocs(text: str, at: int, waiting: list[tuple[Simple, str]]) -> int:
    """Give waiting commands their here-documents; where the text goes on after them."""
    for command, mark in waiting:
        end = re.compile(rf"^\t*{re.escape(mark)}\r?$", re.MULTILINE).search(text, at)
        stop = end.start() if end else len(text)
        command.heredoc = text[at:stop]
        at = min(end.end() + 1 if end else stop, len(text))
    waiting.clear()
    return at


def _nested(word: str) -> bool:
    """Whether quotes may be quotes inside a ``$(…)``: then words cannot be told."""
    return "$(" in word and any(
        piece.count("(") != piece.count(")")
        for piece in _DOUBLE.findall(word)
        if "$(" in piece
    )


def _unquoted(match: re.Match[str]) -> str:
    escaped, single, double = match.groups()
    if escaped is not None:
        return "" if escaped == "\n" else str(escaped)
    return single if single is not None else _IN_QUOTES.sub(r"\1", double)
