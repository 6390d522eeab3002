"""An aggregate chosen in the window is exported, verified, saved, and written alike by the command."""

from __future__ import annotations

import csv
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.recoding.aggregation import aggregate_functions
from tests.journeys.test_window import same_by_command, save_recipe
from tests.window_driver import LONG, Driver, driven_window


def test_a_mean_of_classes_chosen_in_the_window_is_in_the_verified_file(
    driver: Driver, qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    driver.open_example("clinic")
    driver.click("tab.configure")
    driver.select_columns("age")
    driver.choose("aggregateBox", "Mean")
    assert dict(driver.session.project.microaggregation) == {  # type: ignore[union-attr]
        "age": aggregate_functions.create("mean")
    }
    driver.wait_settled()
    driver.click("tab.explore")
    driver.wait(
        lambda: driver.session.results.is_problem_current and driver.session.results.optimum is not None, LONG
    )
    driver.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    driver.wait(
        lambda: driver.session.applied.release is not None and not driver.session.applied.stale_text, LONG
    )
    exported = tmp_path / "out.csv"
    assert driver.export(exported) == "Written and verified: out.csv"
    with open(exported, encoding="utf-8", newline="") as file:
        ages = {row["age"] for row in csv.DictReader(file)} - {"*"}
    assert len(ages) > 1
    assert all(0 <= float(age) < 100 for age in ages)
    save_recipe(driver, tmp_path / "clinic.toml")
    assert same_by_command(tmp_path / "clinic.toml", exported)

    saved = tmp_path / "clinic.anon"
    driver.answer_file_dialog(saved)
    driver.key(Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    driver.wait(lambda: driver.session.saved.path == saved)
    with driven_window(qtbot, qapp) as second:
        assert second.drop(saved)
        second.wait(lambda: second.session.project is not None)
        second.wait_settled()
        assert dict(second.session.project.microaggregation) == {  # type: ignore[union-attr]
            "age": aggregate_functions.create("mean")
        }
