"""The laws of the house, read from the source: who may import what, and do what."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from mewctl import registry

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "mewctl"
MAX_LINES = 400


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: From the ground up: a module may import from its own layer and from those before it.
LAYERS: tuple[frozenset[str], ...] = (
    words("errors frozen limits"),
    words("streams"),
    words("store"),
    words("history transcripts"),
    words("tokens"),
    words("spill"),
    words("compact providers"),  # compact knows the protocol, offline knows compact
    words("session"),
    words("memory instructions"),
    words("settings"),
    words("origins"),
    words("config"),
    words("commands"),
    words("registry"),
    words("groups"),
    words("cli"),
    words("__main__"),
)
SUBSYSTEMS = words("history transcripts tokens spill compact providers") | words(
    "session memory instructions"
)
#: What decides must be testable without clock, chance and surroundings.
PURE = SUBSYSTEMS - {"providers"}
TOUCH_FILES = words("store streams")
#: The search cache: SQLite opens its own file. All else about it is done by the store.
SQLITE = "memory/search_tables.py"

SLOW_TO_IMPORT = words(
    """rich yaml anthropic pydantic asyncio pathlib tempfile shutil subprocess httpx
    httpx2 importlib.metadata logging unittest concurrent multiprocessing urllib.request
    """
)
FILE_MODULES = words("shutil tempfile pathlib fcntl mmap glob fileinput sqlite3")
CHANCE_MODULES = words("random secrets uuid")
FILE_CALLS = words(
    """chmod chown close fchmod fdopen fsync ftruncate link listdir lseek makedirs mkdir
    mkfifo open pread pwrite read readlink remove removedirs rename renames replace
    rmdir scandir sendfile symlink truncate unlink utime walk write writev
    """
)
CLOCKS = words(
    """time.time time.time_ns time.monotonic time.localtime time.strftime datetime.now
    datetime.today datetime.utcnow date.today os.urandom
    """
)


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its path under it, parsed."""
    return {
        str(path.relative_to(PACKAGE)): ast.parse(path.read_text())
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def layer_of(name: str) -> str:
    """The package or module right under ``mewctl`` that ``name`` belongs to."""
    return name.removesuffix(".py").split("/")[0].split(".")[0]


def imported(node: ast.AST) -> list[str]:
    """The dotted names that an import statement may load."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative imports hide what is imported"
        module = node.module or ""
        return [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return []


def imports(tree: ast.AST) -> list[str]:
    """All that a module imports, anywhere in it."""
    return [name for node in ast.walk(tree) for name in imported(node)]


def at_import(tree: ast.Module) -> list[str]:
    """What a module imports when it is itself imported: not in functions or typing."""
    found: list[str] = []
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        found += imported(node)
        waiting += ast.iter_child_nodes(node)
    return found


def calls(tree: ast.AST) -> list[str]:
    """The names of all that is called, as written: ``open``, ``os.open``."""
    return [ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)]


def own(names: list[str]) -> list[str]:
    """Of dotted names, those under ``mewctl``, without that word."""
    return [
        name.removeprefix("mewctl.") for name in names if name.startswith("mewctl.")
    ]


def is_one_of(name: str, forbidden: frozenset[str]) -> bool:
    return any(name == bad or name.startswith(bad + ".") for bad in forbidden)


def test_there_is_something_to_judge():
    assert len(modules()) > 20
    assert {"cli.py", "streams/stdio.py", "history/view.py"} <= set(modules())


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("open('f')", True),
        ("with open('f') as g: pass", True),
        ("os.replace('a', 'b')", True),
        ("os.open('f', 0)", True),
        ("path.write_text('x')", True),
        ("os.path.exists('f')", False),
        ("text.replace('a', 'b')", False),
        ("self.open()", False),
    ],
)
def test_touching_a_file_is_seen(source, seen):
    assert any(map(touches_files, calls(ast.parse(source)))) is seen


def test_late_and_typing_imports_are_told_from_those_at_import():
    source = """
import a
from b import c
if TYPE_CHECKING:
    import d
else:
    import e
class K:
    import f
    def method(self):
        import g
def function():
    import h
try:
    import i
except ImportError:
    import j
"""
    assert set(at_import(ast.parse(source))) == {*"abefij", "b.c"}
    assert set(imports(ast.parse(source))) == {*"abdefghij", "b.c"}


@pytest.mark.parametrize(
    "source", ["time.time()", "datetime.now(tz)", "dt.datetime.now()", "os.urandom(8)"]
)
def test_asking_the_clock_or_chance_is_seen(source):
    assert any(map(asks_clock, calls(ast.parse(source))))


def test_reading_the_environment_is_seen():
    tree = ast.parse("os.environ.get('HOME')")
    assert any(map(reads_environment, ast.walk(tree)))


def test_every_package_has_its_layer():
    ranked = frozenset().union(*LAYERS)
    assert {layer_of(name) for name in modules()} - {"__init__"} <= ranked


def test_nobody_imports_from_a_layer_above():
    rank = {name: level for level, layer in enumerate(LAYERS) for name in layer}
    upward = [
        f"{module} imports {name}"
        for module, tree in modules().items()
        for name in own(imports(tree))
        if layer_of(name) in rank
        and rank[layer_of(name)] > rank.get(layer_of(module), len(LAYERS))
    ]
    assert upward == []


def test_no_module_needs_itself_to_be_imported():
    names = {path.removesuffix(".py").replace("/", ".") for path in modules()}
    needs = {
        path.removesuffix(".py").replace("/", "."): names & set(own(at_import(tree)))
        for path, tree in modules().items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for other in needs[name]:
                visit(other, (*trail, name))
            done.add(name)

    for name in names:
        visit(name, ())


def test_commands_are_imported_by_the_registry_alone():
    importers = [
        module
        for module, tree in modules().items()
        if layer_of(module) != "commands"
        and any(layer_of(name) == "commands" for name in own(imports(tree)))
    ]
    assert importers == []


def test_a_command_lies_where_the_registry_says():
    names = {path.removesuffix(".py").replace("/", ".") for path in modules()}
    for _, entry in registry.leaves():
        assert "commands." + entry.target.partition(":")[0] in names


def test_subsystems_know_no_command_line_and_no_screen():
    offenders = [
        f"{module} imports {name}"
        for module, tree in modules().items()
        if layer_of(module) in SUBSYSTEMS | {"store"}
        for name in imports(tree)
        if is_one_of(name, frozenset({"click", "rich"}))
    ]
    assert offenders == []


def test_the_anthropic_package_is_imported_in_one_file_and_late():
    users = {
        module
        for module, tree in modules().items()
        if any(is_one_of(name, frozenset({"anthropic"})) for name in imports(tree))
    }
    assert users <= {"providers/anthropic.py"}


def test_nothing_slow_is_imported_before_it_is_needed():
    offenders = [
        f"{module} imports {name}"
        for module, tree in modules().items()
        for name in at_import(tree)
        if is_one_of(name, SLOW_TO_IMPORT)
    ]
    assert offenders == []


def test_only_store_and_streams_touch_files():
    offenders = [
        f"{module}: {name}"
        for module, tree in modules().items()
        if layer_of(module) not in TOUCH_FILES
        for name in [
            *(name for name in calls(tree) if touches_files(name)),
            *(name for name in imports(tree) if is_one_of(name, FILE_MODULES)),
        ]
        if (module, name) != (SQLITE, "sqlite3")
    ]
    assert offenders == []


def touches_files(call: str) -> bool:
    module, _, name = call.rpartition(".")
    if module in {"os", "posix"}:
        return name in FILE_CALLS or name.startswith("O_")
    return call in {"open", "io.open"} or name in {
        "read_text", "write_text", "read_bytes", "write_bytes",
    }  # fmt: skip


def test_what_decides_asks_no_clock_no_chance_and_no_environment():
    offenders = [
        f"{module}: {name}"
        for module, tree in modules().items()
        if layer_of(module) in PURE
        for name in [
            *(
                n
                for n in calls(tree)
                if any(n == c or n.endswith("." + c) for c in CLOCKS)
            ),
            *(name for name in imports(tree) if is_one_of(name, CHANCE_MODULES)),
            *(ast.unparse(n) for n in ast.walk(tree) if reads_environment(n)),
        ]
    ]
    assert offenders == []


def asks_clock(call: str) -> bool:
    return any(call == clock or call.endswith("." + clock) for clock in CLOCKS)


def reads_environment(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node) in {
        "os.environ", "os.getenv", "os.getcwd", "sys.argv",
    }  # fmt: skip


def test_standard_streams_are_named_in_streams_alone():
    offenders = [
        f"{module}:{node.lineno}"
        for module, tree in modules().items()
        if layer_of(module) != "streams"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and ast.unparse(node) in {"sys.stdout", "sys.stderr", "sys.stdin"}
    ]
    assert offenders == []


def test_nobody_prints():
    offenders = [name for name, tree in modules().items() if "print" in calls(tree)]
    assert offenders == []


@pytest.mark.parametrize(
    "directory", ["mewctl", "tests", "examples", "benchmarks", "tools"]
)
def test_every_file_fits_into_a_head(directory):
    long = [
        f"{path.relative_to(ROOT)}: {lines}"
        for path in sorted((ROOT / directory).rglob("*.py"))
        if (lines := len(path.read_text().splitlines())) > MAX_LINES
    ]
    assert long == []


def test_every_module_is_named_for_what_it_owns():
    vague = {"utils", "util", "helpers", "misc", "common"}
    assert [
        name for name in modules() if vague & set(Path(name).with_suffix("").parts)
    ] == []
