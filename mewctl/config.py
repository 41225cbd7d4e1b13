"""Settings files, read and handed to the command that is about to run.

Flag > environment > project file > user file > default: Click does the merging by its
``default_map``. What the files may say is in ``settings``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mewctl import limits
from mewctl.errors import ConfigError, MewError, Unsafe
from mewctl.settings import (
    Setting,
    Source,
    check,
    check_kinds,
    layered,
    normal,
    options_of,
    restrict,
)
from mewctl.store.opening import read_file
from mewctl.store.root import STORE, find_root, home_if_known, refuse_foreign

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import click

    from mewctl.settings import Known


def user_file(environ: Mapping[str, str]) -> str:
    """The path of the user's settings; empty where no home is known.

    A relative ``XDG_CONFIG_HOME`` is ignored, as its specification asks for.
    """
    base = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        home = home_if_known(environ)
        base = os.path.join(home, ".config") if home else ""
    return os.path.join(base, "mewctl", "config.toml") if base else ""


def project_file(root: str) -> str:
    """The path of a project's settings."""
    return os.path.join(root, STORE, "config.toml")


def read_user(environ: Mapping[str, str]) -> Source:
    """The user's settings. Raises ``ConfigError``."""
    path = user_file(environ)
    return Source(path, _read(path))


def read_project(root: str) -> Source:
    """A project's settings, without what only the user may set.

    Raises ``ConfigError``, and ``Unsafe`` for a file that is not the project's own.
    """
    path = project_file(root)
    refuse_foreign(path, root)
    settings, ignored = restrict(_read(path))
    return Source(path, settings, ignored)


def _read(path: str) -> dict[str, Any]:
    """The settings in a file, which may be a link; none if there is no file.

    One in a directory that is closed to us, as the home of another user, has none for
    us, which is said.
    """
    try:
        os.lstat(path)
    except PermissionError as error:
        _say(f"{path}: {error.strerror}; its settings do not count")
        return {}
    except (OSError, ValueError):
        return {}
    import tomllib

    try:
        data = read_file(os.path.realpath(path), limits.SETTINGS_MAX)
        return normal(tomllib.loads(data.decode("utf-8")))
    except MewError as error:
        raise ConfigError(**{**error.fields, "place": path}) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(place=path, what=str(error), remedy="mend the file") from None
    except RecursionError:
        raise ConfigError(
            place=path, what="nested too deep", remedy="mend the file"
        ) from None


def apply(
    ctx: click.Context, command: tuple[str, ...], args: list[str], known: Known
) -> None:
    """Give the command that is about to run its defaults from the settings files.

    ``ctx`` is its group's, ``command`` the words that name it, ``args`` its own words,
    not yet parsed, ``known`` all commands. Help never fails for settings.
    """
    if command == ("help",) or {"-h", "--help"} & set(args):
        return
    group: Any = ctx.command
    options = options_of(group.get_command(ctx, command[-1]))
    known = _with_keys(known, command, frozenset(options))
    user = read_user(os.environ)
    check(user.path, user.settings, known)
    sources = [user]
    stored = any(getattr(o.type, "is_store", False) for o in options.values())
    root = _root(args, layered([user], command), stored=stored)
    if root:
        project = read_project(root)
        _warn(project)
        check(project.path, project.settings, known)
        sources.append(project)
    values = layered(sources, command)
    check_kinds(values, options)
    names = {key: str(option.name) for key, option in options.items()}
    ctx.meta["mewctl.settings"] = {names.get(k, k): v.path for k, v in values.items()}
    defaults = {names.get(key, key): setting.value for key, setting in values.items()}
    ctx.default_map = {command[-1]: defaults}


def _with_keys(known: Known, command: tuple[str, ...], keys: Collection[str]) -> Known:
    """``known`` with the keys of ``command``."""
    word, *rest = command
    inner: Any = known[word]
    if rest:
        return {**known, word: _with_keys(inner, tuple(rest), keys)}
    if "" in inner:  # a group, too
        below = {name: table for name, table in inner.items() if name}
        return {**known, word: dict.fromkeys(keys) | below}
    return {**known, word: keys}


def _warn(source: Source) -> None:
    if source.ignored:
        names = ", ".join(source.ignored)
        _say(f"{source.path}: ignored: {names}; only the user's settings may set this")


def _say(text: str) -> None:
    from mewctl.streams.stdio import say

    say(f"mewctl: {text}")


def _root(args: list[str], user: Mapping[str, Setting], *, stored: bool) -> str:
    """The project root; empty where the working directory is gone.

    A store that is not the user's own stops a command that uses it (``stored``). For
    the others its settings do not count, and that is said.
    """
    given = flag_value(args, "--root") or os.environ.get("MEWCTL_ROOT")
    if not given and "root" in user:
        given = user["root"].value
        if not isinstance(given, str):
            raise ConfigError(
                place=user["root"].path,
                what=f"root: {given!r} is no text",
                remedy="mend the file",
            )
    try:
        cwd = os.getcwd()
    except OSError:
        if not given or not os.path.isabs(given):
            return ""
        cwd = os.sep
    try:
        return find_root(given, cwd, os.environ)
    except Unsafe as error:
        if stored:
            raise
        store = os.path.relpath(str(error.fields["path"]), cwd)
        why, remedy = error.fields["why"], error.fields["remedy"]
        _say(f"{store}: {why}; {remedy}; its settings do not count")
        return ""


def flag_value(args: list[str], name: str) -> str:
    """The value of a flag that the subcommand will parse later; empty if not there."""
    for at, word in enumerate(args):
        if word == "--":
            break
        if word.startswith(name + "="):
            return word.partition("=")[2]
        if word == name and at + 1 < len(args):
            return args[at + 1]
    return ""
