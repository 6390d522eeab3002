"""Ways to draw the nodes of a lattice, and the marks that a view uses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from anonymizer_gui.perspectives.explore.lattice.node_look import LatticeColours
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, FAILS, N_RAMP, NOT_SCORED
from anonymizer_gui.perspectives.explore.node_marks import Marks
from anonymizer_gui.widgets.marks import Mark


class Drawing(Enum):
    """How the nodes of a lattice are drawn."""

    SHARES = "shares"
    DOTS = "dots"
    CHIPS = "chips"
    CARDS = "cards"
    DIAGRAM = "diagram"


@dataclass(frozen=True)
class InUse:
    """What a legend explains.

    Attributes
    ----------
    drawing : Drawing
    pitch : float
        Pixels between two dots.
    statuses : tuple of Mark
        Satisfying, minimal, failing and unscored nodes that are drawn.
    marks : tuple of Mark
        Optimum, applied and pinned nodes.
    has_selected, has_filtered : bool
        Whether a node is selected, and whether some are dimmed by a filter.
    """

    drawing: Drawing = Drawing.DOTS
    pitch: float = 4.0
    statuses: tuple[Mark, ...] = ()
    marks: tuple[Mark, ...] = ()
    has_selected: bool = False
    has_filtered: bool = False


def marks_in_use(
    colours: LatticeColours, marks: Marks, drawing: Drawing = Drawing.DOTS, pitch: float = 4.0
) -> InUse:
    """Return what a legend explains for nodes in these colours."""
    classes, minimal = colours.classes, colours.minimal
    has = {
        Mark.SATISFIES: bool((classes < N_RAMP).any()),
        Mark.MINIMAL: minimal is not None and bool(minimal.any()),
        Mark.FAILS: bool((classes == FAILS).any()),
        Mark.NOT_SCORED: bool((classes == NOT_SCORED).any()),
    }
    marked = (
        (Mark.OPTIMUM, marks.optimum is not None),
        (Mark.APPLIED, marks.applied is not None),
        (Mark.PINNED, bool(marks.pinned)),
    )
    return InUse(
        drawing,
        pitch,
        tuple(mark for mark, is_used in has.items() if is_used),
        tuple(mark for mark, is_used in marked if is_used),
        marks.selected is not None,
        bool((classes == DIMMED).any()),
    )
