"""Count queries on releases, against looking at every record and every value behind its cells."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.findings.subject import Subject
from engine.findings.utility.local_queries import LocalQueries, drawn_queries
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.recoding import make_release
from tests.engine.findings.behind import behind, texts
from tests.engine.findings.risk.subjects import Released, letters, releases
from tests.strategies import Case, cases, few


@few
@given(releases(), st.integers(0, 3))
def test_answers_are_those_of_looking_at_every_record(released: Released, seed: int) -> None:
    subject = released.subject
    assume(not subject.why_empty)
    asked = LocalQueries(n_queries=12, least_share=0.3, seed=seed)
    found = asked.run(subject)
    axes = [subject.cells(name).axis for name in subject.quasi_identifying]
    queries = drawn_queries(axes, 12, 3, 0.3, seed)
    behind_of = [behind(released, axis.name) for axis in axes]
    texts_of = [texts(released, axis.name) for axis in axes]
    for number, query in enumerate(queries):
        chosen = {
            column: set(axes[column].values[low : high + 1])
            for column, (low, high) in zip(query.columns, query.runs, strict=True)
        }
        exact = sum(
            all(released.case.qi[column].texts[record] in values for column, values in chosen.items())
            for record in range(subject.n_records)
        )
        expected = Fraction(0)
        for record in released.kept:
            likely = Fraction(1)
            for column, values in chosen.items():
                possible = behind_of[column][texts_of[column][record]]
                likely *= Fraction(len(possible & values), len(possible))
            expected += likely
        assert found.exact[number] == exact
        assert found.estimated[number] == pytest.approx(float(expected), abs=1e-9)
        assert found.n_columns[number] == len(query.columns)


@few
@given(cases(bounded=False))
def test_original_values_answer_exactly(case: Case) -> None:
    project = case.under(Requirement((KAnonymity(1),), 1.0))
    release = make_release(project, case.problem, (0,) * len(case.qi))
    found = LocalQueries(n_queries=20).run(Subject(project, release))
    assert found.estimated.tolist() == found.exact.tolist()
    assert found.whole.share_within == 1
    assert found.whole.third_quartile == 0


def test_figures_are_those_of_the_queries() -> None:
    subject = letters(k=2, q="aaabbbcd", r="xxyyxyxy", node=(1, 0)).subject
    found = LocalQueries(n_queries=60, most_columns=2, tolerance=0.25, least_share=0.2).run(subject)
    assert [f.n_columns for f in found.by_columns] == [1, 2]
    assert [f.n_queries for f in found.by_columns] == [30, 30]
    errors = np.abs(found.estimated - found.exact) / np.maximum(found.exact, 1.6)
    assert found.errors.tolist() == pytest.approx(errors.tolist())
    for figures in (*found.by_columns, found.whole):
        own = errors[found.n_columns == figures.n_columns] if figures.n_columns else errors
        assert figures.share_within == pytest.approx(np.mean(own <= 0.25))
        assert figures.median == pytest.approx(np.median(own))
    summary, queries = found.tables()
    assert [row[0] for row in summary.rows] == ["all", 1, 2]
    assert len(queries.rows) == 60


def test_the_same_seed_asks_the_same_and_another_does_not() -> None:
    subject = letters(q="aabbccdd", r="xyxyxyxy").subject
    once, again = (LocalQueries(n_queries=30, seed=3).run(subject) for _ in range(2))
    assert once.exact.tolist() == again.exact.tolist()
    assert once.exact.tolist() != LocalQueries(n_queries=30, seed=4).run(subject).exact.tolist()


def test_queries_select_at_least_their_share_of_each_column_and_no_missing_value() -> None:
    subject = letters(q="aabbccddee").subject
    axis = subject.cells("q").axis
    for query in drawn_queries([axis], 50, 3, 0.3, 1):
        ((low, high),) = query.runs
        assert axis.counts[low : high + 1].sum() >= 3
    case = letters(q="ab").case
    with_missing = Case((type(case.qi[0])("q", ("a", "b", "", "")),))
    project = with_missing.under(Requirement((KAnonymity(1),), 1.0))
    other = Subject(project, make_release(project, with_missing.problem, (0,))).cells("q").axis
    assert other.missing is not None
    assert all(query.runs[0][1] != other.missing for query in drawn_queries([other], 50, 1, 0.5, 1))


def test_nothing_kept_is_refused_in_words() -> None:
    with pytest.raises(InputError, match="Every record of this release is suppressed"):
        LocalQueries().run(letters(k=3, q="ab").subject)
