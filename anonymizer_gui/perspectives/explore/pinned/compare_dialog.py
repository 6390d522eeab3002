"""Dialog that compares two nodes: settings and scores, classes, and differing records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QGridLayout,
    QHeaderView,
    QStackedWidget,
    QTableView,
    QWidget,
)

from anonymizer_gui.models.measured_text import limit_text, titled, value_text
from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.inspector.parts import ClassChart
from anonymizer_gui.perspectives.explore.inspector.values import ClassShares
from anonymizer_gui.perspectives.explore.metric_text import metric_change, metric_text, metric_title
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl
from anonymizer_gui.widgets.size_histogram import Histogram, SizeHistogram
from anonymizer_gui.widgets.tables import COMPACT_ROW_HEIGHT, prepare_table
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsModel
from engine.frequency.counted import RECORDS
from engine.numbers import DASH, as_change, as_count, as_decimal, as_exact_count, as_percent
from engine.words import N_, _

if TYPE_CHECKING:
    from engine.project import Project
    from engine.project.node_comparison import NodeComparison, Side
    from engine.project.pins_and_runs import Run


_SIZE = (960, 640)
_FIGURE_WIDTHS = (230, 240, 240, 130)
_RECORD_WIDTHS, _CELL_WIDTH = (70, 64), 120
_CHART_HEIGHT = 150


@dataclass(frozen=True)
class SideHead:
    """Heading of one side."""

    name: str
    settings: str
    satisfies: bool | None  # None if unknown
    why_not_adopted: str = ""


@dataclass(frozen=True)
class SideCharts:
    """Charts of one side; sensitive columns by name."""

    sizes: Histogram
    furthest: tuple[tuple[str, ClassShares], ...]


class CompareDialog(QDialog):
    """Non-modal dialog with a comparison."""

    adopt_requested = Signal(int)  # 0 for the left, 1 for the right

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Compare two nodes"))
        self.setObjectName("compareDialog")
        self.resize(*(scaled(side) for side in _SIZE))
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
        self.figures, self.figures_model = _table("compareFigures", self.tr("Settings and values of both"))
        self.records, self.records_model = _table("compareRecords", self.tr("Differing records"))
        self._words = named(make_label("", Text.CELL, "text_2", wraps=True), "differingWords")
        self._charts = QGridLayout()
        self._stack = QStackedWidget()
        for page in (self._figures_page(), self._classes_page(), self._records_page()):
            self._stack.addWidget(page)
        self.pages.selected.connect(self._on_page_chosen)
        self._build()
        self.pages.setFocus()

    def show_heads(self, heads: Sequence[SideHead]) -> None:
        """Show the compared nodes before the comparison is computed."""
        for shown, head in zip(self._heads, heads, strict=True):
            shown.show_head(head)

    def show_figures(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        self.figures_model.show(headings, rows)
        _fit(self.figures, _FIGURE_WIDTHS)

    def show_only_figures(self, reason: str) -> None:
        """Hide classes and records with a reason; an empty text shows them."""
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
        close = named(make_button(self.tr("Close")), "closeCompare")
        close.clicked.connect(self.reject)
        vbox(
            hbox(*((head, 1) for head in self._heads), spacing=8),
            (card, 1),
            hbox(STRETCH, close),
            spacing=8,
            margins=12,
            of=self,
        )

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
    """One side: vector, settings, and whether it satisfies them."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self._name = ElidedLabel("", Text.HEADING, "text")
        self._settings = ElidedLabel("", Text.CELL, "text_2")
        self._status = Chip("", "neutral")
        self.adopt = make_button(
            self.tr("Use"), small=True, tooltip=self.tr("Use its settings and select it")
        )
        self.adopt.setAccessibleName(self.tr("Use: {side}").format(side=side))
        self.add_tool(self._status)
        self.add_tool(self.adopt)
        self.set_body(vbox(self._name, self._settings, spacing=2), 10)

    def show_head(self, head: SideHead) -> None:
        self._name.setText(head.name)
        self._settings.setText(head.settings)
        self.adopt.setEnabled(not head.why_not_adopted)
        self.adopt.setToolTip(head.why_not_adopted or self.tr("Use its settings and select it"))
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


