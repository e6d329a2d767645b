# SPDX-License-Identifier: GPL-2.0
"""The stress: kernels that watch themselves, in qemu with two processors.

In each kernel KUnit's and the kselftests run, then servers, clients,
connections and namespaces come and go while values change (stress/init.py
has the cast). It fails when the kernel says what no kernel may say, when data are not what
was written, when a connection stands still, and when it was no stress.
"""

import argparse
import dataclasses
import functools
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.kernel import cli, tree
from tools.kernel.progress import Progress, Say
from tools.testing.lab import digests, image, kunit, rows
from tools.testing.lab.guest import guest, qemu
from tools.testing.lab.rows import Row, Store
from tools.testing.lab.stress import race

HERE = Path(__file__).parent
AGENT = HERE / "init.py"

MINUTES = 6.0
KUNIT = ("kunit.enable=1", "kunit.autorun=1")

# For the boot, the tests before, and what is done after the stress.
AROUND_S = 2400
# A connection that lost its wake-up stands still until its client asks again,
# after 60 s. A slow guest alone does not make one wait that long.
STALL_MS = 45_000
# Below this it was no stress, per minute of it.
LEAST = {"accepted": 15, "mounts": 1, "files": 2, "values": 20}
# What must have happened at all.
MUST = (
    *("dropped", "cut", "services", "namespaces"),
    *("server_rcvbuf", "server_sndbuf", "client_rcvbuf", "client_sndbuf"),
    *("gate", "queued"),
)
MORE_ALARMS = re.compile(
    # The tracker's own allocations fail too, where the queue's do.
    r"ref_tracker: (?!memory allocation failure)|unregister_netdevice: waiting"
    r"|kmemleak: .* new suspected"
    r"|unreferenced object|^WARNING: "
)
# Objects whose code, or the fields that it touches, is of the series.
OURS = (*sorted(c.stem for c in (tree.REPO / "net/sunrpc").glob("*.c")), *("svcsock", "xprtsock"))


# What the agent counts, of which each has a column.
COUNTED = (*("mounts", "files", "services", "namespaces", "values"), *("gate", "queued", "faults"))
STORE = Store(
    tree.REPO / "Documentation" / "stress.csv",
    ("kernel",),
    (
        *("minutes", "connections", *COUNTED, "mib", "grown", "splats"),
        *("failures", "tests", "linux", "date", "series"),
    ),
    frozenset(("kernel", "tests", "linux", "date", "series")),
)


@dataclass(frozen=True)
class Kernel:
    """A kernel of the stress: its fragment's name, and variables for make.

    watches: what it says at boot when it does. parameters: of its command line.
    file_bytes: of the largest file that is moved. A file must be written in far
    less than STALL_MS, however slow the kernel. must: more that must have happened.
    """

    name: str
    watches: str
    settings: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    file_bytes: int = 2 << 20
    must: tuple[str, ...] = ()


# Objects in which KCSAN looks at accesses: the series', and those that share
# its fields. In all others it would find races that are not of the series, and
# spend its time there.
WATCHED = (
    *(*OURS, "svc_xprt", "svc", "xprt", "sysctl", "sock", "stream"),
    *("tcp", "tcp_input", "tcp_output", "tcp_timer", "tcp_ipv4", "tcp_ipv6"),
    *("tcp_minisocks", "tcp_rate", "tcp_diag", "inet_connection_sock"),
)
KERNELS = (
    Kernel("kasan", "KernelAddressSanitizer initialized", must=("faults",)),
    Kernel(
        "kcsan",
        "kcsan: enabled early",
        (
            "KCSAN_SANITIZE=n",
            *(f"KCSAN_SANITIZE_{o}.o=y" for o in WATCHED),
            # race.py asks for lines of source.
            *(f"CFLAGS_{o}.o=-g1" for o in OURS),
        ),
        # An emulated processor does little in the 80 us for which an access is
        # watched by default: a counter that was put into the gate, not locked,
        # was not seen in 3 minutes, and with these it was.
        (
            "kcsan.skip_watch=200",
            "kcsan.udelay_task=1500",
            "kcsan.udelay_interrupt=300",
            # What is so slow may wait for long to have written a file back.
            "sysctl.kernel.hung_task_timeout_secs=240",
        ),
        file_bytes=256 << 10,
    ),
)


@dataclass(frozen=True)
class Job:
    """What the agent is to do: for how long, and the seed of all chance."""

    seconds: float
    seed: str


@dataclass(frozen=True)
class Outcome:
    """What a kernel's stress came to."""

    name: str
    stress_s: float
    seconds: float
    counts: Mapping[str, int]
    tests: str
    splats: list[str]
    failures: list[str]

    def __str__(self) -> str:
        words = [f"{value} {key}" for key, value in self.figures().items()]
        return ", ".join([f"stress {self.name}: {self.tests}", *words])

    def figures(self) -> Row:
        """What it came to, by column of STORE."""
        c = self.counts
        grown = sum(c.get(name, 0) for name in MUST if name.endswith("buf"))
        return {
            "minutes": round(self.stress_s / 60, 1),
            "connections": c.get("accepted", 0),
            **{name: c.get(name, 0) for name in COUNTED},
            "mib": c.get("bytes", 0) >> 20,
            "grown": grown,
            "splats": len(self.splats),
            "failures": len(self.failures),
        }


