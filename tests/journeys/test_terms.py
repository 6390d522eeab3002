"""Terms in the window are explained by the text of the glossary."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape

import pytest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from anonymizer_gui.help.library import HelpLibrary
from anonymizer_gui.widgets.labels import TermLabel
from anonymizer_gui.widgets.terms import find_terms, use_terms
from tests.window_driver import Driver, driven_window


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, qapp) as driven:
        yield driven
    use_terms(dict)


@pytest.mark.parametrize("term", ["suppression limit", "hierarchy", "requirement"])
def test_the_pointer_on_a_term_shows_the_sentence_of_the_glossary(
    driver: Driver, qtbot: QtBot, term: str
) -> None:
    driver.open_example("clinic")
    driver.click("tab.configure")
    driver.wait_settled()
    label, rect = next(
        (label, rects[0])
        for label in driver.window.findChildren(TermLabel)
        if label.isVisible()
        for found, rects in label.term_places()
        if found.term.casefold() == term
    )
    meaning = HelpLibrary().terms[term]

    def is_shown() -> bool:
        qtbot.mouseMove(label, rect.center().toPoint())  # again if the page hid the tip, as its parts arrive
        return QToolTip.isVisible() and meaning in unescape(QToolTip.text())

    driver.wait(is_shown)
    QToolTip.hideText()


def test_every_term_of_the_glossary_is_recognized_in_a_text(driver: Driver) -> None:
    terms = HelpLibrary().terms
    assert len(terms) > 70
    for term, meaning in terms.items():
        assert [found.meaning for found in find_terms(f"The {term} here")] == [meaning]
