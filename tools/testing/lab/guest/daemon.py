# SPDX-License-Identifier: GPL-2.0
"""Programs that run on a host beside all phases."""

import subprocess
from typing import Any

from tools.testing.lab.guest.shell import entered, netns_of

# Simulated seconds that one has to end in after SIGTERM.
PATIENCE_S = 30


class Daemon:
    """A host's daemon, started."""

    def __init__(self, host: str, command: str) -> None:
        self._process = subprocess.Popen(
            entered(["sh", "-c", f"exec {command}"], netns_of(host)),
            stdin=subprocess.DEVNULL,
            stdout=(log := open(f"/run/daemon-{host}", "w+")),  # noqa: SIM115
            stderr=log,
        )
        self._log = log

    def stop(self) -> dict[str, Any]:
        """End it; its exit status, and what it said."""
        early = self._process.poll()
        self._process.terminate()
        status = self._process.wait(PATIENCE_S)
        with self._log as log:
            log.seek(0)
            return {"exit": status, "ended_early": early is not None, "output": log.read()}
