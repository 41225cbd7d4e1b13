"""The command tree as plain values, from which every kind of page is written.

Reads the registry, the commands' docstrings and their parameters; knows no markup. What
a page says depends on the code alone: not on a terminal, a locale or an environment.
"""

from __future__ import annotations

import inspect
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import click

from mewctl import cli
from mewctl.registry import REGISTRY, Entry
from mewctl.settings import USER_ONLY, spelling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

EXAMPLES = ("Example:", "Examples:")  # how a paragraph of them begins
_PRESERVED = "\b"  # Click's mark of a paragraph whose lines stay as they are


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; ``kept``: its lines are not to be filled."""

    lines: tuple[str, ...]
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """A positional argument."""

    name: str
    help: str


@dataclass(frozen=True, slots=True)
class Option:
    """An option. ``value`` and ``default`` are empty where there is none."""

    flags: tuple[str, ...]
    value: str
    help: str
    choices: tuple[str, ...]
    default: str
    variable: str
    key: str  # in a settings file
    user_only: bool  # a project's settings file may not set it
    repeated: bool  # may be given more than once

    @property
    def choices_told(self) -> bool:
        """Whether its help or metavar names all the values it can have."""
        return all(choice in self.help + self.value for choice in self.choices)


@dataclass(frozen=True, slots=True)
class Page:
    """A command or group. ``words`` name it; empty for mewctl itself."""

    words: tuple[str, ...]
    section: str
    summary: str
    usage: str  # what may follow the name
    body: tuple[Text, ...]
    examples: tuple[str, ...]
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]
    commands: tuple[Page, ...]
    runs: bool  # is a command, not only a group of them

    @property
    def command(self) -> str:
        """As it is typed."""
        return " ".join(("mewctl", *self.words))

    @property
    def name(self) -> str:
        """As files are named for it."""
        return "-".join(("mewctl", *self.words))

    def option(self, flag: str) -> Option | None:
        """The option that ``flag`` calls."""
        return next((o for o in self.options if flag in o.flags), None)


def root() -> Page:
    """The page of mewctl itself, with all commands under it."""
    context = click.Context(cli.main, info_name="mewctl", **cli.main.context_settings)
    return _page(cli.main, context, (), "", REGISTRY)


def every(page: Page) -> Iterator[Page]:
    """``page`` and all below it, in the order of the registry."""
    yield page
    for below in page.commands:
        yield from every(below)


def sections(page: Page) -> dict[str, list[Page]]:
    """The commands right below ``page`` by subsystem."""
    found: dict[str, list[Page]] = {}
    for below in page.commands:
        found.setdefault(below.section, []).append(below)
    return found


def _page(
    command: click.Command,
    context: click.Context,
    words: tuple[str, ...],
    section: str,
    below: Mapping[str, Entry],
) -> Page:
    texts = _texts(command.help or "")
    examples = [text for text in texts if text.kept and text.lines[0] in EXAMPLES]
    body = [text for text in texts[1:] if text not in examples]
    return Page(
        words,
        section,
        " ".join(texts[0].lines),
        " ".join(command.collect_usage_pieces(context)),
        tuple(body),
        tuple(line for text in examples for line in _flush(text.lines[1:])),
        tuple(
            Argument(param.make_metavar(context), param.help or "")
            for param in command.params
            if isinstance(param, click.Argument)
        ),
        tuple(
            _option(param, context)
            for param in command.get_params(context)
            if isinstance(param, click.Option) and not param.hidden
        ),
        tuple(_below(command, context, words, below)),
        not isinstance(command, click.Group) or command.invoke_without_command,
    )


def _below(
    command: click.Command,
    context: click.Context,
    words: tuple[str, ...],
    registry: Mapping[str, Entry],
) -> Iterator[Page]:
    for name, entry in registry.items():
        found = cast("click.Group", command).get_command(context, name)
        if found is None:
            raise LookupError(name)
        inner = click.Context(found, info_name=name, parent=context)
        yield _page(found, inner, (*words, name), entry.section, entry.commands)


def _texts(help_: str) -> list[Text]:
    """The paragraphs of a docstring; those after Click's mark keep their lines."""
    found = []
    for paragraph in inspect.cleandoc(help_).split("\n\n"):
        lines = [line.rstrip() for line in paragraph.split("\n") if line.strip()]
        kept = lines[0].strip() == _PRESERVED
        lines = _flush(lines[1:]) if kept else lines
        found.append(Text(tuple(lines), kept))
    return found


def _flush(lines: Iterable[str]) -> list[str]:
    """The lines without the indentation that all of them have."""
    return textwrap.dedent("\n".join(lines)).split("\n")


def _option(param: click.Option, context: click.Context) -> Option:
    extra: Mapping[str, Any] = param.get_help_extra(context)
    flag = param.is_flag or param.count
    key = spelling(param)
    return Option(
        (*param.opts, *param.secondary_opts),
        "" if flag else param.make_metavar(context),
        " ".join((param.help or "").split()),
        tuple(map(str, getattr(param.type, "choices", ()))),
        str(extra.get("default", "")),
        " ".join(extra.get("envvars", ())),
        key.replace("_", "-"),
        key in USER_ONLY,
        param.multiple,
    )
