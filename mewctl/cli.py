"""The root command: a lazy registry, and the one place where errors become exit codes.

The registry carries each command's short help, so that ``--help`` and TAB import no
command. A test holds it against the commands' own help.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from mewctl.errors import Exit, MewError
from mewctl.streams.stdio import (
    Output,
    ReaderLeft,
    drop_stdout,
    flush_stdout,
    reader_left,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: where it lives, what it does in one line, and its subsystem."""

    target: str  # module:attribute
    help: str
    section: str


HISTORY = "Histories (filters)"
OTHER = "Help"

REGISTRY: dict[str, Entry] = {
    "convert": Entry(
        "mewctl.commands.convert:convert",
        "Turn a transcript or history into another format.",
        HISTORY,
    ),
    "repair": Entry(
        "mewctl.commands.repair:repair",
        "Make a history valid for the API it is meant for.",
        HISTORY,
    ),
    "spill": Entry(
        "mewctl.commands.spill:spill",
        "Move oversized tool output to files, leaving previews.",
        HISTORY,
    ),
    "recall": Entry(
        "mewctl.commands.recall:recall",
        "Bring back what was spilled or dropped.",
        HISTORY,
    ),
    "compact": Entry(
        "mewctl.commands.compact:compact",
        "Replace old history by a summary and a verbatim tail.",
        HISTORY,
    ),
    "tokens": Entry(
        "mewctl.commands.tokens:tokens",
        "Estimate tokens and show what fills the context.",
        HISTORY,
    ),
    "help": Entry(
        "mewctl.commands.help:help_", "Explain a topic, such as exit-codes.", OTHER
    ),
}


