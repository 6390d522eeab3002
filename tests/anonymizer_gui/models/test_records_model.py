"""Item model of records: unchanged texts in a given order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt

from anonymizer_gui.models.records_model import RecordsModel
from engine.records.opening.files import read_csv


@pytest.fixture
def model(qapp: object, tmp_path: Path) -> RecordsModel:
    path = tmp_path / "t.csv"
    path.write_text("name;age\nAda;9\nBob;10\nada;100\n")
    return RecordsModel(read_csv(path))


def shown(model: RecordsModel, column: int) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_it_obeys_the_rules_of_item_models(qtmodeltester: Any, model: RecordsModel) -> None:
    qtmodeltester.check(model, force_py=True)


def test_records_have_the_given_order_and_their_own_numbers(model: RecordsModel) -> None:
    model.show_order(np.array([2, 0], dtype=np.int32))
    assert shown(model, 1) == ["100", "9"]
    assert model.headerData(0, Qt.Orientation.Vertical) == "3"
    assert (model.row_of(0), model.row_of(1), model.record_of(0)) == (1, None, 2)
    model.show_order(None)
    assert shown(model, 1) == ["9", "10", "100"]
    assert (model.row_of(2), model.row_of(3)) == (2, None)


def test_a_limit_applies_to_every_order(qapp: object, model: RecordsModel) -> None:
    few = RecordsModel(model.table, limit=1)
    assert shown(few, 1) == ["9"]
    few.show_order(np.array([1, 2], dtype=np.int32))
    assert shown(few, 1) == ["10"]
    assert few.row_of(2) is None


def test_numbers_are_right_aligned(model: RecordsModel) -> None:
    alignments = [model.index(0, c).data(Qt.ItemDataRole.TextAlignmentRole) for c in (0, 1)]
    assert alignments[0] & Qt.AlignmentFlag.AlignLeft
    assert alignments[1] & Qt.AlignmentFlag.AlignRight


def test_the_longest_texts_are_those_of_the_first_rows_shown(model: RecordsModel) -> None:
    assert model.longest_texts(1, 9) == ["9", "10", "100"]
    assert model.longest_texts(1, 2) == ["9", "10"]
    model.show_order(np.array([2, 0], dtype=np.int32))
    assert model.longest_texts(1, 1) == ["100"]
    assert model.longest_texts(1, 0) == []
