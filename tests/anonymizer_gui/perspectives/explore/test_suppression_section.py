"""Section about suppression: its causes, and changes that reduce it, by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.inspector.section import Section
from anonymizer_gui.perspectives.explore.inspector.suppression_part import (
    FIRST_REMEDIES,
    RemedyLine,
)
from engine.advice.remedies import Remedy, RemedyKind, find_remedies
from engine.lattice import Node
from engine.numbers import as_exact_count
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import edits
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.nodes.suppression_causes import suppression_causes
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

LEFT = Qt.MouseButton.LeftButton


class Driver:
    """The section with helpers to read and use it."""

    def __init__(self, bench: Bench, qtbot: QtBot) -> None:
        self.bench, self.qtbot, self.session = bench, qtbot, bench.session
        section = bench.explore.view.findChild(Section, "section.stars")
        self.section, self.part = section, section.content

    def rest(self) -> None:
        self.qtbot.waitUntil(lambda: self.bench.is_settled, timeout=20_000)

    def unfold(self) -> None:
        self.qtbot.mouseClick(self.section.toggle, LEFT)
        self.rest()

    def select(self, node: Node) -> None:
        self.session.selection.select(node)
        self.rest()

    def predicted(self) -> tuple[Remedy, ...]:
        """Return what the engine computes for the selected node."""
        session = self.session
        assert session.results.evaluation is not None
        assert session.selection.node is not None
        return find_remedies(session.project, session.results.evaluation, session.selection.node)

    def show_all(self) -> list[RemedyLine]:
        if self.part.remedies.more.text().startswith("Show all"):
            self.qtbot.mouseClick(self.part.remedies.more, LEFT)
        return self.part.remedies.grid.widgets(hidden=False)

    def apply(self, does: Callable[[Remedy], bool]) -> Remedy:
        """Click the button of the first matching remedy."""
        found = self.predicted()
        place = next(i for i, remedy in enumerate(found) if does(remedy))
        self.qtbot.mouseClick(self.show_all()[place].button, LEFT)
        self.rest()
        return found[place]

    def assert_came_true(self, remedy: Remedy) -> None:
        session = self.session
        assert session.selection.node == remedy.effect.node
        number = session.results.evaluation.lattice.number(remedy.effect.node)
        assert session.results.evaluation.suppressed[number] == remedy.effect.suppressed
        assert session.results.evaluation.satisfies[number] == remedy.effect.satisfies
        assert session.results.evaluation.metric("loss")[number] == pytest.approx(remedy.effect.value)
        assert as_exact_count(remedy.effect.suppressed) in self.part.sentence.text()


@pytest.fixture
def driver(bench: Bench, qtbot: QtBot) -> Driver:
    return Driver(bench, qtbot)


def test_causes_are_shown_once_unfolded_and_for_every_node_selected_then(driver: Driver) -> None:
    assert not driver.section.is_shown
    assert driver.part.causes.texts() == []
    driver.unfold()
    session = driver.session
    assert session.results.profile is not None
    assert session.shown.requirement is not None
    assert session.selection.node is not None
    causes = suppression_causes(session.results.profile, session.selection.node, session.shown.requirement)
    report = inspect_node(session.results.profile, session.selection.node, session.shown.requirement)
    assert causes.suppressed == report.suppressed > 0
    assert driver.part.sentence.text().startswith(as_exact_count(report.suppressed))
    assert driver.part.causes.texts() == [
        (
            cause.name,
            "",
            "–" if cause.kept_by_step is None else as_exact_count(cause.kept_by_step),
            as_exact_count(cause.kept_if_hidden),
        )
        for cause in causes.by_attribute
    ]
    listed = driver.part.values.texts()
    assert [(name, n) for name, n, _ in listed] == [
        (f"{value.name}: {value.label}", as_exact_count(value.suppressed))
        for value in causes.rare_values[: len(listed)]
    ]
    before = driver.part.sentence.text()
    driver.select((0, 0, 0, 0, 0))
    assert driver.part.sentence.text() != before
    assert "too many" in driver.part.sentence.text()


def test_remedies_show_the_effect_of_the_engine_and_selecting_a_node_is_no_edit(
    driver: Driver,
) -> None:
    driver.unfold()
    found = driver.predicted()
    assert len(driver.part.remedies.grid.widgets(hidden=False)) == FIRST_REMEDIES < len(found)
    lines = driver.show_all()
    assert len(lines) == len(found)
    for line, remedy in zip(lines, found, strict=True):
        assert as_exact_count(abs(remedy.saved)) in line.effect.text() or not remedy.saved
        assert ("weaker protection" in line.note.text()) == remedy.is_weaker
        assert line.title.text() in line.button.accessibleName()
    chosen = driver.apply(lambda remedy: remedy.kind is RemedyKind.LEVEL)
    assert not driver.session.history.own.canUndo()
    driver.assert_came_true(chosen)
    driver.qtbot.mouseClick(driver.part.remedies.more, LEFT)
    assert len(driver.part.remedies.grid.widgets(hidden=False)) == FIRST_REMEDIES


def test_every_change_is_one_undo_step_with_the_announced_effect(driver: Driver) -> None:
    driver.unfold()
    before, optimum = driver.session.project, driver.session.selection.node
    assert optimum is not None
    for kind in (RemedyKind.THRESHOLD, RemedyKind.LIMIT, RemedyKind.BOUND, RemedyKind.MERGE):
        remedy = driver.apply(lambda found, kind=kind: found.kind is kind)  # type: ignore[misc]
        assert driver.session.history.own.index() == 1
        driver.assert_came_true(remedy)
        driver.session.history.undo()
        driver.select(optimum)
        assert driver.session.project is before


def test_a_forbidden_level_is_allowed_and_its_node_selected(driver: Driver) -> None:
    project = driver.session.project
    place = project.quasi_identifying.index("education")
    driver.session.edit("bound", edits.set_levels(project, "education", 0, 1))
    driver.rest()
    driver.session.selection.select(tuple(int(q == place) for q in range(5)))
    driver.unfold()
    remedy = driver.apply(lambda found: found.kind is RemedyKind.BOUND and found.is_upper)
    assert remedy.effect.node[place] == 2
    driver.assert_came_true(remedy)


def test_the_section_waits_until_a_knob_is_released(driver: Driver) -> None:
    driver.unfold()
    session, before = driver.session, driver.part.sentence.text()
    stricter = session.project.requirement.with_limit(0, 25)
    session.shown.preview(stricter)
    driver.rest()
    assert (driver.part.sentence.text(), driver.section.caption.text()) == (before, "updating")
    session.shown.cancel()
    driver.rest()
    assert (driver.part.sentence.text(), driver.section.caption.text()) == (before, "")
    session.edit("k", replace(session.project, requirement=stricter))
    driver.rest()
    assert driver.part.sentence.text() != before
    session.edit("limit", edits.set_suppression_limit(session.project, 0.07))
    changed = session.project
    driver.qtbot.mouseClick(driver.part.remedies.grid.widgets(hidden=False)[0].button, LEFT)
    assert session.project is changed  # the button was about other settings
    session.edit("one", replace(changed, requirement=Requirement((KAnonymity(1),), 0.05)))
    driver.rest()
    assert "No record is suppressed" in driver.part.sentence.text()
    assert not driver.part.causes.isVisible()
    assert not driver.part.remedies.isVisible()


def test_everything_is_reached_and_used_by_keys(driver: Driver) -> None:
    section, part = driver.section, driver.part
    driver.bench.explore.view.activateWindow()
    section.toggle.setFocus()
    driver.qtbot.keyClick(section.toggle, Qt.Key.Key_Space)
    driver.rest()
    wanted = {part.values.more, *(line.button for line in part.remedies.grid.widgets(hidden=False))}
    seen: list[QPushButton] = []
    for _ in range(len(wanted)):
        driver.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert isinstance(focused, QPushButton)
        seen.append(focused)
    assert set(seen) == wanted
    driver.qtbot.keyClick(seen[-1], Qt.Key.Key_Space)
    driver.rest()
    assert driver.session.history.own.canUndo() or driver.session.selection.can_go_back
