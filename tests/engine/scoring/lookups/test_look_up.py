"""Compiled look-ups against the numpy ones: same integers, same decisions, same metrics."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.frequency import SensitiveAttribute
from engine.frequency.classes import EQUAL, ORDERED
from engine.monitor import SILENT
from engine.params import Integer, Real, describe
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.acceleration import CHOICE, kernels, warm_up
from engine.scoring.evaluate import evaluate
from engine.scoring.lookups import sorted_tables
from engine.scoring.lookups.by_cell import CellLookup
from engine.scoring.lookups.by_sorted_cells import SortedLookup
from engine.scoring.sweep import suppression_curve, threshold_curve
from engine.scoring.walk import worker
from engine.utility import utility_metrics
from tests.adult import anjana_profile
from tests.engine.scoring.edge_tables import huge_halves, huge_sums
from tests.slow_reference import SlowNode
from tests.stopping import Stopping
from tests.strategies import Case, cases, cases_with_requirement, few, modest, nodes, requirements

pytestmark = pytest.mark.usefixtures("warm")

COUNTED = ("suppressed", "satisfies", "minimal", "scored", "kept_classes", "kept_squares", "kept_k")


@contextmanager
def numpy_alone() -> Iterator[None]:
    """Use the reference only."""
    before = os.environ.get(CHOICE)
    os.environ[CHOICE] = "numpy"
    try:
        yield
    finally:
        del os.environ[CHOICE]
        if before is not None:
            os.environ[CHOICE] = before


class RecordedProfile(LatticeProfile):
    """Scored node by node: a column for every measure and label sum."""


def scored(case: Case, requirement: Requirement, kind: type[LatticeProfile]) -> LatticeProfile:
    """Score by numpy, or by kernels for the plain profile."""
    profile = kind(case.problem, requirement)
    if kind is LatticeProfile:
        return score_lattice(case.problem, profile=profile)
    for node, tuples in profile.pending():
        profile.record(node, tuples)
    return profile


def assert_equal(fast: Evaluation, slow: Evaluation) -> None:
    """Assert that integers and decisions are identical, reals within 1e-12."""
    assert type(slow.lookup) is CellLookup
    for name in COUNTED:
        assert np.array_equal(getattr(fast, name), getattr(slow, name)), name
        assert getattr(fast, name).dtype == getattr(slow, name).dtype, name
    for q, attribute in enumerate(fast.problem.attributes):
        assert np.array_equal(fast.kept_leaves(q), slow.kept_leaves(q))
        if attribute.numeric_width is not None:
            assert fast.kept_spans(q) == pytest.approx(slow.kept_spans(q), rel=1e-12, abs=1e-9)
    for key in utility_metrics:
        assert fast.optimum(key) == slow.optimum(key), key
        assert fast.metric(key) == pytest.approx(slow.metric(key), rel=1e-12, abs=1e-15, nan_ok=True), key


@pytest.mark.parametrize("kind", [LatticeProfile, RecordedProfile])
@modest
@given(judged=cases_with_requirement())
def test_any_requirement_is_evaluated_equally_by_kernels_and_by_numpy(
    kind: type[LatticeProfile], judged: tuple[Case, Requirement]
) -> None:
    case, requirement = judged
    profile = scored(case, requirement, kind)
    fast = evaluate(profile, requirement)
    with numpy_alone():
        slow = evaluate(profile, requirement)
        assert_equal(fast, slow)


@pytest.mark.parametrize("kind", [LatticeProfile, RecordedProfile])
@modest
@given(data=st.data())
def test_class_sizes_alone_are_looked_up_in_tables(kind: type[LatticeProfile], data: st.DataObject) -> None:
    case = data.draw(cases())
    profile = scored(case, Requirement(), kind)
    weights = data.draw(st.sampled_from([None, np.arange(1.0, 1.0 + len(case.qi))]))
    for _ in range(4):
        sizes = data.draw(st.lists(st.one_of(st.integers(1, 33), st.just(10**9)), max_size=2))
        limit = data.draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
        requirement = Requirement(tuple(KAnonymity(k) for k in sizes), limit)
        fast = evaluate(profile, requirement, weights)
        assert isinstance(fast.lookup, SortedLookup if profile.cells().are_sorted else CellLookup)
        with numpy_alone():
            assert_equal(fast, evaluate(profile, requirement, weights))


@pytest.mark.parametrize("make", [huge_sums, huge_halves])
def test_sums_of_reals_are_looked_up_equally(make: Callable[[], Case]) -> None:
    profile = score_lattice(make().problem)
    sums = profile.cells().label_sums
    assert sums.columns
    for k in (1, 2, 5, 10**9):
        fast = evaluate(profile, Requirement((KAnonymity(k),), 0.5))
        assert isinstance(fast.lookup, SortedLookup)
        with numpy_alone():
            assert_equal(fast, evaluate(profile, fast.requirement))


@few
@given(cases_with_requirement())
def test_required_sizes_without_a_row_or_a_table_are_looked_up_equally(
    judged: tuple[Case, Requirement],
) -> None:
    case, requirement = judged
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_tables, "MOST_ROWS", 2)
        searched = evaluate(score_lattice(case.problem), requirement)
        patch.setattr(sorted_tables, "MEMORY", 0)
        read = evaluate(score_lattice(case.problem), requirement)
        assert isinstance(read.lookup, CellLookup)
        for fast in (searched, read):
            with numpy_alone():
                assert_equal(fast, evaluate(fast.profile, requirement))


@pytest.mark.parametrize("by_node", [True, False], ids=["numpy first", "kernels"])
def test_nodes_scored_so_far_are_evaluated_equally_and_so_is_the_rest_later(by_node: bool) -> None:
    @modest
    @given(st.data())
    def check(data: st.DataObject) -> None:
        case, requirement = data.draw(cases_with_requirement())
        profile = LatticeProfile(case.problem, requirement)
        monitor = Stopping(data.draw(st.integers(2, case.problem.lattice.n_nodes + 1 if by_node else 4)))
        # kernels report less often than nodes are scored, and may be done before they are cancelled
        with pytest.raises(CancelledError) if by_node else suppress(CancelledError):
            score_lattice(case.problem, monitor, profile, node_by_node=by_node)
        for _ in range(2):
            fast = evaluate(profile, requirement)
            with numpy_alone():
                assert_equal(fast, evaluate(profile, requirement))
            score_lattice(case.problem, profile=profile)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "BUDGET", 0)  # a node at a time
        check()


@modest
@given(st.data())
def test_curves_are_equal_and_agree_with_evaluations(data: st.DataObject) -> None:
    case = data.draw(cases())
    requirement = data.draw(requirements(case))
    profile = scored(case, requirement, data.draw(st.sampled_from([LatticeProfile, RecordedProfile])))
    limits = [0.0, 0.1, 0.29, 0.5, 1.0]
    with numpy_alone():
        expected = suppression_curve(profile, requirement, limits)
    assert np.array_equal(suppression_curve(profile, requirement, limits), expected)
    for index, model in enumerate(requirement.models):
        grid = around(model)
        counts = threshold_curve(profile, requirement, index, grid)
        with numpy_alone():
            assert np.array_equal(counts, threshold_curve(profile, requirement, index, grid))
            turned = [evaluate(profile, requirement.with_limit(index, value)) for value in grid]
        assert counts.tolist() == [evaluation.n_satisfying for evaluation in turned]


def around(model: PrivacyModel) -> list[float]:
    """Thresholds it may have, including its own."""
    limits = next(p for p in describe(type(model)) if p.name == model.threshold_name)
    assert isinstance(limits, (Integer, Real))
    low, high = float(limits.minimum or 0), float(limits.maximum or 1e9)
    values = {min(max(model.limit * factor, low), high) for factor in (0.4, 0.8, 1, 1.25, 2)}
    return sorted({round(value) for value in values} if isinstance(limits, Integer) else values)


def test_joint_thresholds_attained_exactly_are_counted_as_the_definitions_count_them() -> None:
    checked = 0

    @modest
    @given(st.data())
    def check(data: st.DataObject) -> None:
        nonlocal checked
        case = data.draw(cases(min_sensitive=1, max_qi=2, max_height=2))
        kind = data.draw(st.sampled_from([LatticeProfile, RecordedProfile]))
        both = [TCloseness(a.name, 0.5, d) for a in case.problem.sensitive for d in distances(a)]
        profile = scored(case, Requirement(tuple(both)), kind)
        for _ in range(10):
            node = data.draw(nodes(case))
            slow, number = SlowNode(case, node), case.problem.lattice.number(node)
            models = attained(data, case, slow)
            requirement = Requirement(tuple(models), data.draw(st.sampled_from([0.0, 0.2, 0.5])))
            expected = slow.under(requirement)
            found = evaluate(profile, requirement)
            assert type(found.lookup) is (SortedLookup if profile.cells().are_sorted else CellLookup)
            assert found.suppressed[number] == expected.suppressed
            assert bool(found.satisfies[number]) is expected.satisfies
            checked += 1

    check()
    assert checked >= 8 * modest.max_examples


def distances(attribute: SensitiveAttribute) -> list[str]:
    """The distances that the slow reference knows."""
    return [distance for distance in attribute.distances if distance in (EQUAL, ORDERED)]


def attained(data: st.DataObject, case: Case, slow: SlowNode) -> list[PrivacyModel]:
    """k, l and t, each at a value that some class of the node has exactly."""
    models: list[PrivacyModel] = [KAnonymity(data.draw(st.sampled_from(slow.sizes)))]
    for attribute in case.problem.sensitive:
        models.append(
            DistinctLDiversity(attribute.name, data.draw(st.sampled_from(slow.distinct(attribute.name))))
        )
        distance = data.draw(st.sampled_from(distances(attribute)))
        t = data.draw(st.sampled_from(slow.distances(attribute.name, distance)))
        models.append(TCloseness(attribute.name, float(t), distance))
    return models


def test_without_a_warm_up_numpy_serves_and_numba_is_not_imported() -> None:
    code = (
        "import sys; import engine.scoring; from engine.scoring.acceleration import kernels;"
        "assert kernels() is None; assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_numpy_can_be_requested() -> None:
    assert kernels() is not None
    with numpy_alone():
        assert kernels() is None
        assert not warm_up()


def test_where_numba_is_missing_numpy_serves() -> None:
    code = (
        "import sys; sys.modules['numba'] = None; from engine.scoring.acceleration import kernels, warm_up;"
        "assert not warm_up(); assert kernels() is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_curve_can_be_cancelled() -> None:
    profile = anjana_profile(("age", "education"))
    with pytest.raises(CancelledError):
        threshold_curve(profile, Requirement((KAnonymity(2),)), 0, [2, 3], Stopping())
    assert len(threshold_curve(profile, Requirement((KAnonymity(2),)), 0, [2, 3], SILENT)) == 2


def test_threads_that_ask_at_the_same_time_get_the_same() -> None:
    problem = anjana_profile(("age", "education")).problem
    with numpy_alone():
        expected = judged_by_many_sizes(anjana_profile(("age", "education")), 0)
    for _ in range(5):
        profile = score_lattice(problem)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda turn, of=profile: judged_by_many_sizes(of, turn), range(8)))
        assert all(one == expected for one in found)


def judged_by_many_sizes(profile: LatticeProfile, turn: int) -> dict[int, tuple[int, int | None]]:
    """Satisfying nodes and optimum by required size, requested in any order."""
    answers = {}
    for k in np.roll([2, 5, 10, 50, 300], turn).tolist():
        evaluation = evaluate(profile, Requirement((KAnonymity(k),), 0.1))
        answers[k] = (evaluation.n_satisfying, evaluation.optimum("loss"))
    return answers


def test_cached_values_of_a_profile_are_freed_with_it() -> None:
    profile = score_lattice(anjana_profile(("age", "education")).problem)
    evaluate(profile, Requirement((KAnonymity(3),))).optimum("loss")
    alive = weakref.ref(profile)
    del profile
    gc.collect()
    assert alive() is None
