"""Explore from a question to an answer, by mouse and keys and by keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QTableView, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.section import Section
from anonymizer_gui.perspectives.explore.pinned.compare_presenter import CompareDialog
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.lattice import Node
from engine.numbers import as_exact_count, as_vector
from engine.privacy import Requirement
from engine.project import edits
from engine.project.recipe.files import read_recipe
from engine.records import Role
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import Evaluation, evaluate
from tests.window_driver import LONG, Driver, driven_window

LEFT_OUT = ("marital-status", "native-country", "workclass")
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def driver(qtbot: QtBot, qapp: QApplication, examples: Path) -> Iterator[Driver]:
    """Return the window with six quasi-identifiers of Adult, scored: 2 * 5 * 2 * 4 * 3 * 2 = 480 nodes."""
    project = edits.set_roles(read_recipe(examples / "adult" / "recipe.toml"), LEFT_OUT, Role.INSENSITIVE)
    with driven_window(qtbot, qapp, (1440, 900)) as made:
        made.session.open_project(project)
        made.wiring.frame.show_perspective("explore")
        made.wait_settled()
        yield made


class Truth:
    """Values of the engine, scored independently of the window."""

    def __init__(self, driver: Driver) -> None:
        project, problem = driver.session.project, driver.session.results.problem
        self.requirement = project.requirement
        self.lattice = problem.lattice
        self._profile = score_lattice(problem, profile=LatticeProfile(problem, project.requirement))

    def with_k(self, k: int, limit: float | None = None) -> Requirement:
        models = tuple(m.with_limit(k) if m.key == "k_anonymity" else m for m in self.requirement.models)
        limit = self.requirement.suppression_limit if limit is None else limit
        return replace(self.requirement, models=models, suppression_limit=limit)

    def under(self, requirement: Requirement) -> Evaluation:
        return evaluate(self._profile, requirement)

    def optimum(self, requirement: Requirement) -> Node:
        number = self.under(requirement).optimum("loss")
        assert number is not None
        return self.lattice.node(number)

    def suppressed(self, node: Node, requirement: Requirement) -> int:
        return int(self.under(requirement).suppressed[self.lattice.number(node)])


def turn(driver: Driver, k: int) -> None:
    driver.type_into("knob.k", str(k))
    driver.key(Qt.Key.Key_Return)
    driver.wait(
        lambda: driver.session.shown.requirement is not None and driver.session.shown.requirement.k == k
    )
    driver.wait_settled()


def click_first_row(driver: Driver) -> None:
    table = driver.find("nodeList", QTableView)
    driver.click(table.viewport(), table.visualRect(table.model().index(0, 0)).center())


def show_page(driver: Driver, key: str) -> None:
    """Change to a page of the views below the lattice, by the switch of the page shown."""
    page = driver.wiring.explore.view.pages.page
    switch = driver.find(f"{page}Switch", SegmentedControl)
    driver.click(switch.segment(key))


def shown_text(driver: Driver, name: str) -> str:
    widget = driver.find(name)
    assert isinstance(widget, QLabel) or hasattr(widget, "text")
    return str(widget.text())  # type: ignore[attr-defined]


def test_the_cheapest_node_is_found_explained_compared_and_another_adopted(driver: Driver) -> None:
    truth = Truth(driver)
    strict, usual = truth.with_k(10), truth.with_k(5)
    # the cheapest node with k >= 10, l >= 3, t <= 0.2 at 5 %
    turn(driver, 10)
    click_first_row(driver)
    cheapest = driver.session.selection.node
    assert cheapest == truth.optimum(strict)
    assert shown_text(driver, "inspectorName") == "The optimum"
    # why the node below fails
    lattice = driver.find("lattice")
    lattice.setFocus()
    driver.key(Qt.Key.Key_Down)
    below = driver.session.selection.node
    assert below is not None
    assert below in truth.lattice.predecessors(cheapest)
    assert not truth.under(strict).satisfies[truth.lattice.number(below)]
    driver.wait_settled()
    driver.click(driver.find("section.why", Section).toggle)
    said = shown_text(driver, "whySentence")
    assert as_exact_count(truth.suppressed(below, strict)) in said
    driver.key(Qt.Key.Key_Left, ALT)
    driver.wait(lambda: driver.session.selection.node == cheapest)
    # next to the optimum at k = 5
    driver.click("pinNode")
    turn(driver, 5)
    show_page(driver, "list")
    click_first_row(driver)
    other = driver.session.selection.node
    assert other == truth.optimum(usual)
    show_page(driver, "remembered")
    table = driver.find("rememberedTable", QTableView)
    driver.click(table.viewport(), table.visualRect(table.model().index(0, 1)).center())
    driver.click("comparePinned")
    driver.wait(lambda: any(d.isVisible() for d in driver.window.findChildren(CompareDialog)), LONG)
    dialog = next(d for d in driver.window.findChildren(CompareDialog) if d.isVisible())
    rows = {row[0]: row[1:3] for row in dialog.figures.texts.texts()}
    assert rows["Required k-anonymity"] == ["k = 10", "k = 5"]
    counts = [truth.suppressed(cheapest, strict), truth.suppressed(other, usual)]
    for text, count in zip(rows["Suppressed records"], counts, strict=True):
        assert text.startswith(as_exact_count(count))
    driver.click(driver.button(dialog, "closeCompare"))


def press_tab_until(driver: Driver, name: str) -> QWidget:
    """Walk with Tab until the focus is in the widget of that name."""
    for _ in range(150):
        holder = QApplication.focusWidget()
        widget = holder
        while widget is not None and widget.objectName() != name:
            widget = widget.parentWidget()
        if widget is not None:
            assert holder is not None
            return holder
        driver.key(Qt.Key.Key_Tab)
    raise AssertionError(f"Tab does not lead to {name}")


def test_a_threshold_and_a_comparison_are_reached_by_keys_alone(driver: Driver) -> None:
    truth = Truth(driver)
    driver.wake()
    field = press_tab_until(driver, "knob.k")
    # from the slider to the exact entry: the knob's own number
    driver.qtbot.keyClick(field, Qt.Key.Key_PageUp)
    driver.wait_settled()
    requirement = driver.session.shown.requirement
    assert requirement is not None
    assert requirement != truth.requirement
    press_tab_until(driver, "nodeList")
    driver.key(Qt.Key.Key_Home, CONTROL)
    driver.key(Qt.Key.Key_Down)
    driver.key(Qt.Key.Key_Up)
    assert driver.session.selection.node == truth.optimum(requirement)
    driver.key(Qt.Key.Key_D, CONTROL)
    driver.wait(
        lambda: [pin.node for pin in driver.session.remembered.pins] == [driver.session.selection.node]
    )
    # the page of pins is in front now: its first line, next to the optimum's cheapest neighbour
    lattice = press_tab_until(driver, "lattice")
    assert lattice.accessibleName()
    driver.key(Qt.Key.Key_Up)
    assert driver.session.selection.node in truth.lattice.successors(truth.optimum(requirement))
    assert as_vector(driver.session.selection.node) in lattice.accessibleDescription()
    press_tab_until(driver, "rememberedTable")
    driver.key(Qt.Key.Key_Up)
    press_tab_until(driver, "comparePinned")
    driver.key(Qt.Key.Key_Space)
    driver.wait(lambda: any(d.isVisible() for d in driver.window.findChildren(CompareDialog)), LONG)
    dialog = next(d for d in driver.window.findChildren(CompareDialog) if d.isVisible())
    driver.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    press_tab_until(driver, "lattice")
    with driver.qtbot.waitSignal(driver.session.applied.changed, timeout=LONG):
        driver.key(Qt.Key.Key_Return)
    release = driver.session.applied.release
    assert release.node == driver.session.selection.node
    driver.wait(lambda: len(driver.session.remembered.runs) == 1)


def test_a_new_project_begins_with_prices_and_each_is_left_in_its_view(
    qtbot: QtBot, qapp: QApplication
) -> None:
    driver = Driver(qtbot, qapp, first_view="prices")
    try:
        driver.open_example("hospital")
        driver.window.show_page("explore")
        assert driver.find("priceTable").isVisible()
        driver.key(Qt.Key.Key_4, Qt.KeyboardModifier.AltModifier)
        driver.wait(lambda: driver.wiring.explore.view.shown_view == "list")
        assert driver.wiring.explore.view.pages.isVisible()
        assert not driver.wiring.explore.view.prices.isVisible()
        for example, view in (("clinic", "prices"), ("hospital", "list")):
            driver.trigger("File", "Close project")
            driver.wait(lambda: driver.session.project is None)
            driver.open_example(example)
            assert driver.wiring.explore.view.shown_view == view
    finally:
        driver.close()
