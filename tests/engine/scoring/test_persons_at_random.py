"""Persons with several records on random tables, against values by hand and for single records."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.frequency import Measure, Persons, Problem
from engine.frequency.classes import (
    BASIC_GAIN,
    DISCLOSURE,
    DISTINCT,
    ENTROPY,
    EQUAL,
    LARGEST_SHARE,
    TAIL_RATIO,
)
from engine.frequency.persons import Holders, sums
from engine.kernels.distances import Pairs, Reference, equal_distances, ordered_distances
from engine.privacy import Requirement, privacy_models
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.requirement import LIMITED
from engine.privacy.table_wide import TableWideModel
from engine.recoding import make_release
from engine.records.values import make_column
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.lookups.table_wide_nodes import KeptPersons
from engine.scoring.nodes.class_table import AFTER_OTHERS, NOT_MISSED
from engine.scoring.nodes.inspection import NodeReport, inspect_node
from engine.scoring.nodes.suppression_causes import suppression_causes
from engine.utility import utility_metrics
from tests import persons_by_hand as by_hand
from tests.strategies import Case, cases, modest, nodes, requirements

CLOSE = {"rel": 1e-9, "abs": 1e-12}


def rows_of(case: Case, node: tuple[int, ...]) -> list[by_hand.Row]:
    """Class, person and first sensitive value of every record, by the lines of the hierarchies."""
    found = []
    for record in range(case.n_records):
        labels = []
        for attribute, level in zip(case.qi, node, strict=True):
            lines = {line[0]: line for line in attribute.rows}
            text = attribute.texts[record]
            top = {line[-1] for line in attribute.rows}
            if text in lines:
                labels.append(lines[text][level])
            elif level == attribute.height and len(top) == 1 and attribute.height:
                labels.append(top.pop())
            else:
                labels.append(f"missing {text}")
        value = case.sensitive[0].texts[record] if case.sensitive else ""
        found.append((tuple(labels), case.persons[record], value))
    return found


@modest
@given(data=st.data())
def test_classes_of_persons_are_measured_as_by_hand(data: st.DataObject) -> None:
    case = data.draw(cases(persons=True, min_sensitive=1, max_sensitive=1))
    node = data.draw(nodes(case))
    whole = rows_of(case, node)
    release = make_release(case.project, case.problem, node, Requirement((), 1.0))
    table = inspect_node(LatticeProfile(case.problem), node, Requirement((), 1.0)).table
    name = case.sensitive[0].name
    classes = by_hand.by_class(whole)
    for key, own in classes.items():
        record = next(i for i, row in enumerate(whole) if row[0] == key)
        numbers = [n for n in range(table.n_classes) if record in table.records(n)]
        for found, number in ((release.classes, int(release.labels[record])), (table.classes, numbers[0])):
            assert found.sizes[number] == len(by_hand.people(own))
            assert found.records[number] == len(own)

            def measured(kind: str, parameter: int = 0) -> float:
                return float(found.measured(Measure(kind, name, parameter))[number])  # noqa: B023

            assert measured(DISTINCT) == by_hand.distinct_l(own)
            assert measured(LARGEST_SHARE) == float(by_hand.alpha(own))
            assert measured(EQUAL) == pytest.approx(by_hand.t_equal(own, whole), **CLOSE)
            assert np.exp(measured(ENTROPY)) == pytest.approx(by_hand.entropy_l(own, whole), **CLOSE)
            assert measured(TAIL_RATIO, 2) == pytest.approx(by_hand.tail_ratio(own, whole), **CLOSE)
            assert measured(BASIC_GAIN) == pytest.approx(by_hand.basic_beta(own, whole), **CLOSE)
            assert measured(DISCLOSURE) == pytest.approx(by_hand.delta(own, whole), **CLOSE)


@modest
@given(data=st.data())
def test_values_of_a_second_requirement_are_those_without_a_first(data: st.DataObject) -> None:
    case = data.draw(cases(persons=True))
    drawn = [data.draw(requirements(case)) for _ in range(3)]
    assume(not any(getattr(model, "estimator", "") == "grassberger" for own in drawn for model in own.models))
    profile = score_lattice(case.problem)
    every = np.ones(profile.lattice.n_nodes, dtype=np.bool_)
    for requirement in drawn:
        later, alone = (
            KeptPersons(profile, requirement),
            KeptPersons(score_lattice(case.problem), requirement),
        )
        assert later.affected(every).tolist() == alone.affected(every).tolist()
        assert later.kept(every).tolist() == alone.kept(every).tolist()
        assert later.below(3, every).tolist() == alone.below(3, every).tolist()
        for number in range(len(every)):
            first, second = later.node(number), alone.node(number)
            assert first.affected == second.affected
            assert (first.sizes.tolist(), first.n_classes.tolist()) == (
                second.sizes.tolist(),
                second.n_classes.tolist(),
            )


@modest
@given(data=st.data())
def test_suppression_counts_and_keeps_persons_as_by_hand(data: st.DataObject) -> None:
    case = data.draw(cases(persons=True, min_sensitive=1, max_sensitive=1))
    node, k, l = data.draw(nodes(case)), data.draw(st.integers(1, 4)), data.draw(st.integers(1, 3))  # noqa: E741
    requirement = Requirement(
        (KAnonymity(k), DistinctLDiversity(case.sensitive[0].name, l)),
        data.draw(st.sampled_from([0.0, 0.1, 0.3, 0.5])),
        data.draw(st.sampled_from(LIMITED)),
        data.draw(st.booleans()),
    )
    whole = rows_of(case, node)
    left = by_hand.kept(
        whole,
        lambda own: len(by_hand.people(own)) >= k and by_hand.distinct_l(own) >= l,
        whole_persons=requirement.whole_persons,
    )
    rows, gone = [whole[i] for i in left], [whole[i] for i in range(len(whole)) if i not in set(left)]
    persons, lost = by_hand.people(whole), by_hand.people(gone)
    counted = (len(lost), len(persons)) if requirement.limit_counts == "persons" else (len(gone), len(whole))
    is_within = counted[0] <= requirement.allowed(counted[1])

    release = make_release(case.project, case.problem, node, requirement)
    assert np.flatnonzero(~release.suppressed).tolist() == left
    assert release.is_within == is_within
    assert release.persons.affected == len(lost)
    assert release.persons.lost == len(persons - by_hand.people(rows))
    assert [release.persons.chained(m) for m in (1, 2, 3, None)] == [
        by_hand.chained(rows, m) for m in (1, 2, 3, None)
    ]
    profile, explored = score_lattice(case.problem), ExploredProfile(case.problem)
    evaluation, place = evaluate(profile, requirement), case.problem.lattice.number(node)
    at = explored.score(node)
    for found, number in ((evaluation, place), (evaluate(explored, requirement), at)):
        assert found.suppressed[number] == len(gone)
        assert bool(found.satisfies[number]) == is_within
        risk = found.figures.average_risk(found.scored)[number]
        assert risk == float(by_hand.average_risk(rows)) if rows else np.isnan(risk)
    report = inspect_node(profile, node, requirement)
    assert (report.suppressed, report.satisfies) == (len(gone), is_within)
    assert_explained(case, node, report, whole, set(left))
    causes = suppression_causes(profile, node, requirement)
    assert (causes.suppressed, causes.losses.count, causes.losses.total) == (len(gone), *counted)
    assert causes.too_many == max(counted[0] - requirement.allowed(counted[1]), 0)
    for cause in causes.by_attribute:
        hidden = [((*key[: cause.attribute], *key[cause.attribute + 1 :]), *rest) for key, *rest in whole]
        then = by_hand.kept(
            hidden,
            lambda own: len(by_hand.people(own)) >= k and by_hand.distinct_l(own) >= l,
            whole_persons=requirement.whole_persons,
        )
        assert cause.kept_if_hidden == len(set(then) - set(left))
        assert cause.lost_if_hidden == len(set(left) - set(then))


def assert_explained(
    case: Case, node: tuple[int, ...], report: NodeReport, whole: list[by_hand.Row], left: set[int]
) -> None:
    """Assert that every suppressed class, with all its records, fails the model it is said to fail."""
    table, models = report.table, report.models
    told = sum(model.records_missing_first for model in models) + report.after_others
    assert told == report.suppressed == len(whole) - len(left)
    k, l = (model.model.limit for model in models)  # noqa: E741  as the field says
    for number in range(table.n_classes):
        records = table.records(number).tolist()
        own = by_hand.by_class(whole)[whole[records[0]][0]]
        misses = [len(by_hand.people(own)) < k, by_hand.distinct_l(own) < l]
        expected = NOT_MISSED if set(records) <= left else AFTER_OTHERS
        assert table.missed_first[number] == (misses.index(True) if any(misses) else expected)


def all_repeated(problem: Problem) -> Problem:
    """The same problem, with every person counted as if they had several records while each has one."""
    codes = np.arange(1, problem.n_records + 1, dtype=np.int32)
    ones = np.ones(problem.n_records + 1, dtype=np.int64)
    sensitive = tuple(replace(a, weights=a.table_counts) for a in problem.sensitive)
    return replace(problem, persons=Persons("person", codes, ones, ones, 1), sensitive=sensitive)


@modest
@given(data=st.data())
def test_if_every_person_has_one_record_all_values_are_those_of_records(data: st.DataObject) -> None:
    case = data.draw(cases())
    requirement = data.draw(requirements(case))
    usual = tuple(kind() for kind in privacy_models.values() if issubclass(kind, TableWideModel))
    models = tuple(m for m in requirement.models if getattr(m, "estimator", "") != "grassberger")
    requirement = replace(requirement, models=models)
    found = []
    for problem in (case.problem, all_repeated(case.problem)):
        profile = score_lattice(problem, profile=LatticeProfile(problem, requirement))
        evaluation = evaluate(profile, requirement)
        metrics = {
            key: evaluation.metric(key) for key, kind in utility_metrics.items() if key != "classification"
        }
        wide = {
            model.key: model.figures(evaluation.figures, evaluation.scored)
            for model in usual
            if not model.needs_people
        }
        found.append((evaluation.suppressed, evaluation.satisfies, evaluation.kept_k, metrics, wide))
        node = problem.lattice.node(int(problem.lattice.n_nodes) - 1)
        values = inspect_node(profile, node, requirement).values
        found[-1] += ({(v.key, v.column): v.value for v in values},)
    records, persons = found
    for ours, theirs in zip(records[:3], persons[:3], strict=True):
        assert np.array_equal(ours, theirs)
    for ours, theirs in zip(records[3:5], persons[3:5], strict=True):
        for key in ours:
            np.testing.assert_allclose(theirs[key], ours[key], rtol=1e-12, err_msg=key)
    for key, value in records[5].items():  # none if nothing is kept
        assert persons[5][key] == (None if value is None else pytest.approx(value, rel=1e-12)), key
    assert persons[5].keys() == records[5].keys()


@given(st.lists(st.integers(1, 60), min_size=2, max_size=40), st.integers(0, 2**32))
def test_weights_too_fine_for_whole_numbers_are_still_right(n_records: list[int], seed: int) -> None:
    # Counts up to 60 have a common multiple of 83 bits, which no whole number of 63 holds.
    from engine.records.types import DataType, Kind

    codes = np.repeat(np.arange(len(n_records), dtype=np.int32), n_records)
    column = make_column("p", [str(i) for i in range(len(n_records))], codes, DataType(Kind.TEXT), "")
    persons = Persons.of(column)
    assert persons.unit * persons.n_persons < 2**62
    per_person = sums(codes.astype(np.int64), persons.weight_of_rows, len(n_records))
    assert per_person == pytest.approx(np.full(len(n_records), persons.unit), rel=1e-12)
    random = np.random.default_rng(seed)
    values = random.integers(4, size=len(codes))
    chosen = random.random(len(codes)) < 0.5
    chosen[0] = True
    table = sums(values, persons.weight_of_rows, 4)
    own = sums(values[chosen], persons.weight_of_rows[chosen], 4)
    present = np.flatnonzero(own)
    pairs = Pairs(present, own[present], np.zeros(1, dtype=np.int64))
    found = ordered_distances(pairs, np.array([own.sum()]), Reference(table))[0]
    shares, reference = own / own.sum(), table / table.sum()
    assert found == pytest.approx(np.abs(np.cumsum(shares - reference))[:-1].sum() / 3, rel=1e-9, abs=1e-12)
    assert found < inf
    gains = sum(max(int(own[v]) * int(table.sum()) - int(table[v]) * int(own.sum()), 0) for v in range(4))
    exact = Fraction(gains, int(own.sum()) * int(table.sum()))
    assert equal_distances(pairs, np.array([own.sum()]), Reference(table))[0] == float(exact)


@modest
@given(data=st.data())
def test_holders_are_counted_alike_for_few_and_for_many_possible_values(data: st.DataObject) -> None:
    n_rows = data.draw(st.integers(1, 30))

    def some(most: int) -> Any:
        return np.array(data.draw(st.lists(st.integers(0, most), min_size=n_rows, max_size=n_rows)))

    labels = np.unique(some(4), return_inverse=True)[1]
    codes, values = some(3), some(3)
    found = Holders.of(labels, codes, values, None)
    spread = data.draw(st.sampled_from([1000, 2**58]))  # keys that no array of all can hold, nor 63 bits
    far = Holders.of(labels, codes, values * spread, None)
    rows = list(
        zip(
            labels.tolist(),
            np.where(codes, codes, -np.arange(n_rows) - 1).tolist(),
            values.tolist(),
            strict=True,
        )
    )
    pairs = sorted({(label, value) for label, _unused, value in rows})
    assert found.persons.tolist() == [
        len({person for label, person, _unused in rows if label == own}) for own in range(labels.max() + 1)
    ]
    assert found.of_value.tolist() == [
        len({person for label, person, value in rows if (label, value) == pair}) for pair in pairs
    ]
    for name in ("persons", "of_value", "alone"):
        assert getattr(far, name).tolist() == getattr(found, name).tolist()
