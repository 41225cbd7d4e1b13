"""Room for the instructions: whole blocks are left out, those of low priority first.

The text has its layers in the order of their priority, so that is from its end. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from mewctl.errors import CannotFit
from mewctl.instructions.markdown import scan
from mewctl.instructions.source import front_matter
from mewctl.streams.jsonvalue import utf8_size


@dataclass(frozen=True, slots=True)
class Fitted:
    """A text that fits. ``blocks``, ``size``: how much was left out, in bytes."""

    text: str
    blocks: int = 0
    size: int = 0


def fit(text: str, most: int) -> Fitted:
    """``text``, which ends in no line end, in at most ``most`` bytes with its marker.

    Raises ``CannotFit`` where not even the first block fits.
    """
    whole = utf8_size(text)
    if whole + 1 <= most:
        return Fitted(text)
    lines = text.split("\n")
    layout = scan(lines, first=text.count("\n", 0, front_matter(text)))
    titles = {heading.line for heading in layout.headings}
    sizes = [0]
    for line in lines:
        sizes.append(sizes[-1] + utf8_size(line) + 1)
    starts = layout.starts
    for at in range(len(starts) - 1, 0, -1):
        if starts[at - 1] in titles:
            continue  # a heading stays with what it is the heading of
        end = starts[at]
        while not lines[end - 1].strip():
            end -= 1
        marker = _marker(len(starts) - at, whole - sizes[end] + 1, most)
        if sizes[end] + 1 + len(marker) + 1 <= most:
            kept = "\n".join(lines[:end])
            left = whole - sizes[end] + 1
            return Fitted(f"{kept}\n\n{marker}", len(starts) - at, left)
    raise CannotFit(
        what=f"the first block does not fit into {most} bytes",
        remedy="raise --max-bytes, or begin with a shorter block",
    )


def _marker(blocks: int, size: int, most: int) -> str:
    """The comment in place of what was left out; ASCII."""
    what = "1 block" if blocks == 1 else f"{blocks} blocks"
    return f"<!-- {what} ({size} bytes) left out: the limit is {most} bytes -->"
