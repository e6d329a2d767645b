# SPDX-License-Identifier: GPL-2.0
"""The life of a server with the packages: from apt install to apt purge."""

from __future__ import annotations

import re
import time

from tools.kernel.errors import LabError
from tools.testing.boot import far, inventory, server
from tools.testing.boot.machine import Machine
from tools.testing.boot.tally import Tally, expect, expect_in, expect_least

TEMPLATE = f"tcptuned@{far.NETNS}.service"
# A message of a value that was set, as report/message.c has it.
MESSAGE = "ecc6c0eafc0444b0b91e64057981a6df"
# What the mount has to gain, and how near it has to come to the path's limit:
# an emulated processor that shares the host's carried 69 % of it.
LEAST_RATIO = 1.7
LEAST_SHARE = 0.6
# What is started for the tests alone: a path that is there at boot, and a
# mount at the place where systemd has remote file systems.
UNITS = {
    "far.service": f"""\
[Unit]
Description=A client far away
Before={TEMPLATE} nfs-server.service
After=systemd-sysctl.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/bash /etc/far
[Install]
WantedBy=multi-user.target
""",
    "far-mount.service": """\
[Unit]
Description=Its mount
Requires=far.service nfs-server.service
After=far.service nfs-server.service remote-fs-pre.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/bash /etc/far-mount
[Install]
WantedBy=multi-user.target
""",
}


