# SPDX-License-Identifier: GPL-2.0
"""What the journal gets to know, and what it says to it with its catalog.

The journal is systemd's own, in namespaces where nobody else sees it.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from namespaces import TCPTUNED
from world import PEER, World

pytest_plugins = ("world_hosts",)

CATALOG = TCPTUNED / "tcptuned.catalog"
IDS = re.compile(r"\[(MSG_\w+)\] = \{ LOG_\w+, \"(\w+)\"")

# A journal in memory. It must not ask the machine's kernel for its messages.
JOURNAL = r"""
set -e
mount -t tmpfs none /run
mkdir -p /run/systemd/journald.conf.d /run/log/journal
printf '[Journal]\nStorage=volatile\nAudit=no\nReadKMsg=no\n' \
    >/run/systemd/journald.conf.d/test.conf
/lib/systemd/systemd-journald >/dev/null 2>&1 &
journald=$!
trap 'kill $journald; wait $journald || :' EXIT
for try in $(seq 100); do
    [ -S /run/systemd/journal/stdout ] && break
    sleep 0.1
done
systemd-cat sh -c '
    JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$@"' sh "$@"
journalctl --sync
mount --bind "$CATALOG" /var/lib/systemd/catalog
journalctl -D /run/log/journal $JOURNALCTL SYSLOG_IDENTIFIER=tcptuned
"""


def ids() -> dict[str, str]:
    """Every kind of message, with its ID."""
    return dict(IDS.findall((TCPTUNED / "report/message.c").read_text()))


def test_every_message_has_an_entry() -> None:
    """Each ID once in the code and once in the catalog, no other there."""
    header = (TCPTUNED / "report/message.h").read_text()
    kinds = re.findall(r"^\t(MSG_\w+),", header, re.MULTILINE)
    known = ids()
    assert list(known) == kinds
    assert all(re.fullmatch("[0-9a-f]{32}", text) for text in known.values())
    entries = re.findall(r"^-- (\w+)$", CATALOG.read_text(), re.MULTILINE)
    assert entries == list(known.values())
    assert len(set(entries)) == len(entries)


def test_every_message_is_said() -> None:
    """A kind that no line of the code has needs no entry."""
    code = "".join(path.read_text() for path in TCPTUNED.glob("*.c"))
    code += (TCPTUNED / "report/message.c").read_text().partition("\n};")[2]
    assert [kind for kind in ids() if not re.search(rf"\b{kind}\b", code)] == []


def test_fields_are_sent() -> None:
    """A field that the catalog shows is one that log.c sends."""
    sent = re.findall(r"\"([A-Z_]+)=%", (TCPTUNED / "report/log.c").read_text())
    assert set(re.findall(r"@(\w+)@", CATALOG.read_text())) <= set(sent)


@pytest.fixture
def compiled(tmp_path: Path) -> Path:
    """The folder of a catalog that systemd made of ours."""
    source = tmp_path / "root/usr/lib/systemd/catalog"
    source.mkdir(parents=True)
    shutil.copy(CATALOG, source)
    done = subprocess.run(
        ["journalctl", "--update-catalog", f"--root={tmp_path}/root"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path / "root/var/lib/systemd/catalog"


def _journal(world: World, compiled: Path, *options: str) -> str:
    """What a journal has of a daemon that decides once."""
    command = world.command("--once")
    inside, program = command[:2], command[2:]
    return subprocess.run(
        [*inside, "unshare", "-m", "sh", "-c", JOURNAL, "sh", *program],
        env={**os.environ, "CATALOG": str(compiled), "JOURNALCTL": " ".join(options)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=30,
    ).stdout


def test_journal(world: World, compiled: Path) -> None:
    """A change has its ID, its fields, and its explanation."""
    lines = _journal(world, compiled, "--output=json").splitlines()
    entries: list[dict[str, Any]] = [json.loads(line) for line in lines]
    change = next(
        entry for entry in entries if entry.get("TCPTUNED_TUNABLE") == "net.ipv4.tcp_wmem"
    )
    assert change["MESSAGE_ID"] == ids()["MSG_WINDOW"]
    assert change["PRIORITY"] == "6"
    assert change["TCPTUNED_VALUE"] == world.values()[1].split()[2]
    assert f"to {PEER}" in change["TCPTUNED_REASON"]
    assert all(entry.get("MESSAGE_ID") in ids().values() for entry in entries)
    world.call("restore")
    text = _journal(world, compiled, "--catalog")
    value = world.values()[1].split()[2]
    assert f"may grow to {value} bytes" in text
    assert "man:tcptuned(8)" in text
