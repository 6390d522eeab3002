"""The price table in words: a row per column, a cell per level, in an order that no knob changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from math import inf, isfinite
from typing import TYPE_CHECKING, NamedTuple

from anonymizer_gui.perspectives.explore.metric_text import (
    has_unit_scale,
    metric_change,
    metric_name,
    metric_text,
)
from engine.cached import cached_property
from engine.numbers import as_decimal, as_exact_count, as_nodes, as_percent
from engine.scoring.prices import Prices, best_node, level_totals
from engine.words import _, ngettext

if TYPE_CHECKING:
    from anonymizer_gui.models.node_name import LevelWords
    from engine.frequency import Problem
    from engine.kernels.arrays import IntArray
    from engine.lattice import Node
    from engine.scoring import Evaluation

NO_EXTRA = 1e-12  # a price below it is a tie with the optimum
_LEAST_SHOWN = 0.0005
_LEAST_SHARED = 0.001  # value of an optimum of which a price has a share


class Kind(Enum):
    """What is known of a level."""

    PRICED = "priced"
    AT_MOST = "at most"  # an unscored node may cost less
    LOSS = "loss"  # the same, and the optimum is not proven: its own value instead of a difference
    SURE_LOSS = "sure loss"  # no node of the level is better, but the optimum is not proven
    IMPOSSIBLE = "impossible"
    NOT_SCORED = "not scored"


@dataclass(frozen=True)
class PriceCell:
    """One level of a column.

    Attributes
    ----------
    title, short : str
        The level in words, with the number of its values or without it.
    price : float
        Difference to the optimum; inf if there is none.
    words, brief : str
        The price as a text, or why there is none; and the same in a narrow cell.
    share : str
        The price as a share of the optimum's value; may be empty.
    nodes : str
        Number of nodes that satisfy, with its noun.
    """

    level: int
    title: str
    short: str
    kind: Kind
    price: float
    words: str
    brief: str
    share: str
    nodes: str
    is_optimum: bool
    is_chosen: bool
    is_insisted: bool
    is_selected: bool = False

    @property
    def is_free(self) -> bool:
        """Return whether the level costs nothing."""
        return self.kind is Kind.PRICED and self.price < NO_EXTRA


@dataclass(frozen=True)
class PriceRow:
    """One column with all its levels, the finest first.

    Attributes
    ----------
    now : str
        Its level at the chosen node; empty if there is none.
    is_upper : bool
        Whether the row is in the upper block: the optimum generalized its column when rows were ordered.
    """

    column: int
    name: str
    now: str
    is_upper: bool
    cells: tuple[PriceCell, ...]

    def place_of(self, level: int) -> int:
        """Return the place of the cell of a level."""
        return next(place for place, cell in enumerate(self.cells) if cell.level == level)


@dataclass(frozen=True)
class Priced:
    """Prices with what they belong to.

    Attributes
    ----------
    optimum : Node or None
        The optimum without insisted levels, or the best node so far.
    is_proved : bool
        Whether it is the optimum of the whole lattice.
    selected : Node or None
        The selected node, whose levels are outlined.
    proved : frozenset of tuple
        Boxes of a partly scored lattice of which the best node is known.
    """

    problem: Problem
    words: LevelWords
    prices: Prices
    metric: str
    optimum: Node | None
    insisted: Mapping[int, int]
    is_proved: bool
    selected: Node | None = None
    proved: frozenset[tuple[Node, Node]] = frozenset()

    @property
    def chosen(self) -> Node | None:
        """The best node with all insisted levels."""
        return None if self.prices.chosen is None else self.prices.chosen.node

    def levels(self, column: int) -> range:
        """Return the levels of a column that the project allows."""
        attribute = self.problem.attributes[column]
        return range(attribute.minimum, attribute.maximum + 1)

    @cached_property
    def _totals(self) -> tuple[IntArray, ...]:
        sizes = [len(found) for found in self.prices.least]
        return level_totals(self.problem.lattice, sizes, self.insisted)

    def box(self, column: int, level: int) -> tuple[Node, Node]:
        """Return the lowest and the highest node of a cell."""
        fixed, lattice = {**self.insisted, column: level}, self.problem.lattice
        low = tuple(fixed.get(q, lowest) for q, lowest in enumerate(lattice.minimum))
        return low, tuple(fixed.get(q, highest) for q, highest in enumerate(lattice.maximum))

    def exhausted(self, column: int, level: int) -> bool:
        """Return whether every node of a cell is scored, or known not to be better."""
        is_scored = bool(self.prices.n_scored[column][level] >= self._totals[column][level])
        return is_scored or (bool(self.proved) and self.box(column, level) in self.proved)

    @cached_property
    def open_boxes(self) -> tuple[tuple[Node, Node], ...]:
        """The cells whose least value is not known, each as its lowest and highest node."""
        columns = range(len(self.problem.names))
        return tuple(
            self.box(q, level) for q in columns for level in self.levels(q) if not self.exhausted(q, level)
        )


class RowOrder(NamedTuple):
    """Columns in the order of their rows, and how many of them are in the upper block; no knob changes it."""

    columns: tuple[int, ...] = ()
    n_upper: int = 0


def row_order(priced: Priced) -> RowOrder:
    """Order the rows by the present prices.

    First the columns that the optimum generalizes, by the price of their values; then the others, by that of
    their first level. The dearest are first, and those that are impossible before them.
    """
    optimum = priced.optimum

    def key(column: int) -> tuple[bool, float]:
        levels, prices = priced.levels(column), priced.prices.of(column)
        is_lower = optimum is None or optimum[column] == levels[0]
        place = levels[min(1, len(levels) - 1)] if is_lower else levels[0]
        return is_lower, -prices[place]

    columns = tuple(sorted(range(len(priced.problem.names)), key=key))
    return RowOrder(columns, sum(not key(column)[0] for column in columns))


def price_rows(priced: Priced, order: RowOrder) -> tuple[PriceRow, ...]:
    """Return the rows of the table in an order."""
    return tuple(_row(priced, column, place < order.n_upper) for place, column in enumerate(order.columns))


def _row(priced: Priced, column: int, is_upper: bool) -> PriceRow:
    chosen, levels = priced.chosen, priced.levels(column)
    now = "" if chosen is None else level_title(priced, column, chosen[column], with_count=True)
    return PriceRow(
        column,
        priced.problem.names[column],
        _("now: {level}").format(level=now) if now else "",
        is_upper,
        tuple(_cell(priced, column, level) for level in levels),
    )


def _cell(priced: Priced, column: int, level: int) -> PriceCell:
    prices = priced.prices
    least, price = float(prices.least[column][level]), float(prices.of(column)[level])
    n_nodes = int(prices.n_nodes[column][level])
    kind = _kind(priced, column, level)
    return PriceCell(
        level,
        level_title(priced, column, level, with_count=True),
        level_title(priced, column, level, with_count=False),
        kind,
        price if kind in (Kind.PRICED, Kind.AT_MOST) else inf,
        price_words(priced.metric, kind, price, least),
        _brief(priced.metric, kind, price, least),
        price_share(priced, price) if kind is Kind.PRICED else "",
        as_nodes(n_nodes) if n_nodes else "",
        priced.optimum is not None and priced.optimum[column] == level,
        priced.chosen is not None and priced.chosen[column] == level,
        priced.insisted.get(column) == level,
        priced.selected is not None and priced.selected[column] == level,
    )


def _kind(priced: Priced, column: int, level: int) -> Kind:
    is_exhausted = priced.exhausted(column, level)
    if not priced.prices.n_nodes[column][level]:
        return Kind.IMPOSSIBLE if is_exhausted else Kind.NOT_SCORED
    if priced.is_proved and is_exhausted:
        return Kind.PRICED
    if priced.is_proved and priced.prices.of(column)[level] < NO_EXTRA:
        return Kind.PRICED  # nothing is better than the optimum
    if is_exhausted:
        return Kind.SURE_LOSS
    return Kind.AT_MOST if priced.is_proved else Kind.LOSS


def level_title(priced: Priced, column: int, level: int, *, with_count: bool) -> str:
    """Return a level in words; an unchanged one without a name may have the number of values."""
    hierarchy = priced.problem.attributes[column].hierarchy
    if level or hierarchy.levels[0].name or not with_count:
        return priced.words.level(column, level)
    n_values = hierarchy.n_leaves
    return ngettext("unchanged, {n} value", "unchanged, {n} values", n_values).format(n=n_values)


def named_level(priced: Priced, column: int, level: int) -> str:
    """Return a level in words, with its column unless it describes itself."""
    words = level_title(priced, column, level, with_count=False)
    if not priced.words.is_kept_or_hidden(column, level):
        return words
    return _("{column} {level}").format(column=priced.problem.names[column], level=words)


def price_words(metric: str, kind: Kind, price: float, least: float) -> str:
    """Return a price as a text: "+0.004", "no extra loss", "at most +0.045", "no node satisfies"."""
    match kind:
        case Kind.IMPOSSIBLE:
            return _("no node satisfies")
        case Kind.NOT_SCORED:
            return _("not scored yet")
        case Kind.LOSS:
            words = _("{metric} at most {value}")
            return words.format(metric=metric_name(metric), value=metric_text(metric)(least))
        case Kind.SURE_LOSS:
            words = _("{metric} {value}")
            return words.format(metric=metric_name(metric), value=metric_text(metric)(least))
        case Kind.AT_MOST:
            return _("at most {price}").format(price=difference(metric, price))
        case Kind.PRICED:
            return difference(metric, price)


def _brief(metric: str, kind: Kind, price: float, least: float) -> str:
    """Return a price in a few signs."""
    match kind:
        case Kind.IMPOSSIBLE:
            return _("none")
        case Kind.NOT_SCORED:
            return "?"
        case Kind.LOSS:
            return f"≤ {metric_text(metric)(least)}"
        case Kind.SURE_LOSS:
            return metric_text(metric)(least)
        case Kind.AT_MOST:
            return f"≤ {metric_change(metric, price)}"
        case Kind.PRICED:
            return "0" if price < NO_EXTRA else difference(metric, price)


def difference(metric: str, price: float) -> str:
    """Return the extra loss, or the difference in another metric."""
    if price < NO_EXTRA:
        return _("no extra loss") if metric == "loss" else _("costs nothing")
    if has_unit_scale(metric) and price < _LEAST_SHOWN:
        return _("under {value}").format(value=as_decimal(2 * _LEAST_SHOWN))
    return metric_change(metric, price)


class KeptDetail(NamedTuple):
    """How a level can be kept: the best node that has it, and its price beside another node."""

    node: Node | None
    words: str


def kept_detail(priced: Priced, evaluation: Evaluation, node: Node, column: int, level: int) -> KeptDetail:
    """Return the best node with a level of a column, as "+0.004 with 2 others" that differ from a node."""
    least, price = (
        float(values[level]) for values in (priced.prices.least[column], priced.prices.of(column))
    )
    words = price_words(priced.metric, _kind(priced, column, level), price, least)
    others = {q: other for q, other in priced.insisted.items() if q != column}
    best = best_node(evaluation, priced.metric, column, level, others)
    n = 0 if best is None else sum(best[q] != own for q, own in enumerate(node) if q != column)
    if n:
        text = ngettext("{price} with {n} other", "{price} with {n} others", n)
        words = text.format(price=words, n=as_exact_count(n))
    return KeptDetail(best, words)


def price_share(priced: Priced, price: float) -> str:
    """Return a price as a share of the optimum's value, for metrics from 0 to 1."""
    reference = priced.prices.reference
    if price < NO_EXTRA or not isfinite(price) or not has_unit_scale(priced.metric):
        return ""
    return (
        _("{share} more").format(share=as_percent(price / reference, 0)) if reference >= _LEAST_SHARED else ""
    )
