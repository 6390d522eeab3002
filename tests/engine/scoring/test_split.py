"""The pair of columns that explains most equals a brute-force search, and stays within its hysteresis."""

from __future__ import annotations

from itertools import combinations
from math import inf

import numpy as np
import pytest

from engine.lattice import Lattice
from engine.project.compile import compile_problem
from engine.project.recipe.files import read_recipe
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.split import KEPT, Split, best_split, shares_of, splits_of, told_apart
from tests.conftest import EXAMPLES

LATTICES = (
    Lattice((0, 0, 0, 0), (4, 2, 3, 4)),
    Lattice((1, 0, 2, 0, 0), (3, 9, 4, 0, 5)),
    Lattice((0, 0, 0), (7, 7, 5)),
)


def best(lattice: Lattice, values: np.ndarray, present: Split | None = None) -> tuple[Split | None, float]:
    """Return the best split with its share."""
    shares = shares_of(lattice, values)
    found = best_split(shares, present)
    return found, dict(shares).get(found, 0.0)


def shares(lattice: Lattice, satisfies: np.ndarray) -> dict[tuple[int, int], float]:
    """Return what every possible pair explains, by sums over single nodes."""
    found = {}
    n, p = lattice.n_nodes, float(satisfies.mean())
    for a, b in combinations(range(len(lattice.shape)), 2):
        down, right = (a, b) if lattice.shape[a] >= lattice.shape[b] else (b, a)
        if lattice.shape[right] < 2 or lattice.shape[down] > 8 or lattice.shape[right] > 5:
            continue
        facets: dict[tuple[int, int], list[bool]] = {}
        for number in range(n):
            node = lattice.node(number)
            facets.setdefault((node[down], node[right]), []).append(bool(satisfies[number]))
        between = sum(len(own) * (sum(own) / len(own) - p) ** 2 for own in facets.values())
        found[down, right] = between / (n * p * (1 - p))
    return found


@pytest.mark.parametrize("lattice", LATTICES)
def test_the_split_equals_brute_force_and_stays_within_its_hysteresis(lattice: Lattice) -> None:
    rng = np.random.default_rng(1)
    present: Split | None = None
    kept = 0
    for _ in range(12):
        score = lattice.levels @ rng.random(len(lattice.shape)) + rng.random(lattice.n_nodes)
        satisfies = score > np.quantile(score, rng.uniform(0.1, 0.9))
        every = shares(lattice, satisfies)
        if not every:
            assert best(lattice, satisfies) == (None, 0.0)
            continue
        found, share = best(lattice, satisfies)
        assert share == pytest.approx(max(every.values()))
        assert every[found.down, found.right] == pytest.approx(share)
        stays, still = best(lattice, satisfies, present)
        if present is not None and every[present.down, present.right] >= KEPT * share:
            kept += present != found
            assert stays == present
        else:
            assert stays == found
        assert still == pytest.approx(every[stays.down, stays.right])
        present = stays
    assert kept or lattice is not LATTICES[0]


def test_facets_sum_to_all_nodes_and_have_the_least_values() -> None:
    lattice = LATTICES[0]
    rng = np.random.default_rng(2)
    satisfies, values = rng.random(lattice.n_nodes) < 0.2, rng.random(lattice.n_nodes)
    for split in splits_of(lattice):
        assert sorted(split.nodes.ravel().tolist()) == list(range(lattice.n_nodes))
        counts, least = split.n_satisfying(satisfies), split.best(satisfies, values)
        assert counts.sum() == satisfies.sum()
        for facet in np.ndindex(*split.shape):
            nodes = split.nodes[facet]
            assert all(split.facet_of(int(node)) == facet for node in nodes)
            own = lattice.levels[nodes][:, [split.down, split.right]]
            assert (own == split.levels_of(facet)).all()
            assert counts[facet] == satisfies[nodes].sum()
            assert least[facet] == min(values[nodes][satisfies[nodes]], default=inf)


def test_loss_and_then_suppressed_decide_where_all_or_no_nodes_satisfy() -> None:
    lattice = LATTICES[0]
    loss = lattice.levels[:, 1] + lattice.levels[:, 3] * 1.0
    nothing, flat = np.zeros(lattice.n_nodes, dtype=np.bool_), np.ones(lattice.n_nodes)
    for satisfies in (nothing, ~nothing):
        found, share = best(lattice, told_apart(satisfies, loss, flat))
        assert (found.down, found.right, share) == (3, 1, pytest.approx(1.0))
        assert best(lattice, told_apart(satisfies, flat, loss))[0] == found
    first, share = best(lattice, told_apart(nothing, flat, flat))
    assert (first, share) == (splits_of(lattice)[0], 0.0)


def test_small_lattices_are_not_split() -> None:
    assert splits_of(Lattice((0, 0, 0), (4, 4, 3))) == []
    assert splits_of(Lattice((0, 0), (14, 14))) == []


def test_adult_is_split_by_age_and_native_country() -> None:
    project = read_recipe(EXAMPLES / "adult" / "recipe.toml")
    problem = compile_problem(project)
    profile = score_lattice(problem, profile=LatticeProfile(problem, project.requirement))
    satisfies = evaluate(profile, project.requirement).satisfies
    split, share = best(problem.lattice, satisfies)
    assert (problem.names[split.down], problem.names[split.right]) == ("age", "native-country")
    assert share == pytest.approx(0.33, abs=0.005)
