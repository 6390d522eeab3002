"""The release of five columns of Adult by window, by command and from Python: the same bytes."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.export.dialog import ExportDialog
from engine import DistinctLDiversity, KAnonymity, TCloseness, anonymize
from engine.cli import main
from engine.project import edits
from engine.project.recipe.files import read_recipe, write_recipe
from engine.records import Role
from tests.window_driver import LONG, Driver, driven_window

LEFT_OUT = ("marital-status", "native-country", "workclass", "occupation")
CONTROL = Qt.KeyboardModifier.ControlModifier


def by_window(driver: Driver, recipe: Path, out: Path) -> None:
    driver.drop(recipe)
    driver.wait(lambda: driver.session.project is not None)
    driver.wait_settled()
    driver.apply_by_keys()
    driver.wait_settled()
    driver.key(Qt.Key.Key_E, CONTROL)
    dialog = driver.dialog("exportDialog")
    assert isinstance(dialog, ExportDialog)
    driver.type_into("exportPath", str(out))
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.written or dialog.banner.isVisible(), LONG)
    assert dialog.written == f"Written and verified: {out.name}"


def test_window_and_command_and_a_script_of_twelve_lines_give_the_same_bytes(
    qtbot: QtBot, qapp: QApplication, examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(examples / "adult")
    adult = pd.read_csv("adult.csv", sep=";")
    known = [name for name in adult.columns[:-1] if name not in LEFT_OUT]
    released = anonymize(
        adult,
        quasi_identifying=known,
        sensitive="hours-per-week",
        models=[KAnonymity(5), DistinctLDiversity("hours-per-week", 3), TCloseness("hours-per-week", 0.2)],
        hierarchies={name: f"hierarchies/{name}.csv" for name in known},
    )
    assert released.verdict.ok
    assert sum(released.node.values()) > 0
    written = released.frame.to_csv(sep=";", index=False, lineterminator="\n").encode()
    recipe = tmp_path / "recipe.toml"
    write_recipe(edits.set_roles(read_recipe("recipe.toml"), LEFT_OUT, Role.IDENTIFYING), recipe)
    assert main(["anonymize", str(recipe), "--out", str(tmp_path / "command.csv"), "--quiet"]) == 0
    assert (tmp_path / "command.csv").read_bytes() == written
    with driven_window(qtbot, qapp) as driver:
        by_window(driver, recipe, tmp_path / "window.csv")
    assert (tmp_path / "window.csv").read_bytes() == written
