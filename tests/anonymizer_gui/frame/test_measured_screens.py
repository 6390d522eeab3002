"""Bounds at the design size: cut cells, elided texts, decimals, the inspector, level vectors on Explore."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QTableView, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.hover_card import HoverCard
from anonymizer_gui.theming import LIGHT, theme_manager
from anonymizer_gui.widgets.labels import CaptionLabel, ElidedLabel
from tests.anonymizer_gui.look_checks import elided_texts, laid_out
from tests.anonymizer_gui.percent_columns import uneven_columns
from tests.measured_screens import explored, measure, measured, opened, painted_texts, vectors
from tests.window_driver import Driver, driven_window

SIZE = (1440, 900)
MOST_CUT = 0.08  # of the cells of Analyze utility
MOST_ELIDED = {1.0: 0, 1.5: 2}  # texts of a screen, by size of texts

thorough = pytest.mark.thorough
CASES = [
    ("hospital", 1.5),
    pytest.param("adult", 1.0, marks=thorough),
    pytest.param("clinic", 1.0, marks=thorough),
    pytest.param("hospital", 1.0, marks=thorough),
    pytest.param("adult", 1.5, marks=thorough),
    pytest.param("clinic", 1.5, marks=thorough),
]


@pytest.fixture
def window(qtbot: QtBot, themed: QApplication, request: pytest.FixtureRequest) -> Iterator[Driver]:
    """Return the window with an example whose optimum is applied."""
    with driven_window(qtbot, themed, SIZE) as driver:
        opened(driver, request.param)
        yield driver


@pytest.mark.parametrize(("window", "text"), CASES, indirect=["window"])
def test_every_screen_of_the_design_size_keeps_its_bounds_and_names_no_node_by_digits(
    window: Driver, themed: QApplication, text: float
) -> None:
    theme_manager().apply(themed, LIGHT, text)
    if has_room := text == 1.0:  # the mark of a pinned node takes some
        window.click("pinNode")
    found, uneven = [], []
    for screen in measured(window):
        found.append(screen)
        uneven += [f"{screen.name}: {fault}" for fault in uneven_columns(window.window)]
    uneven += [f"improve: {fault}" for fault in uneven_columns_of_offers(window)]
    assert uneven == []  # a percent column has one number of decimals
    assert len(found) >= 20
    assert all(screen.n_texts > 10 for screen in found)
    assert {s.name: s.elided for s in found if len(s.elided) > MOST_ELIDED[text]} == {}
    of_utility = [screen for screen in found if screen.name.startswith("utility")]
    assert all(screen.n_cells > 40 for screen in of_utility)
    assert {s.name: s.cut_share for s in of_utility if s.cut_share >= MOST_CUT} == {}
    inspectors = [screen.inspector for screen in found if screen.inspector is not None]
    assert len(inspectors) >= 7
    if has_room:
        assert all(content <= view for content, view in inspectors)
    assert sum(screen.name.startswith("explore") for screen in found) >= 7
    by_digits = {screen.name: screen.vectors for screen in found} | dict(
        selecting(window, is_pinned=has_room)
    )
    assert {name: texts for name, texts in by_digits.items() if texts} == {}


def uneven_columns_of_offers(window: Driver) -> list[str]:
    """Return the percent columns of the dialog *Improve* with several numbers of decimals."""
    window.click("tab.explore")
    window.wait_settled()
    window.click("improveButton")
    window.dialog("improveDialog")
    window.wait_settled()
    uneven = list(uneven_columns(window.window))
    window.key(Qt.Key.Key_Escape)
    window.wait(lambda: not any(d.isVisible() for d in window.window.findChildren(QDialog)))
    return uneven


def selecting(window: Driver, *, is_pinned: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what names nodes by digits: under the pointer, for selected nodes, and comparing a pinned one."""
    problem = window.session.results.problem
    n_columns = len(problem.attributes)

    def found(shown: QWidget) -> tuple[str, ...]:
        laid_out(shown)
        return tuple(vectors(shown, n_columns))

    window.click("tab.explore")
    window.wait_settled()
    if not is_pinned:
        window.click("pinNode")
        for name, shown in explored(window):
            yield f"{name}, pinned", found(shown)
    yield "hover", found(hovered(window))
    bottom = (0,) * n_columns
    top = tuple(attribute.hierarchy.height for attribute in problem.attributes)
    for name, node in (("bottom", bottom), ("nothing", None), ("top", top)):
        window.session.selection.select(node)
        window.wait_settled()
        yield name, found(window.window)
    window.wiring.explore.view.pages.show_page("remembered")
    table = window.find("rememberedTable", QTableView)
    window.click(table.viewport(), table.visualRect(table.model().index(0, 0)).center())
    window.click("comparePinned")
    yield "compare", found(window.dialog("compareDialog"))


