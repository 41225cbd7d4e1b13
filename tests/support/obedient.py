"""A project and a user with settings files, and a command that obeys them."""

from __future__ import annotations

import os

import click
import pytest

from mewctl import config
from mewctl.commands.options import StoreRoot

KNOWN = {"filter": (), "other": (), "help": ()}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A project and a user's settings; call it to write them."""
    project, home = tmp_path / "project", tmp_path / "home"
    user = home / ".config" / "mewctl" / "config.toml"
    own = project / ".mewcode" / "config.toml"
    for path in (user, own):
        path.parent.mkdir(parents=True)
    monkeypatch.chdir(project)
    for name in list(os.environ):
        if name.startswith(("MEWCTL_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))

    def write(*, user_text: str = "", project_text: str = "") -> None:
        for path, text in ((user, user_text), (own, project_text)):
            if text:
                path.write_text(text)

    write.user, write.own, write.root = user, own, project
    return write


def run(*args: str) -> dict:
    """The parameters that a command called ``filter`` gets for ``args``."""
    seen: dict = {}

    class Group(click.Group):
        def resolve_command(self, ctx, args):
            ctx.meta["args"] = args[1:]
            return super().resolve_command(ctx, args)

    @click.group(cls=Group, context_settings={"auto_envvar_prefix": "MEWCTL"})
    @click.pass_context
    def main(ctx: click.Context) -> None:
        config.apply(ctx, (ctx.invoked_subcommand,), ctx.meta["args"], KNOWN)

    @main.command("filter")
    @click.option("--window", type=int, envvar="MEWCTL_WINDOW", default=1)
    @click.option("--from", "from_", default="auto")
    @click.option("-d", "--dir", "directory")
    @click.option("--on-bad", default="fail")
    @click.option("-q", "--quiet", is_flag=True)
    @click.option("--provider", default="offline")
    @click.option("--command", "program", default="")
    @click.option("--root", type=StoreRoot())
    @click.argument("files", nargs=-1)
    def filter_(**params: object) -> None:
        seen.update(params)

    @main.command("other")
    def other() -> None:
        seen["ran"] = True

    @main.command("help")
    def help_() -> None:
        seen["ran"] = True

    main.main(list(args), standalone_mode=False)
    return seen
