"""Attackers who know some columns: reference values, and random problems against loops over records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError, ParameterError
from engine.privacy import Requirement
from engine.privacy.any_columns import AnyColumns
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.known_columns import KnownColumns
from engine.project import edits
from engine.project.compile import check_model
from engine.recoding import make_release
from engine.recoding.by_model import by_model
from engine.records import Role
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.nodes.suppression_causes import suppression_causes
from tests import attackers_by_hand as by_hand
from tests.attackers import REFERENCE, attackers, case_of, model_of, rows_of
from tests.strategies import cases, modest, nodes


@pytest.mark.parametrize("entry", REFERENCE, ids=lambda entry: str(entry["name"]))
def test_every_node_has_the_values_of_sets_json(entry: dict[str, Any]) -> None:
    case = case_of(entry)
    models = tuple(map(model_of, entry["requirements"]))
    requirement = Requirement(models, float(entry["suppression_limit"]))
    evaluation = evaluate(score_lattice(case.problem), requirement)
    profile = LatticeProfile(case.problem)
    for expected in entry["nodes"]:
        node = tuple(expected["node"])
        number = case.problem.lattice.number(node)
        assert evaluation.suppressed[number] == expected["suppressed"]
        assert bool(evaluation.satisfies[number]) is expected["satisfies"]
        report = inspect_node(profile, node, requirement)
        assert report.suppressed == expected["suppressed"]
        assert report.rounds == expected["rounds"]
        assert report.suppressed - report.after_others == expected["first_pass"]
        assert [model.worst_kept for model in report.models] == expected["k"]
        assert report.satisfies is expected["satisfies"]
        release = make_release(case.project, case.problem, node, requirement)
        assert release.n_suppressed == expected["suppressed"]


@modest
@given(data=st.data())
def test_what_is_kept_is_the_same_as_by_hand(data: st.DataObject) -> None:
    case = data.draw(cases(persons=data.draw(st.booleans()), max_sensitive=1))
    drawn = [data.draw(attackers(case)) for _ in range(data.draw(st.integers(1, 3)))]
    models, demands = [model for model, _ in drawn], [demand for _, demand in drawn]
    if data.draw(st.booleans()):
        k = data.draw(st.integers(1, 3))
        models.append(KAnonymity(k))
        demands.append(by_hand.Demand(k, tuple(range(len(case.qi)))))
    requirement = Requirement(
        tuple(models),
        data.draw(st.sampled_from([0.0, 0.1, 0.3, 0.5])),
        whole_persons=data.draw(st.booleans()),
    )
    node = data.draw(nodes(case))
    expected = by_hand.kept(rows_of(case, node), demands, whole_persons=requirement.whole_persons)
    gone = case.n_records - len(expected.left)
    is_within = gone <= requirement.allowed(case.n_records)

    release = make_release(case.project, case.problem, node, requirement)
    assert np.flatnonzero(~release.suppressed).tolist() == expected.left
    assert release.satisfies == is_within
    for report, demand in zip(by_model(case.under(requirement), release), demands, strict=True):
        alone = by_hand.kept(rows_of(case, node), [demand], whole_persons=requirement.whole_persons)
        assert report.suppressed == case.n_records - len(alone.left)
        assert report.met == (report.suppressed <= requirement.allowed(case.n_records))
    profile, explored = score_lattice(case.problem), ExploredProfile(case.problem)
    number, place = case.problem.lattice.number(node), explored.score(node)
    for found, own in ((evaluate(profile, requirement), number), (evaluate(explored, requirement), place)):
        assert bool(found.satisfies[own]) == is_within
        assert found.suppressed[own] == gone
        assert found.kept_classes[own] == release.n_classes
    report = inspect_node(profile, node, requirement)
    assert (report.suppressed, report.rounds) == (gone, expected.rounds)
    assert [model.worst_kept for model in report.models] == expected.k
    assert report.suppressed - report.after_others == expected.first_pass
    causes = suppression_causes(profile, node, requirement)
    for cause in causes.by_attribute:
        hidden = [
            by_hand.Person(
                tuple("" if q == cause.attribute else label for q, label in enumerate(row.labels)),
                row.person,
                row.value,
            )
            for row in rows_of(case, node)
        ]
        then = set(by_hand.kept(hidden, demands, whole_persons=requirement.whole_persons).left)
        assert cause.kept_if_hidden == len(then - set(expected.left))
        assert cause.lost_if_hidden == len(set(expected.left) - then)


def test_an_attacker_who_knows_no_other_columns_any_more_is_dropped_with_the_last_role() -> None:
    case = case_of(REFERENCE[0])
    model = KnownColumns(known=("sex",), k=2)
    project = case.under(Requirement((model, KnownColumns(known=("sex", "zip"), k=2), AnyColumns(m=1))))
    left = edits.set_roles(project, ["sex"], Role.INSENSITIVE)
    assert left.requirement.models == (KnownColumns(known=("zip",), k=2), AnyColumns(m=1))


def test_a_known_column_must_be_quasi_identifying() -> None:
    problem = case_of(REFERENCE[0]).problem
    with pytest.raises(InputError, match="'s' is not a quasi-identifying column"):
        check_model(problem, KnownColumns(known=("s",)))


def test_a_demand_on_values_needs_a_column() -> None:
    with pytest.raises(ParameterError, match="need a sensitive column"):
        AnyColumns(m=2, l=2)
