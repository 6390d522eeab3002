"""What is said of a lattice that is explored: how much is scored, and what that proves."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.session.exploring import Exploring
from anonymizer_gui.widgets.numbers import as_count, as_exact_count, as_percent

_tr = partial(QCoreApplication.translate, "ExploredText")


def explored_words(exploring: Exploring | None, n_scored: int, n_nodes: int, metric: str) -> str:
    """One line: how many of how many nodes are scored, and what is proved under the requirement shown."""
    share = as_percent(n_scored / n_nodes)
    counts = _tr("{0} of {1} nodes scored ({2}), each exactly").format(
        as_exact_count(n_scored), as_count(n_nodes), share
    )
    return f"{counts}; {proof_words(exploring, metric)}"


def proof_words(exploring: Exploring | None, metric: str) -> str:
    """What is known of the nodes that are not scored."""
    if exploring is None:
        return _tr("the best of them is the best known")
    if exploring.is_proved and exploring.bound == float("inf"):
        return _tr("no other satisfies either: proved")
    if exploring.is_proved:
        return _tr("no other is better: proved")
    if exploring.bound > 0:
        least = metric_text(metric)(exploring.bound)
        return _tr("none that satisfies is below {0} {1}").format(metric_name(metric), least)
    return _tr("the best of them is the best known")
