"""Ratio of the most frequent value of a class to those from a rank on."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.frequency.measures.base import Kernel, MeasureKind
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.distances import Pairs
from engine.kernels.diversity import tail_ratios


def _tail_ratio(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> FloatArray:
    return tail_ratios(pairs, sizes, parameter)


def _head(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...]:
    return parameter, np.zeros(max(min(parameter - 1, attribute.n_values), 1), dtype=np.int64)


MEASURE = MeasureKind(_tail_ratio, kernel=Kernel("tail_ratios", _head))
