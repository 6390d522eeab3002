"""Empty states of Analyze risk."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt

from engine.numbers import as_exact_count, as_risk
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project, edits
from engine.project.compile import compile_problem
from engine.recoding import make_release
from engine.records import Role
from tests.anonymizer_gui.perspectives.risk.conftest import NODE, Bench

TOP = (3, 5, 1, 5, 2)  # of the clinic: every cell hidden, one class


def test_without_a_release_one_button_opens_explore(empty_bench: Bench, clinic: Project) -> None:
    empty_bench.session.open_project(clinic)
    view = empty_bench.risk.view
    assert not view.shows_results
    assert "Select a node" in view.empty.sentence()
    with empty_bench.qtbot.waitSignal(empty_bench.risk.preview.perspective_requested) as asked:
        empty_bench.click("riskAction")
    assert asked.args == ["explore"]


def test_a_release_of_one_class_is_analyzed_like_any_other(empty_bench: Bench, clinic: Project) -> None:
    empty_bench.apply(clinic, TOP)
    view = empty_bench.risk.view
    for page in view.pages:
        empty_bench.show_page(page)
    assert "certainty above 0.05\u202f%" in view.strip.sentence()
    assert "in 1 class" in view.strip.detail.text()
    view.attacks.attacks.open_folds("attacks")
    listed = view.attacks.attacks.list_of("attacks").texts
    assert sum(bool(row[1]) for row in listed.texts()) >= 7  # beside the line of the open fold
    # the one class is the table
    assert view.attacks.reveals.compared.sentence().text().startswith("t = 0.000, limit 0.25. ")
    assert view.records.exposed.listed.list_of("exposed_records").texts.rowCount() == 1000


def test_a_completely_suppressed_release_says_so_in_every_card(empty_bench: Bench, clinic: Project) -> None:
    strict = replace(clinic, requirement=Requirement((KAnonymity(1_999),), 1.0))
    empty_bench.apply(strict, NODE)
    view = empty_bench.risk.view
    for page in view.pages:
        empty_bench.show_page(page)
    assert "No record is kept" in view.strip.sentence()
    assert "Every record is suppressed" in view.cards["exposed_records"].pane.sentence()
    assert "by its quasi-identifying columns" in view.cards["exposed_records"].pane.sentence()
    assert "Every record is suppressed" in view.cards["attribute_disclosure"].pane.sentence()
    pairs = view.attackers.attackers.part("attacker_pairs").rows.texts()
    assert [text.split(" → ")[1] for _name, _caption, text in pairs] == ["–"] * 3
    assert view.crowd.crowd.headline.text() == "Every record is suppressed."
    assert {row[1] for row in view.attacks.attacks.list_of("attacks").texts.texts()} == {"Not assessed"}
    for page in ("population_uniqueness", "suppressed_groups", "linkage"):
        empty_bench.show_page(page)
        if page == "suppressed_groups":
            assert ": the release contains no one." in empty_bench.find(f"card.{page}").pane.sentence()


def test_without_a_sensitive_column_the_card_says_how_to_set_one(empty_bench: Bench, clinic: Project) -> None:
    bare = edits.set_roles(clinic, ("diagnosis", "length of stay"), Role.INSENSITIVE)
    bare = replace(bare, requirement=Requirement((KAnonymity(5),), 0.05))
    empty_bench.apply(bare, NODE)
    empty_bench.show_page("attacks")
    sentence = empty_bench.risk.view.cards["attribute_disclosure"].pane.sentence()
    assert sentence.startswith("No column is sensitive; set that role in Configure and re-apply a release.")


def test_another_release_is_analyzed_again_and_the_previous_one_discarded(
    bench: Bench, clinic: Project
) -> None:
    before = bench.risk.view.strip.detail.text()
    bench.risk.show_verified("clinic-anonymized.csv")
    assert bench.find("riskBasis").text() == "Recomputed from the written file"
    bench.session.applied.set(make_release(clinic, compile_problem(clinic), TOP), clinic)
    assert bench.find("riskBasis").text() == "Computed from the release"
    bench.settle()
    assert bench.risk.view.strip.detail.text() != before


def test_a_release_that_fails_says_so_beside_its_suppressed_records(bench: Bench, clinic: Project) -> None:
    assert "above the limit" not in bench.risk.view.strip.detail.text()
    problem = compile_problem(clinic)
    lowest = make_release(clinic, problem, problem.lattice.minimum)
    assert not lowest.is_within
    bench.session.applied.set(lowest, clinic)
    bench.settle()
    n, share = as_exact_count(lowest.n_suppressed), as_risk(lowest.n_suppressed / lowest.n_records)
    said = (
        f"{n} suppressed ({share}), above the limit of 100 (5.0\u202f%), and excluded from the values below"
    )
    assert bench.risk.view.strip.detail.text().endswith(said)
    assert bench.risk.view.strip.detail.property("tone") == "danger"
    assert bench.find("riskMadeWith").text().startswith("fails k = 5, l = 3, t = 0.25 · at most 5.0")


def test_changed_settings_are_reported_and_the_described_release_stays(bench: Bench, clinic: Project) -> None:
    sentence = bench.risk.view.strip.sentence()
    stricter = replace(clinic, requirement=clinic.requirement.with_limit(0, 20))
    bench.session.edit("Set k", stricter)
    bench.settle()
    assert (
        bench.find("riskMadeWith").text().startswith("Release was made with k = 5, current setting 20 · made")
    )
    assert bench.risk.view.strip.sentence() == sentence


def test_nothing_is_computed_before_it_is_visible(empty_bench: Bench, clinic: Project) -> None:
    empty_bench.window.hide()
    empty_bench.session.open_project(clinic)
    empty_bench.session.applied.set(make_release(clinic, compile_problem(clinic), NODE), clinic)
    assert not empty_bench.session.runner.is_busy
    empty_bench.window.show()
    empty_bench.settle()
    assert empty_bench.risk.view.strip.sentence()


def test_a_cancelled_analysis_can_be_requested_again(empty_bench: Bench, clinic: Project) -> None:
    empty_bench.session.open_project(clinic)
    empty_bench.session.applied.set(make_release(clinic, compile_problem(clinic), NODE), clinic)
    empty_bench.risk.show_place("column_subsets")
    empty_bench.desk.cancel("column_subsets", "risk")
    empty_bench.settle()
    pane = empty_bench.risk.view.cards["column_subsets"].pane
    assert pane.sentence() == "Cancelled."
    empty_bench.click("column-subsetsAction")
    empty_bench.settle()
    assert pane.is_shown
    assert empty_bench.find("column_subsets.column_sets").model().rowCount() > 0
    empty_bench.qtbot.keyClick(empty_bench.find("column_subsets.column_sets"), Qt.Key.Key_Down)
