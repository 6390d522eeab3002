"""The records model: texts as they are, order by type, filter by text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from anonymizer_gui.models.records_model import RecordsModel
from engine.table.reading import read_csv


@pytest.fixture
def model(qapp: object, tmp_path: Path) -> RecordsModel:
    path = tmp_path / "t.csv"
    path.write_text("name;age\nAda;9\nBob;10\nada;100\n")
    return RecordsModel(read_csv(path))


def shown(model: RecordsModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_the_model_keeps_qts_contract(qtmodeltester: Any, model: RecordsModel) -> None:
    qtmodeltester.check(model, force_py=True)


def test_numbers_are_sorted_by_value_not_by_digits(model: RecordsModel) -> None:
    model.sort(1, Qt.SortOrder.DescendingOrder)
    assert shown(model, 1) == ["100", "10", "9"]
    assert model.headerData(0, Qt.Orientation.Vertical) == "3"


def test_the_filter_finds_a_text_whatever_its_case(model: RecordsModel) -> None:
    model.set_filter("ADA")
    assert shown(model, 0) == ["Ada", "ada"]
    assert model.row_of(2) == 1
    assert model.row_of(1) is None


def test_order_and_filter_hold_together(model: RecordsModel) -> None:
    model.sort(1, Qt.SortOrder.DescendingOrder)
    model.set_filter("ada")
    assert shown(model, 1) == ["100", "9"]
    model.sort(-1)
    assert shown(model, 1) == ["9", "100"]


def test_numbers_stand_right(model: RecordsModel) -> None:
    alignments = [model.index(0, c).data(Qt.ItemDataRole.TextAlignmentRole) for c in (0, 1)]
    assert alignments[0] & Qt.AlignmentFlag.AlignLeft
    assert alignments[1] & Qt.AlignmentFlag.AlignRight