class Life:
    """The tests of a machine's life, in the order that life has."""

    def __init__(self, machine: Machine, tests: Tally) -> None:
        self._machine = machine
        self._tests = tests
        self._before: inventory.Inventory = {}
        self._rates = far.Rates(0, 0)
        self._theirs = ""

    def before(self) -> None:
        """What the machine is without the packages."""
        machine, tests = self._machine, self._tests
        with tests.test("a Debian 12 server boots"):
            seconds = machine.boot()
            server.wait(machine)
            expect("nfs-server", server.show(machine, server.NFS, "ActiveState"), "active")
            kernel = machine.must("uname -rv").strip()
            tests.figure("kernel", kernel)
            tests.figure("first boot, s", f"{seconds:.0f}")
        with tests.test("a mount from far away, without the packages"):
            self._rates = self._measure()
            self._keep(self._rates, "without the packages")
            self._theirs = server.module_of(machine)
        with tests.test("the machine is written down"):
            self._before = inventory.take(machine)
            counted = ", ".join(
                f"{len(items)} {kind}s" for kind, items in self._before.items() if items
            )
            tests.figure("compared before and after", counted)

    def install(self, version: str) -> None:
        """apt install, before anything is booted."""
        machine, tests = self._machine, self._tests
        with tests.test("apt installs both packages, and DKMS builds the module"):
            start = time.monotonic()
            said = server.install(machine, version)
            expect_in("apt", said, "the module is installed; it is used from")
            seconds = time.monotonic() - start
            tests.figure("apt install, s", f"{seconds:.0f}")
        with tests.test("the module has the symbols of the distribution's"):
            log = machine.must("cat /var/lib/dkms/sunrpc-tcpbuf/*/*/*/log/make.log")
            found = re.search(r"(\d+) exported symbols, 0 differ\n", log)
            if not found:
                raise LabError(f"DKMS's log ends with: {log[-300:]}")
            tests.figure("symbols of the module", found[0].strip())
        with tests.test("the module is installed, and not yet loaded"):
            self._expect_drop_in(loaded=False)
            expect("loaded", server.is_loaded(machine, self._theirs), True)
        with tests.test("the daemon runs beside the distribution's module"):
            expect("state", server.show(machine, server.DAEMON, "ActiveState"), "active")

    def first_boot(self) -> None:
        """The first boot with the packages."""
        machine, tests = self._machine, self._tests
        with tests.test("it boots with the drop-in module"):
            machine.reboot()
            server.wait(machine)
            self._expect_drop_in(loaded=True)
            expect(
                "values",
                server.tuned(machine, (*server.TUNED, "tcp_notsent_lowat")),
                {"tcp_sndbuf": 0, "tcp_rcvbuf": 0, "tcp_notsent_lowat": 131072},
            )
            said = machine.run("dmesg | grep -E 'disagrees|Unknown symbol|BUG|WARNING'")
            expect("kernel's complaints", said.output, "")
        with tests.test("NFS is served with it"):
            expect("nfs-server", server.show(machine, server.NFS, "ActiveState"), "active")
            expect("threads", int(machine.must("cat /proc/fs/nfsd/threads")) > 0, True)
        with tests.test("the daemon said that it is ready, before nfs-server began"):
            self._expect_ready(server.DAEMON)
            ready = server.started_us(machine, server.DAEMON)
            begun = server.begun_us(machine, server.NFS)
            tests.figure(
                "tcptuned ready before nfs-server began, s", f"{(begun - ready) / 1e6:.1f}"
            )
            expect_least("microseconds between them", begun - ready, 0)
        with tests.test("the watchdog's time reaches the daemon"):
            pid = server.show(machine, server.DAEMON, "MainPID")
            environment = machine.must(f"tr '\\0' '\\n' </proc/{pid}/environ")
            expect_in("environment", environment, "WATCHDOG_USEC=60000000")
        with tests.test("a daemon that hangs is started anew by the watchdog"):
            self._hang()

    def at_speed(self) -> None:
        """The mount from far away, with the packages."""
        machine, tests = self._machine, self._tests
        with tests.test("the daemon of the client's namespace"):
            far.lay_out(machine)
            machine.must(f"systemctl start {TEMPLATE}")
            self._expect_ready(TEMPLATE)
        with tests.test("the mount from far away is at speed"):
            far.mount(machine)
            # The first passes teach the daemons the path.
            far.measure(machine)
            rates = far.measure(machine)
            self._keep(rates, "with the packages")
            self._expect_speed(rates)
        with tests.test("the journal has the reasons, with their fields"):
            self._look_at_journal()
        with tests.test("the status shows the path"):
            said = machine.must("tcptuned status")
            expect_in("status", said, far.CLIENT)

    def second_boot(self) -> None:
        """A boot with paths that were learned."""
        machine, tests = self._machine, self._tests
        with tests.test("values are right before the first mount of a later boot"):
            before = server.tuned(machine)
            machine.put("/etc/far", far.LAY_OUT)
            machine.put("/etc/far-mount", far.MOUNT)
            for name, text in UNITS.items():
                machine.put(f"/etc/systemd/system/{name}", text)
            machine.must(
                f"umount /mnt/{far.NETNS}; systemctl daemon-reload;"
                f" systemctl enable far far-mount {TEMPLATE}"
            )
            machine.reboot()
            server.wait(machine)
            now = server.tuned(machine)
            mounted = server.begun_us(machine, "far-mount.service")
            for name in server.TUNED:
                expect_least(name, now[name], before[name] / 2)
                entries = server.journal(machine, f"TCPTUNED_TUNABLE=sunrpc.{name}")
                if not entries:
                    raise LabError(f"nothing set sunrpc.{name}")
                earlier = mounted - int(entries[0]["__MONOTONIC_TIMESTAMP"])
                expect_least(f"{name}, microseconds before the mount", earlier, 0)
                tests.figure(f"sunrpc.{name} set before the first mount, s", f"{earlier / 1e6:.1f}")
        with tests.test("that mount is at speed from its first pass on"):
            rates = far.measure(machine)
            self._keep(rates, "after the second boot")
            self._expect_speed(rates)
        with tests.test("the mount goes as it came"):
            machine.must(
                "systemctl disable --now far-mount far " + TEMPLATE + ";"
                f"umount /mnt/{far.NETNS}; rmdir /mnt/{far.NETNS}; ip netns del {far.NETNS};"
                "rm /etc/far /etc/far-mount /etc/systemd/system/far*.service;"
                "systemctl daemon-reload"
            )

    def after(self) -> None:
        """apt purge, and what is left then."""
        machine, tests = self._machine, self._tests
        with tests.test("apt purges the packages, and what they had brought"):
            # apt never takes off the headers of the kernel that runs by itself,
            # and keeps what any other package suggests unless told not to.
            machine.must(
                f"{server.APT} purge tcptuned sunrpc-tcpbuf-dkms linux-headers-$(uname -r)", 900
            )
            machine.must(
                f"{server.APT} -o APT::AutoRemove::SuggestsImportant=false"
                " -o APT::AutoRemove::RecommendsImportant=false"
                " autoremove --purge",
                900,
            )
            machine.reboot()
            server.wait(machine)
            expect("module", server.module_of(machine), self._theirs)
            expect("loaded", server.is_loaded(machine, self._theirs), True)
        with tests.test("the mount from far away is as it was"):
            rates = self._measure()
            self._keep(rates, "after the purge")
            for name in ("write", "read"):
                was, now = getattr(self._rates, name), getattr(rates, name)
                expect_least(f"{name}, of what it was", now / was, 0.7)
                expect_least(f"what {name} was, of it", was / now, 0.7)
        with tests.test("sysctls, modules, packages, users and files are as before"):
            found = inventory.differences(self._before, inventory.take(machine))
            if found:
                raise LabError(f"{len(found)} differ: {'; '.join(found[:40])}")

    def _measure(self) -> far.Rates:
        """The mount alone, from its path to its end."""
        far.lay_out(self._machine)
        far.mount(self._machine)
        rates = far.measure(self._machine)
        far.unmount(self._machine)
        return rates

    def _keep(self, rates: far.Rates, when: str) -> None:
        for name in ("write", "read"):
            figure = f"{getattr(rates, name):.1f}"
            self._tests.figure(f"{name} {when}, MB/s", figure)

    def _expect_drop_in(self, *, loaded: bool) -> None:
        """The module is on the disk, and in the kernel or not."""
        module = server.module_of(self._machine)
        expect_in("module", module, "/updates/dkms/sunrpc.ko")
        expect(f"{module} is loaded", server.is_loaded(self._machine, module), loaded)

    def _expect_ready(self, unit: str) -> None:
        machine = self._machine
        state = [server.show(machine, unit, name) for name in ("Type", "ActiveState", "Result")]
        expect(unit, state, ["notify", "active", "success"])
        expect_in("status", server.show(machine, unit, "StatusText"), "paths known")

    def _expect_speed(self, rates: far.Rates) -> None:
        # For the log, where they are not.
        self._machine.run(far.LOOK)
        for name in ("write", "read"):
            rate, was = getattr(rates, name), getattr(self._rates, name)
            share, ratio = rate / far.LIMIT_MB_PER_S, rate / was
            expect_least(f"{name}, times as fast", ratio, LEAST_RATIO)
            expect_least(f"{name}, of the path", share, LEAST_SHARE)

    def _hang(self) -> None:
        machine = self._machine
        pid = server.show(machine, server.DAEMON, "MainPID")
        start = time.monotonic()
        machine.must(f"kill -STOP {pid}")
        machine.until(
            f"test $(systemctl show -P MainPID {server.DAEMON}) != {pid}"
            f" && systemctl is-active {server.DAEMON}",
            400,
        )
        seconds = time.monotonic() - start
        self._tests.figure("a hung daemon replaced after, s", f"{seconds:.0f}")
        said = machine.must(f"journalctl -b -u {server.DAEMON} --no-pager")
        expect_in("journal", said, "Watchdog timeout (limit 1min)!")
        self._expect_ready(server.DAEMON)

    def _look_at_journal(self) -> None:
        machine = self._machine
        entries = server.journal(machine, f"MESSAGE_ID={MESSAGE}")
        names = {entry["TCPTUNED_TUNABLE"] for entry in entries}
        expect_in("tunables", " ".join(sorted(names)), "sunrpc.tcp_sndbuf")
        for entry in entries:
            expect("unit", entry["_SYSTEMD_UNIT"].startswith("tcptuned"), True)
            for field in ("BEFORE", "VALUE", "REASON"):
                if not entry.get(f"TCPTUNED_{field}"):
                    raise LabError(f"no TCPTUNED_{field} in {entry}")
        said = machine.must(f"journalctl -b -x --no-pager MESSAGE_ID={MESSAGE}")
        value = entries[0]["TCPTUNED_VALUE"]
        expect_in("catalog", said, f"Buffers of NFS connections may grow to {value} bytes")
        expect_in("catalog", said, "A TCP connection carries at most its window")
