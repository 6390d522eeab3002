"""Layout rules for every page of Analyze risk: everything fits, is reachable and themed."""

from __future__ import annotations

import itertools

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea

from anonymizer_gui.charts.chart_card import HelpPopup
from anonymizer_gui.theming import DARK, LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import (
    clipped_texts,
    focus_problems,
    laid_out,
    lasting,
    layout_faults,
    looks,
)
from tests.anonymizer_gui.perspectives.risk.conftest import Bench

PAGES = ("crowd", "attackers", "attacks", "tests", "suppressed_groups", "exposed_records")
FRAME = 98  # menu, perspective bar and status bar at scale 1; they grow with it
SIZES = ((1280, 720), (1440, 900))


def faults(bench: Bench) -> list[str]:
    return lasting(bench.qtbot, bench.window, lambda: layout_faults(bench.window))


def test_every_page_fits_at_every_size_theme_and_scale(
    bench: Bench, themed: QApplication, is_thorough: bool
) -> None:
    for page in PAGES:
        bench.show_page(page)
    wrong = {}
    for theme, scale in looks(is_thorough=is_thorough):
        theme_manager().apply(themed, theme, scale)
        laid_out(bench.window)  # resized only after the text size has been applied
        for size, page in itertools.product(SIZES, PAGES):
            room = (size[0], size[1] - round(FRAME * scale))
            bench.window.resize(*room)
            bench.risk.view.show_page(page)
            if found := faults(bench):
                wrong[size, scale, page] = found
            if bench.window.size().toTuple() != room:
                wrong[size, scale, page] = [f"the window is {bench.window.size().toTuple()}, not {room}"]
    assert wrong == {}


def test_every_control_is_named_reached_and_shows_its_focus(bench: Bench) -> None:
    wrong = {}
    for page in PAGES:
        bench.show_page(page)
        bench.window.activateWindow()
        bench.qtbot.waitUntil(bench.window.isActiveWindow)
        laid_out(bench.window)
        if found := focus_problems(bench.window):
            wrong[page] = found
    assert wrong == {}


def test_switching_the_theme_twice_gives_the_same_picture(bench: Bench, themed: QApplication) -> None:
    def picture() -> bytes:
        laid_out(bench.window)
        bench.settle()  # the crowd is drawn in a task
        image = bench.window.grab().toImage()  # a reference keeps its memory valid
        return bytes(image.constBits())

    bench.risk.view.strip.threshold.clearFocus()
    before = picture()
    theme_manager().apply(themed, DARK, 1.0)
    assert picture() != before
    theme_manager().apply(themed, LIGHT, 1.0)
    assert picture() == before


def test_the_help_of_every_card_shows_all_its_words(bench: Bench) -> None:
    for key, card in bench.risk.view.cards.items():
        bench.risk.show_place(key)
        bench.settle()
        bench.qtbot.mouseClick(card.help_button, Qt.MouseButton.LeftButton)
        popup = next(w for w in card.findChildren(HelpPopup) if w.isVisible())
        assert clipped_texts(popup) == []
        assert len(popup.words()) >= 3
        popup.close()


def test_attackers_do_not_scroll_while_they_fit(bench: Bench) -> None:
    bench.window.resize(1440, 900 - FRAME)
    laid_out(bench.window)
    bars = bench.risk.view.crowd.bars
    assert bars.findChild(QScrollArea).verticalScrollBar().maximum() == 0
