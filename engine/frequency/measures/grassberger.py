"""Entropy of the values of a class by Grassberger's estimator, in nats."""

from __future__ import annotations

from engine.errors import InputError
from engine.frequency.measures.base import MeasureKind, within
from engine.frequency.persons import Holders
from engine.kernels.arrays import FloatArray
from engine.kernels.distances import Pairs
from engine.kernels.diversity import grassberger_entropies
from engine.words import N_, _

NO_WHOLE_COUNTS = N_(
    "Grassberger's estimator needs whole numbers of records, and a person column weights records."
)
NO_WHOLE_COUNTS_HINT = N_("Use Shannon's entropy.")


def _refused(pairs: Pairs, holders: Holders) -> FloatArray:
    raise InputError(_(NO_WHOLE_COUNTS), hint=_(NO_WHOLE_COUNTS_HINT))


MEASURE = MeasureKind(within(grassberger_entropies), lowest_is_worst=True, of_people=_refused)
