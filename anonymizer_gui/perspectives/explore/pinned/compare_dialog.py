"""Side sheet that compares two nodes: settings and scores, classes, and differing records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QStackedWidget,
    QWidget,
)

from anonymizer_gui.perspectives.explore.inspector.parts import ClassChart
from anonymizer_gui.perspectives.explore.inspector.values import ClassShares
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.labels import ElidedLabel, TwoLineLabel, make_label
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from anonymizer_gui.widgets.level_glyph import MIDDLE, Glyph, LevelGlyph
from anonymizer_gui.widgets.segmented import SegmentedControl
from anonymizer_gui.widgets.side_sheet import SideSheet
from anonymizer_gui.widgets.size_histogram import Histogram, SizeHistogram
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsTable

_WIDTH = 680
_CHART_HEIGHT = 150


@dataclass(frozen=True)
class SideHead:
    """Heading of one side."""

    name: str
    settings: str
    satisfies: bool | None  # None if unknown
    why_not_adopted: str = ""
    glyph: Glyph = field(default_factory=Glyph)
    details: str = ""


@dataclass(frozen=True)
class SideCharts:
    """Charts of one side; sensitive columns by name."""

    sizes: Histogram
    furthest: tuple[tuple[str, ClassShares], ...]


class CompareDialog(SideSheet):
    """Side sheet with a comparison."""

    adopt_requested = Signal(int)  # 0 for the left, 1 for the right

    def __init__(self, page: QWidget) -> None:
        super().__init__("compareDialog", self.tr("Compare two nodes"), _WIDTH, page)
        self.close_button.setObjectName("closeCompare")
        self._heads = tuple(_Head(side) for side in (self.tr("Left"), self.tr("Right")))
        for number, head in enumerate(self._heads):
            head.adopt.clicked.connect(lambda _checked=False, n=number: self.adopt_requested.emit(n))
        self.pages = named(
            SegmentedControl(
                [
                    ("figures", self.tr("Settings and values")),
                    ("classes", self.tr("Classes")),
                    ("records", self.tr("Differing records")),
                ],
                self.tr("What is compared"),
            ),
            "comparePages",
        )
        self.figures = TextsTable(
            "compareFigures",
            self.tr("Settings and values of both"),
            stretched=0,
            gives_way=True,
            is_compact=True,
        )
        self.records = TextsTable(
            "compareRecords", self.tr("Differing records"), stretched=-1, is_compact=True
        )
        for table in (self.figures, self.records):
            table.setFrameShape(TextsTable.Shape.NoFrame)
        self._words = named(make_label("", Text.CELL, "text_2", wraps=True), "differingWords")
        self._charts = QGridLayout()
        self._stack = QStackedWidget()
        for page in (self._figures_page(), self._classes_page(), self._records_page()):
            self._stack.addWidget(page)
        self.pages.selected.connect(self._on_page_chosen)
        self._build()

    def show_heads(self, heads: Sequence[SideHead]) -> None:
        """Show the compared nodes before the comparison is computed."""
        for shown, head in zip(self._heads, heads, strict=True):
            shown.show_head(head)

    def show_figures(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        self.figures.show_rows(headings, rows)

    def show_only_figures(self, reason: str) -> None:
        """Hide classes and records with a reason; an empty text shows them."""
        if reason:
            self.pages.set_current("figures")
            self._on_page_chosen("figures")
        for key in ("classes", "records"):
            self.pages.set_segment_enabled(key, not reason, reason)

    def show_records(self, words: str, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        self._words.setText(words)
        self.records.show_rows(headings, rows)

    def show_charts(self, sides: Sequence[SideCharts]) -> None:
        """Show class sizes above the classes furthest from the table, left and right."""
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
                caption = self.tr("Class with the largest distance: {name}; {caption}").format(
                    name=name, caption=furthest.caption
                )
                parts.append((caption, chart))
            for caption, chart_widget in parts:
                self._charts.addWidget(ElidedLabel(caption, Text.SECTION, "text_2"), row, column)
                self._charts.addWidget(chart_widget, row + 1, column)
                row += 2
            self._charts.setRowStretch(row, 1)

    # ------------------------------------------------------------------------------------------

    def _build(self) -> None:
        card = Card()
        card.insert_lead(self.pages)
        card.set_body(self._stack, 0)
        self.lay_out(hbox(*((head, 1) for head in self._heads), spacing=8), (card, 1))

    def _figures_page(self) -> QWidget:
        page = QWidget()
        vbox(self.figures, margins=0, of=page)
        return page

    def _classes_page(self) -> QWidget:
        page = QWidget()
        self._charts.setHorizontalSpacing(24)
        vbox(self._charts, margins=12, of=page)
        return page

    def _records_page(self) -> QWidget:
        page = QWidget()
        vbox(vbox(self._words, margins=(12, 8, 12, 8)), (self.records, 1), spacing=0, margins=0, of=page)
        return page

    def _on_page_chosen(self, key: str) -> None:
        self._stack.setCurrentIndex(("figures", "classes", "records").index(key))


class _Head(Card):
    """One side: its name with its levels, settings, and whether it satisfies them."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._name = TwoLineLabel()
        self._glyph = LevelGlyph(MIDDLE)
        self._settings = ElidedLabel("", Text.CELL, "text_2")
        self._status = Chip("", "neutral")
        self.adopt = make_button(
            self.tr("Use"), small=True, tooltip=self.tr("Use its settings and select it")
        )
        self.adopt.setAccessibleName(self.tr("Use: {side}").format(side=side))
        self.add_tool(self._status)
        self.add_tool(self.adopt)
        self.set_body(vbox(hbox((self._name, 1), self._glyph, spacing=8), self._settings, spacing=2), 10)

    def show_head(self, head: SideHead) -> None:
        self._name.setText(head.name)
        self._glyph.show_glyph(head.glyph)
        self._glyph.setToolTip(head.details)
        self._settings.setText(head.settings)
        self.adopt.setEnabled(not head.why_not_adopted)
        self.adopt.setToolTip(head.why_not_adopted or self.tr("Use its settings and select it"))
        self._status.setVisible(head.satisfies is not None)
        if head.satisfies:
            self._status.show_status(self.tr("Satisfies"), "ok")
        else:
            self._status.show_status(self.tr("Fails"), "neutral", icon_name="x")
