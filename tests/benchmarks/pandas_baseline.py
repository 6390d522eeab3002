"""Time per node by pandas on integer codes, with a check of its results."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.frequency import Measure, Problem
from engine.scoring import LatticeProfile
from tests.benchmarks.measuring import seconds

SENSITIVE = "sensitive value"
MEASURES = ("distinct", "entropy", "equal", "ordered")


class Worst(NamedTuple):
    """Least favourable value over all classes of a node, in the order of `MEASURES`."""

    distinct: float
    entropy: float
    equal: float
    ordered: float


def sampled_nodes(problem: Problem, n_sampled: int, rng: random.Random) -> list[int]:
    """Return the numbers of random nodes."""
    return rng.sample(range(problem.lattice.n_nodes), n_sampled)


def seconds_by_size(profile: LatticeProfile, numbers: list[int]) -> float:
    """Return the extrapolated time for classes, k, sum of squares and histogram of all nodes.

    Raises
    ------
    AssertionError
        The results of pandas and the profile differ.
    """

    def scores(frame: pd.DataFrame) -> tuple[int, int, int, NDArray[Any]]:
        sizes = frame.groupby(list(frame.columns), sort=False).size().to_numpy()
        histogram = np.bincount(sizes)
        return len(sizes), int(sizes.min()), int((sizes * sizes).sum()), histogram * np.arange(len(histogram))

    def check(number: int, found: tuple[int, int, int, NDArray[Any]]) -> None:
        known = profile.n_classes[number], profile.k[number], profile.squares[number]
        assert found[:3] == known, f"node {number}: {found[:3]} by pandas, {known} in the profile"
        assert found[3].sum() == profile.problem.n_records

    return _extrapolated(profile.problem, numbers, scores, check)


def seconds_by_text(problem: Problem, numbers: list[int]) -> float:
    """Return the extrapolated time for the class sizes of all nodes from texts, as pandas reads them."""
    spent, names = 0.0, [attribute.name for attribute in problem.attributes]
    for number in numbers:
        codes, node = _codes_at(problem, number), problem.lattice.node(number)
        labels = [a.hierarchy.levels[g].labels for a, g in zip(problem.attributes, node, strict=True)]
        columns = zip(names, labels, strict=True)
        frame = pd.DataFrame(
            {n: np.array(texts, dtype=object)[codes[n]] for n, texts in columns}, dtype="str"
        )
        spent += seconds(lambda frame=frame: frame.groupby(names, sort=False).size())  # type: ignore[misc]
    return spent / len(numbers) * problem.lattice.n_nodes


def seconds_by_value(profile: LatticeProfile, numbers: list[int], *, by_hand: bool) -> float:
    """Return the extrapolated time for distinct l, entropy and both t of all nodes.

    Parameters
    ----------
    by_hand : bool
        Whether pandas only counts, and numpy does the arithmetic on a matrix of classes and values.

    Raises
    ------
    AssertionError
        The results of pandas and the profile differ.
    """
    problem = profile.problem
    (sensitive,) = problem.sensitive
    shares = sensitive.table_counts / problem.n_records
    worst = [profile.worst(Measure(name, sensitive.name)) for name in MEASURES]

    def measures(frame: pd.DataFrame) -> Worst:
        return worst_by_hand(frame, shares) if by_hand else worst_by_pandas(frame, shares)

    def check(number: int, found: Worst) -> None:
        known = [float(values[number]) for values in worst]
        np.testing.assert_allclose(found, known, rtol=1e-9, atol=1e-9)

    return _extrapolated(problem, numbers, measures, check)


def worst_by_pandas(frame: pd.DataFrame, shares: NDArray[np.float64]) -> Worst:
    """Return measures computed by pandas; classes are numbered once, values become columns."""
    names = list(frame.columns[:-1])
    classes = frame.groupby(names, sort=False).ngroup()
    counts = frame.groupby([classes, SENSITIVE], sort=False).size().unstack(fill_value=0)
    counts = counts.reindex(columns=range(len(shares)), fill_value=0)
    within = counts.div(counts.sum(axis=1), axis=0)
    entropies = -(within * np.log(within.where(within > 0, 1.0))).sum(axis=1)
    differences = within - shares
    equal = differences.abs().sum(axis=1) / 2
    ordered = differences.cumsum(axis=1).abs().sum(axis=1) / (len(shares) - 1)
    return Worst((counts > 0).sum(axis=1).min(), entropies.min(), equal.max(), ordered.max())


def worst_by_hand(frame: pd.DataFrame, shares: NDArray[np.float64]) -> Worst:
    """Return measures computed by numpy; pandas numbers the classes."""
    names, n_values = list(frame.columns[:-1]), len(shares)
    classes = frame.groupby(names, sort=False).ngroup().to_numpy()
    n_pairs = (int(classes.max()) + 1) * n_values
    counts = np.bincount(classes * n_values + frame[SENSITIVE].to_numpy(), minlength=n_pairs)
    counts = counts.reshape(-1, n_values)
    within = counts / counts.sum(axis=1, keepdims=True)
    entropies = -(within * np.log(np.where(counts > 0, within, 1.0))).sum(axis=1)
    differences = within - shares
    equal = np.abs(differences).sum(axis=1) / 2
    ordered = np.abs(differences.cumsum(axis=1)).sum(axis=1) / (n_values - 1)
    return Worst((counts > 0).sum(axis=1).min(), entropies.min(), equal.max(), ordered.max())


def _extrapolated(
    problem: Problem,
    numbers: list[int],
    work: Callable[[pd.DataFrame], Any],
    check: Callable[[int, Any], None],
) -> float:
    spent = 0.0
    found: list[Any] = []
    for number in numbers:
        frame = _codes_at(problem, number)
        spent += seconds(lambda frame=frame: found.append(work(frame)))  # type: ignore[misc]
        check(number, found[-1])
    return spent / len(numbers) * problem.lattice.n_nodes


def _codes_at(problem: Problem, number: int) -> pd.DataFrame:
    """Return a column of label codes per quasi-identifying column, and the sensitive values last."""
    node = problem.lattice.node(number)
    columns = {
        a.name: a.hierarchy.levels[level].codes[a.leaves]
        for a, level in zip(problem.attributes, node, strict=True)
    }
    for sensitive in problem.sensitive:
        columns[SENSITIVE] = sensitive.codes
    return pd.DataFrame(columns)
