"""Labels in the hierarchy editor match their groups after every edit by mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tests.hierarchy_hands import CONTROL, NONE, SHIFT, HierarchyHands
from tests.window_driver import LEFT, Driver, driven_window

_Key = Qt.Key
ALT = Qt.KeyboardModifier.AltModifier
BIRTHS = [date(1915, 3, 4) + timedelta(days=37 * i) for i in range(320)]
CHAPTERS = ("Blood", "Digestive", "Endocrine", "Heart", "Skin")


@pytest.fixture
def births(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[HierarchyHands]:
    """Return the editor of dates of birth, by months, years and decades; none is the first of a month."""
    days = [day if day.day > 1 else day + timedelta(1) for day in BIRTHS]
    rows = "".join(f"{day:%d-%m-%Y};{CHAPTERS[i % 5]}\n" for i, day in enumerate(days))
    with opened(qtbot, qapp, tmp_path, f"born;chapter\n{rows}") as driver:
        hands = HierarchyHands(driver)
        hands.open("born")
        hands.build("Dates")
        yield hands


@contextmanager
def opened(qtbot: QtBot, qapp: QApplication, folder: Path, text: str) -> Iterator[Driver]:
    """Return a window with a table."""
    (folder / "people.csv").write_text(text, encoding="utf-8")
    with driven_window(qtbot, qapp, (1440, 900)) as driver:
        driver.open_table(folder / "people.csv")
        yield driver


def shown(hands: HierarchyHands, level: int) -> list[str]:
    """Return the labels of a level from left to right."""
    geometry = hands.icicle.geometry_shown
    labels = hands.hierarchy.levels[level].labels
    return [labels[code] for code in geometry.outline.levels[level].codes.tolist()]


def drag_cut(hands: HierarchyHands, boundary: int, value: str, keys: Qt.KeyboardModifier = NONE) -> None:
    """Drag the handle of a cut of the current level to the place before a value."""
    icicle = hands.icicle
    geometry = icicle.geometry_shown
    place = list(geometry.outline.leaves).index(geometry.outline.hierarchy.index[value])
    start = icicle.handle_rect(boundary).center().toPoint()
    end = QPoint(round(geometry.edge_x(place)), start.y())
    hands.driver.wake()
    QTest.mousePress(icicle, LEFT, keys, start)
    for step in range(1, 4):
        move(icicle, start + (end - start) * step / 3, keys)
    QTest.mouseRelease(icicle, LEFT, keys, end)
    QApplication.processEvents()


def move(widget: QWidget, place: QPoint, keys: Qt.KeyboardModifier) -> None:
    """Move the mouse with its left button and keys pressed, which QTest does not support."""
    at, none = QPointF(place), Qt.MouseButton.NoButton
    QApplication.sendEvent(
        widget, QMouseEvent(QEvent.Type.MouseMove, at, widget.mapToGlobal(at), none, LEFT, keys)
    )


def by_time(value: str) -> list[str]:
    """Return the sort key of dates written with the day first."""
    return value.split("-")[::-1]


def level_of_decades(hands: HierarchyHands) -> int:
    """Make the level of decades the current one by mouse."""
    level = next(i for i, e in enumerate(hands.hierarchy.levels) if "1920-1929" in e.labels)
    QTest.mouseClick(hands.icicle, LEFT, NONE, hands.group_place("1920-1929", level))
    return level


def is_shown(driver: Driver, name: str) -> bool:
    """Return whether a widget can be seen."""
    return any(widget.isVisible() for widget in driver.window.findChildren(QWidget, name))


def test_a_cut_between_decades_moves_by_years_and_both_labels_follow(births: HierarchyHands) -> None:
    level = level_of_decades(births)
    cut = next(cut for cut in births.icicle.cuts() if cut.boundary == 2)
    assert cut.text == "1930"
    late = max((v for v in births.hierarchy.values if v.endswith("1934")), key=by_time)
    drag_cut(births, 2, late)  # in the last days of 1934: the year that begins next is closest
    assert shown(births, level)[:3] == ["1910-1919", "1920-1934", "1935-1939"]
    assert births.label(late, level) == "1920-1934"
    assert next(cut.text for cut in births.icicle.cuts() if cut.boundary == 2) == "1935"
    assert births.undo_text == f"Move cut of level {level}"
    births.key(_Key.Key_Right)
    assert shown(births, level)[1:3] == ["1920-1935", "1936-1939"]
    births.key(_Key.Key_Left)
    births.key(_Key.Key_Left)
    assert shown(births, level)[1:3] == ["1920-1933", "1934-1939"]


def test_with_alt_a_cut_moves_between_any_days_and_no_label_names_a_day(births: HierarchyHands) -> None:
    level = level_of_decades(births)
    days = sorted(
        (v for v in births.hierarchy.values if v.endswith("1934")), key=lambda v: v.split("-")[::-1]
    )
    drag_cut(births, 2, days[4], ALT)
    assert births.label(days[3], level) != births.label(days[4], level)
    values = set(births.hierarchy.values)
    for entry in births.hierarchy.levels[1:]:
        for label, n_leaves in zip(entry.labels, entry.n_leaves.tolist(), strict=True):
            assert n_leaves == 1 or not any(value in label for value in values), label
    assert births.label(days[3], level).startswith("01-1920 to ")
    births.key(_Key.Key_Right, ALT)
    assert births.label(days[4], level) == births.label(days[3], level)
    assert births.label(days[5], level) != births.label(days[4], level)


def test_alt_and_an_arrow_choose_the_cut_next_to_a_group_and_move_it_by_a_year(
    births: HierarchyHands,
) -> None:
    level = level_of_decades(births)
    births.key(_Key.Key_Right, ALT)
    assert shown(births, level)[:3] == ["1910-1919", "1920-1930", "1931-1939"]


def test_merged_or_dropped_decades_get_new_names(births: HierarchyHands) -> None:
    level = level_of_decades(births)
    QTest.mouseClick(births.icicle, LEFT, CONTROL, births.group_place("1930-1939", level))
    births.key(_Key.Key_M, CONTROL)
    assert "1920-1939" in shown(births, level)
    births.key(_Key.Key_Z, CONTROL)
    births.click("1930-1939", level)
    births.drag((births.row("1930-1939", level), level), (births.last_row("1920-1929", level), level))
    assert "1920-1939" in shown(births, level)
    births.key(_Key.Key_D, CONTROL)
    assert {"1920", "1934", "1939"} <= set(shown(births, level))


def test_a_year_over_single_days_is_split_into_months(births: HierarchyHands) -> None:
    year = next(i for i, e in enumerate(births.hierarchy.levels) if "1934" in e.labels)
    for _ in range(year - 1):  # remove the levels below
        births.click(births.label(births.hierarchy.values[0], 1), 1)
        births.key(_Key.Key_Down, CONTROL)
    births.click("1934", 1)
    births.key(_Key.Key_D, CONTROL)
    parts = [label for label in shown(births, 1) if label.endswith("1934")]
    assert "03-1934" in parts
    assert not set(parts) & set(births.hierarchy.values)


def test_wrong_labels_of_dates_are_reported_and_rewritten(births: HierarchyHands) -> None:
    level = level_of_decades(births)
    births.rename("1921-1922")
    driver = births.driver
    driver.wait(lambda: is_shown(driver, "mislabelNoticeButton"))
    driver.click("mislabelNoticeButton")
    assert "1920-1929" in shown(births, level)
    driver.wait(lambda: not is_shown(driver, "mislabelNoticeButton"))


@pytest.fixture
def chapters(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[HierarchyHands]:
    """Return the editor of five texts, each in a separate group below the top."""
    rows = "".join(f"{chapter},{i}\n" for i, chapter in enumerate(CHAPTERS * 3))
    with opened(qtbot, qapp, tmp_path, f"chapter,n\n{rows}") as driver:
        hands = HierarchyHands(driver)
        hands.open("chapter")
        hands.build("Keep or hide")
        hands.click("Blood")
        hands.key(_Key.Key_Up, CONTROL)
        yield hands


def test_a_text_dropped_on_another_makes_a_group_of_both_names(chapters: HierarchyHands) -> None:
    chapters.click("Endocrine", 1)
    chapters.drag((chapters.row("Endocrine", 1), 1), (chapters.row("Digestive", 1), 1))
    assert chapters.label("Endocrine", 1) == "Digestive, Endocrine"
    chapters.click("Heart", 1)
    chapters.drag((chapters.row("Heart", 1), 1), (chapters.row("Digestive, Endocrine", 1), 1))
    chapters.click("Skin", 1)
    chapters.drag((chapters.row("Skin", 1), 1), (chapters.row("Digestive, Endocrine, Heart", 1), 1))
    assert chapters.label("Heart", 1) == "Group 1"


def test_a_custom_name_is_kept_with_a_warning(chapters: HierarchyHands) -> None:
    chapters.click("Digestive", 1)
    chapters.rename("Belly")
    chapters.click("Endocrine", 1)
    chapters.drag((chapters.row("Endocrine", 1), 1), (chapters.row("Belly", 1), 1))
    assert chapters.label("Endocrine", 1) == "Belly"
    driver = chapters.driver
    said = [label.text() for label in driver.window.findChildren(QLabel) if label.isVisible()]
    assert any(text.startswith("Belly keeps its name and contains more now") for text in said)
    chapters.click("Belly", 1)
    chapters.rename("Digestive")  # one of its two members
    driver.wait(lambda: is_shown(driver, "mislabelNoticeButton"))
    driver.click("mislabelNoticeButton")
    assert chapters.label("Endocrine", 1) == "Digestive, Endocrine"


def test_a_new_group_is_made_by_the_button_next_to_split_and_merge(chapters: HierarchyHands) -> None:
    chapters.select(["Heart", "Skin"])
    chapters.driver.click("groupGroupsButton")
    assert chapters.label("Skin", 1) == "Heart, Skin"


def test_a_new_group_is_made_by_keys_that_nothing_else_has(chapters: HierarchyHands) -> None:
    chapters.select(["Heart", "Skin"])
    chapters.key(_Key.Key_N, CONTROL | SHIFT)
    assert chapters.label("Skin", 1) == "Heart, Skin"
