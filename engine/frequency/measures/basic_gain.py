"""How much more frequent a value is in a class than in the table, at most."""

from __future__ import annotations

from engine.frequency.measures.base import Kernel, MeasureKind, against_table, table_counts
from engine.kernels.likeness import basic_gains

MEASURE = MeasureKind(against_table(basic_gains), kernel=Kernel("basic_gains", table_counts))
