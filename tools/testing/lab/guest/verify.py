# SPDX-License-Identifier: GPL-2.0
"""Compare random reads and writes over a mount with the server's own file.

    verify.py SERVERS_FILE MOUNTED_FILE ROUNDS

Each round reads a random piece past the client's cache, or writes one and
flushes it, and compares it with what is on the server.
"""

import mmap
import os
import random
import sys

PAGE_BYTES = 4096
MAX_PAGES = 1024


def main(servers: str, mounted: str, rounds: str) -> None:
    """See the top."""
    dice = random.Random(mounted)
    own = os.open(servers, os.O_RDWR)
    there = os.open(mounted, os.O_RDWR | os.O_DIRECT)
    pages = os.fstat(own).st_size // PAGE_BYTES
    wrong = 0
    for _ in range(int(rounds)):
        count = dice.randrange(1, MAX_PAGES)
        at = dice.randrange(pages - count) * PAGE_BYTES
        piece = mmap.mmap(-1, count * PAGE_BYTES)
        if dice.random() < 0.25:
            piece[:] = dice.randbytes(len(piece))
            done = os.pwritev(there, [piece], at)
        else:
            done = os.preadv(there, [piece], at)
        wrong += done != len(piece) or os.pread(own, done, at) != piece[:done]
    print(f"{rounds} rounds, {wrong} wrong")


if __name__ == "__main__":
    main(*sys.argv[1:])
