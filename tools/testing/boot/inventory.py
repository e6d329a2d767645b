# SPDX-License-Identifier: GPL-2.0
"""What a machine is: its sysctls, modules, packages, users and files.

Two inventories are compared item by item. What may differ is ALLOWED, and
each of these has its reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from tools.testing.boot.machine import Machine

# Kind of item, by its name; the value of each is all that is known of it.
Inventory = Mapping[str, Mapping[str, str]]

# Names as "kind name", and why nobody can expect them to stay.
ALLOWED = {
    r"sysctl (fs\.(dentry-state|file-nr|inode-(nr|state)|aio-nr)"
    r"|kernel\.(ns_last_pid|pty\.nr))": "counts what there is just now",
    r"sysctl vm\.user_reserve_kbytes": "a share of the memory that was free at boot",
    r"sysctl kernel\.random\.(boot_id|uuid|entropy_avail)": "chance",
    r"file /var/(log|cache|tmp)/": "what programs did and fetched",
    r"file /var/lib/(apt|dpkg)/": "apt's and dpkg's account of that",
    r"file /etc/(passwd|group|g?shadow|sub[ug]id)-": "the files before the last change",
    r"file /var/lib/nfs/": "NFS's account of its clients",
    r"file /var/lib/ucf/\w+\.\d": "what ucf's files were before their last changes",
    r"file /tmp/systemd-private-": "a name that is new in each boot",
    r"file /var/lib/systemd/(random-seed|timers/|timesync/)": "the time of the last boot",
}

_SCRIPT = r"""
import glob, grp, hashlib, json, os, pwd, stat, subprocess, sys
def lines(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True,
                          errors="replace").stdout.splitlines()
def of(path, info):
    text = f"{stat.filemode(info.st_mode)} {info.st_uid}:{info.st_gid}"
    if stat.S_ISLNK(info.st_mode):
        return f"{text} -> {os.readlink(path)}"
    if stat.S_ISREG(info.st_mode):
        # dpkg keeps the times of what is in packages; to read all takes long.
        if path in packaged:
            return f"{text} {info.st_size} bytes of {info.st_mtime_ns}"
        with open(path, "rb") as file:
            return f"{text} {hashlib.file_digest(file, 'sha1').hexdigest()}"
    return text
packaged = set()
for name in glob.glob("/var/lib/dpkg/info/*.list"):
    # Its names go through links: /lib is /usr/lib.
    packaged |= {os.path.join(os.path.realpath(os.path.dirname(path)),
                              os.path.basename(path))
                 for path in open(name).read().splitlines()}
found = {
    "sysctl": dict(l.split(" = ", 1) for l in lines("sysctl", "-a")
                   if " = " in l),
    "module": {l.split()[0]: "" for l in lines("lsmod")[1:]},
    "package": dict(l.split("|") for l in lines("dpkg-query", "-W", "-f",
                    "${binary:Package}|${db:Status-Abbrev}${Version}\n")),
    "user": {p.pw_name: str(p[2:]) for p in pwd.getpwall()},
    "group": {g.gr_name: str(g[2:]) for g in grp.getgrall()},
    "unit": {l.split()[0]: l.split()[1] for l in lines("systemctl",
             "list-unit-files", "--no-legend", "--no-pager")},
    "failed unit": {l.split()[0]: "" for l in lines("systemctl",
             "--failed", "--plain", "--no-legend", "--no-pager")},
}
files = found["file"] = {}
top = os.lstat("/").st_dev
for folder, names, others in os.walk("/"):
    names[:] = [n for n in names
                if os.lstat(os.path.join(folder, n)).st_dev == top]
    for name in names + others:
        path = os.path.join(folder, name)
        try:
            files[path] = of(path, os.lstat(path))
        except FileNotFoundError:
            pass
json.dump(found, sys.stdout)
"""


def take(machine: Machine) -> Inventory:
    """What the machine is now."""
    machine.put("/run/inventory.py", _SCRIPT)
    text = machine.must("python3 /run/inventory.py", 600, quiet=True)
    found: Inventory = json.loads(text)
    return found


def differences(before: Inventory, after: Inventory) -> list[str]:
    """What differs and is not allowed to."""
    allowed = re.compile("|".join(ALLOWED))
    found = []
    for kind, items in before.items():
        for name in sorted(items.keys() | after[kind].keys()):
            was, now = items.get(name), after[kind].get(name)
            if was != now and not allowed.match(f"{kind} {name}"):
                found.append(f"{kind} {name}: {_text(was)}, now {_text(now)}")
    return found


def _text(value: str | None) -> str:
    return "not there" if value is None else f"'{value}'" if value else "there"
