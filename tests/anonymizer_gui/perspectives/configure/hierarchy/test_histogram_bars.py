"""Bars of the records per value, and the ticks of their axes."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer_gui.charts.axes import date_ticks
from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import (
    IcicleAxis,
    WidthMeaning,
    axis_of,
    bars_of,
)
from anonymizer_gui.perspectives.configure.hierarchy.icicle.histogram import (
    count_scale,
    number_ticks,
    records_scale,
)
from anonymizer_gui.perspectives.configure.hierarchy.icicle.marks import running_sum
from engine.hierarchies import Hierarchy
from engine.hierarchies.outline import outline
from engine.records import DataType, Kind
from engine.records.values import make_column


def axis_of_numbers(numbers: list[int]) -> IcicleAxis:
    texts = [str(number) for number in numbers]
    column = make_column("n", texts, np.arange(len(texts), dtype=np.int32), DataType(Kind.INTEGER))
    return axis_of(outline(Hierarchy.from_rows([[text, "*"] for text in texts]), column), WidthMeaning.VALUE)


@given(st.sets(st.integers(0, 3000), min_size=2, max_size=60), st.floats(20, 300))
def test_every_record_is_in_exactly_one_bar(numbers: set[int], width: float) -> None:
    axis = axis_of_numbers(sorted(numbers))
    records = np.arange(1, len(numbers) + 1)
    bars = bars_of(axis, 50, width, 0, 1)
    sums = bars.sums(running_sum(records))
    assert sums.sum() == records.sum()
    assert bars.firsts[0] == 0
    assert bars.lasts[-1] == len(numbers)
    assert (bars.firsts[1:] == bars.lasts[:-1]).all()
    assert (bars.rights - bars.lefts >= 1 - 1e-9).all()
    assert bars.is_shared == (len(numbers) > width / 3)


def test_only_bars_in_view_are_made() -> None:
    bars = bars_of(axis_of_numbers(list(range(100))), 0, 400, 0.25, 0.5)
    assert bars.firsts.tolist() == list(range(25, 50))
    assert bars.lefts[0] == pytest.approx(0.5)
    assert bars.rights[-1] == pytest.approx(399.5)


def test_a_hundred_thousand_values_share_a_bar_per_three_pixels() -> None:
    edges = np.linspace(0, 1, 100_001)
    axis = IcicleAxis(edges, edges[:-1], edges[1:], (edges[:-1] + edges[1:]) / 2)
    bars = bars_of(axis, 0, 900, 0, 1)
    assert len(bars.lefts) == 300
    sums = bars.sums(running_sum(np.ones(100_000, dtype=np.int64)))
    assert sums.sum() == 100_000
    assert int(sums.max()) - int(sums.min()) <= 2
    found = bars.places_at(450.0)
    assert found[1] - found[0] in (333, 334)


@pytest.mark.parametrize(
    ("most", "steps", "scale"),
    [
        (898, 3, (0, 300, 600, 900)),
        (898, 1, (0, 1000)),
        (1, 4, (0, 1)),
        (0, 4, (0, 1)),
        (7, 4, (0, 2, 4, 6, 8)),
        (30_162, 4, (0, 8000, 16_000, 24_000, 32_000)),
    ],
)
def test_counts_are_marked_at_round_numbers_from_zero(most: int, steps: int, scale: tuple[int, ...]) -> None:
    assert count_scale(most, steps) == scale


def test_numbers_are_marked_at_round_places_within_the_ends() -> None:
    assert [text for _, text in number_ticks(16.5, 90.5, 10)] == [
        "20",
        "30",
        "40",
        "50",
        "60",
        "70",
        "80",
        "90",
    ]
    assert [text for _, text in number_ticks(-0.3, 0.3, 4)] == ["−0.2", "0.0", "0.2"]
    assert [text for _, text in number_ticks(0, 50_000, 5)] == (
        ["0", "10\u202f000", "20\u202f000", "30\u202f000", "40\u202f000", "50\u202f000"]
    )
    assert number_ticks(5, 5, 3) == []
    assert [text for _, text in number_ticks(0.5, 3.5, 10, are_whole=True)] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (date(2024, 2, 27), date(2024, 3, 2), 5),
        (date(2023, 11, 1), date(2024, 3, 1), 5),
        (date(1950, 6, 1), date(2001, 1, 1), 6),
    ],
)
def test_dates_are_marked_by_days_months_or_years(low: date, high: date, texts: int) -> None:
    ticks = date_ticks(low.toordinal(), high.toordinal(), texts)
    assert 2 <= len(ticks) <= texts
    expected = {5: ("2024-02-27", "2023-11"), 6: ("1960",)}[texts]
    assert ticks[0][1] in expected
    assert all(low.toordinal() <= ordinal <= high.toordinal() for ordinal, _ in ticks)


def test_dates_outside_the_calendar_are_not_marked() -> None:
    assert date_ticks(-800_000, -700_000, 5) == []


@pytest.mark.parametrize(("largest", "is_root"), [(500, False), (510, True)])
def test_a_bar_of_more_than_fifty_medians_has_a_root_scale(largest: int, is_root: bool) -> None:
    sums = np.array([10, 0, 9, 11, 10, largest])
    geometry = SimpleNamespace(
        frame=SimpleNamespace(bars_bottom=160.0, bars_top=0.0),
        bars=SimpleNamespace(sums=lambda _running: sums, firsts=np.arange(6)),
        outline=SimpleNamespace(closed=np.zeros(6)),
    )
    scale = records_scale(geometry, sums)  # type: ignore[arg-type]  # only what it reads
    assert (scale.is_root, scale.counts[-1] >= largest) == (is_root, True)
    assert scale.shares(scale.counts[-1] / 4) == pytest.approx(0.5 if is_root else 0.25)
