"""Releases that change with the project: one undo step, and what is said of a release that differs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from anonymizer_gui.session import Session
from anonymizer_gui.session.release_words import recoding_title, why_not_improved
from anonymizer_gui.session.staleness import stale_text
from engine.params import Integer, param
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.project.recipe import read_recipe
from engine.recoding import RecodingMethod, Release, make_release


@dataclass(frozen=True, slots=True)
class Cover(RecodingMethod):
    """Only its name and its parameter matter here."""

    title: ClassVar[str] = "Cover"
    summary: ClassVar[str] = ""
    rounds: int = param(1, Integer(minimum=1, label="Rounds"))


@dataclass(frozen=True, slots=True)
class Cut(RecodingMethod):
    """Another one."""

    title: ClassVar[str] = "Cut"
    summary: ClassVar[str] = ""


@pytest.fixture(scope="module")
def hospital(examples: Path) -> Project:
    return read_recipe(examples / "hospital" / "recipe.toml")


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Cover, Cut):
        monkeypatch.setattr(kind, "key", kind.__name__.lower())


def released(project: Project, node: tuple[int, ...]) -> Release:
    return make_release(project, compile_problem(project), node)


def test_a_release_that_differs_in_its_recoding_is_stale(hospital: Project) -> None:
    by = {
        None: hospital,
        "cover": edits.set_recoding(hospital, Cover()),
        "more": edits.set_recoding(hospital, Cover(2)),
        "cut": edits.set_recoding(hospital, Cut()),
    }
    made_with = "Release was made with"
    assert stale_text(by["cover"], by["cover"]) == ""
    assert stale_text(by["cover"], by[None]) == f"{made_with} Cover, settings say none"
    assert stale_text(by["cover"], by["cut"]) == f"{made_with} Cover, settings say Cut"
    assert stale_text(by[None], by["cut"]) == "Release was made without local recoding, settings say Cut"
    assert stale_text(by["cover"], by["more"]) == f"{made_with} other settings of Cover"


def test_metric_and_weights_concern_a_recoding_but_no_node(hospital: Project) -> None:
    recoded = edits.set_recoding(hospital, Cover())
    for edited, text in (
        (lambda p: edits.set_metric(p, "precision"), "Release was made for another metric"),
        (lambda p: edits.set_weights(p, {"age": 2.0}), "Release was made with other weights"),
        (lambda p: edits.set_algorithm(p, "best_first"), ""),
    ):
        assert stale_text(recoded, edited(recoded)) == text
        assert stale_text(hospital, edited(hospital)) == ""


def test_project_and_release_change_in_one_step_and_back(qapp: object, hospital: Project) -> None:
    session = Session()
    session.open_project(hospital)
    first = released(hospital, (2, 0, 2))
    session.set_release(first)
    told: list[object] = []
    stale: list[str] = []
    session.release_changed.connect(told.append)
    session.stale_changed.connect(stale.append)
    after = edits.set_recoding(hospital, Cover())
    second = released(hospital, (3, 0, 2))
    session.edit_release("Use Cover", after, second)
    assert (session.project, session.release, session.release_project) == (after, second, after)
    session.undo()
    assert (session.project, session.release, session.release_project) == (hospital, first, hospital)
    session.redo()
    assert (session.project, session.release) == (after, second)
    assert told == [second, first, second]
    assert stale == []


def test_the_way_back_leads_to_what_was_applied_last(qapp: object, hospital: Project) -> None:
    session = Session()
    session.open_project(hospital)
    session.set_release(released(hospital, (2, 0, 2)))
    after = edits.set_recoding(hospital, Cover())
    session.edit_release("Use Cover", after, released(hospital, (3, 0, 2)))
    session.undo()
    other = released(hospital, (4, 1, 2))
    session.set_release(other)  # applying a node is no step of its own
    session.redo()
    session.undo()
    assert session.release is other


def test_a_recoding_alone_is_an_edit(qapp: object, hospital: Project) -> None:
    session = Session()
    session.open_project(hospital)
    heard: list[bool] = []
    session.recoding_changed.connect(lambda: heard.append(True))
    session.edit("Choose Cover", edits.set_recoding(hospital, Cover()))
    session.undo()
    assert heard == [True, True]


def test_without_a_release_there_is_nothing_to_improve(qapp: object, hospital: Project) -> None:
    session = Session()
    assert "apply a node first" in why_not_improved(session)
    session.open_project(hospital)
    session.set_problem(compile_problem(hospital))
    session.set_release(released(hospital, (2, 0, 2)))
    assert why_not_improved(session) == ""
    session.edit("Set k", edits.set_suppression_limit(hospital, 0.0))
    assert "apply a node again" in why_not_improved(session)


def test_a_node_has_no_method(hospital: Project) -> None:
    assert recoding_title(None) == recoding_title(released(hospital, (2, 0, 2))) == ""
