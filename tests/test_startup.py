"""Start-up: what must come at once imports nothing heavy. Counted, never timed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = ("anthropic", "rich", "yaml", "pydantic", "asyncio", "importlib.metadata")

# Runs mewctl in a fresh interpreter, then says which of the modules it has loaded.
WRAPPER = """
import json, sys
words = json.loads(sys.argv.pop(1))
from mewctl.__main__ import main
try:
    main()
except SystemExit as stop:
    code = stop.code
sys.stdout.flush()
loaded = [name for name in words if name in sys.modules]
sys.stderr.write("\\n" + json.dumps({"code": code, "loaded": loaded}))
"""


def start(*args: str, words=HEAVY, **environ: str) -> tuple[dict, bytes]:
    """What ``mewctl ARGS`` with empty input has loaded, and its output."""
    command = [sys.executable, "-c", WRAPPER, json.dumps(words), *args]
    clean = {
        k: v for k, v in os.environ.items() if not k.startswith(("COV_", "MEWCTL"))
    }
    done = subprocess.run(
        command,
        input=b"",
        capture_output=True,
        check=True,
        env=clean | {"PYTHONPATH": str(ROOT)} | environ,
    )
    return json.loads(done.stderr.rsplit(b"\n", 1)[1]), done.stdout


def tab(words: str) -> dict[str, str]:
    """The environment that a shell sets when TAB is pressed after ``words``."""
    return {
        "_MEWCTL_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }


@pytest.mark.parametrize(
    "args", ["--help", "--version", "help exit-codes", "completion zsh", "spill"]
)
def test_a_quick_command_loads_nothing_heavy(args, tmp_path):
    where = ("-d", str(tmp_path / "spill")) if args == "spill" else ()
    seen, _ = start(*args.split(), *where)
    assert seen == {"code": 0, "loaded": []}


@pytest.mark.parametrize(
    ("words", "offered"),
    [("mewctl sp", b"spill"), ("mewctl spill --si", b"--single-limit")],
)
def test_tab_offers_names_and_loads_nothing_heavy(words, offered):
    seen, output = start(**tab(words))
    assert seen == {"code": 0, "loaded": []}
    assert offered in output


def test_tab_after_a_partial_name_imports_no_command():
    seen, output = start(words=("mewctl.commands",), **tab("mewctl "))
    assert seen["loaded"] == []
    assert b"convert" in output


def test_the_list_of_commands_imports_no_command():
    seen, output = start("--help", words=("mewctl.commands", "orjson"))
    assert seen["loaded"] == []
    assert b"convert" in output


def test_the_test_would_see_a_heavy_module():
    seen, _ = start("--version", words=("click", "json"))
    assert seen["loaded"] == ["click", "json"]
