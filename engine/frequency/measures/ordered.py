"""Distance of a class from the table if neighbouring values are close."""

from __future__ import annotations

from typing import Any

from engine.frequency.measures.base import Kernel, MeasureKind, against_table, is_exact
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts
from engine.kernels.distances import ordered_distances


def _cumulative(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    reference = attribute.reference
    if not is_exact(reference, len(reference.counts)):
        return None
    return reference.cumulative, reference.prefix, reference.n_records


MEASURE = MeasureKind(against_table(ordered_distances), kernel=Kernel("ordered_distances", _cumulative))
