# SPDX-License-Identifier: GPL-2.0
"""Do over a mount what must not be done twice, and see that it was done once.

    replay.py FOLDER ROUNDS

A request that is sent again after a reconnect must not create a file again,
rename one that is gone or append a line twice; a lock must not be lost.
"""

import fcntl
import os
import sys
from pathlib import Path


def _append(path: Path, line: str) -> None:
    """Append under a lock that nobody else may have meanwhile."""
    with path.open("a") as log:
        fcntl.lockf(log, fcntl.LOCK_EX)
        log.write(line)
        log.flush()
        os.fsync(log.fileno())
        fcntl.lockf(log, fcntl.LOCK_UN)


def main(folder: str, rounds: str) -> None:
    """See the top."""
    here = Path(folder)
    lines = [f"{number}\n" for number in range(int(rounds))]
    for number, line in enumerate(lines):
        new, kept = here / f"new{number}", here / f"kept{number}"
        with new.open("x") as file:
            file.write(line)
        new.rename(kept)
        _append(here / "log", line)
        (here / f"folder{number}").mkdir()
        (here / f"folder{number}").rmdir()
        os.link(kept, new)
        new.unlink()
    found = [(here / f"kept{number}").read_text() for number in range(len(lines))]
    done = found == lines and (here / "log").read_text() == "".join(lines)
    print(f"{rounds} rounds, {'done once' if done else 'WRONG'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
