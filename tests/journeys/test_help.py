"""Help in the window: F1 everywhere, links, search, back, dialogs, and the palette."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QFont, QImage, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QWidget,
)

from anonymizer_gui.help.library import HelpLibrary
from anonymizer_gui.help.panel import HelpPageView, HelpPanel, PictureWindow
from anonymizer_gui.help.presenter import ANYTHING, topic_of
from engine.privacy.any_columns import AnyColumns
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.known_columns import KnownColumns
from tests.window_driver import Driver

_Key = Qt.Key


def panel(driver: Driver) -> HelpPanel:
    found = driver.window.findChild(HelpPanel)
    assert isinstance(found, HelpPanel)
    return found


def page(driver: Driver) -> HelpPageView:
    return panel(driver).page


def test_f1_opens_the_page_about_the_focused_widget_and_closes_it(driver: Driver) -> None:
    driver.open_example("clinic")
    driver.click("tab.risk")
    driver.key(_Key.Key_F1)
    assert panel(driver).isVisible()
    assert page(driver).source() == QUrl("risk.md")
    driver.key(_Key.Key_F1)  # the focus is in the help window
    assert not panel(driver).isVisible()


def test_links_back_forward_contents_and_search(driver: Driver) -> None:
    driver.key(_Key.Key_F1)
    first = page(driver).source()
    driver.click("helpContents")
    assert page(driver).source() == QUrl("index.md")
    driver.click("helpBack")
    assert page(driver).source() == first
    driver.click("helpForward")
    assert page(driver).source() == QUrl("index.md")
    driver.click("helpSearch")
    driver.type_into("helpSearch", "t-closeness")
    driver.key(_Key.Key_Return)
    assert "Search results" in page(driver).toPlainText()
    anchor = QUrl(HelpLibrary().search("t-closeness")[0].link)
    follow(driver, anchor.toString())
    assert page(driver).source() == anchor
    driver.key(_Key.Key_Escape)
    assert not panel(driver).isVisible()


def headings(view: HelpPageView) -> list[tuple[str, float]]:
    """Return the first pieces of bold text with their sizes in pixels."""
    found, block = [], view.document().firstBlock()
    while block.isValid() and len(found) < 5:
        piece = block.begin().fragment()
        if piece.isValid() and piece.charFormat().fontWeight() > QFont.Weight.Medium:
            found.append((piece.text(), piece.charFormat().font().pixelSize()))
        block = block.next()
    return found


def test_pages_open_from_search_results_and_afterwards(driver: Driver) -> None:
    driver.key(_Key.Key_F1)
    view, library = page(driver), HelpLibrary()
    view.open_link("index.md")
    assert headings(view)[:3] == [("Help", 16), ("Get started", 13), ("First steps", 12)]
    for words in ("survey weights", "t-closeness", "50 %", "k + l", "survey weights"):
        start = headings(view)
        driver.type_into("helpSearch", words)
        driver.key(_Key.Key_Return)
        found = library.search(words)
        results = headings(view)
        assert len(results) == 5
        follow(driver, found[0].link)
        assert view.toPlainText().startswith(library.page(found[0].page).title)
        driver.click("helpBack")
        assert headings(view) == results
        driver.click("helpContents")
        assert view.toPlainText().startswith(library.page("index").title)
        for _ in range(2):
            driver.click("helpBack")
        assert headings(view) == start
        driver.click("helpForward")
        assert headings(view) == results


def follow(driver: Driver, link: str) -> None:
    """Scroll to the first occurrence of a link, and click it."""
    view = page(driver)
    cursor, bar = QTextCursor(view.document()), view.verticalScrollBar()
    while cursor.charFormat().anchorHref() != link:
        assert cursor.movePosition(QTextCursor.MoveOperation.NextCharacter), f"{link} is not on the page"
    near = bar.value() + view.cursorRect(cursor).center().y() - bar.pageStep() // 2
    for top in (near, *range(0, bar.maximum() + bar.pageStep(), bar.pageStep() // 2)):
        bar.setValue(top)
        for y in range(2, view.viewport().height(), 5):
            for x in range(2, view.viewport().width(), 6):
                if view.anchorAt(QPoint(x, y)) == link:
                    driver.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, y))
                    return
    raise AssertionError(f"{link} is not on the page")


PERSPECTIVES = ("configure", "explore", "utility", "risk")
DIALOGS = {"open_database": "databaseDialog", "preferences": "preferencesDialog", "palette": "commandPalette"}
RELEASE_DIALOGS = {
    "search_with": "algorithmDialog",
    "improve": "improveDialog",
    "export": "exportDialog",
    "report": "reportDialog",
}
FILE_DIALOGS = ("open", "open_with", "judge")
PARTS = {"walk": "walkCard", "filter_records": "filterBar", "jobs": "jobList"}


def shown_by_pages() -> dict[str, str]:
    """Return the targets of Show me links, each with its first page."""
    library = HelpLibrary()
    found: dict[str, str] = {}
    for name in library.names:
        for action in re.findall(r"\]\(show:(\w+)\)", library.page(name).text):
            found.setdefault(action, name)
    return found


def test_every_page_about_a_part_of_the_window_can_show_it() -> None:
    library = HelpLibrary()
    without = {name for name in library.names if "(show:" not in library.page(name).text}
    assert without == {
        "index",
        "CHANGELOG",
        "five-minutes",
        "from-r",
        "glossary",
        "install",
        "ledger",
        "libraries",
        "pipeline",
        "reference-commands",
        "reference-recipe",
        "plugins",
        "python",
    }


def test_show_me_opens_the_subject_of_the_page(driver: Driver) -> None:
    shown = shown_by_pages()
    assert shown.keys() == {*PERSPECTIVES, *DIALOGS, *RELEASE_DIALOGS, *FILE_DIALOGS, "reimport", *PARTS}

    def show(action: str) -> None:
        driver.wiring.help.show(f"{shown[action]}.md")
        follow(driver, f"show:{action}")

    def show_file_dialog(action: str) -> None:
        opened: list[str] = []
        driver.when_modal(QFileDialog, lambda dialog: (opened.append(dialog.windowTitle()), dialog.reject()))
        show(action)
        driver.wait(lambda: opened)

    def show_dialogs(dialogs: Mapping[str, str]) -> None:
        for action, name in dialogs.items():
            show(action)
            driver.dialog(name).reject()
            driver.wait(lambda: QApplication.activeModalWidget() is None)

    for action in FILE_DIALOGS:
        show_file_dialog(action)
    show_dialogs(DIALOGS)
    driver.open_example("clinic")
    show_file_dialog("reimport")
    driver.apply()
    driver.wait_settled()
    for action in reversed(PERSPECTIVES):
        show(action)
        tab = driver.find(f"tab.{action}", QAbstractButton)
        driver.wait(tab.isChecked)
    show_dialogs(RELEASE_DIALOGS)
    for action, name in PARTS.items():
        show(action)
        driver.wait(driver.window.findChild(QWidget, name).isVisible)


def test_show_me_says_why_nothing_can_be_shown_yet(driver: Driver) -> None:
    driver.wiring.help.show("export.md")
    follow(driver, "show:export")
    assert driver.window.banner.isVisible()
    assert "open a table first" in driver.window.banner.problem()
    assert not driver.window.findChildren(QDialog, "exportDialog")


def test_a_picture_fits_the_panel_and_opens_in_full_size(driver: Driver) -> None:
    driver.wiring.help.show("tutorial-hospital.md")
    picture = "pictures/tutorial-hospital-roles.png"
    full = QImage(str(HelpLibrary().picture(picture)))
    shown = page(driver).loadResource(QTextDocument.ResourceType.ImageResource.value, picture)
    assert 300 < shown.width() <= page(driver).viewport().width() < full.width()
    assert page(driver).horizontalScrollBar().maximum() == 0
    document = page(driver).document()
    alone, place = document.find("\ufffc").block(), document.documentLayout().blockBoundingRect
    assert place(alone.next()).top() - place(alone).bottom() < 20  # no gap below a picture
    follow(driver, picture)
    opened = driver.window.findChild(PictureWindow)
    assert opened.isVisible()
    assert opened.picture.pixmap().toImage().size() == full.size()
    driver.qtbot.keyClick(opened, _Key.Key_Escape)
    driver.wait(lambda: driver.window.findChild(PictureWindow) is None)
    assert page(driver).source() == QUrl("tutorial-hospital.md")


def test_help_works_next_to_a_modal_dialog(driver: Driver) -> None:
    driver.key(_Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    dialog = driver.dialog("preferencesDialog")
    dialog.activateWindow()
    driver.wait(dialog.isActiveWindow)
    driver.qtbot.keyClick(dialog, _Key.Key_F1)
    beside = dialog.findChild(QDialog, "helpWindow")
    assert beside.isVisible()
    assert beside.findChild(HelpPageView).source() == QUrl("window.md")
    driver.qtbot.keyClick(beside.findChild(HelpPanel), _Key.Key_Escape)
    driver.wait(lambda: not beside.isVisible())
    dialog.reject()


def test_the_palette_finds_pages_of_help(driver: Driver) -> None:
    driver.key(_Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    palette = driver.dialog("commandPalette")
    driver.type_into("paletteField", "help privacy models")
    driver.qtbot.keyClick(palette.findChild(QLineEdit), _Key.Key_Return)
    driver.wait(lambda: driver.window.findChild(HelpPanel) is not None)
    assert page(driver).source() == QUrl("members-models.md")


@pytest.mark.parametrize(
    ("name", "page_name"),
    [
        ("personBox", "persons"),
        ("weightBox", "survey"),
        ("householdBox", "survey"),
        ("attackersDialog", "attackers"),
        ("section.payout", "cost"),
        (f"knob.{DifferentialPrivacy.symbol}/beta", "differential-privacy"),
        (f"knob.{KnownColumns.symbol}.2", "attackers"),
        (f"knob.{AnyColumns.symbol}", "attackers"),
    ],
)
def test_parts_of_new_models_open_their_own_page(qapp: QApplication, name: str, page_name: str) -> None:
    parent = QWidget()
    parent.setObjectName(name)
    assert topic_of(QLabel("", parent)) == f"{page_name}.md"
    assert page_name in HelpLibrary().names


def test_an_unknown_widget_opens_the_contents(qapp: QApplication) -> None:
    assert topic_of(QLabel()) == f"{ANYTHING}.md"
    assert topic_of(None) == f"{ANYTHING}.md"
