"""The widgets of the lower cards show the values of the engine."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from anonymizer_gui.charts.analysis_pane import AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.perspectives.utility import panes_presenter
from anonymizer_gui.perspectives.utility.panes.distribution import AxisDrawing
from anonymizer_gui.tables.rows_model import BAR
from engine.findings.format_value import decimals_of, format_value
from engine.numbers import as_decimal, as_exact_count, as_loss, as_percent
from engine.utility import USUAL_METRICS
from tests.anonymizer_gui.perspectives.conftest import texts
from tests.anonymizer_gui.perspectives.utility.conftest import LEFT, Bench


def test_the_loss_of_each_attribute_is_next_to_its_bar(bench: Bench) -> None:
    found = bench.ask("loss_by_attribute")
    rows = bench.find("loss_by_attribute.loss").texts()
    ranked = sorted(found.attributes, key=lambda a: -a.loss)
    assert rows == [(a.name, a.summary, as_loss(a.loss)) for a in ranked]


def test_bands_have_the_height_of_their_records_and_the_width_of_their_values(
    bench: Bench,
) -> None:
    found = bench.ask("distribution", column="age")
    drawing = bench.find("distributionPlot").parent().parent().drawing
    bands = {band.label: band for band in found.bands if band.n_records and not band.is_hidden}
    assert {area.label: area.n_records for area in drawing.areas} == {
        label: band.n_records for label, band in bands.items()
    }
    for area in drawing.areas:
        assert (area.left, area.right) == (bands[area.label].low - 0.5, bands[area.label].high + 0.5)
        assert area.height * (area.right - area.left) == pytest.approx(area.n_records)
    assert drawing.heights.sum() == found.counts.sum() == 2000
    assert drawing.titles.bottom == "age in years"
    assert drawing.titles.left == "records per year of age"
    some = drawing.areas[1]
    assert f"release: {some.label}" in drawing.words_at(some.middle, 0.0)


def test_suppressed_records_are_counted_if_the_box_is_ticked(bench: Bench) -> None:
    pane = bench.utility.view.panes["distribution"]
    assert "without 61 suppressed" in pane.caption
    bench.click("distributionSuppressed")
    drawing = bench.utility.view.distribution.drawing
    assert isinstance(drawing, AxisDrawing)
    assert "without" not in pane.caption
    found = bench.ask("distribution", column="age", with_suppressed=True)
    assert found.spread.sum() == pytest.approx(2000)
    total = sum(area.n_records for area in drawing.areas) + (
        drawing.hidden.n_records if drawing.hidden else 0
    )
    assert total == pytest.approx(2000)


def test_text_values_have_one_row_each_below_their_released_cell(bench: Bench) -> None:
    bench.choose("distributionColumn", "insurance")
    found = bench.ask("distribution", column="insurance")
    drawing = bench.utility.view.distribution.drawing
    assert isinstance(drawing, tuple)
    rows = bench.find("distributionRows").texts()
    numbers = {name: text for name, _, text in rows}
    for place, value in enumerate(found.values):
        if place == found.missing:
            continue
        before, after = numbers[value].split(" → ")
        assert before == as_exact_count(int(found.counts[place]))
        assert float(after.replace("\u202f", "")) == pytest.approx(found.spread[place], abs=0.05)
    for band in found.bands:
        if band.n_leaves > 1 and not band.is_hidden and band.n_records:
            assert numbers[band.label] == f"{as_exact_count(band.n_records)} records"


def statistics(bench: Bench) -> dict[str, tuple[str, str]]:
    """Return the values of input and release by name."""
    lines = texts(bench.find("statistics.column").model())
    return {name: (before, after) for name, before, after, _meaning in lines}


def test_statistics_are_the_engines_and_follow_the_chosen_column(bench: Bench) -> None:
    bench.open_pane("columns", "statistics")
    bench.choose("statisticsColumn", "length of stay")
    column = bench.ask("statistics").column("length of stay")
    lines = statistics(bench)
    assert lines["Values"] == (
        as_exact_count(column.before.n_records),
        as_exact_count(column.after.n_records),
    )
    assert lines["Mean"] == (format_value(column.before.mean), format_value(column.after.mean))
    assert lines["Standard deviation"][0] == format_value(column.before.deviation)
    assert lines["Excess kurtosis"][1] == format_value(column.after.kurtosis)
    bench.choose("statisticsColumn", "insurance")
    assert "Mode" in statistics(bench)
    assert "Mean" not in statistics(bench)
    bench.open_pane("columns", "distribution")
    assert bench.find("distributionColumn").column == "insurance"


def test_estimates_of_bands_are_marked(bench: Bench) -> None:
    bench.open_pane("columns", "statistics")
    column = bench.ask("statistics").column("age")
    assert column.after.is_estimated
    lines = statistics(bench)
    assert lines["Mean"][1] == f"≈ {format_value(column.after.mean)}"
    assert lines["Distinct"][1] == as_exact_count(column.after.n_distinct)


def test_class_sizes_are_the_engines(bench: Bench) -> None:
    bench.open_pane("columns", "class_sizes")
    found = bench.ask("class_sizes")
    lines = texts(bench.find("class_sizes.class_sizes").model())
    assert [line[:4] for line in lines] == [
        [name, as_exact_count(side.count), as_exact_count(side.minimum), as_exact_count(side.maximum)]
        for name, side in (
            ("input", found.before),
            ("release", found.after),
            ("with suppressed", found.with_suppressed),
        )
    ]
    words = bench.find("class_sizes.histogram").accessibleDescription().split("; ")
    assert len(words) == len(found.bins)
    assert f"input {as_exact_count(found.bins[0].records_before)}" in words[0]
    assert f"release, kept classes {as_exact_count(found.bins[-1].records_after)}" in words[-1]


def test_pairs_of_columns_show_change_input_and_release(bench: Bench) -> None:
    bench.choose("contingencyRow", "insurance")
    bench.choose("contingencyColumn", "diagnosis")
    found = bench.ask("contingency", row="insurance", column="diagnosis")
    assert crossed(bench) == aligned(found.difference.tolist())
    shades = bench.find("contingency.crossed").texts
    strongest = np.unravel_index(np.abs(found.difference).argmax(), found.difference.shape)
    strength = {
        (row, column): shades.index(row, column + 1).data(Qt.ItemDataRole.BackgroundRole).saturation()
        for row, column in np.ndindex(found.difference.shape)
        if found.difference[row, column]
    }
    assert max(strength, key=lambda place: strength[place]) == strongest
    measures = texts(bench.find("contingency.association").model())[0]
    assert measures[1:] == [format_value(found.cramers_v_before), format_value(found.cramers_v_after)]
    for key, side in (("before", found.before), ("after", found.after)):
        bench.qtbot.mouseClick(bench.find("contingencyWhich").segment(key), LEFT)
        bench.settle()
        assert crossed(bench) == aligned(side.tolist())


def aligned(rows: list[list[float]]) -> list[list[str]]:
    """Return numbers as texts, fractions with the decimals of their column."""
    decimals = list(map(decimals_of, zip(*rows, strict=True)))
    return [
        [
            format_value(value) if n is None or isinstance(value, int) else as_decimal(value, n)
            for value, n in zip(row, decimals, strict=True)
        ]
        for row in rows
    ]


def crossed(bench: Bench) -> list[list[str]]:
    """Return the cells of the table with a column per label."""
    return [row[1:] for row in texts(bench.find("contingency.crossed").model())]


def test_all_pairs_show_how_much_their_association_changed(bench: Bench) -> None:
    bench.qtbot.mouseClick(bench.find("contingencyWhich").segment("pairs"), LEFT)
    bench.settle()
    found = bench.ask("associations")
    lines = texts(bench.find("contingency.associations").model())
    assert [line[:2] for line in lines] == [[pair.first, pair.second] for pair in found.pairs]
    assert [line[3:5] for line in lines] == aligned([[pair.before, pair.after] for pair in found.pairs])
    assert not bench.find("contingencyRow").isEnabled()
    bench.qtbot.mouseClick(bench.find("contingencyWhich").segment("change"), LEFT)
    bench.settle()
    assert bench.find("contingencyRow").isEnabled()
    assert crossed(bench)


def test_every_metric_is_listed_with_the_loss_of_each_attribute(bench: Bench) -> None:
    bench.open_pane("pairs", "metrics")
    found = bench.ask("metrics")
    model = bench.find("metrics.metrics").model()
    usual = [metric for metric in found.metrics if metric.key in USUAL_METRICS]
    assert [line[0] for line in texts(model)] == [*(m.title for m in usual), "All metrics (11)"]
    bench.utility.view.show_metrics()  # as by the palette
    listed = [*usual, *(metric for metric in found.metrics if metric not in usual)]
    lines = [line for line in texts(model) if line[1]]
    bars = [model.index(row, 2).data(BAR) for row in range(model.rowCount()) if row != len(usual)]
    assert bars == [metric.normalized or 0.0 for metric in listed]
    assert [line[0] for line in lines] == [metric.title for metric in listed]
    assert [line[1] for line in lines] == [format_value(metric.natural) for metric in listed]
    assert [line[2:3] for line in lines] == aligned([[metric.normalized] for metric in listed])
    assert found.metrics[0].is_objective
    assert found.metrics[0].title in bench.find("metrics.sentence").text()
    parted = [metric for metric in found.metrics if metric.by_attribute]
    bench.choose("metrics.by_attribute.choice", parted[1].title)
    shown = {name for name, _, _text in bench.find("metrics.by_attribute").texts()}
    assert shown == set(parted[1].by_attribute)
    columns = texts(bench.find("metrics.quality_of_columns").model())
    granularity = found.quality.columns["granularity"].arithmetic_mean
    assert ["Granularity", "arithmetic mean", as_decimal(granularity, 3)] in columns


def test_count_queries_wait_for_a_button_only_in_large_tables(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panes_presenter, "_MOST_RECORDS", bench.subject.n_records - 1)
    bench.open_pane("pairs", "local_queries")
    pane = bench.utility.view.panes["local_queries"]
    assert "many random ones" in pane.sentence()
    assert not pane.is_shown
    monkeypatch.undo()
    bench.open_pane("pairs", "metrics")
    bench.open_pane("pairs", "local_queries")
    assert pane.is_shown
    found = bench.ask("local_queries")
    assert as_percent(found.whole.share_within) in bench.find("local_queries.sentence").text()
    rows = bench.find("local_queries.within").texts()
    assert [row[2] for row in rows] == [
        as_percent(figures.share_within, keep_zeros=True) for figures in (found.whole, *found.by_columns)
    ]
    medians = [line[4] for line in texts(bench.find("local_queries.local_queries").model())]
    assert medians == [
        as_percent(figures.median, keep_zeros=True) for figures in (found.whole, *found.by_columns)
    ]


@pytest.mark.usefixtures("work_here")
def test_a_classifier_is_measured_on_request(bench: Bench) -> None:
    bench.open_pane("columns", "classification")
    bench.choose("classificationTarget", "insurance")
    bench.choose("classifier", "Naive Bayes")
    assert "Measure" in bench.utility.view.panes["classification"].sentence()
    bench.click("measureClassification")
    found = bench.ask("classification", target="insurance", classifier="naive_bayes")
    rows = {name: text for name, _, text in bench.find("classification.accuracy").texts()}
    assert rows == {
        "input": as_percent(found.original.accuracy, keep_zeros=True),
        "release": as_percent(found.released.accuracy, keep_zeros=True),
        "baseline": as_percent(found.baseline.accuracy, keep_zeros=True),
    }
    lines = {line[0]: line[3] for line in texts(bench.find("classification.classification").model())}
    assert lines["input"] == format_value(found.original.brier)
    assert lines["release"] == format_value(found.released.brier)
    values = {line[0]: line[1:] for line in texts(bench.find("classification.classes").model())}
    for one in found.classes:
        areas = [format_value(one.original.area), format_value(one.released.area)]
        assert values[one.label][1:3] == areas
        assert values[one.label][4] == as_percent(one.sensitivity_released, keep_zeros=True)
    last = found.classes[-1].label
    bench.choose("classification.roc.choice", last)
    assert last in bench.find("classification.roc").accessibleDescription()


@pytest.mark.usefixtures("work_here")
def test_features_are_chosen_from_a_menu(bench: Bench) -> None:
    bench.open_pane("columns", "classification")
    bench.choose("classificationTarget", "insurance")
    bench.choose("classifier", "Naive Bayes")
    button = bench.find("classificationFeatures")
    assert button.accessibleName() == "From 4 columns: the predictors"
    assert button.text() in ("4", "From 4 columns")  # the number alone in a narrow card
    menu = button.menu()
    names = [action.text() for action in menu.actions()]
    assert "insurance" not in names
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
    for name in ("visit date", "age", "sex", "postal code"):
        action = menu.actions()[names.index(name)]
        bench.qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    pane = bench.utility.view.panes["classification"]
    assert button.accessibleName() == "From 0 columns: the predictors"
    assert pane.sentence() == "Choose at least one column to predict from."
    stay = menu.actions()[names.index("length of stay")]
    bench.qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(stay).center())
    bench.qtbot.keyClick(menu, Qt.Key.Key_Escape)
    assert button.accessibleName() == "From 1 column: the predictors"
    assert "Measure" in pane.sentence()
    bench.click("measureClassification")
    asked = {"target": "insurance", "classifier": "naive_bayes", "features": ("length of stay",)}
    found = bench.ask("classification", **asked)
    assert found.features == ("length of stay",)
    rows = {name: text for name, _, text in bench.find("classification.accuracy").texts()}
    assert rows["release"] == as_percent(found.released.accuracy, keep_zeros=True)


def test_settings_describe_the_requirement_of_the_release(bench: Bench) -> None:
    bench.open_pane("pairs", "settings")
    shown = {}
    for group in ("release", "transformation", "limit", "metric", "population"):
        shown |= dict(texts(bench.find(f"settings.{group}").model()))
    assert shown["Node"] == "sex: hidden, visit date: quarters and 3 more columns"
    assert shown["Records that may be suppressed"] == "5.00\u202f%"
    assert shown["Weights"] == "all columns have the same weight"
    assert bench.find("settings.sentence").text() == "These settings are the current ones."
    assert shown["People"].startswith("not given")
    assert ["age", "3", "5", "20-year bands"] in texts(bench.find("settings.node").model())
    required = {line[0]: line[2] for line in texts(bench.find("settings.models_required").model())}
    assert required["k-anonymity"] == "k ≥ 5"


def open_menu(bench: Bench, card: AnalysisCard) -> QMenu:
    bench.qtbot.mouseClick(card.menu_button, LEFT)
    bench.qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    return QApplication.activePopupWidget()


def trigger(bench: Bench, menu: QMenu, text: str) -> None:
    action = next(a for a in menu.actions() if a.text().startswith(text))
    bench.qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())


def test_values_are_saved_with_every_digit_and_copied_for_spreadsheets(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = bench.utility.view.cards["loss"]
    path = tmp_path / "loss.csv"
    monkeypatch.setattr("anonymizer_gui.widgets.file_dialogs.ask_save", lambda *_: path)
    trigger(bench, open_menu(bench, card), "Save values")
    found = bench.ask("loss_by_attribute")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["column"], float(row["loss"])) for row in rows] == [
        (a.name, a.loss) for a in found.attributes
    ]
    trigger(bench, open_menu(bench, card), "Copy values")
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[1].split("\t")[:2] == [found.attributes[0].name, repr(found.attributes[0].loss)]


def test_pictures_are_saved_as_png_and_svg(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = bench.utility.view.cards["columns"]
    for ending, head in ((".png", b"\x89PNG"), (".svg", b"<?xml")):
        path = tmp_path / f"age{ending}"
        monkeypatch.setattr("anonymizer_gui.widgets.picture_saving.ask_save", lambda *_, p=path: p)
        trigger(bench, open_menu(bench, card), "Save picture")
        assert path.read_bytes().startswith(head)


def test_each_of_several_tables_is_saved_to_a_separate_file(bench: Bench) -> None:
    bench.open_pane("columns", "class_sizes")
    menu = open_menu(bench, bench.utility.view.cards["columns"])
    within = next(a.menu() for a in menu.actions() if a.menu() is not None)
    titles = [action.text() for action in within.actions()]  # type: ignore[union-attr]
    assert titles == [f"{table.title}…" for table in bench.ask("class_sizes").tables()]
    menu.close()


def test_help_explains_an_analysis_and_how_to_read_it(bench: Bench) -> None:
    card = bench.utility.view.cards["columns"]
    for key in ("distribution", "statistics", "class_sizes", "classification"):
        bench.open_pane("columns", key)
        bench.qtbot.mouseClick(card.help_button, LEFT)
        popup = QApplication.activePopupWidget()
        about = card.pane_of(key).about
        assert about.summary
        assert [about.summary, about.reading] == [
            w for w in popup.words() if w in (about.summary, about.reading)
        ]  # type: ignore[attr-defined]
        bench.qtbot.keyClick(popup, Qt.Key.Key_Escape)
        bench.qtbot.waitUntil(lambda p=popup: not p.isVisible())  # type: ignore[misc]


def test_a_chart_describes_the_position_under_the_pointer(bench: Bench) -> None:
    rows = bench.find("loss_by_attribute.loss")
    name = rows.texts()[0][0]
    row = rows.row_at(QPoint(20, rows.row_rect(name).center().y()))
    assert row.name == name
    assert row.tooltip.startswith(f"{name}: ")


def test_hidden_panes_request_nothing(bench: Bench) -> None:
    panes = bench.utility.view.panes
    shown = [key for key, pane in panes.items() if isinstance(pane, AnalysisPane) and pane.is_shown]
    assert sorted(shown) == ["contingency", "distribution", "loss_by_attribute"]
