"""How the timeline's page spells numbers and untrusted text."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from mewctl.streams.printable import printable

if TYPE_CHECKING:
    from mewctl.tokens.timeline_events import Size


def shown(text: str) -> str:
    """Untrusted ``text`` as HTML, in an element or an attribute, on one line."""
    return escape(printable(text), quote=True)


def number(size: Size | None) -> str:
    """A size in tokens; an estimate has a ``~`` before it."""
    if size is None:
        return "unknown"
    return f"{size.tokens:,}" if size.measured else f"~{size.tokens:,}"


def bar(part: float) -> str:
    """A bar, of which ``part`` (0 to 1) is filled."""
    width = f"{100 * min(1.0, max(0.0, part)):.1f}%"
    return (
        '<svg class="bar" aria-hidden="true">'
        '<rect class="room" width="100%" height="100%" rx="4"/>'
        f'<rect class="fill" width="{width}" height="100%" rx="4"/></svg>'
    )
