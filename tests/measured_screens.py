"""Measures what does not fit on the screens of the window, and where it names nodes by digits.

    .venv/bin/python -m tests.measured_screens                         # all examples and sizes
    .venv/bin/python -m tests.measured_screens --example hospital --size 1440x900 --text 1.5

Per screen: visible labels and buttons, those that are elided, visible cells of tables and the share of cut
ones, the height of the inspector's content in its view, and level vectors. Elided texts are listed.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before anything creates a QApplication

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QScrollArea,
    QTableView,
    QWidget,
)
from pytestqt.qt_compat import qt_api
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.utility.tables.side_table import CELL_PADDING as SIDE_PADDING
from anonymizer_gui.perspectives.utility.tables.side_table import SideTable
from anonymizer_gui.tables.table_view import CELL_PADDING
from anonymizer_gui.theming import LIGHT, theme_manager
from engine.project.recipe.files import read_recipe
from tests.anonymizer_gui.look_checks import elided_texts
from tests.screens import Screen, analysis_pages, at_rest, segment, views_of_nodes
from tests.window_driver import Driver, driven_window

EXAMPLES = Path(__file__).resolve().parents[1] / "resources" / "examples"
NAMES = ("adult", "clinic", "hospital")
SIZES = ("1280x720", "1440x900", "1920x1080")
TEXTS = (1.0, 1.5)
MOST_ROWS = 60  # of a table
STOPS = ("chips", "cards", "fit")
_VECTOR = re.compile(r"\[\d+(, ?\d+)+\]")

Place = tuple[QTableView, int, int]  # table, row, column


@dataclass(frozen=True)
class Measured:
    """What is visible on a screen and does not fit.

    Attributes
    ----------
    n_texts : int
        Labels and buttons.
    elided : tuple of str
        Texts of those that are elided.
    n_cells, n_cut : int
        Cells of tables, and those narrower than their text.
    inspector : tuple of int or None
        Height of its content and of its view.
    vectors : tuple of str
        Texts that name a node by the digits of its levels.
    """

    name: str
    n_texts: int
    elided: tuple[str, ...]
    n_cells: int
    n_cut: int
    inspector: tuple[int, int] | None
    vectors: tuple[str, ...]

    @property
    def cut_share(self) -> float:
        return self.n_cut / max(self.n_cells, 1)


def opened(driver: Driver, example: str) -> None:
    """Open an example and apply its optimum."""
    driver.session.open_project(read_recipe(EXAMPLES / example / "recipe.toml"))
    driver.wait_settled()
    driver.click("tab.explore")
    driver.wait_settled()
    driver.apply()
    driver.wait_settled()


def visited(driver: Driver) -> Iterator[Screen]:
    """Yield every perspective with all its pages, for a project whose optimum is applied."""
    yield from configured(driver)
    yield from explored(driver)
    for page in analysis_pages(driver):
        yield at_rest(driver, page)


def configured(driver: Driver) -> Iterator[Screen]:
    """Yield Configure with a column selected, and its hierarchy."""
    driver.click("tab.configure")
    assert driver.session.project is not None
    problem = driver.session.results.problem
    driver.select_columns(problem.names[0])
    yield at_rest(driver, "configure")
    driver.click("editHierarchyButton")
    driver.wait(lambda: driver.find("doneButton").isVisible())
    yield at_rest(driver, "hierarchy")
    driver.click("backButton")


def explored(driver: Driver) -> Iterator[Screen]:
    """Yield Explore with each size of the nodes and each view, where the picture does not replace them."""
    driver.click("tab.explore")
    driver.wait_settled()
    for stop in STOPS:
        segment(driver, "zoomStops", stop)
        yield at_rest(driver, f"explore-{stop}")
    yield from views_of_nodes(driver)
    first = driver.wiring.explore.view.shown_view
    for view in ("lattice", "list"):
        driver.wiring.explore.view.show_view(view)
        yield at_rest(driver, f"explore-view-{view}")
    driver.wiring.explore.view.show_view(first)


def measure(name: str, shown: QWidget, n_columns: int) -> Measured:
    """Measure a screen; `n_columns` is the number of quasi-identifying columns."""
    cells = list(visible_cells(shown))
    return Measured(
        name,
        sum(isinstance(w, QLabel | QAbstractButton) and bool(w.text()) for w in _visible(shown)),
        tuple(elided_texts(shown)),
        len(cells),
        sum(is_cut(*cell) for cell in cells),
        inspector_heights(shown),
        tuple(vectors(shown, n_columns)),
    )


def _visible(shown: QWidget) -> Iterator[QWidget]:
    for widget in (shown, *shown.findChildren(QWidget)):
        if widget.isVisibleTo(shown) and widget.window() is shown.window():
            yield widget


# -- cells ---------------------------------------------------------------------------------------


def visible_cells(shown: QWidget) -> Iterator[Place]:
    """Yield the cells with text whose centres are in view."""
    for table in _visible(shown):
        if not isinstance(table, QTableView) or table.model() is None:
            continue
        room, model = table.viewport().rect(), table.model()
        top = max(table.rowAt(0), 0)
        for row in range(top, min(model.rowCount(QModelIndex()), top + MOST_ROWS)):
            for column in range(model.columnCount(QModelIndex())):
                index = model.index(row, column)
                is_in_view = room.contains(table.visualRect(index).center())
                if not table.isColumnHidden(column) and is_in_view and _cell_text(table, row, column):
                    yield table, row, column


def is_cut(table: QTableView, row: int, column: int) -> bool:
    """Return whether a cell is narrower than its text, for tables that draw it in one line."""
    index = table.model().index(row, column)
    if isinstance(table, SideTable):
        metrics, padding = QFontMetrics(table.font()), SIDE_PADDING
    else:
        used = index.data(Qt.ItemDataRole.FontRole)
        metrics, padding = QFontMetrics(used if isinstance(used, QFont) else table.font()), CELL_PADDING
    needed = metrics.horizontalAdvance(_cell_text(table, row, column))
    return needed > table.columnWidth(column) - 2 * padding


def _cell_text(table: QTableView, row: int, column: int) -> str:
    if isinstance(table, SideTable):
        return table.side.text(row, column)
    return str(table.model().index(row, column).data(Qt.ItemDataRole.DisplayRole) or "")


# -- inspector -----------------------------------------------------------------------------------


def inspector_heights(shown: QWidget) -> tuple[int, int] | None:
    """Return the height of the inspector's content and of its view, if it is visible."""
    for area in shown.findChildren(QScrollArea, "inspectorScroll"):
        if area.isVisible():
            return area.widget().minimumSizeHint().height(), area.viewport().height()
    return None


