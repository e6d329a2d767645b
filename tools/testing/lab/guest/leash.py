#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Runs a guest that ends with whoever started it: `leash.py PARENT COMMAND...`.

A guest is several processes, some of them traced or stopped, and one that is
just being made can outlive the kernel that makes it. So they get a group of
their own, which is killed on SIGTERM, when PARENT is gone, and when the kernel
has ended.
"""

import contextlib
import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
AWAITED = {signal.SIGTERM, signal.SIGCHLD}


def main() -> int:
    """Run the command; its exit status, or 1 if it was killed."""
    parent, *command = sys.argv[1:]
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != int(parent):
        return 1
    guest = os.posix_spawnp(command[0], command, os.environ, setpgroup=0, setsigmask=[])
    status = None
    while status is None and signal.sigwait(AWAITED) == signal.SIGCHLD:
        # It is also sent when the guest was stopped.
        pid, ended = os.waitpid(guest, os.WNOHANG)
        status = os.waitstatus_to_exitcode(ended) if pid else None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(guest, signal.SIGKILL)
    if status is None:
        os.waitpid(guest, 0)
        return 1
    return abs(status)


if __name__ == "__main__":
    sys.exit(main())
