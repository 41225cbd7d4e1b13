"""The root command, made from the registry, and where errors become exit codes."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from mewctl.errors import Exit, MewError
from mewctl.registry import REGISTRY, Entry
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


class LazyGroup(click.Group):
    """A group that imports a command only when it is run or asked for its help."""

    def __init__(
        self, *args: Any, registry: Mapping[str, Entry], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.registry = registry

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The names, in the registry's order."""
        return list(self.registry)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command called ``cmd_name``, imported now."""
        entry = self.registry.get(cmd_name)
        if entry is None:
            return None
        path = (*_path(ctx), cmd_name)
        if entry.commands:
            return LazyGroup(
                cmd_name,
                registry=entry.commands,
                help=entry.help,
            )
        module, _, attribute = entry.target.partition(":")
        command: click.Command = getattr(
            import_module(f"mewctl.commands.{module}"), attribute
        )
        return _explained(command, path)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name gets the nearest known ones."""
        name = args[0]
        if name not in self.registry and not name.startswith("-"):
            raise click.NoSuchCommand(name, possibilities=self.registry, ctx=ctx)
        ctx.meta["mewctl.command"] = " ".join((*_path(ctx), name))
        ctx.meta["mewctl.args"] = args[1:]
        found = super().resolve_command(ctx, args)
        if not ctx.resilient_parsing and not self.registry[name].commands:
            from mewctl.config import apply

            apply(ctx, (*_path(ctx), name), args[1:], _known(REGISTRY))
        return found

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


def _path(ctx: click.Context) -> tuple[str, ...]:
    """The words that name ``ctx``'s command, without the program's."""
    if ctx.parent is None:
        return ()
    return (*_path(ctx.parent), str(ctx.info_name))


def _explained(command: click.Command, path: tuple[str, ...]) -> click.Command:
    """``command`` with what all help has in common: marks, variables by option name."""
    from mewctl.config import spelling

    # Docstrings with backslashes are raw; Click wants its mark as a character.
    command.help = (command.help or "").replace("\\b\n", "\b\n")
    for option in command.params:
        if isinstance(option, click.Option):
            option.show_envvar = True
            key = spelling(option).upper()
            option.envvar = option.envvar or "_".join(
                ("MEWCTL", *(word.replace("-", "_").upper() for word in path), key)
            )
    return command


def _known(registry: Mapping[str, Entry]) -> dict[str, Any]:
    """Command -> (), group -> the same of its commands."""
    return {name: _known(entry.commands) or () for name, entry in registry.items()}


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
def main() -> None:
    """Context engineering for LLM agents, as filters over JSONL.

    \b
      mewctl convert < transcript.jsonl | mewctl spill | mewctl compact > h.jsonl
      mewctl tokens < h.jsonl
      mewctl recall --list
    """  # noqa: D301 - \b tells Click to leave the lines alone


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
    try:
        completion = os.environ.get("_MEWCTL_COMPLETE")
        if completion:
            main._main_shell_completion({}, "mewctl", "_MEWCTL_COMPLETE")  # noqa: SLF001
        with main.make_context("mewctl", args) as ctx:
            meta["context"] = ctx.meta
            result = main.invoke(ctx)
    except click.exceptions.NoArgsIsHelpError as error:
        for line in error.format_message().splitlines():
            say(line)
        return Exit.USAGE
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
