"""The first page of Analyze risk shows the values of the engine and follows the choices."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtTest import QTest

from anonymizer_gui.perspectives.risk.exposed_model import BEFORE, RECORD, RISK
from engine.assessment.risk.attackers import Attackers
from engine.assessment.risk.attacks import Attacks
from engine.assessment.risk.attribute_disclosure import AttributeDisclosure
from engine.assessment.risk.column_subsets import ColumnSubsets
from engine.assessment.risk.exposed_records import ExposedRecords
from engine.numbers import as_decimal, as_exact_count, as_risk
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from tests.adult import ARX_COLUMNS, arx_project
from tests.anonymizer_gui.perspectives.risk.conftest import NODE, Bench, texts

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def oracle(data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data / "arx" / "risk_quality.json").read_text())
    return found


def pair(before: float, after: float) -> str:
    """Return the numbers above two bars."""
    return " → ".join(as_risk(share) for share in (before, after))


def test_the_attackers_of_a_release_have_the_risks_of_arx(empty_bench: Bench, oracle: dict[str, Any]) -> None:
    project = replace(arx_project(), requirement=Requirement((KAnonymity(5),), 0.05))
    release = oracle["output_k5_s5_loss"]
    empty_bench.apply(project, tuple(release["node"][column] for column in ARX_COLUMNS))
    was, now = oracle["input_all9"], release["risk_all9"]
    risks = [
        pair(was["sample_risks"]["highest"], now["sample_risks"]["highest"]),
        pair(
            *(side["summary_threshold_0.2"]["prosecutor"]["records_at_risk"] for side in (was, now)),
        ),
        pair(was["sample_risks"]["average"], now["sample_risks"]["average"]),
    ]
    view = empty_bench.risk.view
    assert view.overview.attackers.numbers() == [risks, risks, [risks[2]]]
    assert as_exact_count(round(now["records_counted"])) in view.strip.detail()


def test_the_sentence_and_its_detail_are_those_of_the_engine(bench: Bench) -> None:
    found = Attackers().run(bench.subject)
    assert bench.risk.view.strip.sentence() == found.statement().sentence
    for clause in found.clauses:
        label = bench.find(f"riskClause.{clause.key}")
        assert label.text().casefold() == clause.sentence.casefold()
    assert bench.find("riskDetail").text() == found.detail
    assert bench.find("riskMadeWith").text() == (
        "made with k = 5, l = 3, t = 0.25 · at most 5.0\u202f% suppressed · "
        "sex: hidden, visit date: quarters and 3 more columns"
    )


def test_a_typed_threshold_recounts_records_everywhere(bench: Bench) -> None:
    field = bench.find("riskThreshold")
    field.setFocus()
    field.selectAll()
    bench.qtbot.keyClicks(field, "9")
    bench.qtbot.keyClick(field, Qt.Key.Key_Return)
    bench.settle()
    found = Attackers(threshold=0.09).run(bench.subject)
    assert found.prosecutor.after is not None
    assert not found.is_within
    view = bench.risk.view
    assert view.strip.sentence() == found.statement().sentence
    shown = view.overview.attackers.numbers()[0][1]
    after = found.prosecutor.after.risk.records_at_risk
    assert shown == pair(found.prosecutor.before.risk.records_at_risk, after)
    assert view.overview.distribution.threshold == 0.09
    model = view.overview.exposed.model
    assert model.index(0, RISK).data(Qt.ItemDataRole.ForegroundRole).color().name() != (
        model.index(0, RECORD).data(Qt.ItemDataRole.ForegroundRole).color().name()
    )


def test_the_line_is_dragged_to_another_threshold(bench: Bench) -> None:
    chart = bench.find("riskChart")
    port = chart.plot.viewport()
    start, end = chart.point_of(chart.threshold).toPoint(), chart.point_of(0.05).toPoint()
    QTest.mouseMove(port, start)
    QTest.mousePress(port, LEFT, pos=start)
    QTest.mouseMove(port, QPoint((start.x() + end.x()) // 2, start.y()))
    QTest.mouseMove(port, end)
    assert bench.find("riskThreshold").value() == pytest.approx(5, abs=0.2)
    assert (
        bench.risk.view.strip.sentence() == Attackers().run(bench.subject).statement().sentence
    )  # until it is released
    QTest.mouseRelease(port, LEFT, pos=end)
    bench.settle()
    found = Attackers(threshold=chart.threshold).run(bench.subject)
    assert bench.risk.view.strip.sentence() == found.statement().sentence
    assert "%" in chart.accessibleDescription()


def test_arrow_keys_move_the_line_by_a_percent_and_with_shift_by_a_tenth(bench: Bench) -> None:
    chart = bench.find("riskChart")
    chart.setFocus()
    bench.qtbot.keyClick(chart, Qt.Key.Key_Left)
    bench.qtbot.keyClick(chart, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert bench.find("riskThreshold").value() == 19.1
    bench.settle()


def test_the_list_has_the_most_exposed_records_and_explains_the_one_chosen(bench: Bench) -> None:
    found = ExposedRecords().run(bench.subject)
    table = bench.find("exposedRecords")
    first = texts(table.model())[0]
    assert first[: BEFORE + 1] == [
        as_exact_count(int(found.records[0]) + 1),
        str(found.class_sizes[0]),
        as_risk(float(found.risks[0])),
        as_risk(1 / int(found.sizes_before[0])),
    ]
    assert tuple(first[BEFORE + 1 :]) == found.cells(int(found.records[0]))
    assert table.model().rowCount() == len(found)
    place = table.visualRect(table.model().index(2, 0)).center()
    bench.qtbot.mouseClick(table.viewport(), LEFT, pos=place)
    explained = found.explain(int(found.records[2]))
    assert bench.find("recordSentence").text() == explained.sentence
    bench.qtbot.keyClick(table, Qt.Key.Key_Down)
    assert bench.find("recordSentence").text() == found.explain(int(found.records[3])).sentence


def test_a_click_on_a_heading_sorts_and_the_chosen_record_stays_chosen(bench: Bench) -> None:
    view = bench.risk.view.overview.exposed
    table, before = view.table, view.chosen
    header = table.horizontalHeader()

    def click(section: int) -> None:
        x = header.sectionViewportPosition(section) + 12
        bench.qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(x, 8))

    click(RECORD)
    records = [view.model.record(row) for row in range(view.model.rowCount())]
    assert records in (sorted(records), sorted(records, reverse=True))
    assert view.chosen == before
    click(RECORD)
    assert [view.model.record(row) for row in range(view.model.rowCount())] == records[::-1]
    click(BEFORE)
    sizes = [-float(row[BEFORE].partition("\u202f")[0]) for row in texts(view.model)]
    assert sizes in (sorted(sizes), sorted(sizes, reverse=True))


def test_words_leave_only_the_records_that_have_them(bench: Bench) -> None:
    bench.click("exposedFilter")
    view = bench.risk.view.overview.exposed
    n_all, wanted = view.model.rowCount(), texts(view.model)[0][BEFORE + 1]
    bench.qtbot.keyClicks(bench.find("exposedSearch"), wanted)
    assert 0 < view.model.rowCount() < n_all
    assert all(any(wanted in cell for cell in row) for row in texts(view.model))
    bench.click("exposedFilter")
    assert view.model.rowCount() == n_all


def test_the_list_of_another_project_begins_at_its_most_exposed_record(bench: Bench, clinic: Project) -> None:
    view = bench.risk.view.overview.exposed
    table = bench.find("exposedRecords")
    bench.qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(table.model().index(0, 0)).center())
    bench.qtbot.keyClick(table, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert view.chosen == view.model.record(view.model.rowCount() - 1)
    bench.apply(replace(clinic, name="another"), NODE)
    assert view.chosen == view.model.record(0)
    assert table.verticalScrollBar().value() == 0


def test_the_chosen_record_can_be_shown_in_the_table(bench: Bench) -> None:
    record = bench.risk.view.overview.exposed.chosen
    with bench.qtbot.waitSignal(bench.risk.record_requested) as asked:
        bench.click("showInTable")
    assert asked.args == [record]


def test_every_attack_is_listed_with_its_evidence_and_opens_on_enter(bench: Bench) -> None:
    found = Attacks().run(bench.subject)
    words = bench.risk.view.overview.attacks.words()
    assert [(word[0].casefold(), word[1], word[2]) for word in words] == [
        (verdict.attack.title, verdict.reason, verdict.value) for verdict in found.attacks
    ]
    counts = " ".join(bench.risk.view.overview.counts.texts())
    n_resisted = sum(verdict.after.name == "RESISTED" for verdict in found.attacks)
    assert f"{n_resisted} resisted" in counts
    line = bench.find("attack.linkage")
    line.setFocus()
    bench.qtbot.keyClick(line, Qt.Key.Key_Return)
    assert line.is_open
    assert found.attacks[0].reason_before in line.accessibleDescription()
    bench.qtbot.mouseClick(line, LEFT, pos=QPoint(30, 20))
    assert not line.is_open


def test_sets_of_columns_are_counted_up_to_the_size_chosen(bench: Bench) -> None:
    model = bench.risk.view.overview.subsets.model
    found = ColumnSubsets(most_columns=3).run(bench.subject)
    shown = {row[0]: row[2:4] for row in texts(model)}
    assert shown == {
        ", ".join(entry.columns): [
            as_exact_count(entry.before.n_uniques),
            as_exact_count(entry.after.n_uniques if entry.after else None),
        ]
        for entry in found.sets
    }
    assert bench.find("subsetsSentence").text() == found.known[-1].sentence
    bench.choose("mostColumns", "Up to 2")
    bench.qtbot.keyClick(bench.find("mostColumns"), Qt.Key.Key_Return)
    bench.settle()
    assert max(row[0].count(",") for row in texts(model)) == 1


def test_the_worst_class_by_the_chosen_measure_is_shown(bench: Bench) -> None:
    found = AttributeDisclosure(column="length of stay").run(bench.subject)
    view = bench.risk.view.overview.reveals
    worst = int(found.worst("t")[0])
    assert view.value() == f"t = {as_decimal(float(found.measured['t'][worst]), 3)}, limit 0.25"
    compared = found.compare(int(found.numbers[worst]))
    assert view.chart.bars is not None
    assert view.chart.bars.of_class == compared.class_shares
    assert view.chart.bars.of_table == compared.table_shares
    bench.choose("revealMeasure", "Distinct values")
    assert view.value() == f"l = {int(found.measured['distinct_l'][found.worst('distinct_l')[0]])}"
    bench.choose("revealClass", "Class 3")
    third = int(found.worst("distinct_l", 3)[2])
    assert view.chart.bars.of_class == found.compare(int(found.numbers[third]), "distinct_l").class_shares


def test_another_sensitive_column_is_chosen_in_the_header(bench: Bench) -> None:
    bench.choose("revealColumn", "diagnosis")
    bench.settle()
    view = bench.risk.view.overview.reveals
    assert view.chart.bars is not None
    assert view.chart.bars.column == "diagnosis"
    found = AttributeDisclosure(column="diagnosis").run(bench.subject)
    worst = int(found.worst("t")[0])
    assert view.value() == f"t = {as_decimal(float(found.measured['t'][worst]), 3)}"


def test_the_reason_of_every_attack_is_shown_completely(bench: Bench) -> None:
    reasons = [line._reason for line in bench.risk.view.overview.attacks._lines]
    assert len(reasons) == 7
    for label in reasons:
        assert label.wordWrap()
        assert label.height() >= label.heightForWidth(label.width())


def test_each_clause_has_a_mark_of_its_own(bench: Bench) -> None:
    found = Attackers().run(bench.subject)
    assert {clause.key: clause.tone for clause in found.clauses} == {
        "identity": "ok",
        "neighbours": "warn",
        "class": "warn",
        "unchanged": "warn",
    }
    marks = [bench.find(f"riskClause.{clause.key}").parentWidget().icon.mark for clause in found.clauses]
    assert marks == [("shield-check", "ok"), ("shield", "warn"), ("shield", "warn"), ("eye", "warn")]
    assert bench.risk.view.strip.tone == "warn"


def test_the_link_of_a_clause_shows_the_class_that_reveals_most(bench: Bench) -> None:
    reveals = Attackers().run(bench.subject).reveals
    assert reveals is not None
    bench.show_page("population_uniqueness")
    bench.click("riskClauseLink.class")
    bench.settle()
    view = bench.risk.view.overview.reveals
    assert view.isVisible()
    assert bench.find("revealColumn").currentText() == reveals.column
    assert bench.find("revealClass").currentText().startswith(f"Worst class: {reveals.size} records")
    assert str(round(reveals.share, 3)) in view.value()


def test_the_link_of_unchanged_columns_lists_the_records_they_single_out(bench: Bench) -> None:
    model = bench.risk.view.overview.exposed.model
    before = texts(model)
    table = bench.subject.input
    names = ("length of stay", "diagnosis")
    values = list(
        zip(
            *(np.array(table.column(name).labels)[table.column(name).codes] for name in names),
            strict=True,
        )
    )
    counts = Counter(values)
    expected = [record for record, pair in enumerate(values) if counts[pair] == 1]
    assert expected
    bench.click("riskClauseLink.unchanged")
    bench.settle()
    rows = texts(model)
    assert sorted(int(row[0].replace("\u202f", "")) - 1 for row in rows) == expected
    assert {(row[4], row[5]) for row in rows} == {values[record] for record in expected}
    assert bench.find("recordSentence").text()
    bench.click("singledOutChip")
    assert texts(model) == before


def test_a_changed_verdict_is_announced_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def keep(event: QAccessibleEvent) -> None:
        if isinstance(event, QAccessibleAnnouncementEvent):
            said.append(event.message())

    monkeypatch.setattr(QAccessible, "updateAccessibility", keep)
    for _again in range(2):
        field = bench.find("riskThreshold")
        field.setFocus()
        field.selectAll()
        bench.qtbot.keyClicks(field, "9")
        bench.qtbot.keyClick(field, Qt.Key.Key_Return)
        bench.settle()
    assert said == [Attackers(threshold=0.09).run(bench.subject).statement().sentence]
