"""A population changes no score of the records; a subset is scored like a table of its records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency import Measure, Persons, Problem
from engine.frequency.classes import POPULATION
from engine.frequency.problem import narrowed
from engine.lattice import Node
from engine.privacy import Requirement
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.project import Population, Project, Subset
from engine.project.compile import compile_problem
from engine.project.edits import set_population, set_subset
from engine.recoding import make_release
from engine.scoring import LatticeProfile, acceleration, fetching_kernels, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.limits import bytes_when_whole, profile_for
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.reuse import reuse
from engine.scoring.walk.population_tuples import PopulationTuples
from engine.scoring.walk.tuples import at_node, base_tuples, measured_classes
from engine.utility import utility_metrics
from tests.slow_reference import all_nodes
from tests.strategies import Attributes, Case, cases, cases_with_requirement, column_of, few, requirements

FIGURES = ("n_classes", "k", "largest", "squares")


def populated(case: Case, n_more: int = 7) -> Project:
    """The case as a sample of its own records twice, and some more people."""
    columns = tuple(replace(a, texts=a.texts + a.texts + (a.texts * n_more)[:n_more]) for a in case.qi)
    return set_population(case.project, Population(table=Case(columns).project.table))


def whole(problem: Problem, requirement: Requirement) -> LatticeProfile:
    return score_lattice(problem, profile=LatticeProfile(problem, requirement))


def alike(a: LatticeProfile, b: LatticeProfile, requirement: Requirement) -> None:
    for name in FIGURES:
        assert np.array_equal(getattr(a, name), getattr(b, name))
    first, second = evaluate(a, requirement), evaluate(b, requirement)
    assert np.array_equal(first.suppressed, second.suppressed)
    assert np.array_equal(first.satisfies, second.satisfies)
    for key, metric in utility_metrics.items():
        if metric.needs_target and a.problem.target is None:
            continue
        assert np.allclose(first.metric(key), second.metric(key), rtol=1e-12, atol=1e-12, equal_nan=True), key
        assert first.optimum(key) == second.optimum(key)


@few
@given(cases_with_requirement())
def test_people_change_no_score_of_the_records(drawn: tuple[Case, Requirement]) -> None:
    case, requirement = drawn
    problem = compile_problem(populated(case))
    assert isinstance(base_tuples(problem), PopulationTuples)
    alike(whole(problem, requirement), whole(case.problem, requirement), requirement)


@few
@given(st.data())
def test_a_subset_is_scored_as_a_table_of_its_records_alone(data: st.DataObject) -> None:
    case = data.draw(cases())
    size, seed = data.draw(st.integers(1, case.n_records)), data.draw(st.integers(0, 99))
    project = set_subset(case.project, Subset(size=size, seed=seed))
    alone = replace(case.project, table=project.records)
    # the hierarchies are those of the whole table, including the place of a missing value
    hierarchies = {
        name: replace(entry, hierarchy=entry.hierarchy.covering(case.project.table.column(name)))
        for name, entry in project.hierarchies.items()
        if name in project.quasi_identifying
    }
    alone = replace(alone, hierarchies={**project.hierarchies, **hierarchies})
    own = compile_problem(alone)
    requirement = data.draw(requirements(case))
    requirement = replace(
        requirement,
        models=tuple(m for m in requirement.models if not getattr(m, "distance", None)),
    )
    alike(whole(compile_problem(project), requirement), whole(own, requirement), requirement)


@few
@given(cases(max_sensitive=1), st.data())
def test_people_are_counted_equally_however_a_node_is_reached(case: Case, data: st.DataObject) -> None:
    problem = compile_problem(populated(case, data.draw(st.integers(0, 20))))
    node: Node = data.draw(st.sampled_from(all_nodes(case)))
    people = Measure(POPULATION, "")

    def counted(problem: Problem) -> list[tuple[int, int]]:
        _, classes = measured_classes(problem, at_node(base_tuples(problem), node))
        return sorted(zip(classes.sizes.tolist(), classes.measured(people).tolist(), strict=True))

    expected = counted(problem)
    assert sum(n for _, n in expected) == problem.people.n_members  # type: ignore[union-attr]
    assert counted(narrowed(problem, node)) == expected
    release = make_release(populated(case), problem, node)
    measured = release.classes.measured(people).tolist()
    assert sorted(zip(release.classes.sizes.tolist(), measured, strict=True)) == expected
    explored = ExploredProfile(problem)
    number = explored.score(node)
    assert explored.part().worst(people)[number] == min(n for _, n in expected)
    profile = whole(problem, Requirement())
    assert profile.worst(people)[problem.lattice.number(node)] == min(n for _, n in expected)


def grouped(n_records: int = 60) -> Case:
    values = [f"v{i}" for i in range(6)]
    rows = tuple((value, f"group {i // 2}", "*") for i, value in enumerate(values))
    generator = np.random.default_rng(5)
    qi = tuple(
        Attributes(f"q{q}", tuple(generator.choice(values, n_records).tolist()), rows=rows) for q in range(3)
    )
    return Case(qi, (Attributes("s", tuple(generator.choice(["x", "y"], n_records).tolist())),))


def test_kernels_are_not_loaded_if_they_cannot_count(monkeypatch: pytest.MonkeyPatch) -> None:
    case = grouped()
    asked: list[float] = []
    monkeypatch.setattr("engine.scoring.score.fetching", lambda seconds, *_: asked.append(seconds))
    known = compile_problem(populated(case))
    names = tuple(f"p{row % 9}" for row in range(known.people.n_members))
    twice = Persons.of(column_of(Attributes("person", names)))
    fetching_kernels(LatticeProfile(replace(known, people=replace(known.people, persons=twice))))
    assert asked == []
    fetching_kernels(LatticeProfile(known))
    fetching_kernels(LatticeProfile(compile_problem(set_population(case.project, Population(size=900)))))
    assert len(asked) == 2


def test_the_memory_of_a_lattice_of_records_and_people_is_estimated() -> None:
    problem = compile_problem(populated(grouped()))
    assert isinstance(profile_for(problem), LatticeProfile)
    assert isinstance(profile_for(problem, memory=1), ExploredProfile)
    assert bytes_when_whole(ExploredProfile(problem)) > 0


def test_scores_by_kernels_are_reused_only_for_the_same_population_size() -> None:
    assert acceleration.warm_up()
    case = grouped()
    requirement = Requirement((KMap(8, "poisson", 0.1), KAnonymity(2)), 0.3)

    def problem(size: int | None) -> Problem:
        population = None if size is None else Population(size=size)
        return compile_problem(set_population(case.project, population))

    old = whole(problem(100), requirement)
    assert old.is_compiled
    for size, is_reused in ((100, True), (4000, False), (None, False)):
        profile = LatticeProfile(problem(size), requirement)
        assert reuse(profile, old) is is_reused
    members = LatticeProfile(compile_problem(populated(case)), requirement)
    assert not reuse(members, old)
    # estimates by kernels equal those by numpy, and depend on the size
    again = LatticeProfile(problem(100), requirement)
    for number, tuples in again.pending():
        again.record(number, tuples)
    assert not again.is_compiled
    by_numpy, by_kernels = evaluate(again, requirement), evaluate(old, requirement)
    assert np.array_equal(by_numpy.suppressed, by_kernels.suppressed)
    other = evaluate(whole(problem(4000), requirement), requirement)
    assert not np.array_equal(other.suppressed, by_kernels.suppressed)


def test_a_presence_is_reported_with_the_missing_population_first() -> None:
    problem = compile_problem(populated(grouped()))
    requirement = Requirement((KAnonymity(6), DeltaPresence(0.0, 0.4)), 1.0)
    report = inspect_node(ExploredProfile(problem), (1, 1, 0), requirement)
    assert sum(model.records_missing_first for model in report.models) == report.suppressed
    assert report.models[1].worst == 0.5, "records twice among the people, and seven of them more"
