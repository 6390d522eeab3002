"""Largest relative increase of a value's share from the table to a class."""

from __future__ import annotations

from engine.frequency.measures.base import Kernel, MeasureKind, against_table, table_counts
from engine.kernels.likeness import basic_gains

MEASURE = MeasureKind(against_table(basic_gains), kernel=Kernel("basic_gains", table_counts))
