"""Nine tasks of a new user, by mouse and keys, each within a number of clicks and key presses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdf
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.parts import StepButton
from anonymizer_gui.perspectives.explore.inspector.section import Section
from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from anonymizer_gui.perspectives.explore.pinned.compare_presenter import CompareDialog
from anonymizer_gui.perspectives.report.dialog import ReportDialog
from engine.findings.model_check import check
from engine.lattice import Node
from engine.numbers import as_exact_count
from engine.project import edits
from engine.project.recipe.files import read_recipe
from engine.records import Role
from engine.scoring.evaluate import Evaluation
from tests.messy_workbook import N_RECORDS, write_messy
from tests.window_driver import LONG, Driver

CONTROL = Qt.KeyboardModifier.ControlModifier
ACTIONS = {
    "first release": 11,
    "why a node fails": 2,
    "which column to coarsen": 1,
    "compare two nodes": 3,
    "adopt a knob position": 5,
    "report for a lawyer": 5,
    "keep a level": 3,
    "messy workbook": 11,
    "next month": 15,
}
LEFT_OUT = ("marital-status", "native-country", "workclass")


class CountingBot:
    """Counts clicks and key presses; a typed text counts as one."""

    def __init__(self, qtbot: QtBot) -> None:
        self._qtbot = qtbot
        self.n_actions = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._qtbot, name)

    def mouseClick(self, *args: Any, **kwargs: Any) -> None:
        self.n_actions += 1
        self._qtbot.mouseClick(*args, **kwargs)

    def keyClick(self, *args: Any, **kwargs: Any) -> None:
        self.n_actions += 1
        self._qtbot.keyClick(*args, **kwargs)

    def keyClicks(self, *args: Any, **kwargs: Any) -> None:
        self.n_actions += 1
        self._qtbot.keyClicks(*args, **kwargs)


@pytest.fixture
def bot(qtbot: QtBot) -> CountingBot:
    return CountingBot(qtbot)


@pytest.fixture
def driver(bot: CountingBot, qapp: QApplication) -> Iterator[Driver]:
    driver = Driver(bot, qapp, (1440, 900))  # type: ignore[arg-type]
    try:
        yield driver
    finally:
        driver.close()


@pytest.fixture
def adult(driver: Driver, bot: CountingBot, examples: Path) -> Driver:
    """Return the window with six quasi-identifiers of Adult, scored: 480 nodes."""
    project = edits.set_roles(read_recipe(examples / "adult" / "recipe.toml"), LEFT_OUT, Role.INSENSITIVE)
    driver.session.open_project(project)
    driver.wiring.frame.show_perspective("explore")
    driver.wait_settled()
    bot.n_actions = 0
    return driver


def evaluated(driver: Driver) -> Evaluation:
    found = driver.session.results.evaluation
    assert found is not None
    return found


def suppressed(driver: Driver, node: Node) -> int:
    evaluation = evaluated(driver)
    return int(evaluation.suppressed[evaluation.lattice.number(node)])


def failing_below(driver: Driver, node: Node) -> Node:
    """Return the predecessor of a node that fails with the fewest suppressed records."""
    evaluation = evaluated(driver)
    failing = [
        below
        for below in evaluation.lattice.predecessors(node)
        if not evaluation.satisfies[evaluation.lattice.number(below)]
    ]
    return min(failing, key=lambda below: suppressed(driver, below))


def visible_texts(widget: QWidget) -> str:
    return " ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def export_verified(driver: Driver, path: Path) -> None:
    """Export by Ctrl+E, the path and Enter, and check that the file keeps the k of the project."""
    driver.key(Qt.Key.Key_E, CONTROL)
    dialog: Any = driver.dialog("exportDialog")
    driver.type_into("exportPath", str(path))
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.written, LONG)
    assert dialog.written == f"Written and verified: {path.name}"
    project = driver.session.project
    assert project is not None
    assert check(path, project.quasi_identifying, leave_out_suppressed=True).k >= project.requirement.k


def write_report(driver: Driver, path: Path) -> None:
    driver.key(Qt.Key.Key_E, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    dialog = driver.dialog("reportDialog")
    assert isinstance(dialog, ReportDialog)
    driver.type_into("reportPath", str(path))
    driver.key(Qt.Key.Key_Return)
    driver.wait(lambda: dialog.written or dialog.banner.isVisible(), LONG)
    assert dialog.written == f"Written: {path}"


def test_a_first_release(driver: Driver, bot: CountingBot, examples: Path, tmp_path: Path) -> None:
    table = tmp_path / "clinic.csv"
    table.write_bytes((examples / "clinic" / "clinic.csv").read_bytes())
    driver.open_table(table)
    driver.click("firstReleaseButton")
    driver.wait(lambda: driver.session.applied.release is not None, LONG)
    driver.wait_settled()
    export_verified(driver, tmp_path / "released.csv")
    # the file to open, "Open", the button, Ctrl+E, the new file, Enter
    assert bot.n_actions <= ACTIONS["first release"]


def test_why_a_node_is_not_allowed(adult: Driver, bot: CountingBot) -> None:
    optimum = adult.session.results.optimum
    assert optimum is not None
    node = failing_below(adult, optimum)
    adult.click_node(node)
    adult.wait_settled()
    inspector = adult.find("inspector")
    adult.click(adult.find("section.why", Section).toggle)
    adult.wait(adult.find("whySentence").isVisible)
    said = visible_texts(inspector)
    assert as_exact_count(suppressed(adult, node)) in said
    assert bot.n_actions <= ACTIONS["why a node fails"]


def test_which_column_to_coarsen_for_two_hundred_records_fewer(adult: Driver, bot: CountingBot) -> None:
    optimum = adult.session.results.optimum
    assert optimum is not None
    node = failing_below(adult, optimum)
    adult.click_node(node)
    adult.wait_settled()
    bot.n_actions = 0  # the node is selected already
    before = suppressed(adult, node)
    steps = [
        step
        for step in adult.find("inspector").findChildren(StepButton)
        if step.row is not None and step.isVisible()
    ]
    enough = [
        step
        for step in steps
        if step.row is not None and step.row.is_up and before - suppressed(adult, step.row.node) >= 200
    ]
    assert enough
    cheapest = min(enough, key=lambda step: step.row.difference)  # type: ignore[union-attr]
    wanted = cheapest.row.node
    assert cheapest.row.suppressed  # its number, drawn in the line
    adult.click(cheapest)
    adult.wait(lambda: adult.session.selection.node == wanted)
    assert before - suppressed(adult, wanted) >= 200
    assert bot.n_actions <= ACTIONS["which column to coarsen"]


def test_two_nodes_are_compared(adult: Driver, bot: CountingBot) -> None:
    optimum = adult.session.results.optimum
    assert optimum is not None
    other = failing_below(adult, optimum)
    adult.click_node(optimum)
    lattice, number = adult.find("lattice", LatticeView), evaluated(adult).lattice.number(other)
    place = lattice.node_rect(number).center()
    bot.mouseClick(lattice, Qt.MouseButton.RightButton, pos=place)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, lattice.mapToGlobal(place))
    QApplication.sendEvent(lattice, event)  # as the window system does after the click
    menu = adult.find("nodeMenu", QMenu)
    (entry,) = (a for a in menu.actions() if a.text() == "Compare with the selected node")
    adult.click(menu, menu.actionGeometry(entry).center())
    adult.wait(lambda: any(d.isVisible() for d in adult.window.findChildren(CompareDialog)), LONG)
    dialog = next(d for d in adult.window.findChildren(CompareDialog) if d.isVisible())
    rows = {row[0]: row[1:3] for row in dialog.figures.texts.texts()}
    for text, node in zip(rows["Suppressed records"], (optimum, other), strict=True):
        assert text.startswith(as_exact_count(suppressed(adult, node)))
    assert bot.n_actions <= ACTIONS["compare two nodes"]


def test_a_knob_position_is_adopted(adult: Driver, bot: CountingBot) -> None:
    adult.type_into("knob.k", "10")
    adult.key(Qt.Key.Key_Return)
    adult.wait(lambda: adult.session.project.requirement.k == 10)  # type: ignore[union-attr]
    adult.wait_settled()
    adult.apply_by_keys()
    release = adult.session.applied.release
    assert release.node == adult.session.results.optimum
    assert bot.n_actions <= ACTIONS["adopt a knob position"]


def test_a_report_is_handed_to_a_lawyer(driver: Driver, bot: CountingBot, tmp_path: Path) -> None:
    driver.open_example("hospital")
    driver.apply_by_keys()
    driver.wait_settled()
    bot.n_actions = 0  # a node is applied already
    write_report(driver, tmp_path / "report.pdf")
    text = " ".join(page.extract_text() for page in pypdf.PdfReader(tmp_path / "report.pdf").pages)
    assert "k-anonymity" in text
    assert bot.n_actions <= ACTIONS["report for a lawyer"]


def test_occupation_is_kept_in_three_kinds_and_what_gives_way_is_said(
    driver: Driver, bot: CountingBot, examples: Path
) -> None:
    driver.drop(examples / "adult" / "recipe.toml")
    driver.wait(lambda: driver.session.results.optimum is not None, LONG)
    driver.wait_settled()
    driver.wiring.explore.view.show_view("prices")  # as of every new project
    optimum = driver.session.results.optimum
    assert optimum is not None
    bot.n_actions = 0
    driver.click("tab.explore")
    driver.wait_settled()
    view = driver.wiring.explore.view.prices.view
    names = driver.session.results.problem.names  # type: ignore[union-attr]
    occupation = names.index("occupation")
    driver.click(view, view.rect_of(occupation, 1).center().toPoint())
    driver.wait_settled()
    node, said = driver.session.selection.node, driver.wiring.explore.view.head.sentence.text()
    assert node is not None
    assert node[occupation] == 1
    coarser = [name for name, own, best in zip(names, node, optimum, strict=True) if own > best]
    assert coarser
    assert all(name.casefold() in said.casefold() for name in coarser)
    driver.apply()
    assert driver.session.applied.node == node
    assert bot.n_actions <= ACTIONS["keep a level"]


def test_a_messy_workbook_becomes_a_verified_release(
    driver: Driver, bot: CountingBot, tmp_path: Path
) -> None:
    assert driver.drop(write_messy(tmp_path / "patients.xlsx"))
    dialog: Any = driver.dialog("openDialog")
    for offer in ("Skip 2 rows", "Leave out row 45", "Read both", "Fill with zeros to 5"):
        driver.wait(lambda offer=offer: any(b.text() == offer for b in shown_buttons(dialog)), LONG)  # type: ignore[misc]
        driver.click(next(button for button in shown_buttons(dialog) if button.text() == offer))
        driver.wait(lambda: dialog.reading is not None and not driver.wiring.runner.is_busy, LONG)
    driver.click(driver.button(dialog, "openDialogButton"))
    driver.wait(lambda: driver.session.project is not None, LONG)
    driver.click("firstReleaseButton")
    driver.wait(lambda: driver.session.applied.release is not None, LONG)
    driver.wait_settled()
    export_verified(driver, tmp_path / "released.csv")
    project = driver.session.project
    assert project is not None
    assert project.table.n_records == N_RECORDS
    assert project.roles["Hauptdiagnose"] is Role.SENSITIVE
    # four offers, "Open", the button, Ctrl+E, the new file (three), Enter
    assert bot.n_actions <= ACTIONS["messy workbook"]


def shown_buttons(dialog: QWidget) -> list[QPushButton]:
    return [button for button in dialog.findChildren(QPushButton) if button.isVisible()]


def test_the_file_of_next_month_is_released_with_the_recipe_of_this_one(
    driver: Driver, bot: CountingBot, examples: Path, tmp_path: Path
) -> None:
    june = (examples / "clinic" / "clinic.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    table = tmp_path / "july.csv"
    table.write_text("".join([june[0], *june[100:]]), encoding="utf-8")
    driver.apply_recipe(examples / "clinic" / "recipe.toml", table)
    changes = driver.dialog("changesDialog")
    driver.click(driver.button(changes, "takeOverButton"))
    driver.wait(lambda: driver.session.project is not None, LONG)
    driver.wait_settled()
    driver.apply_by_keys()
    driver.wait_settled()
    export_verified(driver, tmp_path / "released.csv")
    project = driver.session.project
    assert project is not None
    assert project.source == table
    assert project.requirement == read_recipe(examples / "clinic" / "recipe.toml").requirement
    # menu, entry, two files with Enter, "Take over", Ctrl+Enter, Ctrl+E, the new file, Enter
    assert bot.n_actions <= ACTIONS["next month"]
