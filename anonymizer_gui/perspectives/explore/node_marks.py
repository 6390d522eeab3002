"""Which nodes carry a mark: one set of marks for lattice, map, list and slices."""

from __future__ import annotations

from dataclasses import dataclass

from anonymizer_gui.widgets.marks import Mark


@dataclass(frozen=True)
class Marks:
    """Node numbers that carry a mark, and the neighbours of the selected node."""

    selected: int | None = None
    optimum: int | None = None
    applied: int | None = None
    neighbours: tuple[int, ...] = ()
    is_optimum_proved: bool = True

    @property
    def by_node(self) -> dict[int, Mark]:
        """One mark per node, the most telling where it carries several."""
        order = ((self.applied, Mark.APPLIED), (self.selected, Mark.SELECTED), (self.optimum, Mark.OPTIMUM))
        return {number: mark for number, mark in order if number is not None}
