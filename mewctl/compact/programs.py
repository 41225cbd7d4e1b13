"""What paths and commands say: languages, programs, commit messages. Pure.

Extracts only. A command that cannot be read for certain says nothing here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history.shell import Script, subcommand
from mewctl.history.shell_exit import only_shows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mewctl.history.shell import Simple

_LANGUAGES = {
    "C": "c h",
    "C++": "cc cpp cxx hh hpp",
    "C#": "cs",
    "CSS": "css scss less",
    "Dart": "dart",
    "Elixir": "ex exs",
    "Go": "go",
    "HTML": "html htm",
    "Haskell": "hs",
    "JSON": "json jsonl",
    "Java": "java",
    "JavaScript": "js jsx mjs cjs",
    "Kotlin": "kt kts",
    "Lua": "lua",
    "Markdown": "md mdx",
    "PHP": "php",
    "Python": "py pyi ipynb",
    "Ruby": "rb",
    "Rust": "rs",
    "SQL": "sql",
    "Scala": "scala",
    "Shell": "sh bash zsh",
    "Svelte": "svelte",
    "Swift": "swift",
    "TOML": "toml",
    "TypeScript": "ts tsx mts cts",
    "Vue": "vue",
    "YAML": "yaml yml",
    "Zig": "zig",
}
_BY_ENDING = {
    ending: language
    for language, endings in _LANGUAGES.items()
    for ending in endings.split()
}
# Programs whose first argument says what is done.
_WITH_SUBCOMMAND = frozenset(
    {
        "apt", "brew", "bun", "cargo", "conda", "composer", "deno", "docker", "dotnet",
        "flutter", "gh", "git", "go", "gradle", "helm", "just", "kubectl", "make",
        "mise", "mvn", "nix", "npm", "npx", "pip", "pnpm", "poetry", "rails", "rake",
        "swift", "systemctl", "terraform", "tox", "uv", "yarn",
    }
)  # fmt: skip
_CLIPPED = re.compile(r" …(?: \(\+\d+ characters\))?$")
# The message of ``git commit -m``: plain, in quotes, or a here-document in them.
_COMMIT = re.compile(
    r"\bgit\b[^\n;&|]{0,200}?\bcommit\b[^\n;&|]{0,200}?\s-[a-zA-Z]*m\s*"
    r"(?:\"\$\(cat\s*<<-?\s*['\"]?(?P<mark>\w+)['\"]?[^\n]*\n(?P<here>.*)"
    r"|\"(?P<double>(?:\\.|[^\"\\])*)|'(?P<single>[^']*))",
    re.DOTALL,
)


def language_of(path: str) -> str:
    """The language that a file name's ending stands for, or nothing."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return _BY_ENDING.get(name.rpartition(".")[2].lower(), "") if "." in name else ""


def programs_in(command: str) -> Iterator[str]:
    """The programs that a shell command runs; not those that look.

    As ``go test`` and ``npm run build``: with what tells one task from another.
    """
    for part in _parts(command):
        program = part.program
        if program and not only_shows(Script(" ".join(part.words))):
            task = _task(part) if program in _WITH_SUBCOMMAND else ""
            yield f"{program} {task}".rstrip()


def _task(part: Simple) -> str:
    """The subcommand; after ``run`` with the name of what is run."""
    first = subcommand(part)
    if first != "run":
        return first
    after = part.arguments[part.arguments.index(first) + 1 :]
    names = (word for word in after if not word.startswith("-"))
    return f"{first} {next(names, '')}"


def only_looks(command: str) -> bool:
    """Whether a command is known to do nothing but show what is there."""
    return only_shows(Script(_CLIPPED.sub("", command)))


def _parts(command: str) -> list[Simple]:
    """The simple commands; where the text was clipped, without the last, cut one."""
    whole = _CLIPPED.sub("", command)
    parts = Script(whole).parts
    return parts if whole == command else parts[:-1]


def commit_message(command: str) -> str:
    """The subject of the message that a command commits with, or nothing."""
    found = _COMMIT.search(command[: limits.FACT_COMMAND])
    if found is None:
        return ""
    text = found["here"] or found["double"] or found["single"] or ""
    for line in text.split("\n"):
        if line.strip():
            return line.strip()
    return ""