class LazyGroup(click.Group):
    """A group that imports a command only when it is run or asked for its help."""

    def __init__(self, *args: Any, registry: dict[str, Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.registry = registry

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the registry's order."""
        return list(self.registry)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command called ``cmd_name``, imported now."""
        entry = self.registry.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return _explained(command, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name gets the nearest known ones."""
        name = args[0]
        if name not in self.registry and not name.startswith("-"):
            raise click.NoSuchCommand(name, possibilities=self.registry, ctx=ctx)
        ctx.meta["mewctl.command"] = name
        ctx.meta["mewctl.args"] = args[1:]
        return super().resolve_command(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """Commands by subsystem, from the registry alone."""
        for section in dict.fromkeys(entry.section for entry in self.registry.values()):
            rows = [
                (name, entry.help)
                for name, entry in self.registry.items()
                if entry.section == section
            ]
            with formatter.section(section):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Names and short helps for TAB, without importing a command."""
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=entry.help)
            for name, entry in self.registry.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)


def _explained(command: click.Command, name: str) -> click.Command:
    """``command`` with what all help has in common: marks, variables by option name."""
    from mewctl.config import spelling

    # Docstrings with backslashes are raw; Click wants its mark as a character.
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    for option in command.params:
        if isinstance(option, click.Option):
            option.show_envvar = True
            key = spelling(option).upper()
            option.envvar = option.envvar or f"MEWCTL_{name.upper()}_{key}"
    return command


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001
    if value and not ctx.resilient_parsing:
        from mewctl import __version__

        with Output() as out:
            out.write(f"mewctl {__version__}\n".encode())
        ctx.exit()


@click.group(
    cls=LazyGroup,
    registry=REGISTRY,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "MEWCTL",
        "max_content_width": 100,
    },
    epilog="Exit codes: mewctl help exit-codes. Every command: mewctl COMMAND --help.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Context engineering for LLM agents, as filters over JSONL.

    \b
      mewctl convert < transcript.jsonl | mewctl spill | mewctl compact > h.jsonl
      mewctl tokens < h.jsonl
      mewctl recall --list
    """  # noqa: D301 - \b tells Click to leave the lines alone
    from mewctl.config import apply

    apply(ctx, ctx.meta["mewctl.args"])


def run(args: Sequence[str]) -> int:
    """Run the command line ``args``; the exit code. Never raises, never a traceback."""
    meta: dict[str, Any] = {}
    try:
        code = _invoke(list(args), meta)
        flush_stdout()
    except ReaderLeft:
        drop_stdout()
        code = Exit.DONE
    except (KeyboardInterrupt, click.Abort):
        _quiet_flush()
        code = Exit.INTERRUPTED
    except MewError as error:
        code = _fail(error.code, str(error), meta, error.fields)
    except click.ClickException as error:
        code = _fail(*_usage(error), meta)
    except OSError as error:
        code = _os_error(error, meta)
    except RecursionError:
        text = "a record is nested too deep; leave it out"
        code = _fail(Exit.BAD_INPUT, text, meta)
    except MemoryError:
        code = _fail(Exit.BUG, "out of memory; use smaller inputs", meta)
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback
        what = f"internal error: {type(error).__name__}: {error}"
        code = _fail(Exit.BUG, f"{what}; set MEWCTL_DEBUG=1 and report it", meta)
    return code


def _usage(error: click.ClickException) -> tuple[Exit, str]:
    """Click's complaint about an argument, or about a value from a settings file."""
    text = error.format_message().rstrip(".")
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return Exit.USAGE, text
    help_ = f"see {error.ctx.command_path} --help"
    name = getattr(getattr(error, "param", None), "name", None)
    if name and error.ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
        return Exit.CONFIG, f"settings file: {text}; {help_}"
    return Exit.USAGE, f"{text}; {help_}"


def _invoke(args: list[str], meta: dict[str, Any]) -> int:
    """Run Click; the exit code it ends with."""
    if not args and "_MEWCTL_COMPLETE" not in os.environ:
        with main.make_context("mewctl", [], resilient_parsing=True) as ctx:
            for line in main.get_help(ctx).splitlines():
                say(line)
        return Exit.USAGE
    try:
        completion = os.environ.get("_MEWCTL_COMPLETE")
        if completion:
            main._main_shell_completion({}, "mewctl", "_MEWCTL_COMPLETE")  # noqa: SLF001
        with main.make_context("mewctl", args) as ctx:
            meta["context"] = ctx.meta
            result = main.invoke(ctx)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except SystemExit as stop:  # Click leaves this way after printing a completion
        return stop.code if isinstance(stop.code, int) else Exit.DONE
    return result if isinstance(result, int) else Exit.DONE


def _quiet_flush() -> None:
    try:
        flush_stdout()
    except (ReaderLeft, MewError):
        drop_stdout()


def _os_error(error: OSError, meta: dict[str, Any]) -> int:
    """An I/O error that nobody named: mostly Click's own writes, such as help."""
    if isinstance(error, BrokenPipeError) and reader_left():
        drop_stdout()
        return Exit.DONE
    what = error.strerror or str(error)
    text = f"{error.filename}: {what}" if error.filename else what
    return _fail(Exit.STORAGE, text, meta)


def _fail(
    code: Exit,
    text: str,
    meta: dict[str, Any],
    fields: Mapping[str, object] | None = None,
) -> int:
    """Say what went wrong, in words or (``--format jsonl``) as an object; the code."""
    if os.environ.get("MEWCTL_DEBUG") == "1" and sys.exc_info()[0] is not None:
        import traceback

        for line in traceback.format_exc().splitlines():
            say(line)
    context = meta.get("context") or {}
    command = context.get("mewctl.command", "")
    if context.get("mewctl.format") == "jsonl":
        import json

        record: dict[str, Any] = {k: str(v) for k, v in (fields or {}).items()}
        record |= {"type": "error", "code": int(code), "name": code.name.lower()}
        say(json.dumps({**record, "message": text, "command": command}))  # all ASCII
    else:
        say(f"mewctl {command}: {text}" if command else f"mewctl: {text}")
    _quiet_flush()
    return code
