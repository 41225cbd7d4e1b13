"""A page as a manual page, in the man macros. Decides layout alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mewctl import __version__
from tools import about
from tools.tree import Text, every, sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tools.tree import Option, Page

#: Fixed, so that the same commands give the same pages; moves with a release.
DATE = "2026-12-01"

_SPECIAL = str.maketrans(
    {
        "\\": r"\e",
        "-": r"\-",
        "'": r"\(aq",
        "`": r"\(ga",
        "^": r"\(ha",
        "~": r"\(ti",
        '"': r"\(dq",
    }
)


def escape(text: str) -> str:
    """``text`` so that it is shown as it is, wherever it stands."""
    escaped = text.translate(_SPECIAL)
    return r"\&" + escaped if escaped.startswith(".") else escaped


def bold(text: str) -> str:
    """``text`` in bold."""
    return rf"\fB{escape(text)}\fR"


def italic(text: str) -> str:
    """``text`` in italics, or underlined."""
    return rf"\fI{escape(text)}\fR"


def page(top: Page, shown: Page) -> str:
    """The manual page of ``shown``, a command under ``top``."""
    name, release = escape(shown.name.upper()), f"mewctl {__version__}"
    lines = [
        r".\" Made from the commands by `make docs`: change those.",
        f'.TH "{name}" 1 {DATE} "{release}" "mewctl manual"',
        *_part("NAME", [rf"{escape(shown.name)} \- {escape(_phrase(shown.summary))}"]),
        *_part("SYNOPSIS", [_synopsis(shown)]),
        *_part("DESCRIPTION", _description(shown)),
        *_part("COMMANDS", _commands(shown)),
        *_part("ARGUMENTS", _tags((italic(a.name), a.help) for a in shown.arguments)),
        *_part("OPTIONS", _options(shown)),
        *_part("WORDS", _tags(about.words(shown))),
        *_part("ENVIRONMENT", _tags(_bold_tags(about.variables(shown)))),
        *_part("FILES", _tags((italic(p), w) for p, w in about.files(shown))),
        *_part("EXIT STATUS", _codes()),
        *_part("EXAMPLES", _kept(shown.examples) if shown.examples else []),
        *_part("SEE ALSO", [_see_also(top, shown)]),
    ]
    return "\n".join(lines) + "\n"


def _part(title: str, lines: Iterable[str]) -> list[str]:
    """A section; nothing where it has no lines."""
    found = list(lines)
    return [f".SH {title}", *found] if found else []


def _phrase(sentence: str) -> str:
    """A sentence as the words after a name: no capital, no full stop."""
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def _synopsis(shown: Page) -> str:
    return f"{bold(shown.command)} {escape(shown.usage)}".rstrip()


def _description(shown: Page) -> Iterator[str]:
    yield escape(shown.summary)
    for text in shown.body:
        yield from _text(text)


def _text(text: Text) -> Iterator[str]:
    yield ".PP"
    if text.kept:
        yield from _kept(text.lines)
    else:
        yield escape(" ".join(line.strip() for line in text.lines))


def _kept(lines: Iterable[str]) -> Iterator[str]:
    """Lines as they are, indented and not filled."""
    yield from (".RS 4", ".nf")
    yield from map(escape, lines)
    yield from (".fi", ".RE")


def _commands(shown: Page) -> Iterator[str]:
    for section, pages in sections(shown).items():
        if not shown.words:
            yield f".SS {escape(section)}"
        for below in pages:
            yield from _tag(rf"{bold(below.name)}(1)", below.summary)


def _options(shown: Page) -> Iterator[str]:
    for option in shown.options:
        value = f" {italic(option.value)}" if option.value else ""
        flags = ", ".join(map(bold, option.flags))
        yield from _tag(flags + value, " ".join([option.help, *_facts(option)]))
    if any(option.variable for option in shown.options):
        yield from (".PP", escape(about.SETTINGS))


def _facts(option: Option) -> Iterator[str]:
    if not option.choices_told:
        yield f"One of {', '.join(option.choices)}."
    if option.repeated:
        yield about.REPEATED
    if option.default:
        yield f"Default: {option.default}."


def _codes() -> Iterator[str]:
    yield from _tags(_bold_tags(about.codes()))
    yield from (".PP", escape(about.NEW_CODES))


def _bold_tags(rows: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    return ((bold(name), words) for name, words in rows)


def _tags(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for tag, words in rows:
        yield from _tag(tag, words)


def _tag(tag: str, words: str) -> Iterator[str]:
    yield from (".TP", tag)
    if words:
        yield escape(words)


def _see_also(top: Page, shown: Page) -> str:
    """mewctl, the group, the commands below, and those of the same subsystem."""
    pages = list(every(top))
    above = [p for p in pages if shown.words[: len(p.words)] == p.words]
    beside = [p for p in pages if p.words[:-1] == shown.words[:-1] and p.words]
    near = [p for p in beside if p.section == shown.section] if shown.words else []
    names = [p.name for p in (*above, *shown.commands, *near) if p != shown]
    return ", ".join(rf"{bold(name)}(1)" for name in dict.fromkeys(names))
