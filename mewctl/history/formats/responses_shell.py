"""The output of a ``shell_call``: chunks of stdout and stderr, each with its outcome.

``[{"stdout", "stderr", "outcome": {"type": "exit", "exit_code"}}]``, or an outcome
``{"type": "timeout"}``. A view shows the texts that are not empty, in order. Outcomes
are never changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mewctl.history.formats import blocks
from mewctl.history.view import Opaque, Text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mewctl.history.view import Content, Result

_STREAMS = ("stdout", "stderr")
_PLAIN = [{"type": "exit", "exit_code": code} for code in (0, 1)]


def read_chunks(output: object) -> tuple[tuple[Content, ...], bool]:
    """The content of an output, and whether a command in it failed or took too long.

    A chunk without texts is opaque. Raises ``ValueError``.
    """
    content: list[Content] = []
    failed = False
    for item in blocks.as_list(output, "output"):
        chunk = blocks.as_mapping(item, "output")
        if _is_chunk(chunk):
            content += [Text(chunk[key]) for key in _STREAMS if chunk[key]]
            failed |= _has_failed(chunk.get("outcome"))
        else:
            content.append(blocks.opaque(chunk))
    return tuple(content), failed


def _is_chunk(chunk: Mapping[str, Any]) -> bool:
    return all(isinstance(chunk.get(key), str) for key in _STREAMS)


def _has_failed(outcome: object) -> bool:
    if not isinstance(outcome, dict):
        return False
    code = outcome.get("exit_code")
    return outcome.get("type") == "timeout" or (isinstance(code, int) and code != 0)


def odd_outcomes(output: object) -> int:
    """How many outcomes say more than that a command passed or failed."""
    if not isinstance(output, list):
        return 0
    outcomes = (item.get("outcome") for item in output if isinstance(item, dict))
    return sum(outcome is not None and outcome not in _PLAIN for outcome in outcomes)


def write_chunks(before: object, result: Result) -> list[dict[str, Any]]:
    """The output ``before`` with the content of ``result``: its chunks stay.

    Texts take the places of the texts that were there; what has no place joins the
    last. Places that are left are empty.
    """
    texts = [part.text for part in result.content if isinstance(part, Text)]
    kept = [part.raw for part in result.content if isinstance(part, Opaque)]
    chunks = [dict(chunk) for chunk in before] if isinstance(before, list) else []
    own = [chunk for chunk in chunks if _is_chunk(chunk)]
    if texts and not own:
        return [*new_chunks("".join(texts), failed=result.is_error), *map(dict, kept)]
    places = [(chunk, key) for chunk in own for key in _STREAMS if chunk[key]]
    places = places or [(chunk, "stdout") for chunk in own[:1]]
    for number, (chunk, key) in enumerate(places):
        last = number == len(places) - 1
        chunk[key] = "".join(texts[number:] if last else texts[number : number + 1])
    return [chunk for chunk in chunks if _is_chunk(chunk) or chunk in kept]


def new_chunks(text: str, *, failed: bool) -> list[dict[str, Any]]:
    """An output that says ``text``."""
    outcome = {"type": "exit", "exit_code": int(failed)}
    return [{"stdout": text, "stderr": "", "outcome": outcome}]
