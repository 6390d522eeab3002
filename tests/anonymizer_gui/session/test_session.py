"""Session: edits and undo, selection, previews, and when a release is out of date."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from anonymizer_gui.session import Session
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Population, Project, Subset, edits
from engine.project.answers import Answers
from engine.project.compile import compile_problem
from engine.project.pins_and_runs import Choice, Pin, Run
from engine.project.questionnaire import set_answers
from engine.records import Role

CHANGES = ("table", "roles", "hierarchies", "requirement", "search", "transformation")


@pytest.fixture
def session(qapp: object, hospital: Project) -> Session:
    made = Session()
    made.open_project(hospital)
    return made


def heard(session: Session) -> list[str]:
    """Return a list to which all later change signals are appended."""
    names: list[str] = []
    for name in CHANGES:
        getattr(session.parts, f"{name}_changed").connect(lambda n=name: names.append(n))
    return names


def test_an_edit_announces_only_the_part_that_differs(session: Session, hospital: Project) -> None:
    names = heard(session)
    session.edit("Set the metric", edits.set_metric(hospital, "precision"))
    assert names == ["search"]


_EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("role"), st.sampled_from(["name", "age", "disease"]), st.sampled_from(list(Role))),
        st.tuples(st.just("k"), st.integers(2, 9), st.none()),
        st.tuples(st.just("limit"), st.sampled_from([0.0, 0.1, 0.5]), st.none()),
        st.tuples(st.just("metric"), st.sampled_from(["loss", "precision", "aecs"]), st.none()),
        st.tuples(st.just("hierarchy"), st.sampled_from(["age", "city"]), st.none()),
        st.tuples(st.just("person"), st.sampled_from(["name", None]), st.none()),
    ),
    max_size=8,
)  # fmt: skip


def edited(project: Project, edit: tuple[str, Any, Any]) -> Project:
    kind, what, value = edit
    if kind == "role":
        return edits.set_roles(project, [what], value)
    if kind == "k":
        return replace(project, requirement=Requirement((KAnonymity(what),), 0.1))
    if kind == "limit":
        return edits.set_suppression_limit(project, what)
    if kind == "metric":
        return edits.set_metric(project, what)
    if kind == "person":
        is_offered = what is None or project.role(what) is Role.IDENTIFYING
        return edits.set_person(project, what) if is_offered else project
    return edits.set_hierarchy(project, what, None)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(sequence=_EDITS)
def test_undo_after_any_sequence_of_edits_restores_the_same_project(
    qapp: object, hospital: Project, sequence: list[tuple[str, Any, Any]]
) -> None:
    session = Session()
    session.open_project(hospital)
    states = [hospital]
    for edit in sequence:
        session.edit(edit[0], edited(states[-1], edit))
        if session.project is not states[-1]:
            states.append(session.project)
    for before in reversed(states[:-1]):
        session.history.undo()
        assert session.project is before
    for after in states[1:]:
        session.history.redo()
        assert session.project is after


def test_saving_and_undo_update_the_unsaved_state(
    session: Session, hospital: Project, tmp_path: Path
) -> None:
    session.edit("Set the metric", edits.set_metric(hospital, "aecs"))
    assert session.saved.is_modified
    session.mark_saved(tmp_path / "a.anon")
    assert not session.saved.is_modified
    session.history.undo()
    assert session.saved.is_modified


def test_a_note_on_an_applied_release_is_unsaved_until_it_is_saved(
    session: Session, hospital: Project, tmp_path: Path
) -> None:
    run = Run(Choice(("age",), (0,), hospital.requirement), "2026-01-01T12:00")
    session.remembered.set_runs((run,))
    session.mark_saved(tmp_path / "a.anon")
    session.remembered.edit_runs("Note", (replace(run, note="for the board"),))
    assert session.saved.is_modified
    session.edit("Set the metric", edits.set_metric(hospital, "aecs"))
    session.history.undo()
    assert session.saved.is_modified
    session.mark_saved(tmp_path / "a.anon")
    assert not session.saved.is_modified
    session.remembered.edit_runs("Remove", ())
    assert session.saved.is_modified


def test_a_release_applied_without_an_edit_is_unsaved_until_it_is_saved(
    qtbot: QtBot, session: Session, hospital: Project, tmp_path: Path
) -> None:
    run = Run(Choice(("age",), (0,), hospital.requirement), "2026-01-01T12:00")
    session.mark_saved(tmp_path / "a.anon")
    with qtbot.waitSignal(session.saved.modified_changed) as told:
        session.applied.set(release_stub())
    assert told.args == [True]
    session.remembered.set_runs((run,))
    with qtbot.waitSignal(session.saved.modified_changed) as told:
        session.mark_saved(tmp_path / "a.anon")
    assert told.args == [False]
    assert not session.saved.is_modified
    session.remembered.set_runs((run, run))
    assert session.saved.is_modified


def test_the_recomputed_release_of_an_opened_file_is_not_unsaved(
    session: Session, hospital: Project, tmp_path: Path
) -> None:
    session.applied.set(release_stub())
    state = session.snapshot()[1]
    session.open_project(hospital, tmp_path / "a.anon", state)
    assert not session.saved.is_modified
    session.applied.set(release_stub())
    assert not session.saved.is_modified


def test_edits_of_the_run_history_are_undone_without_losing_later_runs(
    session: Session, hospital: Project
) -> None:
    first, second = (Run(Choice(("age",), (n,), hospital.requirement), "2026-01-01T12:00") for n in (0, 1))
    session.remembered.set_runs((first,))
    named = replace(first, name="for the board")
    session.remembered.edit_runs("Name", (named,))
    session.remembered.edit_runs("Remove", ())
    session.remembered.set_runs((second,))  # applied later
    session.history.undo()
    assert session.remembered.runs == (named, second)
    session.history.undo()
    assert session.remembered.runs == (first, second)
    session.history.redo()
    session.history.redo()
    assert session.remembered.runs == (second,)


def test_a_jump_through_the_history_is_announced_once(session: Session, hospital: Project) -> None:
    told: list[str] = []
    session.edit("Set the limit", edits.set_suppression_limit(hospital, 0.15))
    session.edit("Set the metric", edits.set_metric(session.project, "aecs"))  # type: ignore[arg-type]
    session.remembered.edit_pins("Pin", (Pin(Choice(("age",), (0,), hospital.requirement)),))
    session.edit("Set the limit again", edits.set_suppression_limit(session.project, 0.2))  # type: ignore[arg-type]
    last = session.project
    session.parts.requirement_changed.connect(lambda: told.append("requirement"))
    session.parts.search_changed.connect(lambda: told.append("search"))
    session.remembered.pins_changed.connect(lambda: told.append("pins"))
    session.go_to_step(0)
    assert session.project is hospital
    assert session.remembered.pins == ()
    assert told == ["requirement", "search", "pins"]
    session.go_to_step(4)
    assert session.project == last
    assert len(session.remembered.pins) == 1
    assert session.history.texts == ("Set the limit", "Set the metric", "Pin", "Set the limit again")


def test_back_and_forward_move_through_the_visited_nodes(session: Session, hospital: Project) -> None:
    session.results.set_problem(compile_problem(hospital))
    for node in ((0, 0, 0), (1, 0, 0), (1, 1, 0)):
        session.selection.select(node)
    session.selection.back()
    session.selection.back()
    assert session.selection.node == (0, 0, 0)
    assert not session.selection.can_go_back
    session.selection.forward()
    assert session.selection.node == (1, 0, 0)
    session.selection.select((2, 0, 0))
    assert not session.selection.can_go_forward


def test_a_node_missing_in_the_new_lattice_is_deselected(session: Session, hospital: Project) -> None:
    session.results.set_problem(compile_problem(hospital))
    session.selection.select((3, 0, 0))
    session.results.set_problem(compile_problem(edits.set_levels(hospital, "age", 0, 1)))
    assert session.selection.node is None


def test_closing_a_project_discards_its_results(session: Session, hospital: Project) -> None:
    session.results.set_problem(compile_problem(hospital))
    session.selection.select((1, 0, 0))
    session.edit("Set the metric", edits.set_metric(hospital, "aecs"))
    session.close_project()
    assert (session.project, session.results.problem, session.selection.node, session.applied.release) == (
        None,
    ) * 4
    assert not session.saved.is_modified
    assert not session.history.own.canUndo()


def release_stub() -> Any:
    return SimpleNamespace(node=(1, 0, 0))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda p: edits.set_roles(p, ["city"], Role.INSENSITIVE), "other roles"),
        (lambda p: edits.set_person(p, "name"), "counting every record as one person"),
        (lambda p: edits.set_levels(p, "age", 0, 1), "other hierarchies"),
        (lambda p: edits.set_suppression_limit(p, 0.25), "limit of 10\u202f%, current setting 25\u202f%"),
        (lambda p: edits.remove_model(p, 0), "other privacy models"),
        (lambda p: edits.set_population(p, Population(size=9000)), "another population or subset"),
        (lambda p: edits.set_subset(p, Subset(size=5)), "another population or subset"),
        (lambda p: set_answers(p, Answers(rules="none")), "other answers to the questionnaire"),
    ],
)  # fmt: skip
def test_the_text_names_the_differences(session: Session, hospital: Project, change: Any, says: str) -> None:
    session.applied.set(release_stub())
    session.edit("Change", change(hospital))
    assert says in session.applied.stale_text


def test_a_project_opened_after_a_modified_one_is_not_modified(qtbot: QtBot, hospital: Project) -> None:
    session = Session()
    session.open_project(hospital)
    session.history.own.resetClean()  # as for a recovered project
    assert session.saved.is_modified
    announced: list[bool] = []
    session.saved.modified_changed.connect(announced.append)
    session.open_project(replace(hospital, name="another"))
    assert not session.saved.is_modified
    assert announced[-1] is False
    session.edit("Rename", replace(hospital, name="third"))
    assert announced[-1] is True
