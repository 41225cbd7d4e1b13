"""The entry point: closed descriptors first, then the command line."""

import sys


def main() -> None:
    """Run mewctl and exit with its code."""
    try:
        from mewctl.streams.interrupts import guard_interrupts
        from mewctl.streams.stdio import guard_descriptors

        guard_descriptors()
        guard_interrupts()
        from mewctl.cli import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt as stop:  # while modules were being imported
        code = getattr(stop, "exit_code", 130)
    sys.exit(code)


if __name__ == "__main__":
    main()
