"""What a draft's levels would do to a node is what scoring the whole lattice with that draft says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.advice.level_effects import LevelEffect, level_effects
from engine.errors import CancelledError, HierarchyGapError, InputError
from engine.hierarchies import Hierarchy, editing
from engine.lattice import Node
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.project import AttributeHierarchy, Project, edits
from engine.project.compile import compile_problem, objective_of
from engine.project.project import frozen
from engine.recoding.aggregation import aggregate_functions
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from tests.adult import arx_project
from tests.stopping import Stopping
from tests.strategies import cases_with_requirement, few, hierarchy_rows, nodes

FIVE = Requirement((KAnonymity(5),), 0.05)


@pytest.fixture(scope="module")
def adult() -> Project:
    """Every twentieth record of Adult; sex, age and race, of which age may use its middle levels alone."""
    whole = arx_project(("sex", "age", "race"), "occupation")
    table = whole.table.take(np.arange(0, whole.n_records, 20))
    project = replace(whole, table=table, requirement=FIVE)
    return edits.set_levels(project, "age", 1, 3)


def scored_whole(project: Project, name: str, draft: Hierarchy, node: Node, metric: str) -> list[LevelEffect]:
    """The same from the lattice of all levels."""
    problem = compile_problem(edits.set_hierarchy(project, name, AttributeHierarchy(draft)))
    profile = score_lattice(problem, profile=LatticeProfile(problem, project.requirement))
    evaluation = evaluate(profile, project.requirement, objective_of(project, problem))
    place, values = problem.names.index(name), evaluation.metric(metric)
    found = []
    for level in range(problem.attributes[place].hierarchy.height + 1):
        number = problem.lattice.number((*node[:place], level, *node[place + 1 :]))
        found.append(
            LevelEffect(
                level,
                float(values[number]),
                int(evaluation.suppressed[number]),
                bool(evaluation.is_within[number]),
                bool(evaluation.satisfies[number]),
            )
        )
    return found


def assert_same(found: tuple[LevelEffect, ...], expected: list[LevelEffect]) -> None:
    assert [replace(effect, value=0.0) for effect in found] == [replace(e, value=0.0) for e in expected]
    np.testing.assert_allclose([e.value for e in found], [e.value for e in expected], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("metric", ["loss", "discernibility", "non_uniform_entropy"])
@pytest.mark.parametrize("limit", [0.0, 0.05])
def test_effects_on_adult_equal_those_of_the_whole_lattice(adult: Project, metric: str, limit: float) -> None:
    project = replace(
        adult, requirement=Requirement((KAnonymity(5), TCloseness("occupation", 0.4, "equal")), limit)
    )
    before = project.hierarchies["age"].hierarchy
    draft = editing.merge(editing.remove_level(before, 1), 1, before.levels[2].labels[2:6])
    node = (0, 2, 1)
    found = level_effects(project, "age", draft, node, metric)
    assert len(found) == draft.height + 1  # the levels allowed for age play no part
    assert_same(found, scored_whole(project, "age", draft, node, metric))
    assert len({effect.value for effect in found}) > 2


def test_weights_count_as_in_the_whole_lattice(adult: Project) -> None:
    search = replace(adult.search, weights=frozen({"age": 3.0}))
    project = replace(adult, search=search)
    draft = project.hierarchies["age"].hierarchy
    found = level_effects(project, "age", draft, (1, 1, 0))
    assert_same(found, scored_whole(project, "age", draft, (1, 1, 0), "loss"))
    assert found[1].value != level_effects(adult, "age", draft, (1, 1, 0))[1].value


@few
@given(st.data())
def test_effects_of_any_draft_equal_those_of_the_whole_lattice(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    attribute = data.draw(st.sampled_from(case.qi))
    draft = Hierarchy.from_rows(data.draw(hierarchy_rows([row[0] for row in attribute.rows])))
    node, metric = data.draw(nodes(case)), data.draw(st.sampled_from(["loss", "precision", "aecs"]))
    project = case.under(requirement)
    found = level_effects(project, attribute.name, draft, node, metric)
    assert_same(found, scored_whole(project, attribute.name, draft, node, metric))


def test_a_column_that_is_not_quasi_identifying_is_refused(adult: Project) -> None:
    with pytest.raises(InputError, match="'occupation' is not quasi-identifying"):
        level_effects(adult, "occupation", Hierarchy.identity(["a"]), (0, 1, 0))


def test_a_column_released_as_an_aggregate_is_refused(adult: Project) -> None:
    age = adult.table.column("age")
    function = next(f for kind in aggregate_functions.values() if not (f := kind()).why_not(age))
    project = replace(adult, microaggregation=frozen({"age": function}))
    with pytest.raises(InputError, match="'age' is released as"):
        level_effects(project, "age", adult.hierarchies["age"].hierarchy, (0, 1, 0))


def test_values_without_a_place_are_named(adult: Project) -> None:
    with pytest.raises(HierarchyGapError, match="The hierarchy of '"):
        level_effects(adult, "age", Hierarchy.from_rows([["17", "*"]]), (0, 1, 0))


def test_a_cancelled_question_is_not_answered(adult: Project) -> None:
    with pytest.raises(CancelledError):
        level_effects(adult, "age", adult.hierarchies["age"].hierarchy, (0, 1, 0), monitor=Stopping(done=1))
