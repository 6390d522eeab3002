"""Largest relative increase of a value's share from the table to a class."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind, against_table
from engine.kernels.likeness import basic_gains

MEASURE = MeasureKind(against_table(basic_gains))
