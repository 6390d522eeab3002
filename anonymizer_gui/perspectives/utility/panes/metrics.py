"""Table of all metrics, with the loss of each attribute for the selected one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsTable
from engine.numbers import DASH, as_decimal, as_loss, as_significant
from engine.words import N_, _, within_sentence

if TYPE_CHECKING:
    from engine.assessment.utility.metrics import MetricFigure, MetricsFound
    from engine.assessment.utility.quality import ColumnQuality, Scale


class MetricsView(QWidget):
    """Table at the left, the explanation of the selected line at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[MetricLine] = []
        self.table = TextsTable("metricsTable", self.tr("Utility metrics"), stretched=0, gives_way=True)
        self.table.row_chosen.connect(self._on_row_chosen)
        self.meaning = named(make_label("", Text.CELL, "text_2", wraps=True), "metricMeaning")
        self.bars = named(BarRows(self.tr("By column")), "metricBars")
        inner = vbox(
            vbox(self.meaning, margins=(12, 0, 12, 0)), self.bars, STRETCH, spacing=4, margins=(0, 8, 0, 4)
        )
        hbox(
            (self.table, 12),
            make_line(Qt.Orientation.Vertical),
            (scrolled(inner, 120), 8),
            spacing=0,
            margins=0,
            of=self,
        )

    def show_lines(self, lines: list[MetricLine]) -> None:
        """Show the metrics of another release; the selection is unchanged."""
        place = max(self.table.currentIndex().row(), 0)
        self._lines = lines
        self.table.show_rows(headings(), [line.cells for line in lines])
        if lines:
            place = min(place, len(lines) - 1)
            self.table.selectRow(place)
            self._on_row_chosen(place)

    def _on_row_chosen(self, place: int) -> None:
        if 0 <= place < len(self._lines):
            line = self._lines[place]
            self.meaning.setText(line.meaning)
            self.bars.show_rows(line.bars, line.scale)
            self.bars.setVisible(bool(line.bars))


_QUALITY_TITLES = {
    "granularity": N_("Granularity"),
    "generalization_intensity": N_("Generalization intensity"),
    "non_uniform_entropy": N_("Non-uniform entropy"),
    "missings": N_("Missing values"),
    "squared_error": N_("Squared error"),
    "discernibility": N_("Discernibility"),
    "average_class_size": N_("Average class size"),
    "ambiguity": N_("Ambiguity"),
    "record_level_squared_error": N_("Squared error by record"),
    "aggregation_specific_squared_error": N_("Squared error by aggregation"),
}


@dataclass(frozen=True)
class MetricLine:
    """One line of the table, with its chart.

    Attributes
    ----------
    cells : tuple of Cell
    meaning : str
        Explanation of the value in one or two sentences.
    bars : tuple of BarRow
        By attribute; empty for a metric of complete records.
    scale : BarScale
    """

    cells: tuple[Cell, ...]
    meaning: str
    bars: tuple[BarRow, ...]
    scale: BarScale


def headings() -> tuple[Heading, ...]:
    """Return the headings of the columns."""
    return (
        Heading(_("Metric")),
        Heading(_("Value"), True, _("In the unit of the metric; smaller is better")),
        Heading(_("0 to 1"), True, _("From 0 (nothing lost) to 1 (everything lost)")),
    )


def lines_of(found: MetricsFound) -> list[MetricLine]:
    """Return the metrics, that of the search first, then the quality of columns and records as in ARX."""
    lines = [_metric_line(metric) for metric in found.metrics]
    if found.quality is not None:
        lines += [_column_line(key, figure) for key, figure in found.quality.columns.items()]
        lines += [_record_line(key, scale) for key, scale in found.quality.table.items()]
    return lines


def _metric_line(metric: MetricFigure) -> MetricLine:
    name = f"★ {metric.title}" if metric.is_objective else metric.title
    value = as_significant(metric.natural)
    bounds = _("between {low} and {high}").format(
        low=as_significant(metric.low), high=as_significant(metric.high)
    )
    unit = f" {_(metric.unit)}" if metric.unit else ""
    tooltip = metric.why_not or f"{value}{unit}, {bounds}"
    text = (
        _("{title}: used to choose the node").format(title=metric.title)
        if metric.is_objective
        else metric.title
    )
    cells = (
        Cell(name, f"{text}\n{metric.meaning}", is_strong=metric.is_objective),
        Cell(value, tooltip),
        Cell(as_loss(metric.normalized), tooltip, is_strong=metric.is_objective),
    )
    bars, scale = _attribute_bars(metric)
    sentence = metric.meaning.rstrip(". ")
    meaning = metric.why_not or f"{sentence}. {bounds[:1].upper()}{bounds[1:]}{unit}."
    return MetricLine(cells, meaning.strip(), bars, scale)


def _attribute_bars(metric: MetricFigure) -> tuple[tuple[BarRow, ...], BarScale]:
    """Return shares on a scale from 0 to 1; other values on a scale to the largest."""
    values = metric.by_attribute
    largest = max(values.values(), default=0.0)
    is_fraction = largest <= 1.0
    most = 1.0 if is_fraction else largest
    bars = tuple(
        BarRow(
            name,
            "",
            (Bar(max(value, 0.0) / most),),
            as_loss(value) if is_fraction else as_significant(value),
        )
        for name, value in sorted(values.items(), key=lambda item: -item[1])
    )
    return bars, BarScale("0", "1" if is_fraction else as_significant(most), _("lost"))


def _column_line(key: str, figure: ColumnQuality) -> MetricLine:
    mean = figure.arithmetic_mean
    tooltip = _("geometric mean {geometric_mean}, maximum {maximum}").format(
        geometric_mean=as_decimal(figure.geometric_mean, 3), maximum=as_decimal(figure.maximum, 3)
    )
    bars = tuple(
        BarRow(name, "", (Bar(value, "series_2"),), as_decimal(value, 3))
        for name, value in sorted(figure.by_column.items(), key=lambda item: item[1])
    )
    meaning = _("Quality of columns, as ARX reports it: 1 is best, 0 is worst.")
    if key == "missings":
        meaning = _("Share of cells without information, as ARX reports it: 0 is best.")
    words = _("Mean over columns {mean}, {tooltip}.").format(mean=as_decimal(mean, 3), tooltip=tooltip)
    cells = (Cell(_title(key), meaning), Cell(as_decimal(mean, 3), tooltip), Cell(DASH, meaning))
    return MetricLine(cells, f"{meaning} {words}", bars, BarScale("0", "1", _("quality")))


def _record_line(key: str, scale: Scale) -> MetricLine:
    meaning = _("Quality of records, as ARX reports it: 1 is best, 0 is worst.")
    words = _("{result}; {minimum} if nothing is lost, {maximum} if everything is.").format(
        result=as_significant(scale.result),
        minimum=as_significant(scale.minimum),
        maximum=as_significant(scale.maximum),
    )
    cells = (Cell(_title(key), meaning), Cell(as_decimal(scale.quality, 3), words), Cell(DASH, meaning))
    return MetricLine(cells, f"{meaning} {words}", (), BarScale())


def _title(key: str) -> str:
    title = _(_QUALITY_TITLES.get(key, "")) or (key.replace("_", " ").capitalize())
    return _("Quality: {title}").format(title=within_sentence(_(title)))
