"""Relative increase of a value's share, bounded more strictly for frequent values."""

from __future__ import annotations

from typing import Any

from engine.frequency.measures.base import Kernel, MeasureKind, against_table, is_exact
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts
from engine.kernels.likeness import enhanced_gains


def _caps(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    reference = attribute.reference
    return (reference.counts, reference.caps, reference.n_records) if is_exact(reference, 1) else None


MEASURE = MeasureKind(against_table(enhanced_gains), kernel=Kernel("enhanced_gains", _caps))
