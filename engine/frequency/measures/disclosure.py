"""Largest difference of a value's shares in a class and in the table, as a logarithm."""

from __future__ import annotations

from typing import Any

from engine.frequency.measures.base import Kernel, MeasureKind, against_table, is_exact
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts
from engine.kernels.likeness import disclosures


def _present(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    reference = attribute.reference
    return (reference.counts, reference.n_present, reference.n_records) if is_exact(reference, 1) else None


MEASURE = MeasureKind(against_table(disclosures), kernel=Kernel("disclosures", _present))
