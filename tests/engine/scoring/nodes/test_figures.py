"""Values of models at every node agree with an inspection of each node alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.privacy import Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.average_risk import AverageRisk
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.records import Kind
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.nodes import kept as module
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.nodes.kept import SATISFIES, SUPPRESSED, figure_models, node_figures, what_fails
from tests.strategies import Attributes, Case, cases_with_requirement, few

AGES = (("30", "30-39", "*"), ("35", "30-39", "*"), ("41", "40-49", "*"))
CASE = Case(
    (Attributes("age", ("30", "35", "41", "41", "30"), Kind.INTEGER, AGES),),
    (Attributes("visits", ("1", "2", "3", "1", "1"), Kind.INTEGER),),
)


@few
@given(st.data())
def test_values_of_all_nodes_are_those_of_each_single_node(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement(min_sensitive=1))
    problem = case.problem
    profile = score_lattice(problem, profile=LatticeProfile(problem, requirement))
    evaluation = evaluate(profile, requirement)
    figures = node_figures(evaluation)
    models = figure_models(problem, requirement)
    column = problem.sensitive[0].name
    for number in range(problem.lattice.n_nodes):
        node = problem.lattice.node(number)
        report = inspect_node(profile, node, requirement)
        every = inspect_node(profile, node, Requirement())
        known = {(value.key, value.column): value.value for value in report.values}
        whole = {(value.key, value.column): value.value for value in every.values}
        is_kept = report.kept_classes > 0
        assert np.isnan(figures["k"][number]) == (not is_kept)
        if is_kept:
            assert figures["k"][number] == report.kept_k
            assert figures[f"l.{column}"][number] == known["distinct_l_diversity", column]
            assert figures[f"t.{column}"][number] == known["t_closeness", column]
        assert figures["classes"][number] == report.kept_classes
        assert figures["all k"][number] == every.kept_k
        assert figures["all classes"][number] == len(report.sizes)
        assert figures[f"all l.{column}"][number] == whole["distinct_l_diversity", column]
        for name, model in models.items():
            for entry in report.models:
                if entry.model == model:
                    found = figures[name][number]
                    expected = (
                        None if entry.worst_kept is None else pytest.approx(entry.worst_kept, rel=1e-12)
                    )
                    assert (None if np.isnan(found) else found) == expected


def test_models_of_a_requirement_have_a_column_of_their_own_once() -> None:
    column = "visits"
    requirement = Requirement(
        (
            KAnonymity(2),
            DistinctLDiversity(column, 2),
            TCloseness(column, 0.5, "equal"),
            TCloseness(column, 0.5, "ordered"),
            AverageRisk(0.5),
        )
    )
    models = figure_models(CASE.problem, requirement)
    assert list(models) == [f"l.{column}", f"t.{column}", f"t.{column} 2", "average risk"]
    assert models[f"t.{column}"].distance == "equal"  # type: ignore[attr-defined]
    assert models[f"t.{column} 2"].distance == "ordered"  # type: ignore[attr-defined]


def test_a_column_that_ends_in_a_number_does_not_take_the_name_of_another() -> None:
    visits = Attributes("visits", ("1", "2", "3", "1", "1"), Kind.INTEGER)
    case = Case(CASE.qi, (visits, replace(visits, name="visits 2")))
    wanted = (AlphaKAnonymity("visits 2", 0.5, 2), AlphaKAnonymity("visits", 0.5, 2))
    models = figure_models(case.problem, Requirement((*wanted, AlphaKAnonymity("visits", 0.7, 3))))
    assert [model.limit for name, model in models.items() if name.startswith("α")] == [0.5, 0.5, 0.7]
    assert models["α.visits 2"] is wanted[0]
    assert models["α.visits"] is wanted[1]


def test_few_cells_at_a_time_give_the_same_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = evaluate(score_lattice(CASE.problem), Requirement((KAnonymity(2),)))
    whole = node_figures(evaluation)
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 1)
    for name, values in node_figures(evaluation).items():
        np.testing.assert_array_equal(values, whole[name])


@few
@given(st.data())
def test_a_failing_node_names_the_first_condition_that_a_single_node_misses(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement(min_sensitive=1))
    profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
    evaluation = evaluate(profile, requirement)
    reasons, values = what_fails(evaluation)
    assert ((reasons == SATISFIES) == evaluation.satisfies).all()
    for number in np.flatnonzero(reasons >= 0).tolist():
        entries = inspect_node(profile, case.problem.lattice.node(number), requirement).models
        chosen = entries[reasons[number]]
        if chosen.model.is_table_wide:
            assert not chosen.holds
            assert values[number] == pytest.approx(chosen.worst_kept)
        else:
            assert evaluation.allowed == 0
            assert values[number] == chosen.worst
            assert chosen.n_missing
            assert not any(e.n_missing for e in entries[: reasons[number]] if not e.model.is_of_attackers)
    assert (evaluation.suppressed[reasons == SUPPRESSED] > evaluation.allowed).all()
