"""What a remedy is said to do is what the engine measures once it is applied."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.advice.nearest import limit_above, limit_below, nearest_changes
from engine.advice.remedies import Remedy, RemedyKind, find_remedies
from engine.errors import CancelledError, InputError
from engine.lattice import Node
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.average_risk import AverageRisk
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.requirement import LIMITED
from engine.privacy.t_closeness import TCloseness
from engine.project import Project, edits
from engine.project.compile import compile_problem, objective_of
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from tests.adult import arx_project
from tests.stopping import Stopping
from tests.strategies import Attributes, Case, cases, few, nodes, rarer_models

KINDS = set(RemedyKind)


def evaluated(project: Project) -> Evaluation:
    """The whole lattice of a project, scored anew."""
    problem = compile_problem(project)
    profile = score_lattice(problem, profile=LatticeProfile(problem, project.requirement))
    return evaluate(profile, project.requirement, objective_of(project, problem))


def assert_foretold(project: Project, evaluation: Evaluation, node: Node, found: Remedy, metric: str) -> None:
    """Apply a remedy to a project, score all of it, and compare."""
    after = evaluation if found.project is None else evaluated(found.project)
    effect, number = found.effect, after.lattice.number(found.effect.node)
    now = evaluation.lattice.number(node)
    values = after.metric(metric)
    assert effect.suppressed == after.suppressed[number]
    assert effect.satisfies == after.satisfies[number]
    assert found.saved == evaluation.suppressed[now] - after.suppressed[number]
    np.testing.assert_allclose(effect.value, values[number], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        found.added, values[number] - evaluation.metric(metric)[now], rtol=1e-9, atol=1e-9
    )
    if effect.knows_optimum:
        optimum = after.optimum(metric)
        assert effect.optimum == (None if optimum is None else after.lattice.node(optimum))
        if optimum is None:
            assert math.isnan(effect.optimum_value)
        else:
            np.testing.assert_allclose(effect.optimum_value, values[optimum], rtol=1e-12, atol=1e-12)
    assert found.saved > 0 or (effect.satisfies and not evaluation.satisfies[now])


@st.composite
def failing_nodes(draw: st.DrawFn) -> tuple[Project, Evaluation, Node, str]:
    """A table whose classes are too small for one of its models, at a node of its lattice, often the best."""
    of_persons = draw(st.booleans())
    case = draw(cases(min_sensitive=1, max_sensitive=1, max_qi=2, persons=of_persons))
    models: list[PrivacyModel] = [KAnonymity(draw(st.integers(2, 5)))]
    if draw(st.booleans()):
        # Grassberger's estimator is refused where records are weighed.
        allowed = rarer_models("s0").filter(
            lambda model: not of_persons or getattr(model, "estimator", "") != "grassberger"
        )
        models.append(draw(allowed))
    if draw(st.booleans()):
        models.append(TCloseness("s0", draw(st.sampled_from([0.1, 0.3, 0.5])), "equal"))
    limit = draw(st.sampled_from([0.1, 0.3, 0.5, 0.8]))
    persons = (draw(st.sampled_from(LIMITED)), draw(st.booleans())) if of_persons else ()
    project = case.under(Requirement(tuple(models), limit, *persons))
    evaluation, metric = evaluated(project), draw(st.sampled_from(["loss", "precision", "aecs"]))
    optimum = evaluation.optimum(metric)
    if optimum is not None and draw(st.booleans()):
        return project, evaluation, evaluation.lattice.node(optimum), metric
    return project, evaluation, draw(nodes(case)), metric


@few
@given(failing_nodes())
def test_every_remedy_does_what_it_foretells(drawn: tuple[Project, Evaluation, Node, str]) -> None:
    project, evaluation, node, metric = drawn
    was_within = evaluation.is_within[evaluation.lattice.number(node)]
    remedies = find_remedies(project, evaluation, node, metric)
    assume(remedies)
    for found in remedies:
        assert_foretold(project, evaluation, node, found, metric)
        if found.kind is RemedyKind.LIMIT and not was_within:
            assert found.effect.satisfies  # only models of what is kept as a whole could keep it from that


@pytest.fixture(scope="module")
def adult() -> Project:
    """Every tenth record of Adult under k, l and t; age may not be hidden."""
    whole = arx_project(("sex", "age", "race", "education"), "occupation")
    table = whole.table.take(np.arange(0, whole.n_records, 10))
    models = (
        KAnonymity(5),
        DistinctLDiversity("occupation", 3),
        TCloseness("occupation", 0.5, "equal"),
    )
    project = replace(whole, table=table, requirement=Requirement(models, 0.05))
    return edits.set_levels(project, "age", 0, 3)


@pytest.mark.parametrize("is_optimum", [True, False])
def test_every_kind_of_remedy_is_found_on_adult_and_foretells_truly(adult: Project, is_optimum: bool) -> None:
    evaluation = evaluated(adult)
    optimum = evaluation.optimum("loss")
    assert optimum is not None
    node = evaluation.lattice.node(optimum) if is_optimum else (0, 3, 0, 1)
    found = find_remedies(adult, evaluation, node)
    assert {remedy.kind for remedy in found} == KINDS
    for remedy in found:
        assert_foretold(adult, evaluation, node, remedy, "loss")


def test_most_records_per_loss_come_first_and_what_protects_less_last(adult: Project) -> None:
    evaluation = evaluated(adult)
    found = find_remedies(adult, evaluation, (0, 2, 0, 1))
    groups = [(remedy.is_weaker, not remedy.effect.satisfies) for remedy in found]
    assert groups == sorted(groups)
    assert {is_weaker for is_weaker, _ in groups} == {False, True}
    for group in set(groups):
        rates = [remedy.rate for remedy, own in zip(found, groups, strict=True) if own == group]
        np.testing.assert_allclose(rates, sorted(rates, reverse=True), rtol=1e-8)
    again = find_remedies(adult, evaluation, (0, 2, 0, 1))
    assert [replace(r, project=None) for r in again].__repr__() == [
        replace(r, project=None) for r in found
    ].__repr__()


def test_a_failing_node_is_offered_the_thresholds_by_which_it_satisfies(adult: Project) -> None:
    evaluation = evaluated(adult)
    node = (0, 3, 0, 1)
    assert not evaluation.satisfies[evaluation.lattice.number(node)]
    found = find_remedies(adult, evaluation, node)
    assert any(r.kind is RemedyKind.LIMIT and r.effect.satisfies and not r.saved for r in found)
    assert any(r.kind is RemedyKind.THRESHOLD and r.effect.satisfies for r in found)


def test_a_threshold_that_asks_nothing_is_not_offered() -> None:
    case = Case((Attributes("age", ("30", "40", "50"), rows=(("30",), ("40",), ("50",))),))
    project = case.under(Requirement((KAnonymity(3),), 0.0))
    assert find_remedies(project, evaluated(project), (0,)) == ()  # all are alone: only k = 1 keeps any


@pytest.mark.parametrize(
    ("model", "limit"),
    [(AlphaKAnonymity("ill", 0.1, 1), 0.9), (HighestRisk(0.05), 0.1)],
)
def test_the_threshold_offered_is_the_decimal_that_just_lets_the_class_pass(
    model: PrivacyModel, limit: float
) -> None:
    age = Attributes("age", tuple("3333333333"), rows=(("3",),))
    case = Case((age,), (Attributes("ill", tuple("yyyyyyyyyn")),))
    project = case.under(Requirement((model,), 0.0))
    found = find_remedies(project, evaluated(project), (0,))
    assert [r.limit for r in found if r.kind is RemedyKind.THRESHOLD] == [limit]


def test_a_release_that_misses_what_is_asked_of_it_as_a_whole_is_offered_the_threshold_it_meets() -> None:
    age = Attributes("age", tuple("3334455"), rows=tuple((c,) for c in "345"))
    project = Case((age,)).under(Requirement((KAnonymity(2), AverageRisk(0.2)), 0.0))
    (found,) = find_remedies(project, evaluated(project), (0,))
    assert (found.kind, found.index, found.limit) == (RemedyKind.THRESHOLD, 1, 0.4286)  # 3 classes of 7
    assert_foretold(project, evaluated(project), (0,), found, "loss")


def test_a_node_without_suppressed_records_needs_no_remedy(adult: Project) -> None:
    project = replace(adult, requirement=Requirement((KAnonymity(1),), 0.05))
    assert find_remedies(project, evaluated(project), (0, 0, 0, 0)) == ()


def test_costly_metrics_leave_the_optimum_open(adult: Project) -> None:
    evaluation = evaluated(adult)
    found = find_remedies(adult, evaluation, (1, 3, 0, 1), "non_uniform_entropy")
    assert found
    assert not any(remedy.effect.knows_optimum for remedy in found)
    for remedy in found[:4]:
        assert_foretold(adult, evaluation, (1, 3, 0, 1), remedy, "non_uniform_entropy")


def test_of_a_lattice_that_is_explored_the_optimum_stays_open(adult: Project) -> None:
    problem = compile_problem(adult)
    profile = ExploredProfile(problem, adult.requirement)
    for node in ((0, 3, 0, 1), (0, 3, 0, 2)):
        profile.score(node)
    part = evaluate(profile, adult.requirement, objective_of(adult, problem))
    found = find_remedies(adult, part, (0, 3, 0, 1))
    whole = evaluated(adult)
    assert {remedy.effect.node for remedy in found} >= {(0, 3, 0, 2), (0, 3, 1, 1), (1, 3, 0, 1)}
    for remedy in found:
        assert not remedy.effect.knows_optimum
        assert_foretold(adult, whole, (0, 3, 0, 1), remedy, "loss")


def test_a_node_that_is_not_scored_is_refused(adult: Project) -> None:
    problem = compile_problem(adult)
    empty = evaluate(LatticeProfile(problem, adult.requirement), adult.requirement)
    with pytest.raises(InputError, match="not scored yet"):
        find_remedies(adult, empty, (0, 0, 0, 0))


def test_trying_can_be_stopped(adult: Project) -> None:
    with pytest.raises(CancelledError):
        find_remedies(adult, evaluated(adult), (0, 3, 0, 1), monitor=Stopping())


@given(st.integers(1, 10**6), st.data())
def test_limits_are_the_nearest_that_can_be_typed(n_records: int, data: st.DataObject) -> None:
    suppressed = data.draw(st.integers(1, n_records))
    above, below = limit_above(suppressed, n_records), limit_below(suppressed, n_records)
    assert Requirement((), above).allowed(n_records) >= suppressed
    assert Requirement((), below).allowed(n_records) < suppressed
    assert round(above - below, 10) == 0.0001


def test_limits_and_thresholds_count_the_people_that_the_limit_counts() -> None:
    """Four people of whom one is alone at 5 with three records: 25 % of the people, 50 % of the records."""
    case = Case((Attributes("age", tuple("333555"), rows=(("3",), ("5",))),), persons=tuple("abcddd"))
    project = case.under(Requirement((KAnonymity(2),), 0.0, "persons"))
    evaluation = evaluated(project)
    found = find_remedies(project, evaluation, (0,))
    assert [r.limit for r in found if r.kind is RemedyKind.LIMIT] == [0.25]
    nearest = nearest_changes(evaluation.profile, project.requirement)
    assert [change.value for change in nearest if change.index is None] == [0.25]
