"""Contingency tables and associations of releases, against counting with fractions and scipy."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency  # type: ignore[import-untyped]

from engine.errors import InputError
from engine.findings.common_labels import MOST_LABELS, N_BINS, OTHER, common_labels
from engine.findings.subject import Subject
from engine.findings.utility.associations import Associations, cramers_v
from engine.findings.utility.contingency import Contingency, ContingencyFound
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.recoding import Recoding, make_local_release, make_release, rooted
from engine.records import Kind
from tests.engine.findings.behind import behind, texts
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.strategies import MISSING, Attributes, Case, modest

Cells = dict[tuple[str, str], float]


def counted(found: ContingencyFound, side: str) -> Cells:
    table = getattr(found, side)
    return {
        (found.row_labels[i], found.column_labels[j]): table[i, j] for i, j in np.argwhere(table > 0).tolist()
    }


@modest
@given(releases(max_sensitive=1))
def test_a_release_in_the_values_of_the_input_is_spread_over_them(released: Released) -> None:
    names = [attribute.name for attribute in released.case.qi]
    assume(not released.subject.why_empty and len(names) > 1)
    row, column = names[:2]
    found = Contingency(row, column, at="input").run(released.subject)
    first, second = behind(released, row), behind(released, column)
    expected: dict[tuple[str, str], Fraction] = {}
    for one, other in zip(texts(released, row).values(), texts(released, column).values(), strict=True):
        for x in first[one]:
            for y in second[other]:
                share = Fraction(1, len(first[one]) * len(second[other]))
                expected[x, y] = expected.get((x, y), Fraction(0)) + share
    assert counted(found, "after") == pytest.approx({pair: float(n) for pair, n in expected.items()})
    before = Counter(zip(released.case.qi[0].texts, released.case.qi[1].texts, strict=True))
    assert counted(found, "before") == before


@modest
@given(releases())
def test_a_node_in_its_own_labels_is_counted_and_not_estimated(released: Released) -> None:
    subject, release = released.subject, released.subject.release
    names = [attribute.name for attribute in released.case.qi]
    assume(not subject.why_empty and len(names) > 1 and release.recoding is None and not release.aggregates)
    found = Contingency(*names[:2]).run(subject)
    after = Counter(zip(texts(released, names[0]).values(), texts(released, names[1]).values(), strict=True))
    assert counted(found, "after") == after
    assert found.before.sum() == subject.n_records
    assert found.difference.sum() == pytest.approx(0, abs=1e-9)


@modest
@given(releases())
def test_every_kept_record_is_somewhere_whatever_is_released(released: Released) -> None:
    assume(not released.subject.why_empty and len(released.subject.comparable) > 1)
    found = Contingency().run(released.subject)
    assert found.n_before == released.subject.n_records
    assert found.n_after == pytest.approx(released.subject.kept.sum())
    assert (found.after >= 0).all()
    assert len(found.row_labels) == found.after.shape[0]


@modest
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=60))
def test_cramers_v_is_bergsmas_correction_of_chi_squared(pairs: list[tuple[int, int]]) -> None:
    table = pd.crosstab([a for a, _ in pairs], [b for _, b in pairs]).to_numpy()
    rows, columns = table.shape
    n = len(pairs)
    found = cramers_v(table)
    if min(rows, columns) < 2:
        assert found is None
        return
    phi2 = chi2_contingency(table, correction=False).statistic / n
    phi2 = max(0.0, phi2 - (rows - 1) * (columns - 1) / (n - 1))
    smaller = min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
    if smaller <= 0:
        assert found is None
    else:
        assert found == pytest.approx(min(1.0, math.sqrt(phi2 / smaller)), abs=1e-7)


def test_columns_that_tell_each_other_go_together_and_independent_ones_do_not() -> None:
    assert cramers_v(np.array([[10, 0], [0, 10]])) == pytest.approx(1)
    assert cramers_v(np.array([[10, 10], [10, 10]])) == 0
    assert cramers_v(np.array([[10, 0, 0], [0, 0, 10]])) == pytest.approx(1)
    assert cramers_v(np.array([[10, 20]])) is None


def numbers(k: int = 1, node: tuple[int, int] = (0, 0)) -> Subject:
    """Ages and wages that rise together, in bands of ten."""
    ages, wages = ("20", "24", "31", "35"), ("1", "2", "11", "14")
    qi = tuple(
        Attributes(
            name,
            values,
            Kind.INTEGER,
            tuple((v, f"{int(v) // 10}0s", "*") for v in map(str, range(low, low + 20))),
        )
        for name, values, low in (("age", ages, 20), ("wage", wages, 0))
    )
    case = Case(qi, (Attributes("s", tuple("abab")),))
    project = case.under(Requirement((KAnonymity(k),), 1.0))
    return Subject(project, make_release(project, case.problem, node))


def test_correlation_is_pearsons_and_in_bands_that_of_values_spread_evenly() -> None:
    found = Contingency("age", "wage").run(numbers())
    expected = np.corrcoef([20, 24, 31, 35], [1, 2, 11, 14])[0, 1]
    assert found.correlation_before == pytest.approx(expected)
    assert found.correlation_after == pytest.approx(expected)
    banded = Contingency("age", "wage").run(numbers(node=(1, 1)))
    assert banded.correlation_before == pytest.approx(expected)
    # Two bands of ten: variance 25 between them and 8.25 within.
    assert banded.correlation_after == pytest.approx(25 / (25 + 8.25))
    hidden = Contingency("age", "wage").run(numbers(node=(2, 2)))
    assert hidden.correlation_after is None
    assert Contingency("age", "s").run(numbers()).correlation_before is None


def test_associations_are_those_of_single_pairs() -> None:
    subject = numbers(node=(1, 0))
    found = Associations().run(subject)
    assert found.columns == ("age", "wage", "s")
    assert [(p.first, p.second, p.measure) for p in found.pairs] == [
        ("age", "wage", "correlation"),
        ("age", "s", "cramers_v"),
        ("wage", "s", "cramers_v"),
    ]
    for pair in found.pairs:
        before = Contingency(pair.first, pair.second, at="input").run(subject)
        after = Contingency(pair.first, pair.second).run(subject)
        assert (pair.cramers_v_before, pair.cramers_v_after) == (
            before.cramers_v_before,
            after.cramers_v_after,
        )
        if pair.measure == "correlation":
            assert (pair.before, pair.after) == (after.correlation_before, after.correlation_after)
    assert found.pair("wage", "age") is found.pairs[0]
    hidden = Associations().run(numbers(node=(2, 0))).pair("age", "s")
    assert (hidden.cramers_v_after, hidden.after) == (None, None)


def test_levels_that_differ_are_told_by_the_one_that_most_cells_have() -> None:
    subject = numbers()
    problem = rooted(subject.release.problem)

    def labels_of(levels: list[int]) -> tuple[tuple[str, ...], list[int]]:
        both = np.array([levels, [0] * 4], dtype=np.int16).T
        recoding = Recoding(both, np.zeros(4, dtype=np.bool_))
        found = common_labels(
            Subject(subject.project, make_local_release(subject.project, problem, recoding)), "age"
        )
        return found.labels, found.of_cell.tolist()

    bands = ("20s", "30s")
    assert labels_of([1, 1, 1, 0]) == (bands, [0, 1, 1])
    assert labels_of([2, 2, 2, 1]) == (bands, [-1, 1])
    assert labels_of([2, 2, 2, 2]) == (("*",), [0])
    assert labels_of([0, 0, 0, 2])[0][:2] == ("20", "21")


def many(kind: Kind, n: int = MOST_LABELS + 200) -> Subject:
    texts_ = tuple(str(i).zfill(4) if kind is Kind.TEXT else str(i) for i in range(n))
    case = Case(
        (Attributes("q", ("a",) * (n + 3)),),
        (Attributes("x", (*texts_, texts_[9], texts_[9], MISSING), kind),),
    )
    project = case.under(Requirement((KAnonymity(1),), 1.0))
    return Subject(project, make_release(project, case.problem, (0,)))


def test_labels_beyond_the_largest_table_are_joined_and_said() -> None:
    found = Contingency("x", "q").run(many(Kind.TEXT))
    assert len(found.row_labels) == MOST_LABELS
    assert found.row_labels[-1] == OTHER
    assert "0009" in found.row_labels
    assert f"The 202 rarest of {MOST_LABELS + 201} labels of x are combined" in found.row_note
    assert found.column_note == ""
    assert found.n_after == found.n_before == MOST_LABELS + 203


def test_many_numbers_stand_in_bins_and_missing_ones_apart() -> None:
    subject = many(Kind.INTEGER)
    found = Contingency("x", "q").run(subject)
    assert len(found.row_labels) == N_BINS + 1
    assert found.row_labels[:2] == ("0 to 13", "14 to 27")
    assert found.row_labels[-1] == MISSING
    assert found.before[0, 0] == 16
    assert f"in {N_BINS} bins of equal width" in found.row_note
    labels = common_labels(subject, "x")
    assert labels.of_row.max() == N_BINS


def test_wrong_pairs_are_refused_in_words() -> None:
    subject = numbers()
    with pytest.raises(InputError, match="'age' is chosen twice"):
        Contingency("age", "age").run(subject)
    with pytest.raises(InputError, match="no column 'wages'"):
        Contingency("age", "wages").run(subject)
    with pytest.raises(InputError, match="Every record of this release is suppressed"):
        Contingency("age", "wage").run(numbers(k=5))
    with pytest.raises(
        InputError, match="The release has values of only one column, so there are no associations"
    ):
        Associations().run(letters(q="ab").subject)


def test_figures_of_pairs_are_told_as_tables() -> None:
    found = Contingency("age", "wage").run(numbers(node=(1, 1)))
    cells, association = found.tables()
    assert list(cells.rows) == [("20s", "00s", 2.0, 2.0, 0.0), ("30s", "10s", 2.0, 2.0, 0.0)]
    assert association.rows[0] == ("Cramer's V", found.cramers_v_before, found.cramers_v_after)
    (table,) = Associations().run(numbers()).tables()
    assert table.rows[0][:3] == ("age", "wage", "correlation")


def test_suppressed_records_are_not_in_the_figures_after() -> None:
    subject = letters(k=2, q="aab", r="xxy").subject
    found = Contingency("q", "r").run(subject)
    assert (found.n_before, found.n_after) == (3, 2)
    assert counted(found, "after") == {("a", "x"): 2}
    without = replace(subject.release, columns=subject.release.columns[:1])
    with pytest.raises(InputError, match="has no column 'r'"):
        Contingency("q", "r").run(Subject(subject.project, without))