def run(trees: tree.Trees, names: list[str] | None, job: Job, say: Progress) -> int:
    """Stress the patched tree's kernels; 0 if none has a fault.

    Each console goes to build/log, the result of the whole time to STORE.
    """
    kernels = [k for k in KERNELS if not names or k.name in names]
    images = {k.name: build(trees, k, say) for k in kernels}
    outcomes = []
    for kernel in kernels:
        outcome = _stress(kernel, images[kernel.name], job, say)
        say.clear()
        for line in (*outcome.splats, *outcome.failures):
            print(f"stress {kernel.name}: {line}")
        print(outcome, flush=True)
        outcomes.append(outcome)
        if job.seconds >= MINUTES * 60:
            STORE.merge([_row(trees, outcome)])
    return int(any(o.splats or o.failures for o in outcomes))


def _row(trees: tree.Trees, outcome: Outcome) -> Row:
    return {
        "kernel": outcome.name,
        **outcome.figures(),
        "tests": outcome.tests,
        "linux": trees.version,
        "date": rows.today(),
        "series": digests.series(trees.base),
    }


def build(trees: tree.Trees, kernel: Kernel, say: Say) -> Path:
    """A kernel of the stress."""
    fragments = [image.X86_CONFIG, HERE / "watch.config", HERE / f"{kernel.name}.config"]
    return image.build(
        trees.patched,
        trees.patched_key,
        say,
        variant=kernel.name,
        options="".join(f.read_text() for f in fragments).splitlines(),
        machine=image.X86,
        settings=kernel.settings,
    )


def _stress(kernel: Kernel, built: Path, job: Job, say: Say) -> Outcome:
    """Boot a kernel and let it be stressed."""
    start = time.monotonic()
    console, result, broken = _guest(kernel, built, job, say)
    said, failed = tests(result)
    (tree.folder(tree.REPO) / "log" / f"stress-{kernel.name}.log").write_text(
        f"{console}\n{json.dumps(result, indent=1)}\n"
    )
    folder = built.parents[3] / "net/sunrpc"
    ours = race.Objects([folder / f"{name}.o" for name in OURS])
    return Outcome(
        name=kernel.name,
        stress_s=job.seconds,
        seconds=time.monotonic() - start,
        counts=result.get("counts", {}),
        tests=said,
        splats=splats(
            console + result.get("leaks", ""), functools.partial(race.is_ours, objects=ours)
        ),
        failures=[*broken, *failed, *failures(kernel, result, job.seconds / 60)],
    )


def _guest(
    kernel: Kernel, built: Path, job: Job, say: Say
) -> tuple[str, dict[str, Any], list[str]]:
    """The console, the agent's result, and why the guest failed if it did."""
    name = f"stress {kernel.name}"
    parameters = [*KUNIT, f"kunit.filter_glob={kunit.SUITES}", *kernel.parameters]
    timeout_s = AROUND_S + job.seconds
    with guest.job_folder() as folder:
        told = {**dataclasses.asdict(job), "file_bytes": kernel.file_bytes}
        init = guest.prepare(folder, AGENT, told, qemu.SHOW_REPO)
        try:
            console = qemu.boot(built, init, parameters, timeout_s, say, name)
            return console, guest.result(folder, console, name), []
        except guest.GuestError as error:
            return error.console, {}, [str(error)]


def splats(console: str, is_ours: Callable[[Sequence[str]], bool]) -> list[str]:
    """The lines with which the kernel began to complain.

    is_ours: whether the report of a data race counts; upstream has some too.
    """
    found = []
    lines = console.splitlines()
    for index, line in enumerate(lines):
        if race.HEAD.search(line):
            if is_ours(race.report(lines[index:])):
                found.append(line)
        elif guest.ALARM.search(line) or MORE_ALARMS.search(line):
            found.append(line)
    heads = [line for line in found if "Call Trace" not in line]
    return heads or found


def tests(result: dict[str, Any]) -> tuple[str, list[str]]:
    """What KUnit and the kselftests said, and what failed."""
    if not result:
        return "no tests", []
    failures = []
    passed, failed, _ = kunit.totals(result["boot"])
    if failed or not passed:
        failures.append(f"KUnit: {passed} passed, {failed} failed")
    for test in result["selftests"]:
        if test["exit"]:
            failures.append(f"{test['name']} failed: {test['output']}")
    scripts = len(result["selftests"])
    if not scripts:
        failures.append("no kselftest ran")
    return f"{passed} KUnit tests and {scripts} kselftests passed", failures


def failures(kernel: Kernel, result: dict[str, Any], minutes: float) -> list[str]:
    """Why it was no stress, or what did not survive it."""
    if not result:
        return []
    counts = result["counts"]
    wanted = {name: rate * minutes for name, rate in LEAST.items()}
    wanted |= dict.fromkeys((*MUST, *kernel.must), 1)
    short = [
        f"{name}: {counts.get(name, 0)} is too few, at least {least:.0f}"
        for name, least in wanted.items()
        if counts.get(name, 0) < least
    ]
    if counts["longest_wait_ms"] > STALL_MS:
        short.append(f"a transfer stood for {counts['longest_wait_ms']} ms")
    if kernel.watches not in result["boot"]:
        short.append(f"it does not watch itself: no '{kernel.watches}'")
    return [*result["errors"], *short]


def _command(options: argparse.Namespace, say: Progress) -> int:
    return run(
        cli.trees(options, say), options.kernel, Job(options.minutes * 60, options.seed), say
    )


def add_command(commands: cli.Commands) -> None:
    """Add the command that stresses kernels."""
    parser = commands.add("stress", _command, "stress the series on two processors")
    parser.add_argument(
        "--minutes",
        type=float,
        default=MINUTES,
        help=f"minutes per kernel, without its boot [{MINUTES:g}]",
    )
    parser.add_argument(
        "--kernel",
        action="append",
        choices=[kernel.name for kernel in KERNELS],
        help="only this one [all]",
    )
    parser.add_argument("--seed", default="0", help="seed of what happens, not of when [0]")
