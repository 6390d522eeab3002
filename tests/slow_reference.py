"""Slow reference implementation with raw texts, pandas and exact fractions, without the engine.

Only `Case` (the raw rows) is shared with the tested code. Each function implements one definition of the
design.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import pandas as pd

from tests.strategies import MISSING, Attributes, Case

Node = tuple[int, ...]
TIE = Fraction(1, 10**12)


def paths(attribute: Attributes) -> dict[str, tuple[str, ...]]:
    """Return the labels per level of every value; a missing value not in the file keeps its own label."""
    found = {row[0]: row for row in attribute.rows}
    if not attribute.rows:
        found = {text: (text,) for text in attribute.texts}
    if MISSING in attribute.texts and MISSING not in found:
        height = attribute.height
        tops = {row[-1] for row in found.values()}
        top = tops.pop() if len(tops) == 1 and height else MISSING
        found[MISSING] = (MISSING,) * height + (top,)
    return found


def exactly(threshold: float) -> Fraction:
    """Return the decimal that was typed."""
    return Fraction(Decimal(repr(threshold)))


def all_nodes(case: Case) -> list[Node]:
    """Return the nodes within the bounds, the last attribute fastest."""
    return list(product(*(a.levels for a in case.qi)))


def distance(values: Sequence[str], table: Sequence[str], kind: str, *, numeric: bool) -> Fraction:
    """Return half the L1 distance (equal), or the mean cumulative difference over v - 1 steps (ordered)."""
    by_value = numeric and kind == "ordered"  # the equal distance also takes missing values
    domain = sorted(set(table), key=(lambda text: (int(text), text)) if by_value else None)
    inside, outside = Counter(values), Counter(table)
    shares = [Fraction(inside[v], len(values)) - Fraction(outside[v], len(table)) for v in domain]
    if kind == "equal":
        return sum((abs(share) for share in shares), Fraction(0)) / 2
    if len(domain) == 1:
        return Fraction(0)
    running, total = Fraction(0), Fraction(0)
    for share in shares:
        running += share
        total += abs(running)
    return total / (len(domain) - 1)


def tree_distance(values: Sequence[str], table: Sequence[str], rows: dict[str, tuple[str, ...]]) -> Fraction:
    """Return the distance of Li et al. 2007, section 4.3: imbalance among children of nodes, by height."""
    top = {row[-1] for row in rows.values()}
    full = {value: row if len(top) == 1 else (*row, "the root") for value, row in rows.items()}
    height = len(next(iter(full.values()))) - 1
    inside, outside = Counter(values), Counter(table)
    extra: dict[tuple[int, str], Fraction] = {}
    parent: dict[tuple[int, str], tuple[int, str]] = {}
    for value, row in full.items():
        share = Fraction(inside[value], len(values)) - Fraction(outside[value], len(table))
        for level, label in enumerate(row):
            extra[level, label] = extra.get((level, label), Fraction(0)) + share
            if level < height:
                parent[level, label] = (level + 1, row[level + 1])
    cost = Fraction(0)
    for node in {*parent.values()}:
        children = [extra[child] for child, above in parent.items() if above == node]
        positive = sum((e for e in children if e > 0), Fraction(0))
        negative = -sum((e for e in children if e < 0), Fraction(0))
        cost += Fraction(node[0], height) * min(positive, negative)
    return cost


def grassberger(count: int) -> float:
    """Return G of Grassberger 2003: G(2n) = G(2n + 1) = -gamma - log 2 + 2/1 + 2/3 + ... + 2/(2n - 1)."""
    return -0.5772156649015329 - math.log(2) + math.fsum(2 / k for k in range(1, count // 2 * 2, 2))


def default_distance(attribute: Attributes) -> str:
    """Return "ordered" for numbers without missing values, else "equal"."""
    return "ordered" if attribute.kind.value == "integer" and MISSING not in attribute.texts else "equal"


@dataclass(frozen=True)
class SlowNode:
    """One node of a case, recounted from the records."""

    case: Case
    node: Node

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Generalized quasi-identifying columns and the sensitive columns, as texts."""
        columns: dict[str, list[str]] = {}
        for attribute, level in zip(self.case.qi, self.node, strict=True):
            labels = paths(attribute)
            columns[attribute.name] = [labels[text][level] for text in attribute.texts]
        for attribute in self.case.sensitive:
            columns[attribute.name] = list(attribute.texts)
        return pd.DataFrame(columns, dtype=object)

    @cached_property
    def classes(self) -> list[list[int]]:
        """Records of every equivalence class."""
        groups = self.frame.groupby([a.name for a in self.case.qi], dropna=False, sort=False)
        return [list(map(int, members)) for members in groups.indices.values()]

    @cached_property
    def sizes(self) -> list[int]:
        return [len(members) for members in self.classes]

    def values(self, column: str, members: Sequence[int]) -> list[str]:
        texts = self._sensitive(column).texts
        return [texts[i] for i in members]

    def distinct(self, column: str) -> list[int]:
        return [len(set(self.values(column, members))) for members in self.classes]

    def distances(self, column: str, kind: str) -> list[Fraction]:
        attribute = self._sensitive(column)
        numeric = attribute.kind.value == "integer"
        if kind == "hierarchical":
            rows = paths(attribute)
            return [tree_distance(self.values(column, m), attribute.texts, rows) for m in self.classes]
        return [
            distance(self.values(column, members), attribute.texts, kind, numeric=numeric)
            for members in self.classes
        ]

    def _sensitive(self, column: str) -> Attributes:
        return next(a for a in self.case.sensitive if a.name == column)

    def meets(self, model: Any) -> list[bool]:
        """Return which classes meet a model; thresholds as the decimals they are written as."""
        if model.key == "k_anonymity":
            return [size >= model.k for size in self.sizes]
        if model.key == "distinct_l_diversity":
            return [n_values >= model.l for n_values in self.distinct(model.column)]
        if model.key == "t_closeness":
            kind = model.distance or default_distance(self._sensitive(model.column))
            return [d <= exactly(model.t) * (1 + TIE) for d in self.distances(model.column, kind)]
        table = Counter(self._sensitive(model.column).texts)
        classes = [Counter(self.values(model.column, members)) for members in self.classes]
        return [self._is_met(model, inside, table) for inside in classes]

    def _is_met(self, model: Any, inside: Counter[str], table: Counter[str]) -> bool:
        """Return whether a class meets a model by definition, given its values and those of the table."""
        size, n, counts = inside.total(), table.total(), sorted(inside.values(), reverse=True)
        p = {value: Fraction(count, n) for value, count in table.items()}
        gains = {value: Fraction(count, size) / p[value] - 1 for value, count in inside.items()}
        match model.key:
            case "alpha_k_anonymity":
                return size >= model.k and Fraction(counts[0], size) <= exactly(model.alpha)
            case "entropy_l_diversity" if model.estimator == "shannon":
                entropy = math.fsum(c / size * math.log(size / c) for c in counts)
                return math.exp(entropy) >= model.l * (1 - 1e-9)
            case "entropy_l_diversity":
                entropy = math.fsum(c / size * (grassberger(size) - grassberger(c)) for c in counts)
                return min(math.exp(entropy), len(counts)) >= model.l * (1 - 1e-9)
            case "recursive_c_l_diversity":
                return counts[0] < exactly(model.c) * sum(counts[model.l - 1 :])
            case "basic_beta_likeness":
                return max(gains.values()) <= exactly(model.beta)
            case "enhanced_beta_likeness":
                return all(
                    gain <= min(exactly(model.beta), -math.log(p[value]) * (1 + 1e-12))
                    for value, gain in gains.items()
                    if gain > 0
                )
        assert model.key == "delta_disclosure", model.key
        furthest = max(abs(math.log(gain + 1)) for gain in gains.values())
        return len(inside) == len(table) and furthest <= model.delta * (1 + 1e-12)

    def under(self, requirement: Any) -> SlowRelease:
        met = [all(flags) for flags in zip(*map(self.meets, requirement.models), strict=True)]
        if not requirement.models:
            met = [True] * len(self.classes)
        return SlowRelease(self, requirement, tuple(met))


