"""Distance of a class from the table if any two values are equally far apart."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind, against_table
from engine.kernels.distances import equal_distances

MEASURE = MeasureKind(against_table(equal_distances))
