"""Models of the whole release against a recount from the records in exact fractions."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.frequency import Problem
from engine.kernels.population.estimate import Estimate, estimate
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.population_uniqueness import PopulationUniqueness
from engine.privacy.records_at_risk import RecordsAtRisk
from engine.privacy.sample_uniqueness import SampleUniqueness
from engine.project.compile import compile_problem
from engine.project.population import Population
from engine.recoding import make_release
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.sweep import suppression_curve, threshold_curve
from engine.search import SearchTask, search_algorithms
from engine.verification.models.population_uniqueness import population_uniques
from tests.slow_reference import SlowNode
from tests.stopping import Stopping
from tests.strategies import Attributes, Case, cases_with_requirement, few, modest

GRID = [0.01, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1.0]
SHARES = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.3, 0.34, 0.5, 0.6, 0.75, 1.0])
RISKS = st.sampled_from([0.1, 0.2, 0.25, 0.33, 0.34, 0.5, 1.0])


@st.composite
def whole_models(draw: st.DrawFn) -> PrivacyModel:
    match draw(st.sampled_from(["average", "at risk", "unique"])):
        case "average":
            return AverageRisk(draw(RISKS))
        case "at risk":
            return RecordsAtRisk(draw(RISKS), draw(SHARES))
    return SampleUniqueness(draw(SHARES))


@st.composite
def judged(draw: st.DrawFn) -> tuple[Case, Requirement]:
    """A case, and models of classes mixed with one or two table-wide models."""
    case, requirement = draw(cases_with_requirement())
    models = [*requirement.models, *draw(st.lists(whole_models(), min_size=1, max_size=2))]
    if draw(st.booleans()):
        models.append(HighestRisk(draw(RISKS)))
    return case, replace(requirement, models=tuple(draw(st.permutations(models))))


def of_classes(requirement: Requirement) -> Requirement:
    """The models of classes, with highest risk as the class size it requires."""
    models: list[PrivacyModel] = []
    for model in requirement.models:
        if isinstance(model, HighestRisk):
            models.append(
                KAnonymity(next(k for k in range(1, 99) if Fraction(1, k) <= typed(model.threshold)))
            )
        elif not model.is_table_wide:
            models.append(model)
    return replace(requirement, models=tuple(models))


def typed(number: float) -> Fraction:
    return Fraction(repr(number))


def holds(model: PrivacyModel, sizes: list[int]) -> bool:
    """The definition, over kept classes."""
    records = [Fraction(1, size) for size in sizes for _ in range(size)]
    if not records:
        return True
    if isinstance(model, AverageRisk):
        return sum(records) / len(records) <= typed(model.threshold)
    if isinstance(model, RecordsAtRisk):
        at_risk = sum(risk > typed(model.threshold) for risk in records)
        return Fraction(at_risk, len(records)) <= typed(model.share)
    return Fraction(records.count(Fraction(1)), len(records)) <= typed(model.threshold)


def recounted(case: Case, requirement: Requirement, node: tuple[int, ...]) -> tuple[bool, list[int]]:
    """Whether a node satisfies, and the sizes of its kept classes."""
    release = SlowNode(case, node).under(of_classes(requirement))
    sizes = [len(members) for members in release.kept]
    whole = [model for model in requirement.models if model.is_table_wide]
    return release.satisfies and all(holds(model, sizes) for model in whole), sizes


def scored(problem: Problem, requirement: Requirement) -> LatticeProfile:
    return score_lattice(problem, profile=LatticeProfile(problem, requirement))


@modest
@given(judged())
def test_nodes_satisfy_in_agreement_with_a_recount_of_their_records(judged: tuple[Case, Requirement]) -> None:
    case, requirement = judged
    evaluation = evaluate(scored(case.problem, requirement), requirement)
    for number in range(evaluation.lattice.n_nodes):
        expected, sizes = recounted(case, requirement, evaluation.lattice.node(number))
        assert evaluation.satisfies[number] == expected
        assert evaluation.suppressed[number] == case.n_records - sum(sizes)


@modest
@given(judged(), st.data())
def test_a_single_node_is_evaluated_as_among_all(
    judged: tuple[Case, Requirement], data: st.DataObject
) -> None:
    case, requirement = judged
    profile = scored(case.problem, requirement)
    satisfies = evaluate(profile, requirement).satisfies
    number = data.draw(st.integers(0, profile.lattice.n_nodes - 1))
    node = profile.lattice.node(number)
    report = inspect_node(profile, node, requirement)
    assert report.satisfies == satisfies[number]
    assert sum(model.records_missing_first for model in report.models) == report.suppressed
    assert make_release(case.under(requirement), case.problem, node).satisfies == satisfies[number]
    explored = ExploredProfile(case.problem, requirement)
    explored.score(node)
    assert evaluate(explored, requirement).satisfies.tolist() == [satisfies[number]]


@few
@given(judged(), st.data())
def test_curves_agree_with_evaluations_of_every_single_threshold(
    judged: tuple[Case, Requirement], data: st.DataObject
) -> None:
    case, requirement = judged
    profile = scored(case.problem, requirement)
    whole = [i for i, model in enumerate(requirement.models) if model.key not in ("k_anonymity",)]
    index = data.draw(st.sampled_from([i for i in whole if requirement.models[i].is_table_wide]))
    counts = threshold_curve(profile, requirement, index, GRID)
    assert counts.tolist() == [
        evaluate(profile, requirement.with_limit(index, value)).n_satisfying for value in GRID
    ]
    for k, model in enumerate(requirement.models):
        if isinstance(model, KAnonymity):
            sizes = threshold_curve(profile, requirement, k, [1.0, 2.0, 4.0])
            turned = [requirement.with_limit(k, value) for value in (1, 2, 4)]
            assert sizes.tolist() == [evaluate(profile, other).n_satisfying for other in turned]
    limits = [0.0, 0.1, 0.29, 0.5, 1.0]
    assert suppression_curve(profile, requirement, limits).tolist() == [
        evaluate(profile, replace(requirement, suppression_limit=limit)).n_satisfying for limit in limits
    ]


@few
@given(judged(), st.sampled_from(["loss", "discernibility", "aecs", "precision"]))
def test_a_search_that_prunes_finds_the_optimum(judged: tuple[Case, Requirement], metric: str) -> None:
    case, requirement = judged
    task = SearchTask(case.problem, requirement, metric)

    class Silent:
        def step(self, done: int, total: int, text: str = "") -> None:
            pass

    found = search_algorithms.create("best_first").run(task, Silent())
    evaluation = evaluate(scored(case.problem, requirement), requirement)
    best = evaluation.optimum(metric)
    assert found.is_proved
    assert found.node == (None if best is None else evaluation.lattice.node(best))


@few
@given(
    judged(),
    st.sampled_from(["dankar", "pitman", "zayatz", "snb"]),
    st.integers(0, 400),
    st.sampled_from([0.0, 0.05, 0.2, 0.5]),
)
def test_population_uniqueness_agrees_with_independent_estimates(
    judged: tuple[Case, Requirement], estimator: str, more: int, threshold: float
) -> None:
    case, requirement = judged
    model = PopulationUniqueness(threshold, estimator)
    requirement = Requirement((*of_classes(requirement).models, model), requirement.suppression_limit)
    people = case.n_records + more
    project = replace(case.under(requirement), population=Population(size=people))
    problem = compile_problem(project)
    profile = scored(problem, requirement)
    evaluation = evaluate(profile, requirement)
    for number in range(evaluation.lattice.n_nodes):
        node = evaluation.lattice.node(number)
        release = SlowNode(case, node).under(of_classes(requirement))
        sizes = Counter(len(members) for members in release.kept)
        uniques = population_uniques(estimator, sizes, people) if sizes else 0.0
        share = math.inf if uniques is None else uniques / people
        if not release.satisfies or not math.isclose(share, threshold, rel_tol=1e-6, abs_tol=1e-300):
            assert evaluation.satisfies[number] == (release.satisfies and share <= threshold)
        assert make_release(project, problem, node).satisfies == evaluation.satisfies[number]
        assert inspect_node(profile, node, requirement).satisfies == evaluation.satisfies[number]


def table(n_records: int = 4000, seed: int = 3) -> Case:
    """A table with classes of many sizes, uniques among them."""
    source = np.random.default_rng(seed)
    columns = []
    for name, spread in (("q0", 60), ("q1", 9), ("q2", 5)):
        codes = np.minimum(source.geometric(3 / spread, n_records), spread)
        rows = tuple((str(v), f"g{v // 3}", f"h{v // 9}", "*") for v in range(spread + 1))
        columns.append(Attributes(name, tuple(map(str, codes.tolist())), rows=rows))
    return Case(tuple(columns))


@pytest.mark.parametrize("others", [(), (KAnonymity(2),), (HighestRisk(0.2),)])
def test_compiled_scores_are_evaluated_like_those_of_numpy(others: tuple[PrivacyModel, ...]) -> None:
    case = table()
    people = Population(size=100_000)
    whole = (
        AverageRisk(0.02),
        RecordsAtRisk(0.2, 0.03),
        SampleUniqueness(0.005),
        PopulationUniqueness(0.001, "zayatz"),
    )
    seen = set()
    for model in whole:
        requirement = Requirement((*others, model), 0.1)
        problem = compile_problem(replace(case.under(requirement), population=people))
        by_numpy = scored(problem, requirement)
        compiled = LatticeProfile(problem, requirement)
        compiled.score_compiled()
        assert compiled.is_compiled
        expected = evaluate(by_numpy, requirement)
        found = evaluate(compiled, requirement)
        assert np.array_equal(found.satisfies, expected.satisfies)
        assert found.optimum("loss") == expected.optimum("loss")
        seen.add(found.n_satisfying)
    assert len(seen) > 1


def test_highest_risk_keeps_the_classes_that_k_anonymity_keeps() -> None:
    case = table()
    by_risk = Requirement((HighestRisk(0.2),), 0.2)
    profile = scored(case.problem, by_risk)
    risk, k = evaluate(profile, by_risk), evaluate(profile, Requirement((KAnonymity(5),), 0.2))
    assert np.array_equal(risk.suppressed, k.suppressed)
    assert np.array_equal(risk.satisfies, k.satisfies)
    assert np.array_equal(risk.metric("c_avg"), k.metric("c_avg"), equal_nan=True)


def test_estimates_are_made_once_for_all_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    case = table(600)
    requirement = Requirement((PopulationUniqueness(0.001, "zayatz"),), 0.0)
    problem = compile_problem(replace(case.under(requirement), population=Population(size=10_000)))
    profile = scored(problem, requirement)
    calls = []

    def counting(*arguments: Any) -> Estimate:
        calls.append(arguments)
        return estimate(*arguments)

    monkeypatch.setattr("engine.scoring.lookups.table_wide_nodes.estimate", counting)
    few_satisfy = evaluate(profile, requirement).n_satisfying
    made = len(calls)
    assert 0 < made <= problem.lattice.n_nodes
    assert evaluate(profile, requirement.with_limit(0, 1.0)).n_satisfying > few_satisfy
    assert len(calls) == made


def test_estimates_can_be_cancelled_and_finished_ones_stay() -> None:
    case = table(600)
    requirement = Requirement((PopulationUniqueness(0.001, "zayatz"),), 0.0)
    problem = compile_problem(replace(case.under(requirement), population=Population(size=10_000)))
    profile = scored(problem, requirement)
    stopped, going_on = Stopping(done=7), Stopping(0)
    with pytest.raises(CancelledError):
        _ = evaluate(profile, requirement).watched_by(stopped).satisfies
    assert evaluate(profile, requirement).watched_by(going_on).n_satisfying > 0
    assert going_on.steps[-1][1] == stopped.steps[-1][1] - 7


def test_models_are_met_if_nothing_is_kept() -> None:
    requirement = Requirement((KAnonymity(1000), AverageRisk(0.01), SampleUniqueness(0.0)), 1.0)
    case = table(50)
    assert evaluate(scored(case.problem, requirement), requirement).satisfies.all()


def test_a_share_equal_to_the_limit_is_met() -> None:
    """With everything hidden, 50 records are one class, of which one guess in 50 is right."""
    case = table(50)
    for limit, is_met in ((0.02, True), (0.019, False)):
        requirement = Requirement((AverageRisk(limit),), 0.0)
        assert evaluate(scored(case.problem, requirement), requirement).satisfies[-1] == is_met
