"""Going on in the background: a child that has left the terminal and its streams.

Must not be used where other threads run.
"""

from __future__ import annotations

import os
import signal
import sys


def in_background(seconds: float) -> bool:
    """Split in two: False in the caller's process, True in one that goes on alone.

    That one has no terminal, reads nothing, writes to nobody, and is ended after
    ``seconds``.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        os.waitpid(child, 0)  # it ends at once; its own child belongs to nobody
        return False
    os.setsid()
    if os.fork():
        os._exit(0)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    os.close(null)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    return True
