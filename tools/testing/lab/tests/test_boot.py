# SPDX-License-Identifier: GPL-2.0
"""What the boot test takes for a difference, without its machine."""

from __future__ import annotations

import pytest

from tools.testing.boot import change, inventory

BEFORE = {
    "sysctl": {"net.core.rmem_max": "212992", "fs.file-nr": "1 0 9"},
    "module": {"sunrpc": ""},
    "file": {"/etc/passwd": "-rw 0:0 1", "/var/log/dpkg.log": "-rw 0:0 2"},
}
# What is another item now, and what is said of it.
CHANGES = {
    "nothing": ("sysctl", "net.core.rmem_max", "212992", None),
    "a sysctl": (
        "sysctl",
        "net.core.rmem_max",
        "4194304",
        "sysctl net.core.rmem_max: '212992', now '4194304'",
    ),
    "a counter": ("sysctl", "fs.file-nr", "2 0 9", None),
    "a module": ("module", "nfsd", "", "module nfsd: not there, now there"),
    "a log": ("file", "/var/log/dpkg.log", "-rw 0:0 3", None),
    "a file": (
        "file",
        "/etc/tcptuned.conf",
        "-rw 0:0 1",
        "file /etc/tcptuned.conf: not there, now '-rw 0:0 1'",
    ),
}


@pytest.mark.parametrize("case", CHANGES.values(), ids=CHANGES)
def test_differences(case: tuple[str, str, str, str | None]) -> None:
    kind, name, value, said = case
    after = {**BEFORE, kind: {**BEFORE[kind], name: value}}
    assert inventory.differences(BEFORE, after) == ([said] if said else [])


def test_documented() -> None:
    """The boot test runs the commands that the page has."""
    lines = change.documented().split("\n")
    assert lines[0].startswith("systemctl stop tcptuned nfs-server")
    assert "modprobe sunrpc" in lines
