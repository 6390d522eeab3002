"""Notes for unusual lattices and their actions: empty, one node, all or none satisfy."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
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
    project, inspector = bench.session.project, bench.explore.view.inspector
    bench.explore.view.show_view("prices")
    assert inspector.head.isVisible()
    change(qtbot, bench, replace(project, requirement=project.requirement.with_limit(0, 40_000)))
    evaluation = bench.session.results.evaluation
    assert evaluation.n_satisfying == 0
    (k_change, *_rest) = nearest_changes(evaluation.profile, evaluation.requirement)
    assert not inspector.head.isVisible()
    assert [part.isVisible() for part in inspector.result.sections] == [False, True]
    row = inspector.result.rows()[0]
    assert (row.choice.title, row.choice.gain) == ("k = 30\u202f162", f"{k_change.n_satisfying} node")
    qtbot.mouseClick(row, LEFT)
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
    assert bench.session.shown.requirement == k_change.requirement
    assert bench.session.results.evaluation.n_satisfying == k_change.n_satisfying
    assert [part.isVisible() for part in inspector.result.sections] == [True, True]
    bench.session.history.own.undo()
    qtbot.waitUntil(lambda: bench.is_settled, timeout=20_000)
    assert inspector.result.has_changes


def test_one_attribute_and_one_node_are_shown_completely(qtbot: QtBot, bench: Bench) -> None:
    project, view = bench.session.project, bench.explore.view
    change(qtbot, bench, only(project, "age"))
    assert view.lattice.caption.text().startswith("all 5 nodes")
    assert view.list.model.rowCount()
    change(qtbot, bench, edits.set_levels(only(project, "sex"), "sex", 0, 0))
    assert view.lattice.caption.text() == "1 node"
