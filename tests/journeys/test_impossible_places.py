"""Saving to places that cannot be written: a sentence each time, and everything stays as it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.forms.writing import WritingDialog
from anonymizer_gui.widgets.error_banner import ErrorBanner
from tests.window_driver import LONG, Driver, driven_window

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
TOO_LONG, NO_FOLDER = "the name is too long", "its folder does not exist"


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return the hospital example, its optimum applied."""
    with driven_window(qtbot, qapp) as made:
        made.open_example("hospital")
        made.apply_by_keys()
        made.wait_settled()
        yield made


def places(folder: Path) -> dict[Path, str]:
    """Return names that cannot be written, each with its reason."""
    (folder / "file").touch()
    return {
        folder / "missing" / "place": NO_FOLDER,
        folder / "file" / "place": NO_FOLDER,
        folder / ("n" * 300): TOO_LONG,
        Path("~nobody-of-this-name") / "place": NO_FOLDER,
    }


def refusal(driver: Driver, dialog: WritingDialog, field: str, text: str) -> str:
    """Type a place, press Enter, and return the sentence shown."""
    driver.type_into(field, text)
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.banner.isVisible() and not dialog.is_busy, LONG)
    return dialog.banner.problem()


def written(driver: Driver, dialog: WritingDialog, field: str, path: Path) -> str:
    """Type a name, press Enter, and return the name in the field once the file is there."""
    driver.type_into(field, str(path.with_suffix("")))
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: path.exists() and not dialog.is_busy, LONG)
    return driver.find(field).text()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_an_export_says_why_a_typed_place_cannot_be_written(
    driver: Driver, tmp_path: Path, ending: str
) -> None:
    driver.key(Qt.Key.Key_E, CONTROL)
    dialog = driver.dialog("exportDialog")
    assert isinstance(dialog, WritingDialog)
    for place, reason in places(tmp_path).items():
        assert reason in refusal(driver, dialog, "exportPath", f"{place}{ending}")
    driver.click(driver.button(dialog, "filesAboutButton"))
    about = driver.dialog("bundleDialog")
    assert isinstance(about, WritingDialog)
    for place in (tmp_path / "file" / "place", tmp_path / ("n" * 300)):
        assert "could not be created" in refusal(driver, about, "bundlePath", str(place))
    driver.key(Qt.Key.Key_Escape)
    driver.wait(lambda: not about.isVisible())
    out = tmp_path / f"release{ending}"
    assert written(driver, dialog, "exportPath", out) == str(out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", out.name]


def test_a_report_says_why_a_typed_place_cannot_be_written(driver: Driver, tmp_path: Path) -> None:
    driver.key(Qt.Key.Key_E, CONTROL | SHIFT)
    dialog = driver.dialog("reportDialog")
    assert isinstance(dialog, WritingDialog)
    for place, reason in places(tmp_path).items():
        assert reason in refusal(driver, dialog, "reportPath", f"{place}.html")
    out = tmp_path / "report.html"
    assert written(driver, dialog, "reportPath", out) == str(out)


def test_files_are_not_saved_into_folders_that_do_not_exist(driver: Driver, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    banner = driver.window.banner
    for entry in ("Save as", "Save recipe"):
        driver.answer_file_dialog(missing / "place")
        driver.trigger("File", entry)
        driver.wait(banner.isVisible)
        assert NO_FOLDER in banner.problem()
        banner.dismiss()
        driver.answer_file_dialog(tmp_path / "study.2024")
        driver.trigger("File", entry)
        driver.wait(banner.isVisible)
        assert "'study.2024' does not end in" in banner.problem()
        banner.dismiss()
    driver.click("tab.explore")
    driver.wait_settled()
    driver.answer_file_dialog(missing / "place")
    driver.click("latticePicture")
    driver.wait(banner.isVisible)
    assert NO_FOLDER in banner.problem()
    banner.dismiss()
    driver.click("tab.utility")
    driver.wait_settled()
    entries = next(b for b in driver.window.findChildren(QAbstractButton, "analysisMenu") if b.isVisible())
    driver.click(entries)
    driver.wait(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    values = next(a for a in menu.actions() if a.objectName().startswith("figures."))
    driver.answer_file_dialog(missing / "place")
    driver.qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(values).center())
    shown = driver.window.shown_page.findChildren(ErrorBanner)
    driver.wait(lambda: any(found.isVisible() and NO_FOLDER in found.problem() for found in shown))
    assert list(tmp_path.iterdir()) == []
    assert driver.session.saved.path is None
