"""A lattice of 10^12 nodes in the window: partly scored, stopped, continued, filtered, released."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QTableView
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.prices.rows import Kind
from anonymizer_gui.session import results
from tests.huge import N_COLUMNS, N_RECORDS, write_huge_recipe
from tests.window_driver import LONG, Driver, driven_window

AT_ONCE = 100


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """Return an empty window in which scoring runs are short."""
    monkeypatch.setattr(results, "NODES_AT_ONCE", AT_ONCE)
    with driven_window(qtbot, qapp) as made:
        yield made


@pytest.fixture
def driver(window: Driver, tmp_path: Path) -> Driver:
    """Return the window with the lattice, scored for one run."""
    assert window.drop(write_huge_recipe(tmp_path))
    window.wait(lambda: window.session.results.profile is not None)
    window.wait_settled()
    return window


def plain(text: str) -> str:
    return text.replace("\u202f", " ")


def as_exact(count: int) -> str:
    return f"{count:,}".replace(",", " ")


def facts(driver: Driver) -> str:
    return plain(driver.window.status.facts.text())


def caption(driver: Driver) -> str:
    return plain(driver.wiring.explore.view.lattice.caption.text())


def n_scored(driver: Driver) -> int:
    assert driver.session.results.profile is not None
    return driver.session.results.profile.n_scored


def test_while_partly_scored_results_are_shown_with_the_number_of_scored_nodes(
    window: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "NODES_AT_ONCE", 10**6)
    assert window.drop(write_huge_recipe(tmp_path))
    window.wait(
        lambda: (
            window.session.results.evaluation is not None and window.session.results.evaluation.n_scored > 20
        )
    )
    window.wait(lambda: window.wiring.explore.view.shows_results)
    listed = window.find("nodeList", QTableView).model()
    window.wait(lambda: listed.rowCount() > 0)
    assert window.wiring.scoring.is_scoring
    window.wait(lambda: "of 1.00 T nodes scored (< 0.01 %)" in plain(window.window.status.job.text.text()))
    window.wait(lambda: "of 1.00 T nodes scored (< 0.01 %), each exactly" in caption(window))
    window.click(window.window.status.job._cancel)
    window.wait_settled()
    assert facts(window).startswith(f"{as_exact(n_scored(window))} of 1.00 T nodes scored (< 0.01 %)")
    evaluation = window.session.results.evaluation
    assert evaluation.n_scored == n_scored(window)
    assert evaluation.n_satisfying > 0
    window.wait(lambda: listed.rowCount() == evaluation.n_satisfying)


def test_the_best_known_node_is_selected_and_labelled(driver: Driver) -> None:
    assert driver.session.selection.node == driver.session.results.optimum
    assert "Best so far" in [label.text() for label in driver.window.status.findChildren(QLabel)]
    assert "best so far loss" in [label.text() for label in driver.find("countPanel").findChildren(QLabel)]


def test_prices_are_bounds_until_their_levels_are_scored(driver: Driver) -> None:
    driver.wiring.explore.view.show_view("prices")
    driver.wait_settled()
    panel = driver.wiring.explore.view.prices
    kinds = {cell.kind for row in panel.view.rows for cell in row.cells}
    assert kinds <= {Kind.LOSS, Kind.NOT_SCORED}, "no difference has a bound, and nothing is impossible yet"
    assert driver.find("headline").text().startswith("Best so far: ")  # type: ignore[attr-defined]
    worst = {(row.column, cell.level): cell.words for row in panel.view.rows for cell in row.cells}
    before = n_scored(driver)
    driver.click(panel.score)
    driver.wait(lambda: driver.wiring.scoring.is_scoring and n_scored(driver) > before + 50, LONG)
    driver.click(driver.window.status.job._cancel)
    driver.wait_settled()
    assert n_scored(driver) > before + 50
    better = {(row.column, cell.level): cell.words for row in panel.view.rows for cell in row.cells}
    assert better != worst
    assert panel.score.isVisible(), "what is left can be scored later"


def test_cancel_keeps_the_scores_and_continue_resumes(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "NODES_AT_ONCE", 10**6)
    before = n_scored(driver)
    driver.click("continueButton")
    driver.wait(lambda: n_scored(driver) > before + 20)
    driver.click(driver.window.status.job._cancel)
    driver.wait(lambda: not driver.wiring.scoring.is_scoring, 2_000)
    driver.wait_settled()
    kept = n_scored(driver)
    assert kept > before
    assert driver.session.results.evaluation.n_scored == kept
    monkeypatch.setattr(results, "NODES_AT_ONCE", AT_ONCE)
    driver.click("continueButton")
    driver.wait(lambda: n_scored(driver) >= kept + AT_ONCE, LONG)
    driver.wait_settled()


def test_walking_to_a_node_that_is_not_scored_scores_it(driver: Driver) -> None:
    for steps in range(3):  # above the nodes scored in a run
        driver.find("lattice").setFocus()
        before = driver.session.selection.node
        driver.key(Qt.Key.Key_Up)
        driver.wait(lambda before=before: driver.session.selection.node != before)
        driver.wait_settled()
        assert driver.session.results.evaluation.lattice.find(driver.session.selection.node) is not None, (
            steps
        )
    shown = [label.text() for label in driver.find("inspector").findChildren(QLabel) if label.isVisible()]
    assert "not scored" not in shown
    assert "Not scored yet" not in shown


def test_a_knob_recolours_scored_nodes_and_the_list_follows(driver: Driver) -> None:
    before = driver.session.results.evaluation
    driver.type_into("knob.k", "6")
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: driver.session.shown.requirement.k == 6)  # type: ignore[union-attr]
    driver.wait_settled()
    after = driver.session.results.evaluation
    assert after.n_scored > before.n_scored  # scoring continues with the new requirement
    assert [after.lattice.node(row) for row in range(9)] == [before.lattice.node(row) for row in range(9)]
    assert driver.find("nodeList", QTableView).model().rowCount() == after.n_satisfying
    assert driver.find("satisfyingCount", QLabel).text().replace("\u202f", "") == str(after.n_satisfying)


def test_a_listed_node_is_inspected_applied_and_exported(driver: Driver, tmp_path: Path) -> None:
    table = driver.find("nodeList", QTableView)
    shown = table.visualRect(table.model().index(2, 0))
    assert table.viewport().rect().contains(shown)
    driver.click(table.viewport(), shown.center())
    node = driver.session.selection.node
    assert node is not None
    assert table.model().data(table.model().index(2, 2)) == f"[{', '.join(map(str, node))}]"
    driver.wait_settled()
    driver.click_node(node)
    driver.apply()
    out = tmp_path / "out.csv"
    driver.export(out)
    with open(out, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert (len(header), len(rows)) == (N_COLUMNS + 1, N_RECORDS)


def test_more_memory_lets_it_go_on(driver: Driver) -> None:
    driver.wiring.actions["memory_256"].trigger()
    assert driver.wiring.preferences.value.score_memory == 256
    driver.wiring.scoring.set_memory(0)
    driver.click("continueButton")
    driver.wait(lambda: "memory for scores is full" in facts(driver))
    driver.wiring.actions["memory_1024"].trigger()
    driver.wait(lambda: driver.find("continueButton").isVisible())
