# SPDX-License-Identifier: GPL-2.0
"""What an RPC costs the processors: instructions, stock against patched.

Simulated time has no cost of code. Here qemu counts the instructions of two
processors, kernel and programs, client and server; a figure is what a READ takes
of them. It does not know caches, nor what waiting for a lock costs.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
from pathlib import Path

from tools.kernel import cli, tree
from tools.kernel.progress import Progress, Say
from tools.testing.lab import digests, image, rows, scenario
from tools.testing.lab.bench import bench
from tools.testing.lab.guest import guest, qemu
from tools.testing.lab.rows import Row, Store

STORE = Store(
    bench.FOLDER / "cost.csv",
    ("read",),
    ("stock_instructions", "patched_instructions", "ratio", "error", "linux", "date", "series"),
    frozenset(("read", "linux", "date", "series")),
)
TIMEOUT_S = 3600

# Instructions per READ, of each round, by its size.
Costs = dict[str, list[int]]


def run(trees: tree.Trees, say: Progress) -> list[Row]:
    """Measure both kernels; a row per size of a READ."""
    kernels = ((trees.stock, trees.stock_key), (trees.patched, trees.patched_key))
    options = image.X86_CONFIG.read_text().splitlines()
    images = [
        image.build(path, key, say, options=options, machine=image.X86) for path, key in kernels
    ]
    stock, patched = (_measure(built, say) for built in images)
    return [_row(trees, read, stock[read], patched[read]) for read in stock]


def _row(trees: tree.Trees, read: str, stock: list[int], patched: list[int]) -> Row:
    means = statistics.mean(stock), statistics.mean(patched)
    # Standard errors of the means, as shares of them.
    errors = (statistics.stdev(c) / statistics.mean(c) / len(c) ** 0.5 for c in (stock, patched))
    return {
        "read": read,
        "stock_instructions": round(means[0]),
        "patched_instructions": round(means[1]),
        "ratio": round(means[1] / means[0], 4),
        "error": round(math.hypot(*errors), 4),
        "linux": trees.version,
        "date": rows.today(),
        "series": digests.series(trees.base),
    }


def _measure(built: Path, say: Say) -> Costs:
    plan = scenario.load("cost")
    name = f"cost {built.parents[4].name}"
    with guest.job_folder() as folder:
        agent = guest.prepare(folder, guest.INIT, scenario.to_dict(plan), qemu.SHOW_REPO)
        console = qemu.boot(built, agent, [], TIMEOUT_S, say, name, qemu.COUNTED)
        result = guest.result(folder, console, name)
    output = result["phases"][-1]["jobs"][0]["output"]
    costs: Costs = {}
    for number, read, cost in re.findall(r"cost: (\d+) (\S+) (\d+)", output):
        if int(number):
            costs.setdefault(read, []).append(int(cost))
    return costs


def _command(options: argparse.Namespace, say: Progress) -> int:
    found = run(cli.trees(options, say), say)
    STORE.merge(found)
    say.clear()
    for row in found:
        print(
            f"READ of {row['read']}: stock {row['stock_instructions']:,.0f} instructions, "
            f"patched {row['patched_instructions']:,.0f}: {row['ratio']:.3f} +- {row['error']:.3f}"
        )
    return 0


def add_command(commands: cli.Commands) -> None:
    """Add it."""
    commands.add("cost", _command, "count the instructions of an RPC, stock and patched")
