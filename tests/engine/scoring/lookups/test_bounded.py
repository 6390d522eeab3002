"""Bounded look-ups against a pass over all cells: equal where nodes satisfy, a lower bound elsewhere."""

from __future__ import annotations

import weakref
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.privacy import PrivacyModel, Requirement, privacy_models
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.lookups import look_up, sorted_tables, turned_threshold
from engine.scoring.lookups.by_cell import CellLookup
from engine.scoring.lookups.by_sorted_cells import SortedLookup
from engine.scoring.walk import worker
from engine.utility import utility_metrics
from tests.engine.scoring.lookups.test_look_up import numpy_alone
from tests.stopping import Stopping
from tests.strategies import Case, cases, cases_with_requirement, few, modest

pytestmark = pytest.mark.usefixtures("warm")

LIMITS = [0.0, 0.05, 0.1, 0.3, 0.5, 1.0]
QUICK = [key for key, metric in utility_metrics.items() if not metric.costly]


def by_full_pass(profile: LatticeProfile, requirement: Requirement) -> Evaluation:
    """Evaluate without the tables that let a look-up stop at the limit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(look_up, "_sorted_tables", lambda *_unused: None)
        found = evaluate(profile, requirement)
    assert not isinstance(found.lookup, SortedLookup)
    return found


def assert_bounded(profile: LatticeProfile, requirement: Requirement) -> None:
    """Assert that a turn equals a full pass, bit for bit, and that the values completed later do."""
    full, turned = by_full_pass(profile, requirement), evaluate(profile, requirement)
    satisfies = full.satisfies
    inherits = "suppressed" in turned.__dict__  # from an evaluation that differs in the limit only
    assert np.array_equal(turned.satisfies, satisfies)
    assert np.array_equal(turned.is_within, full.is_within)
    assert np.array_equal(turned.minimal, full.minimal)
    bounded = turned.bounded
    assert np.array_equal(bounded.at_least[bounded.is_exact], full.suppressed[bounded.is_exact])
    assert (bounded.at_least <= full.suppressed).all()
    assert bounded.is_exact[full.is_within].all()
    assert (bounded.at_least > turned.allowed)[~bounded.is_exact].all()
    for key in QUICK:
        values = full.metric(key)
        assert np.array_equal(turned.metric_of_satisfying(key)[satisfies], values[satisfies], equal_nan=True)
        assert np.isnan(turned.metric_of_satisfying(key)[~satisfies]).all()
        assert turned.optimum(key) == full.optimum(key), key
    assert ("suppressed" in turned.__dict__) is inherits
    for key in QUICK:
        turned.complete(key)
        assert turned.is_complete_for(key)
        assert np.array_equal(turned.metric(key), full.metric(key), equal_nan=True), key
    assert np.array_equal(turned.suppressed, full.suppressed)


def attained_models(data: st.DataObject, profile: LatticeProfile) -> list[PrivacyModel]:
    """Draw registered models that cells decide, each at a threshold that some class has exactly."""
    problem, classes = profile.problem, profile.cells().classes
    columns: list[str] = [attribute.name for attribute in problem.sensitive]
    models: list[PrivacyModel] = []
    for member in data.draw(st.lists(st.sampled_from(list(privacy_models.values())), max_size=3)):
        model = member() if "column" not in member.__dataclass_fields__ else None  # type: ignore[attr-defined]
        if model is None:
            if not columns:
                continue
            model = member(column=data.draw(st.sampled_from(columns)))  # type: ignore[call-arg]
        if (
            model.needs_people
            or model.needs_weights
            or model.is_of_attackers
            or not profile.covers(Requirement((model,)))
        ):
            continue
        if not model.is_table_wide:
            critical = model.critical(classes)[classes.sizes > 0]
            critical = np.unique(critical[np.isfinite(critical)])
            allowed = [value for value in critical.tolist() if is_valid(model, value)]
            if allowed:
                model = model.with_limit(data.draw(st.sampled_from(allowed)))
        models.append(model)
    return models


def is_valid(model: PrivacyModel, limit: float) -> bool:
    parameter = model.threshold_parameter()
    low, high = parameter.minimum, parameter.maximum  # type: ignore[attr-defined]
    return (low is None or limit >= low) and (high is None or limit <= high)


@modest
@given(st.data())
def test_a_turn_equals_a_pass_over_all_cells_for_any_registered_models(data: st.DataObject) -> None:
    case = data.draw(cases(min_sensitive=1))
    profile = score_lattice(case.problem)
    n_records = case.problem.n_records
    for _ in range(3):
        models = attained_models(data, profile)
        sizes = st.sampled_from([None, 1, 2, 3, 4, 6, n_records, n_records + 1, 10**9])
        turns = st.lists(st.tuples(sizes, st.sampled_from(LIMITS)), min_size=1, max_size=4)
        for k, limit in data.draw(turns):  # each continues with the cells that earlier turns have read
            by_size = [] if k is None else [KAnonymity(k)]
            requirement = Requirement((*by_size, *models), limit)
            assert isinstance(evaluate(profile, requirement).lookup, SortedLookup)
            assert_bounded(profile, requirement)


@modest
@given(st.data())
def test_a_turn_from_rest_reads_no_cell_and_equals_a_pass_over_all_cells(data: st.DataObject) -> None:
    profile = score_lattice(data.draw(cases(min_sensitive=1)).problem)
    models = [m for m in attained_models(data, profile) if type(m).fulfilled is PrivacyModel.fulfilled]
    rest = Requirement(
        (KAnonymity(data.draw(st.integers(1, 6))), *models), data.draw(st.sampled_from(LIMITS))
    )
    with pytest.MonkeyPatch.context() as patch:
        if data.draw(st.booleans()):  # sums that take too much memory are not made
            patch.setattr("engine.scoring.lookups.turned_threshold.MEMORY", 0)
        evaluate(profile, rest).prepare_turns()
        is_made = turned_threshold.MEMORY > 0
    assert evaluate(profile, rest).has_turns
    with pytest.MonkeyPatch.context() as patch:
        if is_made:
            patch.delattr(sorted_tables.SortedTables, "follow_limit")
        for index, model in enumerate(rest.models if models else ()):
            scale = 10 ** getattr(model.threshold_parameter(), "decimals", 0)
            value = (round(model.limit * scale) + data.draw(st.integers(-3, 3))) / scale
            if is_valid(model, value):
                turned = rest.with_limit(index, value)
                if index == 0 or turned.k == rest.k:  # some models require another size with their threshold
                    assert_bounded(profile, turned)


@few
@given(cases_with_requirement(min_sensitive=1))
def test_numpy_alone_evaluates_a_turn_equally(judged: tuple[Case, Requirement]) -> None:
    case, requirement = judged
    fast = evaluate(score_lattice(case.problem), requirement)
    with numpy_alone():
        profile = score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))
        slow = evaluate(profile, requirement)
        assert type(slow.lookup) is CellLookup
        assert np.array_equal(fast.satisfies, slow.satisfies)
        within = slow.is_within
        assert np.array_equal(fast.bounded.at_least[within], slow.bounded.at_least[within])
        assert slow.bounded.is_exact.all()
        for key in QUICK:
            values = slow.metric(key)
            found = evaluate(profile, requirement).metric_of_satisfying(key)
            assert np.array_equal(found[slow.satisfies], values[slow.satisfies], equal_nan=True)
            assert fast.optimum(key) == slow.optimum(key)


def test_a_half_scored_lattice_is_turned_equally_and_so_is_the_rest_later() -> None:
    @few
    @given(st.data())
    def check(data: st.DataObject) -> None:
        case, requirement = data.draw(cases_with_requirement(min_sensitive=1))
        profile = LatticeProfile(case.problem, requirement)
        with suppress(CancelledError):
            score_lattice(case.problem, Stopping(data.draw(st.integers(2, 4))), profile)
        for _ in range(2):
            assert_bounded(profile, requirement)
            score_lattice(case.problem, profile=profile)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "BUDGET", 0)  # a node at a time
        check()


@few
@given(cases_with_requirement(min_sensitive=1), st.integers(0, 2))
def test_completing_in_steps_can_be_cancelled_and_repeated(
    judged: tuple[Case, Requirement], steps: int
) -> None:
    case, requirement = judged
    profile = score_lattice(case.problem)
    full = by_full_pass(profile, requirement)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.scoring.evaluate.NODES_AT_ONCE", 1)
        turned = evaluate(profile, requirement)
        is_known = turned.bounded.is_exact.all()  # nothing is left but a look-up
        n_steps = 0 if is_known else int((~full.satisfies).sum())
        try:
            turned.complete("loss", Stopping(steps + 1))
            assert n_steps <= steps
        except CancelledError:
            assert n_steps > steps
            assert "suppressed" not in turned.__dict__
        turned.complete("loss")
    assert np.array_equal(turned.suppressed, full.suppressed)
    assert np.array_equal(turned.metric("loss"), full.metric("loss"))


@few
@given(cases(min_sensitive=1))
def test_cells_are_sorted_by_class_size_without_changing_a_node(case: Case) -> None:
    cells = score_lattice(case.problem).cells()
    assert cells.are_sorted
    bounds = np.append(cells.starts, cells.n_cells)
    for first, last in pairwise(bounds):
        sizes = cells.sizes[first:last]
        assert (np.diff(sizes) >= 0).all()
        assert cells.records[first:last].sum() == case.problem.n_records


@few
@given(cases_with_requirement(min_sensitive=1))
def test_scores_are_freed_with_their_last_evaluation(judged: tuple[Case, Requirement]) -> None:
    """Scores take hundreds of megabytes, which must not wait for a garbage collection."""
    case, requirement = judged
    profile = score_lattice(case.problem)
    turned = evaluate(profile, requirement)
    turned.complete("loss")
    alive = weakref.ref(profile)
    del profile, turned
    assert alive() is None
