"""A column without a role has a hollow badge, and the panel says that the role is missing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.session import Session
from anonymizer_gui.theming import DARK, LIGHT, Theme
from anonymizer_gui.widgets.role_badge import draw_role_badge
from engine.project import Project
from engine.project.edits import set_roles
from engine.records import NO_ROLE, Decider, Role
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def project(project: Project) -> Project:
    """Return the people without any roles."""
    return set_roles(project, project.table.names, None)


def click_header(qtbot: QtBot, configure: ConfigurePresenter, section: int) -> None:
    header = configure.view.table.table.header
    place = QPoint(header.section_rect(section).center().x(), 30)
    qtbot.mouseClick(header.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, place)


def colors(image: QImage) -> set[str]:
    return {
        image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(image.height())
    }


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_the_badge_is_hollow_dashed_and_without_a_glyph(themed: QApplication, theme: Theme) -> None:
    image = QImage(40, 40, QImage.Format.Format_ARGB32)
    image.fill(QColor(theme.surface))
    painter = QPainter(image)
    draw_role_badge(painter, QRectF(0, 0, 40, 40), theme, NO_ROLE)
    painter.end()
    inner = image.copy(8, 8, 24, 24)
    assert colors(inner) == {QColor(theme.surface).name().upper()}
    edge = [image.pixelColor(x, 0).lightness() for x in range(10, 30)]
    ground = QColor(theme.surface).lightness()
    assert max(abs(light - ground) for light in edge) > 40  # a dash
    assert min(abs(light - ground) for light in edge) < 25  # and the gap next to it


def test_a_fresh_table_shows_no_role_in_header_panel_and_status(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    described: list[str] = []
    configure.selection_described.connect(described.append)
    click_header(qtbot, configure, 1)
    settle()
    panel, header = configure.view.column, configure.view.table.table.header
    assert panel.caption.text().endswith(f" · {NO_ROLE}")
    assert not any(button.isChecked() for button in panel.role_buttons.values())
    assert described[-1].startswith(f"1 column selected: age, {NO_ROLE}")
    assert {summary.role for summary in header.summaries} == {None}
    fill = QColor(LIGHT.insensitive.fill).name().upper()
    assert fill not in colors(header.viewport().grab().toImage())


def test_the_suggested_role_is_set_by_one_button_and_undone(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    hint = configure.view.column.role_hint
    click_header(qtbot, configure, 0)
    qtbot.waitUntil(hint.isVisible)
    assert hint.text().startswith("Suggested: identifying. Names identify a person")
    qtbot.mouseClick(hint.set_button, LEFT)
    assert session.project.role("name") is Role.IDENTIFYING
    assert session.project.decider("name") is Decider.SUGGESTION
    assert configure.view.column.role_buttons[Role.IDENTIFYING].isChecked()
    assert not hint.isVisible()
    session.history.undo()
    assert session.project.role("name") is None
    assert not any(button.isChecked() for button in configure.view.column.role_buttons.values())
    qtbot.waitUntil(hint.isVisible)
    settle()


def test_no_row_of_the_panel_moves_while_roles_change(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel = configure.view.column
    click_header(qtbot, configure, 0)
    qtbot.waitUntil(panel.role_hint.isVisible)
    rows = (*panel.role_buttons.values(), panel.kind_box, panel.hierarchy_words, panel.edit_button)
    settle()
    before = [row.mapTo(panel, row.rect().topLeft()).y() for row in rows]
    for button in (panel.role_hint.set_button, *panel.role_buttons.values()):
        qtbot.mouseClick(button, LEFT)
        settle()
        assert [row.mapTo(panel, row.rect().topLeft()).y() for row in rows] == before
    click_header(qtbot, configure, 1)
    click_header(qtbot, configure, 0)  # without a hint, its place is given back
    settle()
    assert panel.kind_box.mapTo(panel, panel.kind_box.rect().topLeft()).y() < before[4]


def test_keys_give_roles_by_a_person(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    click_header(qtbot, configure, 3)
    qtbot.keyClick(configure.view.table.table, Qt.Key.Key_4)
    assert session.project.role("disease") is Role.INSENSITIVE
    assert session.project.decider("disease") is Decider.PERSON
    settle()


def test_the_first_finding_blocks_and_its_fix_gives_the_suggested_roles(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    first = configure.view.preflight.findings[0]
    assert (first.key, first.title) == ("undecided", "Nothing can be released until every column has a role")
    button = configure.view.preflight.fix_button("undecided")
    assert button.text() == "Fix: set suggested roles"
    qtbot.mouseClick(button, LEFT)
    settle()
    assert session.project.undecided == ()
    session.history.undo()
    assert session.project.undecided == session.project.table.names
    settle()


def test_the_list_of_columns_shows_missing_roles_and_sorts_them_first(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    session.edit("some", set_roles(session.project, ["name", "age"], Role.SENSITIVE))
    configure.view.table.show_columns(True)
    settle()
    model = configure.view.table.columns.model
    texts = [model.index(row, 1).data() for row in range(model.rowCount())]
    assert texts == ["sensitive", "sensitive", NO_ROLE, NO_ROLE]
    configure.view.table.columns.view.horizontalHeader().setSortIndicator(1, Qt.SortOrder.AscendingOrder)
    texts = [model.index(row, 1).data() for row in range(model.rowCount())]
    assert texts == [NO_ROLE, NO_ROLE, "sensitive", "sensitive"]
