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
      mewctl completion fish > ~/.config/fish/completions/mewctl.fish

    The first line belongs in ~/.bashrc. For zsh, fpath+=(~/.zfunc) belongs in ~/.zshrc,
    before compinit. fish finds the file by itself.
    """
    from mewctl.commands.completion_scripts import SCRIPTS
    from mewctl.streams.stdio import Output

    with Output() as out:
        out.write(SCRIPTS[shell].encode())
