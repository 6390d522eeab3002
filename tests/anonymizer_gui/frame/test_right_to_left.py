"""The window in a language written from right to left: its direction, and figures in one piece."""

from __future__ import annotations

import re
from collections.abc import Iterator
from gettext import NullTranslations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextLayout, QTextOption
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.language import use_catalogue
from engine import words
from engine.numbers import END_OF_ISOLATE, ISOLATE, as_percent, as_records, as_vector
from tests.anonymizer_gui.shown_texts import shown_texts
from tests.window_driver import Driver

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_HEBREW = str.maketrans(_LATIN + _LATIN.upper(), "אבגדהוזחטיכלמנסעפצקרשתאבגד" * 2)
_FIXED = re.compile(r"\{[^{}]*\}|<[^<>]+>|&\w+;")  # placeholders, tags, entities
_ISOLATED = re.compile(f"{ISOLATE}[^{END_OF_ISOLATE}]*{END_OF_ISOLATE}")
_FIGURE = re.compile(r"\[\d+(?:, \d+)+\]|(?<!\w)[−+]\d|\d[\d\u202f.,]*\u202f%")


class HebrewLetters(NullTranslations):
    """Catalogue of every text in Hebrew letters."""

    def gettext(self, message: str) -> str:
        parts, end = [], 0
        for fixed in _FIXED.finditer(message):
            parts += [message[end : fixed.start()].translate(_HEBREW), fixed[0]]
            end = fixed.end()
        return "".join([*parts, message[end:].translate(_HEBREW)])

    def pgettext(self, context: str, message: str) -> str:
        if context.startswith("direction"):
            return "rtl"
        return message if context in ("decimal mark", "date", "date and time") else self.gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)


@pytest.fixture
def hebrew(qapp: QApplication) -> Iterator[None]:
    before = qapp.layoutDirection()
    translator = use_catalogue(qapp, HebrewLetters(), "he")
    try:
        yield
    finally:
        qapp.removeTranslator(translator)
        words.use(NullTranslations())
        qapp.setLayoutDirection(before)


def drawn_order(text: str) -> str:
    """Return the visible characters of a right-to-left line from the left, as Qt places them."""
    layout = QTextLayout(text)
    option = QTextOption()
    option.setTextDirection(Qt.LayoutDirection.RightToLeft)
    layout.setTextOption(option)
    layout.beginLayout()
    layout.createLine().setLineWidth(10_000)
    layout.endLayout()
    places = {}
    for i, character in enumerate(text):
        if character not in (ISOLATE, END_OF_ISOLATE) and not character.isspace():
            places[i] = layout.glyphRuns(i, 1)[0].positions()[0].x()
    return "".join(text[i] for i in sorted(places, key=places.__getitem__))


def test_figures_keep_their_order_in_a_sentence(hebrew: None) -> None:
    vector, percent = as_vector((1, 0, 2)), as_percent(-0.125)
    assert "[1,0,2]" in drawn_order(f"{vector} אבג {percent} דה")
    assert "−12.5%" in drawn_order(f"{vector} אבג {percent} דה")
    # Qt turns the levels and the minus of figures that are not isolated.
    bare = drawn_order(f"{vector} אבג {percent} דה".replace(ISOLATE, "").replace(END_OF_ISOLATE, ""))
    assert "[1,0,2]" not in bare
    assert "−12.5%" not in bare


def test_a_sentence_that_begins_with_a_number_begins_at_the_right(hebrew: None) -> None:
    assert drawn_order(as_records(30_162)).endswith("30162")


def test_other_languages_and_reports_have_no_isolates(hebrew: None) -> None:
    with words.speaking("en"):
        assert ISOLATE not in as_percent(0.125)
    words.use(NullTranslations())
    assert ISOLATE not in as_percent(0.125) + as_vector((1, 0))


def test_the_window_reads_from_right_to_left_with_every_figure_isolated(
    hebrew: None, qtbot: QtBot, qapp: QApplication
) -> None:
    driver = Driver(qtbot, qapp, (1440, 900))
    try:
        driver.open_example("hospital")
        driver.apply_by_keys()
        found = []
        for perspective in ("configure", "explore", "utility", "risk"):
            driver.click(f"tab.{perspective}")
            driver.wait_settled()
            assert driver.window.layoutDirection() == Qt.LayoutDirection.RightToLeft
            tabs = driver.find("tab.configure"), driver.find("tab.risk")
            assert (
                tabs[0].mapToGlobal(tabs[0].rect().center()).x()
                > tabs[1].mapToGlobal(tabs[1].rect().center()).x()
            )
            found += [
                (place, text)
                for place, text in shown_texts(driver.window)
                if not place.startswith("DataTable") and _FIGURE.search(_ISOLATED.sub("", text))
            ]
        assert not found
    finally:
        driver.close()
