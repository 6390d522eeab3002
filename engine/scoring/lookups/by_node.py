"""Look-ups node by node, each rolled up and evaluated, if cells do not determine the kept records."""

from __future__ import annotations

import copy
import itertools
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
from engine.scoring.lookups.by_cell import BoundedRecords
from engine.scoring.lookups.evaluated_sets import EvaluatedSet, measured_nodes
from engine.scoring.walk.attackers import Remaining, SetsOfModel, sets_of
from engine.words import _

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes
    from engine.scoring.walk.known_sets import WalkedSets

MOST_STRUCTURES, MOST_REMAINING = 4, 8  # tables of groups and repetitions that are cached


class NodeLookup:
    """A `Lookup` of scored nodes under a requirement whose suppression is repeated.

    Nodes are rolled up for all values when one is first requested. If attackers know some columns, compiled
    walks do it, some thousand nodes in a second; then the records that fail by the columns of one attacker
    alone, which are a lower bound, are looked up for any class size, and suppression is repeated only at
    nodes whose values are asked for. Otherwise numpy takes a minute for a large lattice. Values computed
    before a monitor cancels are kept in memory.

    Parameters
    ----------
    scored : ndarray of int64
        Scored nodes, by number.

    Attributes
    ----------
    monitor : Monitor
        Called for every node, or between the subtrees of a walk.
    models : tuple of SetsOfModel or None
        What compiled walks look at; None if numpy serves.
    """

    def __init__(self, profile: ScoredNodes, requirement: Requirement, scored: IntArray) -> None:
        self._profile, self._requirement, self._numbers = profile, requirement, scored
        self.monitor: Monitor = SILENT
        self.models = _walked_models(profile, requirement)
        self._scored = np.zeros(profile.lattice.n_nodes, dtype=np.bool_)
        self._scored[scored] = True
        self._whole: NodeLookup | None = None  # of which these nodes are a part
        self._nodes: IntArray | slice = slice(None)

    def at(self, nodes: IntArray) -> NodeLookup:
        part = copy.copy(self)
        part.__dict__.pop("_remaining", None)
        part._whole, part._nodes = self._whole or self, nodes
        return part

    @property
    def is_quick_at_first(self) -> bool:
        """Return whether `failing_at_least` is a look-up, as other class sizes were asked for before."""
        return self.models is not None and self._profile.of_problem.has("known sets", self._structure)

    @cached_property
    def failing_at_least(self) -> Counts:
        """Records that fail by the columns of one attacker, a lower bound of the suppressed ones."""
        least = [max(model.k, model.l) for model in self.models or ()]  # l values need as many records
        return np.where(self._scored, self._walked().failing_alone(least), 0)

    def bounded(self, most: int) -> BoundedRecords:
        """Repeat suppression only at nodes whose known failures are within the limit, and no further."""
        if self.models is None:
            return BoundedRecords.exact(self.suppressed)
        wanted = self._scored & (self.failing_at_least <= most)
        found, is_known = self._repeated.of(wanted, most, self.monitor)
        at_least = np.where(
            is_known, found.counts[:, 0], np.maximum(self.failing_at_least, found.counts[:, 0])
        )
        return BoundedRecords(np.where(self._scored, at_least, 0), is_known | ~self._scored)

    @property
    def suppressed(self) -> Counts:
        return self._chosen(self._remaining.counts[:, 0])

    @property
    def kept_classes(self) -> Counts:
        return self._chosen(self._remaining.counts[:, 1])

    @property
    def kept_squares(self) -> Counts:
        return self._chosen(self._remaining.counts[:, 2])

    @property
    def kept_sizes(self) -> Counts:
        return self._chosen(self._remaining.counts[:, 3])

    @property
    def kept_k(self) -> Counts:
        return self._chosen(self._remaining.counts[:, 4])

    def kept_leaves(self, attribute: int) -> Counts:
        """Exact, since sums of integers stay below 2**53."""
        return self._chosen(self._remaining.leaves[:, attribute]).astype(np.int64)

    def kept_spans(self, attribute: int) -> FloatArray:
        return self._chosen(self._remaining.spans[:, attribute])

    def _chosen(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.where(self._scored, values, 0)[self._nodes]

    @cached_property
    def _remaining(self) -> Remaining:
        """Remaining records of the requested nodes, by number among all nodes."""
        if self.models is None:
            return self._by_numpy() if self._whole is None else self._whole._remaining
        wanted = np.zeros_like(self._scored)
        wanted[self._nodes] = self._scored[self._nodes]
        return self._repeated.of(wanted, self._profile.problem.n_records, self.monitor)[0]

    def _by_numpy(self) -> Remaining:
        profile, done = self._profile, itertools.count()
        found = Remaining.empty(len(self._scored), len(profile.problem.attributes))

        def measure(evaluated: EvaluatedSet) -> Remaining:
            self.monitor.step(next(done), len(self._numbers), _("Suppressing whole persons"))
            return _sums(profile, evaluated)

        wanted = self._scored
        for number, own in measured_nodes(
            profile, self._requirement, wanted, "sums", measure, remembers=True
        ):
            found.counts[number], found.leaves[number], found.spans[number] = own
        return found

    @property
    def _structure(self) -> tuple[SetsOfModel, ...]:
        """The models, whatever their class sizes."""
        return tuple(own._replace(k=1) for own in self.models or ())

    @property
    def _repeated(self) -> _Repeated:
        assert self.models is not None, "asked only where compiled walks serve"
        ks = tuple(model.k for model in self.models)
        return self._profile.of_problem.get(
            "remaining", self.models, lambda: _Repeated(self._walked(), ks), MOST_REMAINING
        )

    def _walked(self) -> WalkedSets:
        from engine.scoring.walk.known_sets import WalkedSets  # imports numba

        profile, structure = self._profile, self._structure
        return profile.of_problem.get(
            "known sets",
            structure,
            lambda: WalkedSets(profile.problem, profile.base, structure),
            MOST_STRUCTURES,
        )


def _walked_models(profile: ScoredNodes, requirement: Requirement) -> tuple[SetsOfModel, ...] | None:
    """Return what compiled walks look at; None if they cannot serve."""
    from engine.scoring.profile import LatticeProfile

    problem = profile.problem
    if not isinstance(profile, LatticeProfile) or suppresses_whole(problem, requirement):
        return None
    if not profile.can_be_compiled or kernels("known_suppression") is None:
        return None
    from engine.scoring.walk.known_sets import suits  # imports numba

    models, n_base = sets_of(problem, requirement), len(profile.base.counts)
    return models if models and suits(problem, profile.base.layout, n_base, models) else None


class _Repeated:
    """Remaining records at the requested nodes, by compiled walks."""

    def __init__(self, sets: WalkedSets, ks: tuple[int, ...]) -> None:
        self._sets, self._ks = sets, ks
        lattice = sets.walked.subtrees.problem.lattice
        self._found = Remaining.empty(lattice.n_nodes, len(sets.slots))
        self._known = np.zeros(lattice.n_nodes, dtype=np.bool_)
        self._repeating = threading.Lock()

    def of(self, wanted: BoolArray, most: int, monitor: Monitor) -> tuple[Remaining, BoolArray]:
        """Return what remains, and at which nodes that is known: the wanted ones that suppress few enough.

        Of other nodes that were asked for, the suppressed records have a lower bound.
        """
        with self._repeating:
            new = wanted & ~self._known & (self._found.counts[:, 0] <= most)
            if new.any():
                more, is_known = self._sets.repeated(self._ks, new, most, monitor)
                parts = zip(self._found, more, strict=True)
                self._found = Remaining(*(np.where(new[:, None], b, a) for a, b in parts))
                self._known = self._known | is_known
            return self._found, self._known


def _sums(profile: ScoredNodes, found: EvaluatedSet) -> Remaining:
    """Return what remains of one node."""
    kept, records, sizes = found.kept, found.records, found.classes.sizes
    own = records[kept]
    counts = (
        int(records[~kept].sum()),
        len(own),
        int(own @ own),
        int(sizes[kept].sum()),
        int(sizes[kept].min(initial=profile.problem.n_records)) if len(own) else 0,
    )
    scorer = profile.scorer
    leaves, spans = (
        [0.0 if weights is None else found.weights(weights)[kept] @ own for weights in of_kind]
        for of_kind in (scorer.leaf_weights, scorer.span_weights)
    )
    return Remaining(np.array(counts), np.array(leaves), np.array(spans))
