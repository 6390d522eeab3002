"""Time of a frame of the list of 1,000,000 nodes relative to a plain Qt table with a trivial model.

.venv/bin/python -m pytest -q -s tests/benchmarks/test_node_list.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QApplication, QTableView
from pytestqt.qtbot import QtBot

from anonymizer_gui.models.node_columns import Kind, NodeColumn, NodeTable, RowOrder, sorted_rows
from anonymizer_gui.models.nodes_model import NodesModel
from anonymizer_gui.perspectives.explore.listing.node_header import NodeListView
from anonymizer_gui.theming import LIGHT, theme_manager
from engine.numbers import as_decimal
from tests.benchmarks.report import Report

N_NODES, N_COLUMNS = 1_000_000, 15
SIZE = (1600, 600)
FRAMES = 40
WANTED = 2.0  # times a frame of the plain table
SORTED_WANTED = 3.0  # times a sort of one column of numpy

Index = QModelIndex | QPersistentModelIndex
TITLE = f"The list of {N_NODES:,} nodes, {N_COLUMNS} columns, window of {SIZE[0]} x {SIZE[1]}"


class _Trivial(QAbstractTableModel):
    """Shortest possible model with the same number of rows and columns."""

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's signature
        return N_NODES

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return N_COLUMNS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return f"{index.row():,}" if role == Qt.ItemDataRole.DisplayRole else None


@pytest.fixture(scope="module")
def table() -> NodeTable:
    drawn = np.random.default_rng(0)
    losses, ranks = drawn.random(N_NODES), np.zeros(N_NODES, dtype=np.int64)
    ranks[np.argsort(losses)] = np.arange(1, N_NODES + 1)
    columns = [
        NodeColumn("rank", "Rank", Kind.RANK, ranks),
        NodeColumn("mark", "", Kind.MARK),
        NodeColumn("levels", "Levels", Kind.LEVELS),
        NodeColumn("loss", "Loss", Kind.VALUE, losses, as_decimal),
    ]
    for i in range(N_COLUMNS - len(columns)):
        values = drawn.integers(0, 30_000, N_NODES) if i % 2 else drawn.random(N_NODES)
        columns.append(NodeColumn(f"c{i}", f"c{i}", Kind.COUNT if i % 2 else Kind.NUMBER, values))
    return NodeTable(
        levels=drawn.integers(0, 5, (N_NODES, 9)).astype(np.int16),
        satisfies=drawn.random(N_NODES) < 0.5,
        colours=drawn.integers(0, 64, N_NODES).astype(np.uint8),
        columns=columns,
        listed=np.ones(N_NODES, dtype=np.bool_),
        shares=losses,
        heights=(4,) * 9,
    )


def frame_seconds(view: QTableView, app: QApplication) -> float:
    """Return the median time to scroll by a page and paint it."""
    view.resize(*SIZE)
    view.show()
    app.processEvents()
    bar, spent = view.verticalScrollBar(), []
    for frame in range(FRAMES):
        start = time.perf_counter()
        bar.setValue((frame * 7_919 * 25) % bar.maximum())
        view.viewport().repaint()
        spent.append(time.perf_counter() - start)
    return statistics.median(spent)


def best_of(function: Callable[[], object], rounds: int = 5) -> float:
    spent = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        spent.append(time.perf_counter() - start)
    return min(spent)


def test_scrolling_a_page_takes_a_few_times_a_plain_table(
    qtbot: QtBot, qapp: QApplication, table: NodeTable, report: Report
) -> None:
    theme_manager().apply(qapp, LIGHT, 1.0)
    bare, trivial = QTableView(), _Trivial()
    bare.setModel(trivial)
    model = NodesModel()
    view = NodeListView(model)
    model.set_table(table)
    for widget in (bare, view):
        qtbot.addWidget(widget)
    ratios = []
    for _ in range(3):
        slowest = frame_seconds(bare, qapp)
        ratios.append(frame_seconds(view, qapp) / slowest)
    report.section()
    report.tell("a page of the bare table", slowest, "seconds")
    report.at_most("a page of the list / of the bare table", min(ratios), WANTED)
    assert min(ratios) <= WANTED


def test_rows_are_sorted_within_a_few_times_one_sort_of_numpy(table: NodeTable, report: Report) -> None:
    column = table.columns[4].values
    assert column is not None
    plain = best_of(lambda: np.argsort(column, kind="stable"))
    report.section()
    for order in (RowOrder("rank"), RowOrder("c0"), RowOrder("c1", is_falling=True)):
        spent = best_of(lambda order=order: sorted_rows(table, order))  # type: ignore[misc]
        report.at_most(f"sorted by {order.key} / one sort of numpy", spent / plain, SORTED_WANTED)
        assert spent <= SORTED_WANTED * plain
