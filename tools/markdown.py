"""A page of the command reference in Markdown. Decides layout alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools import about
from tools.tree import sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tools.tree import Option, Page, Text

INDEX = "README.md"


def escape(text: str) -> str:
    """``text`` so that no character of it is markup, in a paragraph or a table."""
    for mark in "\\`*_|[]":
        text = text.replace(mark, "\\" + mark)
    return text.replace("<", "&lt;")


def code(text: str) -> str:
    """``text`` as code, in a paragraph or a table."""
    return f"`{text.replace('|', chr(92) + '|')}`" if text else ""


def file_of(shown: Page) -> str:
    """The name of a page's file."""
    return "-".join(shown.words) + ".md" if shown.words else INDEX


def page(shown: Page) -> str:
    """The reference of a command, or of mewctl with the list of all commands."""
    parts = [
        f"# {shown.command}",
        escape(shown.summary),
        _fenced([f"{shown.command} {shown.usage}".rstrip()], "text"),
        *map(_text, shown.body),
        *_part("Examples", _examples(shown)),
        *_part("Commands", _commands(shown)),
        *_part("Arguments", _arguments(shown)),
        *_part("Options", _options(shown)),
        *(_common(shown) if not shown.words else _back(shown)),
    ]
    return "\n\n".join(parts) + "\n"


def _part(title: str, texts: Iterable[str]) -> list[str]:
    """A section; nothing where it has no text."""
    found = list(texts)
    return [f"## {title}", *found] if found else []


def _text(text: Text) -> str:
    if text.kept:
        return _fenced(text.lines, "text")
    return escape("\n".join(line.strip() for line in text.lines))


def _fenced(lines: Iterable[str], language: str) -> str:
    return "\n".join([f"```{language}", *lines, "```"])


def _examples(shown: Page) -> Iterator[str]:
    if shown.examples:
        yield _fenced(shown.examples, "sh")


def _commands(shown: Page) -> Iterator[str]:
    for section, pages in sections(shown).items():
        if not shown.words:
            yield f"**{escape(section)}**"
        rows = [
            f"[`{below.command}`]({file_of(below)}) | {escape(below.summary)}"
            for below in pages
        ]
        yield table("command | does", rows)


def _arguments(shown: Page) -> Iterator[str]:
    rows = [f"{code(a.name)} | {escape(a.help)}" for a in shown.arguments]
    if rows:
        yield table("argument | is", rows)


def _options(shown: Page) -> Iterator[str]:
    rows = [
        f"{code(', '.join(option.flags) + (option.value and ' ' + option.value))}"
        f" | {' '.join([escape(option.help), *_facts(option)])}"
        f" | {code(option.default)} | {code(option.variable)}"
        for option in shown.options
    ]
    yield table("option | does | default | variable", rows)
    user_only = [option.key for option in shown.options if option.user_only]
    if shown.words and any(option.variable for option in shown.options):
        words = f"In a settings file they are keys of `[{'.'.join(shown.words)}]`"
        names = ", ".join(map(code, user_only))
        yield words + (f"; a project's may not set {names}." if user_only else ".")


def _facts(option: Option) -> Iterator[str]:
    if not option.choices_told:
        yield f"One of {', '.join(map(code, option.choices))}."
    if option.repeated:
        yield about.REPEATED


def _common(shown: Page) -> Iterator[str]:
    """What all commands have in common."""
    yield "## Settings"
    yield escape(about.SETTINGS)
    yield table(
        "file | holds", [f"{code(p)} | {escape(w)}" for p, w in about.files(shown)]
    )
    yield table(
        "variable | does",
        [f"{code(n)} | {escape(w)}" for n, w in about.variables(shown)],
    )
    yield "## Words"
    rows = [f"{escape(w)} | {escape(m)}" for w, m in about.words(shown)]
    yield table("word | meaning", rows)
    yield "## Exit codes"
    yield table("code | means", [f"{n} | {escape(w)}" for n, w in about.codes()])
    yield escape(about.NEW_CODES)


def _back(shown: Page) -> Iterator[str]:
    """The way to the group, and to what is common to all commands."""
    group = "-".join(shown.words[:-1])
    above = f"[mewctl {' '.join(shown.words[:-1])}]({group}.md) · " if group else ""
    yield (
        f"{above}[All commands]({INDEX}) · [settings]({INDEX}#settings)"
        f" · [exit codes]({INDEX}#exit-codes)"
    )


def table(head: str, rows: Iterable[str]) -> str:
    """Rows under a head, all with their cells parted by ``|``."""
    line = "|".join("---" for _ in head.split("|"))
    return "\n".join([f"| {head} |", f"|{line}|", *(f"| {row} |" for row in rows)])
