"""Relative increase of a value's share, bounded more strictly for frequent values."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind, against_table
from engine.kernels.likeness import enhanced_gains

MEASURE = MeasureKind(against_table(enhanced_gains))
