#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Becomes a guest that does the same in every run: `repeatable.py COMMAND...`.

Simulated time repeats a run to the last bit, if nothing comes in from outside.
What does is random numbers: ports, hash keys and addresses cost another number
of looks at the clock, of 256 ns each, and now and then that is all that TCP's
slow start needs to end a round trip earlier. Without getrandom() of the host,
the guest makes its own of its command line and its clock.
"""

import errno
import os
import sys


def main() -> None:
    """Refuse the command random numbers, and become it."""
    try:
        import seccomp  # type: ignore[import-not-found]
    except ImportError:
        sys.exit(
            "the Python binding of libseccomp is missing (Debian: "
            "python3-seccomp): run tools/kernel/install-deps lab"
        )
    no_random = seccomp.SyscallFilter(seccomp.ALLOW)
    no_random.add_rule(seccomp.ERRNO(errno.ENOSYS), "getrandom")
    no_random.load()
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
