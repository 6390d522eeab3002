"""Class sizes: main values, and a chart of the records by class size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QWidget

from anonymizer_gui.charts.axis_titles import AxisTitles
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.charts.plot import ThemedPlot
from anonymizer_gui.theming import follow_theme, scaled
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.layouts import named, nest, vbox
from anonymizer_gui.widgets.tables import HEADER_HEIGHT, ROW_HEIGHT
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsTable, headings_of
from engine.numbers import DASH, as_decimal, as_exact_count
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.utility.class_sizes import ClassSizesFound, SizeBin
    from engine.assessment.utility.of_table import ClassSizes


_ROWS, _WIDE = 3, 900
_MOST_TICKS = 9


class ClassSizesView(FitsRoom, QWidget):
    """Table and chart."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = TextsTable(
            "classSizesTable", self.tr("Class sizes"), stretched=0, gives_way=True, chooses=False
        )
        self.plot = named(ThemedPlot(self.tr("Records by size of their class")), "classSizesPlot")
        self.legend = Legend(
            [
                LegendEntry(Sample.OUTLINE, "series_1", self.tr("input")),
                LegendEntry(Sample.AREA, "series_2", self.tr("release, kept classes")),
            ]
        )
        chart = vbox(vbox(self.legend, margins=(12, 2, 12, 0)), (self.plot, 1), spacing=4)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._parts.setContentsMargins(0, 0, 0, 6)
        self._parts.setSpacing(4)
        self._parts.addWidget(self.table, 4)
        nest(self._parts, chart, 5)
        follow_theme(self._fit)

    def show_findings(self, found: ClassSizesFound) -> None:
        """Show the sizes of another release."""
        self.table.show_rows(headings(found), lines_of(found))
        drawing = drawing_of(found)
        spoken = "; ".join(words.replace("\n", ", ") for words in drawing.words)
        titles = AxisTitles(self.tr("records in the class"), self.tr("records"))
        self.plot.show_drawing(lambda plot: _draw(plot, drawing), titles, spoken)

    def _fit(self) -> None:
        """Put both side by side in wide cards; otherwise the chart has the remaining height."""
        is_wide = self.width() >= scaled(_WIDE)
        directions = QBoxLayout.Direction
        self._parts.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        self.table.setMaximumHeight(scaled(HEADER_HEIGHT) + _ROWS * scaled(ROW_HEIGHT) + 2)
        self.table.setMinimumHeight(scaled(HEADER_HEIGHT) + scaled(ROW_HEIGHT))
        self._parts.setAlignment(self.table, Qt.AlignmentFlag.AlignTop if is_wide else Qt.AlignmentFlag(0))


def _draw(plot: ThemedPlot, drawing: SizesDrawing) -> None:
    n_bins = len(drawing.labels)
    tallest = max(*drawing.before, *drawing.after, 1)
    plot.set_range((-0.6, n_bins - 0.4), (0.0, tallest * 1.08))
    step = -(-n_bins // _MOST_TICKS)
    plot.set_ticks("bottom", [(i, text) for i, text in enumerate(drawing.labels) if i % step == 0])
    plot.set_tick_text("left", lambda value, _decimals: as_exact_count(value))
    for heights, half, token in ((drawing.after, 0.36, "series_2"), (drawing.before, 0.44, "series_1")):
        there = [(i, height) for i, height in enumerate(heights) if height]
        plot.add_bars(
            [i - half for i, _unused in there],
            [i + half for i, _unused in there],
            [height for _unused, height in there],
            token,
            filled=token == "series_2",
        )
    plot.set_tooltip(drawing.words_at)


@dataclass(frozen=True)
class SizesDrawing:
    """Records by class size, with one axis position per bin.

    Attributes
    ----------
    labels : tuple of str
    before, after : tuple of int
        Records per bin.
    words : tuple of str
        Tooltip of each bin.
    """

    labels: tuple[str, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    words: tuple[str, ...]

    def words_at(self, x: float, _y: float) -> str:
        """Return the tooltip at a position of the axis."""
        place = round(x)
        return self.words[place] if 0 <= place < len(self.words) else ""


def headings(found: ClassSizesFound) -> list[Heading]:
    """Return the headings of the columns."""
    keys = ("classes", "smallest", "largest", "mean", "median")
    return [Heading(_("Classes")), *headings_of(found.tables()[0], keys)]


def lines_of(found: ClassSizesFound) -> list[tuple[Cell, ...]]:
    """Return the number of classes, and their sizes."""
    sides: tuple[tuple[str, str, ClassSizes | None], ...] = (
        (_("input"), "", found.before),
        (_("release"), _("Kept classes"), found.after),
        (
            _("with suppressed"),
            _("All suppressed records counted as one more class"),
            found.with_suppressed,
        ),
    )
    if found.people_before is not None:
        meaning = _("Different people with a record in the class")
        sides += (
            (_("input, people"), meaning, found.people_before),
            (_("release, people"), meaning, found.people_after),
        )
    figures = (("count", 0), ("minimum", 0), ("maximum", 0), ("mean", 1), ("median", 1))
    return [
        (Cell(title, meaning or title), *(_cell(side, name, decimals) for name, decimals in figures))
        for title, meaning, side in sides
    ]


def drawing_of(found: ClassSizesFound) -> SizesDrawing:
    """Return the histogram."""
    return SizesDrawing(
        tuple(a_bin.label for a_bin in found.bins),
        tuple(a_bin.records_before for a_bin in found.bins),
        tuple(a_bin.records_after for a_bin in found.bins),
        tuple(_words(a_bin) for a_bin in found.bins),
    )


def _words(a_bin: SizeBin) -> str:
    lines = [_("classes of {a_bin}").format(a_bin=a_bin.label)]
    for side, n_classes, n_records in (
        (_("input"), a_bin.classes_before, a_bin.records_before),
        (_("release"), a_bin.classes_after, a_bin.records_after),
    ):
        words = _("{side}: {n_classes} classes, {n_records} records")
        lines.append(
            words.format(side=side, n_classes=as_exact_count(n_classes), n_records=as_exact_count(n_records))
        )
    return "\n".join(lines)


def _cell(side: ClassSizes | None, name: str, decimals: int) -> Cell:
    return Cell(DASH if side is None else _text(getattr(side, name), decimals))


def _text(value: float, decimals: int) -> str:
    return as_exact_count(value) if value == round(value) else as_decimal(value, decimals)
