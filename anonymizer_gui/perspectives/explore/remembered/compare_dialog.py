"""Two nodes side by side: settings and scores, classes, and the records that differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.models.texts_model import Cell, Heading, TextsModel
from anonymizer_gui.perspectives.explore.inspector.inspector_parts import ClassChart
from anonymizer_gui.perspectives.explore.inspector.inspector_values import ClassShares
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.segmented import SegmentedControl
from anonymizer_gui.widgets.size_histogram import Histogram, SizeHistogram
from anonymizer_gui.widgets.tables import COMPACT_ROW_HEIGHT, prepare_table

_SIZE = (960, 640)
_FIGURE_WIDTHS = (230, 240, 240, 130)
_RECORD_WIDTHS, _CELL_WIDTH = (70, 64), 120
_CHART_HEIGHT = 150


@dataclass(frozen=True)
class SideHead:
    """What stands over one side."""

    name: str
    settings: str
    satisfies: bool | None  # None where it is not known any more
    why_not_adopted: str = ""


@dataclass(frozen=True)
class SideCharts:
    """The charts of one side; sensitive columns by name."""

    sizes: Histogram
    furthest: tuple[tuple[str, ClassShares], ...]


class CompareDialog(QDialog):
    """Shows what it is given; stays open beside the window, which can be used meanwhile."""

    adopt_requested = Signal(int)  # 0 for the left, 1 for the right

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Compare two nodes"))
        self.setObjectName("compareDialog")
        self.resize(*(scaled(side) for side in _SIZE))
        self._heads = tuple(_Head(side) for side in (self.tr("Left"), self.tr("Right")))
        for number, head in enumerate(self._heads):
            head.adopt.clicked.connect(lambda _checked=False, n=number: self.adopt_requested.emit(n))
        self.pages = SegmentedControl(
            [
                ("figures", self.tr("Settings and scores")),
                ("classes", self.tr("Classes")),
                ("records", self.tr("Records that differ")),
            ],
            self.tr("What is compared"),
        )
        self.pages.setObjectName("comparePages")
        self.figures, self.figures_model = _table("compareFigures", self.tr("Settings and scores of both"))
        self.records, self.records_model = _table("compareRecords", self.tr("Records that differ"))
        self._words = make_label("", Text.CELL, "text_2", wraps=True)
        self._words.setObjectName("differingWords")
        self._charts = QGridLayout()
        self._stack = QStackedWidget()
        for page in (self._figures_page(), self._classes_page(), self._records_page()):
            self._stack.addWidget(page)
        self.pages.selected.connect(self._on_page_chosen)
        self._build()
        self.pages.setFocus()

    def show_heads(self, heads: Sequence[SideHead]) -> None:
        """Say what is compared, before the comparison is there."""
        for shown, head in zip(self._heads, heads, strict=True):
            shown.show_head(head)

    def show_figures(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        self.figures_model.show(headings, rows)
        _fit(self.figures, _FIGURE_WIDTHS)

    def show_only_figures(self, reason: str) -> None:
        """Leave classes and records out, and say why; empty to show them again."""
        if reason:
            self.pages.set_current("figures")
            self._on_page_chosen("figures")
        for key in ("classes", "records"):
            self.pages.set_segment_enabled(key, not reason, reason)

    def show_records(self, words: str, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        self._words.setText(words)
        self.records_model.show(headings, rows)
        _fit(self.records, (*_RECORD_WIDTHS, *[_CELL_WIDTH] * (len(headings) - len(_RECORD_WIDTHS))))

    def show_charts(self, sides: Sequence[SideCharts]) -> None:
        """Class sizes over the classes furthest from the table, left and right."""
        while (item := self._charts.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for column, side in enumerate(sides):
            self._charts.setColumnStretch(column, 1)
            row = 0
            parts: list[tuple[str, QWidget]] = []
            sizes = SizeHistogram(height=_CHART_HEIGHT)
            sizes.show_histogram(side.sizes)
            parts.append((side.sizes.title, sizes))
            for name, furthest in side.furthest:
                chart = ClassChart()
                chart.show_class(furthest)
                caption = self.tr("Class furthest from the table: {0}; {1}").format(name, furthest.caption)
                parts.append((caption, chart))
            for caption, chart_widget in parts:
                self._charts.addWidget(ElidedLabel(caption, Text.SECTION, "text_2"), row, column)
                self._charts.addWidget(chart_widget, row + 1, column)
                row += 2
            self._charts.setRowStretch(row, 1)

    # ------------------------------------------------------------------------------------------

    def _build(self) -> None:
        heads = QHBoxLayout()
        heads.setSpacing(8)
        for head in self._heads:
            heads.addWidget(head, 1)
        card = Card()
        card.insert_lead(self.pages)
        card.set_body(self._stack, 0)
        close = make_button(self.tr("Close"))
        close.setObjectName("closeCompare")
        close.clicked.connect(self.reject)
        ends = QHBoxLayout()
        ends.addStretch(1)
        ends.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        column.addLayout(heads)
        column.addWidget(card, 1)
        column.addLayout(ends)

    def _figures_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.figures)
        return page

    def _classes_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(12, 12, 12, 12)
        self._charts.setHorizontalSpacing(24)
        column.addLayout(self._charts)
        return page

    def _records_page(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        words = QVBoxLayout()
        words.setContentsMargins(12, 8, 12, 8)
        words.addWidget(self._words)
        column.addLayout(words)
        column.addWidget(self.records, 1)
        return page

    def _on_page_chosen(self, key: str) -> None:
        self._stack.setCurrentIndex(("figures", "classes", "records").index(key))


class _Head(Card):
    """One side: its vector, what it was made with, and whether it satisfies that."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._name = ElidedLabel("", Text.HEADING, "text")
        self._settings = ElidedLabel("", Text.CELL, "text_2")
        self._status = Chip("", "neutral")
        self.adopt = make_button(
            self.tr("Adopt"), small=True, tooltip=self.tr("Take over its settings and select it")
        )
        self.adopt.setAccessibleName(self.tr("Adopt: {0}").format(side))
        self.add_tool(self._status)
        self.add_tool(self.adopt)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(self._name)
        column.addWidget(self._settings)
        self.set_body(column, 10)

    def show_head(self, head: SideHead) -> None:
        self._name.setText(head.name)
        self._settings.setText(head.settings)
        self.adopt.setEnabled(not head.why_not_adopted)
        self.adopt.setToolTip(head.why_not_adopted or self.tr("Take over its settings and select it"))
        self._status.setVisible(head.satisfies is not None)
        if head.satisfies:
            self._status.show_status(self.tr("Satisfies"), "ok")
        else:
            self._status.show_status(self.tr("Fails"), "neutral", icon_name="x")


def _table(name: str, title: str) -> tuple[QTableView, TextsModel]:
    table = QTableView()
    model = TextsModel(parent=table)
    table.setObjectName(name)
    table.setAccessibleName(title)
    table.setModel(model)
    prepare_table(table, row_height=COMPACT_ROW_HEIGHT)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    table.setFrameShape(QTableView.Shape.NoFrame)
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
    table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    return table, model


def _fit(table: QTableView, widths: Sequence[int]) -> None:
    for column, width in enumerate(widths):
        table.setColumnWidth(column, scaled(width))
    table.horizontalHeader().setStretchLastSection(True)
