"""A shell agent and a real Messages API, real processes throughout."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from pairing_server import MessagesServer, working

AGENT = Path(__file__).parents[1] / "support" / "agent.sh"
MISSING = [name for name in ("curl", "jq") if shutil.which(name) is None]

pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"the agent needs {', '.join(MISSING)}"
)


def test_a_shell_agent_talks_through_compactions(shell, work):
    turns = 6
    script = f"""
    export PATH="{work}:$PATH"
    S=$(mewctl session new)
    for turn in $(seq 1 {turns}); do
        echo '{{"role":"user","content":"do part '$turn'"}}' |
            mewctl session append "$S" -q > /dev/null
        sh {AGENT} "$S" "$URL" 8000
    done
    mewctl session load "$S" --full --to anthropic
    """
    program = work / "mewctl"
    program.write_text(f'#!/bin/sh\nexec {_python()} -m mewctl "$@"\n')
    program.chmod(0o755)
    with MessagesServer(working) as server:
        done = shell(script, URL=server.url)
    assert server.refused == []
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == 3 * turns
    assert b": compacted" in done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    users = [m["content"] for m in said if isinstance(m["content"], str)]
    assert users == [f"do part {n}" for n in range(1, turns + 1)]
    assert done.stdout.count(b"c2ln") == 3 * turns


def _python() -> str:
    import sys

    return sys.executable
