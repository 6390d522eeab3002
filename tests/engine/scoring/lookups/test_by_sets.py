"""Look-ups for attackers by kernels, against nodes rolled up one by one in numpy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency import Problem
from engine.kernels.compiled.known_groups import Space
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.any_columns import AnyColumns
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.known_columns import KnownColumns
from engine.privacy.t_closeness import TCloseness
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.acceleration import warm_up
from engine.scoring.evaluate import evaluate
from engine.scoring.lookups.by_node import NodeLookup
from engine.scoring.lookups.by_sets import SetLookup
from engine.scoring.lookups.look_up import Lookup, look_up
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.walk import known_cores, known_sets, subtrees, tuples
from tests.engine.scoring.edge_tables import EDGES
from tests.strategies import Case, cases, modest, nodes


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    assert warm_up()


def by_numpy(profile: LatticeProfile, requirement: Requirement) -> NodeLookup:
    """Return the values of all nodes, each rolled up and evaluated without kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuples, "_remaining", lambda *_: None)
        found = NodeLookup(profile, requirement, profile.cells().nodes)
        _computed = found.suppressed
    return found


def assert_alike(problem: Problem, found: Lookup, expected: Lookup) -> None:
    """Check all values of two look-ups."""
    for name in ("suppressed", "kept_classes", "kept_squares", "kept_sizes", "kept_k"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    for q, attribute in enumerate(problem.attributes):
        assert np.array_equal(found.kept_leaves(q), expected.kept_leaves(q))
        if attribute.numeric_width is not None:
            assert found.kept_spans(q) == pytest.approx(expected.kept_spans(q), rel=1e-12)


@st.composite
def of_sizes(draw: st.DrawFn, case: Case) -> tuple[PrivacyModel, ...]:
    """Draw attackers who count records only, perhaps with k-anonymity."""
    names = tuple(attribute.name for attribute in case.qi)
    models: list[PrivacyModel] = [
        AnyColumns(m=draw(st.integers(1, len(names) + 1)), k=draw(st.integers(1, 6)))
        if draw(st.booleans())
        else KnownColumns(
            known=tuple(draw(st.lists(st.sampled_from(names), unique=True))), k=draw(st.integers(1, 6))
        )
        for _unused in range(draw(st.integers(1, 3)))
    ]
    return (*models, KAnonymity(draw(st.integers(1, 4)))) if draw(st.booleans()) else tuple(models)


@modest
@given(data=st.data())
def test_kernels_find_what_numpy_finds(data: st.DataObject) -> None:
    case = data.draw(cases(max_sensitive=1))
    requirement = Requirement(data.draw(of_sizes(case)), data.draw(st.sampled_from([0.0, 0.2, 0.5])))
    with pytest.MonkeyPatch.context() as patch:  # few subtrees, or many; keys that do not fit a table
        patch.setattr(subtrees, "ENOUGH_SUBTREES", data.draw(st.sampled_from([1, 2, 12])))
        patch.setattr(known_sets, "CELL_ROOM", data.draw(st.sampled_from([1, 64])))
        patch.setattr(known_sets, "MOST_SIZES", data.draw(st.sampled_from([0, 20, 1 << 20])))
        profile = score_lattice(case.problem)
        found = look_up(profile, profile.cells(), requirement)
        expected = by_numpy(profile, requirement)
        if not profile.can_be_compiled:
            assert isinstance(found, NodeLookup)
            return
        assert isinstance(found, SetLookup)
        bounded = found.bounded(requirement.allowed(case.n_records))
        exact = expected.suppressed
        assert (bounded.at_least <= exact).all()
        assert np.array_equal(bounded.at_least[bounded.is_exact], exact[bounded.is_exact])
        assert (bounded.is_exact | (bounded.at_least > requirement.allowed(case.n_records))).all()
        some = np.flatnonzero(np.arange(len(exact)) % 2)
        assert_alike(case.problem, found.at(some), expected.at(some))
        assert_alike(case.problem, found, expected)
    node = data.draw(nodes(case))
    report = inspect_node(LatticeProfile(case.problem), node, requirement)
    number = case.problem.lattice.number(node)
    assert found.failing_first[number] == report.suppressed - report.after_others
    satisfies = evaluate(profile, requirement).satisfies
    assert bool(satisfies[number]) == report.satisfies
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuples, "_remaining", lambda *_: None)
        slow = inspect_node(LatticeProfile(case.problem), node, requirement)
    assert (report.suppressed, report.rounds, report.sets) == (slow.suppressed, slow.rounds, slow.sets)
    assert np.array_equal(report.fulfilled, slow.fulfilled)


