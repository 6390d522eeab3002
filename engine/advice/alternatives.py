"""Other nodes than the optimum, each with what it brings and what it costs.

The optimum answers which node loses least. Who releases a table asks as well which detail could be kept,
whether fewer records could be suppressed, and whether a stricter requirement would still be cheap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from math import inf

import numpy as np

from engine.kernels.arrays import FloatArray, IntArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy.k_anonymity import KAnonymity
from engine.scoring.evaluate import Evaluation, evaluate
from engine.scoring.optimum import TIE, pareto_front
from engine.scoring.prices import Prices, best_node, prices_of

# A price, the best values for columns and for suppression: in shares of the optimum's value.
MOST_PRICE, _NEAR_FOR_COLUMNS, _NEAR_FOR_RECORDS = 0.25, 1.10, 1.05
_FEWER = 0.9  # share of the suppressed records of the optimum that is a gain


class Gain(Enum):
    """What an alternative brings."""

    DETAIL = "detail"  # a finer level of one column
    UNCHANGED = "unchanged"  # more columns unchanged
    FEWER = "fewer"  # fewer suppressed records
    STRICTER = "stricter"  # a larger k
    BALANCE = "balance"  # few suppressed records for little of the metric
    RELEASED = "released"  # what one insisted level less brings


@dataclass(frozen=True)
class Alternative:
    """A node with its gains.

    Attributes
    ----------
    price : float
        Its value of the metric less that of the optimum; with a stricter k, its value under that k.
    gains : tuple of Gain
        More than one if the same node is found in several ways.
    column : int or None
        For `DETAIL` and `RELEASED`.
    n_unchanged, suppressed : int
        Columns of level 0, and suppressed records under the requirement.
    k : int or None
        For `STRICTER`.
    """

    node: Node
    price: float
    gains: tuple[Gain, ...]
    column: int | None
    n_unchanged: int
    suppressed: int
    k: int | None = None


def alternatives(evaluation: Evaluation, metric: str, monitor: Monitor = SILENT) -> tuple[Alternative, ...]:
    """Return the nodes that are worth a look beside the optimum, at most one per gain.

    Each has a gain: a finer level, a column more unchanged, at least a tenth fewer suppressed records, or a
    larger k. None costs more than a quarter of the optimum's value.

    Parameters
    ----------
    metric : str
        Key of a utility metric; all nodes that satisfy are compared by it.
    """
    optimum = evaluation.optimum(metric)
    if optimum is None:
        return ()
    found: dict[Node, Alternative] = {}
    search = _Search(evaluation, metric, optimum)
    for done, find in enumerate(
        (search.detail, search.unchanged, search.fewer, search.stricter, search.balance)
    ):
        monitor.step(done, 5)
        one = find()
        if one is None or one.node == search.optimum or not one.price <= MOST_PRICE * search.least:
            continue
        known = found.get(one.node)
        found[one.node] = one if known is None else replace(known, gains=known.gains + one.gains)
    return tuple(found.values())


def without_one_level(
    evaluation: Evaluation, metric: str, prices: Prices, insisted: Mapping[int, int]
) -> tuple[Alternative, ...]:
    """Return for each insisted level the best node that has the other insisted levels only.

    The cheapest is first. Levels whose release brings nothing are left out.

    Parameters
    ----------
    prices : Prices
        Those of the evaluation with all insisted levels.
    """
    now = inf if prices.chosen is None else prices.chosen.value
    found = _without_one_level(evaluation, metric, prices, insisted, now)
    return tuple(sorted(found, key=lambda one: one.price))


def _without_one_level(
    evaluation: Evaluation, metric: str, prices: Prices, insisted: Mapping[int, int], now: float
) -> Iterator[Alternative]:
    for column in insisted:
        level = int(np.argmin(prices.least[column]))
        value = float(prices.least[column][level])
        others = {q: other for q, other in insisted.items() if q != column}
        node = best_node(evaluation, metric, column, level, others) if value < now else None
        if node is not None:
            price = value - prices.reference
            yield _alternative(evaluation, node, price, Gain.RELEASED, column)


@dataclass(frozen=True)
class _Search:
    """One way each to find a node that brings something, among the nodes that satisfy."""

    evaluation: Evaluation
    metric: str
    number: int  # of the optimum

    @property
    def optimum(self) -> Node:
        return self.evaluation.lattice.node(self.number)

    @property
    def nodes(self) -> IntArray:
        return np.flatnonzero(self.evaluation.satisfies)

    @property
    def values(self) -> FloatArray:
        return self.evaluation.metric_of_satisfying(self.metric)[self.nodes]

    @property
    def least(self) -> float:
        return float(self.evaluation.metric_at(self.metric, np.array([self.number]))[0])

    def detail(self) -> Alternative | None:
        """Return the cheapest node with a finer level of one column, first of a column that is hidden."""
        attributes, optimum = self.evaluation.problem.attributes, self.optimum
        prices = prices_of(self.evaluation, self.metric, [a.hierarchy.height + 1 for a in attributes])
        cells = []
        for q, attribute in enumerate(attributes):
            is_hidden = len(attribute.hierarchy.levels[optimum[q]].labels) == 1
            cells += [(not is_hidden, float(prices.of(q)[level]), q, -level) for level in range(optimum[q])]
        affordable = [cell for cell in cells if cell[1] <= MOST_PRICE * self.least]
        if not affordable:
            return None
        _is_shown, price, column, level = min(affordable)
        node = best_node(self.evaluation, self.metric, column, -level, {})
        return None if node is None else self._found(node, price, Gain.DETAIL, column)

    def unchanged(self) -> Alternative | None:
        """Return the best of the nodes with most columns unchanged, among those of about the same value."""
        near = self._near(_NEAR_FOR_COLUMNS)
        n_unchanged = (self.evaluation.lattice.levels[near] == 0).sum(axis=1)
        most = n_unchanged.max()
        if most <= self.optimum.count(0):
            return None
        return self._best(near[n_unchanged == most], Gain.UNCHANGED)

    def fewer(self) -> Alternative | None:
        """Return the best of the nodes that suppress fewest records, among those of about the same value."""
        near = self._near(_NEAR_FOR_RECORDS)
        suppressed = self.evaluation.suppressed_at(near)
        return self._fewer(self._best(near[suppressed == suppressed.min()], Gain.FEWER))

    def stricter(self) -> Alternative | None:
        """Return the optimum under the next usual k."""
        requirement = self.evaluation.requirement
        index = next((i for i, model in enumerate(requirement.models) if isinstance(model, KAnonymity)), None)
        if index is None:
            return None
        model, objective = requirement.models[index], self.evaluation.objective
        k = min((k for k in model.threshold_parameter().usual if k > model.limit), default=None)
        if k is None:
            return None
        other = evaluate(self.evaluation.profile, requirement.with_limit(index, k), objective)
        best = other.optimum(self.metric)
        if best is None:
            return None
        price = float(other.metric_at(self.metric, np.array([best]))[0]) - self.least
        return replace(self._found(other.lattice.node(best), price, Gain.STRICTER), k=k)

    def balance(self) -> Alternative | None:
        """Return the node of the Pareto front of suppressed records and metric furthest below the line that
        joins its ends, both scaled to 1.
        """
        nodes, values = self.nodes, self.values
        suppressed = self.evaluation.suppressed_at(nodes).astype(np.float64)
        front = np.flatnonzero(pareto_front(suppressed, values))
        x, y = suppressed[front], values[front]
        if not len(front) or x.max() == x.min() or y.max() == y.min():
            return None
        below = 1 - (x - x.min()) / (x.max() - x.min()) - (y - y.min()) / (y.max() - y.min())
        furthest = np.flatnonzero(below >= below.max() - TIE)
        return self._fewer(self._best(nodes[front[furthest]], Gain.BALANCE))

    def _near(self, share: float) -> IntArray:
        """Return the nodes whose value is at most a multiple of the optimum's."""
        return self.nodes[self.values <= max(share * self.least, self.least)]

    def _best(self, nodes: IntArray, gain: Gain) -> Alternative | None:
        best = self.evaluation.best_among(self.metric, nodes)
        if best is None:
            return None
        price = float(self.evaluation.metric_at(self.metric, np.array([best]))[0]) - self.least
        return self._found(self.evaluation.lattice.node(best), price, gain)

    def _fewer(self, found: Alternative | None) -> Alternative | None:
        """Return an alternative only if it suppresses clearly fewer records."""
        now = int(self.evaluation.suppressed_at(np.array([self.number]))[0])
        return found if found is not None and found.suppressed <= _FEWER * now < now else None

    def _found(self, node: Node, price: float, gain: Gain, column: int | None = None) -> Alternative:
        return _alternative(self.evaluation, node, max(price, 0.0), gain, column)


def _alternative(
    evaluation: Evaluation, node: Node, price: float, gain: Gain, column: int | None
) -> Alternative:
    number = np.array([evaluation.lattice.number(node)])
    suppressed = int(evaluation.suppressed_at(number)[0])
    return Alternative(node, price, (gain,), column, node.count(0), suppressed)
