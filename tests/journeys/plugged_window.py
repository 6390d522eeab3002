"""Members of the example plug-in in the window; `tests/contracts/test_plugins.py` runs it where they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from tests.plugin_site import EXAMPLE
from tests.window_driver import Driver, shared_window

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture(scope="module")
def driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    with shared_window(request) as own:
        own.answer_file_dialog(EXAMPLE / "recipe.toml")
        own.click("openButton")
        own.wait(lambda: own.session.project is not None)
        own.wait_settled()
        yield own


def texts(widget: QWidget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def test_a_recipe_with_the_plugin_is_released_and_verified(driver: Driver, tmp_path: Path) -> None:
    driver.key(Qt.Key.Key_1, CONTROL)
    driver.wait(lambda: "Bounded confidence" in texts(driver.window))
    driver.click("tab.explore")
    driver.wait_settled()
    assert "optimum lost classes" in texts(driver.window)
    driver.apply()
    driver.wait_settled()
    assert "verified" in driver.export(tmp_path / "released.csv").casefold()
    assert (tmp_path / "released.csv").exists()


def test_the_model_of_the_plugin_has_a_form(driver: Driver) -> None:
    driver.key(Qt.Key.Key_1, CONTROL)
    driver.pick_model("Bounded confidence")
    dialog = driver.dialog("memberDialog")
    assert "In every class, the share of the most frequent sensitive value is at most conf." in texts(dialog)
    assert "conf" in texts(dialog).splitlines()
    driver.key(Qt.Key.Key_Escape)
    driver.wait(lambda: not dialog.isVisible())


def test_about_lists_the_plugin_and_what_it_offers(driver: Driver) -> None:
    driver.trigger("Help", "About")
    dialog = driver.dialog("aboutDialog")
    area = dialog.findChild(QScrollArea, "pluginsArea")
    assert "anonymizer-example 1.0" in texts(area)
    assert "model: Bounded confidence (bounded_confidence)" in texts(area)
    assert "builder: Initials (initials)" in texts(area)
    assert area.widget().minimumSizeHint().width() <= area.viewport().width()
    assert dialog.height() <= 720
    driver.click(driver.button(dialog, "closeButton"))
    driver.wait(lambda: not dialog.isVisible())
