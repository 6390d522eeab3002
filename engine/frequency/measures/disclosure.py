"""Largest difference of a value's shares in a class and in the table, as a logarithm."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind, against_table
from engine.kernels.likeness import disclosures

MEASURE = MeasureKind(against_table(disclosures))
