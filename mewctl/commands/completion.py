"""``mewctl completion SHELL``: the script that makes TAB complete mewctl."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")  # those of completion_scripts; a test compares


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument(
    "shell",
    metavar="bash|zsh|fish",
    type=click.Choice(SHELLS),
    help="The shell that is to complete mewctl.",
)
def completion(shell: str) -> None:
    r"""Print the completion script of a shell.

    TAB then offers commands, options, their values and files. The scripts are also in
    share/ of an installation, where those of other programs are.

    \b
    Examples:
      source <(mewctl completion bash)
      mkdir -p ~/.zfunc && mewctl completion zsh > ~/.zfunc/_mewctl
      mewctl completion fish | source

    The first line belongs in ~/.bashrc. For zsh, ~/.zshrc needs the directory in fpath
    before compinit. The last line belongs in ~/.config/fish/config.fish.
    """
    from mewctl.commands.completion_scripts import SCRIPTS
    from mewctl.streams.stdio import Output

    with Output() as out:
        out.write(SCRIPTS[shell].encode())
