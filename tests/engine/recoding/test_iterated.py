"""Iterated generalization: nodes by hand, the whole table as reference, and the figure ARX reaches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.monitor import SILENT
from engine.pipeline import anonymize
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project.compile import compile_problem
from engine.recoding import Recoding, RecodingTask, Release, make_local_release, make_release, rooted
from engine.recoding.distinct import DistinctRecords
from engine.recoding.iterated import Iterated, remaining
from tests.adult import arx_project
from tests.strategies import Attributes, Case, cases_with_requirement, modest, nodes

AGES = tuple((str(age), f"{age // 10}0s", "*") for age in (21, 22, 25, 61, 62, 65))
TWO = Requirement((KAnonymity(2),), 0.0)


def people(*ages: str) -> Case:
    return Case((Attributes("age", ages, rows=AGES),))


def texts(
    case: Case, method: Iterated, start: Recoding | None = None, requirement: Requirement = TWO
) -> list[str]:
    problem = rooted(case.problem)
    recoding = method.improve(RecodingTask(problem, requirement, start=start), SILENT)
    column = make_local_release(case.under(requirement), problem, recoding).column("age")
    return [column.text(i) for i in range(case.n_records)]


def test_each_iteration_releases_what_is_safe_on_the_most_precise_node() -> None:
    # The pair of 21 goes first, unchanged; then 22 and 25 by their decade; 61 has nobody but all the others.
    case = people("21", "21", "22", "25", "61", "61")
    assert texts(case, Iterated()) == ["21", "21", "20s", "20s", "61", "61"]


def test_each_iteration_has_to_release_its_share() -> None:
    # One iteration for all: the decades are the most precise node on which all six are safe.
    case = people("21", "21", "22", "61", "61", "62")
    plain = Iterated(iterations=1, lower_labels=False)
    assert texts(case, plain) == ["20s", "20s", "20s", "60s", "60s", "60s"]
    three_at_once = Iterated(iterations=2, lower_labels=False)
    assert texts(case, three_at_once)[:2] == ["21", "21"]


def test_a_record_that_is_left_joins_the_class_that_it_costs_least() -> None:
    assert texts(people("21", "21", "61", "61", "62"), Iterated()) == ["21", "21", "60s", "60s", "60s"]


def test_of_a_given_release_only_suppressed_records_change() -> None:
    case = people("21", "21", "22", "25", "61", "62")
    start = Recoding.of_node((0,), np.array([False, False, True, True, True, True]))
    assert texts(case, Iterated(from_scratch=False), start) == ["21", "21", "20s", "20s", "60s", "60s"]
    hidden = Recoding.of_node((1,), np.array([False, False, False, False, True, True]))
    assert texts(case, Iterated(from_scratch=False), hidden)[:4] == ["20s"] * 4
    assert texts(case, Iterated(), hidden)[:2] == ["21", "21"]


def test_a_node_is_searched_first_where_it_does_not_begin_from_scratch() -> None:
    # With one of five suppressed, the original values satisfy; the one that is alone joins nobody.
    case = people("21", "21", "61", "61", "62")
    project = case.under(Requirement((KAnonymity(2),), 0.2))
    outcome = anonymize(replace(project, recoding=Iterated(from_scratch=False)))
    assert (outcome.release.node, outcome.release.n_suppressed) == ((0,), 1)
    # From scratch: coarser labels for 61 cost more than to hide 62, and one may be hidden.
    outcome = anonymize(replace(project, recoding=Iterated()))
    assert (outcome.release.node, outcome.release.n_suppressed) == (None, 1)
    outcome = anonymize(replace(case.under(TWO), recoding=Iterated()))
    assert (outcome.release.node, outcome.release.n_suppressed) == (None, 0)


@modest
@given(st.data())
def test_what_a_release_keeps_stays_as_it_is(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement(max_records=20))
    node = data.draw(nodes(case))
    start = Recoding.of_node(node, make_release(case.under(requirement), case.problem, node).suppressed)
    task = RecodingTask(rooted(case.problem), requirement, start=start)
    found = Iterated(iterations=5, from_scratch=False).improve(task, SILENT)
    assert not (found.suppressed & ~start.suppressed).any()
    assert np.array_equal(found.levels[~start.suppressed], start.levels[~start.suppressed])


def test_some_of_the_records_are_still_compared_with_the_whole_table() -> None:
    # Half of all are ill. Four healthy records among themselves are no different from each other, but
    # they are as far from the table as a class can be: 0.5.
    case = Case(
        (Attributes("q", tuple("aaaabbbb"), rows=(("a", "*"), ("b", "*"))),),
        (Attributes("ill", tuple("nnnnyyyy")),),
    )
    part = remaining(rooted(case.problem), np.arange(4))
    classes = DistinctRecords(part).classes(np.zeros(1, dtype=np.int64))
    assert TCloseness("ill", 0.2, "equal").measure(classes).tolist() == [0.5]
    assert classes.sizes.tolist() == [4]


def granularity(release: Release) -> float:
    """As ARX joins columns: shares, their least and their most are averaged before they are compared."""
    shares, least = [], []
    for q, attribute in enumerate(release.problem.attributes):
        n_leaves = attribute.hierarchy.n_leaves
        covered = np.array([level.n_leaves[level.codes] for level in attribute.hierarchy.levels]) / n_leaves
        own = covered[release.recoding.levels[:, q], attribute.leaves]
        shares.append(float(np.where(release.suppressed, 1.0, own).mean()))
        least.append(1 / n_leaves)
    return 1 - (float(np.mean(shares)) - float(np.mean(least))) / (1 - float(np.mean(least)))


def test_the_granularity_that_arx_reaches_on_adult_is_reached() -> None:
    # ARX 3.9.2, local transformation, 10 % of the records per iteration: 0.907.
    project = replace(arx_project(), requirement=Requirement((KAnonymity(5),), 0.0))
    problem = rooted(compile_problem(project))
    method = Iterated(iterations=10, lower_labels=False)
    recoding = method.improve(RecodingTask(problem, project.requirement), SILENT)
    release = make_local_release(project, problem, recoding)
    assert (release.satisfies, release.n_suppressed) == (True, 0)
    assert granularity(release) == pytest.approx(0.907, abs=0.002)
