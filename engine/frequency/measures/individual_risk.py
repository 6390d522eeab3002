"""Individual risk of the records of a class, from their number and the sum of their weights."""

from __future__ import annotations

from engine.frequency.measures.base import MeasureKind
from engine.frequency.problem import SensitiveAttribute, WeightAttribute
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.distances import Pairs
from engine.kernels.survey import individual_risks


def _risks(pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> FloatArray:
    """Return the risk of each class; `parameter` is 1 for the exact risk."""
    assert isinstance(attribute, WeightAttribute), "measured of weights only"
    return individual_risks(sizes, attribute.people(pairs), exact=bool(parameter))


MEASURE = MeasureKind(_risks)
