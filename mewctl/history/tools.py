"""Which tools read, change, run, search or keep todos: a call seen as an act.

``classify`` goes by name first, then by argument keys, so that an unknown agent's tools
are understood as far as their arguments speak for themselves. Must not look at results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from mewctl import limits
from mewctl.frozen import cheap
from mewctl.history import excerpt, patches, paths, shell, shell_files
from mewctl.history import tool_args as given
from mewctl.history import tool_names as names
from mewctl.history.patches import Touch
from mewctl.history.shell import Script

if TYPE_CHECKING:
    from mewctl.history.tool_args import Args
    from mewctl.history.tool_names import Use
    from mewctl.history.view import Call

Kind: TypeAlias = Literal["read", "change", "run", "poll", "search", "todo", "other"]

_KINDS: dict[Use, Kind] = {
    "read": "read",
    "write": "change",
    "edit": "change",
    "patch": "change",
    "delete": "change",
    "move": "change",
    "run": "run",
    "poll": "poll",
    "search": "search",
    "todo": "todo",
    "new task": "todo",
    "set task": "todo",
    "list tasks": "todo",
    "other": "other",
}


NOTHING = Script("")


@dataclass(frozen=True, slots=True)
class ToolRule:
    """A tool that configuration adds: its name, and what it is for."""

    name: str
    use: Use


@cheap
@dataclass(frozen=True, slots=True)
class Action:
    """What a call does.

    ``about``: its path or first argument, for people. ``touches``: files, by paths as
    absolute as the call says. ``script``: what runs. ``ref``: which running command a
    poll is about. ``use`` and ``args`` are for todo lists.
    """

    kind: Kind
    tool: str
    use: Use
    about: str = ""
    touches: tuple[Touch, ...] = ()
    script: Script = NOTHING
    ref: str = ""
    args: Args | None = None

    @property
    def command(self) -> str:
        """The whole text that runs; empty if nothing does."""
        return self.script.text

    @property
    def target(self) -> str:
        """What the call is about, on one line: its command, path or first argument."""
        return excerpt.line(self.command or self.about, limits.FACT_TARGET)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files concerned, in order."""
        return tuple(touch.path for touch in self.touches)


@lru_cache(maxsize=256)
def bare(name: str) -> str:
    """A name without case, separators and the prefix of its server or namespace."""
    for mark in ("__", ".", "/", ":"):
        name = name.rpartition(mark)[2] or name
    return given.bare_key(name)


def classify(call: Call, extra: Sequence[ToolRule] = (), cwd: str = "") -> Action:
    """What ``call`` does. ``extra`` rules go first; ``cwd`` is where calls run."""
    name = bare(call.name[: limits.FACT_TARGET])
    if isinstance(call.input, str):
        return _from_text(call.name, name, call.input, cwd)
    args = {given.bare_key(key): value for key, value in call.input.items()}
    use = _use(name, args, extra)
    action = _ACTS[use](call.name, use, args, cwd)
    if action.about or action.command:
        return action
    return replace(action, about=given.first_argument(args))


def _use(name: str, args: Args, extra: Sequence[ToolRule]) -> Use:
    known = next((rule.use for rule in extra if bare(rule.name) == name), None)
    known = known or names.USES.get(name)
    if known == "editor":
        known = names.EDITOR_COMMANDS.get(str(args.get("command")), "other")
    return known if known and _possible(known, args) else _guess(name, args)


def _possible(use: Use, args: Args) -> bool:
    """Whether the arguments have what ``use`` needs."""
    if use in ("read", "write", "edit", "delete", "move"):
        return bool(given.file_paths(args))
    return use != "run" or bool(given.command(args))


def _guess(name: str, args: Args) -> Use:
    """The use of an unknown tool, by its arguments."""
    if not given.file_paths(args):
        return _guess_without_path(args)
    editor = names.EDITOR_COMMANDS.get(str(args.get("command")))
    changed = given.has(args, names.OLD_KEYS) and given.has(args, names.NEW_KEYS)
    if not editor and (changed or given.text(args, names.DIFF_KEYS)):
        return "edit"
    if editor:
        return editor
    if given.command(args) and not given.has(args, names.CONTENT_KEYS):
        return "run"
    hinted = (use for use, words in names.HINTS if any(w in name for w in words))
    return next(hinted, "write" if given.has(args, names.CONTENT_KEYS) else "other")


def _guess_without_path(args: Args) -> Use:
    if given.command(args):
        return "run"
    patch = given.text(args, names.PATCH_KEYS)
    if patch.find(patches.BEGIN, 0, limits.SHELL_TEXT) >= 0:
        return "patch"
    return "search" if given.text(args, names.SEARCH_KEYS) else "other"


def _from_text(tool: str, name: str, text: str, cwd: str) -> Action:
    """A call whose input is free text, or arguments that are no JSON."""
    if text.find(patches.BEGIN, 0, limits.SHELL_TEXT) >= 0:
        return _change(tool, "patch", patches.envelope(text), cwd)
    if names.USES.get(name) == "run":
        return _ran(tool, text, cwd)
    return Action("other", tool, "other", text[: limits.FACT_TARGET * 4])


