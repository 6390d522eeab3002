"""Look-ups over sorted cells: class sizes by tables, other models by a bit per kind of class."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import Counts, IntArray
from engine.monitor import Monitor
from engine.privacy import PrivacyModel, Requirement
from engine.scoring.cells.label_sums import PackedSums
from engine.scoring.cells.snapshot import Array, CellSnapshot
from engine.scoring.lookups.by_cell import BoundedRecords, CellLookup
from engine.scoring.lookups.sorted_tables import FailingCells, SortedTables
from engine.scoring.lookups.turned_threshold import (
    TurnedThreshold,
    turn_of,
    turn_of_size,
    turned_threshold,
)

if TYPE_CHECKING:
    from engine.scoring.cells.content_classes import ContentClasses
    from engine.scoring.scored import ScoredNodes

MOST_MODELS = 16  # models whose bits are cached, so that a turned knob marks only its own again
MOST_CRITICAL = 8  # models whose values of kinds are cached, apart from their threshold
MOST_TURNED = 8  # models with sums for other thresholds
TURNED = "turned thresholds"

Bits = NDArray[np.uint8]


def by_content(requirement: Requirement) -> tuple[PrivacyModel, ...]:
    """Return the models that select kinds of classes for other reasons than their size."""
    return tuple(model for model in requirement.models if not (model.is_by_size or model.is_table_wide))


def failing_any(profile: ScoredNodes, classes: ContentClasses, models: Sequence[PrivacyModel]) -> Bits:
    """Return a bit per kind, lowest first, set if one of some models fails."""

    def bits(model: PrivacyModel) -> Bits:
        return profile.own.get("failing", model, lambda: _marked(profile, classes, model), MOST_MODELS)

    none = np.zeros(-(-len(classes.sizes) // 8), dtype=np.uint8)
    return reduce(np.bitwise_or, (bits(model) for model in models), none)


def _marked(profile: ScoredNodes, classes: ContentClasses, model: PrivacyModel) -> Bits:
    """Mark the failing contents; the values that thresholds are compared with are cached."""
    met = model.meets(_critical(profile, classes, model)) if _compares(model) else model.fulfilled(classes)
    return np.packbits(~met, bitorder="little")


def _compares(model: PrivacyModel) -> bool:
    """Return whether a model has no condition but its threshold."""
    return type(model).fulfilled is PrivacyModel.fulfilled


def _critical(profile: ScoredNodes, classes: ContentClasses, model: PrivacyModel) -> NDArray[Any]:
    key = apart_from_threshold(model)
    return profile.own.get("critical", key, lambda: model.critical(classes), MOST_CRITICAL)


def apart_from_threshold(model: PrivacyModel) -> Hashable:
    """Return what is equal for models that differ in their threshold only."""
    others = tuple(
        (field.name, getattr(model, field.name))
        for field in dataclasses.fields(model)  # type: ignore[arg-type]  # members are dataclasses
        if field.name != model.threshold_name
    )
    return type(model), others


class _Found(NamedTuple):
    """Failing cells of one look-up from the state on, read up to a limit in records.

    `cells` is None if sums by threshold gave the others; `fields` (n_nodes, n_fields) are the sums of nodes
    within the limit.
    """

    cells: FailingCells | None
    records: BoundedRecords
    fields: Counts
    up_to: int


class SortedLookup(CellLookup):
    """A `CellLookup` of a complete profile that can stop at a limit; see `bounded`.

    Parameters
    ----------
    cells : CellSnapshot
        All nodes, with cells sorted by class size.
    tables : SortedTables
        Tables of the same cells, shared by all look-ups of the profile.
    """

    def __init__(
        self,
        profile: ScoredNodes,
        cells: CellSnapshot,
        requirement: Requirement,
        tables: SortedTables,
        whole: Self | None = None,
        nodes: IntArray | None = None,
    ) -> None:
        super().__init__(profile, cells, requirement, whole, nodes)
        self._tables = tables
        self._found: _Found | None = None  # of all nodes
        self._states: NDArray[np.int32]
        self._gone: NDArray[np.int32]
        start = tables.states(requirement.k or 1) if whole is None else (whole._states, whole._gone)
        self._states, self._gone = start

    def at(self, nodes: IntArray) -> Self:
        return type(self)(self._profile, self._cells, self._requirement, self._tables, self._all, nodes)

    def bounded(self, most: int) -> BoundedRecords:
        """Return suppressed records, exact for nodes that suppress at most a number of records.

        Nodes with too many records in too small classes are not visited; others are given up once they exceed
        the number. Only cells are read that an earlier look-up did not read, and none if the sums by this
        threshold were made, see `prepare_turns`.
        """
        if not by_content(self._requirement):
            return BoundedRecords.exact(self._gone.astype(np.int64))
        if self._whole is not None:
            return self._whole.bounded(most)
        found = self._found
        if found is None:
            self._found = found = self._find_turned(most)
        if found is None or found.up_to < most:
            before = None if found is None else found.cells
            assert self._failing is not None, "some model selects kinds"
            cells, records = self._tables.follow_limit(before, self._states, self._gone, self._failing, most)
            self._found = found = _Found(cells, records, cells.fields, most)
        return found.records

    def _find_turned(self, most: int) -> _Found | None:
        """Return the failing cells by the sums that were made for this threshold; None if there are none."""
        for model in (*by_content(self._requirement), None):
            table: TurnedThreshold | None = self._profile.own.find(TURNED, self._key(model, most))
            threshold = (self._requirement.k or 1) if model is None else model.limit
            if table is not None and (sums := table.failing(threshold)) is not None:
                at_least, is_exact = self._gone.astype(np.int64), np.zeros(len(self._gone), dtype=np.bool_)
                at_least[sums.nodes] += sums.records
                is_exact[sums.nodes] = self._gone[sums.nodes] <= most  # others as if they were not visited
                fields = np.zeros((len(at_least), sums.fields.shape[1]), dtype=np.int64)
                fields[sums.nodes] = sums.fields
                return _Found(None, BoundedRecords(at_least, is_exact), fields, most)
        return None

    def _key(self, model: PrivacyModel | None, most: int) -> Hashable:
        """Return what the sums by the threshold of a model, or by the class size, depend on."""
        others = tuple(other for other in by_content(self._requirement) if other is not model)
        if model is None:
            return None, others, most
        return apart_from_threshold(model), others, self._requirement.k, most

    def turns_left(self, most: int) -> list[PrivacyModel | None]:
        """Return the models, None for the class size, that `prepare_turns` makes sums for."""
        models = [model for model in by_content(self._requirement) if _compares(model)]
        turned = [*models, None] if by_content(self._requirement) else []
        return [model for model in turned if not self._profile.own.has(TURNED, self._key(model, most))]

    def prepare_turns(self, most: int, monitor: Monitor) -> None:
        """Make the sums for other thresholds of every model, so that a knob turned from here reads no cell.

        Raises
        ------
        CancelledError
            If the monitor cancels; then the sums of the present model are not kept.
        """
        classes, k = self._classes, self._requirement.k or 1
        for model in self.turns_left(most):
            others = [other for other in by_content(self._requirement) if other is not model]
            failing = failing_any(self._profile, classes, others)
            if model is None:
                turn = turn_of_size(k, classes.sizes)
            else:
                turn = turn_of(model, _critical(self._profile, classes, model))
            least = int(turn.thresholds[0]) if model is None else k
            made = turned_threshold(self._tables, least, turn, failing, most, monitor)
            self._profile.own.put(TURNED, self._key(model, most), made, MOST_TURNED)

    def _count_suppressed(self) -> Counts:
        found, nodes = self._all._found, self._wanted
        if found is not None and found.records.is_exact[nodes].all():
            return found.records.at_least[nodes]
        if self._failing is None:
            return self._gone[nodes].astype(np.int64)
        return self._tables.failing_records(nodes, self._states, self._gone, self._failing)

    @property
    def kept_classes(self) -> Counts:
        return np.asarray(self._class_sums[0])

    @property
    def kept_squares(self) -> Counts:
        return np.asarray(self._class_sums[1])

    @cached_property
    def kept_k(self) -> Counts:
        return self._tables.smallest(self._wanted, self._states, self._failing)

    def _kept_label_sums(self, name: str, totals: Array) -> Array:
        packed = self._cells.label_sums
        assert isinstance(packed, PackedSums), "kernels, which sort cells, pack label sums"
        if name not in packed.fields:
            if self._failing is not None:
                return super()._kept_label_sums(name, totals)
            return self._tables.kept_reals(name, self._states[self._wanted])
        sums, scale = self._field_sums[self._tables.fields.index(name)], packed.fields[name].scale
        return np.asarray(totals - (sums if scale is None else sums * scale))

    @property
    def _wanted(self) -> IntArray:
        return np.arange(len(self._gone)) if self._nodes is None else self._nodes

    @cached_property
    def _failing(self) -> Bits | None:
        """A bit per kind, set if a model fails; None if class sizes alone decide."""
        if self._whole is not None:
            return self._whole._failing
        models = by_content(self._requirement)
        return failing_any(self._profile, self._classes, models) if models else None

    @property
    def _classes(self) -> ContentClasses:
        from engine.scoring.cells.content_classes import ContentClasses  # imports the compiler

        classes = self._cells.classes
        assert isinstance(classes, ContentClasses), "other models than on sizes look at contents"
        return classes

    @cached_property
    def _field_sums(self) -> Counts:
        """Sums of every field over failing cells, shape (n_fields, n_nodes)."""
        nodes, found = self._wanted, self._all._found
        sums = self._tables.sums_before(nodes, self._states)
        if by_content(self._requirement) and len(sums):
            if found is not None and (found.records.at_least[nodes] <= found.up_to).all():
                sums += found.fields[nodes].T
            else:
                assert self._failing is not None, "some model selects kinds"
                sums += self._tables.sums_after(nodes, self._states, self._failing)
        return sums

    @cached_property
    def _class_sums(self) -> Counts:
        return self._tables.class_sums(self._wanted, self._states, self._failing)
