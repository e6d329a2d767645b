# SPDX-License-Identifier: GPL-2.0
"""Boots a kernel in qemu: several processors, no KVM.

The guest's root is the host's, read-only, as that of User Mode Linux; here
over 9p.
"""

from pathlib import Path

from tools.kernel import tree
from tools.kernel.progress import Say
from tools.testing.lab.guest import guest

PROCESSORS = 2
MEMORY_MB = 3072
# How the guest mounts folders of the host, of which the repository is one.
FOLDER = "trans=virtio,version=9p2000.L"
SHOW_REPO = ("-t", "9p", "-o", f"ro,{FOLDER}", "repo")
# All that the guest's kernel is told. No processor is the guest's alone, so
# that it may not see its clock, or a processor, for seconds.
PARAMETERS = (
    *("console=ttyS0", "loglevel=5", "panic=-1", "root=root", "ro"),
    *("rootfstype=9p", f"rootflags={FOLDER},cache=loose"),
    *("tsc=nowatchdog", "rcupdate.rcu_cpu_stall_timeout=300"),
)


# Processors in turn, whose clock is the instructions that they execute, one a
# nanosecond; while they idle it skips to the next timer.
COUNTED = ("-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off")
PARALLEL = ("-accel", "tcg,thread=multi")


def boot(
    image: Path,
    init: Path,
    parameters: list[str],
    timeout_s: float,
    say: Say,
    name: str,
    clock: tuple[str, ...] = PARALLEL,
) -> str:
    """Run an image, with init from its job's folder; its console output.

    LabError when the time is over. What the console says is the caller's to
    judge.
    """
    command = [
        *("qemu-system-x86_64", "-machine", "q35", "-cpu", "max"),
        *clock,
        *("-smp", str(PROCESSORS), "-m", str(MEMORY_MB)),
        *("-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio"),
        *_folder("root", Path("/"), "readonly=on"),
        *_folder("repo", tree.REPO, "readonly=on"),
        *_folder("job", init.parent),
        *("-kernel", str(image), "-append"),
        " ".join([*PARAMETERS, *parameters, f"init={init}"]),
    ]
    return guest.watch(command, timeout_s, say, name)


def _folder(name: str, path: Path, *flags: str) -> list[str]:
    """Show a folder of the host to the guest."""
    local = f"local,path={path},mount_tag={name},security_model=none"
    # Folders may lie on several file systems.
    return ["-virtfs", ",".join([local, "multidevs=remap", *flags])]
