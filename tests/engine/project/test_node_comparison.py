"""Two nodes side by side: what is said of each, and which records differ, against a plain recount."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.k_map import KMap
from engine.privacy.t_closeness import TCloseness
from engine.project.node_comparison import compare_nodes, why_not_comparable
from engine.project.pins_and_runs import Choice
from engine.project.run_settings import run_of
from engine.recoding import make_release
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from tests.strategies import Attributes, Case, cases, few, nodes, requirements


def written(case: Case, choice: Choice) -> list[tuple[str, ...]]:
    """The quasi-identifying cells of the release of a choice, record by record."""
    assert choice.node is not None
    release = make_release(case.under(choice.requirement), case.problem, choice.node)
    columns = [release.column(name) for name in case.problem.names]
    return [tuple(c.text(i) for c in columns if c is not None) for i in range(case.n_records)]


@few
@given(st.data())
def test_figures_and_differing_records_are_those_of_the_releases(data: st.DataObject) -> None:
    case = data.draw(cases())
    names = case.problem.names
    left, right = (
        Choice(names, data.draw(nodes(case)), data.draw(requirements(case)), "loss") for _ in range(2)
    )
    profiles = []
    for choice in (left, right):
        profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, choice.requirement))
        profiles.append(profile)
    found = compare_nodes(case.project, profiles[0], left, right)
    before, after = written(case, left), written(case, right)
    assert found.records.tolist() == [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    for q, name in enumerate(names):
        expected = [a[q] != b[q] for a, b in zip(before, after, strict=True)]
        assert found.differing[name].tolist() == expected
    for side, profile in zip((found.left, found.right), profiles, strict=True):
        evaluation = evaluate(profile, side.choice.requirement)
        number = case.problem.lattice.number(side.node)
        assert side.report.satisfies == bool(evaluation.satisfies[number])
        assert side.release.n_suppressed == evaluation.suppressed[number]
        for key, value in side.metrics.items():
            assert value == pytest.approx(float(evaluation.metric(key)[number]), rel=1e-9, nan_ok=True), key


@few
@given(st.data())
def test_a_run_keeps_the_figures_of_its_release(data: st.DataObject) -> None:
    case = data.draw(cases())
    project = case.under(data.draw(requirements(case)))
    node = data.draw(nodes(case))
    release = make_release(project, case.problem, node)
    run = run_of(project, case.problem, release, "2026-11-22T09:00")
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, project.requirement))
    evaluation, number = evaluate(profile, project.requirement), case.problem.lattice.number(node)
    assert run.choice == Choice(case.problem.names, node, project.requirement, "loss")
    assert run.figures["suppressed"] == evaluation.suppressed[number]
    assert run.figures["k"] == (int(evaluation.kept_k[number]) or None)
    assert run.figures["loss"] == pytest.approx(float(evaluation.metric("loss")[number]), rel=1e-9)


@few
@given(cases(), st.data())
def test_what_does_not_belong_to_the_problem_is_refused_with_its_reason(
    case: Case, data: st.DataObject
) -> None:
    good = Choice(case.problem.names, data.draw(nodes(case)), Requirement((KAnonymity(2),)))
    assert why_not_comparable(case.problem, good) == ""
    bad = {
        "other quasi-identifying columns": replace(good, columns=("elsewhere",)),
        "no longer": replace(good, node=tuple(99 for _ in case.problem.names)),
        "levels vary by record": replace(good, node=None),
    }
    for reason, choice in bad.items():
        assert reason in why_not_comparable(case.problem, choice)
        with pytest.raises(InputError) as caught:
            compare_nodes(case.project, LatticeProfile(case.problem), good, choice)
        assert reason in caught.value.hint


def test_a_requirement_that_cannot_be_measured_any_more_is_refused_with_its_reason() -> None:
    age = Attributes("age", ("3", "4", "4"), rows=(("3", "*"), ("4", "*")))
    case = Case((age,), (Attributes("ill", ("flu", "cold", "flu")),))
    for model, reason in (
        (TCloseness("ill", 0.2, "ordered"), "no order"),
        (TCloseness("ill", 0.2, "hierarchical"), "no hierarchy"),
        (TCloseness("", 0.2), "has no column"),
        (KMap(2), "needs a population"),
    ):
        choice = Choice(("age",), (1,), Requirement((model,)))
        assert reason in why_not_comparable(case.problem, choice)
