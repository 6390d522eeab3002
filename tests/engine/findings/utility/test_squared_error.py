"""Squared errors of a release against a direct implementation of their sources."""

from __future__ import annotations

import math
from statistics import fmean, pstdev

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.utility.of_table import measure_utility
from engine.findings.utility.quality import QualityReport
from engine.hierarchies import Hierarchy
from tests.strategies import modest

TENS = [(str(v), f"{v // 10 * 10} to {v // 10 * 10 + 9}", "*") for v in (3, 5, 11, 18, 19, 40)]
SMALL = [(str(v), "*") for v in (-2, 0, 1)]
SIGNS = [("f", "*"), ("m", "*")]
HIERARCHIES = {
    name: Hierarchy.from_rows(rows) for name, rows in (("age", TENS), ("n", SMALL), ("sex", SIGNS))
}
NUMBERS = {"age": [3, 5, 11, 18, 19, 40], "n": [-2, 0, 1]}
Record = tuple[int, int, str]


def ends(name: str, label: str) -> tuple[int, int]:
    """Smallest and largest number a label stands for."""
    if label == "*":
        return min(NUMBERS[name]), max(NUMBERS[name])
    first = int(label.split(" to ")[0])
    covered = [v for v in NUMBERS[name] if first <= v <= first + 9] if " to " in label else [first]
    return min(covered), max(covered)


def quality(raw: list[Record], released: list[tuple[str, str, str]]) -> QualityReport:
    names = ["age", "n", "sex"]
    report = measure_utility(
        pd.DataFrame(raw, columns=names),
        pd.DataFrame(released, columns=names),
        names,
        hierarchies=HIERARCHIES,
    )
    assert report.quality is not None
    return report.quality


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[Record], list[tuple[str, str, str]]]:
    """Labels of any level, cell by cell, so that suppressed records are among them."""
    rows = st.tuples(st.sampled_from(TENS), st.sampled_from(SMALL), st.sampled_from(SIGNS))
    picked = draw(st.lists(rows, min_size=1, max_size=12))
    released = [tuple(draw(st.sampled_from(cell)) for cell in row) for row in picked]
    return [(int(a[0]), int(n[0]), s[0]) for a, n, s in picked], released  # type: ignore[return-value]


@modest
@given(releases())
def test_labels_stand_for_the_middle_of_what_they_cover(
    drawn: tuple[list[Record], list[tuple[str, str, str]]],
) -> None:
    raw, released = drawn
    found = quality(raw, released)
    assert set(found.columns["squared_error"].scales) == {"age", "n"}
    sums = [0.0, 0.0]
    for q, name in enumerate(("age", "n")):
        values = [float(record[q]) for record in raw]  # type: ignore[arg-type]
        middles = [fmean(ends(name, record[q])) for record in released]
        error = math.fsum((x - y) ** 2 for x, y in zip(values, middles, strict=True))
        total = math.fsum((x - fmean(values)) ** 2 for x in values)
        scale = found.columns["squared_error"].scales[name]
        assert scale.result == pytest.approx(error, rel=1e-9, abs=1e-12)
        assert scale.maximum == pytest.approx(total, rel=1e-9, abs=1e-12)
        sums = [sums[0] + error, sums[1] + total]
    joined = found.table["squared_error_of_records"]
    assert [joined.result, joined.maximum] == pytest.approx(sums, rel=1e-9, abs=1e-12)
    if sums[1]:
        assert joined.quality == pytest.approx(max(1 - sums[0] / sums[1], 0.0), rel=1e-9, abs=1e-12)


@modest
@given(releases())
def test_the_distance_of_records_goes_to_the_further_end_in_standard_deviations(
    drawn: tuple[list[Record], list[tuple[str, str, str]]],
) -> None:
    raw, released = drawn
    found = quality(raw, released).table["distance_of_records"]
    results, largest = [], []
    for record, labels in zip(raw, released, strict=True):
        squares, squares_of_all = 0.0, 0.0
        for q, name in enumerate(("age", "n")):
            deviation = pstdev(float(other[q]) for other in raw)  # type: ignore[arg-type]
            if deviation:
                value = float(record[q])  # type: ignore[arg-type]
                squares += (max(abs(value - end) for end in ends(name, labels[q])) / deviation) ** 2
                squares_of_all += (max(abs(value - end) for end in ends(name, "*")) / deviation) ** 2
        results.append(math.sqrt(squares))
        largest.append(math.sqrt(squares_of_all))
    assert found.result == pytest.approx(fmean(results), rel=1e-9, abs=1e-12)
    assert found.maximum == pytest.approx(fmean(largest), rel=1e-9, abs=1e-12)


def test_records_that_do_not_correspond_have_no_squared_error() -> None:
    raw: list[Record] = [(3, 0, "f"), (11, 1, "m")]
    kept = [("3", "0", "f"), ("11", "1", "m")]
    assert "squared_error" in quality(raw, kept).columns
    for released in (kept[::-1], kept[:1]):
        found = quality(raw, released)
        assert "squared_error" not in found.columns
        assert found.table.keys() == {"discernibility", "average_class_size", "ambiguity"}


def test_original_numbers_have_no_error_and_a_column_of_one_number_nothing_to_lose() -> None:
    raw: list[Record] = [(3, 0, "f"), (3, 1, "m")]
    found = quality(raw, [("3", "0", "f"), ("3", "1", "m")])
    assert found.columns["squared_error"].by_column == {"age": 1.0, "n": 1.0}
    assert found.table["distance_of_records"].quality == 1.0