@modest
@given(data=st.data())
def test_turned_class_sizes_and_limits_are_looked_up(data: st.DataObject) -> None:
    case = data.draw(cases(max_sensitive=0))
    models, n = data.draw(of_sizes(case)), case.n_records
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subtrees, "ENOUGH_SUBTREES", data.draw(st.sampled_from([1, 2, 12])))
        patch.setattr(known_cores, "CELL_ROOM", data.draw(st.sampled_from([1, 64])))
        patch.setattr(known_cores, "MOST_CELL_BYTES", data.draw(st.sampled_from([0, 1 << 20, 1 << 20])))
        patch.setattr(known_cores, "TOP", data.draw(st.sampled_from([3, 100])))
        profile = score_lattice(case.problem)
        before = evaluate(profile, Requirement(models, data.draw(st.sampled_from([0.0, 0.2, 0.5]))))
        before.prepare_turns()
        assert before.has_turns
        turned = data.draw(st.integers(0, len(models) - 1))
        k = data.draw(st.integers(1, n + 1))
        changed = replace(models[turned], k=k)
        after = (*models[:turned], changed, *models[turned + 1 :])
        exact = by_numpy(profile, Requirement(after)).suppressed
        attained = data.draw(st.sampled_from(sorted(set(exact.tolist()))))  # a limit that some node attains
        requirement = Requirement(after, min((attained + 0.5) / n, 1.0))
        found = look_up(profile, profile.cells(), requirement)
        if not profile.can_be_compiled:
            return
        assert isinstance(found, SetLookup)
        bounded = found.bounded(attained)
        assert (bounded.at_least <= exact).all()
        assert np.array_equal(bounded.at_least[bounded.is_exact], exact[bounded.is_exact])
        assert (bounded.is_exact | (bounded.at_least > attained)).all()
        assert np.array_equal(evaluate(profile, requirement).satisfies, exact <= attained)
        some = np.flatnonzero(np.arange(len(exact)) % 2)
        expected = by_numpy(profile, requirement)
        assert_alike(case.problem, found.at(some), expected.at(some))
        assert_alike(case.problem, found, expected)


def test_what_turns_read_is_made_for_the_class_size_of_every_model() -> None:
    problem = EDGES["heights_of_one"]().problem
    models = AnyColumns(m=1, k=2), KnownColumns(known=problem.names[:1], k=3), KAnonymity(2)
    profile = score_lattice(problem)
    evaluation = evaluate(profile, Requirement(models, 0.1))
    assert not evaluation.has_turns
    evaluation.prepare_turns()
    for number, model in enumerate(models):
        turned = replace(model, k=model.k + 1)
        further = evaluate(profile, Requirement((*models[:number], turned, *models[number + 1 :]), 0.1))
        assert further.has_turns is False, "its other models are turned from another place"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(known_sets.WalkedSets, "repeated", None)  # nothing is repeated
            assert further.bounded.is_exact.any()


@pytest.mark.parametrize("name", ["one_record", "one_class", "one_attribute", "heights_of_one"])
def test_unusual_tables_are_the_same_too(name: str) -> None:
    problem = EDGES[name]().problem
    requirement = Requirement((AnyColumns(m=2, k=3), KAnonymity(2)), 0.1)
    profile = score_lattice(problem)
    found = look_up(profile, profile.cells(), requirement)
    assert_alike(problem, found, by_numpy(profile, requirement))


