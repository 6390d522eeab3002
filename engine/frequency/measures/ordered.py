"""Distance of a class from the table if neighbouring values are close."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind, against_table
from engine.kernels.distances import ordered_distances

MEASURE = MeasureKind(against_table(ordered_distances))
