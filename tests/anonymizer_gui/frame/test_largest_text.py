"""Text at twice its size in a window of 1440 x 900: everything that is set stays whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QWidget

from anonymizer_gui.theming import LIGHT, Text, font, theme_manager
from anonymizer_gui.widgets.knob import Knob
from tests.anonymizer_gui.look_checks import laid_out
from tests.window_driver import Driver, shared_window

SIZE, LARGEST = (1440, 900), 2.0
ANY_WIDTH = 2**24 - 1  # Qt's largest


@pytest.fixture(scope="module")
def hospital(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """Return the window with the hospital example, for all tests."""
    with shared_window(request, SIZE) as made:
        made.open_example("hospital")
        yield made


@pytest.fixture
def driver(hospital: Driver, qapp: QApplication) -> Driver:
    """Return the window with the largest text."""
    hospital.window.resize(*SIZE)
    if theme_manager().font_scale != LARGEST:
        theme_manager().apply(qapp, LIGHT, LARGEST)
    laid_out(hospital.window)
    return hospital


def open_page(driver: Driver, name: str) -> None:
    driver.click(f"tab.{name}")
    driver.wait_settled()
    laid_out(driver.window)


def is_whole(widget: QWidget, within: QWidget) -> bool:
    """Return whether no pixel of a widget is cut off by an ancestor below `within`."""
    return widget.isVisible() and within.rect().contains(
        QRect(widget.mapTo(within, QPoint(0, 0)), widget.size())
    )


def vertical_bars(area: QWidget) -> list[QScrollArea]:
    """Return the scroll areas that can be scrolled vertically."""
    return [
        found
        for found in area.findChildren(QScrollArea)
        if found.isVisible() and found.verticalScrollBar().maximum() > 0
    ]


def test_the_four_role_buttons_show_whole_words(driver: Driver) -> None:
    open_page(driver, "configure")
    driver.select_columns("age")
    laid_out(driver.window)
    panel = driver.wiring.configure.view.column
    for button in panel.role_buttons.values():
        assert is_whole(button, driver.window)
        assert button.width() >= button.sizeHint().width()
        words = QFontMetrics(font(Text.CELL, 600)).horizontalAdvance(button.text())
        assert button.width() > words


def test_one_scroll_bar_reaches_every_requirement_row_and_setting(driver: Driver) -> None:
    open_page(driver, "configure")
    driver.select_columns("age")
    laid_out(driver.window)
    view = driver.wiring.configure.view
    (area,) = vertical_bars(view._scroll.parentWidget())  # of column and requirement together
    parts: list[QWidget] = [
        *view.requirement.rows,
        view.requirement.slider,
        view.requirement.limit_box,
        view.requirement.metric_box,
        view.requirement.weight_bars,
    ]
    assert len(view.requirement.rows) == 3
    for part in parts:
        area.ensureWidgetVisible(part)
        assert is_whole(part, area.viewport()), part.objectName()


def test_every_knob_is_whole_and_the_tools_are_behind_the_button(driver: Driver) -> None:
    open_page(driver, "explore")
    bar = driver.wiring.explore.view.knobs
    knobs = bar.findChildren(Knob)
    assert len(knobs) == 4
    for knob in knobs:
        assert is_whole(knob, bar), knob.objectName()
        assert knob.width() >= knob.least_width()
        assert knob.entry.width() >= knob.entry.sizeHint().width()
    assert not bar.presets.isVisible()
    driver.click("moreKnobs")
    for name in ("presetsButton", "weightsButton", "metricBox"):
        driver.wait(lambda wanted=name: _shown(bar, wanted))  # type: ignore[misc]
    driver.qtbot.keyClick(bar.presets, Qt.Key.Key_Escape)
    driver.window.resize(1920, 1080)
    theme_manager().apply(QApplication.instance(), LIGHT, 1.0)  # type: ignore[arg-type]
    laid_out(driver.window)
    assert is_whole(bar.presets, bar)


def _shown(bar: QWidget, name: str) -> bool:
    return any(widget.isVisible() for widget in bar.findChildren(QWidget, name))


def test_the_field_of_the_accepted_risk_keeps_its_label(driver: Driver) -> None:
    open_page(driver, "explore")
    driver.apply()
    open_page(driver, "risk")
    strip = driver.wiring.risk.view.strip
    (label,) = (found for found in strip.findChildren(QLabel) if found.text() == "Accepted risk")
    assert is_whole(label, strip)
    assert is_whole(strip.threshold, strip)
    assert is_whole(strip.basis, strip)


def test_the_status_bar_is_not_cut(driver: Driver) -> None:
    open_page(driver, "explore")
    for part in driver.window.status.findChildren(QLabel):
        if part.isVisible():
            assert is_whole(part, driver.window), part.text()


def test_the_chips_of_the_selected_node_are_whole_or_left_out(driver: Driver) -> None:
    open_page(driver, "explore")
    optimum, head = driver.session.results.optimum, driver.wiring.explore.view.inspector.head
    assert optimum is not None
    above = driver.session.results.problem.lattice.successors(optimum)[0]  # type: ignore[union-attr]
    for node, width in product((optimum, above), (head.width(), 240)):
        driver.session.selection.select(node)
        driver.wait_settled()
        head.setFixedWidth(width)  # a narrow inspector, or longer words
        laid_out(driver.window)
        shown = [chip for chip in head.chips if chip.isVisible()]
        assert shown[0].text() == "Satisfies"
        for chip in shown:
            assert is_whole(chip, head), chip.text()
            label = chip.findChildren(QLabel)[-1]
            assert label.width() >= QFontMetrics(label.font()).horizontalAdvance(label.text()), chip.text()
    head.setMinimumWidth(0)
    head.setMaximumWidth(ANY_WIDTH)