def test_groups_by_keys_beyond_the_table_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    @given(cases())
    def check(case: Case) -> None:
        names = tuple(attribute.name for attribute in case.qi)
        requirement = Requirement((KnownColumns(known=names[:2], k=2),), 0.5)
        profile = score_lattice(case.problem)
        if not profile.can_be_compiled:
            return
        found = look_up(profile, profile.cells(), requirement)
        assert_alike(case.problem, found, by_numpy(profile, requirement))

    def small(n_base: int, *sizes: int, **kinds: Any) -> Space:
        space = made(n_base, *sizes, **kinds)
        return space._replace(table=np.full(max(2, 1 << n_base.bit_length()), -1, dtype=np.int32))

    made = known_sets.make_space
    monkeypatch.setattr(known_sets, "MOST_CELLS", 0)  # nothing is tabulated
    monkeypatch.setattr(known_sets, "make_space", small)
    check()


def test_sizes_beyond_those_told_apart_are_a_lower_bound() -> None:
    @given(cases())
    def check(case: Case) -> None:
        requirement = Requirement((AnyColumns(m=1, k=9),), 1.0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(known_sets, "SIZE_BITS", 2)
            profile = score_lattice(case.problem)
            found = look_up(profile, profile.cells(), requirement)
            if isinstance(found, SetLookup):
                first = found.failing_first
                assert (first <= found.suppressed).all()
            evaluation = evaluate(profile, requirement)
            assert np.array_equal(evaluation.suppressed, by_numpy(profile, requirement).suppressed)

    check()


@modest
@given(data=st.data())
def test_kernels_find_what_numpy_finds_of_values(data: st.DataObject) -> None:
    case = data.draw(cases(min_sensitive=1))
    names = tuple(attribute.name for attribute in case.qi)
    models: list[PrivacyModel] = []
    for _unused in range(data.draw(st.integers(1, 2))):
        column = data.draw(st.sampled_from(case.sensitive))
        demand: dict[str, Any] = {
            "k": data.draw(st.integers(1, 4)),
            "column": column.name,
            "l": data.draw(st.integers(1, 3)),
            "confidence": data.draw(st.sampled_from([0.5, 0.6, 0.75, 1.0])),
            "values": tuple(data.draw(st.lists(st.sampled_from(column.texts), unique=True))),
        }
        models.append(
            AnyColumns(m=data.draw(st.integers(1, len(names))), **demand)
            if data.draw(st.booleans())
            else KnownColumns(known=data.draw(st.sampled_from([(), names[:1], names[-2:]])), **demand)
        )
    if data.draw(st.booleans()):
        models.append(DistinctLDiversity(case.sensitive[0].name, 2))
    if data.draw(st.booleans()):
        models.append(KAnonymity(2))
    requirement = Requirement(tuple(models), data.draw(st.sampled_from([0.0, 0.3, 0.5])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subtrees, "ENOUGH_SUBTREES", data.draw(st.sampled_from([1, 2, 12])))
        profile = score_lattice(case.problem)
        found = look_up(profile, profile.cells(), requirement)
        expected = by_numpy(profile, requirement)
        if not isinstance(found, SetLookup):
            assert not profile.can_be_compiled or case.problem.measures_parts
            return
        assert_alike(case.problem, found, expected)
        assert (found.failing_first <= expected.suppressed).all()
    node = data.draw(nodes(case))
    report = inspect_node(LatticeProfile(case.problem), node, requirement)
    assert found.failing_first[case.problem.lattice.number(node)] == report.suppressed - report.after_others
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuples, "_remaining", lambda *_: None)
        slow = inspect_node(LatticeProfile(case.problem), node, requirement)
    assert (report.suppressed, report.rounds, report.sets) == (slow.suppressed, slow.rounds, slow.sets)
    assert np.array_equal(report.fulfilled, slow.fulfilled)


def test_models_that_kernels_do_not_know_are_left_to_numpy() -> None:
    @given(cases(min_sensitive=1))
    def check(case: Case) -> None:
        profile = score_lattice(case.problem)
        models = AnyColumns(m=1, k=2), TCloseness(case.sensitive[0].name, 0.4, "equal")
        assert isinstance(look_up(profile, profile.cells(), Requirement(models, 0.5)), NodeLookup)

    check()
