"""What a lattice tells in words: one sentence, the first of a list of cases that applies, and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.models.node_name import LevelWords, listed
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout, lay_out
from anonymizer_gui.perspectives.explore.lattice.split import Facet, FacetWords, SplitWords
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.perspectives.explore.prices.rows import NO_EXTRA, difference
from engine.cached import cached_property
from engine.numbers import as_exact_count, as_nodes, as_percent
from engine.privacy import PrivacyModel, Relation
from engine.privacy.limit import limits_persons
from engine.privacy.measured_text import figure_text, limit_text
from engine.scoring.nodes.kept import AS_CLASS, BESIDE, SUPPRESSED
from engine.scoring.split import Split
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.scoring import Evaluation

Ints = NDArray[np.int64]
_MOST_MODELS = 3  # named in one line
_CHEAP, _UNDECIDED = 0.05, 0.15  # of the optimum's value; share that two columns explain


@dataclass(frozen=True, eq=False)
class Border:
    """A small lattice with nodes that satisfy and nodes that fail, and why these do.

    Attributes
    ----------
    edges : ndarray of int64, shape (n_edges, 2)
        Lower and upper node of every step.
    kinds, values : ndarray of shape (n_nodes,)
        What `what_fails` has found.
    """

    evaluation: Evaluation
    edges: Ints
    kinds: Ints
    values: NDArray[np.float64]

    def reasons(self) -> Mapping[int, str]:
        """Return what nodes fail, without those that suppress too many records."""
        named = np.flatnonzero((self.kinds >= 0) | np.isin(self.kinds, (AS_CLASS, BESIDE))).tolist()
        return {node: self._reason(int(self.kinds[node]), float(self.values[node])) for node in named}

    def _reason(self, kind: int, value: float) -> str:
        if kind < 0:
            return _("fails beside earlier") if kind == BESIDE else _("fail as one class")
        model = self.evaluation.requirement.models[kind]
        is_low = model.relation is Relation.AT_LEAST
        text = _("{symbol} {value} of {limit}") if is_low else _("{symbol} {value} over {limit}")
        measured = figure_text(type(model), value, 2)
        return text.format(symbol=model.symbol, value=measured, limit=limit_text(model))

    def meets(self) -> str:
        """Return what the satisfying nodes meet, and how many they are."""
        models, evaluation = self.evaluation.requirement.models, self.evaluation
        named = ", ".join(f"{model.symbol} = {limit_text(model)}" for model in models)
        n, total = as_exact_count(evaluation.n_satisfying), as_exact_count(evaluation.lattice.n_nodes)
        if not 1 <= len(models) <= _MOST_MODELS:
            return _("meets the requirement: {n} of {total}").format(n=n, total=total)
        return _("meets {models}: {n} of {total}").format(models=named, n=n, total=total)

    def below(self) -> str:
        """Return why the nodes below the line fail, if one condition separates all of them."""
        satisfies = self.evaluation.satisfies
        lower, upper = self.edges.T
        if (satisfies[lower] & ~satisfies[upper]).any():
            return ""
        kinds = np.unique(self.kinds[lower[satisfies[upper] & ~satisfies[lower]]])
        if len(kinds) != 1:
            return ""
        problem, requirement = self.evaluation.problem, self.evaluation.requirement
        if (kind := int(kinds[0])) >= 0:
            model = requirement.models[kind]
            if model.relation is Relation.AT_LEAST:
                text = _("Below the line {model} is too small (limit {limit}).")
            else:
                text = _("Below the line {model} is too large (limit {limit}).")
            return text.format(model=_named(model), limit=limit_text(model))
        if kind == BESIDE:
            return _("Below the line too few people or values are left beside earlier releases.")
        if kind != SUPPRESSED:
            return _("Below the line the suppressed records fail as one class.")
        text, n = (
            _("Below the line too many records are suppressed (limit {limit} of {n})."),
            problem.n_records,
        )
        if limits_persons(problem, requirement):
            text, n = (
                _("Below the line too many people lose a record (limit {limit} of {n})."),
                problem.n_people,
            )
        return text.format(limit=as_exact_count(self.evaluation.allowed), n=as_exact_count(n))

    def headline(self) -> str:
        """Return the sentence; empty if no node or every node satisfies."""
        satisfies, n_all = self.evaluation.satisfies, self.evaluation.lattice.n_nodes
        if not 0 < self.evaluation.n_satisfying < n_all:
            return ""
        finer = self._has_finer() & ~satisfies
        if (n := int(np.count_nonzero(finer))) > 0:
            kinds, counts = np.unique(self.kinds[finer], return_counts=True)
            text = ngettext(
                "{n} node fails although a finer one satisfies: {model}.",
                "{n} nodes fail although a finer one satisfies: {model}.",
                n,
            )
            return text.format(n=as_exact_count(n), model=self._condition(int(kinds[np.argmax(counts)])))
        return self.below() or ngettext(
            "{s} of {n} nodes satisfies; the line separates them.",
            "{s} of {n} nodes satisfy; the line separates them.",
            self.evaluation.n_satisfying,
        ).format(s=as_exact_count(self.evaluation.n_satisfying), n=as_exact_count(n_all))

    def _has_finer(self) -> NDArray[np.bool_]:
        """Return which nodes have a satisfying one below them, however far."""
        found = np.zeros(len(self.kinds), dtype=np.bool_)
        reached = self.evaluation.satisfies
        levels = self.evaluation.lattice.levels.sum(axis=1)
        for lower, upper in self.edges[np.argsort(levels[self.edges[:, 0]], kind="stable")].tolist():
            found[upper] |= found[lower] | reached[lower]
        return found

    def _condition(self, kind: int) -> str:
        if kind >= 0:
            return _named(self.evaluation.requirement.models[kind])
        return _("suppression limit") if kind == SUPPRESSED else _("suppressed records as one class")


def _named(model: PrivacyModel) -> str:
    """Return the symbol of a model, with its columns."""
    if not model.columns:
        return model.symbol
    return _("{symbol} of {columns}").format(symbol=model.symbol, columns=listed(model.columns))


class SplitFacets:
    """The facets of a large lattice, their numbers, and what these tell.

    Parameters
    ----------
    layout : LatticeLayout
        Of the nodes of one facet.
    shares : mapping of Split to float
        What every possible split explains.
    """

    def __init__(
        self,
        split: Split,
        layout: LatticeLayout,
        shares: Mapping[Split, float],
        problem: Problem,
        words: LevelWords,
    ) -> None:
        self.split, self.layout, self._shares = split, layout, shares
        self._problem, self._words = problem, words

    def count(self, scores: NodeScores, metric: str) -> None:
        """Count the satisfying nodes of all facets, and find their best values."""
        split, self._metric = self.split, metric
        self._n = split.n_satisfying(scores.satisfies)
        self._best = split.best(scores.satisfies, scores.values)
        self._optimum: Facet | None = None if scores.optimum is None else split.facet_of(scores.optimum)
        self._least = float("inf") if self._optimum is None else float(self._best[self._optimum])

    def words(self) -> SplitWords:
        """Return everything shown of the facets; made at every turn of a knob."""
        value, total = metric_text(self._metric), self._total
        of_total, facets = _("{n} of {total}"), {}
        for facet in np.ndindex(*self.split.shape):
            n, best = int(self._n[facet]), float(self._best[facet])
            if not n:
                facets[facet] = FacetWords(_("none"), "", "", 0.0)
                continue
            price = (
                _("the optimum") if facet == self._optimum else difference(self._metric, best - self._least)
            )
            count = of_total.format(n=as_exact_count(n), total=as_exact_count(total))
            facets[facet] = FacetWords(value(best), price if isfinite(best) else "", count, n / total)
        rows = [
            _("best {value}").format(value=value(best)) if isfinite(best) else _("none")
            for best in self._best.min(axis=1).tolist()
        ]
        names = self.split.names(self._problem)
        return SplitWords(names, *self._titles, tuple(rows), facets, self._spoken, self._optimum)

    @property
    def _total(self) -> int:
        return int(self.split.nodes.shape[2])

    @cached_property
    def _titles(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        rows, columns = self.split.shape
        first = tuple(self._title((row, 0))[0] for row in range(rows))
        return first, tuple(self._title((0, column), counts=True)[1] for column in range(columns))

    def _spoken(self, facet: Facet) -> str:
        """Return what a screen reader says of a facet."""
        n, (row, column) = int(self._n[facet]), self._title(facet)
        if not n:
            return _("{row}, {column}: no node satisfies").format(row=row, column=column)
        return _("{row}, {column}: best {metric} {value}, {n} of {total} satisfy").format(
            row=row,
            column=column,
            metric=metric_name(self._metric),
            value=metric_text(self._metric)(float(self._best[facet])),
            n=as_exact_count(n),
            total=as_exact_count(self._total),
        )

    def _title(self, facet: Facet, *, counts: bool = False) -> tuple[str, str]:
        """Return the two levels of a facet in words, unchanged ones perhaps with their number of values."""
        found = []
        for column, level in zip(
            (self.split.down, self.split.right), self.split.levels_of(facet), strict=True
        ):
            n = self._problem.attributes[column].hierarchy.n_leaves
            text = _("unchanged")
            if counts:
                text = ngettext("unchanged, {n} value", "unchanged, {n} values", n).format(
                    n=as_exact_count(n)
                )
            found.append(self._words.level(column, level) if level else text)
        return found[0], found[1]

    def _named(self, facet: Facet) -> tuple[str, str]:
        """Return the two levels of a facet, with their column unless they describe themselves."""
        columns, levels = (self.split.down, self.split.right), self.split.levels_of(facet)
        first, second = (
            _("{column} {level}").format(column=self._problem.names[column], level=title)
            if self._words.is_kept_or_hidden(column, level)
            else title
            for column, level, title in zip(columns, levels, self._title(facet), strict=True)
        )
        return first, second

    @property
    def place(self) -> int:
        """Place of the split among the possible ones."""
        return list(self._shares).index(self.split)

    def pairs(self) -> list[tuple[int, str]]:
        """Return the possible pairs of columns by place, with what they explain, the best first."""
        text = _("{down}, {right}: {share}")
        found = []
        for place, (split, share) in sorted(enumerate(self._shares.items()), key=lambda entry: -entry[1][1]):
            down, right = split.names(self._problem)
            found.append((place, text.format(down=down, right=right, share=as_percent(share, 0))))
        return found

    def caption(self, opened: Facet | None) -> str:
        """Return what is shown: all facets, or one of them."""
        if opened is not None:
            row, column = self._named(opened)
            n = as_nodes(self._total)
            return _("{row}, {column}: {nodes}; Esc shows all").format(row=row, column=column, nodes=n)
        down, right = self.split.names(self._problem)
        text = _("all {nodes}, split by {down} upwards and {right} to the right")
        return text.format(nodes=as_nodes(self.split.lattice.n_nodes), down=down, right=right)

    def headline(self) -> str:
        """Return the sentence; empty if the prices have a better one."""
        if self._optimum is None:
            return ""
        return self._empty() or self._cheap() or self._undecided()

    def _empty(self) -> str:
        """Say which levels leave no node in the finest row."""
        empty = np.flatnonzero(self._n[0] == 0)
        if not len(empty):
            return ""
        (level, other), n = self._named((0, int(empty[0]))), int(self._n[0].sum())
        if not n:
            return _("No node satisfies with {level}.").format(level=level)
        m = int(self._n[0].size) * self._total
        text = ngettext(
            "{level} leaves {n} of {m} node, none with {other}.",
            "{level} leaves {n} of {m} nodes, none with {other}.",
            m,
        )
        return text.format(level=_first(level), n=as_exact_count(n), m=as_exact_count(m), other=other)

    def _cheap(self) -> str:
        """Say which finer levels cost little."""
        assert self._optimum is not None, "only asked where a node satisfies"
        (row, column), prices = self._optimum, self._best - self._least
        finer = [
            (float(prices[facet]), facet)
            for facet in np.ndindex(row + 1, column + 1)
            if facet != self._optimum and prices[facet] < _CHEAP * self._least
        ]
        if not finer:
            return ""
        price, facet = min(finer)
        levels = [
            name
            for name, own, best in zip(self._named(facet), facet, self._optimum, strict=True)
            if own != best
        ]
        if price < NO_EXTRA:
            return ngettext("{levels} costs nothing.", "{levels} cost nothing.", len(levels)).format(
                levels=_first(listed(levels))
            )
        text = ngettext("{levels} costs only {price}.", "{levels} cost only {price}.", len(levels))
        return text.format(levels=_first(listed(levels)), price=difference(self._metric, price))

    def _undecided(self) -> str:
        share = self._shares[self.split]
        if share >= _UNDECIDED:
            return ""
        return _("No two columns decide alone: these explain {share}.").format(share=as_percent(share, 0))


def _first(text: str) -> str:
    """Return a text as the begin of a sentence."""
    return text[:1].upper() + text[1:]


def facet_layout(split: Split, problem: Problem) -> LatticeLayout:
    """Place the nodes of one facet as those of a lattice of the other columns."""
    from engine.search.bounds import generalization_loss

    nodes = split.nodes[0, 0]
    return lay_out(split.lattice.sums[nodes], generalization_loss(problem)[nodes])
