# SPDX-License-Identifier: GPL-2.0
"""Pairs of runs: what one kind costs of another, and how sure that is."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Spread:
    """The median of some values, and the interval of the sign test around it.

    confidence: that the interval holds what the median would be of many more.
    """

    median: float
    low: float
    high: float
    confidence: float


def spread(values: Sequence[float]) -> Spread:
    """The narrowest interval of CONFIDENCE, or the widest there is.

    Nothing is assumed of how the values are distributed: each is as likely
    above the true median as below, so the chance that fewer than k are on one
    side of it is that of so many heads among coins.
    """
    ordered, number = sorted(values), len(values)
    chosen = Spread(
        statistics.median(ordered), ordered[0], ordered[-1], _covered(number, 1)
    )
    for k in range(2, number // 2 + 1):
        if _covered(number, k) < CONFIDENCE:
            break
        chosen = Spread(
            chosen.median, ordered[k - 1], ordered[-k], _covered(number, k)
        )
    return chosen


def _covered(number: int, k: int) -> float:
    """The chance that a median lies between the k-th value from either end."""
    one_side = sum(math.comb(number, heads) for heads in range(k))
    return 1 - one_side / 2.0 ** (number - 1)
