"""Undo history: the list of steps, and recomputing a release that is out of date."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QListWidget, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.frame.history_presenter import HistoryList
from anonymizer_gui.theming import current_theme, theme_manager
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import edits
from tests.anonymizer_gui.look_checks import clipped_texts, laid_out, looks, overlapping_siblings
from tests.window_driver import Driver, driven_window

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    """Return the hospital example, scored, with its optimum applied."""
    with driven_window(qtbot, themed) as made:
        made.open_example("hospital")
        made.apply_by_keys()
        made.wait_settled()
        yield made


def edit_limit(driver: Driver, limit: float) -> None:
    project = driver.session.project
    driver.session.edit(f"Set the limit to {limit}", edits.set_suppression_limit(project, limit))


def require(driver: Driver, k: int) -> None:
    project = driver.session.project
    limit = project.requirement.suppression_limit
    after = replace(project, requirement=Requirement((KAnonymity(k),), limit))
    driver.session.edit(f"Set k to {k}", after)


def test_the_list_of_steps_moves_both_ways_by_click_and_by_keys(driver: Driver) -> None:
    for limit in (0.3, 0.4, 0.5):
        edit_limit(driver, limit)
    driver.click("historyButton")
    popup = driver.find("historyList", HistoryList)
    steps = [f"Set the limit to {limit}" for limit in (0.3, 0.4, 0.5)]
    assert popup.texts()[1].startswith("Apply a node: ")
    assert popup.texts()[2:] == steps
    listed = driver.find("historySteps", QListWidget)
    assert listed.currentRow() == 4
    driver.click(listed.viewport(), listed.visualItemRect(listed.item(2)).center())
    assert driver.session.shown.requirement.suppression_limit == 0.3  # type: ignore[union-attr]
    assert listed.currentRow() == 2
    driver.key(Qt.Key.Key_Down)
    driver.key(Qt.Key.Key_Return)
    assert driver.session.shown.requirement.suppression_limit == 0.4  # type: ignore[union-attr]
    assert [*clipped_texts(popup), *overlapping_siblings(popup)] == []
    driver.key(Qt.Key.Key_Escape)
    assert not popup.isVisible()
    assert driver.find("undoButton").toolTip() == "Undo: Set the limit to 0.4 (Ctrl+Z)"
    driver.wait_settled()


def test_turns_of_a_knob_are_one_step_until_it_rests(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    history, before = driver.session.history, driver.session.history.texts
    driver.click("tab.explore")
    driver.find("knob.k").setFocus()
    for _ in range(3):
        driver.key(Qt.Key.Key_Up)
    driver.find("knob.suppression").setFocus()
    driver.key(Qt.Key.Key_Up)
    assert len(history.texts) == len(before) + 2
    monkeypatch.setattr("anonymizer_gui.session.history.ONE_TURN", -1.0)
    driver.key(Qt.Key.Key_Up)
    assert len(history.texts) == len(before) + 3
    turned = driver.session.project.requirement  # type: ignore[union-attr]
    for _ in range(3):
        driver.key(Qt.Key.Key_Z, CONTROL)
    k = driver.session.project.requirement.models[0].k  # type: ignore[union-attr]
    assert turned.models[0].k >= k + 3
    for _ in range(3):
        driver.key(Qt.Key.Key_Y, CONTROL)
    assert driver.session.project.requirement == turned  # type: ignore[union-attr]
    driver.wait_settled()


def test_a_step_about_a_node_shows_its_glyph_and_name_and_no_step_is_elided(driver: Driver) -> None:
    edit_limit(driver, 0.3)
    driver.wait_settled()
    driver.click("pinNode")
    edit_limit(driver, 0.12345678901234567)
    driver.wait_settled()
    driver.click("historyButton")
    popup, listed = driver.find("historyList", HistoryList), driver.find("historySteps", QListWidget)
    plain, pinned = listed.item(2), listed.item(3)
    assert pinned.text().startswith("Pinned: ")
    assert "Everything hidden" in pinned.text() or "Generalizes" in pinned.text()
    pictures = [item.icon().pixmap(listed.iconSize()).toImage() for item in (plain, pinned)]
    drawn = [
        {picture.pixelColor(x, y).name() for x in range(16, picture.width()) for y in range(picture.height())}
        for picture in pictures
    ]
    assert current_theme().text_2.lower() not in drawn[0]
    assert current_theme().text_2.lower() in drawn[1] or current_theme().accent.lower() in drawn[1]
    for row in range(listed.count()):
        item = listed.item(row)
        room = listed.viewport().width() - listed.iconSize().width()
        assert QFontMetrics(item.font()).horizontalAdvance(item.text()) < room
    assert popup.width() <= driver.window.width()
    driver.key(Qt.Key.Key_Escape)
    driver.wait_settled()


def test_the_saved_step_is_marked(driver: Driver, tmp_path: object) -> None:
    edit_limit(driver, 0.3)
    driver.session.history.own.setClean()
    edit_limit(driver, 0.4)
    driver.key(Qt.Key.Key_H, CONTROL | SHIFT)
    texts = driver.find("historyList", HistoryList).texts()
    assert [texts[0], *texts[2:]] == ["Start", "Set the limit to 0.3 (saved)", "Set the limit to 0.4"]
    driver.wait_settled()


def test_an_out_of_date_release_is_applied_again_by_one_button(driver: Driver) -> None:
    node = driver.session.applied.release.node  # type: ignore[union-attr]
    edit_limit(driver, 0.5)
    assert driver.session.applied.can_release != ""
    export = driver.wiring.actions["export"]
    assert driver.session.applied.can_release in export.toolTip()
    driver.click("applyAgainButton")
    driver.wait(lambda: driver.session.applied.can_release == "")
    assert "made with" not in export.toolTip()
    assert driver.session.applied.release.node == node  # type: ignore[union-attr]
    assert not driver.window.findChild(QWidget, "applyAgainButton").isVisible()
    driver.wait_settled()


def test_the_text_of_an_out_of_date_release_fits_at_every_scale(
    driver: Driver, themed: QApplication, is_thorough: bool
) -> None:
    require(driver, 4)
    driver.wait_settled()
    for theme, scale in looks(is_thorough=is_thorough):
        theme_manager().apply(themed, theme, scale)
        bar = driver.window.bar
        laid_out(driver.window)
        assert [*clipped_texts(bar), *overlapping_siblings(bar)] == []
        assert driver.find("applyAgainButton").isVisible()


def way_out(driver: Driver) -> QPushButton:
    """Return the button of the banner."""
    (found,) = (b for b in driver.window.banner.findChildren(QPushButton) if b.isVisible() and b.text())
    return found


def test_if_a_release_cannot_be_applied_again_the_banner_offers_the_optimum(driver: Driver) -> None:
    require(driver, 13)
    driver.wait_settled()
    driver.key(Qt.Key.Key_Return, CONTROL | SHIFT)
    driver.wait(driver.window.banner.isVisible)
    assert "does not satisfy" in driver.window.banner.problem()
    assert way_out(driver).text() == "Apply the optimum"
    driver.click(way_out(driver))
    driver.wait(lambda: driver.session.applied.can_release == "")
    assert driver.session.applied.release.node == driver.session.results.optimum  # type: ignore[union-attr]
    assert not driver.window.banner.isVisible()
    driver.wait_settled()


def test_the_banner_closes_with_the_next_release_however_it_is_applied(driver: Driver) -> None:
    require(driver, 13)
    driver.wait_settled()
    driver.key(Qt.Key.Key_Return, CONTROL | SHIFT)
    driver.wait(driver.window.banner.isVisible)
    driver.key(Qt.Key.Key_Return, CONTROL)
    driver.wait(lambda: driver.session.applied.can_release == "")
    driver.wait_settled()
    assert not driver.window.banner.isVisible()


def test_if_a_file_cannot_be_opened_the_banner_offers_another(driver: Driver, tmp_path: Path) -> None:
    broken, other = tmp_path / "broken.anon", tmp_path / "other.csv"
    broken.write_bytes(b"no project")
    other.write_text("age;sex\n30;f\n31;m\n")
    driver.session.mark_saved(tmp_path / "kept.anon")  # so that no dialog asks first
    driver.drop(broken)
    driver.wait(driver.window.banner.isVisible)
    assert way_out(driver).text() == "Choose another file…"
    driver.answer_file_dialog(other)
    driver.click(way_out(driver))
    dialog = driver.dialog("openDialog")
    assert not driver.window.banner.isVisible()
    dialog.reject()
    driver.wait_settled()
