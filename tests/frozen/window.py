"""Texts that the window shows of a case: inspector, utility, risk, given table, export and report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.perspectives.explore.inspector.section import Section
from anonymizer_gui.widgets.accessible import Painted
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine import words
from engine.project.recipe.files import read_recipe
from engine.records import Role
from tests.anonymizer_gui.frame.test_other_languages import speaking
from tests.anonymizer_gui.shown_texts import texts_of
from tests.frozen.cases import Case, Given, Released
from tests.frozen.writing import Figure, Plain, same_every_time
from tests.screens import at_rest
from tests.window_driver import LONG, Driver, driven_window

_SIZE = (1920, 1080)  # all cards of a page are side by side
_CONTROL = Qt.KeyboardModifier.ControlModifier

Screen = tuple[str, QWidget]


def shown(case: Case, folder: Path, language: str, bot: QtBot, app: QApplication) -> list[Figure]:
    """Return the texts of all pages in a new window."""
    found: list[Figure] = []
    with same_every_time(), _speaking(app, language), driven_window(bot, app, _SIZE) as driver:
        pages = _of_release if isinstance(case, Released) else _of_given
        for name, widget in pages(driver, case, folder):  # type: ignore[arg-type]
            at_rest(driver, name, driver.window)
            found += _texts(f"window/{name}", widget)
    return Plain(folder).figures(found)


@contextmanager
def _speaking(app: QApplication, language: str) -> Iterator[None]:
    if language == words.ENGLISH:
        yield
        return
    with speaking(app, words.catalogue(language), language):
        yield


# Pages -------------------------------------------------------------------------------------------


def _of_release(driver: Driver, case: Released, folder: Path) -> Iterator[Screen]:
    """Open the recipe, apply the optimum or the node of the case, and yield every page of the release."""
    driver.session.open_project(read_recipe(case.write(folder)))
    driver.wait_settled()
    driver.click("tab.explore")
    driver.wait_settled()
    if case.node:
        driver.session.selection.select(tuple(map(int, case.node.split(","))))
        driver.wait_settled()
    for section in driver.window.findChildren(Section):
        section.set_shown(True)
    if driver.find("applyButton", QWidget).isEnabled():
        driver.apply()
    driver.wait_settled()
    yield "inspector", driver.find("inspector")
    driver.click("tab.utility")
    driver.wait_settled()
    view = driver.wiring.utility.view
    yield "utility", view
    for card in view.cards.values():
        yield from _panes(driver, "utility", card)
    yield from _risk(driver)
    if driver.wiring.actions["export"].isEnabled():
        yield from _export(driver, folder)


def _panes(driver: Driver, page: str, card: AnalysisCard) -> Iterator[Screen]:
    """Yield a card with each of its panes but the first, which is shown."""
    if (chooser := card.chooser) is not None:
        for key in _keys(chooser)[1:]:
            driver.click(chooser.segment(key))
            driver.wait_settled()
            yield f"{page}-{key}", card


def _risk(driver: Driver) -> Iterator[Screen]:
    driver.click("tab.risk")
    driver.wait_settled()
    view = driver.wiring.risk.view
    for key in (*view.pages, *view.tests.rows):
        driver.wiring.risk.show_place(key)
        driver.wait_settled()
        yield f"risk-{key}", view


def _export(driver: Driver, folder: Path) -> Iterator[Screen]:
    """Yield the dialog of the export before and after it, and that of the report."""
    driver.key(Qt.Key.Key_E, _CONTROL)
    dialog = driver.dialog("exportDialog")
    yield "export", dialog
    driver.type_into("exportPath", str(folder / "exported.csv"))
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.written or dialog.banner.isVisible(), LONG)  # type: ignore[attr-defined]
    yield "exported", dialog
    driver.key(Qt.Key.Key_Escape)
    driver.wait(lambda: not dialog.isVisible())
    (folder / "exported.csv").unlink(missing_ok=True)
    driver.wiring.actions["report"].trigger()
    dialog = driver.dialog("reportDialog")
    yield "report", dialog
    dialog.reject()


def _of_given(driver: Driver, case: Given, folder: Path) -> Iterator[Screen]:
    """Assess the table with the options of the case, and yield each of its results."""
    _choose(driver, folder / case.table, driver.wiring.actions["judge"].trigger)
    driver.wait(lambda: driver.window.page == "judge")
    view, columns = driver.wiring.given_table.view, driver.wiring.given_table.view.columns
    _wait_assessed(driver)
    if case.original:
        _choose(driver, folder / case.original, lambda: driver.click("originalButton"))
        _wait_assessed(driver)
    roles = dict.fromkeys(case.qi.split(), Role.QUASI_IDENTIFYING)
    roles |= dict.fromkeys(case.sa.split(), Role.SENSITIVE)
    for row in range(columns.model.rowCount()):
        columns.model.set_role([row], roles.get(columns.model.index(row, 0).data()))
    _wait_assessed(driver)
    chosen = {"person": case.person, "weight": case.weight, "household": case.household}
    for option, name in chosen.items():
        if name:
            driver.choose(f"param.{option}", name)
            _wait_assessed(driver)
    flags = {
        "leave_out_suppressed": "--leave-out-suppressed" in case.flags,
        "others_as_qi": "--update-qi" in case.flags,
        "count_all_star": "--count-all-star" in case.flags,
    }
    for option, is_on in flags.items():
        columns.form.editor(option).set_value(is_on)
    if case.wildcard:
        box = driver.find("param.wildcards", QComboBox)
        driver.choose(box, box.itemText(3 if "--wildcard-missing" in case.flags else 1))
    _wait_assessed(driver)
    yield "given", view
    for key in _keys(view.details.choice.segments):
        driver.click(view.details.choice.segments.segment(key))
        _wait_assessed(driver)
        yield f"given-{key}", view.details


def _keys(control: SegmentedControl) -> list[str]:
    return control._keys


def _choose(driver: Driver, path: Path, ask: Callable[[], object]) -> None:
    driver.answer_file_dialog(path)
    ask()
    dialog = driver.dialog("openDialog")
    driver.wait(lambda: dialog.reading is not None)  # type: ignore[attr-defined]
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: not dialog.isVisible())


def _wait_assessed(driver: Driver) -> None:
    driver.wait(lambda: not driver.wiring.runner.is_busy, LONG)


# Texts -------------------------------------------------------------------------------------------


def _texts(page: str, shown: QWidget) -> Iterator[Figure]:
    """Yield the texts of visible widgets by the nearest name of an object; equal ones of a widget once."""
    for widget in (shown, *shown.findChildren(QWidget)):
        if not widget.isVisible() or widget.window() is not shown.window():
            continue
        place = f"{page}/{_name(widget)}"
        spoken = [widget.accessibleName(), widget.accessibleDescription(), widget.toolTip()]
        if isinstance(widget, Painted):
            spoken.append(widget.as_accessible().value)
        texts = [text for what, text in texts_of(widget) if what != "entry"]
        if isinstance(widget, QComboBox):
            texts = [widget.currentText()]
        further = (text for text in dict.fromkeys(spoken) if text not in texts)
        yield from ((place, text) for text in (*texts, *further) if text.strip())


def _name(widget: QWidget) -> str:
    """Return the name of a widget, or the nearest one above it."""
    above: QWidget | None = widget
    while above is not None and (not above.objectName() or above.objectName().startswith("qt_")):
        above = above.parentWidget()
    return "" if above is None else above.objectName().partition(" ")[0]  # further words are translated
