"""Compiled look-ups against the numpy ones: same integers, same decisions, same metrics."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

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
from engine.scoring.cells.cell_words import CellWords
from engine.scoring.cells.label_sums import Field, PackedSums
from engine.scoring.cells.snapshot import CellSnapshot, ColumnClasses
from engine.scoring.curves import suppression_curve, threshold_curve
from engine.scoring.evaluate import evaluate
from engine.scoring.lookups import size_tables
from engine.scoring.lookups.by_cell import CellLookup
from engine.scoring.lookups.by_size import SizeLookup
from engine.scoring.lookups.by_sorted_cells import SortedLookup
from engine.scoring.lookups.compiled import CompiledLookup
from engine.scoring.walk import worker
from engine.utility import utility_metrics
from tests.adult import anjana_profile
from tests.slow_reference import SlowNode
from tests.strategies import Case, cases, cases_with_requirement, few, modest, nodes, requirements

COUNTED = ("suppressed", "satisfies", "minimal", "scored", "kept_classes", "kept_squares", "kept_k")


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    assert warm_up()


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


class PackedProfile(LatticeProfile):
    """Gives its cells as compiled scoring does: contents instead of measures, label sums in words."""

    def cells(self) -> CellSnapshot:
        plain = super().cells()
        assert isinstance(plain.classes, ColumnClasses)
        measures = [name for name in plain.classes.columns if not isinstance(name, str)]
        rows = np.stack([plain.sizes.astype(float), *(plain.classes.columns[m] for m in measures)])
        _, first, kinds = np.unique(rows, axis=1, return_index=True, return_inverse=True)
        columns: dict[Any, NDArray[Any]] = {m: plain.classes.columns[m][first] for m in measures}
        columns["size"] = sizes = plain.sizes[first]
        kinds = kinds.reshape(-1).astype(np.int32)
        sums = {name: plain.classes.columns[name] for name in plain.classes.columns if name not in columns}
        return replace(
            plain,
            kinds=kinds,
            records=plain.records.astype(np.int32),
            classes=ColumnClasses(self.problem, columns),
            label_sums=packed(sums, sizes, kinds),
        )


def numbered(words: NDArray[np.uint64]) -> CellWords:
    """Words of cells, the different ones once if there are fewer."""
    table, numbers = np.unique(words, axis=1, return_inverse=True)
    if table.shape[1] == words.shape[1]:
        return CellWords.by_cell(words.T.copy())
    return CellWords(table.T.copy(), numbers.reshape(-1).astype(np.int32))


def packed(sums: Mapping[Any, NDArray[Any]], sizes: NDArray[Any], kinds: NDArray[np.int32]) -> PackedSums:
    """Two fields of 31 bits to a word; the widths of numbers in the strategies are multiples of 7."""
    fields, columns = {}, {}
    names = [name for name in sums if isinstance(name, str) and name != "records"]
    words = np.zeros((len(names) // 2 + 1, len(kinds)), dtype=np.uint64)
    for place, name in enumerate(names):
        if place % 5 == 4:
            columns[name] = sums[name]
            continue
        field = Field(place // 2, 31 * (place % 2), 31, 7.0 if sums[name].dtype.kind == "f" else None)
        by_class = sums[name] / sizes[kinds] / (field.scale or 1)
        assert np.array_equal(by_class, np.rint(by_class))
        words[field.word] |= by_class.astype(np.uint64) << np.uint64(field.shift)
        fields[name] = field
    return PackedSums(numbered(words), fields, sizes, kinds, columns)


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


@pytest.mark.parametrize("kind", [LatticeProfile, RecordedProfile, PackedProfile])
def test_any_requirement_is_evaluated_equally_by_kernels_and_by_numpy(kind: type[LatticeProfile]) -> None:
    @modest
    @given(cases_with_requirement())
    def check(judged: tuple[Case, Requirement]) -> None:
        case, requirement = judged
        profile = scored(case, requirement, kind)
        fast = evaluate(profile, requirement)
        assert isinstance(fast.lookup, (CompiledLookup, SizeLookup, SortedLookup))
        with numpy_alone():
            slow = evaluate(profile, requirement)
            assert_equal(fast, slow)

    check()


@pytest.mark.parametrize("kind", [LatticeProfile, RecordedProfile, PackedProfile])
def test_class_sizes_alone_are_looked_up_in_tables(kind: type[LatticeProfile]) -> None:
    @modest
    @given(st.data())
    def check(data: st.DataObject) -> None:
        case = data.draw(cases())
        profile = scored(case, Requirement(), kind)
        weights = data.draw(st.sampled_from([None, np.arange(1.0, 1.0 + len(case.qi))]))
        for _ in range(4):
            sizes = data.draw(st.lists(st.one_of(st.integers(1, 33), st.just(10**9)), max_size=2))
            limit = data.draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
            requirement = Requirement(tuple(KAnonymity(k) for k in sizes), limit)
            fast = evaluate(profile, requirement, weights)
            assert isinstance(fast.lookup, SortedLookup if profile.cells().are_sorted else SizeLookup)
            with numpy_alone():
                assert_equal(fast, evaluate(profile, requirement, weights))

    check()


@few
@given(st.data())
def test_tables_short_of_memory_search_and_sum_instead(data: st.DataObject) -> None:
    case = data.draw(cases())
    k = data.draw(st.integers(1, 12))
    requirement = Requirement((KAnonymity(k),), 0.3)
    with pytest.MonkeyPatch.context() as patch:
        profile = scored(case, requirement, PackedProfile)
        n_states = profile.cells().n_cells + profile.lattice.n_nodes
        patch.setattr(size_tables, "MOST_ROWS", 2)
        patch.setattr(size_tables, "MEMORY", 2 * size_tables.STATE_BYTES * n_states)
        few_tables = evaluate(profile, requirement)
        assert isinstance(few_tables.lookup, SizeLookup)
        patch.setattr(size_tables, "MEMORY", 0)
        profile = scored(case, requirement, PackedProfile)
        no_tables = evaluate(profile, requirement)
        assert isinstance(no_tables.lookup, CompiledLookup)
        with numpy_alone():
            slow = evaluate(profile, requirement)
            assert_equal(few_tables, slow)
            assert_equal(no_tables, slow)


class StopAfter:
    """Cancels at the n-th step."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def step(self, done: int, total: int, text: str = "") -> None:
        self.left -= 1
        if self.left < 0:
            raise CancelledError


