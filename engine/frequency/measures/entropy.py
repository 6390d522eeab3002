"""Shannon entropy of the values of a class, in nats."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from engine.frequency.measures.base import Kernel, MeasureKind, within
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.diversity import entropies

LOGS = 1 << 16  # counts whose c * log c is looked up


def _logarithms(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...]:
    return (_log_table(),)


@cache
def _log_table() -> FloatArray:
    counts = np.arange(LOGS)
    return np.asarray(counts * np.log(np.maximum(counts, 1)))


MEASURE = MeasureKind(within(entropies), lowest_is_worst=True, kernel=Kernel("entropies", _logarithms))