MOST_RECORDS = 200


_COUNTS = {
    "records": N_("Records"),
    "suppressed": N_("Suppressed records"),
    "classes": N_("Kept classes"),
    "k": N_("Smallest kept class (k)"),
}


def figure_headings() -> list[Heading]:
    """Return the headings of the table of settings, levels and scores."""
    return [
        Heading(""),
        Heading(_("Left")),
        Heading(_("Right")),
        Heading(_("Right minus left"), True),
    ]


def figure_rows(found: NodeComparison, words: LevelWords) -> list[list[Cell]]:
    """Return settings, level descriptions and scores, with differences highlighted."""
    left, right = found.left, found.right
    rows = [
        _row(
            _("Suppression limit"),
            as_percent(left.choice.requirement.suppression_limit),
            as_percent(right.choice.requirement.suppression_limit),
        )
    ]
    rows += [_row(name, one, other) for name, one, other in _thresholds(left, right)]
    for q, name in enumerate(left.choice.columns):
        rows.append(_row(name, words.level(q, left.node[q]), words.level(q, right.node[q])))
    rows.append(_row(_("Its requirement"), _status(left), _status(right)))
    rows.append(
        _row(
            _("Suppressed records"),
            _suppressed(left),
            _suppressed(right),
            _difference(left.report.suppressed, right.report.suppressed),
        )
    )
    counted = left.report.table.problem.counted
    smallest = _("Smallest kept class (k)")
    smallest = smallest if counted is RECORDS else f"{smallest}, {counted.many}"
    counts: list[tuple[str, int | None, int | None]] = [
        (_("Kept classes"), left.report.kept_classes, right.report.kept_classes),
        (smallest, left.report.kept_k or None, right.report.kept_k or None),
    ]
    for name, one, other in counts:
        rows.append(_row(name, as_exact_count(one), as_exact_count(other), _difference(one, other)))
    rows += _measured(left, right)
    for key in left.metrics:
        text, pair = metric_text(key), (left.metrics[key], right.metrics[key])
        before, after = (DASH if value != value else text(value) for value in pair)
        rows.append(_row(metric_title(key), before, after, metric_change(key, pair[1] - pair[0])))
    return rows


def kept_rows(left: Run, right: Run) -> list[list[Cell]]:
    """Return the stored values of two releases."""
    limits = [as_percent(run.choice.requirement.suppression_limit) for run in (left, right)]
    rows = [_row(_("Suppression limit"), *limits)]
    names: dict[str, list[str]] = {}
    for place, run in enumerate((left, right)):
        for model in run.choice.requirement.models:
            name = _("Required {value}").format(value=" · ".join([model.title, *model.columns]))
            names.setdefault(name, [_("not required")] * 2)[place] = f"{model.symbol} = {limit_text(model)}"
    rows += [_row(name, one, other) for name, (one, other) in names.items()]
    for key in dict.fromkeys((*left.figures, *right.figures)):
        if (kind := _figure_kind(key)) is None:
            continue
        title, text = kind
        pair = [run.figures.get(key) for run in (left, right)]
        shown = [DASH if value is None else text(value) for value in pair]
        change = ""
        if pair[0] is not None and pair[1] is not None:
            difference, is_count = pair[1] - pair[0], key in _COUNTS or key.startswith("l.")
            is_metric = not is_count and not key.startswith("t.")
            change = (
                metric_change(key, difference) if is_metric else as_change(difference, 0 if is_count else 3)
            )
        rows.append(_row(title, shown[0], shown[1], change))
    return rows


def _figure_kind(key: str) -> tuple[str, Callable[[float], str]] | None:
    """Return title and formatter of a stored value; None if its key is unknown."""
    from engine.utility import utility_metrics

    if key in _COUNTS:
        return _(_COUNTS[key]), as_exact_count
    measure, _unused, column = key.partition(".")
    if column and measure == "l":
        return _("Fewest distinct values (l) · {column}").format(column=column), as_exact_count
    if column and measure == "t":
        return _("Largest distance (t) · {column}").format(column=column), lambda value: as_decimal(value, 3)
    return (metric_title(key), metric_text(key)) if key in utility_metrics else None


