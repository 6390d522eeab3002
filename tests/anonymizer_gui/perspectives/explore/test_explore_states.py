"""Notes for unusual lattices and their actions: empty, one node, all or none satisfy."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from engine.advice.nearest import nearest_changes
from engine.project import Project, edits
from engine.records import Role
from tests.anonymizer_gui.perspectives.explore.conftest import Bench

LEFT = Qt.MouseButton.LeftButton
QUASI = ("sex", "age", "race", "education", "salary-class")


def change(qtbot: QtBot, bench: Bench, project: Project) -> None:
    """Edit the project and wait for its scores."""
    bench.session.edit("another state", project)
    qtbot.waitUntil(lambda: bench.session.results.evaluation is not None, timeout=20_000)
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)


def only(project: Project, *names: str) -> Project:
    others = [name for name in QUASI if name not in names]
    return edits.set_roles(project, others, Role.INSENSITIVE)


def test_without_quasi_identifying_columns_the_page_says_what_is_missing(qtbot: QtBot, bench: Bench) -> None:
    project, view = bench.session.project, bench.explore.view
    bench.session.edit("none", only(project))
    qtbot.waitUntil(lambda: not view.shows_results, timeout=20_000)
    assert "quasi-identif" in view.empty.sentence()
    with qtbot.waitSignal(view.configure_requested):
        qtbot.mouseClick(view.empty.button, LEFT)


def test_if_nothing_satisfies_the_smallest_changes_are_offered_and_applied_by_a_click(
    qtbot: QtBot, bench: Bench
) -> None:
    project, note = bench.session.project, bench.explore.view.lattice.note
    assert not note.isVisible()
    change(qtbot, bench, replace(project, requirement=project.requirement.with_limit(0, 40_000)))
    evaluation = bench.session.results.evaluation
    assert evaluation.n_satisfying == 0
    (k_change, *_rest) = nearest_changes(evaluation.profile, evaluation.requirement)
    assert note.accessibleName() == "No node satisfies the requirement. Some would with"
    button = note.findChild(QPushButton, "noteAction0")
    assert button.text() == f"k = 30\u202f162 · {k_change.n_satisfying} node"
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
    assert bench.session.shown.requirement == k_change.requirement
    assert bench.session.results.evaluation.n_satisfying == k_change.n_satisfying
    assert not note.isVisible()
    bench.session.history.own.undo()
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
    assert note.isVisible()
    qtbot.mouseClick(note.findChild(QPushButton, "closeNote"), LEFT)
    assert not note.isVisible()


def test_if_everything_satisfies_the_loss_of_the_most_precise_node_is_shown(
    qtbot: QtBot, bench: Bench
) -> None:
    project, note = bench.session.project, bench.explore.view.lattice.note
    all_allowed = replace(project.requirement, suppression_limit=1.0)
    change(qtbot, bench, replace(project, requirement=all_allowed))
    evaluation = bench.session.results.evaluation
    assert evaluation.n_satisfying == 160
    assert note.accessibleName().startswith("Every node satisfies. The most precise one suppresses")
    nothing_asked = replace(project.requirement, models=())
    change(qtbot, bench, replace(project, requirement=nothing_asked))
    assert (
        "Every node satisfies the requirement, even the original values without suppression. "
        "The requirement does not constrain this table."
    ) in note.accessibleName()


def test_one_attribute_and_one_node_are_shown_completely(qtbot: QtBot, bench: Bench) -> None:
    project, view = bench.session.project, bench.explore.view
    change(qtbot, bench, only(project, "age"))
    assert view.lattice.caption.text().startswith("all 5 nodes")
    assert view.list.model.rowCount()
    change(qtbot, bench, edits.set_levels(only(project, "sex"), "sex", 0, 0))
    assert view.lattice.caption.text() == "1 node"
    assert view.lattice.note.accessibleName().startswith(
        "The lattice has one node because every column has a single level. Add levels in"
    )
    with qtbot.waitSignal(view.configure_requested):
        qtbot.mouseClick(view.lattice.note.findChild(QPushButton, "noteAction0"), LEFT)
