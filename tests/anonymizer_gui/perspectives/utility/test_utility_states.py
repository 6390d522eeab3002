"""Empty states and errors of Analyze utility."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QLabel

from anonymizer_gui.session.analyses import AnalysisDesk
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, edits
from engine.records import Role
from tests.anonymizer_gui.perspectives.conftest import texts
from tests.anonymizer_gui.perspectives.utility.conftest import LEFT, NODE, Bench


def test_without_a_release_one_button_opens_the_nodes(empty_bench: Bench, clinic: Project) -> None:
    empty_bench.session.open_project(clinic)
    view = empty_bench.utility.view
    assert not view.shows_results
    assert view.empty.sentence().startswith("Select a node in Explore results")
    button = empty_bench.find("utilityEmptyAction")
    assert button.text() == "Go to Explore results"
    with empty_bench.qtbot.waitSignal(empty_bench.utility.preview.perspective_requested) as asked:
        empty_bench.qtbot.mouseClick(button, LEFT)
    assert asked.args == ["explore"]


def test_with_a_release_the_results_are_shown_and_without_it_they_are_hidden(bench: Bench) -> None:
    assert bench.utility.view.shows_results
    bench.session.applied.set(None)
    assert not bench.utility.view.shows_results
    assert bench.utility.view.tables.input.side.rowCount() == 0


def test_another_release_is_shown_in_every_visible_pane(bench: Bench, clinic: Project) -> None:
    before = bench.find("loss_by_attribute.loss").texts()
    bench.apply(clinic, (3, 4, 1, 4, 2))
    found = bench.ask("loss_by_attribute")
    after = bench.find("loss_by_attribute.loss").texts()
    assert after != before
    assert {name: text for name, _, text in after} == {a.name: f"{a.loss:.3f}" for a in found.attributes}
    assert bench.utility.view.panes["distribution"].is_shown
    assert bench.utility.view.panes["contingency"].is_shown


def test_if_everything_is_suppressed_every_card_says_so(empty_bench: Bench, clinic: Project) -> None:
    strict = replace(clinic, requirement=Requirement((KAnonymity(2000),), 1.0))
    empty_bench.apply(strict, (0, 0, 0, 0, 0))
    tiles = empty_bench.utility.view.strip.tiles
    assert tiles["classes"].value.text() == "0"
    assert tiles["suppressed"].value.text() == "2\u202f000"
    for key in ("distribution", "contingency"):
        sentence = empty_bench.utility.view.panes[key].sentence()
        assert "suppressed" in sentence
    empty_bench.open_pane("columns", "class_sizes")
    assert "suppressed" in empty_bench.utility.view.panes["class_sizes"].sentence()
    card = empty_bench.utility.view.cards["columns"]
    assert not card.menu_button.isEnabled()
    assert "nothing to save" in card.menu_button.toolTip()


def test_one_class_is_shown_as_such(empty_bench: Bench, clinic: Project) -> None:
    heights = (3, 5, 1, 5, 2)
    problem_heights = tuple(h.hierarchy.height for h in _attributes(clinic))
    assert len(problem_heights) == len(heights)
    empty_bench.apply(clinic, problem_heights)
    assert empty_bench.subject.release.n_classes in (0, 1)
    tiles = empty_bench.utility.view.strip.tiles
    assert tiles["classes"].value.text() == str(empty_bench.subject.release.n_classes)


def _attributes(project: Project) -> tuple[object, ...]:
    from engine.project.compile import compile_problem

    return compile_problem(project).attributes


def test_a_constant_target_is_explained_in_place_of_its_accuracy(empty_bench: Bench, clinic: Project) -> None:
    one = clinic.table.column("diagnosis")
    constant = replace(one, codes=one.codes * 0)
    table = replace(
        clinic.table, columns=tuple(constant if c.name == "diagnosis" else c for c in clinic.table.columns)
    )
    project = edits.set_roles(replace(clinic, table=table), ("diagnosis",), Role.INSENSITIVE)
    requirement = Requirement((KAnonymity(5),), 0.05)
    project = replace(project, requirement=requirement, target=None)
    empty_bench.apply(project, NODE)
    empty_bench.open_pane("columns", "classification")
    empty_bench.choose("classificationTarget", "diagnosis")
    empty_bench.click("measureClassification")
    sentence = empty_bench.utility.view.panes["classification"].sentence()
    assert "diagnosis" in sentence
    assert empty_bench.utility.view.panes["classification"].tables == ()


def test_another_target_or_classifier_is_computed_on_request(bench: Bench) -> None:
    bench.open_pane("columns", "classification")
    bench.choose("classificationTarget", "sex")
    assert not bench.utility.view.panes["classification"].is_shown
    bench.choose("classifier", "Random forest")
    assert not bench.utility.view.panes["classification"].is_shown
    assert bench.desk.is_settled


def test_slow_analyses_show_their_progress_and_can_be_cancelled(bench: Bench) -> None:
    bench.open_pane("columns", "classification")
    bench.choose("classificationTarget", "diagnosis")
    bench.choose("classifier", "Random forest")
    pane = bench.utility.view.panes["classification"]
    bench.qtbot.mouseClick(bench.find("measureClassification"), LEFT)
    bench.qtbot.waitUntil(lambda: bench.desk.is_pending("classification", "utility"))
    with bench.qtbot.waitSignal(bench.desk.progressed, timeout=30_000):
        pass
    bench.click("analysisCancel")
    assert pane.sentence() == "Cancelled."
    assert bench.desk.is_settled


def test_changed_settings_are_reported_and_nothing_is_measured_again(bench: Bench) -> None:
    bench.open_pane("pairs", "settings")
    project = bench.session.project
    bench.session.edit("k", replace(project, requirement=Requirement((KAnonymity(9),), 0.05)))
    shown = dict(texts(bench.find("settings.release").model()))
    assert bench.find("settings.sentence").text().startswith("Release was made with")
    assert shown["Node"] == "sex: hidden, visit date: quarters and 3 more columns"
    assert bench.desk.is_settled
    assert bench.utility.view.panes["loss_by_attribute"].is_shown


def test_a_record_requested_elsewhere_is_scrolled_into_view(bench: Bench) -> None:
    bench.utility.show_record(1500)
    bench.settle()
    table = bench.find("releaseTable")
    assert table.marked == 1500
    assert table.is_in_sight(1500)


def test_nothing_is_computed_before_it_is_visible(empty_bench: Bench, clinic: Project) -> None:
    desk: AnalysisDesk = empty_bench.desk
    other = QLabel("another perspective")
    view = empty_bench.window.takeCentralWidget()
    empty_bench.window.setCentralWidget(other)
    view.hide()
    empty_bench.apply(clinic, NODE)
    assert desk.is_settled
    assert not empty_bench.utility.view.panes["distribution"].is_shown
    empty_bench.window.setCentralWidget(view)
    view.show()
    empty_bench.settle()
    assert empty_bench.utility.view.panes["distribution"].is_shown
