"""Look-ups for attackers by kernels, against nodes rolled up one by one in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.frequency import Problem
from engine.kernels.compiled.known_suppression import Space
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.any_columns import AnyColumns
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.known_columns import KnownColumns
from engine.privacy.t_closeness import TCloseness
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.lookups import by_node
from engine.scoring.lookups.by_node import NodeLookup
from engine.scoring.lookups.look_up import Lookup, look_up
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.walk import known_sets, subtrees, tuples
from tests.engine.scoring.edge_tables import EDGES
from tests.strategies import Case, cases, modest, nodes

pytestmark = pytest.mark.usefixtures("warm")


def by_numpy(profile: LatticeProfile, requirement: Requirement) -> NodeLookup:
    """Return the values of all nodes, each rolled up and evaluated without kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuples, "_remaining", lambda *_: None)
        patch.setattr(by_node, "kernels", lambda _name: None)
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
        patch.setattr(known_sets, "MOST_SIZES", data.draw(st.sampled_from([0, 20, 1 << 20])))
        profile = score_lattice(case.problem)
        found = look_up(profile, profile.cells(), requirement)
        expected = by_numpy(profile, requirement)
        assert (found.models is not None) is profile.can_be_compiled
        if found.models is None:
            return
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
    assert found.failing_at_least[number] <= report.suppressed - report.after_others
    satisfies = evaluate(profile, requirement).satisfies
    assert bool(satisfies[number]) == report.satisfies
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuples, "_remaining", lambda *_: None)
        slow = inspect_node(LatticeProfile(case.problem), node, requirement)
    assert (report.suppressed, report.rounds, report.sets) == (slow.suppressed, slow.rounds, slow.sets)
    assert np.array_equal(report.fulfilled, slow.fulfilled)


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
        if found.models is None:
            assert not profile.can_be_compiled or case.problem.measures_parts
            return
        assert_alike(case.problem, found, expected)
        assert (found.failing_at_least <= expected.suppressed).all()
    node = data.draw(nodes(case))
    report = inspect_node(LatticeProfile(case.problem), node, requirement)
    first = found.failing_at_least[case.problem.lattice.number(node)]
    assert first <= report.suppressed - report.after_others
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuples, "_remaining", lambda *_: None)
        slow = inspect_node(LatticeProfile(case.problem), node, requirement)
    assert (report.suppressed, report.rounds, report.sets) == (slow.suppressed, slow.rounds, slow.sets)
    assert np.array_equal(report.fulfilled, slow.fulfilled)


@given(case=cases(min_sensitive=1))
def test_models_that_kernels_do_not_know_are_left_to_numpy(case: Case) -> None:
    profile = score_lattice(case.problem)
    models = AnyColumns(m=1, k=2), TCloseness(case.sensitive[0].name, 0.4, "equal")
    found = look_up(profile, profile.cells(), Requirement(models, 0.5))
    assert found.models is None
