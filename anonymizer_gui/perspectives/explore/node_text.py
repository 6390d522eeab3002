"""A node in words for tooltips and screen readers: its status, what it costs, what its levels leave."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.perspectives.explore.node_words import LevelWords
from anonymizer_gui.widgets.numbers import as_exact_count, as_percent, as_vector

if TYPE_CHECKING:
    from engine.lattice import Node

_tr = partial(QCoreApplication.translate, "NodeText")


def node_text(node: Node, words: LevelWords, scores: NodeScores | None, n_records: int, metric: str) -> str:
    """Several lines; without scores of the node they say that it is not scored yet."""
    number = None if scores is None else scores.scored_number(node)
    lines = [as_vector(node)]
    if scores is None or number is None:
        lines.append(_tr("Not scored yet"))
    else:
        value = metric_text(metric)(float(scores.values[number]))
        suppressed = int(scores.suppressed[number])
        share = as_percent(suppressed / max(n_records, 1))
        status = _tr("Satisfies") if scores.satisfies[number] else _tr("Fails")
        lines.append(f"{status} · {metric_name(metric)} {value}")
        lines.append(_tr("{0} records suppressed ({1})").format(as_exact_count(suppressed), share))
    lines += [f"{name}: {text}" for name, text in words.node(node)]
    return "\n".join(lines)
