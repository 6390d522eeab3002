"""Item model of nodes: ranks, order, filters, and missing values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt

from anonymizer_gui.models import nodes_model
from anonymizer_gui.models.node_columns import Kind, NodeColumn, NodeTable, sorted_rows
from anonymizer_gui.models.nodes_model import NodesModel
from anonymizer_gui.widgets.marks import Mark

LOSS = np.array([0.5, 0.2, 0.2, np.nan, 0.1])
TABLE = NodeTable(
    levels=np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]], dtype=np.int16),
    satisfies=np.array([True, True, True, False, False]),
    colours=np.zeros(5, dtype=np.uint8),
    columns=(
        NodeColumn("rank", "Rank", Kind.RANK, np.array([3, 2, 1, 0, 0])),
        NodeColumn("mark", "", Kind.MARK),
        NodeColumn("levels", "Levels", Kind.LEVELS),
        NodeColumn("loss", "Loss", Kind.VALUE, LOSS, lambda value: f"{value:.3f}"),
        NodeColumn("suppressed", "Suppressed", Kind.COUNT, np.array([0, 1347, 5, 0, 9])),
        NodeColumn("k", "k", Kind.COUNT, None),
    ),
    listed=np.array([True, True, True, False, False]),
    shares=np.nan_to_num(LOSS),
    heights=(2, 2),
)


@pytest.fixture
def model(themed: Any) -> NodesModel:
    made = NodesModel()
    made.set_table(TABLE)
    return made


def texts(model: NodesModel, row: int) -> list[Any]:
    return [model.index(row, column).data() for column in range(model.columnCount())]


def test_it_obeys_the_rules_of_item_models(model: NodesModel, qtmodeltester: Any) -> None:
    qtmodeltester.check(model)


def test_a_table_refuses_levels_without_heights() -> None:
    with pytest.raises(ValueError, match="2 levels of a node, but 1 heights"):
        replace(TABLE, heights=(2,))


def test_nodes_are_listed_by_rank(model: NodesModel) -> None:
    assert model.nodes().tolist() == [2, 1, 0]
    assert texts(model, 1) == ["2", None, "[0, 1]", "0.200", "1\u202f347", ""]


def test_nodes_without_a_rank_follow_sorted_by_value(model: NodesModel) -> None:
    model.set_table(replace(TABLE, listed=np.ones(5, dtype=np.bool_)))
    assert model.nodes().tolist() == [2, 1, 0, 4, 3]
    model.sort(0, Qt.SortOrder.DescendingOrder)
    assert model.nodes().tolist() == [0, 1, 2, 4, 3]
    model.sort(0, Qt.SortOrder.AscendingOrder)
    assert texts(model, 3)[0] == "–"


def test_filtered_nodes_are_hidden(model: NodesModel) -> None:
    model.set_table(replace(TABLE, listed=np.array([True, False, True, False, False])))
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


def test_the_order_is_kept_for_another_table(model: NodesModel) -> None:
    model.sort(4, Qt.SortOrder.DescendingOrder)
    model.set_table(TABLE)
    assert model.nodes().tolist() == [1, 2, 0]


def test_marks_replace_the_status(model: NodesModel) -> None:
    model.set_marks({2: Mark.OPTIMUM})
    assert model.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "optimum"
    assert model.index(1, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "satisfies"


def test_levels_sort_by_the_levels_whatever_the_numbers_of_the_nodes(model: NodesModel) -> None:
    """Node numbers of a partly scored lattice follow the order of scoring."""
    levels = np.array([[2, 0], [0, 1], [1, 0], [1, 1], [0, 0]], dtype=np.int16)
    model.set_table(replace(TABLE, levels=levels, listed=np.array([True, True, True, False, True])))
    model.sort(2, Qt.SortOrder.AscendingOrder)
    assert model.nodes().tolist() == [4, 1, 2, 0]
    model.sort(2, Qt.SortOrder.DescendingOrder)
    assert model.nodes().tolist() == [0, 2, 1, 4]


def test_row_and_node_are_found_from_each_other(model: NodesModel) -> None:
    assert [model.row_of(node) for node in range(6)] == [2, 1, 0, None, None, None]
    assert [model.node(row) for row in range(3)] == [2, 1, 0]


def test_distinct_and_tied_ranks_sort_alike(model: NodesModel) -> None:
    model.sort(0, Qt.SortOrder.DescendingOrder)
    assert model.nodes().tolist() == [0, 1, 2]
    tied = (NodeColumn("rank", "Rank", Kind.RANK, np.array([2, 2, 1, 0, 0])), *TABLE.columns[1:])
    model.set_table(replace(TABLE, columns=tied))
    model.sort(0, Qt.SortOrder.AscendingOrder)
    assert model.nodes().tolist() == [2, 0, 1]


def test_missing_values_are_last_in_both_directions(model: NodesModel) -> None:
    values = np.array([np.inf, 1.0, np.nan, 2.0, 3.0])
    columns = (*TABLE.columns[:3], NodeColumn("c", "c", Kind.NUMBER, values))
    model.set_table(replace(TABLE, columns=columns, listed=np.ones(5, dtype=np.bool_)))
    model.sort(3, Qt.SortOrder.AscendingOrder)
    assert model.nodes().tolist() == [1, 3, 4, 0, 2]
    model.sort(3, Qt.SortOrder.DescendingOrder)
    assert model.nodes().tolist() == [0, 4, 3, 1, 2]


def test_rows_are_copied_with_all_digits(model: NodesModel) -> None:
    model.set_marks({1: Mark.OPTIMUM})
    copied = model.copied([0, 1], [0, 1, 2, 3, 4])
    assert copied.splitlines() == [
        "rank\tmark\tlevels\tloss\tsuppressed",
        "1\tsatisfies\t[1, 0]\t0.2\t5",
        "2\toptimum\t[0, 1]\t0.2\t1347",
    ]


def test_very_many_rows_are_sorted_by_the_receiver_of_the_signal(
    model: NodesModel, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    monkeypatch.setattr(nodes_model, "SORTED_AT_ONCE", 3)
    with qtbot.waitSignal(model.order_changed) as told:
        model.sort(4, Qt.SortOrder.DescendingOrder)
    assert model.nodes().tolist() == [2, 1, 0]
    model.set_table(TABLE, sorted_rows(TABLE, told.args[0]))
    assert model.nodes().tolist() == [1, 2, 0]
