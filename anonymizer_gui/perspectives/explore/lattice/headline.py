"""One sentence over the lattice, made of its numbers: the first of a list of cases that applies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonymizer_gui.models.node_name import listed
from engine.numbers import as_exact_count
from engine.privacy import PrivacyModel, Relation
from engine.privacy.limit import limits_persons
from engine.privacy.measured_text import figure_text, limit_text
from engine.scoring.nodes.kept import AS_CLASS, SUPPRESSED
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.scoring import Evaluation

Ints = NDArray[np.int64]
_MOST_MODELS = 3  # named in one line


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
        named = np.flatnonzero((self.kinds >= 0) | (self.kinds == AS_CLASS)).tolist()
        return {node: self._reason(int(self.kinds[node]), float(self.values[node])) for node in named}

    def _reason(self, kind: int, value: float) -> str:
        if kind < 0:
            return _("fail as one class")
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
