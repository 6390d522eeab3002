"""The table of nodes: ranks, order, filters, and what is not known yet."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt

from anonymizer_gui.models.nodes_model import Kind, NodeColumn, NodesModel, NodeTable
from anonymizer_gui.widgets.marks import Mark

LOSS = np.array([0.5, 0.2, 0.2, np.nan, 0.1])
TABLE = NodeTable(
    levels=np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]], dtype=np.int16),
    satisfies=np.array([True, True, True, False, False]),
    scored=np.array([True, True, True, False, True]),
    colours=np.zeros(5, dtype=np.uint8),
    columns=(
        NodeColumn("rank", "Rank", Kind.RANK, np.array([3, 2, 1, 0, 0])),
        NodeColumn("mark", "", Kind.MARK),
        NodeColumn("levels", "Levels", Kind.LEVELS),
        NodeColumn("loss", "Loss", Kind.VALUE, LOSS, lambda value: f"{value:.3f}"),
        NodeColumn("suppressed", "Suppressed", Kind.COUNT, np.array([0, 1347, 5, 0, 9])),
        NodeColumn("k", "k", Kind.COUNT, None),
    ),
    visible=np.ones(5, dtype=np.bool_),
    shares=np.nan_to_num(LOSS),
)


@pytest.fixture
def model(themed: Any) -> NodesModel:
    made = NodesModel()
    made.set_table(TABLE)
    return made


def texts(model: NodesModel, row: int) -> list[Any]:
    return [model.index(row, column).data() for column in range(model.columnCount())]


def test_it_keeps_the_rules_of_item_models(model: NodesModel, qtmodeltester: Any) -> None:
    qtmodeltester.check(model)


def test_satisfying_nodes_are_listed_by_rank(model: NodesModel) -> None:
    assert model.nodes().tolist() == [2, 1, 0]
    assert texts(model, 1) == ["2", None, "[0, 1]", "0.200", "1\u202f347", ""]


def test_failing_nodes_follow_on_request_and_nodes_not_scored_never_do(model: NodesModel) -> None:
    model.set_shows_failing(True)
    assert model.nodes().tolist() == [2, 1, 0, 4]
    assert texts(model, 3)[0] == "–"


def test_filtered_nodes_are_left_out(model: NodesModel) -> None:
    model.set_table(replace(TABLE, visible=np.array([True, False, True, True, True])))
    assert model.nodes().tolist() == [2, 0]
    assert model.row_of(1) is None


def test_sorting_keeps_the_better_rank_first_among_equals(model: NodesModel) -> None:
    model.sort(3, Qt.SortOrder.AscendingOrder)
    assert model.nodes().tolist() == [2, 1, 0]
    model.sort(3, Qt.SortOrder.DescendingOrder)
    assert model.nodes().tolist() == [0, 2, 1]


def test_a_column_still_being_computed_leaves_the_order_by_rank(model: NodesModel) -> None:
    model.sort(5, Qt.SortOrder.DescendingOrder)
    assert model.nodes().tolist() == [2, 1, 0]


def test_the_order_outlives_another_table(model: NodesModel) -> None:
    model.sort(4, Qt.SortOrder.DescendingOrder)
    model.set_table(TABLE)
    assert model.nodes().tolist() == [1, 2, 0]


def test_marks_replace_the_status_of_a_node(model: NodesModel) -> None:
    model.set_marks({2: Mark.OPTIMUM})
    assert model.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "optimum"
    assert model.index(1, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "satisfies"


def test_levels_sort_by_the_levels_whatever_the_numbers_of_the_nodes(model: NodesModel) -> None:
    """Where a lattice is explored, numbers follow the order of scoring."""
    levels = np.array([[2, 0], [0, 1], [1, 0], [1, 1], [0, 0]], dtype=np.int16)
    model.set_table(replace(TABLE, levels=levels, satisfies=np.ones(5, dtype=np.bool_)))
    model.sort(2, Qt.SortOrder.AscendingOrder)
    assert model.nodes().tolist() == [4, 1, 2, 0]
    model.sort(2, Qt.SortOrder.DescendingOrder)
    assert model.nodes().tolist() == [0, 2, 1, 4]


def test_the_row_of_a_node_is_found_both_ways(model: NodesModel) -> None:
    assert [model.row_of(node) for node in range(6)] == [2, 1, 0, None, None, None]
    assert [model.node(row) for row in range(3)] == [2, 1, 0]


def test_ranks_that_differ_and_ranks_that_tie_sort_alike(model: NodesModel) -> None:
    model.sort(0, Qt.SortOrder.DescendingOrder)
    assert model.nodes().tolist() == [0, 1, 2]
    tied = (NodeColumn("rank", "Rank", Kind.RANK, np.array([2, 2, 1, 0, 0])), *TABLE.columns[1:])
    model.set_table(replace(TABLE, columns=tied))
    model.sort(0, Qt.SortOrder.AscendingOrder)
    assert model.nodes().tolist() == [2, 0, 1]
