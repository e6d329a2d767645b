# SPDX-License-Identifier: GPL-2.0
"""Many guests: as many at a time as there are processors and memory for."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.kernel.errors import LabError
from tools.kernel.progress import Say
from tools.testing.lab import scenario
from tools.testing.lab.guest import guest


@dataclass(frozen=True)
class Task:
    """A scenario to be run on an image."""

    name: str
    image: Path
    plan: scenario.Scenario
    seed: int = 0


def run(
    tasks: Sequence[Task],
    say: Say,
    ended: Callable[[Task, dict[str, Any]], None] = lambda *_: None,
    failed: Callable[[Task, LabError], None] | None = None,
) -> list[dict[str, Any]]:
    """What the guests measured, in the order of the tasks.

    ended: is called with each when it is there, by any thread. One failure, or
    Ctrl-C, ends all guests. failed: takes failures instead; {} is their result.
    """
    done: list[Task] = []

    def one(task: Task) -> dict[str, Any]:
        try:
            result = guest.run(task.image, task.plan, say, seed=task.seed)
        except LabError as error:
            if failed is None:
                raise
            failed(task, error)
            return {}
        done.append(task)
        say(f"{len(done)} of {len(tasks)} runs done")
        ended(task, result)
        return result

    # taskset gives it fewer.
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        futures = [pool.submit(one, task) for task in tasks]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            guest.kill_all()
            raise
