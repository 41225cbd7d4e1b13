"""What can go wrong, and the exit code that says so: one class per code.

Each class owns its exit code, and its docstring is the message template. Texts are
one line: what, where, and the remedy. Nothing here prints or exits.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class Exit(IntEnum):
    """Exit codes. They are an interface: a code never changes its meaning."""

    DONE = 0
    NO = 1
    USAGE = 2
    BAD_INPUT = 3
    NOT_FOUND = 4
    STORAGE = 5
    CONFIG = 6
    CANNOT_FIT = 7
    CREDENTIALS = 8
    REFUSED = 9
    UNAVAILABLE = 10
    LOCKED = 11
    UNSAFE = 12
    BUG = 70
    HANGUP = 129
    INTERRUPTED = 130
    TERMINATED = 143


MEANING: dict[Exit, str] = {
    Exit.DONE: "done, or the reader left",
    Exit.NO: "the answer is no (--check, check, --strict findings)",
    Exit.USAGE: "usage: an unknown option, command or value",
    Exit.BAD_INPUT: "bad input: not readable as what it should be",
    Exit.NOT_FOUND: "not found, or ambiguous",
    Exit.STORAGE: "storage: input/output error, disk full, permission",
    Exit.CONFIG: "configuration cannot be used",
    Exit.CANNOT_FIT: "cannot be made to fit the window",
    Exit.CREDENTIALS: "credentials missing or refused",
    Exit.REFUSED: "the provider refused, or its answer was refused",
    Exit.UNAVAILABLE: "the provider is unavailable, try later",
    Exit.LOCKED: "locked or changed meanwhile, try later",
    Exit.UNSAFE: "refused for safety",
    Exit.BUG: "a bug in mewctl",
    Exit.HANGUP: "the terminal went away (SIGHUP)",
    Exit.INTERRUPTED: "interrupted",
    Exit.TERMINATED: "told to stop (SIGTERM)",
}


class MewError(Exception):
    """{what}"""

    code: ClassVar[Exit] = Exit.BUG

    def __init__(self, **fields: object) -> None:
        self.fields = fields
        super().__init__((type(self).__doc__ or "{what}").format_map(fields))


class Negative(MewError):
    """{what}"""

    code = Exit.NO


class Usage(MewError):
    """{what}; {remedy}"""

    code = Exit.USAGE


class BadInput(MewError):
    """{place}: {what}; {remedy}"""

    code = Exit.BAD_INPUT


class NotFound(MewError):
    """{what}; {remedy}"""

    code = Exit.NOT_FOUND


class StorageError(MewError):
    """{path}: {what}; {remedy}"""

    code = Exit.STORAGE


class ConfigError(MewError):
    """{place}: {what}; {remedy}"""

    code = Exit.CONFIG


class CannotFit(MewError):
    """{what}; {remedy}"""

    code = Exit.CANNOT_FIT


class CredentialsError(MewError):
    """{what}; {remedy}"""

    code = Exit.CREDENTIALS


class ProviderRefused(MewError):
    """{what}; {remedy}"""

    code = Exit.REFUSED


class ProviderUnavailable(MewError):
    """{what}; {remedy}"""

    code = Exit.UNAVAILABLE


class Locked(MewError):
    """{path}: {what}; {remedy}"""

    code = Exit.LOCKED


class Unsafe(MewError):
    """{path}: {what}; {remedy}"""

    code = Exit.UNSAFE
