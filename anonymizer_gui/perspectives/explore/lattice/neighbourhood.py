"""Neighbours of a node with their changes, and the best nodes of the rows nearby."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.lattice.layout import CHIP_HEIGHT, CHIP_WIDTH, LatticeLayout
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.theming import scaled

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Lattice, Node, Nodes


N_BEST = 6
N_ROWS = 2  # above and below the row of the node


@dataclass(frozen=True, slots=True)
class Step:
    """Neighbour of a node: the changed attribute, and the description of its new level."""

    node: int
    attribute: int
    is_up: bool
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """Value of a model over the kept records, with its threshold."""

    name: str
    value: str
    threshold: str
    is_met: bool


@dataclass(frozen=True, slots=True)
class NodeValues:
    """Values on the large card besides the metric; `models` is empty while they are being measured."""

    rank: str = ""
    models: tuple[MeasuredValue, ...] = ()


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """One node with its surroundings, by index.

    Attributes
    ----------
    names : tuple of str
        Names of the attributes.
    up, down : tuple of Step
        Neighbours, ascending by metric.
    best : dict of int to tuple of int
        Best nodes of each nearby row that are not neighbours, by row of the layout.
    """

    node: int
    names: tuple[str, ...]
    up: tuple[Step, ...]
    down: tuple[Step, ...]
    best: dict[int, tuple[int, ...]]


def neighbourhood_of(
    node: Node, problem: Problem, nodes: Nodes, layout: LatticeLayout, scores: NodeScores, words: LevelWords
) -> Neighbourhood | None:
    """Return the surroundings of a node; None if the node has no index."""
    number = nodes.find(node)
    if number is None:
        return None

    def steps(around: list[Node], *, is_up: bool) -> tuple[Step, ...]:
        found = []
        for other in around:
            attribute = next(q for q, level in enumerate(other) if level != node[q])
            if (at := nodes.find(other)) is not None:
                meaning = words.level(attribute, other[attribute])
                found.append(Step(at, attribute, is_up, problem.attributes[attribute].name, meaning))
        return tuple(sorted(found, key=lambda step: _cost(scores, step.node)))

    up = steps(problem.lattice.successors(node), is_up=True)
    down = steps(problem.lattice.predecessors(node), is_up=False)
    apart = np.array([number, *(step.node for step in (*up, *down))])
    row = int(layout.positions[number, 0])
    best = {}
    for near in range(max(row - N_ROWS, 0), min(row + N_ROWS + 1, layout.n_rows)):
        others = layout.rows[near][~np.isin(layout.rows[near], apart)]
        values = np.nan_to_num(scores.values[others], nan=np.inf)
        order = np.lexsort((others, values, ~scores.satisfies[others]))[:N_BEST]
        best[near] = tuple(others[order].tolist())
    names = tuple(attribute.name for attribute in problem.attributes)
    return Neighbourhood(number, names, up, down, best)


def _cost(scores: NodeScores, number: int) -> tuple[float, int]:
    value = float(scores.values[number])
    return (np.inf if np.isnan(value) else value, number)


def step_from(
    selected: Node | None,
    direction: str,
    lattice: Lattice,
    nodes: Nodes,
    layout: LatticeLayout,
    scores: NodeScores | None,
) -> Node | None:
    """Return the node one step away in a direction; None if there is none.

    Parameters
    ----------
    selected : Node or None
        Start; None leads to the optimum, or to the first node drawn.
    direction : str
        "left" and "right" move within the row, "up" and "down" to the cheapest neighbour.
    lattice : Lattice
        All nodes.
    nodes : Nodes
        Nodes that are drawn, by index.
    """
    if selected is None:
        optimum = None if scores is None else scores.optimum
        return nodes.node(optimum if optimum is not None else int(layout.rows[0][0]))
    if direction in ("left", "right"):
        number = nodes.find(selected)
        beside = None if number is None else layout.beside(number, 1 if direction == "right" else -1)
        return None if beside is None else nodes.node(beside)
    return next(iter(edges_by_cost(selected, lattice, scores, is_up=direction == "up")), None)


def edges_by_cost(origin: Node, lattice: Lattice, scores: NodeScores | None, *, is_up: bool) -> list[Node]:
    """Return the neighbours in a direction, the cheapest first."""
    return _by_cost(_around(origin, lattice, is_up=is_up), scores)


def cheapest_path(
    start: Node, lattice: Lattice, nodes: Nodes, scores: NodeScores | None, *, is_up: bool
) -> tuple[int, ...]:
    """Return the path to the top or bottom along the cheapest edge of every node, by index.

    It ends at a node whose neighbours have no index.
    """
    path: list[int] = []
    here = start
    while True:
        around = _around(here, lattice, is_up=is_up)
        numbered = [node for node in around if nodes.find(node) is not None]
        if not numbered:
            return tuple(path)
        here = _by_cost(numbered, scores)[0]
        path.append(nodes.number(here))


def moved_attribute(start: Node, end: Node) -> int | None:
    """Return the attribute that changes along an edge; None for other pairs of nodes."""
    moved = [q for q, (a, b) in enumerate(zip(start, end, strict=True)) if a != b]
    return moved[0] if len(moved) == 1 and abs(start[moved[0]] - end[moved[0]]) == 1 else None


def _around(node: Node, lattice: Lattice, *, is_up: bool) -> list[Node]:
    return lattice.successors(node) if is_up else lattice.predecessors(node)


def _by_cost(around: Sequence[Node], scores: NodeScores | None) -> list[Node]:
    """Return nodes by metric if it is known, the others lexicographically."""
    values = [float("nan")] * len(around) if scores is None else scores.values_of(around)
    return [node for _value, node in sorted(zip(np.nan_to_num(values, nan=np.inf), around, strict=True))]


CARD_WIDTH, GAP = 138, 12
CAPTION_WIDTH = 104
_EDGE = 8
_CHIP_GAP_X, _CHIP_GAP_Y = 10, 4
_CHIP_ROW = 62  # px, height of a row of chips
_CELL, _SMALLEST_CELL = 38, 20  # px, of the selected card: one level with the name of its attribute
_SELECTED_LEAST, _SELECTED_PADDING = 330, 28
_DOTS_LEAST = 30  # px; narrower blocks of dots are omitted
_DOT_PITCHES = (4, 3, 2)
_MOST_DOTS_HIGH = 130


@dataclass(frozen=True, slots=True)
class Tier:
    """Card sizes, chosen by the available height."""

    selected: int
    card: int  # px; 0: neighbours are chips
    gap: int  # px for edges, between the selected card and its neighbours
    chip: int = int(CHIP_HEIGHT)

    @property
    def neighbour(self) -> int:
        return self.card or self.chip


FULL, BARRED, SHORT = Tier(140, 122, 28), Tier(112, 110, 22), Tier(112, 96, 22)
LEAST, TINY = Tier(80, 66, 14, 31), Tier(64, 0, 12, 31)
TIERS = (FULL, BARRED, SHORT, LEAST, TINY)
WITH_BARS = (FULL, BARRED)  # loss and suppressed records of neighbours as bars


@dataclass(frozen=True)
class Item:
    """Node with its own rectangle; `step` is the step to it from the selected node."""

    node: int
    rect: QRectF
    step: Step | None = None
    is_chip: bool = False


@dataclass(frozen=True, eq=False)
class DotBlock:
    """Nodes of a row as dots, starting with the one nearest to the middle."""

    nodes: NDArray[np.int64]
    rect: QRectF
    pitch: float
    n_down: int
    is_left: bool

    def corners(self) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return left and top of each dot."""
        at = np.arange(len(self.nodes))
        across = (at // self.n_down) * self.pitch
        x = self.rect.right() - self.pitch - across if self.is_left else self.rect.left() + across
        return x, self.rect.top() + (at % self.n_down) * self.pitch

    def at(self, point: QPointF) -> int | None:
        """Return the node under a point."""
        if not self.rect.contains(point):
            return None
        inward = self.rect.right() - point.x() if self.is_left else point.x() - self.rect.left()
        down = int((point.y() - self.rect.top()) / self.pitch)
        place = int(inward / self.pitch) * self.n_down + min(down, self.n_down - 1)
        return int(self.nodes[place]) if place < len(self.nodes) else None


@dataclass(frozen=True)
class Band:
    """Row of the lattice: its position, and its distance from the selected node in rows."""

    row: int
    rect: QRectF
    distance: int


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Positions of everything in the cards view."""

    tier: Tier
    selected: Item
    area: QRectF
    n_nodes: int  # of the lattice, of which a row shows those with room
    items: tuple[Item, ...] = ()
    blocks: tuple[DotBlock, ...] = ()
    bands: tuple[Band, ...] = ()
    _places: dict[int, QRectF] = field(default_factory=dict)

    is_whole, stop = False, "cards"  # not all nodes are visible; the name of this zoom

    def node_at(self, point: QPointF, reach: float = 0.0) -> int | None:
        """Return the node drawn at a point."""
        for item in (self.selected, *self.items):
            if item.rect.contains(point):
                return item.node
        return next((node for block in self.blocks if (node := block.at(point)) is not None), None)

    def zoomed(self, factor: float, point: QPointF) -> Arrangement:
        return self

    def panned(self, by: QPointF) -> Arrangement:
        return self

    def fitted(self) -> Arrangement:
        return self

    def is_free(self, rect: QRectF) -> bool:
        """Return whether no node overlaps a rectangle."""
        drawn = (self.selected.rect, *(i.rect for i in self.items), *(b.rect for b in self.blocks))
        return not any(place.intersects(rect) for place in drawn)

    def place(self, node: int) -> QRectF | None:
        """Return the rectangle of a node; None if it is not drawn."""
        if node in self._places:
            return self._places[node]
        for block in self.blocks:
            if len(place := np.flatnonzero(block.nodes == node)):
                x, y = block.corners()
                return QRectF(float(x[place[0]]), float(y[place[0]]), block.pitch, block.pitch)
        return None


def arrange(layout: LatticeLayout, hood: Neighbourhood, canvas: QRectF) -> Arrangement:
    """Place a neighbourhood on a canvas: the largest cards that fit, then further rows as chips."""
    row = int(layout.positions[hood.node, 0])
    near = [at for at in (row + 1, row, row - 1) if 0 <= at < layout.n_rows]
    tier = next((tier for tier in TIERS if _core(tier, near, row) <= canvas.height()), TINY)
    free = canvas.height() - _core(tier, near, row)
    rows = list(near)
    for beyond in (row + 2, row - 2):
        if 0 <= beyond < layout.n_rows and free >= scaled(_CHIP_ROW):
            rows.append(beyond)
            free -= scaled(_CHIP_ROW)
    rows.sort(reverse=True)
    spread = max(free, 0.0) / len(rows)
    builder = _Builder(layout, hood, tier, canvas)
    top = canvas.top()
    for at in rows:
        height = _height(tier, at, row) + spread
        builder.add_band(at, QRectF(canvas.left(), top, canvas.width(), height))
        top += height
    return builder.arrangement()


def _height(tier: Tier, at: int, row: int) -> float:
    if abs(at - row) > 1:
        return scaled(_CHIP_ROW)
    return scaled(tier.selected + 2 * _EDGE if at == row else tier.neighbour + tier.gap)


def _core(tier: Tier, near: Sequence[int], row: int) -> float:
    return sum(_height(tier, at, row) for at in near)


class _Builder:
    """Builder of one arrangement, row by row."""

    def __init__(self, layout: LatticeLayout, hood: Neighbourhood, tier: Tier, canvas: QRectF) -> None:
        self._layout, self._hood, self._tier, self._canvas = layout, hood, tier, canvas
        self._row = int(layout.positions[hood.node, 0])
        self._left = canvas.left() + scaled(CAPTION_WIDTH)
        self._right = canvas.right() - GAP
        self._middle = (self._left + self._right) / 2
        self._selected: Item | None = None
        self._items: list[Item] = []
        self._blocks: list[DotBlock] = []
        self._bands: list[Band] = []
        self._chip = (scaled(CHIP_WIDTH), scaled(tier.chip))

    def add_band(self, row: int, rect: QRectF) -> None:
        distance = row - self._row
        self._bands.append(Band(row, rect, distance))
        steps = {1: self._hood.up, -1: self._hood.down}.get(distance, ())
        if distance == 0:
            taken = self._add_selected(row, rect)
        elif steps:
            taken = self._add_steps(steps, rect)
        else:
            taken = self._add_best(row, rect)
        self._add_dots(row, rect, *taken)

    def arrangement(self) -> Arrangement:
        assert self._selected is not None, "the row of the selected node is always shown"
        places = {item.node: item.rect for item in (self._selected, *self._items)}
        return Arrangement(
            self._tier,
            self._selected,
            self._canvas,
            self._layout.n_nodes,
            tuple(self._items),
            tuple(self._blocks),
            tuple(self._bands),
            places,
        )

    def _add_selected(self, row: int, band: QRectF) -> tuple[float, float]:
        room = self._right - self._left
        wanted = max(scaled(_CELL) * len(self._hood.names) + _SELECTED_PADDING, scaled(_SELECTED_LEAST))
        sides = 2 * (self._chip[0] + GAP)
        width = min(wanted, max(room - sides, scaled(_SELECTED_LEAST)), room)
        rect = _box(self._middle, band.center().y(), width, scaled(self._tier.selected))
        self._selected = Item(self._hood.node, rect)
        best = self._hood.best.get(row, ())
        step = self._chip[1] + 2 * _CHIP_GAP_Y
        per_side = int((rect.height() + 2 * _CHIP_GAP_Y) // step)
        left, right = rect.left(), rect.right()
        if not per_side or rect.left() - self._left < self._chip[0] + GAP:
            return left, right
        for side in (0, 1):
            chips = best[side * per_side : (side + 1) * per_side]
            x = rect.left() - GAP - self._chip[0] / 2 if side == 0 else rect.right() + GAP + self._chip[0] / 2
            for i, node in enumerate(chips):
                y = band.center().y() + (i - (len(chips) - 1) / 2) * step
                self._items.append(Item(node, _box(x, y, *self._chip), is_chip=True))
            if chips and side == 0:
                left -= GAP + self._chip[0]
            elif chips:
                right += GAP + self._chip[0]
        return left, right

    def _add_steps(self, steps: Sequence[Step], band: QRectF) -> tuple[float, float]:
        """Add cards for the best steps; those without room are stacked as chips in the last places."""
        width, room = scaled(CARD_WIDTH if self._tier.card else CHIP_WIDTH), self._right - self._left
        height = scaled(self._tier.neighbour)
        places = int((room + GAP) // (width + GAP))
        per_place = int((height + _CHIP_GAP_Y) // (self._chip[1] + _CHIP_GAP_Y))
        n_cards = len(steps) if self._tier.card else 0
        if n_cards > places:
            # Each place given up for chips holds several of them.
            n_cards = next((n for n in range(places, 0, -1) if n + (places - n) * per_place >= len(steps)), 0)
        stacked = steps[n_cards : n_cards + (places - n_cards) * per_place]
        n_used = n_cards + -(-len(stacked) // max(per_place, 1))
        first = self._middle - (n_used * (width + GAP) - GAP) / 2 + width / 2
        for i, step in enumerate(steps[:n_cards]):
            rect = _box(first + i * (width + GAP), band.center().y(), width, height)
            self._items.append(Item(step.node, rect, step))
        for i, step in enumerate(stacked):
            across, down = divmod(i, per_place)
            n_here = min(per_place, len(stacked) - across * per_place)
            y = band.center().y() + (down - (n_here - 1) / 2) * (self._chip[1] + _CHIP_GAP_Y)
            x = first + (n_cards + across) * (width + GAP)
            self._items.append(Item(step.node, _box(x, y, *self._chip), step, is_chip=True))
        half = (n_used * (width + GAP) - GAP) / 2
        return self._middle - half, self._middle + half

    def _add_best(self, row: int, band: QRectF) -> tuple[float, float]:
        step = self._chip[0] + _CHIP_GAP_X
        room = self._right - self._left - 2 * (_DOTS_LEAST + GAP)
        best = self._hood.best.get(row, ())[: max(int((room + _CHIP_GAP_X) // step), 1)]
        half = (len(best) * step - _CHIP_GAP_X) / 2 if best else 0.0
        for i, node in enumerate(best):
            x = self._middle - half + i * step + self._chip[0] / 2
            self._items.append(Item(node, _box(x, band.center().y(), *self._chip), is_chip=True))
        return self._middle - half, self._middle + half

    def _add_dots(self, row: int, band: QRectF, left: float, right: float) -> None:
        """Add the remaining nodes of the row on both sides, in the order of the lattice."""
        nodes = self._layout.rows[row]
        drawn = np.array(
            [item.node for item in (*self._items, *([self._selected] if self._selected else []))]
        )
        nodes = nodes[~np.isin(nodes, drawn)]
        # Columns run outward from the middle; the row is ordered from left to right.
        columns = self._layout.positions[nodes, 1]
        height = min(band.height() - 2 * _EDGE, scaled(_MOST_DOTS_HIGH))
        for is_left, of_side in ((True, nodes[columns < 0]), (False, nodes[columns >= 0])):
            room = left - GAP - self._left if is_left else self._right - right - GAP
            outward = of_side[np.lexsort((of_side, np.abs(self._layout.positions[of_side, 1])))]
            if room < _DOTS_LEAST or not len(outward):
                continue
            for pitch in _DOT_PITCHES:
                n_down = max(int(height // pitch), 1)
                n_across = int(room // pitch)
                if n_down * n_across >= len(outward):
                    break
            shown = outward[: n_down * n_across]
            n_down = min(n_down, len(shown))
            width = -(-len(shown) // n_down) * pitch
            x = round(left - GAP - width if is_left else right + GAP)
            y = round(band.center().y() - n_down * pitch / 2)
            self._blocks.append(DotBlock(shown, QRectF(x, y, width, n_down * pitch), pitch, n_down, is_left))


def _box(x: float, y: float, width: float, height: float) -> QRectF:
    """Return a rectangle around a centre, aligned to whole pixels."""
    return QRectF(round(x - width / 2) + 0.5, round(y - height / 2) + 0.5, round(width), round(height))
