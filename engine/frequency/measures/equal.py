"""Distance of a class from the table if any two values are equally far apart."""

from __future__ import annotations

from engine.frequency.measures.base import Kernel, MeasureKind, against_table, table_counts
from engine.kernels.distances import equal_distances

MEASURE = MeasureKind(against_table(equal_distances), kernel=Kernel("equal_distances", table_counts))
