"""The table of nodes behind the list: which columns it has and what they hold."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from anonymizer_gui.models.nodes_model import Kind, NodeColumn, NodeTable
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores

if TYPE_CHECKING:
    from engine.frequency import Problem

Reals = NDArray[np.float64]

_tr = partial(QCoreApplication.translate, "NodeTable")


def node_table(
    scores: NodeScores, problem: Problem, details: Details | None, metric: str, visible: NDArray[np.bool_]
) -> NodeTable:
    """Put the scores of all nodes into columns; without details the columns that lag behind are empty."""
    return NodeTable(
        levels=scores.lattice.levels,
        satisfies=scores.satisfies,
        scored=scores.scored,
        colours=scores.classes,
        columns=_columns(scores, problem, details, metric),
        visible=visible,
        shares=np.clip(np.nan_to_num(_share_of_range(scores)), 0.0, 1.0),
    )


def _columns(scores: NodeScores, problem: Problem, details: Details | None, key: str) -> list[NodeColumn]:
    from engine.utility import utility_metrics

    names = problem.names
    levels = _tr("Levels ({0})").format(names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}")
    columns = [
        NodeColumn("rank", _tr("Rank"), Kind.RANK, scores.ranks),
        NodeColumn("mark", "", Kind.MARK, scores.satisfies, tooltip=_tr("Status")),
        NodeColumn("levels", levels, Kind.LEVELS, tooltip=", ".join(names)),
        NodeColumn(key, _sentence(metric_name(key)), Kind.VALUE, scores.values, metric_text(key)),
        NodeColumn("suppressed", _tr("Suppressed"), Kind.COUNT, scores.suppressed),
        NodeColumn(
            "suppressed %",
            "%",
            Kind.PERCENT,
            scores.suppressed / max(problem.n_records, 1),
            tooltip=_tr("Suppressed records of all"),
        ),
        NodeColumn("k", "k", Kind.COUNT, _of(details, "k"), tooltip=_tr("Smallest kept class")),
        NodeColumn(
            "classes",
            _tr("Classes"),
            Kind.COUNT,
            _of(details, "classes"),
            tooltip=_tr("Kept classes"),
        ),
    ]
    others = [m for m in utility_metrics if m != key and not utility_metrics[m].costly]
    others.sort(key=lambda name: name != "aecs")
    return columns + [
        NodeColumn(
            other,
            metric_name(other),
            Kind.NUMBER,
            _of(details, other),
            metric_text(other),
            tooltip=utility_metrics[other].title,
        )
        for other in others
    ]


def _of(details: Details | None, key: str) -> Reals | None:
    return None if details is None else details[key]


def _share_of_range(scores: NodeScores) -> Reals:
    """Length of the bars: from nothing at zero to the worst satisfying node."""
    if scores.ends is None or scores.ends[1] <= 0:
        return np.zeros(len(scores.values))
    return np.asarray(scores.values / scores.ends[1])


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
