"""Compiled measures: same names, arguments and results as in `engine.frequency.measures`.

numba is imported only when a measure is requested.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.frequency.measures.base import MEASURES, MeasureFunction
from engine.frequency.problem import SensitiveAttribute
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.distances import Pairs


def compiled_measure(name: str) -> MeasureFunction | None:
    """Return the compiled version of a measure; None without numba or if there is none.

    Integers and exact divisions are identical to numpy's, logarithms agree within a relative 1e-12. If
    products of counts exceed 63 bits, and for Grassberger's entropy of classes of millions, the numpy
    function is called.
    """
    kind = MEASURES.get(name)
    if kind is None or kind.kernel is None:
        return None
    try:
        import engine.kernels.compiled.measures as kernels
    except ImportError:  # numba is not installed, or not for this Python
        return None
    numpy_function, inputs_of = kind.function, kind.kernel.inputs
    kernel = getattr(kernels, kind.kernel.name)
    dtype = np.int64 if kind.is_whole else np.float64

    def measure(
        pairs: Pairs, sizes: Counts, attribute: SensitiveAttribute, parameter: int
    ) -> IntArray | FloatArray:
        inputs = inputs_of(sizes, attribute, parameter)
        if inputs is None:
            return numpy_function(pairs, sizes, attribute, parameter)
        found: Any = np.empty(len(sizes), dtype=dtype)
        bounds = np.append(pairs.starts, len(pairs.values))
        kernel(kernels.Classes(bounds, pairs.values, pairs.counts, sizes), *inputs, found)
        return np.asarray(found)

    return measure
