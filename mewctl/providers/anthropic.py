"""Prose from a server that speaks the Messages API, through the anthropic SDK.

The one place that imports the SDK, and only when a request is made: its import costs
seconds. Owns the request, its time and its retries; ``failures`` says what a failure
means, the gate in ``compact`` what an answer is worth. Address and credentials are
those that the SDK finds in the environment.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.errors import CannotFit, CredentialsError, ProviderRefused
from mewctl.history.usage import normalise
from mewctl.providers import failures
from mewctl.providers.failures import Answer, Failure
from mewctl.providers.protocol import Prose, random_word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mewctl.providers.protocol import Prompt, Stop, SummaryRequest

NAME = "anthropic"
_CONNECT = 5.0  # seconds until a server has to take the connection
_STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "refusal": "refusal",
}
_WINDOW_FULL = "model_context_window_exceeded"


@dataclass(frozen=True, slots=True)
class Settings:
    """Which model, where, and for how long.

    ``base_url`` "": as the environment says. ``timeout``: seconds for all requests of a
    run together. ``retries``: tries after the first. ``window``: tokens, 0 if unknown.
    """

    model: str
    base_url: str = ""
    timeout: float = limits.PROVIDER_TIMEOUT
    retries: int = limits.PROVIDER_RETRIES
    window: int = 0


class _Failed(Exception):
    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        super().__init__()


class Anthropic:
    """The provider. ``progress`` is called with each piece of text that arrives."""

    name = NAME
    is_model = True

    def __init__(
        self, settings: Settings, progress: Callable[[str], None] | None = None
    ) -> None:
        self._settings = settings
        self._progress = progress or (lambda _: None)
        self._end = 0.0  # of the time for all requests; 0 before the first

    @property
    def window(self) -> int:
        """Tokens of a request and its answer; 0 where unknown."""
        return self._settings.window

    def delimiter(self) -> str:
        """A random word, to stand around the data of one request."""
        return random_word()

    def write(self, request: SummaryRequest) -> Prose:
        """The model's answer to ``request.prompt``.

        Raises ``ProviderRefused``, ``ProviderUnavailable``, ``CredentialsError``, or
        ``CannotFit`` where the prompt is too long for the model.
        """
        prompt = request.prompt
        if prompt is None:
            raise TypeError("a model is asked by a prompt")
        most = request.limits.answer
        prose: Prose = self._retried(lambda: self._streamed(prompt, most))
        self._check_seen(prose, request.estimate(prompt.system + prompt.user))
        return prose

    def count(
        self, messages: Sequence[Mapping[str, Any]], **extra: Any
    ) -> tuple[int, str]:
        """Tokens of a request's messages as the provider counts them, and the model.

        ``extra``: ``system`` and ``tools`` of the request. Raises as ``write`` does.
        """
        model = self._settings.model

        def counted() -> int:
            with self._client() as client:
                found = client.messages.count_tokens(
                    model=model, messages=list(messages), **extra
                )
            return int(found.input_tokens)

        return self._retried(counted), model

    # --- time and retries ---

    def _left(self) -> float:
        if not self._end:
            self._end = time.monotonic() + self._settings.timeout
        left = self._end - time.monotonic()
        if left <= 0:
            why = f"no answer within {self._settings.timeout:g} s"
            raise failures.unreachable(self._place(), why).error
        return left

    def _retried(self, act: Callable[[], Any]) -> Any:
        pause = limits.RETRY_PAUSE
        for tries_left in range(self._settings.retries, -1, -1):
            try:
                return self._named(act)
            except _Failed as failed:
                failure = failed.failure
            wait = failure.after or pause
            if not (failure.again and tries_left) or wait >= self._left():
                raise failure.error
            time.sleep(wait)
            pause = min(2 * pause, limits.RETRY_PAUSE_MAX)
        raise failure.error

    def _named(self, act: Callable[[], Any]) -> Any:
        """Do it; whatever the SDK and what is below it raise becomes ``_Failed``."""
        import anthropic
        import httpx2

        place = self._place()
        try:
            return act()
        except anthropic.APIStatusError as error:
            failure = failures.classify(_answer_of(error), place)
        except anthropic.APIConnectionError as error:
            cause = error.__cause__ or error
            failure = failures.unreachable(place, str(cause) or type(cause).__name__)
        except httpx2.HTTPError as error:  # in mid-stream the SDK lets these through
            failure = failures.unreachable(place, str(error) or type(error).__name__)
        except (anthropic.CredentialsError, UnicodeEncodeError) as error:
            failure = _no_key(str(error))
        except TypeError as error:
            if "authentication" not in str(error):
                raise
            failure = _no_key("no key in the environment")
        except (anthropic.AnthropicError, ValueError, httpx2.InvalidURL) as error:
            failure = failures.unreadable(place, str(error) or type(error).__name__)
        raise _Failed(failure) from None

    # --- the request ---

    def _client(self) -> Any:
        import anthropic
        import httpx2

        left = self._left()
        return anthropic.Anthropic(
            base_url=self._settings.base_url or None,
            max_retries=0,
            timeout=httpx2.Timeout(left, connect=min(_CONNECT, left)),
        )

    def _place(self) -> str:
        return self._settings.base_url or NAME

    def _streamed(self, prompt: Prompt, most: int) -> Prose:
        text: list[str] = []
        ended = False
        with (
            self._client() as client,
            client.messages.stream(
                model=self._settings.model,
                max_tokens=most,
                system=prompt.system,
                messages=[{"role": "user", "content": prompt.user}],
            ) as stream,
        ):
            kind = stream.response.headers.get("content-type", "")
            if "event-stream" not in kind:
                why = f"the answer is {kind or 'of no type'}, not an event stream"
                raise _Failed(failures.unreadable(self._place(), why))
            for event in stream:
                self._left()
                if event.type == "text":
                    text.append(event.text)
                    self._progress(event.text)
                ended = ended or event.type == "message_stop"
            if not ended:
                why = "the answer broke off"
                raise _Failed(failures.unreachable(self._place(), why))
            message = stream.get_final_message()
            request_id = stream.request_id or ""
        if message.stop_reason == _WINDOW_FULL:
            raise CannotFit(
                what=f"{self._place()}: the model's window was full before the end",
                remedy="use a model with a larger window",
            )
        return Prose(
            provider=NAME,
            model=message.model or self._settings.model,
            usage=normalise(message.usage.model_dump()),
            stop=_STOPS.get(message.stop_reason or "", "unknown"),
            answer="".join(text),
            request_id=request_id,
        )

    def _check_seen(self, prose: Prose, estimate: float) -> None:
        """Refuse an answer to a prompt whose front the server dropped in silence."""
        usage = prose.usage
        if usage is None:
            return
        seen = usage.input + usage.cache_read + usage.cache_write
        if 0 < seen < limits.UNSEEN_PROMPT * estimate:
            raise ProviderRefused(
                what=f"{self._place()}: the server read {seen} tokens of about"
                f" {estimate:.0f}: it dropped the front of the prompt",
                remedy="give the server a larger context, or name --provider-window",
            )


def _answer_of(error: Any) -> Answer:
    headers = error.response.headers
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error")
    inner = inner if isinstance(inner, dict) else body
    kind = inner.get("type") or error.type or ""
    text = inner.get("message") or error.message
    status = error.status_code
    if status < 400:  # noqa: PLR2004 - an error event within a stream that began well
        status = 0
    return Answer(
        status, str(kind), str(text), error.request_id or "", _seconds(headers)
    )


def _seconds(headers: Mapping[str, str]) -> float:
    """What ``retry-after`` says; 0 where it says nothing, or a date."""
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return 0.0


def _no_key(why: str) -> Failure:
    return Failure(
        CredentialsError(
            what=f"anthropic: {why}", remedy="set ANTHROPIC_API_KEY in the environment"
        )
    )
