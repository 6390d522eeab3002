"""Small charts: a plot area with an axis and labels below it, and records by class size."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.theming import Text, current_theme, font, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.accessible import Accessible, Role
from anonymizer_gui.widgets.drawn import Drawn
from engine.numbers import as_exact_count
from engine.words import _

CHART_HEIGHT, LABELS = 52, 14  # of the plot, and of the labels below it
_Align = Qt.AlignmentFlag


class SmallChart(Drawn, QWidget):
    """Plot area with an axis and labels below it."""

    def __init__(self, *, height: int = CHART_HEIGHT) -> None:
        super().__init__()
        self._height = height
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Chart)

    def sizeHint(self) -> QSize:
        return QSize(140, self._height + scaled(LABELS))

    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.sizeHint().height())

    def plot_rect(self) -> QRectF:
        return QRectF(0.5, 4, self.width() - 1, self._height - 4)

    def draw_axis(self, painter: QPainter) -> None:
        plot = self.plot_rect()
        painter.setPen(QPen(current_theme().color("border_strong"), 1))
        painter.drawLine(QPointF(plot.left(), plot.bottom()), QPointF(plot.right(), plot.bottom()))

    def draw_labels(self, painter: QPainter, labels: list[tuple[float, str]]) -> None:
        """Draw texts centred at positions, without those that would overlap the previous one."""
        painter.setFont(font(Text.TICK))
        painter.setPen(current_theme().color("text_3"))
        metrics = painter.fontMetrics()
        taken = -10.0
        for x, text in labels:
            width = metrics.horizontalAdvance(text)
            left = min(max(x - width / 2, 0.0), self.width() - width - 1.0)
            if left <= taken + 3:
                continue
            place = QRectF(left, self._height, width + 2, scaled(LABELS))
            painter.drawText(place, int(_Align.AlignLeft), text)
            taken = left + width


_FEWEST_EDGES = 3


@dataclass(frozen=True, slots=True)
class Histogram:
    """Records by class size; `edges` has one entry more than `records`.

    `suppressed` are the suppressed ones among `records`, empty if there are none. `counted` names what sizes
    count if not records.
    """

    edges: tuple[int, ...]
    records: tuple[int, ...]
    k: int | None
    suppressed: tuple[int, ...] = ()
    counted: str = ""

    @property
    def title(self) -> str:
        """Title of the chart."""
        return (
            _("Records by {counted} in their class").format(counted=self.counted)
            if self.counted
            else _("Records by class size")
        )


def histogram_of(
    sizes: NDArray[np.integer[Any]],
    k: int | None,
    kept: NDArray[np.bool_] | None = None,
    records: NDArray[np.integer[Any]] | None = None,
    counted: str = "",
) -> Histogram:
    """Return the records of classes in a 1, 2, 5 series of sizes; `k` is the required size.

    Records of classes that are not `kept` are counted separately. If sizes count something other than
    records, named by `counted`, `records` has the number of records of every class.
    """
    weights = sizes if records is None else records
    largest, edges = int(sizes.max(initial=1)), [1]
    while edges[-1] <= largest or len(edges) < _FEWEST_EDGES:
        edges.append((1, 2, 5)[len(edges) % 3] * 10 ** (len(edges) // 3))
    bins = np.searchsorted(edges, sizes, side="right") - 1
    n_bins = len(edges) - 1
    summed = np.bincount(bins, weights=weights, minlength=n_bins)[:n_bins]
    suppressed: tuple[int, ...] = ()
    if kept is not None and not kept.all():
        gone = np.bincount(bins[~kept], weights=weights[~kept], minlength=n_bins)[:n_bins]
        suppressed = tuple(int(n) for n in gone)
    return Histogram(tuple(edges), tuple(int(n) for n in summed), k, suppressed, counted)


class SizeHistogram(SmallChart):
    """Chart with a logarithmic axis and a line at the required size."""

    def __init__(self, *, height: int = CHART_HEIGHT) -> None:
        super().__init__(height=height)
        self.data: Histogram | None = None  # histogram shown

    def show_histogram(self, data: Histogram | None) -> None:
        self.data = data
        if data is not None:
            gone = data.suppressed or (0,) * len(data.records)
            lines = [
                (
                    _("{low} to {high}: {n} records, {n_suppressed} suppressed")
                    if m
                    else _("{low} to {high}: {n} records")
                ).format(
                    low=as_exact_count(low),
                    high=as_exact_count(high - 1),
                    n=as_exact_count(n),
                    n_suppressed=as_exact_count(m),
                )
                for low, high, n, m in zip(data.edges, data.edges[1:], data.records, gone, strict=False)
                if n
            ]
            legend = [_("hollow: suppressed")] if data.suppressed else []
            size = (
                _("Class size, {counted}").format(counted=data.counted) if data.counted else _("Class size")
            )
            self.setToolTip("\n".join([size, *lines, *legend]))
            self.setAccessibleName(f"{data.title}. {'; '.join(lines)}")
        self.update()

    def draw(self, painter: ThemedPainter) -> None:
        data = self.data
        if data is None:
            return
        plot, first, last = self.plot_rect(), data.edges[0], data.edges[-1]

        def x_of(size: float) -> float:
            return plot.left() + plot.width() * log(size / first) / log(last / first)

        highest = max(max(data.records), 1)
        headroom = scaled(LABELS) if data.k is not None and data.k > 1 else 6
        gone = data.suppressed or (0,) * len(data.records)
        for low, high, n, m in zip(data.edges, data.edges[1:], data.records, gone, strict=False):
            if not n:
                continue
            height = max(n / highest * (plot.height() - headroom), 1)
            left, width = x_of(low) + 1, x_of(high) - x_of(low) - 2
            hollow = height * m / n
            painter.fill(QRectF(left, plot.bottom() - height + hollow, width, height - hollow), "series_2")
            if m:
                outline = QRectF(left + 0.5, plot.bottom() - height + 0.5, width - 1, max(hollow - 1, 1))
                painter.outline(outline, "fail_line", filled="surface")
        self.draw_axis(painter)
        if data.k is not None and data.k > 1:
            x = min(x_of(min(data.k, last)), plot.right())
            line = QLineF(x, 0, x, plot.bottom())
            painter.ink("halo", 3)  # the line has the colour of the bars it may cross
            painter.drawLine(line)
            painter.ink("accent", 1.3, [3, 2])
            painter.drawLine(line)
            painter.style(Text.TICK, "accent_text", SEMI_BOLD)
            text = f"k = {data.k}"
            width = painter.fontMetrics().horizontalAdvance(text)
            left = x + 4 if x + 4 + width < plot.right() else x - 4 - width
            painter.drawText(QRectF(left, 0, width + 2, scaled(LABELS)), int(_Align.AlignLeft), text)
        self.draw_labels(painter, [(x_of(edge), _short(edge)) for edge in data.edges])


def _short(size: int) -> str:
    return f"{size // 1000}k" if size >= 1000 and size % 1000 == 0 else str(size)
