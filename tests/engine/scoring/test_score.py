"""Scoring by numpy, told to stop and to go on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.acceleration import CHOICE
from tests.strategies import Case, cases, modest


@pytest.fixture(scope="module", autouse=True)
def by_numpy() -> Iterator[None]:
    """Node by node, whether or not kernels were loaded before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CHOICE, "numpy")
        yield


class Recorder:
    """Keeps what it is told; cancels at the given numbers of its own steps."""

    def __init__(self, stops: set[int]) -> None:
        self.told: list[tuple[int, int]] = []
        self.stops = stops

    def step(self, done: int, total: int, text: str = "") -> None:
        self.told.append((done, total))
        if len(self.told) in self.stops:
            raise CancelledError


@modest
@given(st.data())
def test_cancelled_at_any_moments_and_gone_on_the_profile_is_the_same(data: st.DataObject) -> None:
    case: Case = data.draw(cases())
    whole = score_lattice(case.problem)
    n_nodes = case.problem.lattice.n_nodes
    profile = LatticeProfile(case.problem)
    recorder = Recorder(data.draw(st.sets(st.integers(1, n_nodes + 1), max_size=4)))
    for _ in range(len(recorder.stops) + 1):
        try:
            score_lattice(case.problem, recorder, profile)
            break
        except CancelledError:
            assert profile.n_scored == profile.scored.sum() == recorder.told[-1][0]
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
    score_lattice(case.problem, recorder)
    n_nodes = case.problem.lattice.n_nodes
    assert recorder.told == [(done, n_nodes) for done in range(n_nodes + 1)]


def test_a_job_cancelled_before_it_starts_scores_nothing() -> None:
    from tests.strategies import Attributes

    problem = Case((Attributes("q", ("a", "b")),)).problem
    profile = LatticeProfile(problem)
    with pytest.raises(CancelledError):
        score_lattice(problem, Recorder({1}), profile)
    assert profile.n_scored == 0
