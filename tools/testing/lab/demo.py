# SPDX-License-Identifier: GPL-2.0
"""The demo: stock kernel against patched, three scenes, one table."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.kernel.progress import Progress
from tools.kernel.tree import Trees
from tools.testing.lab import image, rows, scenario
from tools.testing.lab.bench import chart
from tools.testing.lab.guest import batch
from tools.testing.lab.rows import Row
from tools.testing.lab.wire import payload_mb_per_s


@dataclass(frozen=True)
class Run:
    """One boot of the demo."""

    name: str
    setup: str | None
    kernel: str

    @property
    def plan(self) -> scenario.Scenario:
        """What is to be run."""
        return scenario.load(self.name, self.setup)


# The longest first, so that they do not end alone.
RUNS = (
    Run("transatlantic", "tuned", "patched"),
    Run("live", None, "patched"),
    Run("transatlantic", "default", "stock"),
    Run("ibm-2008", "tuned", "patched"),
    Run("ibm-2008", "default", "stock"),
)


def run(trees: Trees, out: Path, say: Progress) -> int:
    """Build both kernels, run the scenes, print them, write demo.csv."""
    images = {
        "stock": image.build(trees.stock, trees.stock_key, say),
        "patched": image.build(trees.patched, trees.patched_key, say),
    }
    results = batch.run([batch.Task(one.name, images[one.kernel], one.plan) for one in RUNS], say)
    say.clear()
    found = [
        row
        for one, result in zip(RUNS, results, strict=True)
        for row in _rows(one, result, trees.version)
    ]
    live = RUNS.index(Run("live", None, "patched"))
    _print_live(results[live], found)
    _print_table(found)
    out.mkdir(exist_ok=True)
    rows.write(out / "demo.csv", [*found[0]], [[*row.values()] for row in found])
    print(f"\nThe figures are in {out / 'demo.csv'}.")
    return 0


def _rows(one: Run, result: Row, base: str) -> Iterator[Row]:
    client = next(iter(one.plan.clients.values()))
    common = {
        "scenario": one.name,
        "kernel": one.kernel,
        "base": base,
        "rate_mbit": client.rate_mbit,
        "rtt_ms": 2 * client.delay_ms,
        "limit_mb_per_s": payload_mb_per_s(client.rate_mbit),
    }
    if one.name == "live":
        for setup, steady, cold in _live_figures(result):
            yield {
                **common,
                "setup": setup,
                "direction": "read",
                "mb_per_s": steady,
                "cold_mb_per_s": cold,
            }
        return
    for phase in result["phases"]:
        cold_pass, steady_pass = phase["jobs"][0]["passes"]
        yield {
            **common,
            "setup": one.setup,
            "direction": phase["name"],
            "mb_per_s": steady_pass["mb_per_s"],
            "cold_mb_per_s": cold_pass["mb_per_s"],
        }


def _echo_s() -> float:
    phase = scenario.load("live").phases[-1]
    return phase.events[0].at_s


def _moved(phase: Row, from_s: float, to_s: float) -> float:
    """Mean rate in MB/s between two instants of a phase with one job."""
    points = [(sample["t_s"], sum(sample["moved_bytes"].values())) for sample in phase["samples"]]
    inside = [p for p in points if from_s - 0.01 <= p[0] <= to_s + 0.01]
    (start, first), (end, last) = inside[0], inside[-1]
    rate: float = (last - first) / (end - start) / 1e6
    return rate


def _live_figures(result: Row) -> Iterator[tuple[str, float, float]]:
    """Setup, steady and cold MB/s: on defaults, and after the echo.

    Steady: the last second before the echo, and all from one second after
    it on but the last quarter. Cold: all before, and the first second after.
    """
    phase, echo_s = result["phases"][-1], _echo_s()
    end_s = phase["samples"][-1]["t_s"] - 0.25
    yield ("default", _moved(phase, echo_s - 1, echo_s), _moved(phase, 0, echo_s))
    yield ("tuned", _moved(phase, echo_s + 1, end_s), _moved(phase, echo_s, echo_s + 1))


def _print_live(result: Row, rows: list[Row]) -> None:
    phase, echo_s = result["phases"][-1], _echo_s()
    event = scenario.load("live").phases[-1].events[0].sysctl
    limit = next(row["limit_mb_per_s"] for row in rows if row["scenario"] == "live")
    times = [sample["t_s"] for sample in phase["samples"]]
    points = [(end, _moved(phase, start, end)) for start, end in itertools.pairwise(times)]
    commands = [
        f"echo {value} >/proc/sys/{name.replace('.', '/')}" for name, value in event.items()
    ]
    print(f"\n{scenario.load('live').title}; limit {limit:,.0f} MB/s")
    marks = {echo_s: f"server# {'; '.join(commands)}"}
    print("\n".join(chart.bars(points, limit, marks)))
    count = len(phase["server_sockets"])
    print(f"TCP connections seen meanwhile: {count}")


def _print_table(rows: list[Row]) -> None:
    def find(row: Row, setup: str) -> float:
        wanted = {**row, "setup": setup}
        keys = ("scenario", "direction", "setup")
        return next(
            float(r["mb_per_s"]) for r in rows if all(r[key] == wanted[key] for key in keys)
        )

    lines = []
    order = {"ibm-2008": 0, "transatlantic": 1, "live": 2}
    for row in sorted(rows, key=lambda row: order[row["scenario"]]):
        if row["setup"] != "tuned":
            continue
        default, tuned = find(row, "default"), row["mb_per_s"]
        path = f"{row['rate_mbit'] / 1000:g} Gbit/s x {row['rtt_ms']:g} ms"
        lines.append(
            [
                f"{path} {row['direction']}, {row['scenario']}",
                f"{default:,.1f}",
                f"{tuned:,.1f}",
                f"{tuned / default:.1f}",
                f"{100 * tuned / row['limit_mb_per_s']:.0f} %",
            ]
        )
    head = ["path", "default", "tuned MB/s", "ratio", "of limit"]
    print("\nNFS over a WAN: the stock kernel, and the series with values set")
    print("\n".join(chart.table(head, lines)))
