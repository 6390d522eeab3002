"""Entropy of the values of a class by Grassberger's estimator, in nats."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from engine.errors import InputError
from engine.frequency.measures.base import Kernel, MeasureKind, within
from engine.frequency.persons import Holders
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.distances import Pairs
from engine.kernels.diversity import grassberger_entropies, grassberger_g
from engine.words import N_, _

PSI_BITS = 22  # classes of up to 2**22 records look the G of counts up
NO_WHOLE_COUNTS = N_(
    "Grassberger's estimator needs whole numbers of records, and a person column weights records."
)
NO_WHOLE_COUNTS_HINT = N_("Use Shannon's entropy.")


def _refused(pairs: Pairs, holders: Holders) -> FloatArray:
    raise InputError(_(NO_WHOLE_COUNTS), hint=_(NO_WHOLE_COUNTS_HINT))


def _psi(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    bits = int(sizes.max(initial=0)).bit_length()
    return (_psi_table(bits),) if bits <= PSI_BITS else None


@lru_cache(maxsize=1)
def _psi_table(bits: int) -> FloatArray:
    return grassberger_g(np.arange(1 << bits))


MEASURE = MeasureKind(
    within(grassberger_entropies),
    lowest_is_worst=True,
    of_people=_refused,
    kernel=Kernel("grassberger_entropies", _psi),
)
