"""Classes given by the values of their records, as kernels read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from engine.kernels.distances import Pairs, Reference

Classes = Sequence[Sequence[int]]

values_of_classes = st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=12), min_size=1, max_size=6)


def arranged(classes: Classes) -> tuple[Pairs, np.ndarray, Reference]:
    """Pairs, sizes, and the table of all classes together."""
    table = Counter(value for members in classes for value in members)
    domain = sorted(table)
    pairs = [(domain.index(v), n) for members in classes for v, n in sorted(Counter(members).items())]
    values, counts = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    lengths = [len(set(members)) for members in classes]
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
    sizes = np.array([len(members) for members in classes], dtype=np.int64)
    return Pairs(values, counts, starts), sizes, Reference(np.array([table[v] for v in domain]))
