"""Who writes prose: the options that choose a provider, and the provider they choose.

Shared by every command that asks for prose. A key in the environment selects nothing,
and a project's settings cannot choose (``config.USER_ONLY``).
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from mewctl import limits
from mewctl.commands.options import Count, chain
from mewctl.streams.progress import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mewctl.providers.protocol import Prose, Provider, SummaryRequest

NAMES = ("offline", "anthropic", "command")

provider_options = chain(
    click.option(
        "--provider",
        metavar="|".join(NAMES),
        type=click.Choice(NAMES),
        default=NAMES[0],
        show_default=True,
        envvar="MEWCTL_PROVIDER",
        show_envvar=True,
        help="Who writes the prose; facts come from code, whoever it is.",
    ),
    click.option(
        "--provider-model",
        metavar="NAME",
        show_envvar=True,
        help="The model that writes prose (default: the history's, if it is a Claude).",
    ),
    click.option(
        "--provider-window",
        metavar="TOKENS",
        type=Count(1),
        show_envvar=True,
        help="What a request to it may hold (default: from its name).",
    ),
    click.option(
        "--base-url",
        metavar="URL",
        show_envvar=True,
        help="A Messages API, without /v1 (default: as ANTHROPIC_BASE_URL says).",
    ),
    click.option(
        "--command",
        metavar="'PROGRAM ARG ...'",
        show_envvar=True,
        help="For --provider command: reads a prompt, prints an answer. No shell.",
    ),
    click.option(
        "--pass-env",
        metavar="NAME",
        multiple=True,
        show_envvar=True,
        help="A variable that the program gets besides PATH, HOME and the locale.",
    ),
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.FloatRange(0, min_open=True),
        default=limits.PROVIDER_TIMEOUT,
        show_default=True,
        show_envvar=True,
        help="For all requests of a run together.",
    ),
    click.option(
        "--retries",
        metavar="N",
        type=click.IntRange(0, 10),
        default=limits.PROVIDER_RETRIES,
        show_default=True,
        show_envvar=True,
        help="Further tries where the server says to try again.",
    ),
)


class _Shown:
    """A provider whose answers are waited for in sight of the user."""

    def __init__(self, provider: Provider, answer: Answer) -> None:
        self._provider = provider
        self._answer = answer
        self.name = provider.name
        self.is_model = provider.is_model
        self.window = provider.window

    def delimiter(self) -> str:
        """A random word, to stand around the data of one request."""
        return self._provider.delimiter()

    def write(self, request: SummaryRequest) -> Prose:
        """What the provider writes."""
        with self._answer:
            return self._provider.write(request)


def provider_from(options: Mapping[str, Any], model: str) -> Provider:
    """The provider that the options choose. ``model``: the history's, "" if unknown.

    Raises ``click.UsageError`` for options that choose none.
    """
    name = options["provider"]
    if name == "command":
        return _Shown(_program(options), Answer(name))
    if name == "anthropic":
        answer = Answer(name)
        return _Shown(_anthropic(options, model, answer.heard), answer)
    from mewctl.providers.offline import Offline

    return Offline()


def _program(options: Mapping[str, Any]) -> Provider:
    from mewctl.providers.command import Command, Settings, environment

    try:
        argv = shlex.split(options["command"] or "")
    except ValueError as error:
        raise click.UsageError(f"--command: {error}") from None
    if not argv:
        raise click.UsageError("--provider command needs --command 'PROGRAM ARG ...'")
    env = environment(os.environ, options["pass_env"])
    window = options["provider_window"] or 0
    return Command(Settings(tuple(argv), env, options["timeout"], window))


def _anthropic(
    options: Mapping[str, Any], model: str, heard: Callable[[str], None]
) -> Provider:
    from mewctl.providers.anthropic import Anthropic, Settings
    from mewctl.tokens.windows import own_name, window_for

    chosen = options["provider_model"]
    if not chosen and own_name(model).startswith("claude"):
        chosen = model.partition("[")[0]  # agents write claude-x[1m]
    if not chosen:
        raise click.UsageError("--provider anthropic needs --provider-model NAME")
    return Anthropic(
        Settings(
            model=chosen,
            base_url=options["base_url"] or "",
            timeout=options["timeout"],
            retries=options["retries"],
            window=options["provider_window"] or window_for(chosen) or 0,
        ),
        heard,
    )
