"""Data-fly: generalize the attribute with most distinct values until a node satisfies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.frequency import Attribute
from engine.numbers import as_exact_count
from engine.search.base import SearchAlgorithm, search_algorithms
from engine.search.search import Search
from engine.search.trace import Rule
from engine.words import N_, _, lazy

START = Rule("start", N_("Data-fly starts at the lowest allowed levels"), is_check=True)


@search_algorithms.register("datafly")
@dataclass(frozen=True, slots=True)
class Datafly(SearchAlgorithm):
    """Walk one path from the bottom of the lattice to the first node that satisfies.

    As long as more records fail the requirement than may be suppressed, the attribute with the most distinct
    values in the current table is generalized by one level, the first one of several. Attributes on their
    highest level are not generalized further. The remaining failing records are suppressed.

    Sweeney's program allows k suppressed records; here the suppression limit of the requirement decides. The
    metric has no influence: the result is a node that satisfies, not one of little loss.

    References
    ----------
    .. [1] Sweeney (1997). Guaranteeing anonymity when sharing medical data, the Datafly system. AMIA.
    .. [2] Sweeney (2002). Achieving k-anonymity privacy protection using generalization and
       suppression. IJUFKS 10(5).
    """

    title: ClassVar[str] = "Data-fly"
    summary: ClassVar[str] = lazy(
        "Generalizes the column with the most distinct values step by step, up to the "
        "first node that satisfies: very fast, often far from the optimum."
    )
    promise: ClassVar[str] = "none"
    source: ClassVar[str] = "Sweeney 1997, 2002"

    def explore(self, search: Search) -> None:
        """Ends without a result if the highest levels fail."""
        attributes = search.problem.attributes
        n_distinct = [distinct_values(attribute) for attribute in attributes]
        _tell_of_models(search)
        node, rule = search.lattice.minimum, START
        while not search.check(node, rule).satisfies:
            counts = [
                counts[level] if level < attribute.maximum else 0
                for attribute, counts, level in zip(attributes, n_distinct, node, strict=True)
            ]
            if not any(counts):
                search.note_top(node)
                return
            q = counts.index(max(counts))
            node = (*node[:q], node[q] + 1, *node[q + 1 :])
            rule = Rule(
                "raised",
                _("it generalizes '{name}', which had the most distinct values: {count}").format(
                    name=attributes[q].name, count=as_exact_count(counts[q])
                ),
                is_check=True,
            )
            search.generalization_steps += search.is_looked_up  # otherwise the roll-up counts them
        search.final = node


def distinct_values(attribute: Attribute) -> Sequence[int]:
    """Return the number of distinct values of the records on each level of an attribute's hierarchy."""
    leaves = np.unique(attribute.leaves)
    return [len(np.unique(level.codes[leaves])) for level in attribute.hierarchy.levels]


def _tell_of_models(search: Search) -> None:
    others = [model.title for model in search.task.requirement.models if model.key != "k_anonymity"]
    if others:
        search.notes.append(
            _(
                "Published Data-fly supports only k-anonymity. This version continues "
                "until the requirement is met, including {listed}."
            ).format(listed=", ".join(dict.fromkeys(others)))
        )
