"""What pages say that no option says: files, words, codes. Knows no markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mewctl.commands.help import WORDS
from mewctl.errors import MEANING
from tools.tree import every

if TYPE_CHECKING:
    from tools.tree import Option, Page


class File(NamedTuple):
    """A place that is read or written; by the commands with ``flag``, or by all."""

    path: str
    words: str
    flag: str = ""


_FILES = (
    File(
        "~/.config/mewctl/config.toml",
        "The user's settings, in TOML: an option's long name is its key, in the table"
        " of its command; keys of the shared variables may stand above all tables.",
    ),
    File(
        "ROOT/.mewcode/config.toml",
        "The same for one project. ROOT is the nearest directory above with .mewcode"
        " or .git. What runs a program, sends data or names another place is ignored"
        " here.",
    ),
    File(
        "ROOT/.mewcode/spill/",
        "Spilled bodies, the ledger of decisions, and what compactions dropped. Private"
        " to the user; never deleted by mewctl.",
        flag="--dir",
    ),
    File(
        "ROOT/.mewcode/sessions/ID/",
        "A session: its log conversation.jsonl, spilled bodies in tool-results/, facts"
        " and dropped records in boundaries/, the breaker in compact.state.json.",
        flag="--session",
    ),
)

#: Name, what it does.
_VARIABLES = (
    ("MEWCTL_DEBUG", "With the value 1, an error shows its traceback as well."),
    ("NO_COLOR", "Not empty: no colours, unless --color says otherwise."),
    ("FORCE_COLOR", "Not empty: colours without a terminal, too."),
    ("XDG_CONFIG_HOME", "Where the user's settings are (default: ~/.config)."),
)

SETTINGS = (
    "An option's value comes from the flag, else the environment, else the project's"
    " settings, else the user's, else the default."
)
REPEATED = "May be given more than once."
NEW_CODES = "New codes may be added; treat an unknown one as a failure."


def files(page: Page) -> list[tuple[str, str]]:
    """The files that a command reads or writes beside its input and output."""
    return [
        (file.path, file.words)
        for file in _FILES
        if not file.flag or not page.words or page.option(file.flag)
    ]


def variables(page: Page) -> list[tuple[str, str]]:
    """The variables that a command reads; of mewctl itself, those that many share."""
    options = page.options if page.words else _shared(page)
    own = {o.variable: f"Sets {o.flags[-1]}." for o in options if o.variable}
    return [*sorted(own.items()), *_VARIABLES]


def _shared(top: Page) -> list[Option]:
    """The options whose variable is not named for one command."""
    return [
        option
        for page in every(top)
        for option in page.options
        if not option.variable.startswith(
            f"{page.name.upper().replace('-', '_')}_" if page.words else "_"
        )
    ]


def words(page: Page) -> list[tuple[str, str]]:
    """The words that pages use; on the page of mewctl itself."""
    return [] if page.words else list(WORDS.items())


def codes() -> list[tuple[str, str]]:
    """Every exit code and its meaning."""
    return [(str(int(code)), words) for code, words in MEANING.items()]