def record_headings(columns: Sequence[str]) -> list[Heading]:
    """Return the record, then every quasi-identifying column."""
    return [Heading(_("Record"), True), Heading(""), *(Heading(name) for name in columns)]


def record_rows(found: NodeComparison, project: Project) -> list[list[Cell]]:
    """Return three lines per record: the original cells, those of the left release and of the right one."""
    columns, rows = found.left.choice.columns, []
    originals = [project.table.column(name) for name in columns]
    released = [[side.release.column(name) for name in columns] for side in (found.left, found.right)]
    for record in found.records[:MOST_RECORDS].tolist():
        cells = [[column.text(record) for column in originals]]
        cells += [[c.text(record) if c is not None else "" for c in side] for side in released]
        differs = [bool(found.differing[name][record]) for name in columns]
        for number, (who, texts) in enumerate(
            zip((_("original"), _("left"), _("right")), cells, strict=True)
        ):
            head = Cell(as_exact_count(record + 1) if number == 0 else "", tone="text_2")
            line = [
                Cell(text, tone="text_3" if number == 0 else "text", is_strong=number > 0 and differing)
                for text, differing in zip(texts, differs, strict=True)
            ]
            rows.append([head, Cell(who, tone="text_2"), *line])
    return rows


def differing_words(found: NodeComparison) -> str:
    """Return how many records differ, and in which columns most."""
    n_records, n_all = len(found.records), found.left.release.n_records
    if not n_records:
        return _("Both releases write every record the same.")
    counts = sorted(((int(mask.sum()), name) for name, mask in found.differing.items()), reverse=True)
    most = ", ".join(f"{name} {as_count(count)}" for count, name in counts[:4] if count)
    text = _("{n_records} of {n_all} records differ ({n_records_2}): {most}.")
    words = text.format(
        n_records=as_exact_count(n_records),
        n_all=as_exact_count(n_all),
        n_records_2=as_percent(n_records / n_all),
        most=most,
    )
    if n_records > MOST_RECORDS:
        words += " " + _("The first {MOST_RECORDS} are listed.").format(
            MOST_RECORDS=as_exact_count(MOST_RECORDS)
        )
    return words


def _status(side: Side) -> str:
    return _("satisfies") if side.report.satisfies else _("fails")


def _suppressed(side: Side) -> str:
    share = as_percent(side.report.suppressed / max(side.release.n_records, 1))
    return f"{as_exact_count(side.report.suppressed)} ({share})"


def _thresholds(left: Side, right: Side) -> list[tuple[str, str, str]]:
    """Return every model required on either side, with its threshold."""
    limits: dict[str, list[str]] = {}
    for place, side in enumerate((left, right)):
        for model in side.choice.requirement.models:
            title = side.report.table.problem.counted.worded(model.title)
            name = _("Required {value}").format(value=" · ".join([title, *model.columns]))
            limits.setdefault(name, [_("not required")] * 2)[place] = f"{model.symbol} = {limit_text(model)}"
    return [(name, one, other) for name, (one, other) in limits.items()]


def _measured(left: Side, right: Side) -> list[list[Cell]]:
    """Return the value of every model over the kept classes of both sides."""
    shown: dict[str, list[str]] = {}
    values: dict[str, list[float]] = {}
    for place, side in enumerate((left, right)):
        for found in side.report.values:
            name = " · ".join([titled(found), *([found.column] if found.column else [])])
            shown.setdefault(name, [DASH, DASH])[place] = value_text(found)
            values.setdefault(name, [nan, nan])[place] = nan if found.value is None else float(found.value)
    return [
        _row(name, texts[0], texts[1], _difference(values[name][0], values[name][1], decimals=3))
        for name, texts in shown.items()
    ]


def _difference(one: float | None, other: float | None, decimals: int = 0) -> str:
    if one is None or other is None or not isfinite(other - one):
        return DASH
    return as_change(other - one, decimals)


def _row(name: str, left: str, right: str, difference: str = "") -> list[Cell]:
    differs = left != right
    tone = "text" if differs else "text_2"
    return [
        Cell(name, tone="text_2"),
        Cell(left, tone=tone, is_strong=differs),
        Cell(right, tone=tone, is_strong=differs),
        Cell(difference if differs else "", tone="text_2"),
    ]
