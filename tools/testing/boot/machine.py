# SPDX-License-Identifier: GPL-2.0
"""A machine in qemu that is booted again and again, and its root shell.

Its disk outlives it, so that it can be rebooted: qemu ends then, and the next
one goes on. Commands go through qemu's guest agent, a package that servers
have; each has a time limit, and a machine that does not answer is ended.
"""

from __future__ import annotations

import base64
import contextlib
import shutil
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tools.kernel import command
from tools.kernel.errors import LabError
from tools.kernel.progress import Say
from tools.testing.boot.guest_agent import Answer, GuestAgent
from tools.testing.lab.guest import memory
from tools.testing.programs import LOG

PROCESSORS = 2
MEMORY_MB = 3072
CONSOLE = LOG / "boot-console.log"
COMMANDS = LOG / "boot.log"
# What the host's folders are called in the machine, and where they appear.
DEPOT = Path("/srv/depot")

# An emulated processor, on a host that does other things too, is slow.
BOOT_S = 600
HALT_S = 300

_PARAMETERS = (
    *("root=/dev/vda", "rw", "console=ttyS0", "loglevel=5", "panic=-1"),
    *("tsc=nowatchdog", "rcupdate.rcu_cpu_stall_timeout=300"),
    # What they cost is multiplied here, and nobody is to be kept out.
    "mitigations=off",
)


@dataclass(frozen=True)
class Root:
    """What a machine is booted from: see rootfs.py."""

    disk: Path
    kernel: Path
    initrd: Path


