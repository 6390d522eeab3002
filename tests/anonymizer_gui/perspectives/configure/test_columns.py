"""Roles, types and levels are set by mouse and keys, on any number of columns, and undone as one step."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.session import Session
from anonymizer_gui.tables.table_view import TableView
from engine.project import Project
from engine.project.edits import set_levels, set_metric, set_roles
from engine.records import Kind, ReadOptions, Role, Table
from tests.anonymizer_gui.hands import pick, right_click
from tests.anonymizer_gui.perspectives.configure.conftest import Settle, make

LEFT = Qt.MouseButton.LeftButton
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


def click_header(
    qtbot: QtBot, configure: ConfigurePresenter, section: int, keys: Qt.KeyboardModifier = NONE
) -> None:
    header = configure.view.table.table.header
    qtbot.mouseClick(header.viewport(), LEFT, keys, header.section_rect(section).center())


def roles(session: Session) -> list[Role]:
    return [session.project.role(name) for name in session.project.table.names]


def test_the_first_column_is_selected_when_a_project_opens(configure: ConfigurePresenter) -> None:
    assert configure.selected_columns() == ("name",)
    assert configure.view.column.title() == "name"


def test_a_role_button_sets_the_role_of_the_selected_column(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    click_header(qtbot, configure, 2)
    buttons = configure.view.column.role_buttons
    assert buttons[Role.QUASI_IDENTIFYING].isChecked()
    qtbot.mouseClick(buttons[Role.INSENSITIVE], LEFT)
    assert roles(session)[2] is Role.INSENSITIVE
    assert buttons[Role.INSENSITIVE].isChecked()
    assert not buttons[Role.QUASI_IDENTIFYING].isChecked()
    assert configure.view.table.table.header.summaries[2].role is Role.INSENSITIVE


def test_pressing_the_button_of_the_present_role_changes_nothing(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    button = configure.view.column.role_buttons[Role.IDENTIFYING]
    qtbot.mouseClick(button, LEFT)
    assert button.isChecked()
    assert session.history.own.count() == 0


def test_a_key_sets_the_role_of_several_columns_and_undo_restores_all(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    before = roles(session)
    click_header(qtbot, configure, 0)
    click_header(qtbot, configure, 2, SHIFT)
    qtbot.keyClick(configure.view.table.table, Qt.Key.Key_4)
    assert roles(session) == [Role.INSENSITIVE] * 3 + [Role.SENSITIVE]
    assert session.history.own.count() == 1
    session.history.undo()
    assert roles(session) == before
    assert configure.selected_columns() == ("name", "age", "sex")


def test_the_menu_of_a_header_sets_the_role_of_the_selected_columns(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    click_header(qtbot, configure, 1)
    click_header(qtbot, configure, 2, CONTROL)
    table = configure.view.table.table
    right_click(table.header.viewport(), table.header.section_rect(2).center())
    menu = QApplication.activePopupWidget()
    assert [action.text().split("\t")[0] for action in menu.actions()[:4]] == [
        "Identifying",
        "Quasi-identifying",
        "Sensitive",
        "Insensitive",
    ]
    qtbot.mouseClick(menu, LEFT, NONE, menu.actionGeometry(menu.actions()[2]).center())
    assert roles(session) == [Role.IDENTIFYING, Role.SENSITIVE, Role.SENSITIVE, Role.SENSITIVE]


def click_target(qtbot: QtBot, configure: ConfigurePresenter, section: int) -> None:
    """Open the menu of a header and click its entry of the target."""
    table = configure.view.table.table
    right_click(table.header.viewport(), table.header.section_rect(section).center())
    menu = QApplication.activePopupWidget()
    action = next(action for action in menu.actions() if action.objectName() == "targetAction")
    qtbot.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())
    menu.close()


def test_the_menu_of_a_header_sets_and_clears_the_target(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    session.edit("metric", set_metric(session.project, "classification"))
    words = configure.view.requirement.metric_words.text
    assert words().startswith("of disease: ")
    click_target(qtbot, configure, 2)
    settle()
    assert session.project.target == "sex"
    assert words().startswith("of sex: ")
    assert configure.view.column.caption.text().endswith(" · target")
    assert configure.view.table.table.header.tooltip(2).endswith(", target of classification")
    session.history.undo()
    assert session.project.target is None
    session.history.redo()
    click_target(qtbot, configure, 2)
    assert session.project.target is None
    assert words().startswith("of disease: ")


def test_a_column_that_is_not_released_cannot_be_the_target(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    click_target(qtbot, configure, 0)
    assert session.history.own.count() == 0
    click_target(qtbot, configure, 2)
    assert session.project.target == "sex"
    qtbot.keyClick(configure.view.table.table, Qt.Key.Key_1)
    assert session.project.target is None


def test_several_columns_cannot_be_the_target(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    click_header(qtbot, configure, 2)
    click_header(qtbot, configure, 3, CONTROL)
    click_target(qtbot, configure, 3)
    assert session.history.own.count() == 0


def test_the_menu_of_an_unselected_column_selects_it_first(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    table = configure.view.table.table
    place = QPoint(table.columnViewportPosition(3) + 5, 5)
    right_click(table.viewport(), place)
    menu = QApplication.activePopupWidget()
    assert configure.selected_columns() == ("disease",)
    qtbot.keyClick(menu, Qt.Key.Key_Down)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert roles(session)[3] is Role.IDENTIFYING


def test_columns_of_different_roles_press_no_button(qtbot: QtBot, configure: ConfigurePresenter) -> None:
    click_header(qtbot, configure, 0)
    click_header(qtbot, configure, 1, CONTROL)
    assert configure.view.column.title() == "2 columns"
    assert not any(button.isChecked() for button in configure.view.column.role_buttons.values())
    assert configure.view.column.hierarchy_words.text() == "1 of 2 columns have one"


def choose_kind(qtbot: QtBot, configure: ConfigurePresenter, kind: Kind) -> None:
    pick(qtbot, configure.view.column.kind_box, kind)


def test_a_type_that_fits_is_taken_and_undone(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    click_header(qtbot, configure, 1)
    choose_kind(qtbot, configure, Kind.TEXT)
    settle()
    assert session.project.table.column("age").data_type.kind is Kind.TEXT
    session.history.undo()
    assert session.project.table.column("age").data_type.kind is Kind.INTEGER
    assert configure.view.column.kind_box.currentData() is Kind.INTEGER


def test_a_type_that_does_not_fit_is_refused_in_place_with_the_record(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    click_header(qtbot, configure, 3)
    choose_kind(qtbot, configure, Kind.INTEGER)
    settle()
    panel = configure.view.column
    assert panel.error.isVisible()
    assert panel.error.problem().startswith("Column 'disease', record 1: 'flu' is not a whole number")
    assert panel.kind_box.currentData() is Kind.TEXT
    assert session.history.own.count() == 0


def test_clicking_the_lowest_level_box_excludes_it(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    click_header(qtbot, configure, 1)
    boxes = configure.view.column.level_boxes
    qtbot.mouseClick(boxes, LEFT, NONE, boxes.box_rect(0).center())
    assert (session.project.hierarchies["age"].min_level, session.project.hierarchies["age"].top_level) == (
        1,
        2,
    )
    session.history.undo()
    assert session.project.hierarchies["age"].min_level == 0
    assert boxes.allowed() == {0, 1, 2}


def test_a_range_up_to_the_top_is_not_a_bound(configure: ConfigurePresenter, session: Session) -> None:
    session.edit("bound", set_levels(session.project, "age", 0, 1))
    configure.view.table.table.select_columns(("age",))
    configure.view.column.level_boxes.toggle(2)
    assert session.project.hierarchies["age"].max_level is None


def test_the_preview_shows_values_records_labels_and_group_counts(
    qtbot: QtBot, configure: ConfigurePresenter
) -> None:
    click_header(qtbot, configure, 1)
    preview = configure.view.column.preview
    row = [preview.model.index(0, column).data() for column in range(preview.model.columnCount())]
    assert row == ["20", "1", "20-29", "*"]
    assert preview._footer.texts() == ["8 values", "", "3 groups", "1 group"]
    chip = configure.view.column._hierarchy_chip
    assert not chip.isHidden()
    assert chip.text() == "Complete"


def test_a_missing_hierarchy_is_proposed_by_its_button(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    click_header(qtbot, configure, 2)
    qtbot.mouseClick(configure.view.column.propose_button, LEFT)
    settle()
    assert session.project.hierarchies["sex"].hierarchy.label("f", 1) == "*"
    assert not configure.view.column.propose_button.isVisible()


def test_find_moves_from_cell_to_cell_and_reports_when_there_is_none(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    field, table = configure.view.table.find_field, configure.view.table.table
    qtbot.keyClicks(field, "COLD")
    found = []
    for _ in range(4):
        qtbot.keyClick(field, Qt.Key.Key_Return)
        settle()
        found.append((table.currentIndex().row(), table.currentIndex().column()))
    assert found == [(2, 3), (3, 3), (6, 3), (2, 3)]
    field.setText("plague")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle()
    assert field.property("invalid") == "true"


def test_arrow_keys_walk_through_the_columns(qtbot: QtBot, configure: ConfigurePresenter) -> None:
    table = configure.view.table.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert configure.selected_columns() == ("age",)
    qtbot.keyClick(table, Qt.Key.Key_Right, SHIFT)
    assert configure.selected_columns() == ("age", "sex")


def test_the_rows_of_the_panel_keep_their_places_when_several_columns_are_selected(
    qtbot: QtBot, configure: ConfigurePresenter
) -> None:
    panel = configure.view.column
    click_header(qtbot, configure, 1)
    QApplication.processEvents()
    place = panel.kind_box.mapTo(panel, QPoint(0, 0))
    click_header(qtbot, configure, 2, CONTROL)
    QApplication.processEvents()
    assert panel.kind_box.mapTo(panel, QPoint(0, 0)) == place


def test_one_person_per_value_is_offered_for_an_identifying_column_and_undone(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    box = configure.view.column.use_boxes["person"]
    assert configure.selected_columns() == ("name",)
    assert not box.isHidden()
    qtbot.mouseClick(box, LEFT, NONE, QPoint(8, box.height() // 2))
    assert session.project.person == "name"
    assert session.history.own.undoText() == "Count people by name"
    assert box.isChecked()
    session.history.undo()
    assert session.project.person is None
    assert not box.isChecked()
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert session.project.person == "name"
    qtbot.keyClick(box, Qt.Key.Key_Space)
    assert session.project.person is None
    assert session.history.own.undoText() == "Count every record as one person"


def test_one_person_per_value_is_not_offered_for_other_roles_or_several_columns(
    qtbot: QtBot, configure: ConfigurePresenter
) -> None:
    box = configure.view.column.use_boxes["person"]
    for section in (1, 2, 3):
        click_header(qtbot, configure, section)
        assert box.isHidden()
    click_header(qtbot, configure, 0)
    assert not box.isHidden()
    click_header(qtbot, configure, 1, CONTROL)
    assert box.isHidden()


def test_a_column_that_is_not_identifying_any_more_names_no_persons(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    qtbot.keyClick(configure.view.column.use_boxes["person"], Qt.Key.Key_Space)
    qtbot.mouseClick(configure.view.column.role_buttons[Role.INSENSITIVE], LEFT)
    assert session.project.person is None
    assert configure.view.column.use_boxes["person"].isHidden()
    session.history.undo()
    assert session.project.person == "name"
    assert configure.view.column.use_boxes["person"].isChecked()


def test_weights_and_households_are_chosen_for_a_suitable_column_and_undone(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session
) -> None:
    panel = configure.view.column
    click_header(qtbot, configure, 1)
    assert panel.use_boxes["weight"].isHidden()
    assert panel.use_boxes["household"].isHidden()
    qtbot.mouseClick(panel.role_buttons[Role.INSENSITIVE], LEFT)
    box = panel.use_boxes["weight"]
    assert not box.isHidden()
    qtbot.mouseClick(box, LEFT, NONE, QPoint(8, box.height() // 2))
    assert (session.project.weight, session.history.own.undoText()) == ("age", "Set survey weights")
    click_header(qtbot, configure, 0)
    assert panel.use_boxes["weight"].isHidden(), "names are no numbers"
    qtbot.keyClick(panel.use_boxes["household"], Qt.Key.Key_Space)
    assert (session.project.household, session.history.own.undoText()) == ("name", "Set households")
    qtbot.keyClick(panel.use_boxes["household"], Qt.Key.Key_Space)
    assert session.project.household is None
    session.history.undo()
    assert session.project.household == "name"
    assert panel.use_boxes["household"].isChecked()
    click_header(qtbot, configure, 1)
    assert panel.use_boxes["weight"].isChecked()
    qtbot.mouseClick(panel.role_buttons[Role.SENSITIVE], LEFT)
    assert session.project.weight is None
    assert panel.use_boxes["weight"].isHidden()


def test_several_columns_show_how_many_records_they_single_out(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel = configure.view.column
    label = panel.findChild(QLabel, "columnsTogether")
    click_header(qtbot, configure, 2)
    click_header(qtbot, configure, 3, CONTROL)
    settle()
    assert label.text() == "These 2 columns together single out 1 of 8 records"
    click_header(qtbot, configure, 1, CONTROL)
    settle()
    assert label.text() == "These 3 columns together single out 8 of 8 records"
    sets = panel.findChild(TableView, "columnSets")
    alone, pairs, together = sets.texts.texts()[:3], sets.texts.texts()[3:6], sets.texts.texts()[6:]
    assert (len(alone), pairs[2], len(together)) == (3, ["sex, disease", "1"], 1)
    assert [sets.texts.cell(row, 1).bar for row in (5, 6)] == [1 / 8, 1.0]
    click_header(qtbot, configure, 1)
    settle()
    assert not label.isVisible()


def test_many_columns_and_long_names_leave_every_control_in_sight(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    long = "the complete text of a question " * 6
    columns = [make(f"q{number}", ["1", "2"], Kind.INTEGER) for number in range(150)]
    table = Table((make(long, ["1", "2"], Kind.INTEGER), *columns))
    wide = Project("wide", None, ReadOptions(), table)
    session.open_project(set_roles(wide, table.names, Role.QUASI_IDENTIFYING))
    configure.view.resize(1280, 622)
    settle()
    view = configure.view
    assert view.column.title().endswith("…")
    assert view.table.table.columnWidth(0) <= 0.5 * view.table.table.viewport().width()
    assert view.requirement.width() < 0.45 * view.width()
    tools = [button for button in view.requirement.findChildren(QAbstractButton) if button.isVisible()]
    assert len(tools) >= 4
    for button in tools:
        assert button.mapTo(view.requirement, button.rect().topRight()).x() < view.requirement.width()
