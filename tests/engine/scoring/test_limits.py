"""Lattices that are scored completely, by the memory of their scores."""

from __future__ import annotations

import pytest

from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.acceleration import CHOICE, warm_up
from engine.scoring.explored import ExploredProfile
from engine.scoring.limits import (
    LARGEST_LATTICE,
    LENIENCE,
    SMALL_LATTICE,
    bytes_when_whole,
    profile_for,
)
from tests.engine.scoring.edge_tables import adult
from tests.engine.scoring.test_explored import wide_case


def test_a_small_lattice_is_scored_completely_unless_it_takes_several_times_the_memory() -> None:
    problem = wide_case(5).problem
    assert problem.lattice.n_nodes <= SMALL_LATTICE
    needed = bytes_when_whole(ExploredProfile(problem))
    assert isinstance(profile_for(problem, memory=needed // LENIENCE + 1), LatticeProfile)
    assert isinstance(profile_for(problem, memory=needed // LENIENCE - 1), ExploredProfile)


def test_between_small_and_huge_the_memory_decides() -> None:
    problem = wide_case(10).problem
    assert SMALL_LATTICE < problem.lattice.n_nodes < LARGEST_LATTICE
    needed = bytes_when_whole(ExploredProfile(problem))
    assert 250 * 3**10 < needed < 5_000 * 3**10
    assert isinstance(profile_for(problem, memory=needed), LatticeProfile)
    assert isinstance(profile_for(problem, memory=needed - 1), ExploredProfile)


def test_a_huge_lattice_is_never_scored_completely() -> None:
    assert wide_case(13).problem.lattice.n_nodes > LARGEST_LATTICE
    assert isinstance(profile_for(wide_case(13).problem, memory=1 << 60), ExploredProfile)


@pytest.mark.parametrize("columns", [(), ("occupation",), ("occupation", "salary-class")])
def test_the_memory_of_a_complete_lattice_is_estimated(columns: tuple[str, ...]) -> None:
    assert warm_up()
    problem = adult(*columns)
    profile = score_lattice(problem)
    taken = profile._compiled.n_bytes + 250 * problem.lattice.n_nodes
    assert 0.7 * taken < bytes_when_whole(ExploredProfile(problem)) < 3 * taken


def test_without_a_compiler_the_memory_of_numpys_cells_is_estimated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(CHOICE, "numpy")
    problem = adult("occupation", "salary-class")
    explored = ExploredProfile(problem)
    taken = score_lattice(problem).cells().n_cells * explored.bytes_per_cell + 250 * problem.lattice.n_nodes
    assert 0.5 * taken < bytes_when_whole(explored) < 2 * taken