def _change(tool: str, use: Use, touches: Iterable[Touch], cwd: str) -> Action:
    placed = tuple(
        _placed(touch, cwd)
        for touch, _ in zip(touches, range(limits.FACT_PATHS), strict=False)
    )
    more = f" (+{len(placed) - 1})" if len(placed) > 1 else ""
    about = placed[0].path + more if placed else ""
    return Action(_KINDS[use], tool, use, about, placed)


def _placed(touch: Touch, cwd: str) -> Touch:
    path, to = paths.shown(touch.path, cwd), paths.shown(touch.to, cwd)
    if path == touch.path and to == touch.to:
        return touch
    return replace(touch, path=path, to=to)


def _read(tool: str, use: Use, args: Args, cwd: str) -> Action:
    found = given.file_paths(args)
    touches = (
        Touch(
            "read",
            path,
            part=given.part(args),
            content=len(found) == 1,
            numbered=tool in names.NUMBERED,
        )
        for path in found
    )
    return _change(tool, use, touches, cwd)


def _write(tool: str, use: Use, args: Args, cwd: str) -> Action:
    change = patches.written(given.text(args, names.CONTENT_KEYS))
    appended = str(args.get("mode")) in ("append", "a")
    touches = (
        Touch("edit" if appended else "write", path, change)
        for path in given.file_paths(args)
    )
    return _change(tool, use, touches, cwd)


def _edit(tool: str, use: Use, args: Args, cwd: str) -> Action:
    change = _edited(args)
    return _change(
        tool, use, (Touch("edit", path, change) for path in given.file_paths(args)), cwd
    )


def _edited(args: Args) -> str:
    """The excerpt of an edit: of its last replacement, if it has several."""
    for key in ("edits", "edit", "replacements"):
        inner = args.get(key)
        last = inner[-1] if isinstance(inner, list) and inner else inner
        if isinstance(last, Mapping):
            args = {given.bare_key(name): value for name, value in last.items()}
            break
    old, new = given.text(args, names.OLD_KEYS), given.text(args, names.NEW_KEYS)
    if old or new:
        return patches.replaced(old, new) if old else patches.written(new)
    diff = given.text(args, names.DIFF_KEYS)
    if diff:
        return excerpt.lines(diff, limits.FACT_CHANGE)
    return patches.written(given.text(args, names.CONTENT_KEYS))


def _patch(tool: str, use: Use, args: Args, cwd: str) -> Action:
    text = given.text(args, names.PATCH_KEYS) or given.text(args, names.COMMAND_KEYS)
    if not text:
        text = shell.unwrap(given.first(args, names.COMMAND_KEYS))
    found = list(patches.envelope(text)) or list(patches.unified(text))
    return _change(tool, use, found, cwd)


def _delete(tool: str, use: Use, args: Args, cwd: str) -> Action:
    return _change(
        tool, use, (Touch("delete", path) for path in given.file_paths(args)), cwd
    )


def _move(tool: str, use: Use, args: Args, cwd: str) -> Action:
    to = given.text(args, names.TO_KEYS)
    if not paths.is_path(to):
        return _other(tool, "other", args, cwd)
    touches = (
        Touch("move", path, to=paths.moved(path, to))
        for path in given.file_paths(args)[:1]
    )
    return _change(tool, use, touches, cwd)


def _run(tool: str, _use: Use, args: Args, cwd: str) -> Action:
    where = given.text(args, names.CWD_KEYS)
    return _ran(tool, given.command(args), paths.shown(where, cwd) if where else cwd)


def _ran(tool: str, command: str, cwd: str) -> Action:
    script = Script(command)
    touches = tuple(_placed(touch, cwd) for touch in shell_files.touches(script))
    return Action("run", tool, "run", touches=touches, script=script)


def _poll(tool: str, use: Use, args: Args, _cwd: str) -> Action:
    ref = given.first(args, names.POLL_KEYS)
    shown = str(ref) if isinstance(ref, (str, int)) else ""
    return Action("poll", tool, use, shown[: limits.FACT_TARGET], ref=shown)


def _search(tool: str, use: Use, args: Args, _cwd: str) -> Action:
    text = given.text(args, names.SEARCH_KEYS) or next(iter(given.file_paths(args)), "")
    return Action("search", tool, use, text[: limits.FACT_TARGET * 4])


def _todo(tool: str, use: Use, args: Args, _cwd: str) -> Action:
    return Action("todo", tool, use, args=args)


def _other(tool: str, use: Use, _args: Args, _cwd: str) -> Action:
    return Action("other", tool, use)


_ACTS: dict[Use, Callable[[str, Use, Args, str], Action]] = {
    "read": _read,
    "write": _write,
    "edit": _edit,
    "patch": _patch,
    "delete": _delete,
    "move": _move,
    "run": _run,
    "poll": _poll,
    "search": _search,
    "todo": _todo,
    "new task": _todo,
    "set task": _todo,
    "list tasks": _todo,
    "editor": _other,
    "other": _other,
}
