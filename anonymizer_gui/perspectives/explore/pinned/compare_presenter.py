"""Computes comparisons in a task and shows them in a side sheet; later changes do not affect them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from math import nan
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from anonymizer_gui.models.node_name import LevelWords, named_node
from anonymizer_gui.perspectives.explore.inspector.parts import ClassChart
from anonymizer_gui.perspectives.explore.inspector.values import ClassShares, class_shares, sizes_of
from anonymizer_gui.perspectives.explore.inspector.why_part import class_size
from anonymizer_gui.perspectives.explore.pinned.rows import (
    choice_name,
    differing_words,
    figure_headings,
    figure_rows,
    kept_rows,
    opening_of_runs,
    opening_words,
    record_headings,
    record_rows,
    settings_words,
)
from anonymizer_gui.session import Session
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TextsTable
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.floating_card import SideSheet
from anonymizer_gui.widgets.labels import ElidedLabel, TwoLineLabel, make_label
from anonymizer_gui.widgets.layouts import clear, hbox, named, stacked, vbox
from anonymizer_gui.widgets.level_glyph import MIDDLE, Glyph, LevelGlyph
from anonymizer_gui.widgets.segmented import SegmentedControl
from anonymizer_gui.widgets.small_chart import Histogram, SizeHistogram
from engine.monitor import SILENT, Monitor
from engine.numbers import as_decimal
from engine.project.pins_and_runs import Choice, Run
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.project import Project
    from engine.project.node_comparison import Side
    from engine.scoring.scored import Profile


class _Comparison(NamedTuple):
    """Comparison with its texts."""

    heads: tuple[SideHead, SideHead]
    opening: str
    figures: tuple[list[Heading], list[list[Cell]]]
    charts: tuple[SideCharts, SideCharts]
    records: tuple[str, list[Heading], list[list[Cell]]]


class ComparePresenter(QObject):
    """Presenter of the side sheet, for at most one comparison."""

    adopt_requested = Signal(object)  # Choice

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._runner, self._window = session, session.runner, window
        self.dialog: CompareDialog | None = None  # dialog, while it is open
        self._sides: tuple[Choice, Choice] | None = None
        # Comparisons depend on the current hierarchies and roles.
        session.results.problem_changed.connect(lambda *_unused: self._close())

    def compare(self, left: Choice, right: Choice) -> None:
        """Compare two choices; the sheet opens when the comparison is computed."""
        project, profile = self._session.project, self._session.results.profile
        if project is None or profile is None:
            return
        show, label = partial(self._show, (left, right)), self.tr("Comparing two nodes")
        optimum = self._session.results.optimum
        self._runner.run(
            _compare, project, profile, left, right, optimum, then=show, label=label, key="compare"
        )

    def compare_kept(self, left: Run, right: Run, why_not: tuple[str, str]) -> None:
        """Compare the stored values of two releases, if one of them cannot be re-applied."""
        self._runner.cancel("compare")
        dialog = self._shown_dialog((left.choice, right.choice))
        dialog.show_heads(
            [
                SideHead(
                    run.name or choice_name(run.choice), settings_words(run.choice.requirement), None, why
                )
                for run, why in zip((left, right), why_not, strict=True)
            ]
        )
        dialog.show_figures(opening_of_runs(left, right), figure_headings(), kept_rows(left, right))
        dialog.show_only_figures(next(filter(None, why_not), ""))
        self._raise(dialog)

    def _show(self, sides: tuple[Choice, Choice], compared: _Comparison) -> None:
        dialog = self._shown_dialog(sides)
        dialog.show_heads(compared.heads)
        dialog.show_figures(compared.opening, *compared.figures)
        dialog.show_charts(compared.charts)
        dialog.show_records(*compared.records)
        dialog.show_only_figures("")
        self._raise(dialog)

    def _shown_dialog(self, sides: tuple[Choice, Choice]) -> CompareDialog:
        if self.dialog is None:
            self.dialog = CompareDialog(self._window)
            self.dialog.adopt_requested.connect(self._on_adopt_requested)
            self.dialog.finished.connect(lambda _result: self._close())
        self._sides = sides
        return self.dialog

    def _raise(self, dialog: CompareDialog) -> None:
        dialog.show()
        dialog.raise_()
        dialog.pages.setFocus()

    def _on_adopt_requested(self, side: int) -> None:
        if self._sides is not None:
            self.adopt_requested.emit(self._sides[side])

    def _close(self) -> None:
        self._runner.cancel("compare")
        dialog, self.dialog, self._sides = self.dialog, None, None
        if dialog is not None:
            dialog.close()
            dialog.deleteLater()


def _compare(
    project: Project,
    profile: Profile,
    left: Choice,
    right: Choice,
    optimum: Node | None,
    monitor: Monitor = SILENT,
) -> _Comparison:
    from engine.project.node_comparison import compare_nodes

    found = compare_nodes(project, profile, left, right, monitor)
    columns = found.left.choice.columns
    return _Comparison(
        (
            _head(found.left, found.right, profile.problem, optimum),
            _head(found.right, found.left, profile.problem, optimum),
        ),
        opening_words(
            (found.left.metrics.get("loss", nan), found.right.metrics.get("loss", nan)),
            (found.left.report.suppressed, found.right.report.suppressed),
        ),
        (figure_headings(), figure_rows(found, LevelWords(profile.problem))),
        (_charts(found.left), _charts(found.right)),
        (differing_words(found), record_headings(columns), record_rows(found, project)),
    )


def _head(side: Side, other: Side, problem: Problem, optimum: Node | None) -> SideHead:
    """Name a side by its distance to the optimum; its glyph marks the columns that differ from the other."""
    named = named_node(side.node, problem, optimum)
    return SideHead(
        named.name,
        settings_words(side.choice.requirement),
        side.report.satisfies,
        glyph=named_node(side.node, problem, other.node).glyph,
        details=named.details,
    )


def _charts(side: Side) -> SideCharts:
    shown = []
    for found in side.report.furthest:
        size = class_size(side.report.table, found.number, found.n_records)
        caption = _("{size}, t\u00a0=\u00a0{distance}").format(
            size=size, distance=as_decimal(found.distance, 3)
        )
        shown.append((found.column, class_shares(found, caption)))
    return sizes_of(side.report, side.choice.requirement.k), shown


_WIDTH = 720
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


SideCharts = tuple[Histogram, list[tuple[str, ClassShares]]]  # furthest classes by sensitive column


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
        self._opening = named(make_label("", Text.HEADING, wraps=True), "compareOpening")
        self._words = named(make_label("", Text.CELL, "text_2", wraps=True), "differingWords")
        self._charts = QGridLayout()
        self._stack = stacked(self._figures_page(), self._classes_page(), self._records_page())
        self.pages.selected.connect(self._on_page_chosen)
        self._build()

    def show_heads(self, heads: Sequence[SideHead]) -> None:
        """Show the compared nodes before the comparison is computed."""
        for shown, head in zip(self._heads, heads, strict=True):
            shown.show_head(head)

    def show_figures(self, opening: str, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Show what differs in a sentence, and all settings and values."""
        self._opening.setText(opening)
        self._opening.setVisible(bool(opening))
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
        clear(self._charts)
        for column, (histogram, furthest_classes) in enumerate(sides):
            self._charts.setColumnStretch(column, 1)
            row = 0
            parts: list[tuple[str, QWidget]] = []
            sizes = SizeHistogram(height=_CHART_HEIGHT)
            sizes.show_histogram(histogram)
            parts.append((histogram.title, sizes))
            for name, furthest in furthest_classes:
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
        self.lay_out(self._opening, hbox(*((head, 1) for head in self._heads), spacing=8), (card, 1))

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
