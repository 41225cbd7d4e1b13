"""Prose from any program: the prompt on its stdin, the answer on its stdout.

Owns what the program is given (a bare environment) and what counts as failure. Runs
only what the user named; must not use a shell.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.compact.quote import clip, inline
from mewctl.errors import ProviderRefused, ProviderUnavailable
from mewctl.providers.failures import Answer, is_too_long
from mewctl.providers.protocol import Prose, random_word
from mewctl.streams.program import Bounds, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mewctl.errors import MewError
    from mewctl.providers.protocol import SummaryRequest
    from mewctl.streams.program import Finished

NAME = "command"
#: Variables that a program gets unasked.
_PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "USER")
_LINE = 300  # characters of its last line on stderr


@dataclass(frozen=True, slots=True)
class Settings:
    """``argv`` of the program, its whole environment, its time in seconds.

    ``timeout`` is for all runs together. ``window``: tokens, 0 if unknown.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    timeout: float = limits.PROVIDER_TIMEOUT
    window: int = 0


def environment(whole: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """What of the ``whole`` environment a program gets: the bare one, and ``names``."""
    wanted = {*_PASSED, *names}
    return {name: value for name, value in whole.items() if name in wanted}


class Command:
    """The provider."""

    name = NAME
    is_model = True

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._end = 0.0

    @property
    def window(self) -> int:
        """Tokens of a request and its answer; 0 where unknown."""
        return self._settings.window

    def delimiter(self) -> str:
        """A random word, to stand around the data of one request."""
        return random_word()

    def write(self, request: SummaryRequest) -> Prose:
        """What the program answers to ``request.prompt``.

        Raises ``ProviderRefused``, ``ProviderUnavailable``, or ``CannotFit`` where the
        program says that the prompt is too long.
        """
        prompt = request.prompt
        if prompt is None:
            raise TypeError("a model is asked by a prompt")
        self._end = self._end or time.monotonic() + self._settings.timeout
        left = max(0.0, self._end - time.monotonic())
        data = f"{prompt.system}\n\n{prompt.user}".encode("utf-8", "backslashreplace")
        bounds = Bounds(left, limits.COMMAND_OUTPUT)
        done = run(self._settings.argv, data, self._settings.env, bounds)
        return Prose(provider=NAME, answer=self._text(done), stop="unknown")

    def _text(self, done: Finished) -> str:
        if done.end != "exited" or done.code:
            raise self._failure(done)
        try:
            text = done.out.decode("utf-8")
        except UnicodeDecodeError as error:
            why = f"its output is not UTF-8 at byte {error.start}"
            raise self._refused(why, done) from None
        if not text.strip():
            raise self._refused("it printed nothing", done)
        return text

    def _failure(self, done: Finished) -> MewError:
        program = inline(self._settings.argv[0])
        if done.end == "missing":
            return ProviderUnavailable(
                what=f"--command: {program} cannot be started: {done.why}",
                remedy="name a program that is there",
            )
        if done.end == "late":
            return ProviderUnavailable(
                what=f"--command: {program} did not end within"
                f" {self._settings.timeout:g} s",
                remedy="give it more time with --timeout",
            )
        if done.end == "flood":
            most = limits.COMMAND_OUTPUT
            return self._refused(f"it printed more than {most} bytes", done)
        how = f"exit code {done.code}"
        if done.code < 0:
            how = f"ended by signal {-done.code}"
        said = done.err.decode("utf-8", "replace")
        if is_too_long(Answer(0, "", said)):
            from mewctl.errors import CannotFit

            return CannotFit(
                what=f"--command: {program}: {_last_line(done)}",
                remedy="use a model with a larger window",
            )
        return self._refused(how, done)

    def _refused(self, why: str, done: Finished) -> ProviderRefused:
        program = inline(self._settings.argv[0])
        said = _last_line(done)
        tail = f": {said}" if said else ""
        return ProviderRefused(
            what=f"--command: {program}: {why}{tail}",
            remedy="mend the program, or use --provider offline",
        )


def _last_line(done: Finished) -> str:
    lines = done.err.decode("utf-8", "replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return clip(inline(last), _LINE)
