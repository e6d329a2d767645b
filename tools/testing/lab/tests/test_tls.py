# SPDX-License-Identifier: GPL-2.0
"""The output queue below TLS: mounts with xprtsec=tls, tlshd of Debian."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools.kernel import lock, overlay, tree
from tools.testing.lab import scenario
from tools.testing.lab.tests import measured
from tools.testing.lab.tests.conftest import Images

pytestmark = measured.long

SUITE = "trixie"
# The guest's clock begins in 2026.
TEMPLATE = """\
cn = "server"
ip_address = "10.0.0.1"
ip_address = "10.0.1.1"
activation_date = "2025-01-01 00:00:00 UTC"
expiration_days = 36500
tls_www_server
signing_key
ca
cert_signing_key
"""
CONFIG = """\
[authenticate.client]
x509.truststore=/lab/cert
[authenticate.server]
x509.certificate=/lab/cert
x509.private_key=/lab/key
"""
CERTIFY = """\
certtool --generate-privkey --outfile /lab/key
certtool --generate-self-signed --load-privkey /lab/key \
    --template /lab/template --outfile /lab/cert
"""
DAEMON = """\
sh -c '
root=/tmp/tls-$$
mkdir $root && mount --bind $LAB_REPO/build/tls $root &&
mount -t proc proc $root/proc && mount -t tmpfs run $root/run &&
mount --bind /dev $root/dev && exec chroot $root tlshd -s -c /lab/config'
"""


@pytest.fixture(scope="module")
def tlshd() -> None:
    """A small Debian with tlshd, and a certificate, below build/."""
    root = tree.folder() / "tls"
    with lock.held(root.with_suffix(".lock"), tree.quiet):
        if not (root / "lab/cert").exists():
            _install(root)


def _install(root: Path) -> None:
    subprocess.run(["rm", "-rf", root], check=True)
    packages = "--include=ktls-utils,gnutls-bin"
    subprocess.run(
        [*("mmdebstrap", "--quiet", "--mode=root", "--variant=minbase"), *(packages, SUITE, root)],
        check=True,
    )
    files = {"template": TEMPLATE, "config": CONFIG}
    (root / "lab").mkdir()
    for name, text in files.items():
        overlay.replace(root / "lab" / name, text)
    subprocess.run(["chroot", root, "sh", "-ec", CERTIFY], check=True)


def _burst(setup: str) -> dict[str, Any]:
    table = scenario.to_dict(scenario.load("burst", setup))
    table["daemons_first"] = True
    for host in (table["server"], *table["clients"].values()):
        host["daemon"] = DAEMON
    for client in table["clients"].values():
        client["options"] = "xprtsec=tls"
    return table


def _run(image: Path, table: dict[str, Any]) -> measured.Run:
    return measured.run(image, scenario.from_dict(json.loads(json.dumps(table))))


def test_burst(images: Images, tlshd: None) -> None:
    """Nobody on the LAN waits for the WAN client's replies."""
    table = _burst("tmpfs")
    stock, patched = (_run(image, table)["read"] for image in (images.stock, images.patched))
    assert stock.report["jobs"][1]["longest_ms"] > 100
    assert patched.report["jobs"][1]["longest_ms"] < 1
    assert patched.mb_per_s(0) >= 0.99 * stock.mb_per_s(0)


def test_data_is_right(images: Images, tlshd: None) -> None:
    """Random reads and writes over loss, with small buffers."""
    table = _burst("tmpfs")
    table["server"]["sysctl"] = {"net.ipv4.tcp_wmem": "4096 16384 131072"}
    for client in table["clients"].values():
        client |= {"delay_ms": 2, "loss_percent": 0.1, "gso": False}
    check = "python3 $LAB_REPO/tools/testing/lab/guest/verify.py"
    names = [f"{client}{i}" for client in table["clients"] for i in range(4)]
    table["phases"][0]["jobs"][0]["command"] = (
        f"cd /srv/nfs; for i in {' '.join(names)}; do "
        "dd if=/dev/urandom of=$i bs=1M count=24 status=none; done"
    )
    table["phases"][1]["jobs"] = [
        {
            "do": "run",
            "host": (host := name.rstrip("0123")),
            "command": f"{check} /srv/nfs/{name} /mnt/{host}/{name} 50;"
            "grep TlsTxSw /proc/net/tls_stat",
        }
        for name in names
    ]
    run = _run(images.patched, table)["read"]
    for job in range(len(names)):
        words = run.output(job).split()
        assert words[:4] == ["50", "rounds,", "0", "wrong"]
        assert int(words[-1]) > 0
