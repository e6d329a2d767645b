# SPDX-License-Identifier: GPL-2.0
"""What `make check` finds out about the packages.

They are installed and purged in an overlay over the machine's own root, which
sees nothing of it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from tools.kernel import deb
from tools.kernel.errors import LabError
from tools.kernel.progress import Say
from tools.testing.programs import REPO, Command, log_of, run

SPEC = REPO / "tools" / "tcptuned" / "tcptuned.spec"
# Of systemd-rpm-macros, which Debian's rpm does not have.
MACROS = {
    "_unitdir": "/usr/lib/systemd/system",
    "_sysusersdir": "/usr/lib/sysusers.d",
    "_udevrulesdir": "/usr/lib/udev/rules.d",
}
UNITS = ("tcptuned.service", "tcptuned@blue.service")

# What `systemd-analyze security` may say, in tenths.
EXPOSURE = 17

DAEMON = """\
/etc/tcptuned.conf
/lib/systemd/system/tcptuned.service
/lib/systemd/system/tcptuned@.service
/lib/udev/rules.d/60-tcptuned.rules
/usr/lib/systemd/catalog/tcptuned.catalog
/usr/lib/sysusers.d/tcptuned.conf
/usr/sbin/tcptuned
/usr/share/bash-completion/completions/tcptuned
/usr/share/doc/tcptuned/changelog.gz
/usr/share/doc/tcptuned/copyright
/usr/share/doc/tcptuned/tcptuned.rst.gz
/usr/share/man/man5/tcptuned.conf.5.gz
/usr/share/man/man8/tcptuned.8.gz
"""

# Each is one test, run in this order in a changed root.
STEPS = {
    "install": "dpkg --force-depends -i {debs}",
    "user": "getent passwd tcptuned",
    "program": "tcptuned --version | grep -Fx 'tcptuned {version}' && tcptuned check-config",
    "folders of the template": "grep -c"
    " '^[RS].*Directory=tcptuned/netns/%i$' /lib/systemd/system/tcptuned@.service"
    " | grep -x 2",
    "verify": "systemd-analyze verify {units}",
    "security": "systemd-analyze security --offline=true"
    " --threshold={exposure} /lib/systemd/system/tcptuned.service",
    "security of the template": "systemd-analyze security --offline=true"
    " --threshold={exposure} /lib/systemd/system/tcptuned@.service",
    # An error would be a second line that names the file.
    "udev rules": "udevadm test /sys/class/mem/null 2>&1"
    " | grep 60-tcptuned.rules >/tmp/said; cat /tmp/said;"
    " test $(wc -l </tmp/said) = 1",
    # It says so, and does not break the installation that it is part of.
    "refusal": "mkdir -p /lib/modules/5.0.0-0/kernel /lib/modules/5.0.0-0/build"
    " && touch /lib/modules/5.0.0-0/build/Module.symvers"
    " && /usr/lib/sunrpc-tcpbuf/update >/tmp/said; cat /tmp/said;"
    " grep -qx 'sunrpc-tcpbuf: 5.0.0-0: there are no patches for Linux 5.0,"
    " only for .* (this kernel keeps its own sunrpc)' /tmp/said"
    " && rm -r /tmp/said /lib/modules/5.0.0-0",
    "again": "dpkg --force-depends -i {debs}",
    "purge": "dpkg --purge sunrpc-tcpbuf-dkms tcptuned",
}

# Where dpkg, systemd and useradd keep their own accounts of what was.
ACCOUNTS = re.compile(
    r"/(tmp|root|run|var/(cache|log|tmp|lib/(dpkg|systemd)))(/|$)"
    r"|/etc/(passwd|group|shadow|gshadow|subuid|subgid)-$|/etc/\.pwd\.lock$"
)

Print = Callable[[str], None]
Counts = tuple[int, int, int]


def check(base: str, ksrc: str, say: Say, show: Print) -> Counts:
    """Build the packages and look at them, as a runner of `make check`."""
    series: Command = ["--base", base, "--ksrc", ksrc]
    kernel = REPO / "tools/kernel/kernel"
    _must("deb-series", [kernel, "series", *series], say)
    debs = {path.name.partition("_")[0]: path for path in deb.build(say)}
    tests = {
        "lintian": lambda _: deb.lintian(),
        "contents": lambda say: _contents(debs, base),
        "rpm": _rpm,
    }
    total = (1, 0, 0)
    for name, test in tests.items():
        found = test(say)
        if found:
            show(f"packages, {name}: {found}")
        total = _sum(total, (int(not found), int(bool(found)), 0))
    return _sum(total, _life(debs, say, show))


def _sum(one: Counts, other: Counts) -> Counts:
    return (one[0] + other[0], one[1] + other[1], one[2] + other[2])


def _must(name: str, command: Command, say: Say, *, cwd: Path = REPO) -> None:
    status, output = run(name, command, say, cwd=cwd)
    if status:
        last = output.rstrip().rpartition("\n")[2]
        raise LabError(f"{name}: {last} (all of it is in {log_of(name)})")


def _contents(debs: dict[str, Path], base: str) -> str:
    """What is in the packages and should not be, or the reverse."""
    found = {name: _listed(path) for name, path in debs.items()}
    contrib = REPO / "tools" / "tcptuned" / "contrib"
    daemon = set(DAEMON.split()) | {
        f"/usr/share/doc/tcptuned/examples/{path.relative_to(contrib)}"
        for path in deb.files()
        if path.is_relative_to(contrib)
    }
    odd = sorted(daemon ^ found["tcptuned"])
    source = f"/usr/src/sunrpc-tcpbuf-{deb.version()}"
    theirs = {
        f"{source}/{path.relative_to(REPO)}"
        for folder in ("net", "include", "patches")
        for path in deb.files()
        if path.is_relative_to(REPO / folder)
    } | {f"{source}/dkms.conf", "/usr/lib/sunrpc-tcpbuf/update"}
    odd += sorted(theirs - found["sunrpc-tcpbuf-dkms"])
    folder = REPO / "out" / f"series-{base}"
    for path in folder.rglob("*.patch"):
        patch = f"{base}/{path.relative_to(folder)}"
        name = f"/usr/share/linux-patch-sunrpc-tcpbuf/{patch}"
        if name not in found["linux-patch-sunrpc-tcpbuf"]:
            odd.append(name)
    return f"not as expected: {' '.join(odd)}" if odd else ""


def _listed(deb: Path) -> set[str]:
    """The files of a package."""
    lines = subprocess.run(
        ["dpkg-deb", "-c", deb], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    names = (line.split(None, 5)[5] for line in lines)
    return {name[1:] for name in names if not name.endswith("/")}


def _rpm(say: Say) -> str:
    """Build the RPM package too; what is wrong, "" for nothing."""
    top = deb.WORK / "rpm"
    (top / "SOURCES").mkdir(parents=True)
    name = f"sunrpc-tcpbuf-{deb.version()}"
    tar: Command = [
        *("tar", "-C", deb.WORK, "--exclude=debian/*", "-czf"),
        *(top / "SOURCES" / f"{name}.tar.gz", name),
    ]
    macros = {"_topdir": str(top), "_dbpath": f"{top}/db", **MACROS}
    rpmbuild: Command = [
        *("rpmbuild", "--nodeps", "--nocheck"),
        *(f"--define={name} {value}" for name, value in macros.items()),
        *("-bb", SPEC),
    ]
    for command in (tar, rpmbuild):
        status, output = run("rpm-build", command, say)
        if status:
            return output[-2000:]
    built = [path.name for path in top.glob("RPMS/*/tcptuned-[0-9]*.rpm")]
    if not built or not built[0].startswith(f"tcptuned-{deb.version()}-"):
        return f"built {built}, but debian/changelog has {deb.version()}"
    return ""


def _life(debs: dict[str, Path], say: Say, show: Print) -> Counts:
    """Install and purge the packages; nothing may be left behind."""
    if os.geteuid():
        show("packages, installed: skipped, only root makes an overlay")
        return (0, 0, len(STEPS) + 1)
    paths = [debs[name] for name in ("tcptuned", "sunrpc-tcpbuf-dkms")]
    words = {
        "debs": " ".join(f"/deb/{path.name}" for path in paths),
        "version": deb.version(),
        "units": " ".join(UNITS),
        "exposure": EXPOSURE,
    }
    overlay = deb.WORK / "overlay"
    for name in ("upper", "work", "root"):
        (overlay / name).mkdir(parents=True)
    steps = "\n".join(
        f"echo 'step {name}'; ( {line.format(**words)} ) || echo 'not ok {name}'"
        for name, line in STEPS.items()
    )
    script = overlay / "steps"
    script.write_text(f"export DEBIAN_FRONTEND=noninteractive\n{steps}\n")
    enter = (
        "mount -t overlay none -o lowerdir=/,upperdir=upper,workdir=work root"
        ' || exit 77; mkdir root/deb; mount --bind "$1" root/deb;'
        " for dir in proc sys dev; do mount --rbind /$dir root/$dir; done;"
        " mount -t tmpfs none root/run; exec chroot root sh -s <steps"
    )
    command: Command = ["unshare", "--mount", "sh", "-c", enter, "sh", deb.OUT]
    status, output = run("deb-life", command, say, cwd=overlay)
    if status == 77:
        show("packages, installed: skipped, no overlay can be mounted")
        return (0, 0, len(STEPS) + 1)
    failed = re.findall(r"^not ok (.*)$", output, re.MULTILINE)
    done = re.findall(r"^step (.*)$", output, re.MULTILINE)
    failed += [name for name in STEPS if name not in done]
    for name in failed:
        show(f"packages, {name}: failed; see {log_of('deb-life')}")
    left = _left_behind(overlay / "upper")
    if left:
        show(f"packages, left behind: {' '.join(left)}")
    passed = len(STEPS) - len(failed) + int(not left)
    return (passed, len(failed) + int(bool(left)), 0)


def _left_behind(upper: Path) -> list[str]:
    """What the life of the packages has changed in the machine's root."""
    left = []
    for folder, _, names in os.walk(upper):
        for name in names:
            path = Path(folder, name)
            here = Path("/", path.relative_to(upper))
            same = here.is_file() and path.is_file() and here.read_bytes() == path.read_bytes()
            # A file that was made and removed again leaves a mark of its own.
            gone = path.is_char_device() and not here.exists()
            if not (same or gone or ACCOUNTS.match(str(here))):
                left.append(str(here))
    return sorted(left)
