"""After columns or hierarchies changed, the lattice is marked as outdated."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from engine.project import edits
from engine.records import Role
from tests.anonymizer_gui.perspectives.explore.conftest import Bench


def test_a_changed_role_shows_a_notice_until_its_lattice_is_computed(bench: Bench, qtbot: QtBot) -> None:
    project, view = bench.session.project, bench.explore.view
    assert view.lattice.caption.text().startswith("all 160 nodes")
    bench.session.edit("Set the role of race", edits.set_roles(project, ["race"], Role.INSENSITIVE))
    assert view.lattice.caption.text().startswith("updating")
    assert not bench.explore.is_settled
    qtbot.waitUntil(lambda: bench.session.results.optimum is not None and bench.is_settled, timeout=20_000)
    assert view.lattice.caption.text().startswith("all 80 nodes")
    assert len(bench.explore.state.scores.values) == 80
    bench.session.history.undo()
    assert view.lattice.caption.text().startswith("updating")
    qtbot.waitUntil(lambda: bench.session.results.optimum is not None and bench.is_settled, timeout=20_000)
    assert view.lattice.caption.text().startswith("all 160 nodes")


def test_a_name_of_the_project_outdates_nothing(bench: Bench, qtbot: QtBot) -> None:
    project = bench.session.project
    bench.session.edit("Rename", replace(project, name="other"))
    assert bench.explore.is_settled


def test_nodes_of_other_columns_are_named_by_their_own_levels_at_once(bench: Bench, qtbot: QtBot) -> None:
    project, state, names = bench.session.project, bench.explore.state, []
    state.forgotten.connect(
        lambda: state.problem and names.append(state.named(state.problem.lattice.maximum).name)
    )
    without_first = edits.set_roles(project, [state.problem.names[0]], Role.INSENSITIVE)
    bench.session.edit("Set the role of the first column", without_first)
    qtbot.waitUntil(lambda: names == ["Everything hidden"], timeout=20_000)
