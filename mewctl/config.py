"""Settings with origins: flag > environment > project file > user file > default.

Files are TOML: shared keys at the top, one table a command. A key is an option's long
name, with ``-`` or ``_``. Click does the merging by its ``default_map``; this module
reads, checks and layers the files. A project file may not set what makes us execute
something or send data somewhere.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from mewctl.errors import ConfigError, MewError, NotFound
from mewctl.streams.inputs import read_whole

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import click

SHARED = ("root", "session", "window", "model", "provider", "lang", "family")
#: Never from a project file: they decide what runs, where data goes and what is read.
USER_ONLY = (
    "provider",
    "command",
    "base_url",
    "allow_root",
    "pass_env",
    "root",
    "session",
    "dir",
    "output",
    "report",
    "system",
    "tools",
    "error",
)


def user_file(environ: Mapping[str, str]) -> str:
    """The path of the user's settings."""
    home = environ.get("XDG_CONFIG_HOME") or os.path.join(
        os.path.expanduser("~"), ".config"
    )
    return os.path.join(home, "mewctl", "config.toml")


def project_file(root: str) -> str:
    """The path of a project's settings."""
    return os.path.join(root, ".mewcode", "config.toml")


def _read(path: str) -> dict[str, Any]:
    try:
        data = read_whole(path)
    except NotFound:
        return {}
    except MewError as error:
        raise ConfigError(**{**error.fields, "place": path}) from None
    import tomllib

    try:
        return _normal(tomllib.loads(data.decode("utf-8")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(place=path, what=str(error), remedy="mend the file") from None


def _normal(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with ``_`` for every ``-`` in their keys."""
    return {
        key.replace("-", "_"): _normal(value) if isinstance(value, dict) else value
        for key, value in settings.items()
    }


def _nearest(key: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    match = get_close_matches(key, list(known), n=1, cutoff=0.5)
    return f"did you mean {match[0]}?" if match else "see mewctl COMMAND --help"


#: Command -> the keys of its table (none: not checked), group -> its commands.
Known: TypeAlias = "Mapping[str, Mapping[str, Any] | Collection[str]]"


def check(path: str, settings: Mapping[str, Any], known: Known) -> None:
    """Refuse unknown keys, naming the nearest known one. Raises ``ConfigError``."""
    own = {k: v for k, v in settings.items() if not _is_shared(k, v)}
    _check_tables(path, own, known, "")


def _is_shared(key: str, value: object) -> bool:
    """Whether a key of the top is a shared option, not a table of commands."""
    return key in SHARED and not isinstance(value, dict)


def _check_tables(
    path: str, settings: Mapping[str, Any], known: Known, prefix: str
) -> None:
    for key, value in settings.items():
        if key not in known or not isinstance(value, dict):
            shared = () if prefix else SHARED
            raise _unknown(path, prefix + key, _nearest(key, (*shared, *known)))
        keys = known[key]
        if isinstance(keys, Mapping):
            _check_tables(path, value, keys, f"{prefix}{key}.")
            continue
        for name in value:
            if keys and name not in keys:
                raise _unknown(path, f"{prefix}{key}.{name}", _nearest(name, keys))


def _unknown(path: str, key: str, remedy: str) -> ConfigError:
    return ConfigError(place=path, what=f"unknown key {key}", remedy=remedy)


def restrict(settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A project file's settings without what only the user may set, and those keys."""
    kept: dict[str, Any] = {}
    ignored: list[str] = []
    for key, value in settings.items():
        if isinstance(value, dict):
            inner, names = restrict(value)
            kept[key] = inner
            ignored += [f"{key}.{name}" for name in names]
        elif key in USER_ONLY:
            ignored.append(key)
        else:
            kept[key] = value
    return kept, ignored


def layered(
    layers: Iterable[Mapping[str, Any]], command: tuple[str, ...]
) -> dict[str, Any]:
    """The defaults for ``command``: shared keys, then its table, later layers first."""
    merged: dict[str, Any] = {}
    for layer in layers:
        shared = {k: v for k, v in layer.items() if _is_shared(k, v)}
        table: Any = layer
        for word in command:
            inner = table.get(word)
            table = inner if isinstance(inner, dict) else {}
        merged |= shared | dict(table)
    return merged


def apply(
    ctx: click.Context, command: tuple[str, ...], args: list[str], known: Known
) -> None:
    """Give the command that is about to run its defaults from the settings files.

    ``ctx`` is its group's, ``command`` the words that name it, ``args`` its own words,
    not yet parsed, ``known`` all commands. Help never fails for settings.
    """
    if command == ("help",) or {"-h", "--help"} & set(args):
        return
    files = [user_file(os.environ)]
    root = _root(args)
    if root:
        files.append(project_file(root))
    if not any(os.path.lexists(path) for path in files):
        return
    group: Any = ctx.command
    names = _spellings(group.get_command(ctx, command[-1]))
    known = _with_keys(known, command, frozenset(names))
    layers: list[Mapping[str, Any]] = []
    for at, path in enumerate(files):
        settings = _read(path)
        if at:
            settings, ignored = restrict(settings)
            _warn(path, ignored)
        check(path, settings, known)
        layers.append(settings)
    values = layered(layers, command)
    defaults = {names.get(key, key): value for key, value in values.items()}
    ctx.default_map = {command[-1]: defaults}


def _with_keys(known: Known, command: tuple[str, ...], keys: Collection[str]) -> Known:
    """``known`` with the keys of ``command``."""
    word, *rest = command
    inner: Any = known[word]
    return {**known, word: _with_keys(inner, tuple(rest), keys) if rest else keys}


def _spellings(command: click.Command) -> dict[str, str]:
    """How each option of ``command`` is spelled in a file -> its parameter's name."""
    return {
        spelling(param): str(param.name)
        for param in command.params
        if param.param_type_name == "option"
    }


def spelling(option: click.Parameter) -> str:
    """An option's long name as a key of a settings file, or in a variable's name."""
    return max(option.opts, key=len).strip("-").replace("-", "_")


def _warn(path: str, ignored: list[str]) -> None:
    if ignored:
        from mewctl.streams.stdio import say

        names = ", ".join(ignored)
        say(f"mewctl: {path}: ignored: {names}; only the user's settings may set this")


def _root(args: list[str]) -> str:
    """The project root; empty where the working directory is gone."""
    from mewctl.store.root import find_root

    given = _flag(args, "--root") or os.environ.get("MEWCTL_ROOT")
    try:
        cwd = os.getcwd()
    except OSError:
        if not given or not os.path.isabs(given):
            return ""
        cwd = os.sep
    return find_root(given, cwd, os.environ)


def _flag(args: list[str], name: str) -> str:
    """The value of a flag that the subcommand will parse later; empty if not there."""
    for at, word in enumerate(args):
        if word == "--":
            break
        if word.startswith(name + "="):
            return word.partition("=")[2]
        if word == name and at + 1 < len(args):
            return args[at + 1]
    return ""
