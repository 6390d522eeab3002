"""Configure at both window sizes, in both themes and text sizes: no clipped text, all reachable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QMainWindow, QScrollArea
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.theming import THEMES, theme_manager
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import AttributeHierarchy
from engine.project.edits import set_hierarchy
from tests.anonymizer_gui.hands import pick
from tests.anonymizer_gui.look_checks import focus_problems, layout_faults
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

FRAME = 98  # menu, perspective bar and status strip


@pytest.fixture
def window(qtbot: QtBot, configure: ConfigurePresenter) -> Iterator[QMainWindow]:
    """Configure in a window without the frame's bars."""
    made = QMainWindow()
    qtbot.addWidget(made)
    made.setCentralWidget(configure.view)
    configure.view.table.table.select_columns(("age",))
    made.show()
    yield made
    made.takeCentralWidget()


@pytest.mark.parametrize("page", ["settings", "strips", "columns", "editor"])
def test_every_control_is_named_reached_by_tab_and_shows_its_focus(
    qtbot: QtBot, configure: ConfigurePresenter, window: QMainWindow, settle: Settle, page: str
) -> None:
    window.resize(1440, 802)
    if page == "columns":
        configure.view.table.show_columns(True)
    if page == "strips":
        configure.view.table.show_filter_bar()
        configure.view.table.filter_bar.show_error(0, "Unknown name 'x'.")
        configure.view.table.replace_bar.open_bar()
        configure.view.table.replace_bar.show_words("1 cell in 1 value", can_replace=True)
    if page == "editor":
        configure.hierarchies.open("age")
        configure.view.show_editor()
        pick(qtbot, configure.view.editor.builder.builder_box, "intervals")
    settle()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert focus_problems(window) == []


@pytest.mark.parametrize("n_levels", [10, 12])
@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_hierarchies_of_many_levels_cut_nothing_in_the_smallest_window(
    themed: QApplication,
    configure: ConfigurePresenter,
    window: QMainWindow,
    settle: Settle,
    n_levels: int,
    scale: float,
) -> None:
    session = configure.requirement._session
    labels = session.project.table.column("age").labels
    rows = [[text, *[f"{text[0]}{level}" for level in range(n_levels - 2)], "*"] for text in labels]
    deep = AttributeHierarchy(Hierarchy.from_rows(rows))
    session.edit("hierarchy", set_hierarchy(session.project, "age", deep))
    theme_manager().apply(themed, THEMES["light"], scale)
    window.resize(1280, 720 - round(FRAME * scale))
    settle()
    boxes = configure.view.column.level_boxes
    assert boxes.isVisible()
    assert boxes.box_rect(n_levels - 1).right() <= boxes.width()
    assert boxes.box_rect(0).width() >= 24
    assert layout_faults(window) == []


def test_the_names_of_all_roles_fit_next_to_a_scroll_bar_in_the_smallest_window(
    configure: ConfigurePresenter, window: QMainWindow, settle: Settle
) -> None:
    window.resize(1280, 720 - FRAME)
    configure.view.table.table.select_columns(
        ["age"]
    )  # it has a hierarchy and may be released as an aggregate
    settle()
    panel = configure.view.column
    assert any(area.verticalScrollBar().isVisible() for area in panel.findChildren(QScrollArea))
    for button in panel.role_buttons.values():
        assert button.width() >= button.sizeHint().width()


def test_more_models_than_fit_scroll_by_themselves_and_not_with_the_settings(
    configure: ConfigurePresenter, window: QMainWindow, settle: Settle
) -> None:
    session = configure.requirement._session
    many = Requirement(tuple(KAnonymity(k) for k in range(2, 9)), 0.05)
    session.edit("models", replace(session.project, requirement=many))
    for height in (622, 802):
        window.resize(1280 if height == 622 else 1440, height)
        settle()
        panel = configure.view.requirement
        areas = panel.findChildren(QScrollArea)
        assert [
            area.verticalScrollBar().isVisible() for area in areas if area.isAncestorOf(panel.slider)
        ] == [False]
        assert layout_faults(window) == []
