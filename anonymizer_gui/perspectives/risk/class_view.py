"""Sensitive values of one class compared with the table: rows for categories, a plot for bands of numbers."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedWidget, QWidget

from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.perspectives.risk.class_chart import ClassBars, ClassChart
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from engine.numbers import as_percent, as_risk


class ClassView(QStackedWidget):
    """Horizontal bars with the names of the values if these are categories; they scroll if there are many."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = ClassChart()
        self.rows = named(
            BarRows(self.tr("Sensitive values of a class compared with the whole table")), "classRows"
        )
        self.addWidget(self.plot)
        self.addWidget(scrolled(vbox(self.rows, STRETCH, margins=0)))
        self.bars: ClassBars | None = None  # bars drawn

    @property
    def has_rows(self) -> bool:
        """Return whether the values are categories, each with a row."""
        return self.bars is not None and not self.bars.edges

    def show_bars(self, bars: ClassBars | None) -> None:
        """Show another class."""
        self.bars = bars
        self.setCurrentIndex(int(self.has_rows))
        self.plot.show_bars(None if self.has_rows else bars)
        if bars is not None and self.has_rows:
            self._show_rows(bars)

    def _show_rows(self, bars: ClassBars) -> None:
        highest = max((*bars.of_class, *bars.of_table), default=0.0) or 1.0
        rows = [
            BarRow(
                label,
                bars=(Bar(own / highest), Bar(table / highest, "series_1")),
                text=f"{as_risk(own)} · {as_risk(table)}",
                tooltip=self.tr("{label}: {of_clas} of the class, {of_table} of the table").format(
                    label=label, of_clas=as_risk(own), of_table=as_risk(table)
                ),
            )
            for label, own, table in zip(bars.labels, bars.of_class, bars.of_table, strict=True)
        ]
        scale = BarScale(as_percent(0.0), as_risk(highest), self.tr("share of records"))
        self.rows.show_rows(rows, scale)
