"""The further pages of Analyze risk: population, HIPAA identifiers, suppressed records."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.charts.analysis_pane import AnalysisPane
from anonymizer_gui.charts.drawn_chart import DrawnChart
from anonymizer_gui.widgets.picture_saving import write_picture
from engine.findings.risk.hipaa import Hipaa
from engine.findings.risk.population_uniqueness import PopulationUniqueness
from engine.findings.risk.suppressed_groups import SuppressedGroups
from engine.numbers import as_exact_count, as_risk
from engine.project import Project, edits
from engine.project.population import Population
from tests.anonymizer_gui.perspectives.conftest import texts
from tests.anonymizer_gui.perspectives.risk.conftest import NODE, Bench

LEFT = Qt.MouseButton.LeftButton


def test_uniqueness_is_shown_for_every_fraction_and_estimator(bench: Bench) -> None:
    bench.show_page("population_uniqueness")
    found = PopulationUniqueness().run(bench.subject)
    view = bench.risk.view.tests.population.view
    assert view.sentence().text() == found.sentence
    listed = texts(view.list_of("population_uniqueness").model())
    assert len(listed) == len(found.points)
    last = listed[-1]
    assert last[0] == "90.0000\u202f%", "as many decimals as the smallest fraction"
    share = found.points[-1].shares("dankar")[0]
    assert last[2] == as_risk(share)
    assert len(last) == 4, "one estimator, the others on request"
    bench.choose("population_uniqueness.estimates.choice", "Pitman")
    (chart,) = view.findChildren(DrawnChart)
    drawn = chart.chart.series[0].values
    expected = [point.shares("pitman")[0] for point in found.points]
    assert [None if isnan(value) else value for value in drawn] == expected
    assert chart.chart.marks == ()


def test_the_fraction_of_the_project_is_marked_if_its_population_is_known(
    empty_bench: Bench, clinic: Project
) -> None:
    empty_bench.apply(edits.set_population(clinic, Population(size=40_000)), NODE)
    empty_bench.show_page("population_uniqueness")
    page = empty_bench.risk.view.tests.population
    (chart,) = page.view.findChildren(DrawnChart)
    assert chart.chart.marks == ((0.05, "this project: 5\u202f%"),)
    table = page.view.list_of("population_uniqueness")
    row = [row[0] for row in texts(table.model())].index("5.0000\u202f%")
    page.view.choose("population_uniqueness", row)
    assert "The sampling fraction of this project" in page.view.note("population_uniqueness")
    values = page.setup.values
    assert values["people"] == "40\u202f000 people"
    assert values["sampling_fraction"] == "5\u202f%"


def test_population_and_thresholds_are_changed_from_one_place(bench: Bench) -> None:
    bench.show_page("population_uniqueness")
    with bench.qtbot.waitSignal(bench.risk.people_requested):
        bench.click("setting.people")
    bench.click("setting.threshold")
    bench.qtbot.keyClicks(bench.find("riskThreshold"), "5")
    bench.qtbot.keyClick(bench.find("riskThreshold"), Qt.Key.Key_Return)
    bench.settle()
    assert bench.risk.view.tests.population.setup.values["threshold"] == "5.0\u202f%"
    with bench.qtbot.waitSignal(bench.risk.perspective_requested) as asked:
        bench.click("setting.requirement")
    assert asked.args == ["configure"]


def test_columns_that_look_like_identifiers_are_listed_with_their_treatment(bench: Bench) -> None:
    bench.show_page("tests")
    assert not bench.risk.view.tests.rows["hipaa"].isVisible(), "outside of its country"
    bench.risk.show_place("hipaa")
    bench.settle()
    found = Hipaa().run(bench.subject)
    assert bench.find("hipaa.sentence").text() == found.sentence
    listed = texts(bench.find("hipaa.hipaa").model())
    assert [(row[0], row[2], row[3], row[6]) for row in listed] == [
        (c.column, c.identifier, as_risk(c.confidence), c.release) for c in found.columns
    ]


def test_groups_that_lose_most_are_listed_by_one_column_and_by_two(bench: Bench) -> None:
    bench.show_page("suppressed_groups")
    found = SuppressedGroups().run(bench.subject)
    assert bench.find("suppressed_groups.sentence").text() == found.sentence
    for name, groups in (("suppressed_groups", found.single), ("suppressed_pairs", found.pairs)):
        listed = texts(bench.find(f"suppressed_groups.{name}").model())
        assert [row[-5:-2] for row in listed] == [
            [as_exact_count(g.n_records), as_exact_count(g.n_suppressed), as_risk(g.share)] for g in groups
        ]
        parts = [[part for pair in zip(g.columns, g.words, strict=True) for part in pair] for g in groups]
        assert [row[:-5] for row in listed] == parts


def test_a_release_without_suppression_says_so(empty_bench: Bench, clinic: Project) -> None:
    nothing = replace(clinic, requirement=replace(clinic.requirement, models=()))
    empty_bench.apply(nothing, NODE)
    empty_bench.show_page("suppressed_groups")
    assert empty_bench.find("card.suppressed_groups").pane.sentence() == "No record is suppressed."


def test_values_are_copied_and_saved_with_all_their_digits(bench: Bench, tmp_path: Path) -> None:
    bench.show_page("attackers")
    card = bench.risk.view.cards["attackers"]
    bench.qtbot.mouseClick(card.menu_button, LEFT)
    menu = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible())
    copy = next(action for action in menu.actions() if action.text() == "Copy values")
    bench.qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(copy).center())
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[1].startswith("prosecutor\tinput\tProsecutor\tInput\t1.0\t")
    path = tmp_path / "attackers.csv"
    answer_file_dialog(bench.qtbot, bench.window, path)
    bench.qtbot.mouseClick(card.menu_button, LEFT)
    menu = next(w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible())
    save = next(action for action in menu.actions() if action.text().startswith("Save values"))
    bench.qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(save).center())
    assert (
        path.read_text(encoding="utf-8")
        .splitlines()[0]
        .startswith("attacker,side,title,table,highest,average")
    )


def answer_file_dialog(qtbot: QtBot, window: QWidget, path: Path) -> None:
    """Type a path into the file dialog that is about to open."""
    seen = [0]

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        is_there = isinstance(dialog, QFileDialog) and dialog.isVisible()
        seen[0] += is_there
        if seen[0] < 8:  # a dialog just opened still reads its folder
            QTimer.singleShot(30, window, look)
            return
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        assert field is not None
        field.selectAll()
        qtbot.keyClicks(field, str(path))
        QTimer.singleShot(30, field, lambda: confirm(field))

    def confirm(field: QLineEdit) -> None:
        if (offers := QApplication.activePopupWidget()) is not None:
            qtbot.keyClick(offers, Qt.Key.Key_Escape)
        qtbot.keyClick(field, Qt.Key.Key_Return)

    QTimer.singleShot(0, window, look)


def test_every_view_is_saved_as_a_picture_with_its_words(bench: Bench, tmp_path: Path) -> None:
    for page in ("crowd", "attackers", "attacks", "hipaa", "suppressed_groups", "exposed_records"):
        bench.risk.show_place(page)
        bench.settle()
        for pane in bench.window.findChildren(AnalysisPane):
            if pane.isVisible() and pane.is_shown:
                for ending in ("png", "svg"):
                    path = tmp_path / f"{pane.file_name}.{ending}"
                    write_picture(pane.view, path)
                    assert path.stat().st_size > 500
    drawing = (tmp_path / "risk-distribution.svg").read_text(encoding="utf-8")
    assert "re-identification risk of a record" in drawing
    names = {path.stem for path in tmp_path.iterdir()}
    assert names >= {"crowd-internal", "attackers", "attacks", "hipaa", "exposed-records"}
