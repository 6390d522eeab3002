"""Distance of a class from the table if values of one group are close."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.frequency.measures.base import Kernel, MeasureKind, is_exact
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.distances import Pairs, hierarchical_distances


def _hierarchical(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> FloatArray:
    return hierarchical_distances(pairs, sizes, attribute.reference, attribute.tree)


def _groups(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    reference, tree = attribute.reference, attribute.tree
    if not is_exact(reference, tree.height):
        return None
    inside = np.zeros(tree.grouped.shape[1], dtype=np.int64)
    return tree.groups, tree.grouped, inside, reference.n_records


MEASURE = MeasureKind(_hierarchical, kernel=Kernel("hierarchical_distances", _groups))
