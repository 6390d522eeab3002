"""Shannon entropy of the values of a class, in nats."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind, within
from engine.kernels.diversity import entropies

MEASURE = MeasureKind(within(entropies), lowest_is_worst=True)