@dataclass(frozen=True)
class SlowRelease:
    """A node under a requirement: kept classes, and every metric by its definition."""

    at: SlowNode
    requirement: Any
    met: tuple[bool, ...]

    @property
    def n(self) -> int:
        return self.at.case.n_records

    @cached_property
    def kept(self) -> list[list[int]]:
        return [members for members, met in zip(self.at.classes, self.met, strict=True) if met]

    @cached_property
    def suppressed_records(self) -> set[int]:
        return set(range(self.n)) - {i for members in self.kept for i in members}

    @property
    def suppressed(self) -> int:
        return len(self.suppressed_records)

    @property
    def allowed(self) -> int:
        return math.floor(Fraction(repr(self.requirement.suppression_limit)) * self.n)

    @property
    def satisfies(self) -> bool:
        return self.suppressed <= self.allowed

    @property
    def kept_k(self) -> int:
        return min(map(len, self.kept), default=0)

    def metric(self, key: str, weights: Sequence[float] | None = None) -> float:
        """Return the unscaled value of a metric; nan if it does not exist."""
        return float(getattr(self, key)(weights or [1.0] * len(self.at.case.qi)))

    def _labels(self, q: int) -> list[str | None]:
        """Return the released label per record, None if suppressed."""
        texts = self.at.frame[self.at.case.qi[q].name]
        return [None if i in self.suppressed_records else str(text) for i, text in enumerate(texts)]

    def _leaves(self, q: int) -> dict[str, list[str]]:
        """Return the leaves under each label of the node's level."""
        under: dict[str, list[str]] = {}
        for value, labels in paths(self.at.case.qi[q]).items():
            under.setdefault(labels[self.at.node[q]], []).append(value)
        return under

    def loss(self, weights: Sequence[float]) -> float:
        product_ = 1.0
        for q, attribute in enumerate(self.at.case.qi):
            leaves = len(paths(attribute))
            under = self._leaves(q)
            shares = [Fraction(1) if s is None else Fraction(len(under[s]), leaves) for s in self._labels(q)]
            mean = sum(shares, Fraction(0)) / self.n
            v = 0 if leaves == 1 else max((mean - Fraction(1, leaves)) / (1 - Fraction(1, leaves)), 0)
            product_ *= (1 + float(v)) ** (weights[q] / sum(weights))
        return product_ - 1

    def gen_iloss(self, weights: Sequence[float]) -> float:
        total = 0.0
        for q, attribute in enumerate(self.at.case.qi):
            values = list(paths(attribute))
            under = self._leaves(q)
            if attribute.kind.value == "integer":
                numbers = [int(v) for v in values if v != MISSING]
                width = max(numbers) - min(numbers) if numbers else 0
                cost = {}
                for label, members in under.items():
                    own = [int(v) for v in members if v != MISSING]
                    cost[label] = Fraction(max(own) - min(own), width) if own and width else Fraction(0)
                    if own and len(own) < len(members):  # numbers and missing
                        cost[label] = Fraction(1)
                degenerate = width == 0 and len(set(numbers)) == len(values)
                degenerate |= not numbers
            else:
                degenerate = len(values) == 1
                cost = {
                    label: Fraction(len(members) - 1, max(len(values) - 1, 1))
                    for label, members in under.items()
                }
            if degenerate:
                continue
            cells = [Fraction(1) if s is None else cost[s] for s in self._labels(q)]
            total += weights[q] / sum(weights) * float(sum(cells, Fraction(0)) / self.n)
        return total

    def precision(self, weights: Sequence[float]) -> float:
        total = 0.0
        for q, attribute in enumerate(self.at.case.qi):
            if attribute.height:
                level = Fraction(self.at.node[q], attribute.height)
                cells = [Fraction(1) if s is None else level for s in self._labels(q)]
                total += weights[q] / sum(weights) * float(sum(cells, Fraction(0)) / self.n)
        return total

    def discernibility(self, weights: Sequence[float]) -> float:
        return sum(len(members) ** 2 for members in self.kept) + self.suppressed * self.n

    def aecs(self, weights: Sequence[float]) -> float:
        return self.n / (len(self.kept) + (1 if self.suppressed else 0))

    def c_avg(self, weights: Sequence[float]) -> float:
        if not self.kept:
            return math.nan
        required = [m.k for m in self.requirement.models if hasattr(m, "k")]
        k = max(required) if required else self.kept_k
        return (self.n - self.suppressed) / (len(self.kept) * k)

    def height(self, weights: Sequence[float]) -> float:
        return sum(weight * level for weight, level in zip(weights, self.at.node, strict=True))

    def normalized_entropy(self, weights: Sequence[float]) -> float:
        total = 0.0
        for q, attribute in enumerate(self.at.case.qi):
            counts = Counter(attribute.texts).values()
            if most := sum(c * math.log2(self.n / c) for c in counts):
                total += weights[q] / sum(weights) * self._lost_bits(q) / most
        return total

    def entropy_loss(self, weights: Sequence[float]) -> float:
        factors = weights if any(weights) else [1.0] * len(weights)
        leaves = [len(paths(attribute)) for attribute in self.at.case.qi]
        most = sum(w * math.log(n) for w, n in zip(factors, leaves, strict=True))
        return math.fsum(self._hidden(i, factors, most) for i in range(self.n)) / self.n

    def _hidden(self, record: int, weights: Sequence[float], most: float) -> float:
        if record in self.suppressed_records:
            return 1.0
        covered = [len(self._covered(record, q)) for q in range(len(weights))]
        return sum(w * math.log(n) for w, n in zip(weights, covered, strict=True)) / most if most else 0.0

    def payout(self, weights: Sequence[float]) -> float:
        benefit, damage, worth = 1200, 300, Fraction(300, 4)
        attacked = sum(len(members) < worth for members in self.kept)
        return benefit * self.n * self.entropy_loss([1.0] * len(weights)) + damage * attacked

    def non_uniform_entropy(self, weights: Sequence[float]) -> float:
        return sum(weights[q] * self._lost_bits(q) for q in range(len(self.at.case.qi)))

    def _lost_bits(self, q: int) -> float:
        attribute = self.at.case.qi[q]
        labels = [str(label) for label in self.at.frame[attribute.name]]
        values, generalized = Counter(attribute.texts), Counter(labels)
        bits = sum(
            math.log2(generalized[label] / values[text])
            for label, text in zip(labels, attribute.texts, strict=True)
        )
        gone = Counter(label for i, label in enumerate(labels) if i in self.suppressed_records)
        return bits - sum(c * math.log2(c / self.suppressed) for c in gone.values())

    def classification(self, weights: Sequence[float]) -> float:
        columns = {a.name: a.texts for a in (*self.at.case.qi, *self.at.case.sensitive)}
        texts = columns.get(self.at.case.target or next(iter(a.name for a in self.at.case.sensitive), ""))
        if texts is None:
            return math.nan
        told = sum(max(Counter(texts[i] for i in members).values()) for members in self.kept)
        return float(1 - Fraction(told, self.n))

    def _covered(self, record: int, q: int) -> set[str]:
        """Return the leaves under a record's released label; all leaves if it is suppressed."""
        label = self._labels(q)[record]
        return set(paths(self.at.case.qi[q])) if label is None else set(self._leaves(q)[label])

    def ambiguity(self, weights: Sequence[float]) -> float:
        columns = range(len(self.at.case.qi))
        combinations = [math.prod(len(self._covered(i, q)) for q in columns) for i in range(self.n)]
        return float(Fraction(sum(combinations), self.n))

    def kl_divergence(self, weights: Sequence[float]) -> float:
        qi = self.at.case.qi
        groups = [*self.kept, *([sorted(self.suppressed_records)] if self.suppressed else [])]
        boxes = [[self._covered(members[0], q) for q in range(len(qi))] for members in groups]
        original = Counter(zip(*(a.texts for a in qi), strict=True))
        divergence = 0.0
        for values, count in original.items():
            mass = Fraction(0)
            for members, box in zip(groups, boxes, strict=True):
                if all(value in leaves for value, leaves in zip(values, box, strict=True)):
                    mass += Fraction(len(members), self.n * math.prod(map(len, box)))
            divergence += count / self.n * math.log2(Fraction(count, self.n) / mass)
        return max(divergence, 0.0)


def optimum(case: Case, requirement: Any, metric: str) -> Node | None:
    """Return the best node: least value, then fewest suppressed, lowest sum of levels, first in order."""
    rated = [(node, SlowNode(case, node).under(requirement)) for node in all_nodes(case)]
    rated = [(node, release) for node, release in rated if release.satisfies]
    if not rated:
        return None
    values = {node: release.metric(metric) for node, release in rated}
    values = {node: math.inf if math.isnan(value) else value for node, value in values.items()}
    least = min(values.values())
    tied = [
        (release.suppressed, sum(node), node)
        for node, release in rated
        if values[node] == least or values[node] - least <= abs(least) * 1e-12
    ]
    return min(tied)[2]
