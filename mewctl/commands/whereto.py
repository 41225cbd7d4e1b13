"""Where prompts would go, in words: by the settings and what the SDK reads itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mewctl.origins import Row

Finding: TypeAlias = "tuple[Literal['ok', 'note', 'wrong'], str, str]"

_DEFAULT_URL = "https://api.anthropic.com"
_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
#: What else the SDK reads that decides where a request goes and what it carries.
_STEERING = (
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_PROFILE",
    "ANTHROPIC_CONFIG_DIR",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
)
_PASSWORD = re.compile(r"//[^/@]*@")


def whereto(rows: Iterable[Row], environ: Mapping[str, str]) -> Finding:
    """Status, words and remedy. Names variables, never the value of a credential."""
    values = {row.key: row for row in rows if not row.ignored}
    row = values.get("provider")
    provider = str(row.value) if row else "offline"
    origin = f" (provider {provider}, {row.origin})" if row else ""
    if provider == "anthropic":
        return _anthropic(values, environ, origin)
    if provider == "command":
        program = _setting(values, "command")
        words = f"to a program of yours: {program.split(' ')[0] or 'not named'}"
        return ("ok" if program else "wrong"), words + origin, ""
    return "ok", f"nowhere: no connection is opened{origin}", ""


def _anthropic(
    values: Mapping[str, Row], environ: Mapping[str, str], origin: str
) -> Finding:
    url = _setting(values, "base-url") or environ.get("ANTHROPIC_BASE_URL", "")
    url = url or _DEFAULT_URL
    words = f"to {_PASSWORD.sub('//...@', url)}{origin}"
    steering = [name for name in _STEERING if environ.get(name)]
    if steering:
        words += f", steered by {', '.join(steering)}"
    if not any(environ.get(name) for name in _KEYS):
        return "wrong", f"{words}; no credentials", f"set {_KEYS[0]}"
    return "ok", words, ""


def _setting(values: Mapping[str, Row], name: str) -> str:
    """The first value of a setting, whichever command has it; empty if none is set."""
    for key, row in values.items():
        if key.rpartition(".")[2] == name and row.value:
            return str(row.value)
    return ""
