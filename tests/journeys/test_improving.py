"""A release improved in the window is verified, and the command writes the same bytes by its recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.algorithms.improve_dialog import ImproveDialog
from engine.cli import main as run_command
from engine.recoding import recoding_methods
from engine.search import search_algorithms
from tests.window_driver import LONG, Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


def first_two(keys: Iterable[str]) -> list[Any]:
    """Return two members of a family, with --all every one; contracts test them all."""
    return [
        pytest.param(key, marks=() if place < 2 else pytest.mark.thorough) for place, key in enumerate(keys)
    ]


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication) -> Iterator[Driver]:
    """Return the hospital example with its optimum applied."""
    with driven_window(qtbot, qapp) as made:
        made.open_example("hospital")
        made.click("tab.explore")
        made.apply()
        yield made


def same_by_command(driver: Driver, exported: Path) -> bool:
    """Return whether the command, given the recipe the window saves, writes the bytes that it exported."""
    recipe, out = exported.with_name("r.toml"), exported.with_name("by-command.csv")
    driver.answer_file_dialog(recipe)
    driver.trigger("File", "Save recipe")
    driver.wait(lambda: recipe.exists() and driver.wiring.frame.is_settled)
    driver.wait(lambda: driver.window.banner.problem() == "The recipe was saved as “r.toml”.")
    driver.window.banner.dismiss()
    assert run_command(["anonymize", str(recipe), "--out", str(out), "--quiet"]) == 0
    return out.read_bytes() == exported.read_bytes()


def tried(driver: Driver, key: str) -> ImproveDialog:
    driver.trigger("Run", "Improve this release")
    dialog = driver.dialog("improveDialog")
    driver.wait(lambda: not dialog.is_running, LONG)  # with all methods
    dialog.choice.choose(key)
    driver.click("tryButton")
    driver.wait(lambda: not dialog.is_running and driver.wiring.improve._base is not None, LONG)
    return dialog


@pytest.mark.parametrize("key", first_two(recoding_methods))
def test_every_method_is_tried_and_usable_results_are_exported_as_by_the_command(
    driver: Driver, tmp_path: Path, key: str
) -> None:
    before = driver.session.applied.release
    dialog = tried(driver, key)
    assert not dialog.banner.isVisible(), dialog.banner.problem()
    assert driver.session.applied.release is before
    if not dialog.use_button.isEnabled():
        assert "Cannot be used: the kept records do not meet" in dialog.use_button.toolTip()
        return
    driver.click("useReleaseButton")
    driver.wait(lambda: driver.session.applied.release is not before)
    exported = tmp_path / "out.csv"
    assert driver.export(exported) == "Written and verified: out.csv"
    assert same_by_command(driver, exported)


def test_undoing_a_release_brings_back_the_file_it_gave(driver: Driver, tmp_path: Path) -> None:
    first, improved, again = (tmp_path / name for name in ("first.csv", "improved.csv", "again.csv"))
    driver.export(first)
    tried(driver, "mondrian")
    driver.click("useReleaseButton")
    driver.wait(
        lambda: (
            driver.session.applied.release is not None and driver.session.applied.release.recoding is not None
        )
    )
    driver.export(improved)
    driver.key(Qt.Key.Key_Z, CONTROL)
    assert driver.export(again) == "Written and verified: again.csv"
    assert again.read_bytes() == first.read_bytes() != improved.read_bytes()
    assert same_by_command(driver, again)


@pytest.mark.parametrize("key", first_two(search_algorithms))
def test_every_algorithm_runs_and_its_result_is_exported_as_by_the_command(
    driver: Driver, tmp_path: Path, key: str
) -> None:
    driver.trigger("Help", "Search with")
    dialog = driver.dialog("algorithmDialog")
    dialog.choice.choose(key)
    driver.click("runAlgorithmButton")
    driver.wait(lambda: not dialog.is_running, LONG)
    assert not dialog.banner.isVisible(), dialog.banner.problem()
    run = driver.wiring.algorithms._runs[-1]
    assert run.guarantee == search_algorithms[key].promise
    if dialog.use_button.isEnabled():
        driver.click("useAlgorithmButton")
    assert driver.session.project.search.algorithm == key
    before = driver.session.applied.release
    driver.click("applyRunButton")
    driver.wait(lambda: driver.session.applied.release is not before)
    exported = tmp_path / "out.csv"
    assert driver.export(exported) == "Written and verified: out.csv"
    assert same_by_command(driver, exported)
