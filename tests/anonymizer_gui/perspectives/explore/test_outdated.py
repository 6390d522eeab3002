"""After columns or hierarchies changed, the lattice is marked as outdated."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from engine.project import edits
from engine.table import Role
from tests.anonymizer_gui.perspectives.explore.conftest import Bench


def test_a_changed_role_shows_a_notice_until_its_lattice_is_computed(bench: Bench, qtbot: QtBot) -> None:
    project, view = bench.session.project, bench.explore.view
    assert project is not None
    assert view.lattice.caption().startswith("all 160 nodes")
    bench.session.edit("Set the role of race", edits.set_roles(project, ["race"], Role.INSENSITIVE))
    assert view.lattice.caption().startswith("updating")
    assert not bench.explore.is_settled
    qtbot.waitUntil(lambda: bench.session.results.optimum is not None and bench.is_settled, timeout=20_000)
    assert view.lattice.caption().startswith("all 80 nodes")
    assert bench.explore.scores is not None
    assert len(bench.explore.scores.values) == 80
    bench.session.history.undo()
    assert view.lattice.caption().startswith("updating")
    qtbot.waitUntil(lambda: bench.session.results.optimum is not None and bench.is_settled, timeout=20_000)
    assert view.lattice.caption().startswith("all 160 nodes")


def test_a_name_of_the_project_outdates_nothing(bench: Bench, qtbot: QtBot) -> None:
    from dataclasses import replace

    project = bench.session.project
    assert project is not None
    bench.session.edit("Rename", replace(project, name="other"))
    assert bench.explore.is_settled
