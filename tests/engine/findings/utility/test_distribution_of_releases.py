"""Distributions before and after, against counting cell by cell."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

from engine.errors import InputError
from engine.findings.subject import Subject
from engine.findings.utility.distribution import Distribution
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.project.subset import Subset
from engine.recoding import Transformation, make_release
from engine.recoding.aggregation.functions import Mean
from engine.records import Kind
from tests.engine.findings.behind import behind, spread, texts
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.strategies import Attributes, Case, modest

ROWS = tuple((str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*") for age in range(20, 40))


@modest
@given(releases())
def test_both_sides_are_those_of_counting_cell_by_cell(subject: Released) -> None:
    assume(not subject.subject.why_empty)
    for attribute in subject.case.qi:
        found = Distribution(attribute.name).run(subject.subject)
        before = Counter(attribute.texts)
        assert dict(zip(found.values, found.counts.tolist(), strict=True)) == {
            value: before[value] for value in found.values
        }
        after, values = Counter(texts(subject, attribute.name).values()), behind(subject, attribute.name)
        assert {band.label: band.n_records for band in found.bands} == after
        assert {band.label: band.n_leaves for band in found.bands} == {t: len(values[t]) for t in after}
        expected = spread(subject, attribute.name)
        assert found.spread.tolist() == pytest.approx(
            [float(expected.get(value, 0)) for value in found.values], abs=1e-9
        )
        assert found.is_estimated == any(len(values[text]) > 1 for text in after)
        if attribute.kind is Kind.INTEGER and not subject.subject.release.aggregates:
            for band in found.bands:
                numbers = [float(value) for value in values[band.label] if value]
                assert (band.low, band.high) == (min(numbers, default=None), max(numbers, default=None))


@modest
@given(releases())
def test_with_suppressed_records_all_are_counted(subject: Released) -> None:
    assume(not subject.subject.why_empty)
    for name in subject.subject.comparable:
        found = Distribution(name, with_suppressed=True).run(subject.subject)
        assert sum(band.n_records for band in found.bands) == found.n_records
        assert found.spread.sum() == pytest.approx(found.n_records)


def ages(*values: int, k: int = 1, level: int = 1, **transformation: object) -> Subject:
    """Ages in bands of ten, and a sensitive column with the same texts."""
    texts_ = tuple(map(str, values))
    case = Case((Attributes("age", texts_, Kind.INTEGER, ROWS),), (Attributes("s", texts_),))
    subject = letters(k=k, q="a").subject
    project = replace(
        case.under(subject.project.requirement),
        transformation=Transformation(**transformation),  # type: ignore[arg-type]
    )
    return Subject(project, make_release(project, compile_problem(project), (level,)))


def test_bands_of_numbers_lie_where_their_numbers_are() -> None:
    found = Distribution("age").run(ages(21, 22, 35))
    assert found.is_numeric
    assert found.unit == ""
    assert found.step == 1
    assert [(b.label, b.low, b.high, b.first_leaf, b.last_leaf, b.n_records) for b in found.bands] == [
        ("20-29", 20, 29, 0, 9, 2),
        ("30-39", 30, 39, 10, 19, 1),
    ]
    assert found.spread[:10].tolist() == pytest.approx([0.2] * 10)
    assert found.counts.sum() == 3
    assert [band.is_hidden for band in Distribution("age").run(ages(21, 35, level=2)).bands] == [True]


def test_suppressed_records_are_one_more_cell_that_says_nothing() -> None:
    subject = ages(21, 22, 35, k=2)
    without = Distribution("age").run(subject)
    assert [(b.label, b.n_records) for b in without.bands] == [("20-29", 2)]
    found = Distribution("age", with_suppressed=True).run(subject)
    assert [(b.label, b.low, b.high, b.n_records, b.is_hidden) for b in found.bands] == [
        ("20-29", 20, 29, 2, False),
        ("*", 20, 39, 1, True),
    ]
    assert found.spread.tolist() == pytest.approx([2 / 10 + 1 / 20] * 10 + [1 / 20] * 10)
    hidden = Distribution("age", with_suppressed=True).run(ages(21, 22, 35, k=2, level=2))
    assert [(b.label, b.n_records) for b in hidden.bands] == [("*", 3)]


def test_suppressed_records_keep_values_that_are_written_and_lose_those_that_are_not() -> None:
    kept = ages(21, 22, 35, k=2, suppressed_group="ignore")
    written = Distribution("s", with_suppressed=True).run(kept)
    assert [(b.label, b.n_records) for b in written.bands] == [("21", 1), ("22", 1), ("35", 1)]
    for hiding in ({}, {"blank_suppressed": True}, {"suppressed_records": "remove"}):
        found = Distribution("s", with_suppressed=True).run(ages(21, 22, 35, k=2, **hiding))
        assert [(b.label, b.n_records) for b in found.bands] == [("21", 1), ("22", 1), ("*", 1)]


def test_an_aggregate_stands_where_it_says() -> None:
    subject = ages(21, 22, 36)
    project = replace(subject.project, microaggregation=frozen({"age": Mean(grouping=True)}))
    released_ = Subject(project, make_release(project, compile_problem(project), (1,)))
    found = Distribution("age").run(released_)
    assert [(b.label, b.low, b.high, b.n_leaves) for b in found.bands] == [
        ("21.5", 21.5, 21.5, 1),
        ("36", 36.0, 36.0, 1),
    ]
    assert found.values[found.bands[0].first_leaf] == "21"
    assert not found.is_estimated


def test_tables_of_figures_are_the_findings() -> None:
    found = Distribution("age").run(ages(21, 22, 35))
    values, bands = found.tables()
    assert list(values.rows)[1] == ("21", 1, pytest.approx(0.2))
    assert values.rows[1] == list(values.rows)[1]
    assert len(values.rows) == 20
    assert list(bands.rows) == [("20-29", 10, 2), ("30-39", 10, 1)]
    assert [band.label for band in found.bands[:1]] == ["20-29"]


def test_the_first_quasi_identifier_is_looked_at_where_none_is_named() -> None:
    assert Distribution().run(ages(21)).column == "age"


def test_nothing_kept_and_unknown_columns_are_refused_in_words() -> None:
    subject = letters(k=3, q="ab").subject
    with pytest.raises(InputError, match="Every record of this release is suppressed"):
        Distribution().run(subject)
    with pytest.raises(InputError, match="no column 'ages'"):
        Distribution("ages").run(ages(21))


def test_a_subset_is_the_input() -> None:
    subject = ages(21, 22, 35)
    project = replace(subject.project, subset=Subset(filter="age < 30"))
    part = Subject(project, make_release(project, compile_problem(project), (0,)))
    found = Distribution("age").run(part)
    assert found.n_records == 2
    assert found.counts.sum() == 2
    assert [band.label for band in found.bands] == ["21", "22"]
    assert np.count_nonzero(found.spread) == 2
