"""Writes the listed nodes as CSV: every column, all digits, names as `anonymizer lattice` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from anonymizer_gui.models.node_columns import NodeTable, RowOrder, sorted_rows
from anonymizer_gui.perspectives.explore.listing.node_table import file_columns, node_table
from anonymizer_gui.perspectives.explore.node_scores import Details, NodeScores
from anonymizer_gui.perspectives.explore.preparing import measure_details
from engine.monitor import SILENT, Monitor
from engine.table.writing import write_rows

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.kernels.arrays import BoolArray
    from engine.scoring import Evaluation


@dataclass(frozen=True, eq=False)
class Listing:
    """What the list is made of.

    Attributes
    ----------
    problem, evaluation, scores, details, metric
        As they are shown; details are None while they lag.
    listed : ndarray of bool, shape (n_nodes,)
        Nodes that get a row.
    reasons : mapping of int to str, or None
        Why nodes are on the short list.
    """

    problem: Problem
    evaluation: Evaluation
    scores: NodeScores
    details: Details | None
    metric: str
    listed: BoolArray
    reasons: Mapping[int, str] | None = None

    def table(self) -> NodeTable:
        """All of it in columns."""
        return node_table(
            self.scores,
            self.problem,
            self.evaluation.requirement,
            self.details,
            self.metric,
            self.listed,
            self.reasons,
        )


def write_listing(path: Path, listing: Listing, order: RowOrder, monitor: Monitor = SILENT) -> int:
    """Write the rows in their order, what lags behind included, and return how many there are.

    Raises
    ------
    ExportError
        The file cannot be written; what was there is as it was.
    """
    if listing.details is None:
        details = measure_details(listing.evaluation, monitor)[1]
        listing = replace(listing, details=details)
    table = listing.table()
    rows, columns = sorted_rows(table, order), file_columns(table, listing.problem)

    def texts(start: int, stop: int) -> list[list[str]]:
        nodes = rows[start:stop]
        return [column.exact(nodes) for column in columns]

    header = [column.file_name or column.key for column in columns]
    write_rows(path, header, texts, len(rows), monitor=monitor)
    return len(rows)