@pytest.mark.parametrize("by_node", [True, False], ids=["numpy first", "kernels"])
def test_nodes_scored_so_far_are_evaluated_equally_and_so_is_the_rest_later(by_node: bool) -> None:
    @modest
    @given(st.data())
    def check(data: st.DataObject) -> None:
        case, requirement = data.draw(cases_with_requirement())
        profile = LatticeProfile(case.problem, requirement)
        monitor = StopAfter(data.draw(st.integers(1, case.problem.lattice.n_nodes if by_node else 3)))
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
    profile = scored(
        case, requirement, data.draw(st.sampled_from([LatticeProfile, RecordedProfile, PackedProfile]))
    )
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
        kind = data.draw(st.sampled_from([LatticeProfile, RecordedProfile, PackedProfile]))
        both = [TCloseness(a.name, 0.5, d) for a in case.problem.sensitive for d in distances(a)]
        profile = scored(case, Requirement(tuple(both)), kind)
        for _ in range(10):
            node = data.draw(nodes(case))
            slow, number = SlowNode(case, node), case.problem.lattice.number(node)
            models = attained(data, case, slow)
            requirement = Requirement(tuple(models), data.draw(st.sampled_from([0.0, 0.2, 0.5])))
            expected = slow.under(requirement)
            found = evaluate(profile, requirement)
            assert isinstance(found.lookup, SortedLookup if profile.cells().are_sorted else CompiledLookup)
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
        threshold_curve(profile, Requirement((KAnonymity(2),)), 0, [2, 3], StopAfter(0))
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
