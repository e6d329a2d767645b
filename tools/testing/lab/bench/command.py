# SPDX-License-Identifier: GPL-2.0
"""The command that compares: `lab bench`."""

from __future__ import annotations

import argparse
import subprocess
import sys

from tools.kernel import cli, tree
from tools.kernel.progress import Progress
from tools.testing.lab.bench import bench, cells, summary
from tools.testing.programs import Command, venv


def _bench(options: argparse.Namespace, say: Progress) -> int:
    if options.pictures:
        module = "tools.testing.lab.bench.pictures"
        command: Command = [venv(say), "-m", module, bench.FOLDER]
        say.clear()
        return subprocess.run(command, check=False, cwd=tree.REPO).returncode
    trees = cli.trees(options, say)
    peers = cells.peers()
    chosen = {name: peers[name] for name in options.peer or peers}
    paths = [
        cell
        for cell in (cells.CORNERS if options.quick else cells.CELLS)
        if cell.rate_mbit in (options.rate or [cell.rate_mbit])
        and cell.rtt_ms in (options.rtt or [cell.rtt_ms])
        and cell.nfs in (options.nfs or [cell.nfs])
        and (not options.main or cell in cells.MAIN)
    ]
    found, failures = bench.run(
        trees, paths, chosen, say, only_stale=options.stale, again=options.again
    )
    say.clear()
    print(summary.text(found))
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    print(f"\nThe figures are in {bench.STORE.file}: make pictures")
    return 1 if failures else 0


def add_command(commands: cli.Commands) -> None:
    """Add it."""
    against = commands.add("bench", _bench, "compare this project with other set-ups")
    for word, text in (
        ("--quick", "only a few cells"),
        ("--pictures", "only make the pictures and tables from the rows"),
        ("--main", "only the grid, nothing varied"),
        ("--stale", "only rows that were measured with other code"),
        ("--again", "current rows too: git diff shows what differs"),
    ):
        against.add_argument(word, action="store_true", help=text)
    against.add_argument("--peer", action="append", choices=list(cells.peers()))
    against.add_argument("--rate", action="append", type=float, help="Mbit/s")
    against.add_argument("--rtt", action="append", type=float, help="ms")
    against.add_argument("--nfs", action="append", choices=["3", "4.2"])
