"""The first page of Analyze risk shows the values of the engine and follows the choices."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent, QFontMetrics
from PySide6.QtTest import QTest

from anonymizer_gui.charts.drawn_chart import DrawnChart, DrawnRows
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.tables.table_view import CELL_PADDING, TextsTable, column_width
from anonymizer_gui.theming import Text, font
from engine.findings.risk.attackers import Attackers
from engine.findings.risk.attacks import VALUE_ATTACKS, Attacks
from engine.findings.risk.attribute_disclosure import AttributeDisclosure
from engine.findings.risk.column_subsets import ColumnSubsets
from engine.findings.risk.exposed_records import ExposedRecords
from engine.frequency.counted import RECORDS
from engine.numbers import as_decimal, as_exact_count, as_risk
from engine.project import Project
from tests.anonymizer_gui.look_checks import clipped_texts
from tests.anonymizer_gui.perspectives.conftest import texts
from tests.anonymizer_gui.perspectives.risk.conftest import NODE, Bench

LEFT = Qt.MouseButton.LeftButton
RECORD, CLASS, RISK, BEFORE = range(4)


def pair(before: float, after: float) -> str:
    """Return the numbers beside two bars."""
    return " → ".join(as_risk(share) for share in (before, after))


def pairs(bench: Bench) -> list[str]:
    """Return the numbers of the three pairs of bars, beside the crowd and on their page."""
    views = (bench.risk.view.crowd.bars, bench.risk.view.attackers.attackers)
    one, other = ([text for *_names, text in view.part("attacker_pairs").rows.texts()] for view in views)
    assert one == other
    return one


def spoken(view: FindingsView) -> tuple[float, ...]:
    """Return the shares of the class that the chart was given."""
    chart = view.part("worst_class")
    assert isinstance(chart, DrawnChart | DrawnRows)
    return chart.chart.series[1].values


def exposed(bench: Bench) -> TextsTable:
    return bench.risk.view.records.exposed.listed.list_of("exposed_records")


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
    bench.show_page("attackers")
    bench.show_page("exposed_records")
    field = bench.find("riskThreshold")
    field.setFocus()
    field.selectAll()
    bench.qtbot.keyClicks(field, "9")
    bench.qtbot.keyClick(field, Qt.Key.Key_Return)
    bench.settle()
    found = Attackers(threshold=0.09).run(bench.subject)
    assert not found.is_within
    view = bench.risk.view
    assert view.strip.sentence() == found.statement().sentence
    prosecutor, marketer = ((one.before, one.after) for one in (found.prosecutor, found.marketer))
    highest, average = ([getattr(side, key) for side in prosecutor] for key in ("highest", "average"))
    assert pairs(bench) == [pair(*highest), pair(*average), pair(*(side.average for side in marketer))]
    mark = view.crowd.bars.part("attacker_pairs").chart.marks
    assert mark == ((0.09, "accepted risk 9.0\u202f%"),)
    assert view.attackers.distribution.threshold == 0.09
    model = exposed(bench).model()
    assert model.index(0, RISK).data(Qt.ItemDataRole.ForegroundRole).color().name() != (
        model.index(0, RECORD).data(Qt.ItemDataRole.ForegroundRole).color().name()
    )


def test_the_line_is_dragged_to_another_threshold(bench: Bench) -> None:
    bench.show_page("attackers")
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
    bench.show_page("attackers")
    chart = bench.find("riskChart")
    chart.setFocus()
    bench.qtbot.keyClick(chart, Qt.Key.Key_Left)
    bench.qtbot.keyClick(chart, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert bench.find("riskThreshold").value() == 19.1
    bench.settle()


def test_the_list_has_the_most_exposed_records_and_explains_the_one_chosen(bench: Bench) -> None:
    bench.show_page("exposed_records")
    found = ExposedRecords().run(bench.subject)
    table, details = exposed(bench), "exposed_records.exposed_records.details"
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
    assert bench.find(details).text() == explained.details(RECORDS)
    assert explained.sentence in bench.find(details).text()
    bench.qtbot.keyClick(table, Qt.Key.Key_Down)
    assert bench.find(details).text() == found.explain(int(found.records[3])).details(RECORDS)


def test_a_click_on_a_heading_sorts_and_the_chosen_record_stays_chosen(bench: Bench) -> None:
    bench.show_page("exposed_records")
    view, found = bench.risk.view.records.exposed, ExposedRecords().run(bench.subject)
    table, before = exposed(bench), view.chosen
    header = table.horizontalHeader()

    def listed() -> list[int]:
        return [int(found.records[table.texts.place(row)]) for row in range(table.texts.rowCount())]

    def click(section: int) -> None:
        x = header.sectionViewportPosition(section) + 12
        bench.qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(x, 8))

    click(RECORD)
    records = listed()
    assert records in (sorted(records), sorted(records, reverse=True))
    assert view.chosen == before
    click(RECORD)
    assert listed() == records[::-1]
    click(BEFORE)
    sizes = [-float(row[BEFORE].partition("\u202f")[0]) for row in texts(table.texts)]
    assert sizes in (sorted(sizes), sorted(sizes, reverse=True))


def test_words_leave_only_the_records_that_have_them(bench: Bench) -> None:
    bench.show_page("exposed_records")
    bench.click("exposedFilter")
    model = exposed(bench).texts
    n_all, wanted = model.rowCount(), texts(model)[0][BEFORE + 1]
    bench.qtbot.keyClicks(bench.find("exposedSearch"), wanted)
    assert 0 < model.rowCount() < n_all
    assert all(any(wanted in cell for cell in row) for row in texts(model))
    bench.click("exposedFilter")
    assert model.rowCount() == n_all


def test_the_list_of_another_project_begins_at_its_most_exposed_record(bench: Bench, clinic: Project) -> None:
    bench.show_page("exposed_records")
    view, found = bench.risk.view.records.exposed, ExposedRecords().run(bench.subject)
    table = exposed(bench)
    bench.qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(table.model().index(0, 0)).center())
    bench.qtbot.keyClick(table, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert view.chosen == found.records[-1]
    bench.apply(replace(clinic, name="another"), NODE)
    assert view.chosen == found.records[0]
    assert table.verticalScrollBar().value() == 0


def test_the_chosen_record_can_be_shown_in_the_table(bench: Bench) -> None:
    bench.show_page("exposed_records")
    record = bench.risk.view.records.exposed.chosen
    with bench.qtbot.waitSignal(bench.risk.record_requested) as asked:
        bench.click("showInTable")
    assert asked.args == [record]


def test_every_attack_is_listed_with_its_evidence_and_explained_when_chosen(bench: Bench) -> None:
    bench.show_page("attacks")
    found = Attacks().run(bench.subject)
    view = bench.risk.view.attacks.attacks
    listed = view.list_of("attacks")
    of_values = [verdict for verdict in found.attacks if verdict.attack in VALUE_ATTACKS]
    lines = listed.texts.texts()
    assert [row[0].casefold() for row in lines] == [
        *(verdict.attack.title for verdict in found.attacks[:4]),
        "value attacks (2) ›",
        *(verdict.attack.title for verdict in found.attacks[6:]),
    ]
    assert lines[4][1:3] == [of_values[0].after.title, of_values[0].value]
    place = listed.visualRect(listed.texts.index(4, 0)).center()
    bench.qtbot.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert listed.texts.texts()[4] == ["Value attacks (2)", "", "", ""]
    assert view.note("attacks") == "\n".join(verdict.details for verdict in of_values)
    assert [(row[0].casefold(), *row[1:]) for row in listed.texts.texts() if row[1]] == [
        (verdict.attack.title, verdict.after.title, verdict.value, verdict.reason)
        for verdict in found.attacks
    ]
    bench.qtbot.keyClick(listed, Qt.Key.Key_Return)
    assert listed.texts.texts() == lines
    bench.risk.show_place("attacks.skewness")  # as by the palette
    icons = [listed.texts.cell(row, 0).icon for row, line in enumerate(listed.texts.texts()) if line[1]]
    signs = {"ok": "circle-check", "warn": "circle", "danger": "circle-alert-filled"}
    assert icons == [signs.get(verdict.after.tone, "") for verdict in found.attacks]
    n_resisted = sum(verdict.after.name == "RESISTED" for verdict in found.attacks)
    assert f"{n_resisted} resisted" in bench.find("card.attacks").caption.text()
    listed.selectRow(0)
    assert view.note("attacks") == found.attacks[0].details
    listed.setFocus()
    bench.qtbot.keyClick(listed, Qt.Key.Key_Down)
    assert view.note("attacks") == found.attacks[1].details
    assert found.attacks[1].reason_before in view.note("attacks")


def test_sets_of_columns_are_counted_up_to_the_size_chosen(bench: Bench) -> None:
    bench.show_page("attackers")
    view = bench.risk.view.attackers.subsets
    listed = view.list_of("column_sets")
    model = listed.texts
    found = ColumnSubsets(most_columns=3).run(bench.subject)
    shown = {row[0]: row[1:3] for row in texts(model)}
    assert shown == {
        ", ".join(entry.columns): [
            as_exact_count(entry.before.n_uniques),
            as_exact_count(entry.after.n_uniques if entry.after else None),
        ]
        for entry in found.sets
    }
    assert view.sentence().text() == found.known[-1].sentence
    names = column_width(model, 0)
    assert listed.columnWidth(0) >= names, "sets are distinguished by all their names"
    bench.choose("mostColumns", "Up to 2")
    bench.qtbot.keyClick(bench.find("mostColumns"), Qt.Key.Key_Return)
    bench.settle()
    assert max(row[0].count(",") for row in texts(model)) == 1


def test_the_worst_class_by_the_chosen_measure_is_shown(bench: Bench) -> None:
    bench.show_page("attacks")
    found = AttributeDisclosure(column="length of stay").run(bench.subject)
    view = bench.risk.view.attacks.reveals.compared
    worst = int(found.worst("t")[0])
    measured = f"t = {as_decimal(float(found.measured['t'][worst]), 3)}, limit 0.25. "
    assert view.sentence().text().startswith(measured)
    assert spoken(view) == found.compare(int(found.numbers[worst])).class_shares
    bench.choose("revealMeasure", "Distinct values")
    least = int(found.measured["distinct_l"][found.worst("distinct_l")[0]])
    assert view.sentence().text().startswith(f"l = {least}. ")
    bench.choose("revealClass", "Class 3")
    third = int(found.worst("distinct_l", 3)[2])
    assert spoken(view) == found.compare(int(found.numbers[third]), "distinct_l").class_shares


def test_classes_of_a_release_that_is_gone_cannot_be_chosen(bench: Bench) -> None:
    bench.show_page("attacks")
    view = bench.risk.view.attacks.reveals
    view.forget()
    box = bench.find("revealClass")
    bench.qtbot.keyClick(box, Qt.Key.Key_Down)
    bench.qtbot.keyClick(box, Qt.Key.Key_Return)
    assert box.count() == 0


def test_another_sensitive_column_is_chosen_in_the_header(bench: Bench) -> None:
    bench.show_page("attacks")
    bench.choose("revealColumn", "diagnosis")
    bench.settle()
    sentence = bench.risk.view.attacks.reveals.compared.sentence().text()
    found = AttributeDisclosure(column="diagnosis").run(bench.subject)
    worst = int(found.worst("t")[0])
    assert sentence.startswith(f"t = {as_decimal(float(found.measured['t'][worst]), 3)}. ")
    assert "of the class have diagnosis" in sentence


def test_the_reason_of_every_attack_is_shown_completely(bench: Bench) -> None:
    bench.show_page("attacks")
    listed = bench.risk.view.attacks.attacks.list_of("attacks")
    metrics, wraps = QFontMetrics(font(Text.CELL)), int(Qt.TextFlag.TextWordWrap)
    for row, (*_others, reason) in enumerate(listed.texts.texts()):
        room = QRect(0, 0, listed.columnWidth(3) - 2 * CELL_PADDING, 1_000)
        assert listed.rowHeight(row) >= metrics.boundingRect(room, wraps, reason).height()


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
    labels = [bench.find(f"riskClause.{clause.key}") for clause in found.clauses]
    bench.window.resize(1024, 700)
    assert {label.font().pixelSize() for label in labels} == {16}, "bad news is not smaller than good news"
    bench.qtbot.waitUntil(lambda: clipped_texts(bench.risk.view.strip) == [])


def test_the_link_of_a_clause_shows_the_class_that_reveals_most(bench: Bench) -> None:
    reveals = Attackers().run(bench.subject).reveals
    bench.show_page("population_uniqueness")
    bench.click("riskClauseLink.class")
    bench.settle()
    view = bench.risk.view.attacks.reveals.compared
    assert view.isVisible()
    assert bench.find("revealColumn").currentText() == reveals.column
    assert bench.find("revealClass").currentText().startswith(f"Worst class: {reveals.size} records")
    assert str(round(reveals.share, 3)) in view.sentence().text()


def test_the_link_of_unchanged_columns_lists_the_records_they_single_out(bench: Bench) -> None:
    bench.show_page("exposed_records")
    model = exposed(bench).texts
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
    rows = texts(exposed(bench).texts)
    assert sorted(int(row[0].replace("\u202f", "")) - 1 for row in rows) == expected
    assert {(row[4], row[5]) for row in rows} == {values[record] for record in expected}
    assert bench.find("exposed_records.exposed_records.details").text()
    bench.click("singledOutChip")
    assert texts(exposed(bench).texts) == before


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
