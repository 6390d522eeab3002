"""Texts about a partly scored lattice: number of scored nodes, and what is proven."""

from __future__ import annotations

from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.session.exploring import Exploring
from engine.numbers import as_count, as_exact_count, as_percent
from engine.words import _


def explored_words(exploring: Exploring | None, n_scored: int, n_nodes: int, metric: str) -> str:
    """Return how many of how many nodes are scored, and what is proven for the displayed requirement."""
    share = as_percent(n_scored / n_nodes)
    counts = _("{n_scored} of {n_nodes} nodes scored ({share}), each exactly").format(
        n_scored=as_exact_count(n_scored), n_nodes=as_count(n_nodes), share=share
    )
    return f"{counts}; {proof_words(exploring, metric)}"


def proof_words(exploring: Exploring | None, metric: str) -> str:
    """Describe the nodes that are not scored."""
    if exploring is None:
        return _("the optimum shown is the best so far")
    if exploring.is_proved and exploring.bound == float("inf"):
        return _("no other node satisfies: proven")
    if exploring.is_proved:
        return _("no other node is better: proven")
    if exploring.bound > 0:
        least = metric_text(metric)(exploring.bound)
        return _("no satisfying node is below {metric} {least}").format(
            metric=metric_name(metric), least=least
        )
    return _("the optimum shown is the best so far")
