"""Look-ups for attackers who know some columns: first-pass bounds of all nodes, exact values where needed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.repetition import suppresses_whole
from engine.scoring.acceleration import kernels
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.lookups.bounded import BoundedRecords
from engine.scoring.walk.attackers import SetsOfModel, sets_of

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes
    from engine.scoring.walk.known_cores import CoreCells
    from engine.scoring.walk.known_sets import FirstPass, Remaining, WalkedSets

MOST_STRUCTURES, MOST_REMAINING = 4, 8  # first passes and repetitions that are cached
MOST_CORES = 4  # models whose class sizes are made ready to be turned
CORES = "cores"  # family of what remains for all class sizes
FURTHER, LEAST_SHARE = 2, 10  # limits that are made ready: twice the present one, at least a tenth of records


def set_lookup(profile: ScoredNodes, cells: CellSnapshot, requirement: Requirement) -> SetLookup | None:
    """Return a look-up by kernels; None if they cannot serve."""
    from engine.scoring.profile import LatticeProfile

    if not isinstance(profile, LatticeProfile) or suppresses_whole(profile.problem, requirement):
        return None
    if not profile.can_be_compiled or kernels("known_sets") is None:
        return None
    from engine.scoring.walk.known_sets import suits  # imports numba

    models = sets_of(profile.problem, requirement)
    n_base = len(profile.base.counts)
    if models is None or not suits(profile.problem, profile.base.layout, n_base, models):
        return None
    return SetLookup(profile, models, cells.nodes)


class SetLookup:
    """A `Lookup` of the nodes of a complete lattice for models of attackers.

    The records that fail at first are known for all nodes and any class size. They are a lower bound of the
    suppressed ones; the repetition is made for nodes whose values are asked for. Once `prepare_turns` was
    called, what remains is known for all class sizes of one model, too.

    Parameters
    ----------
    profile : ScoredNodes
    models : tuple of SetsOfModel
    scored : ndarray of int64
        Scored nodes, by number.

    Attributes
    ----------
    monitor : Monitor
        Asked between subtrees while suppression is repeated.
    """

    def __init__(self, profile: ScoredNodes, models: tuple[SetsOfModel, ...], scored: IntArray) -> None:
        self._profile, self._models = profile, models
        self.monitor: Monitor = SILENT
        self._scored = np.zeros(profile.lattice.n_nodes, dtype=np.bool_)
        self._scored[scored] = True
        self._nodes: IntArray | None = None

    def at(self, nodes: IntArray) -> SetLookup:
        part = SetLookup(self._profile, self._models, np.flatnonzero(self._scored))
        part._nodes, part.monitor = nodes, self.monitor
        return part

    @property
    def is_quick_at_first(self) -> bool:
        """Return whether `failing_first` is a look-up, as it was asked for with other class sizes before."""
        return self._profile.of_problem.has("first pass", self._structure)

    @cached_property
    def failing_first(self) -> Counts:
        """Records that fail at first, before suppression is repeated, of all nodes."""
        found = self._first(self._structure).failing([model.k for model in self._models])
        return np.where(self._scored, found, 0)

    @property
    def _structure(self) -> tuple[SetsOfModel, ...]:
        return tuple(own._replace(k=1) for own in self._models)

    def bounded(self, most: int) -> BoundedRecords:
        """Repeat suppression only at nodes where what fails at first is within the limit."""
        first, found = self.failing_first, self._cores
        if found is not None:
            cores, k = found
            is_known, more = cores.is_known(k), cores.suppresses_more(k)
            if most <= cores.most and (is_known | more | ~self._scored).all():
                exact = cores.remaining.counts[cores.places(k), 0]
                at_least = np.where(is_known, exact, np.maximum(first, cores.most + 1))
                return BoundedRecords(np.where(self._scored, at_least, 0), is_known | ~self._scored)
        found_exactly, is_known = self._exact.of(self._scored & (first <= most), self.monitor)
        is_exact = is_known | ~self._scored
        return BoundedRecords(np.where(is_known & self._scored, found_exactly.counts[:, 0], first), is_exact)

    def has_turns(self, most: int) -> bool:
        """Return whether `prepare_turns` has nothing left to make."""
        return not self._suits_cores() or all(self._has_cores(free, most) for free in self._free)

    def prepare_turns(self, most: int, monitor: Monitor = SILENT) -> None:
        """Make what remains for all class sizes of every model, and for suppression limits beyond this one.

        Raises
        ------
        CancelledError
            If the monitor cancels.
        """
        if not self._suits_cores():
            return
        from engine.scoring.walk.known_cores import core_cells

        profile, n_records = self._profile, self._profile.problem.n_records
        ks = [model.k for model in self._models]
        first, sets = self._first(self._structure), _walked(profile, self._structure)
        up_to = min(max(FURTHER * most, n_records // LEAST_SHARE), n_records)
        for free in self._free:
            key = self._turned(free)

            def make(free: int = free) -> CoreCells:
                return core_cells(sets, ks, free, up_to, first.failing, monitor)

            known: CoreCells = profile.of_problem.get(CORES, key, make, MOST_CORES)  # once for all threads
            if known.most < most:
                profile.of_problem.put(CORES, key, make(), MOST_CORES)

    @property
    def suppressed(self) -> Counts:
        return self._count(0)

    @property
    def kept_classes(self) -> Counts:
        return self._count(1)

    @property
    def kept_squares(self) -> Counts:
        return self._count(2)

    @property
    def kept_sizes(self) -> Counts:
        return self._count(3)

    @property
    def kept_k(self) -> Counts:
        return self._count(4)

    def kept_leaves(self, attribute: int) -> Counts:
        """Exact, since sums of integers stay below 2**53."""
        return self._chosen(self._asked.leaves[:, attribute]).astype(np.int64)

    def kept_spans(self, attribute: int) -> FloatArray:
        return self._chosen(self._asked.spans[:, attribute])

    def _first(self, structure: tuple[SetsOfModel, ...]) -> FirstPass:
        profile = self._profile
        return profile.of_problem.get(
            "first pass", structure, lambda: _walked(profile, structure).first_pass(), MOST_STRUCTURES
        )

    @property
    def _exact(self) -> _Exact:
        profile, structure, ks = self._profile, self._structure, tuple(model.k for model in self._models)
        return profile.of_problem.get(
            "remaining", self._models, lambda: _Exact(_walked(profile, structure), ks), MOST_REMAINING
        )

    @cached_property
    def _asked(self) -> Remaining:
        wanted = self._scored
        if self._nodes is not None:
            wanted = np.zeros_like(wanted)
            wanted[self._nodes] = True
        found = self._cores
        if found is None:
            return self._exact.of(wanted, self.monitor)[0]
        cores, k = found
        places, is_known = cores.places(k), cores.is_known(k)
        known = cores.remaining.at(places)
        wanted = wanted & ~is_known
        if not wanted.any():
            return known
        return known.or_else(is_known, self._exact.of(wanted, self.monitor)[0])

    @property
    def _free(self) -> range:
        """Models whose class size may be turned."""
        return range(min(len(self._models), MOST_CORES))

    def _turned(self, free: int) -> tuple[int, tuple[SetsOfModel, ...]]:
        """Return what does not depend on the class size of a model."""
        return free, tuple(m._replace(k=0) if i == free else m for i, m in enumerate(self._models))

    def _has_cores(self, free: int, most: int) -> bool:
        cores: CoreCells | None = self._profile.of_problem.find(CORES, self._turned(free))
        return cores is not None and cores.most >= most

    def _suits_cores(self) -> bool:
        from engine.scoring.walk.known_cores import suits

        return suits(_walked(self._profile, self._structure))

    @property
    def _cores(self) -> tuple[CoreCells, int] | None:
        """What was made by `prepare_turns` for all class sizes of a model, and its own one; the most."""
        from engine.scoring.walk.known_cores import TOP

        found: list[tuple[CoreCells, int]] = []
        for free in self._free:
            cores: CoreCells | None = self._profile.of_problem.find(CORES, self._turned(free))
            if cores is not None and len(cores.keys) and self._models[free].k <= TOP:
                found.append((cores, self._models[free].k))
        return max(found, key=lambda own: own[0].most, default=None)

    def _count(self, place: int) -> Counts:
        return self._chosen(self._asked.counts[:, place])

    def _chosen(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.where(self._scored, values, 0) if self._nodes is None else values[self._nodes]


def _walked(profile: ScoredNodes, structure: tuple[SetsOfModel, ...]) -> WalkedSets:
    from engine.scoring.walk.known_sets import WalkedSets

    return profile.of_problem.get(
        "known sets", structure, lambda: WalkedSets(profile.problem, profile.base, structure), MOST_STRUCTURES
    )


class _Exact:
    """What remains at the nodes that were asked for."""

    def __init__(self, sets: WalkedSets, ks: tuple[int, ...]) -> None:
        self._sets, self._ks = sets, ks
        self._found: Remaining | None = None
        self._known: BoolArray | None = None
        self._repeating = threading.Lock()

    def of(self, wanted: BoolArray, monitor: Monitor) -> tuple[Remaining, BoolArray]:
        """Return what remains, and at which nodes that is known: all wanted ones among them."""
        from engine.scoring.walk.known_sets import Remaining

        with self._repeating:
            old, known = self._found, self._known
            new = wanted if known is None else wanted & ~known
            if old is None or known is None or new.any():
                more = self._sets.repeated(self._ks, new, monitor)
                if old is not None and known is not None:
                    more = Remaining(
                        more.counts + old.counts, more.leaves + old.leaves, more.spans + old.spans
                    )
                    new = new | known
                self._found, self._known = old, known = more, new
            return old, known
