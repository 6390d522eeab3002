"""Analyze utility and Analyze risk preview the selected node before any is applied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.widgets.results_stack import PreviewBar
from engine.project import Project
from engine.project.compile import compile_problem
from engine.recoding import make_release
from tests.window_driver import Driver, driven_window

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def driver(qtbot: QtBot, themed: QApplication) -> Iterator[Driver]:
    """Return the window with the hospital example, scored and without a release."""
    with driven_window(qtbot, themed) as made:
        made.open_example("hospital")
        assert made.session.applied.release is None
        yield made


def _select(driver: Driver, *, satisfying: bool) -> tuple[int, ...]:
    evaluation = driver.session.results.evaluation
    for number in range(evaluation.lattice.n_nodes):
        node = evaluation.lattice.node(number)
        if bool(evaluation.satisfies[number]) == satisfying and node != driver.session.results.optimum:
            driver.session.selection.select(node)
            return node
    raise AssertionError


@pytest.mark.parametrize("satisfying", [True, False])
def test_the_selected_node_is_previewed_and_marked_as_such(driver: Driver, satisfying: bool) -> None:
    node = _select(driver, satisfying=satisfying)
    driver.click("tab.utility")
    utility = driver.wiring.utility
    driver.wait(lambda: utility.view.shows_results)
    driver.wait_settled()
    project = driver.session.project
    expected = make_release(project, compile_problem(project), node)
    tiles = utility.view.strip.tiles
    assert tiles["suppressed"].value.text() == str(expected.n_suppressed)
    assert tiles["classes"].value.text() == str(expected.n_classes)
    assert utility.view.preview.isVisible()
    assert driver.find("previewName", QLabel).text()
    assert driver.session.applied.release is None
    assert not driver.wiring.actions["export"].isEnabled()

    driver.click("tab.risk")
    driver.wait_settled()
    risk = driver.wiring.risk
    assert risk.view.shows_results
    assert risk.view.preview.isVisible()
    assert risk.view.strip.basis.text() == "Computed from a preview"


def test_apply_in_the_bar_makes_the_preview_the_release(driver: Driver) -> None:
    node = _select(driver, satisfying=True)
    driver.click("tab.risk")
    driver.wait(lambda: driver.wiring.risk.view.shows_results)
    driver.wait_settled()
    sentence = driver.wiring.risk.view.strip.sentence()
    bar = driver.wiring.risk.view.findChild(PreviewBar)
    driver.click(bar.button)
    driver.wait(lambda: driver.session.applied.release is not None)
    driver.wait_settled()
    assert driver.session.applied.node == node
    assert not bar.isVisible()
    assert driver.wiring.risk.view.strip.sentence() == sentence
    assert driver.wiring.risk.view.strip.basis.text() == "Computed from the release"
    driver.key(Qt.Key.Key_Z, CONTROL)


def test_without_a_selected_node_the_empty_state_leads_on(driver: Driver) -> None:
    driver.session.selection.select(None)
    driver.click("tab.utility")
    driver.wait_settled()
    view = driver.wiring.utility.view
    assert not view.shows_results
    assert "Select a node" in view.empty.sentence()
    driver.click("utilityEmptyAction")
    driver.wait(lambda: driver.session.applied.release is not None)
    assert driver.session.applied.node == driver.session.results.optimum


def test_a_preview_follows_the_selected_node_and_the_settings(driver: Driver) -> None:
    _select(driver, satisfying=True)
    driver.click("tab.utility")
    preview = driver.wiring.desk.preview
    driver.wait(lambda: preview.release is not None)
    first = preview.release
    optimum = driver.session.results.optimum
    driver.session.selection.select(optimum)
    driver.wait(lambda: preview.release is not None and preview.release is not first)
    assert preview.release.node == optimum
    driver.click("tab.explore")
    driver.session.selection.select(None)
    driver.wait_settled()
    assert preview.release is None


def test_without_roles_the_page_sets_those_suggested(driver: Driver) -> None:
    project = driver.session.project
    driver.session.open_project(Project("fresh", project.source, project.options, project.table))
    driver.click("tab.utility")
    view = driver.wiring.utility.view
    driver.wait(lambda: view.empty.sentence().startswith("Give every column a role first"))
    driver.click("utilityEmptyAction")
    driver.wait(lambda: not driver.session.project.undecided)
    assert driver.window.page == "utility"


def test_without_scores_the_page_offers_to_score_again(driver: Driver) -> None:
    driver.session.results.set_profile(None)
    driver.session.results.set_evaluation(None)  # as after cancelled scoring
    driver.session.selection.select(None)
    driver.click("tab.risk")
    view = driver.wiring.risk.view
    driver.wait(lambda: view.empty.sentence().startswith("No node is scored yet"))
    assert driver.find("riskAction", QPushButton).text() == "Score again"
    driver.click("riskAction")
    driver.wait(lambda: view.shows_results)
    driver.wait_settled()
    assert driver.session.results.optimum is not None


def test_the_third_project_of_a_run_is_previewed_too(driver: Driver) -> None:
    first = driver.session.project
    assert first is not None
    for name in ("second", "third"):
        driver.session.open_project(replace(first, name=name))
        for page in ("utility", "risk"):
            driver.click(f"tab.{page}")
            driver.wait_settled()
            view = getattr(driver.wiring, page).view
            driver.wait(lambda view=view: view.shows_results)
            assert view.preview.isVisible()
