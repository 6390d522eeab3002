"""The one primary button of the window makes the next step, in every perspective."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QPushButton

from engine.advice.first_release import first_settings
from engine.project.compile import compile_problem, objective_of
from engine.scoring import score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.profile import LatticeProfile
from tests.anonymizer_gui.hands import outcome_text
from tests.window_driver import LONG, Driver

PAGES = ("configure", "explore", "utility", "risk")


def _primary(driver: Driver) -> list[str]:
    return [
        button.objectName()
        for button in driver.window.findChildren(QPushButton)
        if button.isVisible() and button.property("kind") == "primary"
    ]


def _offering_roles(driver: Driver) -> list[QPushButton]:
    buttons = driver.window.findChildren(QPushButton)
    return [button for button in buttons if button.isVisible() and button.text() == "Set suggested roles"]


def test_a_table_without_roles_gets_a_first_release(driver: Driver, tmp_path: Path, examples: Path) -> None:
    table = tmp_path / "clinic.csv"
    table.write_bytes((examples / "clinic" / "clinic.csv").read_bytes())
    driver.open_table(table)
    for page in PAGES:
        driver.click(f"tab.{page}")
        assert _primary(driver) == ["firstReleaseButton"]
    assert not driver.find("exportButton", QPushButton).isEnabled()
    for page in PAGES[1:]:  # each offers the roles itself
        driver.click(f"tab.{page}")
        driver.click(_offering_roles(driver)[0])
        driver.wait(lambda: not driver.session.project.undecided)
        driver.wait(lambda: not _offering_roles(driver))
        assert driver.session.history.own.undoText() == "Set suggested roles"
        driver.session.history.undo()


def test_before_any_role_the_footer_tells_what_the_suggestions_would_leave(
    driver: Driver, tmp_path: Path, examples: Path
) -> None:
    table = tmp_path / "clinic.csv"
    table.write_bytes((examples / "clinic" / "clinic.csv").read_bytes())
    driver.open_table(table)
    panel = driver.wiring.configure.view.requirement
    driver.wait(lambda: outcome_text(panel).startswith("Roles as suggested"), LONG)
    project = driver.session.project
    assert set(project.undecided) == set(project.table.names)  # nothing was set
    settings = first_settings(project).project
    problem = compile_problem(settings)
    profile = score_lattice(problem, profile=LatticeProfile(problem, settings.requirement))
    evaluation = evaluate(profile, settings.requirement, objective_of(settings, problem))
    best = evaluation.optimum("loss")
    assert best is not None
    expected = (
        f"Roles as suggested: {evaluation.n_satisfying} of {problem.lattice.n_nodes} nodes satisfy, "
        f"loss {evaluation.metric('loss')[best]:.3f}. With k = 10: "
    )
    assert outcome_text(panel).startswith(expected)


def test_the_button_follows_from_exploring_to_exporting(driver: Driver) -> None:
    driver.open_example("hospital")
    driver.session.selection.select(None)
    driver.click("tab.configure")
    assert _primary(driver) == ["exploreButton"]
    driver.select_columns("age")
    driver.click("editHierarchyButton")
    assert _primary(driver) == ["doneButton"]
    driver.click("doneButton")
    assert _primary(driver) == ["exploreButton"]
    driver.click("exploreButton")
    assert driver.window.page == "explore"
    assert _primary(driver) == []  # until a node is selected
    driver.session.selection.select(driver.session.results.optimum)
    driver.wait_settled()
    assert _primary(driver) == ["applyButton"]
    driver.click("applyButton")
    driver.wait(lambda: driver.session.applied.release is not None)
    driver.wait_settled()
    for page in PAGES:
        driver.click(f"tab.{page}")
        driver.wait_settled()
        assert set(_primary(driver)) - {"applyButton"} == {"exportButton"}
    project = driver.session.project
    driver.session.edit(
        "limit", replace(project, requirement=replace(project.requirement, suppression_limit=0.3))
    )
    driver.wait_settled()
    driver.click("tab.risk")
    assert _primary(driver) == ["applyAgainButton"]
