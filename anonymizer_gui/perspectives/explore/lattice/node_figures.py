"""What the large card says of its node beside the metric: the rank, and what every model measures."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.models.measured_text import figure_text, limit_text
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import Figure, NodeFigures
from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores
from anonymizer_gui.widgets.numbers import DASH, as_exact_count

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.privacy import PrivacyModel, Requirement

_tr = partial(QCoreApplication.translate, "NodeFigures")


def node_figures(
    number: int,
    problem: Problem,
    requirement: Requirement | None,
    scores: NodeScores,
    details: Details | None,
) -> NodeFigures:
    """Rank and models of a node; without `details` the models are still being measured."""
    if not scores.scored[number]:
        return NodeFigures(_tr("not scored yet"))
    rank = _tr("fails")
    if scores.satisfies[number]:
        counts = (as_exact_count(int(scores.ranks[number])), as_exact_count(scores.n_satisfying))
        rank = _tr("rank {0} of {1}").format(*counts)
    if requirement is None or details is None:
        return NodeFigures(rank)
    figures = []
    for model in requirement.models:
        name = _name_among(details, problem, requirement, model)
        if name is not None:
            value = float(details[name][number])
            text = figure_text(type(model), value, 2) if value == value else DASH
            limit = f"{model.relation.value} {limit_text(model)}"
            # Kept classes meet every model.
            figures.append(Figure(model.symbol, text, limit, True))
    return NodeFigures(rank, tuple(figures))


def _name_among(
    details: Details, problem: Problem, requirement: Requirement, model: PrivacyModel
) -> str | None:
    """Under which name a model is measured of all nodes; None where that takes too long."""
    from engine.scoring.node_figures import figure_models

    usual = ".".join((model.symbol, *model.columns))
    known = figure_models(problem, requirement)
    same = (name for name, other in known.items() if other == model)
    found = next(same, usual)
    return found if found in details else None
