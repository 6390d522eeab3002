"""The measures by machine code: same names, same arguments, same results as in `engine.frequency.measures`.

Nothing here imports numba before it is asked for a measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from engine.frequency.classes import (
    BASIC_GAIN,
    DISCLOSURE,
    DISTINCT,
    ENHANCED_GAIN,
    ENTROPY,
    EQUAL,
    GRASSBERGER,
    HIERARCHICAL,
    LARGEST_SHARE,
    ORDERED,
    TAIL_RATIO,
)
from engine.frequency.measures import MEASURES, MeasureFunction
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, IntArray, Reals
from engine.kernels.distances import LARGEST_EXACT, Pairs, Reference
from engine.kernels.diversity import grassberger_g

LOGS = 1 << 16  # counts whose c * log c is looked up
PSI_BITS = 22  # of the largest class whose counts have their G looked up

# What a kernel reads beside pairs and sizes, given those sizes, the attribute and the parameter; None
# where numpy has to serve: products of counts leave 63 bits, or a table would be too long.
Inputs: TypeAlias = Callable[[Counts, SensitiveAttribute, int], tuple[Any, ...] | None]


def compiled_measure(name: str) -> MeasureFunction | None:
    """Return the compiled twin of a measure; None without numba, or for a name that has none.

    Integers and exact divisions are identical to numpy's, logarithms agree within a relative 1e-12.
    Where products of counts leave 63 bits, and for Grassberger's entropy of classes of millions, the
    numpy function is called.
    """
    if name not in _KERNELS:
        return None
    try:
        import engine.kernels.compiled.measures as kernels
    except ImportError:  # numba is not installed, or not for this Python
        return None
    kernel_name, inputs_of = _KERNELS[name]
    kernel = getattr(kernels, kernel_name)
    dtype = np.int64 if name == DISTINCT else np.float64

    def measure(
        pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int
    ) -> IntArray | Reals:
        inputs = inputs_of(sizes, attribute, parameter)
        if inputs is None:
            return MEASURES[name].function(pairs, sizes, attribute, parameter)
        found: Any = np.empty(len(sizes), dtype=dtype)
        kernel(pairs.starts, pairs.values, pairs.counts, sizes, *inputs, found)
        return np.asarray(found)

    return measure


def _nothing(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...]:
    return ()


def _table(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    reference = attribute.reference
    return (reference.counts, reference.n_records) if _is_exact(reference, 1) else None


def _cumulative(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    reference = attribute.reference
    if not _is_exact(reference, len(reference.counts)):
        return None
    return reference.cumulative, reference.prefix, reference.n_records


def _groups(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    reference, tree = attribute.reference, attribute.tree
    if not _is_exact(reference, tree.height):
        return None
    inside = np.zeros(tree.grouped.shape[1], dtype=np.int64)
    return tree.groups, tree.grouped, inside, reference.n_records


def _caps(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    reference = attribute.reference
    return (reference.counts, reference.caps, reference.n_records) if _is_exact(reference, 1) else None


def _present(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    reference = attribute.reference
    return (reference.counts, reference.n_present, reference.n_records) if _is_exact(reference, 1) else None


def _logarithms(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...]:
    return (_log_table(),)


def _psi(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...] | None:
    bits = int(sizes.max(initial=0)).bit_length()
    return (_psi_table(bits),) if bits <= PSI_BITS else None


def _head(sizes: Counts, attribute: SensitiveAttribute, parameter: int) -> tuple[Any, ...]:
    return parameter, np.zeros(max(min(parameter - 1, attribute.n_values), 1), dtype=np.int64)


def _is_exact(reference: Reference, factor: int) -> bool:
    """Whether sums of a number of products of two counts fit into 63 bits."""
    return reference.n_records * reference.n_records * max(factor, 1) < LARGEST_EXACT


@cache
def _log_table() -> Reals:
    counts = np.arange(LOGS)
    return np.asarray(counts * np.log(np.maximum(counts, 1)))


@lru_cache(maxsize=1)
def _psi_table(bits: int) -> Reals:
    return grassberger_g(np.arange(1 << bits))


_KERNELS: Mapping[str, tuple[str, Inputs]] = MappingProxyType(
    {
        DISTINCT: ("lengths", _nothing),
        EQUAL: ("equal_distances", _table),
        ORDERED: ("ordered_distances", _cumulative),
        HIERARCHICAL: ("hierarchical_distances", _groups),
        ENTROPY: ("entropies", _logarithms),
        GRASSBERGER: ("grassberger_entropies", _psi),
        LARGEST_SHARE: ("largest_shares", _nothing),
        TAIL_RATIO: ("tail_ratios", _head),
        BASIC_GAIN: ("basic_gains", _table),
        ENHANCED_GAIN: ("enhanced_gains", _caps),
        DISCLOSURE: ("disclosures", _present),
    }
)
