"""Weighted estimates: repeated records, and a recount of a release by its cells."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.subject import Subject
from engine.findings.utility.survey_estimates import SurveyEstimates
from engine.kernels.survey import weighted_mean, weighted_quantile, weighted_shares
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project.compile import compile_problem
from engine.recoding import make_release
from engine.records import Kind
from tests.contracts.populated import weighted
from tests.strategies import Attributes, Case, column_of, modest


@modest
@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 6)), min_size=1, max_size=12),
    st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0]),
)
def test_a_whole_weight_is_as_many_records(rows: list[tuple[int, int]], share: float) -> None:
    numbers, weights = (np.array(side, dtype=np.float64) for side in zip(*rows, strict=True))
    repeated = sorted(number for number, weight in rows for _ in range(weight))
    assert weighted_mean(numbers, weights) == pytest.approx(np.mean(repeated))
    least = next(x for x in repeated if sum(y <= x for y in repeated) >= share * len(repeated) - 1e-9)
    assert weighted_quantile(numbers, weights, share) == least
    codes = (numbers + 5).astype(np.int64)
    found = weighted_shares(codes, weights, 11)
    assert found.tolist() == pytest.approx([repeated.count(v - 5) / len(repeated) for v in range(11)])


def released(node: tuple[int, ...], k: int = 1) -> Subject:
    tens = tuple((str(age), f"{age // 10}0s", "*") for age in (20, 24, 30, 38))
    ages = Attributes("age", ("20", "24", "24", "30", "38"), Kind.INTEGER, tens)
    project = weighted(Case((ages,), (Attributes("ill", tuple("aabbb")),)).project, random.Random(0))
    column = column_of(Attributes("weight", ("1", "2", "3", "4", "10"), Kind.DECIMAL))
    project = replace(
        project,
        table=project.table.replace_column(column),
        requirement=Requirement((KAnonymity(k),), 1.0),
    )
    return Subject(project, make_release(project, compile_problem(project), node))


def test_values_before_are_weighted_and_bands_count_as_each_of_their_values() -> None:
    age, ill = SurveyEstimates().run(released((1,))).columns
    assert age.before == (pytest.approx((20 + 2 * 24 + 3 * 24 + 4 * 30 + 10 * 38) / 20), 24, 30, 38)
    assert age.after[0] == pytest.approx((6 * 22 + 14 * 34) / 20)
    assert {value: (before, after) for value, before, after in ill.shares} == {
        "b": (pytest.approx(17 / 20), pytest.approx(17 / 20)),
        "a": (pytest.approx(3 / 20), pytest.approx(3 / 20)),
    }
    assert ill.before is None
    assert age.largest_change == pytest.approx(max(abs(0.05 - 0.15), abs(0.25 - 0.15), 0.15, 0.15))


def test_suppressed_records_and_hidden_cells_are_excluded() -> None:
    age, ill = SurveyEstimates().run(released((0,), k=2)).columns
    assert age.after == (24, 24, 24, 24)
    assert [entry[2] for entry in ill.shares] == [pytest.approx(3 / 5), pytest.approx(2 / 5)]
    hidden = SurveyEstimates().run(released((2,))).columns[0]
    assert hidden.after is None
    assert hidden.largest_change == 0


def test_without_weights_there_is_a_reason() -> None:
    subject = released((1,))
    plain = Subject(replace(subject.project, weight=None), subject.release)
    assert "No column has survey weights" in SurveyEstimates().why_not(plain)
