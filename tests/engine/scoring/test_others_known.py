"""Several sensitive columns if the others may be known: each is measured among records equal in them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.findings.given_table import GivenTable
from engine.frequency import Measure
from engine.frequency.classes import DISTINCT
from engine.pipeline import export_release
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project.claims import release_claim
from engine.project.compile import compile_problem
from engine.recoding import make_release
from engine.records import Kind
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.nodes.inspection import inspect_node
from engine.verification import verify
from tests.slow_reference import Node, SlowNode, all_nodes
from tests.strategies import Attributes, Case, cases, few, nodes, requirements


def slowly_met(case: Case, node: Node, model: PrivacyModel) -> list[bool]:
    """Which classes meet a model: those in which all parts equal in the other sensitive columns do."""
    at = SlowNode(case, node)
    if not model.columns:
        return at.meets(model)
    others = tuple(replace(a, rows=()) for a in case.sensitive if a.name != model.columns[0])
    own = tuple(a for a in case.sensitive if a.name == model.columns[0])
    finer = SlowNode(Case((*case.qi, *others), own), (*node, *(0 for _ in others)))
    alone = replace(model, k=1) if isinstance(model, AlphaKAnonymity) else model
    failing = {
        i for part, met in zip(finer.classes, finer.meets(alone), strict=True) if not met for i in part
    }
    k = model.required_k or 1
    return [failing.isdisjoint(members) and len(members) >= k for members in at.classes]


def slowly_suppressed(case: Case, node: Node, requirement: Requirement) -> set[int]:
    gone: set[int] = set()
    for model in requirement.models:
        classes = SlowNode(case, node).classes
        for members, met in zip(classes, slowly_met(case, node, model), strict=True):
            gone |= set() if met else set(members)
    return gone


def evaluated(case: Case, requirement: Requirement) -> Evaluation:
    problem = replace(case.problem, others_as_qi=True)
    profile = LatticeProfile(problem, requirement)
    assert profile.can_be_compiled
    return evaluate(score_lattice(problem, profile=profile), requirement)


@few
@given(st.data())
def test_parts_equal_in_the_other_columns_decide_what_is_suppressed(data: st.DataObject) -> None:
    case = data.draw(cases(min_sensitive=2))
    requirement = data.draw(requirements(case))
    evaluation = evaluated(case, requirement)
    for node in all_nodes(case)[:20]:
        gone = slowly_suppressed(case, node, requirement)
        assert evaluation.suppressed[case.problem.lattice.number(node)] == len(gone)


@few
@given(st.data())
def test_a_release_agrees_with_the_scores_and_with_verification(data: st.DataObject) -> None:
    case = data.draw(cases(min_sensitive=2))
    requirement = data.draw(requirements(case))
    project = replace(case.under(requirement), others_as_qi=True)
    problem = compile_problem(project)
    node = data.draw(nodes(case))
    release = make_release(project, problem, node)
    assert set(np.flatnonzero(release.suppressed).tolist()) == slowly_suppressed(case, node, requirement)
    report = inspect_node(LatticeProfile(problem, requirement), node, requirement)
    assert report.suppressed == release.n_suppressed


def crossed() -> Case:
    """Two ills and two jobs in each class, but an attacker who knows the job knows the ill."""
    return Case(
        (Attributes("zip", ("1", "1", "1", "1", "2", "2"), Kind.TEXT, (("1", "*"), ("2", "*"))),),
        (
            Attributes("ill", ("a", "b", "a", "b", "a", "b")),
            Attributes("job", ("x", "y", "x", "y", "x", "x")),
        ),
    )


REQUIREMENT = Requirement((KAnonymity(2), DistinctLDiversity("ill", 2)), 1.0)


def test_the_release_is_written_only_if_verification_agrees(tmp_path: Path) -> None:
    project = replace(crossed().under(REQUIREMENT), others_as_qi=True)
    release = make_release(project, compile_problem(project), (0,))
    assert release.n_suppressed == 4
    assert release.l["ill"] == 2
    verdict = export_release(project, release, tmp_path / "out.csv")
    assert verdict.ok
    assert verdict.measured["suppressed"] == 4
    plain = replace(project, others_as_qi=False)
    assert make_release(plain, compile_problem(plain), (0,)).n_suppressed == 0


def test_a_claim_that_forgets_the_others_is_refuted(tmp_path: Path) -> None:
    plain = crossed().under(REQUIREMENT)
    release = make_release(plain, compile_problem(plain), (0,))
    original, written = tmp_path / "original.csv", tmp_path / "out.csv"
    original.write_text(
        "zip,ill,job\n"
        + "".join(f"{z},{i},{j}\n" for z, i, j in zip("111122", "ababab", "xyxyxx", strict=True)),
        encoding="utf-8",
    )
    export_release(plain, release, written)
    claim = release_claim(plain, release, original, written)
    assert verify(claim).ok
    verdict = verify(replace(claim, others_as_qi=True))
    assert not verdict.ok
    assert "distinct l-diversity" in " ".join(verdict.problems).lower()


@few
@given(st.data())
def test_classes_of_a_given_table_measure_the_same(data: st.DataObject) -> None:
    case = data.draw(cases(min_sensitive=2, max_height=0))
    problem = replace(case.problem, others_as_qi=True)
    profile = score_lattice(problem, profile=LatticeProfile(problem))
    names = tuple(a.name for a in problem.sensitive)
    given_table = GivenTable(case.project.table, problem.names, names, others_as_qi=True)
    for attribute in problem.sensitive:
        finer = given_table.classes_for(attribute.name).measured
        for measure in (Measure(DISTINCT, attribute.name), Measure("equal", attribute.name)):
            values = finer.measured(measure)
            worst = values.min() if measure.name == DISTINCT else values.max()
            if measure in profile.measures:
                assert profile.worst(measure)[0] == worst


def test_the_class_shown_as_furthest_is_the_part_with_that_distance() -> None:
    problem = replace(crossed().problem, others_as_qi=True)
    requirement = Requirement((TCloseness("ill", 1.0),), 1.0)
    report = inspect_node(LatticeProfile(problem, requirement), (0,), requirement)
    furthest = report.furthest[0]
    assert furthest.class_counts.tolist() == [2, 0]
    assert furthest.distance == 0.5
