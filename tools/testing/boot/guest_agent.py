# SPDX-License-Identifier: GPL-2.0
"""qemu's guest agent, which runs commands in a machine: JSON, a line each."""

from __future__ import annotations

import base64
import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Beyond the time that a command has: for the agent to say so.
GRACE_S = 60
_POLL_S = 0.3
# The agent keeps two streams; the shell makes one of them. The console has the
# end of what a machine that hangs has done.
_QUIET = 'exec timeout -k 5 "$0" bash -c "$1" 2>&1 </dev/null'
_SHOWN = f"set -o pipefail; ( {_QUIET} ) | tee /dev/ttyS0"


@dataclass(frozen=True)
class Answer:
    """What a command printed, both streams as one, and its exit status."""

    status: int
    output: str


class GuestAgent:
    """The agent of one machine, from its boot to its end."""

    def __init__(self, path: Path, waits: Callable[[float], None]) -> None:
        self._path = path
        self._waits = waits
        self._socket: socket.socket | None = None
        self._rest = b""

    def close(self) -> None:
        """Hang up."""
        if self._socket:
            self._socket.close()
        self._socket = None

    def answers(self) -> bool:
        """Whether it runs by now; waits a second for it."""
        try:
            if self._socket is None:
                self._socket = socket.socket(socket.AF_UNIX)
                self._socket.connect(str(self._path))
            self._socket.settimeout(2)
            token = time.monotonic_ns() % 10**9
            self._send("guest-sync-delimited", id=token)
            # What it says to an older question comes first.
            while self._receive().get("return") != token:
                pass
        except OSError:
            if self._socket and not self._path.exists():
                self.close()
            time.sleep(1)
            return False
        return True

    def run(self, script: str, limit_s: float, *, quiet: bool) -> Answer:
        """Run a script in bash to its end; OSError if the machine is stuck."""
        assert self._socket is not None
        self._socket.settimeout(GRACE_S)
        started = self._ask(
            "guest-exec",
            path="/bin/bash",
            arg=["-c", _QUIET if quiet else _SHOWN, f"{limit_s:.0f}", script],
            **{"capture-output": True},
        )
        start = time.monotonic()
        while True:
            state = self._ask("guest-exec-status", pid=started["pid"])
            if state["exited"]:
                break
            seconds = time.monotonic() - start
            if seconds > limit_s + GRACE_S:
                raise TimeoutError(f"for {limit_s:.0f} s")
            if seconds > 3:
                self._waits(seconds)
            time.sleep(_POLL_S)
        output = base64.b64decode(state.get("out-data", ""))
        status = state.get("exitcode", 128 + state.get("signal", 0))
        return Answer(status, output.decode(errors="replace"))

    def _ask(self, verb: str, **arguments: Any) -> dict[str, Any]:
        self._send(verb, **arguments)
        said = self._receive()
        if "return" not in said:
            raise OSError(f"{verb}: {said}")
        answer: dict[str, Any] = said["return"]
        return answer

    def _send(self, verb: str, **arguments: Any) -> None:
        assert self._socket is not None
        text = json.dumps({"execute": verb, "arguments": arguments})
        self._socket.sendall(text.encode() + b"\n")

    def _receive(self) -> dict[str, Any]:
        assert self._socket is not None
        while b"\n" not in self._rest:
            data = self._socket.recv(1 << 16)
            if not data:
                raise ConnectionError("the agent's socket was closed")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        # A mark of where an answer begins.
        said: dict[str, Any] = json.loads(line.lstrip(b"\xff") or b"{}")
        return said
