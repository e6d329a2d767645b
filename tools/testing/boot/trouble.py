# SPDX-License-Identifier: GPL-2.0
"""Machines that the packages cannot do their work on.

Each is said in one clear sentence, breaks no installation, and leaves a
machine that works as before.
"""

from __future__ import annotations

import shutil

from tools.kernel import command
from tools.kernel.errors import LabError
from tools.testing.boot import depot, server
from tools.testing.boot.machine import DEPOT, Machine
from tools.testing.boot.tally import Tally, expect, expect_in

# Nobody has patches for this one.
NEWER = "99.1.0-1-amd64"
CONTROL = f"""\
Package: linux-image-{NEWER}
Version: 99.1.1-1
Architecture: all
Maintainer: nobody <nobody@sunrpc-tcpbuf.invalid>
Description: folders of a kernel that is newer than all patches
"""
BROKEN = "memory = much\n"
# On the machine's own root, which nspawn takes only under another name. It shares
# the network, and so nfsd, which its end would stop for the machine too.
BOX = (
    "systemd-nspawn --quiet --directory=/mnt --volatile=overlay --machine=box"
    " --boot systemd.mask=nfs-server.service"
)


def newer_kernel() -> None:
    """Put a package into the depot that looks like a newer kernel."""
    tree = depot.FOLDER / "newer.tree"
    shutil.rmtree(tree, ignore_errors=True)
    modules = tree / "lib/modules" / NEWER
    for name in ("kernel/empty", "build/Module.symvers"):
        (modules / name).parent.mkdir(parents=True)
        (modules / name).touch()
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(CONTROL)
    package = depot.FOLDER / "newer.deb"
    command.must(["dpkg-deb", "--build", "--root-owner-group", tree, package], "dpkg-deb")
    shutil.rmtree(tree)


class Trouble:
    """The tests of a machine without what the packages want."""

    def __init__(self, machine: Machine, tests: Tally) -> None:
        self._machine = machine
        self._tests = tests
        self._module = ""

    def run(self, version: str) -> None:
        """All of them."""
        machine = self._machine
        with self._tests.test("another server boots, without kernel headers"):
            machine.boot()
            server.wait(machine)
            self._module = server.module_of(machine)
        with self._tests.test("a kernel without headers"):
            self._no_headers(version)
        with self._tests.test("a kernel that is newer than the patches"):
            self._newer()
        with self._tests.test("a broken configuration"):
            self._broken()
        with self._tests.test("a container that may set nothing"):
            self._container()
        with self._tests.test("a machine without NFS"):
            self._no_nfs()

    def _no_headers(self, version: str) -> None:
        kernel = self._machine.must("uname -r").strip()
        said = server.install(self._machine, version, "--no-install-recommends")
        self._said_once(
            said,
            f"sunrpc-tcpbuf: {kernel}: its headers are not installed: apt-get "
            f"install linux-headers-{kernel} (this kernel keeps its own sunrpc)",
        )
        self._expect_works()

    def _newer(self) -> None:
        said = self._machine.must(f"{server.APT} install {DEPOT}/newer.deb", 600)
        self._said_once(
            said,
            f"sunrpc-tcpbuf: {NEWER}: there are no patches for Linux 99.1, "
            "only for 6.1, 6.12, 7.2 (this kernel keeps its own sunrpc)",
        )
        self._expect_works()
        self._machine.must(f"{server.APT} purge linux-image-{NEWER}", 600)

    def _broken(self) -> None:
        machine = self._machine
        good = machine.must("cat /etc/tcptuned.conf")
        before = self._sysctls()
        machine.put("/etc/tcptuned.conf", BROKEN)
        since = machine.must("date +%s").strip()
        machine.run("systemctl restart tcptuned")
        expect("state", server.show(machine, server.DAEMON, "ActiveState"), "failed")
        said = machine.must(f"journalctl -o cat --no-pager --since=@{since} _COMM=tcptuned")
        lines = [line for line in said.splitlines() if "/etc/tcptuned.conf:1:" in line]
        expect("sentences", len(lines), 1)
        after = self._sysctls()
        # What it had raised for the window scale is back as well.
        expect("restarts", server.show(machine, server.DAEMON, "NRestarts"), "0")
        self._serves()
        machine.put("/etc/tcptuned.conf", good)
        machine.must("systemctl reset-failed tcptuned; systemctl start tcptuned")
        machine.must("systemctl stop tcptuned")
        expect("sysctls", after, self._sysctls())
        machine.must("systemctl start tcptuned")
        expect("sysctls", before, self._sysctls())

    def _container(self) -> None:
        machine = self._machine
        machine.must(f"{server.APT} install systemd-container", 600)
        before = self._sysctls()
        machine.must("mount --bind / /mnt")
        machine.must(f"systemd-run --unit=box {BOX}")
        machine.until("systemctl --machine=box is-system-running | grep -E 'running|degraded'", 300)
        said = machine.must(
            "systemctl --machine=box show -P ConditionResult tcptuned;"
            "systemd-run --quiet --machine=box --pipe --wait journalctl -b -o cat"
            " --no-pager -u tcptuned"
        )
        expect_in("condition", said, "no\n")
        self._said_once(
            said,
            "tcptuned.service - Automatic TCP buffer tuning for NFS was skipped"
            " because of an unmet condition check (ConditionCapability=CAP_NET_ADMIN).",
        )
        machine.must("machinectl terminate box")
        machine.until("umount /mnt", 60)
        expect("sysctls", self._sysctls(), before)
        self._expect_works()
        machine.must(f"{server.APT} purge --autoremove systemd-container", 600)

    def _no_nfs(self) -> None:
        machine = self._machine
        machine.must(f"{server.APT} purge --autoremove nfs-kernel-server nfs-common rpcbind", 600)
        machine.reboot()
        server.wait(machine)
        expect("state", server.show(machine, server.DAEMON, "ActiveState"), "active")
        said = machine.must("tcptuned status")
        self._said_once(said, "No NFS peer has been seen yet")
        said = machine.must("journalctl -b -o cat --no-pager -p warning _COMM=tcptuned")
        expect("warnings", said, "")

    def _sysctls(self) -> list[str]:
        """Those that the daemon writes, and their neighbours."""
        said = self._machine.must(
            "sysctl -a 2>/dev/null | grep -E '^(sunrpc|net.core|net.ipv4.tcp)'"
        )
        return [line for line in said.splitlines() if "tcp_fastopen_key" not in line]

    def _said_once(self, said: str, sentence: str) -> None:
        found = [line for line in said.splitlines() if sentence in line]
        if len(found) != 1:
            raise LabError(f"{len(found)} times '{sentence}' in: {said[-800:]}")

    def _expect_works(self) -> None:
        """The distribution's module serves, and the daemon runs."""
        machine = self._machine
        expect("module", server.module_of(machine), self._module)
        expect("state", server.show(machine, server.DAEMON, "ActiveState"), "active")
        expect("apt", machine.must("dpkg --audit"), "")
        self._serves()

    def _serves(self) -> None:
        self._machine.must(
            "set -e; mount -t nfs4 localhost:/ /mnt; echo much >/mnt/file;"
            " cmp /mnt/file /srv/nfs/file; umount /mnt"
        )
