"""The short list: the nodes worth a look, each with the reason why it is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication

from anonymizer_gui.perspectives.explore.metric_text import metric_name

if TYPE_CHECKING:
    from engine.lattice import Node, Nodes
    from engine.scoring import Evaluation

MOST_MINIMAL, MOST_VISITED = 12, 10

_tr = partial(QCoreApplication.translate, "ShortList")


@dataclass(frozen=True)
class Outstanding:
    """What an evaluation itself puts on the short list.

    Attributes
    ----------
    best : tuple of (node, tuple of str)
        The best nodes, each with the metrics by which it is; no node twice.
    minimal : tuple of node
        The minimal nodes that cost least, at most `MOST_MINIMAL`.
    n_minimal : int
        All minimal nodes.
    """

    best: tuple[tuple[Node, tuple[str, ...]], ...] = ()
    minimal: tuple[Node, ...] = ()
    n_minimal: int = 0


def outstanding(evaluation: Evaluation, metric: str) -> tuple[Evaluation, Outstanding]:
    """Find the nodes that are best by some metric, and the minimal ones that cost least by the chosen one."""
    from engine.utility import utility_metrics

    keys = [key for key, member in utility_metrics.items() if not member.costly and key != metric]
    best: dict[int, list[str]] = {}
    for key in (metric, *keys):
        number = evaluation.optimum(key)
        if number is not None and not _is_nowhere(evaluation, key, number):
            best.setdefault(number, []).append(key)
    lattice, minimal = evaluation.lattice, np.flatnonzero(evaluation.minimal)
    values = np.nan_to_num(evaluation.metric(metric)[minimal], nan=np.inf)
    cheapest = minimal[np.lexsort((minimal, evaluation.suppressed[minimal], values))][:MOST_MINIMAL]
    return evaluation, Outstanding(
        tuple((lattice.node(number), tuple(found)) for number, found in best.items()),
        tuple(lattice.node(number) for number in cheapest.tolist()),
        len(minimal),
    )


def _is_nowhere(evaluation: Evaluation, key: str, best: int) -> bool:
    """Whether a metric exists at no node that satisfies: one of a target column where there is none."""
    return bool(np.isnan(evaluation.metric_at(key, np.array([best]))[0]))


def short_list(
    found: Outstanding, pinned: Sequence[tuple[Node, str]], visited: Sequence[Node], nodes: Nodes
) -> dict[int, str]:
    """Why nodes are on the list, by number.

    Parameters
    ----------
    found : Outstanding
    pinned : sequence of (node, str)
        With what a person noted.
    visited : sequence of node
        Oldest first; the last ones count.
    nodes : Nodes
        What numbers mean; nodes without one are left out.
    """
    reasons: dict[Node, list[str]] = {}
    for node, note in pinned:
        words = _tr("pinned: {0}").format(note) if note else _tr("pinned")
        reasons.setdefault(node, []).append(words)
    for node, metrics in found.best:
        names = ", ".join(metric_name(key) for key in metrics)
        reasons.setdefault(node, []).append(_tr("best by {0}").format(names))
    for node in found.minimal:
        reasons.setdefault(node, []).append(_tr("minimal"))
    for node in list(dict.fromkeys(reversed(visited)))[:MOST_VISITED]:
        reasons.setdefault(node, []).append(_tr("visited"))
    numbers = {nodes.find(node): " · ".join(why) for node, why in reasons.items()}
    return {number: why for number, why in numbers.items() if number is not None}