def hovered(driver: Driver) -> QWidget:
    """Rest the pointer over the selected node, and return the window."""
    lattice = driver.wiring.explore.view.lattice.view
    selected = driver.session.selection.node
    evaluation = driver.session.results.evaluation
    assert selected is not None
    pos: QPoint = lattice.node_rect(evaluation.lattice.number(selected)).center()
    QApplication.sendEvent(lattice, QHelpEvent(QEvent.Type.ToolTip, pos, lattice.mapToGlobal(pos)))
    card = driver.window.findChild(HoverCard)
    assert card.isVisible()
    return driver.window


# -- the measures themselves -----------------------------------------------------------------------


def test_a_vector_is_found_in_labels_and_in_painted_texts(qtbot: QtBot, themed: QApplication) -> None:
    class Painted(QWidget):
        def paintEvent(self, _event: object) -> None:
            QPainter(self).drawText(5, 15, "0, 3, 1")

    place = QWidget()
    qtbot.addWidget(place)
    column = QVBoxLayout(place)
    for text in ("12, 13, 14", "1.0, 2, 3", "1 of 3", "[0, 3, 1]"):
        column.addWidget(QLabel(text))
    painted = Painted()
    painted.setFixedSize(90, 20)
    column.addWidget(painted)
    place.show()
    assert list(vectors(place, 3)) == ["[0, 3, 1]", "0, 3, 1"]


def test_painted_texts_are_collected_only_meanwhile() -> None:
    canvas = QPixmap(60, 20)
    painter = QPainter(canvas)
    with painted_texts() as found:
        painter.drawText(5, 15, "within")
    painter.drawText(5, 15, "after")
    painter.end()
    assert found == ["within"]


def test_a_caption_loses_parts_and_a_label_letters(qtbot: QtBot, themed: QApplication) -> None:
    text = "all 864 nodes · one dot each; least loss in the middle"
    place = QWidget()
    qtbot.addWidget(place)
    caption, label = CaptionLabel(text, parent=place), ElidedLabel(text, parent=place)
    place.show()
    shown = []
    for end in ("", "; least", " · one", "all"):
        room = caption.fontMetrics().horizontalAdvance(text[: text.index(end)] if end else text)
        for widget in (caption, label):
            widget.setFixedWidth(room + 1 if end != "all" else 5)
        shown.append(caption.shown_text())
        assert caption.toolTip() == ("" if shown[-1] == text else text)
    assert shown == [text, "all 864 nodes · one dot each", "all 864 nodes", ""]
    assert elided_texts(place) == [f"ElidedLabel '{text}'"]


def test_a_screen_is_measured_without_parts_that_are_hidden(qtbot: QtBot, themed: QApplication) -> None:
    place = QWidget()
    qtbot.addWidget(place)
    label = ElidedLabel("a text that has no room", parent=place)
    label.setFixedWidth(30)
    place.show()
    assert measure("shown", place, 3).elided == ("ElidedLabel 'a text that has no room'",)
    label.hide()
    assert measure("hidden", place, 3).elided == ()
