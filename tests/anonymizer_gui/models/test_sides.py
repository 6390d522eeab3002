"""Input and release as two tables of the same shape, also if levels vary by record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

from anonymizer_gui.models.sides import (
    AS_INPUT,
    BY_CLASS,
    NOT_RELEASED,
    Change,
    Sides,
    order_of_sides,
    records_of_class,
    sides_of,
)
from anonymizer_gui.perspectives.utility.tables.side_table import SideModel
from engine.findings.subject import Subject
from engine.pipeline import recode
from engine.project import Project
from engine.project.compile import compile_problem
from engine.recoding import make_release, recoding_methods
from engine.recoding.transformation import Transformation

NODE = (2, 3, 1, 3, 1)


def subject_of(project: Project) -> Subject:
    return Subject(project, make_release(project, compile_problem(project), NODE))


@pytest.fixture(scope="module")
def sides(clinic: Project) -> Sides:
    return sides_of(subject_of(clinic))


def test_quasi_identifiers_come_first_and_identifying_columns_last(sides: Sides, clinic: Project) -> None:
    assert sides.input.names == sides.release.names
    assert sides.input.names[:5] == clinic.quasi_identifying
    assert [role.value for role in sides.roles[5:]] == ["sensitive", "sensitive", "identifying"]


def test_an_omitted_column_is_marked_in_every_cell(clinic: Project) -> None:
    dropping = replace(clinic, transformation=replace(clinic.transformation, identifying="drop"))
    found = sides_of(subject_of(dropping))
    assert found.dropped == {"patient id"}
    place = found.input.names.index("patient id")
    assert found.release.columns[place].text(7) == NOT_RELEASED
    assert found.change(7, place) is Change.HIDDEN
    model = SideModel(is_release=True)
    model.show_sides(found)
    tip = Qt.ItemDataRole.ToolTipRole
    assert "the column is not released" in model.index(7, place).data(tip)
    assert model.headerData(place, Qt.Orientation.Horizontal, tip) == "patient id: identifying, not released"


def test_levels_that_vary_by_record_tint_each_cell(clinic: Project) -> None:
    problem = compile_problem(clinic)
    method = recoding_methods.create("cells")
    release = recode(clinic, problem, method, NODE)
    found = sides_of(Subject(clinic, release))
    assert found.levels.shape == (2000, 5)
    by_change = dict.fromkeys(Change, 0)
    for record in range(2000):
        for place, name in enumerate(found.release.names[:5]):
            change = found.change(record, place)
            by_change[change] += 1
            column = release.column(name)
            text, was = column.text(record), found.input.columns[place].text(record)
            assert (change is Change.KEPT) == (text == was)
            if text == "*":
                assert change is Change.HIDDEN
    assert by_change[Change.FURTHER] > 0 < by_change[Change.HIDDEN]


def test_sorted_records_of_a_class_stay_together_within_equal_values(sides: Sides) -> None:
    order = order_of_sides(sides, BY_CLASS, ("release", "sex", False))
    assert sorted(order.tolist()) == list(range(2000))
    codes = sides.release.column("sex").codes[order]
    assert (np.diff(codes) >= 0).all()
    for code in np.unique(codes):
        labels = sides.labels[order[codes == code]]
        runs = 1 + int((np.diff(labels) != 0).sum())
        assert runs == len(np.unique(labels))


def test_the_order_of_the_input_needs_no_array(sides: Sides) -> None:
    assert order_of_sides(sides, AS_INPUT, None) is None


def test_a_class_has_all_records_with_equal_labels(sides: Sides) -> None:
    record = int(np.flatnonzero(~sides.suppressed)[5])
    members = records_of_class(sides, record)
    assert len(members) == sides.size_of(record)
    texts = {tuple(c.text(int(m)) for c in sides.release.columns[:5]) for m in members}
    assert len(texts) == 1


def test_suppressed_records_removed_from_the_file_are_still_shown_next_to_their_input(
    clinic: Project,
) -> None:
    removing = replace(clinic, transformation=Transformation(suppressed_records="remove"))
    found = sides_of(subject_of(removing))
    lost = int(np.flatnonzero(found.suppressed)[0])
    assert all(found.change(lost, place) is Change.HIDDEN for place in range(5))


@pytest.mark.parametrize("is_release", [False, True])
def test_both_models_obey_the_rules_of_qt(sides: Sides, qtmodeltester: ModelTester, is_release: bool) -> None:
    model = SideModel(is_release=is_release)
    model.show_sides(sides, np.arange(5, dtype=np.int32))
    qtmodeltester.check(model)
    assert model.rowCount() == 5
    assert model.row_of(3) == 3
    assert model.row_of(77) is None
    model.show_order(None)
    assert model.row_of(77) == 77
    assert model.row_of(2000) is None
