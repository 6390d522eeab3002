"""k-map and delta-presence against a slow recount of records and people, and published examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal, getcontext
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.frequency import Problem
from engine.frequency.measured import MeasuredClasses
from engine.kernels.distances import Pairs
from engine.kernels.poisson import largest_rates
from engine.lattice import Node
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.project import Population, Project
from engine.project.compile import compile_problem
from engine.recoding import make_release
from engine.scoring import LatticeProfile, acceleration, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.sweep import threshold_curve
from engine.search import SearchTask, search_algorithms
from tests.slow_reference import all_nodes, exactly, paths
from tests.strategies import Attributes, Case, cases, few, modest


@dataclass(frozen=True)
class PopulationCase:
    """A case, and its population as raw texts."""

    case: Case
    people: tuple[tuple[str, ...], ...]

    @cached_property
    def project(self) -> Project:
        columns = [
            replace(attribute, texts=tuple(person[q] for person in self.people))
            for q, attribute in enumerate(self.case.qi)
        ]
        population = Population(table=Case(tuple(columns)).project.table)
        return replace(self.case.project, population=population)

    @cached_property
    def problem(self) -> Problem:
        return compile_problem(self.project)

    def at(self, node: Node) -> dict[tuple[str, ...], tuple[list[int], int]]:
        """Records and number of people by labels, for all labels that a person has."""
        labels = [paths(self._both(q)) for q in range(len(self.case.qi))]

        def raised(values: tuple[str, ...]) -> tuple[str, ...]:
            pairs = zip(labels, values, node, strict=True)
            return tuple(of_column[value][level] for of_column, value, level in pairs)

        found: dict[tuple[str, ...], tuple[list[int], int]] = {}
        for person in self.people:
            records, n_people = found.get(raised(person), ([], 0))
            found[raised(person)] = (records, n_people + 1)
        for number, values in enumerate(zip(*(a.texts for a in self.case.qi), strict=True)):
            found[raised(values)][0].append(number)
        return found

    def _both(self, q: int) -> Attributes:
        """The column with the texts of records and people, for the place of a missing value."""
        own = self.case.qi[q]
        return replace(own, texts=own.texts + tuple(person[q] for person in self.people))

    def evaluated(self, node: Node, requirement: Requirement) -> tuple[int, bool]:
        """Suppressed records, and whether the node satisfies."""
        classes = self.at(node)
        kept = {
            labels: records
            for labels, (records, n_people) in classes.items()
            if records and all(meets(model, len(records), n_people) for model in requirement.models)
        }
        suppressed = self.case.n_records - sum(map(len, kept.values()))
        holds = suppressed <= exactly(requirement.suppression_limit) * self.case.n_records
        if any(getattr(model, "minimum", 0) > 0 for model in requirement.models):
            holds = holds and set(kept) == set(classes)
        return suppressed, holds


def meets(model: PrivacyModel, n_records: int, n_people: int) -> bool:
    if isinstance(model, KMap):
        return n_people >= model.k
    if isinstance(model, DeltaPresence):
        return model.minimum <= n_records / n_people <= model.maximum  # the nearest doubles, as ties are
    return n_records >= model.k


@st.composite
def population_cases(draw: st.DrawFn) -> PopulationCase:
    case = draw(cases(max_sensitive=1))
    own = list(zip(*(a.texts for a in case.qi), strict=True))
    known = [[row[0] for row in a.rows] for a in case.qi]
    strangers = st.tuples(*(st.sampled_from(values) for values in known))
    people = own + draw(st.lists(strangers, max_size=20))
    people += own[: draw(st.integers(0, len(own)))]
    return PopulationCase(case, tuple(draw(st.permutations(people))))


SHARES = [0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.6, 0.75, 1.0]


@st.composite
def requirements_of_people(draw: st.DrawFn) -> Requirement:
    models: list[PrivacyModel] = []
    if draw(st.booleans()):
        models.append(KMap(draw(st.integers(1, 8))))
    if draw(st.booleans()) or not models:
        minimum = draw(st.sampled_from([0.0, 0.0, *SHARES]))
        models.append(DeltaPresence(minimum, draw(st.sampled_from(SHARES))))
    if draw(st.integers(0, 3)) == 0:
        models.append(KAnonymity(draw(st.integers(1, 3))))
    return Requirement(tuple(models), draw(st.sampled_from([0.0, 0.1, 0.29, 0.5, 1.0])))


@modest
@given(population_cases(), requirements_of_people())
def test_every_node_agrees_with_a_recount_of_records_and_people(
    case: PopulationCase, requirement: Requirement
) -> None:
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    evaluation = evaluate(profile, requirement)
    for node in all_nodes(case.case):
        number = case.problem.lattice.number(node)
        assert (evaluation.suppressed[number], bool(evaluation.satisfies[number])) == case.evaluated(
            node, requirement
        )


@few
@given(population_cases(), requirements_of_people(), st.data())
def test_inspector_release_and_explored_nodes_agree_with_the_recount(
    case: PopulationCase, requirement: Requirement, data: st.DataObject
) -> None:
    node = data.draw(st.sampled_from(all_nodes(case.case)))
    expected = case.evaluated(node, requirement)
    explored = ExploredProfile(case.problem, requirement)
    number = explored.score(node)
    part = evaluate(explored, requirement)
    assert (part.suppressed[number], bool(part.satisfies[number])) == expected
    report = inspect_node(explored, node, requirement)
    assert (report.suppressed, report.satisfies) == expected
    release = make_release(replace(case.project, requirement=requirement), case.problem, node)
    assert (release.n_suppressed, release.satisfies) == expected


@few
@given(population_cases(), requirements_of_people())
def test_scores_by_kernels_agree_with_the_recount(case: PopulationCase, requirement: Requirement) -> None:
    assert acceleration.warm_up()
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    assert profile.is_compiled
    evaluation = evaluate(profile, requirement)
    for node in all_nodes(case.case):
        number = case.problem.lattice.number(node)
        found = evaluation.suppressed[number], bool(evaluation.satisfies[number])
        assert found == case.evaluated(node, requirement)


@few
@given(population_cases(), requirements_of_people())
def test_a_pruning_search_finds_the_optimum_of_all_nodes(
    case: PopulationCase, requirement: Requirement
) -> None:
    task = SearchTask(case.problem, requirement)
    first, second = (
        search_algorithms.create(key).run(task, _Silent()) for key in ("exhaustive", "best_first")
    )
    assert first.node == second.node
    assert first.is_proved
    assert second.is_proved
    satisfying = [node for node in all_nodes(case.case) if case.evaluated(node, requirement)[1]]
    assert (first.node is None) == (not satisfying)
    assert first.node is None or first.node in satisfying


@few
@given(population_cases(), requirements_of_people())
def test_a_curve_counts_the_nodes_that_satisfy_at_each_threshold(
    case: PopulationCase, requirement: Requirement
) -> None:
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    for index, model in enumerate(requirement.models):
        grid = [1, 2, 5, 9] if not isinstance(model, DeltaPresence) else [0.0, 0.25, 0.5, 1.0]
        counts = threshold_curve(profile, requirement, index, grid)
        for value, count in zip(grid, counts.tolist(), strict=True):
            turned = requirement.with_limit(index, value)
            assert count == sum(case.evaluated(node, turned)[1] for node in all_nodes(case.case))


class _Silent:
    def step(self, done: int, total: int, text: str = "") -> None:
        """Ignore a step."""


def ages(texts: list[str], people: dict[str, int]) -> Project:
    """Records of one column of ages, grouped by tens, then up to 39 and from 40, drawn from people."""
    rows = [
        (str(age), f"{age // 10}0-{age // 10}9", "10-39" if age < 40 else "40-", "*") for age in range(10, 60)
    ]
    case = Case((Attributes("age", tuple(texts), rows=tuple(rows)),))
    everybody = [age for age, n in people.items() for _ in range(n)]
    table = Case((Attributes("age", tuple(everybody), rows=tuple(rows)),)).project.table
    return replace(case.project, population=Population(table=table))


# A clinical trial in one postal code, by Desfontaines, "delta-presence, for when being in the dataset is
# sensitive" (desfontain.es/privacy): 5 people are in their tens, 5 in their twenties, 10 in their thirties,
# 10 in their forties and 20 older; ages within a group are made up here, except those of the records.
TRIAL = ["10", "12", "13", "13", "16", "43"]
NEIGHBOURS = {"10": 1, "12": 1, "13": 2, "16": 1, "25": 5, "33": 10, "43": 1, "44": 9, "55": 20}


def test_the_trial_of_the_example_is_5_map_and_still_reveals_who_is_in_it() -> None:
    problem = compile_problem(ages(TRIAL, NEIGHBOURS))
    profile = ExploredProfile(problem)
    by_tens = inspect_node(profile, (1,), Requirement((KMap(5), DeltaPresence(0, 1)), 0))
    assert [report.worst for report in by_tens.models] == [5, 1.0]
    assert by_tens.satisfies, "5-map holds"
    assert not inspect_node(profile, (1,), Requirement((DeltaPresence(0, 0.99),), 0)).satisfies
    wider = inspect_node(profile, (2,), Requirement((KMap(20), DeltaPresence(0, 0.25)), 0))
    assert wider.satisfies, "5 of 20 people, and 1 of 30"
    assert [report.worst for report in wider.models] == [20, 0.25]
    everybody = inspect_node(profile, (3,), Requirement((DeltaPresence(0.12, 0.12),), 0))
    assert everybody.satisfies, "6 of 50"


def test_with_a_lowest_presence_no_one_may_be_known_to_be_absent() -> None:
    problem = compile_problem(ages(TRIAL, NEIGHBOURS))
    profile = ExploredProfile(problem)
    one_in_thirty = Requirement((DeltaPresence(0.03, 0.25),), 0.5)
    assert inspect_node(profile, (2,), one_in_thirty).satisfies
    # By tens, people in their twenties, thirties and fifties have no record: they are known to be absent.
    assert not inspect_node(profile, (1,), Requirement((DeltaPresence(0.03, 1.0),), 0.5)).satisfies
    assert inspect_node(profile, (1,), Requirement((DeltaPresence(0.0, 1.0),), 0.5)).satisfies
    # Suppressing the one above forty would reveal that all people above forty are absent.
    above = inspect_node(profile, (2,), Requirement((DeltaPresence(0.04, 0.25),), 0.5))
    assert (above.suppressed, above.satisfies) == (1, False)


def test_a_minimum_above_the_maximum_is_refused() -> None:
    project = ages(TRIAL, NEIGHBOURS)
    with pytest.raises(InputError, match=r"at least 0\.5 and at most 0\.2 does not exist"):
        compile_problem(replace(project, requirement=Requirement((DeltaPresence(0.5, 0.2),), 0)))


def test_records_of_people_who_are_not_in_the_population_are_refused() -> None:
    for texts, n_lacking in ((["12", "12"], 1), (["12", "11", "11"], 2)):
        project = ages(texts, {"12": 1, "43": 3})
        for model in (KMap(2), DeltaPresence(0, 0.5)):
            with pytest.raises(InputError, match=f"evaluated: {n_lacking} records? ha(s|ve) no match in"):
                compile_problem(replace(project, requirement=Requirement((model,), 0)))
        compile_problem(replace(project, requirement=Requirement((KMap(2, "poisson"),), 0)))


@pytest.mark.parametrize(
    ("model", "population", "problem"),
    [
        (KMap(5), None, "k-map needs a population: give its table, or release a subset"),
        (KMap(5, "poisson"), None, "k-map needs a population: give its size or its table"),
        (DeltaPresence(), None, "δ-presence needs a population: give its table"),
        (KMap(5), Population(size=100), "k-map needs the table of the population"),
        (DeltaPresence(), Population(sampling_fraction=0.1), "δ-presence needs the table of the population"),
    ],
)
def test_a_model_names_what_it_needs_of_the_population(
    model: PrivacyModel, population: Population | None, problem: str
) -> None:
    project = replace(ages(TRIAL, NEIGHBOURS), population=population)
    with pytest.raises(InputError) as raised:
        compile_problem(replace(project, requirement=Requirement((model,), 0)))
    assert raised.value.problem.startswith(problem)
    assert raised.value.hint


@pytest.mark.parametrize(
    ("minimum", "maximum", "is_met"),
    [
        (0.0, 0.3333333333333333, True),
        (0.0, 0.33333333333333326, False),
        (0.3333333333333333, 1.0, True),
        (0.33333333333333337, 1.0, False),
        (0.0, 0.33, False),
        (0.33, 0.34, True),
    ],
)
def test_a_share_is_rounded_once_and_meets_its_printed_value(
    minimum: float, maximum: float, is_met: bool
) -> None:
    problem = compile_problem(ages(["12"], {"12": 3}))
    requirement = Requirement((DeltaPresence(minimum, maximum),), 1.0)
    report = inspect_node(ExploredProfile(problem), (0,), requirement)
    assert report.fulfilled.tolist() == [is_met]
    attained = report.models[0].worst
    assert attained == 1 / 3
    turned = requirement.with_limit(0, attained)
    assert inspect_node(ExploredProfile(problem), (0,), turned).fulfilled.all() == (minimum <= 1 / 3)


# -- estimates ---------------------------------------------------------------------------------


def tail(count: int, rate: Decimal, *, truncated: bool) -> Decimal:
    """P(X >= count) of a Poisson variable with 60 digits, or of one truncated at zero."""
    getcontext().prec = 60
    term, below = (-rate).exp(), Decimal(0)
    whole = 1 - term if truncated else Decimal(1)
    for number in range(count):
        if number:
            term = term * rate / number
        if number or not truncated:
            below += term
    return (whole - below) / whole


def meets_by_test(model: KMap, size: int, n_people: Fraction, n_records: int) -> bool:
    rate = Decimal(model.k) * n_records * n_people.denominator / n_people.numerator
    truncated = model.estimator == "zero_truncated_poisson"
    return size >= model.k or tail(size, rate, truncated=truncated) <= Decimal(repr(model.significance))


def measured(sizes: list[int], fraction: float) -> MeasuredClasses:
    def nothing(number: int) -> Pairs:
        raise AssertionError("no sensitive column is asked for")

    return MeasuredClasses(np.array(sizes), (), nothing, sampling_fraction=fraction)


@pytest.mark.parametrize("estimator", ["poisson", "zero_truncated_poisson"])
@pytest.mark.parametrize("significance", [0.0001, 0.01, 0.05, 0.5])
@pytest.mark.parametrize(("n_records", "n_people"), [(100, 100), (100, 250), (100, 1000), (100, 10**6)])
def test_an_estimate_is_the_largest_k_that_passes_the_test_of_the_paper(
    estimator: str, significance: float, n_records: int, n_people: int
) -> None:
    sizes = [1, 2, 3, 4, 5, 7, 10, 20, 60, 100]
    found = KMap(5, estimator, significance).measure(measured(sizes, n_records / n_people)).tolist()
    for size, k in zip(sizes, found, strict=True):
        for asked, met in ((k, True), (k + 1, False)):
            model = KMap(asked, estimator, significance)
            assert meets_by_test(model, size, Fraction(n_people), n_records) is met


@pytest.mark.parametrize("truncated", [False, True])
def test_the_largest_unlikely_mean_is_that_of_the_distribution(truncated: bool) -> None:
    counts = np.array([2, 3, 10, 500, 3000])
    for significance in (0.0001, 0.01, 0.5):
        for count, rate in zip(counts, largest_rates(counts, significance, truncated=truncated), strict=True):
            found = tail(int(count), Decimal(float(rate)), truncated=truncated)
            assert float(found) == pytest.approx(significance, rel=1e-9)
    assert largest_rates(np.array([1]), 0.01, truncated=True).tolist() == [0.0]
    assert largest_rates(np.array([1]), 0.01, truncated=False)[0] == pytest.approx(-np.log(0.99), rel=1e-12)


@few
@given(cases(max_sensitive=1), st.data())
def test_nodes_are_evaluated_by_estimates_as_the_test_defines_them(case: Case, data: st.DataObject) -> None:
    n_people = case.n_records * data.draw(st.sampled_from([1, 2, 7, 100]))
    estimator = data.draw(st.sampled_from(["poisson", "zero_truncated_poisson"]))
    model = KMap(data.draw(st.integers(1, 40)), estimator, data.draw(st.sampled_from([0.01, 0.2])))
    requirement = Requirement((model,), data.draw(st.sampled_from([0.0, 0.3])))
    problem = compile_problem(replace(case.project, population=Population(size=n_people)))
    assert problem.can_be_compiled
    profile = score_lattice(problem, profile=LatticeProfile(problem, requirement))
    evaluation = evaluate(profile, requirement)
    for node in all_nodes(case):
        labels = [paths(attribute) for attribute in case.qi]
        rows = zip(*(a.texts for a in case.qi), strict=True)
        sizes = Counter(tuple(o[v][g] for o, v, g in zip(labels, row, node, strict=True)) for row in rows)
        suppressed = sum(
            size
            for size in sizes.values()
            if not meets_by_test(model, size, Fraction(n_people), case.n_records)
        )
        number = problem.lattice.number(node)
        assert evaluation.suppressed[number] == suppressed
        assert inspect_node(profile, node, requirement).suppressed == suppressed


def test_without_a_population_nothing_is_estimated_or_counted() -> None:
    classes = MeasuredClasses(np.array([3]), (), lambda number: None)  # type: ignore[arg-type,return-value]
    for model in (KMap(5), KMap(5, "poisson"), DeltaPresence()):
        with pytest.raises(InputError) as raised:
            model.measure(classes)
        assert raised.value.hint


def test_very_long_keys_are_matched_with_people_like_short_ones() -> None:
    """Keys beyond one word are rows of integers; people's keys are shorter, without sensitive values."""
    generator = np.random.default_rng(3)
    values = [f"v{i:03d}" for i in range(200)]
    rows = tuple((value, value[:3], value[:2], "*") for value in values)
    n = 300
    qi = tuple(Attributes(f"q{q}", tuple(generator.choice(values, n).tolist()), rows=rows) for q in range(3))
    sensitive = tuple(
        Attributes(f"s{j}", tuple(map(str, generator.integers(0, 250, n).tolist()))) for j in range(5)
    )
    case = Case(qi, sensitive)
    own = list(zip(*(a.texts for a in qi), strict=True))
    case = PopulationCase(case, tuple(own + own[:100] + [(values[0],) * 3] * 5))
    requirement = Requirement((KMap(3), DeltaPresence(0, 0.9)), 0.8)
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    assert profile.base.layout.key_bits > 62
    evaluation = evaluate(profile, requirement)
    for node in [(0, 0, 0), (1, 1, 1), (2, 1, 3), (3, 3, 3), (1, 2, 2)]:
        number = case.problem.lattice.number(node)
        found = evaluation.suppressed[number], bool(evaluation.satisfies[number])
        assert found == case.evaluated(node, requirement)


