"""Run by the fault tests in a process of its own: one primitive of the store.

    store_driver.py append PATH N | replace PATH TEXT | create PATH TEXT | count PATH N

Acknowledges on stdout what is on the disk. Exit 5: refused with a storage error.
"""

from __future__ import annotations

import os
import sys

from mewctl.errors import MewError
from mewctl.store.files import create_exclusive, replace
from mewctl.store.lock import locked
from mewctl.store.log import Log


def main(what: str, path: str, argument: str) -> None:
    if what == "append":
        with Log(path) as log:
            for number in range(int(argument)):
                record = f'{{"id":{number},"pad":"{"x" * 300}"}}\n'.encode()
                log.append(record)
                os.write(1, b"%d\n" % number)
    elif what == "replace":
        replace(path, argument.encode())
        os.write(1, b"done\n")
    elif what == "create":
        create_exclusive(path, argument.encode())
        os.write(1, b"done\n")
    elif what == "count":
        for _ in range(int(argument)):
            with locked(os.path.dirname(path)):
                with open(path) as file:
                    number = int(file.read())
                replace(path, str(number + 1).encode())


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except MewError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(int(error.code))
