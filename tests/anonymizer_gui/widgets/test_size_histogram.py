"""Records by class size: every record in one bar, bars in a 1, 2, 5 series."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer_gui.widgets.small_chart import histogram_of


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=60))
def test_every_record_is_counted_in_the_bar_of_its_class(sizes: list[int]) -> None:
    data = histogram_of(np.array(sizes), None)
    wanted = [
        sum(size for size in sizes if low <= size < high)
        for low, high in zip(data.edges, data.edges[1:], strict=False)
    ]
    assert list(data.records) == wanted
    assert sum(data.records) == sum(sizes)


def test_the_edges_are_round_sizes() -> None:
    assert histogram_of(np.array([1]), None).edges == (1, 2, 5)
    assert histogram_of(np.array([3, 70]), 5).edges == (1, 2, 5, 10, 20, 50, 100)
