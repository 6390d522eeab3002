"""Names for the array types that kernels and engine exchange."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.int32]
Keys: TypeAlias = NDArray[np.int64]
Counts: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]

index = np.uint64
"""The type of places in kernels: a signed one could count from the end, which is one comparison more."""
