"""The inspector without scrolling: lines of steps, folds by twos, and what is in view at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QScrollArea
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.perspectives.explore.inspector.section import Section
from engine.project.recipe.files import read_recipe
from tests.anonymizer_gui.look_checks import laid_out
from tests.anonymizer_gui.perspectives.explore.conftest import Bench
from tests.window_driver import LONG, driven_window

LEFT = Qt.MouseButton.LeftButton
HEIGHT = 592  # px of the scrolled part in a window of 1440x900


def inspector(bench: Bench) -> InspectorPanel:
    return bench.explore.view.inspector


def section(bench: Bench, name: str) -> Section:
    found = inspector(bench).findChild(Section, f"section.{name}")
    assert found is not None
    return found


def test_every_neighbour_is_a_button_on_the_side_of_its_direction(qtbot: QtBot, bench: Bench) -> None:
    problem, node = bench.session.results.problem, bench.session.selection.node
    halves = inspector(bench).steps.controls()
    assert len(halves) == 2 * len(problem.attributes)
    for q, (finer, coarser) in enumerate(zip(halves[::2], halves[1::2], strict=True)):
        assert finer.width() >= 100
        assert coarser.width() >= 100
        for half, step in ((finer, -1), (coarser, 1)):
            wanted = (*node[:q], node[q] + step, *node[q + 1 :])
            exists = 0 <= node[q] + step <= problem.attributes[q].hierarchy.height
            assert (half.row is not None) is exists
            assert half.isEnabled() is exists
            if half.row is not None:
                assert half.row.node == wanted
    target = inspector(bench).steps.buttons()[-1]
    wanted = target.row.node
    target.setFocus()
    qtbot.keyClick(target, Qt.Key.Key_Space)
    assert bench.session.selection.node == wanted


def test_folded_parts_share_lines_by_twos_and_an_unfolded_one_has_its_own(qtbot: QtBot, bench: Bench) -> None:
    why, metrics, examples, models = (
        section(bench, name) for name in ("why", "metrics", "examples", "models")
    )
    inspector(bench).set_folds({"section.examples": False})
    qtbot.waitUntil(lambda: why.y() == metrics.y() < examples.y() == models.y())
    assert not any(part.is_shown for part in (why, metrics, examples, models))
    assert metrics.figure.isVisible()
    assert int(metrics.figure.text()) > 3
    qtbot.mouseClick(metrics.toggle, LEFT)
    qtbot.waitUntil(lambda: why.y() < metrics.y() < examples.y())
    assert examples.y() == models.y()
    assert metrics.content.isVisible()
    assert not metrics.figure.isVisible()


def test_the_sections_have_the_order_of_the_design(bench: Bench) -> None:
    names = ("words", "requirement", "utility", "steps", "classes", "why", "metrics", "examples", "models")
    laid_out(bench.explore.view)
    places = [section(bench, name).mapTo(inspector(bench), QPoint()) for name in names]
    assert [place.y() for place in places] == sorted(place.y() for place in places)
    assert inspector(bench).head.mapTo(inspector(bench), QPoint()).y() < places[0].y()


@pytest.mark.parametrize("kind", ["optimum", "fails", "suppresses most"])
def test_every_step_is_in_view_without_scrolling(qtbot: QtBot, bench: Bench, kind: str) -> None:
    scores = bench.explore.state.scores
    number = {
        "optimum": scores.optimum,
        "fails": int(np.flatnonzero(~scores.satisfies)[-1]),
        "suppresses most": int(np.argmax(np.where(scores.satisfies, scores.suppressed, -1))),
    }[kind]
    assert number is not None
    bench.explore.state.select(number)
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
    steps = section(bench, "steps")
    bottom = steps.mapTo(steps.window(), steps.rect().bottomLeft()).y()
    scroll = inspector(bench).findChild(QScrollArea, "inspectorScroll")
    assert scroll.verticalScrollBar().value() == 0
    assert bottom - scroll.mapTo(steps.window(), QPoint()).y() < HEIGHT


@pytest.mark.parametrize("example", [pytest.param("adult", marks=pytest.mark.thorough), "clinic", "hospital"])
def test_nothing_scrolls_at_the_design_size(
    qtbot: QtBot, qapp: QApplication, examples: Path, example: str
) -> None:
    with driven_window(qtbot, qapp, (1440, 900)) as driver:
        driver.session.open_project(read_recipe(examples / example / "recipe.toml"))
        driver.wait_settled()
        driver.click("tab.explore")
        driver.wait_settled()
        explore = driver.wiring.explore
        scores = explore.state.scores
        assert scores.optimum is not None
        failing = np.flatnonzero(~scores.satisfies)
        most = int(np.argmax(np.where(scores.satisfies, scores.suppressed, -1)))
        scroll = driver.find("inspectorScroll", QScrollArea)
        steps = driver.find("section.steps", Section)
        for number in (scores.optimum, int(failing[0]), int(failing[-1]), most):
            explore.state.select(number)
            driver.wait(lambda: explore.is_settled and not driver.wiring.runner.is_busy, LONG)
            driver.wait(lambda: scroll.verticalScrollBar().maximum() == 0, 2_000)
            assert steps.mapTo(driver.window, QPoint()).y() < 540
            driver.window.resize(1280, 720)
            top = steps.mapTo(scroll.viewport(), QPoint()).y()
            assert top + 20 < scroll.viewport().height()
            driver.window.resize(1440, 900)


def test_spare_height_shows_records_before_and_after_until_the_user_folds_a_part(
    qtbot: QtBot, qapp: QApplication, examples: Path
) -> None:
    def shown() -> set[str]:
        parts = ("why", "metrics", "examples", "models")
        return {name for name in parts if driver.find(f"section.{name}", Section).is_shown}

    with driven_window(qtbot, qapp, (1440, 900)) as driver:
        driver.session.open_project(read_recipe(examples / "hospital" / "recipe.toml"))
        driver.wait_settled()
        driver.click("tab.explore")
        driver.wait(lambda: shown() == {"examples"})
        scroll, records = driver.find("inspectorScroll", QScrollArea), driver.find("exampleRecordColumns")
        tall = records.height()
        assert scroll.verticalScrollBar().maximum() == 0
        driver.window.resize(1440, 840)
        driver.wait(lambda: 0 < records.height() < tall and scroll.verticalScrollBar().maximum() == 0)
        driver.window.resize(1440, 720)
        driver.wait(lambda: not shown())
        driver.window.resize(1440, 900)
        driver.wait(lambda: shown() == {"examples"})
        driver.click(driver.find("section.metrics", Section).toggle)
        driver.wait(lambda: shown() == {"metrics"})
        driver.click(driver.find("section.metrics", Section).toggle)
        for node in ((0, 0, 0), (4, 1, 2)):
            driver.session.selection.select(node)
            driver.wait_settled()
            laid_out(driver.window)
            assert not shown()


def test_the_inspector_comes_to_rest(qtbot: QtBot, bench: Bench) -> None:
    qtbot.wait(50)  # after the last changes of heights nothing may happen
    with qtbot.assertNotEmitted(bench.explore.view.inspector.room_timer.timeout, wait=50):
        pass
