"""Comparison of profiles of one problem number by number, however each was filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Measure, Problem
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.alpha_k_anonymity import AlphaKAnonymity
from engine.privacy.basic_beta_likeness import BasicBetaLikeness
from engine.privacy.delta_disclosure import DeltaDisclosure
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.enhanced_beta_likeness import EnhancedBetaLikeness
from engine.privacy.entropy_l_diversity import EntropyLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.recursive_c_l_diversity import RecursiveCLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import LatticeProfile
from engine.scoring.cells.snapshot import CellSnapshot

SCORES = ("n_classes", "k", "largest", "squares")


def every_model(problem: Problem) -> Requirement:
    """Every model that reads sensitive values, and k, so that everything measurable is measured."""
    models: list[PrivacyModel] = [KAnonymity(2)]
    for attribute in problem.sensitive:
        name = attribute.name
        models += [TCloseness(name, 0.5, distance) for distance in attribute.distances]
        models += [
            DistinctLDiversity(name, 2),
            EntropyLDiversity(name, 2.0, "shannon"),
            EntropyLDiversity(name, 2.0, "grassberger"),
            RecursiveCLDiversity(name, 2.0, 2),
            RecursiveCLDiversity(name, 2.0, 3),
            AlphaKAnonymity(name, 0.5, 2),
            BasicBetaLikeness(name, 1.0),
            EnhancedBetaLikeness(name, 1.0),
            DeltaDisclosure(name, 1.0),
        ]
    return Requirement(tuple(models), 0.1)


def by_numpy(problem: Problem, requirement: Requirement | None = None) -> LatticeProfile:
    """Score all nodes by the reference, with every measure or those of a requirement."""
    profile = LatticeProfile(problem, requirement or every_model(problem))
    for node, tuples in profile.pending():
        profile.record(node, tuples)
    profile.check_complete()
    return profile


def by_kernels(problem: Problem, n_workers: int = 1) -> LatticeProfile:
    """Score all nodes by compiled kernels."""
    profile = LatticeProfile(problem)
    profile.score_compiled(n_workers=n_workers)
    profile.check_complete()
    return profile


def label_names(profile: LatticeProfile) -> list[str]:
    """Names of the label sums that a metric may read."""
    return [weights.name for weights in profile.scorer.weights if weights.varies]


@dataclass(frozen=True, eq=False)
class Gathered:
    """Cells of some nodes, joined if all values are equal: one order for all ways of scoring.

    Attributes
    ----------
    keys : list of ndarray, each of shape (n_groups,)
        Node, class size, measures.
    counts : dict of str to ndarray of int64
        Records, and integer label sums.
    reals : dict to ndarray of float64
        Other label sums.
    """

    keys: list[NDArray[Any]]
    counts: dict[str, NDArray[Any]]
    reals: dict[Any, NDArray[np.float64]]

    @classmethod
    def of(cls, cells: CellSnapshot, measures: Sequence[Measure], names: Sequence[str]) -> Gathered:
        lengths = np.diff(np.append(cells.starts, cells.n_cells))
        values = [cells.by_cell(cells.classes.measured(measure)) for measure in measures]
        keys = [np.repeat(cells.nodes, lengths), cells.sizes.astype(np.int64), *values]
        order = np.lexsort(keys[::-1])
        begins = np.zeros(cells.n_cells, dtype=np.bool_)
        begins[0] = True
        for key in keys:
            ordered = key[order]
            begins[1:] |= ordered[1:] != ordered[:-1]
        starts = np.flatnonzero(begins)
        records = cells.records.astype(np.int64)
        counts = {"records": np.add.reduceat(records[order], starts)}
        reals: dict[Any, NDArray[np.float64]] = {}
        for name in names:
            sums = cells.label_sums.of(name, np.arange(cells.n_cells))
            target = reals if sums.dtype.kind == "f" else counts
            target[name] = np.add.reduceat(sums[order], starts)
        return cls([key[order][starts] for key in keys], counts, reals)

    def of_nodes(self, wanted: NDArray[np.bool_]) -> Gathered:
        """Return the part that belongs to some nodes."""
        kept = wanted[self.keys[0]]
        return Gathered(
            [key[kept] for key in self.keys],
            {name: values[kept] for name, values in self.counts.items()},
            {name: values[kept] for name, values in self.reals.items()},
        )


def assert_gathered_alike(found: Gathered, expected: Gathered) -> None:
    """Assert that integers and measures are identical, reals within a relative 1e-12."""
    for own, other in zip(found.keys, expected.keys, strict=True):
        assert np.array_equal(own, other)
    assert found.counts.keys() == expected.counts.keys()
    for name, values in expected.counts.items():
        assert np.array_equal(found.counts[name], values), name
    assert found.reals.keys() == expected.reals.keys()
    for name, values in expected.reals.items():
        np.testing.assert_allclose(found.reals[name], values, rtol=1e-12, atol=1e-12, err_msg=str(name))


class Expected:
    """The reference profile of a problem, for comparison with complete and unfinished ones.

    Parameters
    ----------
    problem : Problem
    requirement : Requirement, optional
        Measures to compare, if not all.
    """

    def __init__(self, problem: Problem, requirement: Requirement | None = None) -> None:
        self.problem = problem
        self.profile = by_numpy(problem, requirement)
        self._measures, self._names = self.profile.measures, label_names(self.profile)
        self.gathered = Gathered.of(self.profile.cells(), self._measures, self._names)

    def holds(self, found: LatticeProfile) -> None:
        """Compare a complete profile."""
        assert found.is_complete
        assert found.scored.all()
        for name in SCORES:
            own, other = getattr(found, name), getattr(self.profile, name)
            assert own.dtype == other.dtype, name
            assert np.array_equal(own, other), name
        cells = found.cells()
        assert np.array_equal(np.sort(cells.nodes), np.arange(self.problem.lattice.n_nodes))
        assert_gathered_alike(Gathered.of(cells, self._measures, self._names), self.gathered)

    def holds_so_far(self, found: LatticeProfile) -> int:
        """Compare the nodes scored so far; return their number."""
        cells = found.cells()
        assert len(np.unique(cells.nodes)) == len(cells.nodes), "a node was scored twice"
        if len(cells.nodes):
            wanted = np.zeros(len(found.scored), dtype=np.bool_)
            wanted[cells.nodes] = True
            for name in SCORES:
                assert np.array_equal(getattr(found, name)[wanted], getattr(self.profile, name)[wanted]), name
            own = Gathered.of(cells, self._measures, self._names)
            assert_gathered_alike(own, self.gathered.of_nodes(wanted))
        return len(cells.nodes)
