"""The kernels of `engine.kernels.partitions`, compiled from the same source."""

from __future__ import annotations

import sys

import numpy as np

from engine.kernels import partitions
from engine.kernels.compiled.jit import compiled_from
from engine.kernels.partitions import NarrowCodes, Partition, Scratch, extend, refine

globals().update(compiled_from(__name__, partitions))


def warm_up() -> None:
    """Compile, or load machine code, for both widths of codes."""
    kernels, scratch = sys.modules[__name__], Scratch(2)
    rows = np.arange(3, dtype=np.int32)
    start = Partition(rows, np.ones_like(rows), np.array([0, 3], dtype=np.int32), np.zeros(3, dtype=np.int64))
    for width in (np.uint16, np.int32):
        codes: NarrowCodes = np.array([[0, 1, 0]], dtype=width)
        made = refine(kernels, start, codes[0], scratch)
        columns = np.zeros(1, dtype=np.int64)
        extend(kernels, made, codes, np.full(1, 2), columns, np.zeros((1, 3), dtype=np.int64), scratch)
