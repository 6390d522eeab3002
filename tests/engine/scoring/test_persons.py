"""Nodes of tables with several records per person, against values computed with sets and loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.frequency import Measure
from engine.frequency.classes import (
    BASIC_GAIN,
    DISCLOSURE,
    DISTINCT,
    ENHANCED_GAIN,
    ENTROPY,
    EQUAL,
    LARGEST_SHARE,
    MEMBERS,
    ORDERED,
    POPULATION,
    TAIL_RATIO,
)
from engine.frequency.measured import MeasuredClasses
from engine.privacy import Requirement
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.k_map import KMap
from engine.privacy.records_at_risk import RecordsAtRisk
from engine.project.compile import compile_problem
from engine.recoding import make_release
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.nodes.inspection import inspect_node
from tests.person_cases import BY_NAME, figure, node_of, project_of, requirement_of

EXACT = 1e-9
MEASURES = {
    "distinct_l": Measure(DISTINCT, "s"),
    "entropy_l": Measure(ENTROPY, "s"),
    "recursive_c_for_l2": Measure(TAIL_RATIO, "s", 2),
    "alpha": Measure(LARGEST_SHARE, "s"),
    "t_equal": Measure(EQUAL, "s"),
    "t_ordered": Measure(ORDERED, "s"),
    "basic_beta": Measure(BASIC_GAIN, "s"),
    "enhanced_beta": Measure(ENHANCED_GAIN, "s"),
    "delta": Measure(DISCLOSURE, "s"),
}

each_case = pytest.mark.parametrize("name", list(BY_NAME))


def measured(classes: MeasuredClasses, key: str) -> np.ndarray[Any, Any]:
    values = classes.measured(MEASURES[key])
    return np.exp(values) if key == "entropy_l" else np.asarray(values)


@each_case
def test_every_class_of_a_release_has_the_figures_of_its_persons(name: str) -> None:
    case = BY_NAME[name]
    project = project_of(case)
    release = make_release(project, compile_problem(project), node_of(case), Requirement((), 1.0))
    columns = [release.column(q) for q in case["qi"]]
    found = {}
    for record, label in enumerate(release.labels.tolist()):
        found[tuple(column.text(record) for column in columns)] = label  # type: ignore[union-attr]
    assert len(found) == len(case["expected"]["classes"])
    for expected in case["expected"]["classes"]:
        label = found[tuple(expected["key"])]
        assert release.classes.sizes[label] == expected["persons"]
        assert release.classes.records[label] == expected["records"]
        for key in MEASURES:
            assert measured(release.classes, key)[label] == pytest.approx(figure(expected[key]), rel=EXACT)


@each_case
def test_a_node_is_scored_by_its_persons(name: str) -> None:
    case, expected = BY_NAME[name], BY_NAME[name]["expected"]
    problem, node = compile_problem(project_of(case)), node_of(case)
    requirement = requirement_of(case)
    profile = score_lattice(problem)
    place = problem.lattice.number(node)
    assert (problem.n_records, problem.n_people) == (expected["records"], expected["persons"])
    assert profile.k[place] == expected["k"]
    assert profile.worst(MEASURES["distinct_l"])[place] == expected["distinct_l"]
    t = "t_ordered" if problem.sensitive[0].default_distance == "ordered" else "t_equal"
    assert profile.worst(MEASURES[t])[place] == pytest.approx(expected[t], rel=EXACT)
    under, evaluation = expected["under_requirement"], evaluate(profile, requirement)
    assert evaluation.suppressed[place] == under["suppressed_records"]
    assert evaluation.kept_classes[place] == under["kept_classes"]
    assert evaluation.kept_k[place] == (under["kept_k"] or 0)
    assert bool(evaluation.satisfies[place]) == under["satisfies_counting_records"]
    assert evaluation.metric("c_avg")[place] == pytest.approx(
        np.nan if under["c_avg"] is None else under["c_avg"], nan_ok=True
    )
    of_persons = evaluate(profile, requirement_of(case, limit_counts="persons"))
    assert bool(of_persons.satisfies[place]) == under["satisfies_counting_persons"]
    assert (
        of_persons.figures.persons is None
        or int(of_persons.figures.persons.affected(of_persons.scored)[place]) == under["affected_persons"]
    )


@each_case
def test_risks_of_a_node_are_those_of_its_persons(name: str) -> None:
    case, expected = BY_NAME[name], BY_NAME[name]["expected"]
    problem, node = compile_problem(project_of(case)), node_of(case)
    threshold = float(case["risk_threshold"])
    at_risk = RecordsAtRisk(threshold=threshold, share=1.0)
    whole = Requirement((at_risk,), 1.0)
    for profile in (score_lattice(problem), ExploredProfile(problem)):
        if isinstance(profile, ExploredProfile):
            place = profile.score(node)
            evaluation = evaluate(profile, whole)
        else:
            place, evaluation = problem.lattice.number(node), evaluate(profile, whole)
        figures, scored = evaluation.figures, evaluation.scored
        assert figures.average_risk(scored)[place] == pytest.approx(expected["average_risk"], rel=1e-15)
        assert at_risk.figures(figures, scored)[place] == expected["share_at_risk"]
        share = figures.people_below(2, scored)[place] / figures.kept_people(scored)[place]
        assert share == expected["share_unique"]
    report = inspect_node(LatticeProfile(problem), node, whole)
    values = {value.key: value.value for value in report.values}
    assert values["highest_risk"] == expected["highest_risk"]
    assert values["average_risk"] == pytest.approx(expected["average_risk"], rel=1e-15)
    assert values["sample_uniqueness"] == expected["share_unique"]
    assert values["k_anonymity"] == expected["k"]
    assert values["distinct_l_diversity"] == expected["distinct_l"]
    assert values["alpha_k_anonymity"] == expected["alpha"]
    n_classes = zip(*np.unique(report.sizes, return_counts=True), strict=True)
    assert {str(size): int(n) for size, n in n_classes} == expected["persons_by_class_size"]


@pytest.mark.parametrize("name", [n for n, case in BY_NAME.items() if "population" in case])
def test_a_population_is_counted_in_persons(name: str) -> None:
    case, expected = BY_NAME[name], BY_NAME[name]["expected"]
    project = project_of(case)
    problem, node = compile_problem(project), node_of(case)
    release = make_release(project, problem, node, Requirement((), 1.0))
    scored = inspect_node(LatticeProfile(problem), node, Requirement((), 1.0)).table.classes
    presence = expected["delta_presence"]
    for classes in (release.classes, scored):
        assert KMap(estimator="table").worst(classes) == expected["k_map"]
        assert DeltaPresence().worst(classes) == pytest.approx(presence["maximum"], rel=EXACT)
    share = np.min(release.classes.sizes / release.classes.measured(Measure(POPULATION, "")))
    is_whole = int(release.classes.measured(Measure(MEMBERS, "")).sum()) == len(case["population"])
    assert (share if is_whole else 0.0) == pytest.approx(presence["minimum"], rel=EXACT)
    profile, place = score_lattice(problem), problem.lattice.number(node)
    evaluation = evaluate(profile, Requirement((DeltaPresence(minimum=1e-9, maximum=1.0),), 1.0))
    assert bool(evaluation.satisfies[place]) == is_whole


@each_case
def test_whole_persons_are_suppressed_until_nothing_changes(name: str) -> None:
    case = BY_NAME[name]
    expected = case["expected"]["under_requirement"]["whole_persons"]
    project = project_of(case)
    problem, node = compile_problem(project), node_of(case)
    requirement = requirement_of(case, whole_persons=True)
    place = problem.lattice.number(node)
    evaluation = evaluate(score_lattice(problem), requirement)
    report = inspect_node(LatticeProfile(problem), node, requirement)
    release = make_release(project, problem, node, requirement)
    n_suppressed = expected["suppressed_records"]
    assert (evaluation.suppressed[place], report.suppressed, release.n_suppressed) == (n_suppressed,) * 3
    lost = {row["pid"] for row, gone in zip(case["rows"], release.suppressed, strict=True) if gone}
    kept = {row["pid"] for row, gone in zip(case["rows"], release.suppressed, strict=True) if not gone}
    assert (len(lost), lost & kept) == (expected["suppressed_persons"], set())
    assert release.persons.affected == release.persons.lost == len(lost)
    assert release.k is None or release.k >= case["k"]
    assert evaluation.kept_classes[place] == report.kept_classes == release.n_classes
    for place, is_kept in enumerate(report.table.fulfilled.tolist()):
        records = report.table.records(place)
        assert len(records) == report.table.n_records[place]
        assert not (release.suppressed[records] == is_kept).any()


@each_case
def test_a_release_reports_its_persons_and_the_disclosure_by_several_records_of_one(name: str) -> None:
    case = BY_NAME[name]
    expected, under = case["expected"], case["expected"]["under_requirement"]
    project = project_of(case)
    release = make_release(project, compile_problem(project), node_of(case))
    persons = release.persons
    assert (persons.n_persons, persons.affected, persons.lost) == (
        expected["persons"],
        under["affected_persons"],
        under["lost_persons"],
    )
    assert (release.k, release.n_classes) == (under["kept_k"], under["kept_classes"])
    assert {size: persons.chained(int(size)) for size in ("1", "2")} | {"all": persons.chained()} == under[
        "chained_k"
    ]
