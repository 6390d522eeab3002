"""Summary statistics before and after, against pandas and against counting with fractions."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given

from engine.findings.subject import Subject
from engine.findings.utility.statistics import ColumnCompared, Scale, SideStatistics, Statistics
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy, Project
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.recoding import make_release
from engine.records import DataType, Kind, Role, Table
from engine.records.options import ReadOptions
from engine.records.values import make_column
from tests.engine.findings.behind import spread, texts
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.strategies import MISSING, modest


def near(number: float | None) -> Any:
    return None if number is None else pytest.approx(number, rel=1e-9, abs=1e-9)


def by_pandas(numbers: list[float]) -> dict[str, Any]:
    """What pandas says of numbers; figures that do not exist are None."""
    series = pd.Series(numbers, dtype="float64")
    kurtosis = series.kurt() if series.nunique() > 1 else math.nan
    return {
        "median": near(series.median()),
        "minimum": series.min(),
        "maximum": series.max(),
        "mean": near(series.mean()),
        "variance": near(series.var(ddof=0)),
        "sample_variance": near(series.var()) if len(series) > 1 else None,
        "deviation": near(series.std(ddof=0)),
        "range": near(series.max() - series.min()),
        "kurtosis": None if math.isnan(kurtosis) else near(kurtosis),
        "geometric_mean": near(statistics.geometric_mean(numbers)) if min(numbers) > 0 else None,
    }


def figures(found: SideStatistics, names: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in names}


@modest
@given(releases())
def test_the_input_has_the_statistics_of_pandas(released: Released) -> None:
    assume(not released.subject.why_empty)
    found = Statistics().run(released.subject)
    for attribute in (*released.case.qi, *released.case.sensitive):
        column, values = found.column(attribute.name), [text for text in attribute.texts if text != MISSING]
        assert column.before.n_records == len(values)
        assert column.before.n_missing == len(attribute.texts) - len(values)
        assert column.before.n_distinct == len(set(values))
        if values:
            assert (
                column.before.n_mode
                == max(map(values.count, values))
                == values.count(column.before.mode or "")
            )
        if attribute.kind is Kind.INTEGER and values:
            expected = by_pandas([float(value) for value in values])
            assert figures(column.before, expected) == expected


@modest
@given(releases())
def test_a_release_has_the_statistics_of_values_spread_evenly(released: Released) -> None:
    assume(not released.subject.why_empty)
    found = Statistics().run(released.subject)
    for attribute in released.case.qi:
        after = found.column(attribute.name).after
        cells, shares = texts(released, attribute.name), spread(released, attribute.name)
        told = spread(released, attribute.name, hidden=False)
        n_missing = float(shares.pop(MISSING, 0))
        present = [text for text in cells.values() if text != MISSING or not n_missing]
        assert (after.n_records, after.n_missing) == (len(cells) - n_missing, n_missing)
        if not after.n_records:
            assert after.mode is None
            continue
        assert after.n_distinct == len(set(present))
        assert after.n_mode == max(map(present.count, present))
        assert after.n_mode == present.count(after.mode or "")
        if attribute.kind is not Kind.INTEGER or attribute.name in released.subject.release.aggregates:
            continue
        told.pop(MISSING, None)
        assert after.n_hidden == pytest.approx(float(sum(shares.values()) - sum(told.values())))
        if not told:
            assert after.mean is None
            continue
        numbers = np.array([float(value) for value in told])
        weights = np.array([float(share) for share in told.values()])
        mean = np.average(numbers, weights=weights)
        assert after.mean == near(mean)
        assert after.variance == near(np.average((numbers - mean) ** 2, weights=weights))
        assert (after.minimum, after.maximum) == (numbers.min(), numbers.max())
        below, above = weights[numbers < after.median].sum(), weights[numbers > after.median].sum()
        assert max(below, above) <= weights.sum() / 2 + 1e-9


def compared(
    values: list[str],
    kind: DataType,
    rows: list[tuple[str, ...]] | None = None,
    level: int = 0,
    role: Role = Role.QUASI_IDENTIFYING,
) -> ColumnCompared:
    """One column of a release in which another is quasi-identifying too."""
    distinct = sorted(set(values))
    codes = np.array([distinct.index(value) for value in values], dtype=np.int32)
    one = make_column("one", ["x"], np.zeros(len(values), dtype=np.int32), DataType())
    entry = {"x": AttributeHierarchy(Hierarchy.from_rows(rows))} if rows else {}
    names = ("one", "x") if role is Role.QUASI_IDENTIFYING else ("one",)
    project = Project(
        "columns",
        None,
        ReadOptions(delimiter=",", encoding="utf-8", decimal=".", header=True),
        Table((one, make_column("x", distinct, codes, kind, MISSING))),
        frozen({"one": Role.QUASI_IDENTIFYING, "x": role}),
        names,
        hierarchies=frozen(entry),
        requirement=Requirement((KAnonymity(1),), 1.0),
    )
    node = (0, level)[: len(names)]
    release = make_release(project, compile_problem(project), node)
    return Statistics().run(Subject(project, release)).column("x")


def test_days_have_a_middle_and_a_spread_in_days() -> None:
    days = ["01/02/2020", "03/02/2020", "05/02/2020"]
    found = compared(days, DataType(Kind.DATE, "%d/%m/%Y"))
    assert (found.scale, found.unit) == (Scale.INTERVAL, "days")
    assert found.before == found.after
    assert (found.before.median, found.before.mean) == ("03/02/2020", "03/02/2020")
    assert (found.before.minimum, found.before.maximum) == ("01/02/2020", "05/02/2020")
    assert found.before.variance == near(8 / 3)
    assert found.before.range == 4
    assert found.before.geometric_mean is None


def test_ordered_categories_have_a_middle_but_no_mean() -> None:
    kind = DataType(Kind.ORDERED, "", ("low", "middle", "high"))
    found = compared(["low", "high", "middle", "middle"], kind)
    assert found.scale is Scale.ORDINAL
    assert (found.before.median, found.before.minimum, found.before.maximum) == ("middle", "low", "high")
    assert found.before.mean is None
    rows = [(value, "*") for value in kind.values]
    hidden = compared(["low", "low"], kind, rows, 1)
    assert (hidden.after.mode, hidden.after.n_hidden, hidden.after.median) == ("*", 2, None)


def test_texts_have_a_most_frequent_value_alone() -> None:
    found = compared(["b", "a", "b"], DataType())
    assert found.scale is Scale.NOMINAL
    assert found.before == SideStatistics(3, 0, 2, "b", 2)


def test_equal_numbers_are_one_value_however_they_are_written() -> None:
    found = compared(["1", "1.0", "2"], DataType(Kind.DECIMAL), role=Role.INSENSITIVE)
    assert found.before.n_distinct == 2
    assert (found.before.n_mode, found.after) == (2, found.before)


def test_bands_are_estimated_and_original_values_are_not() -> None:
    rows = [(str(n), f"{n // 10}0s") for n in (20, 22, 24, 30)]
    found = compared(["20", "20", "30"], DataType(Kind.INTEGER), rows, 1)
    assert found.after.is_estimated
    assert not found.before.is_estimated
    assert found.after.mean == near((22 + 22 + 30) / 3)
    assert found.after.median == 24
    assert (found.after.mode, found.after.n_distinct) == ("20s", 2)


def test_numbers_whose_squares_have_no_place_have_no_variance() -> None:
    found = compared(["1" + "0" * 199, "2"], DataType(Kind.INTEGER))
    assert found.before.variance is None
    assert found.before.mean == near(5e198)
    assert found.before.kurtosis is None


def test_columns_without_a_value_and_identifying_ones_say_so() -> None:
    empty = compared([MISSING, MISSING], DataType(Kind.INTEGER), role=Role.INSENSITIVE)
    assert empty.before == SideStatistics(0, 2, 0, None, 0)
    name = compared(["Ann", "Bob"], DataType(), role=Role.IDENTIFYING)
    assert name.after is None
    assert "'x' is identifying" in name.why_not
    assert name.before.n_distinct == 2


def test_suppressed_records_are_left_out_after() -> None:
    found = Statistics().run(letters(k=2, q="aab", s="xyz").subject)
    after = found.column("s").after
    assert (found.n_suppressed, after.n_records, found.column("s").before.n_records) == (1, 2, 3)
    (table,) = found.tables()
    assert [row[:4] for row in table.rows][:2] == [
        ("q", "nominal", "before", 3),
        ("q", "nominal", "after", 2),
    ]
