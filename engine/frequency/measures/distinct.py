"""Number of different values in a class."""

from __future__ import annotations

import numpy as np

from engine.frequency.measures.base import MeasureKind
from engine.frequency.persons import Holders
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.distances import Pairs


def _distinct(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> IntArray:
    return pairs.lengths


def _diverse_without_any(pairs: Pairs, holders: Holders) -> IntArray:
    """Return how many values a class has at least after the records of any one person are removed."""
    return np.asarray(np.minimum(pairs.lengths, 1 + pairs.lengths - holders.alone))


MEASURE = MeasureKind(_distinct, lowest_is_worst=True, of_people=_diverse_without_any, is_whole=True)
