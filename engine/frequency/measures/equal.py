"""How far a class is from the table where any two values are equally far."""

from __future__ import annotations

from engine.frequency.measures.base import Kernel, MeasureKind, against_table, table_counts
from engine.kernels.distances import equal_distances

MEASURE = MeasureKind(against_table(equal_distances), kernel=Kernel("equal_distances", table_counts))
