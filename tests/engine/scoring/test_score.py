"""Scoring that is cancelled and continued, node by node and in the steps of kernels."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.scoring import LatticeProfile, score_lattice
from tests.conftest import ROOT
from tests.strategies import Attributes, Case, cases, modest


class Recorder:
    """Records progress; cancels at the given numbers of its own steps."""

    def __init__(self, stops: set[int]) -> None:
        self.steps: list[tuple[int, int]] = []
        self.stops = stops

    def step(self, done: int, total: int, text: str = "") -> None:
        self.steps.append((done, total))
        if len(self.steps) in self.stops:
            raise CancelledError


@modest
@given(st.data())
def test_cancelled_at_any_nodes_and_continued_the_profile_is_the_same(data: st.DataObject) -> None:
    case: Case = data.draw(cases())
    whole = score_lattice(case.problem, node_by_node=True)
    n_nodes = case.problem.lattice.n_nodes
    profile = LatticeProfile(case.problem)
    recorder = Recorder(data.draw(st.sets(st.integers(1, n_nodes + 1), max_size=4)))
    for _ in range(len(recorder.stops) + 1):
        try:
            score_lattice(case.problem, recorder, profile, node_by_node=True)
            break
        except CancelledError:
            assert profile.n_scored == profile.scored.sum() == recorder.steps[-1][0]
    assert profile.is_complete
    for name in ("n_classes", "k", "largest", "squares"):
        assert np.array_equal(getattr(profile, name), getattr(whole, name))
    for measure in whole.measures:
        assert np.array_equal(profile.worst(measure), whole.worst(measure))
    ours, theirs = profile.cells(), whole.cells()
    assert np.array_equal(ours.nodes, theirs.nodes)
    assert np.array_equal(ours.records, theirs.records)
    assert np.array_equal(ours.sizes, theirs.sizes)


@modest
@given(cases())
def test_progress_counts_every_node_once_up_to_all(case: Case) -> None:
    recorder = Recorder(set())
    score_lattice(case.problem, recorder, node_by_node=True)
    n_nodes = case.problem.lattice.n_nodes
    assert recorder.steps == [(done, n_nodes) for done in range(n_nodes + 1)]


@pytest.mark.usefixtures("way")
@modest
@given(cases())
def test_progress_begins_with_nothing_and_ends_with_all(case: Case) -> None:
    recorder = Recorder(set())
    score_lattice(case.problem, recorder)
    n_nodes = case.problem.lattice.n_nodes
    assert recorder.steps[0] == (0, n_nodes)
    assert recorder.steps[-1] == (n_nodes, n_nodes)
    assert recorder.steps == sorted(recorder.steps)


@pytest.mark.usefixtures("way")
def test_a_job_cancelled_before_it_starts_scores_nothing() -> None:
    problem = Case((Attributes("q", ("a", "b")),)).problem
    profile = LatticeProfile(problem)
    with pytest.raises(CancelledError):
        score_lattice(problem, Recorder({1}), profile)
    assert profile.n_scored == 0
    assert not profile.scored.any()


@pytest.mark.usefixtures("way")
@modest
@given(cases())
def test_a_complete_profile_is_not_scored_again(case: Case) -> None:
    profile = score_lattice(case.problem)
    cells = profile.cells()
    recorder = Recorder({1})
    assert score_lattice(case.problem, recorder, profile) is profile
    assert score_lattice(case.problem, recorder, profile, node_by_node=True) is profile
    assert recorder.steps == []
    assert np.array_equal(profile.cells().nodes, cells.nodes)


def test_with_kernels_loaded_numpy_is_used_only_on_request(way: str) -> None:
    problem = Case((Attributes("q", ("a", "b")),)).problem
    assert (score_lattice(problem)._compiled is not None) is (way == "kernels")
    assert score_lattice(problem, node_by_node=True)._compiled is None


def test_if_numba_is_missing_numpy_scores() -> None:
    code = (
        "import sys; sys.modules['numba'] = None; "
        "from engine.scoring import score_lattice; from engine.scoring.acceleration import warm_up; "
        "from tests.strategies import Attributes, Case; "
        "assert not warm_up(); "
        "profile = score_lattice(Case((Attributes('q', ('a', 'b')),)).problem); "
        "assert profile.is_complete and profile._compiled is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
