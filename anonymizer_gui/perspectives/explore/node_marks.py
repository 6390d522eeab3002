"""Marks of nodes, shared by lattice, map and list."""

from __future__ import annotations

from dataclasses import dataclass

from anonymizer_gui.widgets.marks import Mark


@dataclass(frozen=True)
class Marks:
    """Indices of the marked nodes, and of the neighbours of the selected node."""

    selected: int | None = None
    optimum: int | None = None
    applied: int | None = None
    neighbours: tuple[int, ...] = ()
    pinned: tuple[int, ...] = ()
    is_optimum_proved: bool = True

    @property
    def by_node(self) -> dict[int, Mark]:
        """One mark per node, the most important one if it has several."""
        order = ((self.applied, Mark.APPLIED), (self.selected, Mark.SELECTED), (self.optimum, Mark.OPTIMUM))
        return {number: mark for number, mark in order if number is not None}
