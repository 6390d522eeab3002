"""Scores taken from another lattice equal those of scoring again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency import Problem
from engine.hierarchies import Hierarchy
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.reuse import reuse
from tests.engine.scoring.alike import Expected
from tests.strategies import Case, cases, modest

pytestmark = pytest.mark.usefixtures("warm")


def compiled(problem: Problem) -> LatticeProfile:
    profile = LatticeProfile(problem)
    profile.score_compiled()
    return profile


def within(problem: Problem, bounds: list[tuple[int, int]]) -> Problem:
    attributes = tuple(
        replace(attribute, minimum=low, maximum=high)
        for attribute, (low, high) in zip(problem.attributes, bounds, strict=True)
    )
    return replace(problem, attributes=attributes)


@modest
@given(st.data())
def test_forbidden_levels_do_not_change_the_scores_of_the_others(data: st.DataObject) -> None:
    case: Case = data.draw(cases(bounded=False))
    bounds = []
    for attribute in case.problem.attributes:
        low = data.draw(st.integers(attribute.minimum, attribute.maximum))
        bounds.append((low, data.draw(st.integers(low, attribute.maximum))))
    problem = within(case.problem, bounds)
    profile = LatticeProfile(problem)
    assert reuse(profile, compiled(case.problem))
    assert profile.is_complete
    Expected(problem).holds(profile)
    score_lattice(problem, profile=profile)
    Expected(problem).holds(profile)


@modest
@given(cases())
def test_renamed_groups_do_not_change_scores(case: Case) -> None:
    renamed = []
    for attribute in case.problem.attributes:
        levels = attribute.hierarchy.levels
        rows = [
            [value, *(f"{g} {levels[g].labels[levels[g].codes[leaf]]}" for g in range(1, len(levels)))]
            for leaf, value in enumerate(attribute.hierarchy.values)
        ]
        renamed.append(replace(attribute, hierarchy=Hierarchy.from_rows(rows)))
    problem = replace(case.problem, attributes=tuple(renamed))
    profile = LatticeProfile(problem)
    assert reuse(profile, compiled(case.problem))
    Expected(problem).holds(profile)


def crowded() -> Case:
    from tests.engine.scoring.test_profile import crowded_case

    return crowded_case(1)


def test_missing_nodes_are_scored() -> None:
    whole = crowded().problem
    low = [(a.minimum, a.maximum) for a in whole.attributes]
    part = compiled(within(whole, [(0, 1), *low[1:]]))
    assert not reuse(LatticeProfile(whole), part)


def test_other_groups_columns_and_sensitive_values_are_scored_again() -> None:
    case = crowded()
    old = compiled(case.problem)
    attribute = case.problem.attributes[0]
    rows = [[value, f"rest {int(value[1:]) % 3}", "*", "*"] for value in attribute.hierarchy.values]
    other = replace(attribute, hierarchy=Hierarchy.from_rows(rows))
    assert not reuse(
        LatticeProfile(replace(case.problem, attributes=(other, *case.problem.attributes[1:]))), old
    )
    fewer = replace(case.problem, attributes=case.problem.attributes[1:])
    assert not reuse(LatticeProfile(fewer), old)
    assert not reuse(LatticeProfile(replace(case.problem, sensitive=())), old)
    assert not reuse(LatticeProfile(crowded().problem), old)  # equal columns read again are different objects
    assert not reuse(LatticeProfile(case.problem, label_sums=False), old)


def test_a_profile_scored_by_numpy_or_in_part_is_not_reused() -> None:
    case = crowded()
    by_numpy = LatticeProfile(case.problem)
    for node, tuples in by_numpy.pending():
        by_numpy.record(node, tuples)
    assert not reuse(LatticeProfile(case.problem), by_numpy)
    assert not reuse(LatticeProfile(case.problem), LatticeProfile(case.problem))
