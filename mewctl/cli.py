"""The root command, made from the registry, and where errors become exit codes."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from mewctl.errors import Exit, MewError
from mewctl.groups import LazyGroup
from mewctl.registry import REGISTRY
from mewctl.streams import progress
from mewctl.streams.stdio import (
    Output,
    ReaderLeft,
    cannot_write,
    drop_stdout,
    flush_stdout,
    reader_left,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
@click.option(
    "--color",
    metavar="auto|always|never",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    show_default=True,
    show_envvar=True,
    help="Colours of tables and progress; auto: NO_COLOR, FORCE_COLOR, the terminal.",
)
@click.pass_context
def main(ctx: click.Context, color: str) -> None:
    """Context engineering for LLM agents, as filters over JSONL.

    \b
    Examples:
      mewctl convert < transcript.jsonl | mewctl spill | mewctl compact > h.jsonl
      mewctl compact --emit summary < transcript.jsonl > handover.md
      mewctl recall --grep 'error' | jq -r .handle
    """  # noqa: D301 - \b tells Click to leave the lines alone
    ctx.meta["mewctl.color"] = color


def run(args: Sequence[str]) -> int:
    """Run the command line ``args``; the exit code. Never raises, never a traceback."""
    code = _run(args)
    progress.clear()
    return code


def _run(args: Sequence[str]) -> int:
    meta: dict[str, Any] = {}
    try:
        code = _invoke(list(args), meta)
        flush_stdout()
    except ReaderLeft:
        drop_stdout()
        code = Exit.DONE
    except (KeyboardInterrupt, click.Abort) as stop:
        _quiet_flush()
        code = Exit(getattr(stop, "exit_code", Exit.INTERRUPTED))
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
    text = " ".join(error.format_message().split()).rstrip(".")
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return Exit.USAGE, text
    help_ = f"see {error.ctx.command_path} --help"
    name = getattr(getattr(error, "param", None), "name", None)
    if name and error.ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP:
        place = error.ctx.meta["mewctl.settings"][name]
        return Exit.CONFIG, f"{place}: {text}; {help_}"
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
    # Ours name their file, and none but the working directory's is missing without one.
    unnamed = "working directory" if error.errno == errno.ENOENT else "standard output"
    failure = cannot_write(error.filename or unnamed, error)
    return _fail(failure.code, str(failure), meta, failure.fields)


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
