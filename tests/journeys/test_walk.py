"""A complete walk of an algorithm in the window: the minimal nodes of the scored lattice."""

from __future__ import annotations

import itertools

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.perspectives.explore.walk.panel import WalkPanel
from anonymizer_gui.theming import DARK, LIGHT, theme_manager
from tests.anonymizer_gui.look_checks import (
    clipped_texts,
    focus_problems,
    horizontal_scrollbars_outside_tables,
    laid_out,
    overlapping_siblings,
)
from tests.window_driver import Driver, driven_window


def look_faults(driver: Driver, app: QApplication, card: WalkPanel) -> dict[object, list[str]]:
    """Return the layout errors of the walk card at each size, for small light and large dark text."""
    found = {}
    for size, (theme, scale) in itertools.product(((1280, 720), (1440, 900)), ((LIGHT, 1.0), (DARK, 1.5))):
        theme_manager().apply(app, theme, scale)
        driver.window.resize(*size)
        laid_out(driver.window)
        driver.wait(lambda: all(lane.view.height() >= 120 for lane in card.lanes))
        faults = [*clipped_texts(card), *overlapping_siblings(card)]
        faults += horizontal_scrollbars_outside_tables(card)
        if driver.window.size().toTuple() != size:
            faults.append(f"the window is {driver.window.size().toTuple()}")
        if faults:
            found[size, theme.name, scale] = faults
    theme_manager().apply(app, LIGHT, 1.0)
    driver.window.resize(1280, 720)
    return found


def test_incognito_run_completely_finds_the_minimal_nodes_of_the_lattice(
    qtbot: QtBot, qapp: QApplication
) -> None:
    with driven_window(qtbot, qapp) as driver:
        driver.open_example("hospital")
        driver.trigger("Help", "Replay an algorithm (walk)")
        driver.wait_settled()
        card, view = driver.find("walkCard", WalkPanel), driver.find("walkLattice0", LatticeView)
        driver.wake()
        assert QApplication.focusWidget() is view
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_End):
            driver.key(key)
        n_minimal = int(driver.session.results.evaluation.minimal.sum())  # type: ignore[union-attr]
        sentence = driver.find("walkSentence0", QLabel).text()
        assert f"{n_minimal} minimal nodes, the same as in the scored lattice" in sentence
        assert ", the optimum of the scored lattice" in sentence
        walked = view.colours.minimal
        driver.click("walkSecond")
        driver.wait_settled()
        assert look_faults(driver, qapp, card) == {}
        assert [fault for fault in focus_problems(driver.window) if "walk" in fault.lower()] == []
        driver.click(view)
        driver.key(Qt.Key.Key_Escape)
        lattice = driver.find("lattice", LatticeView)
        np.testing.assert_array_equal(lattice.colours.minimal, walked)
