"""What a shell command does to files. Pure.

Only what the text itself says: ``rm``, ``mv``, redirections, ``sed -i``, patches and
scripts given inline. Programs that write files on their own are just commands here.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from mewctl import limits
from mewctl.history import excerpt, patches, paths
from mewctl.history.patches import Touch
from mewctl.history.shell import literal, plain, subcommand
from mewctl.history.shell_exit import shows
from mewctl.history.shell_reads import READERS, as_content, files, is_option, reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mewctl.history.patches import TouchKind
    from mewctl.history.shell import Script, Simple

_ALWAYS = ("", ";", "\n", "&")  # before a part that runs whatever came before
_OUT = (">", ">>", ">|", "&>", "&>>")
# Files that a script given inline names, and what shows that it writes at all.
_SCRIPT_WRITES = re.compile(
    r"open\([^)\n]*,\s*[\"'][wax]|\.write_(?:text|bytes)\(|writeFile(?:Sync)?\(|File\.write"
)
_SCRIPT_FILE = re.compile(
    r"([\"'])((?:~?[\w.@+-]*/)*[\w.@+-]+\.(?:c|cc|cfg|conf|cpp|cs|css|csv|go|h|hpp|html|ini"
    r"|java|js|json|jsonl|jsx|kt|lock|lua|md|mdx|mjs|mod|php|proto|py|pyi|rb|rs|rst|scala"
    r"|scss|sh|sql|sum|svelte|swift|toml|ts|tsx|txt|vue|xml|yaml|yml))\1"
)
_UNKNOWN = "?"  # a directory that cannot be told


def touches(script: Script) -> tuple[Touch, ...]:
    """The files that a command reads or changes, by its text, in order."""
    if not _may_touch(script.text[: limits.SHELL_TEXT]):
        return ()
    base, sure = "", True
    found: list[Touch] = []
    acts: list[Simple] = []
    last = _last_act(script.parts)
    for part in script.parts:
        if part.program == "cd":
            base = _directory(base, part.arguments)
            continue
        acts.append(part)
        sure = part.before in _ALWAYS or (sure and part.before == "&&")
        named = [_placed(touch, base) for touch in _touched(part)]
        sure = sure and all(touch.kind != "read" for touch in named) and bool(named)
        if sure and last is not None and part is not last:
            named = [replace(touch, certain=True) for touch in named]
        found += named
    if len(found) == 1 and found[0].kind == "read":
        found[0] = as_content(found[0], acts)
    return tuple(found[: limits.FACT_PATHS])


def _last_act(parts: Sequence[Simple]) -> Simple | None:
    """The last part that does something, by whose failure a command fails.

    What certainly ran before it was done, whatever the exit code says.
    """
    return next((part for part in reversed(parts) if not shows(part)), None)


def _may_touch(text: str) -> bool:
    """Whether there is any sign of a program or redirection that we know."""
    words = text.replace(";", " ").replace("(", " ").split()
    if not _KNOWN.isdisjoint(words):
        return True
    return ">" in text and ">" in text.replace("2>&1", "").replace(">/dev/null", "")


def _directory(base: str, arguments: Sequence[str]) -> str:
    """The directory after ``cd``."""
    target = plain(arguments[0]) if len(arguments) == 1 else None
    if not target or target == "-":
        return _UNKNOWN
    if paths.is_absolute(target):
        return target
    return posixpath.join(base, target) if base != _UNKNOWN else _UNKNOWN


def _placed(touch: Touch, base: str) -> Touch:
    """``touch`` with paths as seen from where the whole command began."""
    if base in ("", _UNKNOWN):
        return touch
    to = _join(base, touch.to) if touch.to else ""
    return replace(touch, path=_join(base, touch.path), to=to)


def _join(base: str, path: str) -> str:
    if paths.is_absolute(path):
        return path
    return posixpath.normpath(posixpath.join(base, path))


def _touched(part: Simple) -> Iterator[Touch]:
    act = _ACTS.get(part.program)
    yield from act(part) if act else reads(part)
    for operator, word in part.redirects:
        path = plain(word)
        if operator not in _OUT or not path or path.startswith("/dev/"):
            continue
        if paths.is_path(path):
            # Behind && or || the file is made only if that part was reached.
            sure = part.before in _ALWAYS
            kind: TouchKind = "edit" if operator.endswith(">>") else "write"
            text = part.heredoc or _spoken(part)
            yield Touch(kind, path, patches.written(text), certain=sure)


def _spoken(part: Simple) -> str:
    """What ``echo`` or ``printf`` writes, for the excerpt."""
    if part.program not in ("echo", "printf"):
        return ""
    return " ".join(literal(word) for word in part.arguments if not is_option(word))


def _remove(part: Simple) -> Iterator[Touch]:
    return (Touch("delete", path) for path in files(part.arguments))


def _move(part: Simple) -> Iterator[Touch]:
    named = [word for word in part.arguments if not is_option(word)]
    target = plain(named[-1]) if len(named) > 1 else None
    if not target or not paths.is_path(target):
        return
    where = target if len(named) == 2 else target.rstrip("/") + "/"  # noqa: PLR2004 - source, target
    for source in files(named[:-1]):
        yield Touch("move", source, to=paths.moved(source, where))


def _copy(part: Simple) -> Iterator[Touch]:
    for touch in _move(part):
        yield Touch("write", touch.to, f"(copy of {touch.path})")


def _touch(part: Simple) -> Iterator[Touch]:
    return (Touch("write", path) for path in files(part.arguments))


def _tee(part: Simple) -> Iterator[Touch]:
    kind: TouchKind = "edit" if "-a" in part.arguments else "write"
    text = patches.written(part.heredoc)
    named = (path for path in files(part.arguments) if not path.startswith("/dev/"))
    return (Touch(kind, path, text) for path in named)


def _patch(part: Simple) -> Iterator[Touch]:
    text = part.heredoc or "\n".join(literal(word) for word in part.arguments)
    return patches.envelope(text)


def _sed(part: Simple) -> Iterator[Touch]:
    """``sed -i SCRIPT FILE…`` edits; other calls may read."""
    options = [word for word in part.arguments if is_option(word)]
    if not any(option.startswith(("-i", "--in-place")) for option in options):
        yield from reads(part)
        return
    rest = [word for word in part.arguments if not is_option(word)]
    if rest and not literal(rest[0]):  # the suffix of BSD's -i
        del rest[0]
    shown = excerpt.line(f"sed {literal(rest[0])}" if rest else "", limits.FACT_WHY)
    for path in files(rest[1:]):
        yield Touch("edit", path, shown)


def _perl(part: Simple) -> Iterator[Touch]:
    options = [word for word in part.arguments if is_option(word)]
    rest = [word for word in part.arguments if not is_option(word)]
    if rest and any(re.fullmatch(r"-\w*i\w*", option) for option in options):
        shown = excerpt.line(f"perl {literal(rest[0])}", limits.FACT_WHY)
        for path in files(rest[1:]):
            yield Touch("edit", path, shown)


def _script(part: Simple) -> Iterator[Touch]:
    """An inline script that writes: the files it names are taken for changed."""
    words = part.arguments
    inline = next((code for flag, code in pairwise(words) if flag in ("-c", "-e")), "")
    code = (part.heredoc or inline)[: limits.READ_KEPT]
    if _SCRIPT_WRITES.search(code):
        for path in dict.fromkeys(m.group(2) for m in _SCRIPT_FILE.finditer(code)):
            yield Touch("edit", path, "(named in a script that writes files)")


def _git(part: Simple) -> Iterator[Touch]:
    action = subcommand(part)
    words = part.arguments
    rest = replace(part, arguments=words[words.index(action) + 1 :] if action else [])
    if action == "rm" and "--cached" not in words:
        yield from _remove(rest)
    elif action == "mv":
        yield from _move(rest)
    elif action in ("checkout", "restore"):
        yield from _restored(action, rest.arguments)


def _restored(action: str, words: Sequence[str]) -> Iterator[Touch]:
    """``git checkout … -- FILE`` and ``git restore FILE`` take changes back."""
    if "--staged" in words and "--worktree" not in words:
        return
    named = list(words[words.index("--") + 1 :]) if "--" in words else []
    if action == "restore" and "--" not in words:
        named = list(words)
    for path in files(named):
        if path != ".":
            yield Touch("edit", path, f"(git {action}: back to a committed state)")


_ACTS: dict[str, Callable[[Simple], Iterator[Touch]]] = {
    "rm": _remove,
    "unlink": _remove,
    "mv": _move,
    "cp": _copy,
    "touch": _touch,
    "tee": _tee,
    "sed": _sed,
    "gsed": _sed,
    "perl": _perl,
    "python": _script,
    "python3": _script,
    "node": _script,
    "ruby": _script,
    "git": _git,
    "apply_patch": _patch,
    "applypatch": _patch,
}
_KNOWN = frozenset((*_ACTS, *READERS))
