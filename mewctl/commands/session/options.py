"""Options and values that several session commands share, each defined once."""

from __future__ import annotations

import re
from typing import Any

import click

from mewctl.commands.completing import complete_sessions
from mewctl.commands.options import chain, root_option


class Age(click.ParamType[float]):
    """A length of time with its unit: ``30d``, ``12h``, ``2w``, ``6m``, ``1y``."""

    name = "age"
    _SECONDS = {  # noqa: RUF012 - a constant table
        "h": 3_600,
        "d": 86_400,
        "w": 7 * 86_400,
        "m": 30 * 86_400,
        "y": 365 * 86_400,
    }
    _TEXT = re.compile(r"([0-9]{1,6})([hdwmy])")

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The time in seconds, more than none."""
        if isinstance(value, float):
            return value
        match = self._TEXT.fullmatch(str(value).strip())
        if match is None or int(match[1]) == 0:
            self.fail(
                f"{value!r} is no length of time such as 12h, 30d, 2w, 6m or 1y",
                param,
                ctx,
            )
        return float(int(match[1]) * self._SECONDS[match[2]])


def age_words(seconds: int) -> str:
    """A length of time as ``Age`` reads it, for defaults: ``6h``, ``30d``."""
    if seconds % 86_400 == 0:
        return f"{seconds // 86_400}d"
    return f"{seconds // 3_600}h"


class Size(click.ParamType[int]):
    """A number of bytes with its unit: ``500M``, ``2G``, ``800K`` (powers of 1024)."""

    name = "size"
    _TEXT = re.compile(r"([0-9]{1,9})([KMG])")

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The number of bytes, more than none."""
        if isinstance(value, int):
            return value
        match = self._TEXT.fullmatch(str(value).strip())
        if match is None or int(match[1]) == 0:
            self.fail(f"{value!r} is no size such as 800K, 500M or 2G", param, ctx)
        return int(match[1]) << 10 * ("KMG".index(match[2]) + 1)


class Moment(click.ParamType[float]):
    """A point in time: a date, a date with a time (UTC), or an age such as ``7d``."""

    name = "moment"
    _FORMATS = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Unix seconds."""
        import time
        from calendar import timegm

        if isinstance(value, float):
            return value
        text = str(value).strip().removesuffix("Z")
        for form in self._FORMATS:
            try:
                return float(timegm(time.strptime(text, form)))
            except ValueError:
                continue
        if Age._TEXT.fullmatch(text):  # noqa: SLF001 - the same grammar
            return time.time() - Age().convert(text, param, ctx)
        return self.fail(
            f"{value!r} is neither a date such as 2026-11-30 nor an age such as 7d",
            param,
            ctx,
        )


session_argument = click.argument(
    "reference",
    metavar="S",
    shell_complete=complete_sessions,
    help="The session: an id, the beginning of one, latest, or a path.",
)

place_options = chain(
    root_option,
    click.option(
        "--user",
        is_flag=True,
        show_envvar=True,
        help="The user level: the sessions in ~/.mewcode.",
    ),
)


def _told(ctx: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """Errors are objects as well where the output is."""
    if value == "jsonl":
        ctx.meta["mewctl.format"] = "jsonl"
    return value


format_option = click.option(
    "--format",
    "format_",
    metavar="table|jsonl",
    type=click.Choice(("table", "jsonl")),
    callback=_told,
    help="How the output looks (default: a table on a terminal, JSONL in a pipe).",
)
