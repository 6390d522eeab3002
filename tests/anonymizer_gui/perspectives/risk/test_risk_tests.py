"""The list of tests: those that can run come first, and each button works or asks for its input."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from PySide6.QtWidgets import QPushButton

from anonymizer_gui.perspectives.risk import attack_presenters
from anonymizer_gui.perspectives.risk.presenter import places
from engine.findings.base import risk_analyses
from engine.project import Project, edits
from tests.anonymizer_gui.perspectives.risk.conftest import NODE, Bench

READY = (
    "attack_test",
    "population_uniqueness",
    "special_uniques",
    "stability",
    "narrowing",
    "selection_leak",
)
MISSING = ("wildcards", "linkage", "survey_risk", "cost_benefit")


def order(bench: Bench) -> list[str]:
    rows = [row for row in bench.risk.view.tests.rows.values() if row.isVisible()]
    return [
        row.key for row in sorted(rows, key=lambda row: row.mapTo(bench.window, row.rect().topLeft()).y())
    ]


def test_ten_tests_are_listed_and_those_that_can_run_come_first(bench: Bench) -> None:
    bench.show_page("tests")
    assert order(bench) == [*READY, *MISSING]
    assert bench.find("testsHeadline").text() == "6 of 10 tests can run now; the others need more input."
    for key in (*READY, *MISSING):
        assert bench.find(f"trialNeeds.{key}").text()
        assert bench.find(f"trialResult.{key}").text() == "not run"
    assert bench.find("trialNeeds.attack_test").text() == "200 records held out"
    assert bench.find("trialNeeds.wildcards").toolTip().startswith("No column of this release has *")


def test_each_button_runs_the_test_and_keeps_its_result_in_the_row(bench: Bench) -> None:
    bench.show_page("tests")
    for key in (key for key in READY if key != "stability"):  # which draws many tables
        bench.click(f"trialRun.{key}")
        bench.settle()
        row = bench.risk.view.tests.rows[key]
        assert row.body.isVisible()
        result = risk_analyses.create(key).run(bench.subject).statement().sentence
        assert bench.find(f"trialResult.{key}").text() == result
        bench.click(f"trialToggle.{key}")
        assert not row.body.isVisible()
        assert bench.find(f"trialResult.{key}").text() == result
    bench.apply(replace(bench.session.project, name="another"), NODE)
    bench.show_page("tests")
    assert bench.find("trialResult.special_uniques").text() == "not run"


def test_the_levels_of_a_node_are_kept_beside_its_stability_and_the_release_stays(bench: Bench) -> None:
    bench.show_page("stability")
    before, release = bench.session.project, bench.session.applied.release
    page = bench.risk.view.tests.rows["stability"].body
    page.form.show_values({"draws": 5})
    page.form.changed.emit()
    bench.settle()
    bench.click("trialRun.stability")
    bench.settle()
    shown = bench.find("trialResult.stability").text()
    assert "of 5 tables" in shown
    button = bench.find("keepLevels.stability")
    assert button.isEnabled()
    bench.click("keepLevels.stability")
    bench.settle()
    kept = bench.session.project.hierarchies
    assert [(kept[n].min_level, kept[n].top_level) for n in release.problem.names] == [(g, g) for g in NODE]
    assert bench.session.applied.release is release
    assert not bench.session.applied.stale_text
    assert bench.find("trialResult.stability").text() == shown
    assert (button.isEnabled(), button.toolTip()) == (False, "No other levels are allowed")
    bench.session.history.group.undo()
    bench.settle()
    assert bench.session.project is before
    assert button.isEnabled()
    assert not bench.risk.view.tests.rows["special_uniques"].findChildren(type(button), "keepLevels")


def test_a_row_opened_below_what_is_in_sight_is_scrolled_to(bench: Bench) -> None:
    bench.window.resize(1280, 720)
    bench.show_page("tests")
    row = bench.risk.view.tests.rows[READY[-1]]
    bench.click(f"trialToggle.{row.key}")
    bench.settle()
    body = row.body
    assert body.visibleRegion().boundingRect().height() > body.height() // 2
    bench.click(f"trialToggle.{row.key}")


def test_a_measured_attack_stands_in_place_of_the_reason_of_inference(bench: Bench) -> None:
    def reasons() -> str:
        shown = bench.risk.view.attacks.attacks
        shown.open_folds("attacks")
        return "\n".join(text for row in shown.list_of("attacks").texts.texts() for text in row)

    bench.show_page("attacks")
    bench.settle()
    assert "above the control group" not in reasons()
    bench.show_page("tests")
    bench.click("trialRun.attack_test")
    bench.settle()
    bench.show_page("attacks")
    bench.settle()
    assert f"attacked on {date.today().isoformat()}: " in reasons()
    assert "above the control group" in reasons()


def test_each_button_of_a_test_without_input_asks_for_it(
    bench: Bench, clinic: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.show_page("tests")
    for key in ("survey_risk", "cost_benefit"):
        with bench.qtbot.waitSignal(bench.risk.perspective_requested) as asked:
            bench.click(f"trialRun.{key}")
        assert asked.args == ["configure"]
    monkeypatch.setattr(attack_presenters, "ask_table", lambda _window, title: asked_for.append(title))
    asked_for: list[str] = []
    bench.click("trialRun.linkage")
    assert asked_for == ["Choose a second table"]
    bench.click("trialRun.wildcards")
    bench.settle()
    assert "so both readings are the same" in bench.risk.view.tests.rows["wildcards"].body.pane.sentence()
    bench.apply(edits.set_metric(clinic, "payout"), NODE)
    bench.show_page("tests")
    assert order(bench)[len(READY)] == "cost_benefit"
    bench.click("trialRun.cost_benefit")
    bench.settle()
    assert bench.risk.view.tests.rows["cost_benefit"].body.isVisible()


def test_every_analysis_is_found_by_its_name_and_shown(bench: Bench) -> None:
    named = dict(places())
    assert {"crowd", "tests", "linkage", *risk_analyses} <= set(named)
    for key, title in named.items():
        bench.risk.show_place(key)
        bench.settle()
        assert title
        if key in bench.risk.view.tests.rows:
            assert bench.risk.view.tests.rows[key].body.isVisible(), key
        elif key in bench.risk.view.cards:
            assert bench.risk.view.cards[key].isVisible(), key
    assert not bench.risk.view.tests.rows["linkage"].isHidden()


def test_what_helps_against_selection_leak_is_not_tried_on_once_cancelled(bench: Bench) -> None:
    bench.show_page("tests")
    project, runner = bench.session.project, bench.session.runner
    bench.risk.view.tests.rows["selection_leak"].set_open(True)
    bench.settle()
    bench.click("findLeakRemedies")
    assert runner.running("risk.leak_remedies") is not None
    runner.cancel("risk.leak_remedies")
    bench.settle()
    assert bench.session.project is project
    names = [widget.objectName() for widget in bench.risk.view.tests.findChildren(QPushButton)]
    assert not any(name.startswith("leakRemedy.") for name in names)