class Machine:
    """One machine; at most one qemu runs for it at a time."""

    def __init__(
        self,
        root: Root,
        depot: Path,
        name: str,
        say: Say,
        *,
        cable: tuple[Path, bool] | None = None,
        memory_mb: int = MEMORY_MB,
    ) -> None:
        """Cable: a socket that joins two machines, and who makes it."""
        self.name = name
        self._cable = cable
        self._memory_mb = memory_mb
        self._root = root
        self._depot = depot
        self._say = say
        self._qemu: subprocess.Popen[bytes] | None = None
        self._agent: GuestAgent | None = None
        self._work = Path(tempfile.mkdtemp(prefix="lab-boot-", dir="/var/tmp"))
        self._room = contextlib.ExitStack()
        self._disk = self._work / "disk"
        _copy(root.disk, self._disk)
        LOG.mkdir(parents=True, exist_ok=True)

    def close(self) -> None:
        """End it, and forget its disk."""
        self.kill()
        shutil.rmtree(self._work, ignore_errors=True)

    def boot(self) -> float:
        """Start it and wait for its agent; the seconds that it took."""
        self._say(f"{self.name}: boots")
        start = time.monotonic()
        self._room.enter_context(
            memory.taken(self._memory_mb, self._say, self.name, threading.Event())
        )
        with CONSOLE.open("ab") as log:
            log.write(f"\n===== {self.name} boots =====\n".encode())
            log.flush()
            path = self._work / "agent"
            path.unlink(missing_ok=True)
            self._qemu = subprocess.Popen(
                self._command(path),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._agent = GuestAgent(path, self._say_waits)
        while not self._agent.answers():
            if self._qemu.poll() is not None:
                raise self._failed("qemu ended")
            if time.monotonic() - start > BOOT_S:
                raise self._failed(f"did not boot within {BOOT_S} s")
        self.must(
            f"mkdir -p {DEPOT}; mount -t 9p -o ro,trans=virtio,version=9p2000.L depot {DEPOT}"
        )
        return time.monotonic() - start

    def reboot(self) -> float:
        """Reboot it; the seconds until it answers again."""
        assert self._qemu is not None
        assert self._agent is not None
        self._say(f"{self.name}: reboots")
        # It may be gone before it has answered.
        with contextlib.suppress(OSError):
            self._agent.run("systemctl --no-block reboot", HALT_S, quiet=True)
        try:
            self._qemu.wait(HALT_S)
        except subprocess.TimeoutExpired:
            raise self._failed(f"no reboot within {HALT_S} s") from None
        self.kill()
        return self.boot()

    def put(self, path: str, text: str) -> None:
        """Write a file."""
        data = base64.b64encode(text.encode()).decode()
        self.must(f"base64 -d >{path} <<<{data}")

    def run(self, script: str, limit_s: float = 120, *, quiet: bool = False) -> Answer:
        """Run a script in bash as root; quiet: its output is not for a log."""
        assert self._agent is not None
        with COMMANDS.open("a") as log:
            log.write(f"\n{self.name}# {script}\n")
            log.flush()
            start = time.monotonic()
            try:
                answer = self._agent.run(script, limit_s, quiet=quiet)
            except OSError as error:
                raise self._failed(f"does not answer ({error})") from error
            seconds = time.monotonic() - start
            shown = "" if quiet else answer.output
            log.write(f"{shown}[{answer.status}, {seconds:.1f} s]\n")
        return answer

    def must(self, script: str, limit_s: float = 120, *, quiet: bool = False) -> str:
        """Run a script that has to succeed; what it printed."""
        answer = self.run(script, limit_s, quiet=quiet)
        if answer.status:
            what = "took too long" if answer.status == 124 else "failed"
            raise LabError(
                f"{self.name}: {what} ({answer.status}): {script}: "
                f"{command.tail(answer.output)} (see {COMMANDS})"
            )
        return answer.output

    def until(self, script: str, limit_s: float = 120) -> str:
        """Run a script again and again until it succeeds; its output."""
        deadline = time.monotonic() + limit_s
        while True:
            answer = self.run(script)
            if not answer.status:
                return answer.output
            if time.monotonic() > deadline:
                raise LabError(
                    f"{self.name}: not within {limit_s:.0f} s: {script}: "
                    f"{command.tail(answer.output)} (see {COMMANDS})"
                )
            time.sleep(1)

    def kill(self) -> None:
        """End it as a power failure would."""
        if self._agent:
            self._agent.close()
        if self._qemu:
            self._qemu.kill()
            self._qemu.wait()
        self._agent = self._qemu = None
        self._room.close()

    def _say_waits(self, seconds: float) -> None:
        self._say(f"{self.name}: works for {seconds:.0f} s")

    def _failed(self, what: str) -> LabError:
        self.kill()
        return LabError(f"{self.name}: {what}; its console is in {CONSOLE}")

    def _command(self, agent: Path) -> list[str]:
        depot = f"local,path={self._depot},mount_tag=depot,readonly=on"
        return [
            # It must not outlive whoever is to end it in time.
            *("setpriv", "--pdeathsig", "KILL", "--"),
            *("qemu-system-x86_64", "-machine", "q35", "-cpu", "max"),
            *("-accel", "tcg,thread=multi", "-smp", str(PROCESSORS)),
            *("-m", str(self._memory_mb), "-nodefaults", "-no-reboot"),
            *("-display", "none", "-serial", "stdio"),
            *("-kernel", str(self._root.kernel)),
            *("-initrd", str(self._root.initrd)),
            *("-append", " ".join(_PARAMETERS)),
            "-drive",
            f"file={self._disk},format=raw,if=virtio,cache=unsafe",
            *("-virtfs", f"{depot},security_model=none"),
            *self._network(),
            *("-device", "virtio-rng-pci", "-device", "virtio-serial-pci"),
            *("-chardev", f"socket,id=agent,path={agent},server=on,wait=off"),
            "-device",
            "virtserialport,chardev=agent,name=org.qemu.guest_agent.0",
        ]

    def _network(self) -> list[str]:
        if not self._cable:
            return []
        path, makes = self._cable
        side = f"addr.type=unix,addr.path={path},server={'on' if makes else 'off'}"
        return [
            *("-netdev", f"stream,id=cable,{side}"),
            *("-device", "virtio-net-pci,netdev=cable"),
        ]


def _copy(disk: Path, target: Path) -> None:
    """Copy a disk without its holes."""
    command.must(
        ["cp", "--sparse=always", "--reflink=auto", disk, target], f"{disk} cannot be copied"
    )
