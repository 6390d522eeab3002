"""Share of the most frequent value of a class."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind, within
from engine.frequency.persons import Holders
from engine.kernels.arrays import FloatArray
from engine.kernels.distances import Pairs
from engine.kernels.diversity import largest_shares


def _held_by_most(pairs: Pairs, holders: Holders) -> FloatArray:
    """Return the largest share of persons who hold one value at least once; one exact division."""
    return largest_shares(Pairs(pairs.values, holders.of_value, pairs.starts), holders.persons)


MEASURE = MeasureKind(within(largest_shares), of_people=_held_by_most)
