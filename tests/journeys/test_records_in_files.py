"""A table that stays in its file: opened by a recipe in the window, released, and not put into a project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from engine.cli import main as run_command
from engine.errors import ExportError
from engine.project.recipe.files import read_recipe
from engine.project.storage.file import save_project
from tests.window_driver import LONG, Driver, driven_window

CLINIC = Path(__file__).parents[2] / "resources" / "examples" / "clinic"


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    with driven_window(qtbot, qapp) as made:
        yield made


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    text = (CLINIC / "recipe.toml").read_text(encoding="utf-8")
    text = text.replace('"hierarchies/', f'"{(CLINIC / "hierarchies").as_posix()}/')
    text = text.replace(
        'path = "clinic.csv"', f'path = "{(CLINIC / "clinic.csv").as_posix()}"\nsource = "disk"'
    )
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_window_releases_what_the_command_does(driver: Driver, recipe: Path, tmp_path: Path) -> None:
    by_window, by_command = tmp_path / "window.csv", tmp_path / "command.csv"
    assert run_command(["anonymize", str(recipe), "--out", str(by_command), "--quiet"]) == 0
    driver.drop(recipe)
    driver.wait(
        lambda: driver.session.project is not None and driver.session.project.stored is not None, LONG
    )
    driver.wait_settled()
    captions = [label.text() for label in driver.window.findChildren(QLabel)]
    assert any(text.endswith("in files") for text in captions)
    driver.key(Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    driver.wait_settled()
    driver.apply()
    driver.wait_settled()
    assert driver.export(by_window).startswith("Written and verified: window.csv")
    assert by_window.read_bytes() == by_command.read_bytes()


def test_a_project_file_does_not_take_the_records(recipe: Path, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="stay in files; a project file cannot hold them"):
        save_project(read_recipe(recipe), tmp_path / "people.anon")
    assert not (tmp_path / "people.anon").exists()