# -- level vectors -------------------------------------------------------------------------------


def vectors(shown: QWidget, n_columns: int) -> Iterator[str]:
    """Yield visible and painted texts that contain a level vector, outside tooltips and fields."""
    digits = re.compile(rf"(?<![\d.,])\d(?:[, ] ?\d){{{n_columns - 1}}}(?![\d.,])")
    for text in (*texts_of(shown), *painted(shown)):
        if _VECTOR.search(text) or (n_columns > 2 and digits.search(text)):
            yield text


def texts_of(shown: QWidget) -> Iterator[str]:
    """Yield the texts of visible labels, buttons, combo boxes, cells and headers."""
    for widget in _visible(shown):
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget.text()
        elif isinstance(widget, QComboBox):
            yield widget.currentText()
        elif isinstance(widget, QTableView) and widget.model() is not None:
            model = widget.model()
            for column in range(model.columnCount(QModelIndex())):
                if not widget.isColumnHidden(column):
                    yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
                    for row in range(min(model.rowCount(QModelIndex()), MOST_ROWS)):
                        yield _cell_text(widget, row, column)
    yield shown.windowTitle()


def painted(shown: QWidget) -> list[str]:
    """Return the texts that widgets paint."""
    with painted_texts() as found:
        shown.grab()
    return found


@contextmanager
def painted_texts() -> Iterator[list[str]]:
    """Collect the texts that Python code paints meanwhile."""
    found: list[str] = []
    with (
        patch.object(QPainter, "drawText", _recording(QPainter.drawText, found)),
        patch.object(QPainter, "drawStaticText", _recording(QPainter.drawStaticText, found)),
    ):
        yield found


def _recording(draw: Any, found: list[str]) -> Any:
    def recorded(painter: QPainter, *given: Any) -> Any:
        found.extend(text for text in (_text_in(part) for part in given) if text)
        return draw(painter, *given)

    return recorded


def _text_in(part: object) -> str:
    shaped = getattr(part, "text", None)
    return part if isinstance(part, str) else shaped() if callable(shaped) else ""


# -- table ---------------------------------------------------------------------------------------


def measured(driver: Driver) -> Iterator[Measured]:
    """Yield every screen of the open project, measured."""
    problem = driver.session.results.problem
    for name, shown in visited(driver):
        yield measure(name, shown, len(problem.attributes))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--example", choices=NAMES, action="append", help="only this one")
    parser.add_argument("--size", choices=SIZES, action="append", help="only this one")
    parser.add_argument("--text", type=float, choices=TEXTS, action="append", help="only this size of texts")
    given = parser.parse_args()
    qt_api.set_qt_api("pyside6")  # as the pytest plug-in does
    app = QApplication([])
    os.environ["ANONYMIZER_CONFIG_DIR"] = tempfile.mkdtemp()
    bot = QtBot(SimpleNamespace(config=SimpleNamespace(getini=lambda _name: None)))  # type: ignore[arg-type]
    for example, size in product(given.example or NAMES, given.size or SIZES):
        width, height = map(int, size.split("x"))
        with driven_window(bot, app, (width, height)) as driver:
            opened(driver, example)
            for text in given.text or TEXTS:
                theme_manager().apply(app, LIGHT, text)
                for found in measured(driver):
                    _print(f"{example} {size} {text} {found.name}", found)
            theme_manager().apply(app, LIGHT, 1.0)


def _print(place: str, found: Measured) -> None:
    inspector = f"{found.inspector[0]}/{found.inspector[1]}" if found.inspector else ""
    sys.stdout.write(
        f"{place:<50} texts {found.n_texts:>4}  elided {len(found.elided):>2}  cells {found.n_cells:>4}"
        f"  cut {found.cut_share:>6.1%}  inspector {inspector:>9}  vectors {len(found.vectors)}\n"
    )
    sys.stdout.writelines(f"    elided: {text}\n" for text in found.elided)
    sys.stdout.writelines(f"    vector: {text!r}\n" for text in sorted(set(found.vectors)))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