def test_a_hierarchy_serves_the_population_even_if_the_records_need_none() -> None:
    case = Case((Attributes("q", ("a", "a", "b")),))
    people = Case((Attributes("q", ("a", "a", "b", "c", "c")),)).project.table
    project = replace(case.project, population=Population(table=people))
    assert "q" not in project.hierarchies
    problem = compile_problem(project)
    assert problem.people is not None
    report = inspect_node(ExploredProfile(problem), (0,), Requirement((DeltaPresence(0, 1),), 0))
    assert report.models[0].worst == 1.0


def test_a_node_reports_its_measures_of_the_population_required_or_not() -> None:
    def told(project: Project, suppress: int = 1) -> dict[str, float | int | None]:
        report = inspect_node(
            ExploredProfile(compile_problem(project)), (1,), Requirement((KAnonymity(suppress),), 1.0)
        )
        return {found.key: found.value for found in report.values}

    project = ages(TRIAL, NEIGHBOURS)
    everybody = told(project)
    assert (everybody["k_map"], everybody["delta_presence"]) == (5, 1.0)
    kept = told(project, suppress=2)
    assert (kept["k_map"], kept["delta_presence"]) == (5, 1.0)
    estimated = told(replace(project, population=Population(size=600)))
    assert estimated["k_map"] == 1, "the class of one record: P(X >= 1) at a mean of 0.01 is 0.00995"
    assert "delta_presence" not in estimated
    assert "k_map" not in told(replace(project, population=None))


@few
@given(population_cases(), st.data())
def test_a_presence_between_two_bounds_carries_over_without_suppression(
    case: PopulationCase, data: st.DataObject
) -> None:
    low, high = sorted(data.draw(st.tuples(*[st.sampled_from(SHARES)] * 2)))
    requirement = Requirement((DeltaPresence(low, high),), 0.0)
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    satisfies = evaluate(profile, requirement).satisfies
    assume(satisfies.any())
    for number in np.flatnonzero(satisfies).tolist():
        for successor in profile.lattice.successors(profile.lattice.node(number)):
            assert satisfies[profile.lattice.number(successor)]


def test_a_class_without_people_in_the_population_is_reported_and_meets_nothing() -> None:
    project = replace(ages(["12", "43"], {"12": 3, "44": 1}), requirement=Requirement((), 0.0))
    problem = compile_problem(project)
    report = inspect_node(ExploredProfile(problem), (0,), Requirement((DeltaPresence(0, 1), KMap(1)), 1.0))
    assert [model.worst for model in report.models] == [np.inf, 0]
    assert report.fulfilled.tolist() == [True, False]
