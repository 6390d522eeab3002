"""A slice of the lattice ready to be shown: two attributes' levels, all others as in one node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonymizer_gui.perspectives.explore.lattice.raster import N_RAMP
from anonymizer_gui.perspectives.explore.metric_text import metric_text
from anonymizer_gui.perspectives.explore.node_scores import BoolArray, NodeScores
from anonymizer_gui.perspectives.explore.node_text import LevelWords
from anonymizer_gui.widgets.marks import Mark
from anonymizer_gui.widgets.numbers import as_percent

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node


@dataclass(frozen=True, slots=True)
class SliceCell:
    """One node of a slice.

    Attributes
    ----------
    node : tuple of int
    status : Mark
    colour : int or None
        Class on the ramp of a node that satisfies.
    value, suppressed : str
        The metric and the share of suppressed records; empty where the node is not scored.
    is_dimmed : bool
        Whether filters leave the node out.
    """

    node: Node
    status: Mark
    colour: int | None = None
    value: str = ""
    suppressed: str = ""
    is_dimmed: bool = False


@dataclass(frozen=True, slots=True)
class Slice:
    """Cells by rows, the most general level of `down` first, and the levels of both sides in words."""

    across: str
    down: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[SliceCell, ...], ...]

    def place(self, node: Node | None) -> tuple[int, int] | None:
        """Row and column of a node, if it lies in the slice."""
        found = (
            (y, x) for y, row in enumerate(self.cells) for x, cell in enumerate(row) if cell.node == node
        )
        return next(found, None)


def usual_pair(problem: Problem) -> tuple[int, int]:
    """The two attributes of most levels; twice the same where there is only one."""
    order = sorted(range(len(problem.names)), key=lambda q: -problem.lattice.shape[q])
    return order[0], order[min(1, len(order) - 1)]


def slice_of(
    node: Node,
    across: int,
    down: int,
    problem: Problem,
    words: LevelWords,
    scores: NodeScores,
    passing: BoolArray,
    metric: str,
) -> Slice:
    """The slice through a node along two attributes; one row where both are the same."""
    lattice = problem.lattice
    columns = range(lattice.minimum[across], lattice.maximum[across] + 1)
    rows = range(lattice.maximum[down], lattice.minimum[down] - 1, -1) if down != across else [node[down]]
    text = metric_text(metric)

    def cell(x: int, y: int) -> SliceCell:
        levels = list(node)
        levels[down] = y
        levels[across] = x
        at = tuple(levels)
        number = scores.scored_number(at)
        if number is None:
            return SliceCell(at, Mark.NOT_SCORED)
        colour = int(scores.classes[number])
        return SliceCell(
            at,
            Mark.SATISFIES if scores.satisfies[number] else Mark.FAILS,
            colour if colour < N_RAMP else None,
            text(float(scores.values[number])),
            as_percent(int(scores.suppressed[number]) / max(problem.n_records, 1)),
            is_dimmed=not passing[number],
        )

    return Slice(
        problem.names[across],
        problem.names[down] if down != across else "",
        tuple(words.level(across, level) for level in columns),
        tuple(words.level(down, level) for level in rows) if down != across else ("",),
        tuple(tuple(cell(x, y) for x in columns) for y in rows),
    )
