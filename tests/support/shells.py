"""Real shells on a pseudo-terminal, asked what TAB offers."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SECONDS = 20.0  # until a shell that says nothing is given up
ALL = b"\x18a"  # Ctrl-X a: put all that TAB offers into the line
SHOW = b"\x18s"  # Ctrl-X s: print the line, then begin a new one

# What makes a shell show its line between marks when Ctrl-X s is typed.
_BASH = """
PS1='READY>'
bind 'set completion-ignore-case off'
bind 'set bell-style none'
bind '"\\C-xa": insert-completions'
_show() { printf '\\n<<%s>>\\n' "$READLINE_LINE"; READLINE_LINE=''; }
bind -x '"\\C-xs": _show'
source <(mewctl completion bash)
"""
_ZSH = """
PS1='READY>'
unsetopt BEEP ZLE_BRACKETED_PASTE
autoload -U compinit && compinit -u -D
bindkey -e
_show() { print -r -- $'\\n'"<<$BUFFER>>"; BUFFER=''; }
zle -N _show
bindkey '^Xs' _show
zle -C _all complete-word _generic
bindkey '^Xa' _all
zstyle ':completion:_all::::' completer _all_matches _complete
zstyle ':completion:_all:*' insert yes
source <(mewctl completion zsh)
"""
#: The same with the script as a file in the directory {}, found when TAB is pressed.
_ZSH_INSTALLED = "fpath+=('{}')\n" + _ZSH.replace("source <(mewctl completion zsh)", "")


def offered(shell: str, line: str, env: Mapping[str, str], cwd: Path) -> list[str]:
    """What ``shell`` offers for the last word of ``line``: whole words, in order."""
    if shell == "fish":
        return _fish(line, env, cwd)
    settings = {"bash": (cwd / "bashrc", _BASH), "zsh": (cwd / ".zshrc", _ZSH)}
    return _typed(shell, *settings[shell], line, env, cwd)


def offered_by_fpath(
    functions: Path, line: str, env: Mapping[str, str], cwd: Path
) -> list[str]:
    """The same of a zsh that finds the script in the directory ``functions``."""
    text = _ZSH_INSTALLED.replace("{}", str(functions))
    return _typed("zsh", cwd / ".zshrc", text, line, env, cwd)


def _typed(
    shell: str, settings: Path, text: str, line: str, env: Mapping[str, str], cwd: Path
) -> list[str]:
    settings.write_text(text)
    args = {
        "bash": ["bash", "--noprofile", "--rcfile", str(settings), "-i"],
        "zsh": ["zsh", "-d", "-i"],
    }
    with _terminal(args[shell], {**env, "ZDOTDIR": str(cwd)}, cwd) as terminal:
        _until(terminal, rb"READY>")
        os.write(terminal, line.encode() + ALL + SHOW)
        shown = _until(terminal, rb"<<([^\n\r]*)>>")
    before = line.rpartition(" ")[0]
    return shown.removeprefix(before).split()


def _fish(line: str, env: Mapping[str, str], cwd: Path) -> list[str]:
    script = "source (mewctl completion fish | psub); complete -C $argv[1]"
    done = subprocess.run(
        ["fish", "--no-config", "-c", script, line],
        env=env,
        cwd=cwd,
        capture_output=True,
        check=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.stderr == ""
    return [row.partition("\t")[0] for row in done.stdout.splitlines()]


@contextlib.contextmanager
def _terminal(args: list[str], env: Mapping[str, str], cwd: Path) -> Iterator[int]:
    leader, follower = os.openpty()
    process = subprocess.Popen(
        args,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**env, "TERM": "dumb", "COLUMNS": "10000", "LC_ALL": "C.UTF-8"},
        cwd=cwd,
        start_new_session=True,
    )
    os.close(follower)
    try:
        yield leader
    finally:
        process.kill()
        process.wait()
        os.close(leader)


def _until(terminal: int, pattern: bytes) -> str:
    """The first group (or all) of what ``pattern`` matches in the shell's output."""
    shown, end = b"", time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = re.search(pattern, shown)
        if found:
            return found[len(found.groups())].decode()
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 65536)
    raise AssertionError(f"no {pattern!r} in {shown!r}")


def missing(shell: str) -> bool:
    """Whether this machine has no such shell."""
    return shutil.which(shell) is None
