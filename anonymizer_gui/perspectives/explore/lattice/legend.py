"""Legends of the lattice: the marks in use at their true shape, and how to read a card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.explore.lattice.card_faces import band_of, draw_ground, draw_small_bar
from anonymizer_gui.perspectives.explore.lattice.card_painting import CARD_BAND, CARD_RADIUS
from anonymizer_gui.perspectives.explore.lattice.corners import Corner
from anonymizer_gui.perspectives.explore.lattice.diagram import RADIUS
from anonymizer_gui.perspectives.explore.lattice.diagram_painting import step_pen
from anonymizer_gui.perspectives.explore.lattice.marks import Marks
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, FAILS, N_RAMP, NOT_SCORED, dot_picture
from anonymizer_gui.perspectives.explore.metric_text import metric_name
from anonymizer_gui.theming import (
    Text,
    font,
    loss_at,
    ramp_colors,
    ramp_position,
    scaled,
)
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import CachedPicture
from anonymizer_gui.widgets.level_glyph import LARGE, MIDDLE, Glyph, draw_glyph, fitting, glyph_width
from anonymizer_gui.widgets.marks import Mark, draw_mark
from engine.words import _


class Drawing(Enum):
    """Forms in which the nodes of a lattice are drawn."""

    SHARES = "shares"
    DOTS = "dots"
    CHIPS = "chips"
    CARDS = "cards"
    DIAGRAM = "diagram"


@dataclass(frozen=True)
class InUse:
    """Content of a legend.

    Attributes
    ----------
    pitch : float
        Pixels between two dots.
    statuses : tuple of Mark
        Satisfying, minimal, failing and unscored nodes that are drawn.
    marks : tuple of Mark
        Optimum, applied and pinned nodes.
    has_selected, has_filtered : bool
        Whether a node is selected, and whether some are dimmed by a filter.
    """

    drawing: Drawing = Drawing.DOTS
    pitch: float = 4.0
    statuses: tuple[Mark, ...] = ()
    marks: tuple[Mark, ...] = ()
    has_selected: bool = False
    has_filtered: bool = False


def marks_in_use(
    colours: NodeLook, marks: Marks, drawing: Drawing = Drawing.DOTS, pitch: float = 4.0
) -> InUse:
    """Return what a legend explains for nodes in these colours."""
    classes, minimal = colours.classes, colours.minimal
    has = {
        Mark.SATISFIES: bool((classes < N_RAMP).any()),
        Mark.MINIMAL: minimal is not None and bool(minimal.any()),
        Mark.FAILS: bool((classes == FAILS).any()),
        Mark.NOT_SCORED: bool((classes == NOT_SCORED).any()),
    }
    marked = (
        (Mark.OPTIMUM, marks.optimum is not None),
        (Mark.APPLIED, marks.applied is not None),
        (Mark.PINNED, bool(marks.pinned)),
    )
    return InUse(
        drawing,
        pitch,
        tuple(mark for mark, is_used in has.items() if is_used),
        tuple(mark for mark, is_used in marked if is_used),
        marks.selected is not None,
        bool((classes == DIMMED).any()),
    )


_Align = Qt.AlignmentFlag
_LEFT_MIDDLE = int(_Align.AlignLeft | _Align.AlignVCenter)
_SWATCH, _TEXT_AT = QSize(22, 13), 36
_NAMES = 110  # px for the names of columns
_LARGEST_PITCH = 20.0  # its square fits a line
_VALUES = {Mark.SATISFIES: 0, Mark.MINIMAL: 0, Mark.FAILS: FAILS, Mark.NOT_SCORED: NOT_SCORED}


@dataclass(frozen=True, eq=False)
class LegendScale:
    """Ends of the colour ramp, and the format of its numbers."""

    name: str
    best: float
    worst: float
    text: Callable[[float], str]

    def printed(self) -> list[tuple[float, str]]:
        """Return numbers with their positions on the ramp: both ends and round ones between."""
        if not self.worst > self.best:
            return [(0.0, self.text(self.best))]
        values = [self.best, *(round_between(self.best, self.worst, at) for at in (0.33, 0.57)), self.worst]
        places = ramp_position(values, self.best, self.worst)
        return [(float(at), self.text(value)) for at, value in zip(places, values, strict=True)]


def round_between(best: float, worst: float, position: float) -> float:
    """Return a round value close to a position of the ramp."""
    from math import floor, log10

    step = 10.0 ** floor(log10(worst - best)) / 2
    return round(loss_at(position, best, worst) / step) * step


def draw_swatch(
    painter: ThemedPainter, place: QRectF, used: InUse, value: int, *, is_minimal: bool = False
) -> None:
    """Draw a node of a colour class centred in a place, as the lattice draws it."""
    rect = QRectF(0, 0, _SWATCH.width(), _SWATCH.height())
    rect.moveTopLeft(QPointF(round(place.left()), round(place.center().y() - rect.height() / 2)))
    if used.drawing in (Drawing.DIAGRAM, Drawing.CHIPS, Drawing.CARDS):
        is_large = used.drawing is Drawing.CARDS
        band, radius = (CARD_BAND, CARD_RADIUS) if is_large else (band_of(value), RADIUS)
        draw_ground(painter, rect, value, band=band, radius=radius, is_minimal=is_minimal)
    else:
        draw_dots_of(painter, rect, used.pitch, value, is_minimal=is_minimal)


def draw_dots_of(
    painter: ThemedPainter, place: QRectF, pitch: float, value: int, *, is_minimal: bool
) -> None:
    """Draw as many nodes of a colour class as fit a place; a single dot would hardly be seen."""
    pitch = min(pitch, _LARGEST_PITCH)
    picture = dot_picture(pitch, painter.device().devicePixelRatioF(), value, painter.theme, is_minimal)
    width, height = (side / picture.devicePixelRatio() for side in (picture.width(), picture.height()))
    across, down = max(int(place.width() / width), 1), max(int(place.height() / height), 1)
    top = round(place.center().y() - down * height / 2)
    for at in range(across * down):
        painter.drawImage(QPointF(place.left() + at % across * width, top + at // across * height), picture)


class Legend(Corner):
    """Marks of the present view: statuses, lines of the selected node, star, flag and pin."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale: LegendScale | None = None
        self.used = InUse()  # what is explained
        self._picture = CachedPicture()  # the lattice below is drawn far more often
        self.setObjectName("legend")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_used(self, scale: LegendScale | None, used: InUse) -> bool:
        """Explain another view, with its ramp, or None if no node satisfies; return whether it changed."""
        before = self._shown()
        self._scale, self.used = scale, used
        if self._shown() == before:
            return False
        self.setAccessibleName(self._colours_text())
        self.setAccessibleDescription("; ".join(text for _mark, text in (*self._rows(), *self._line())))
        self.adjustSize()
        self.update()
        return True

    def _shown(self) -> tuple[object, ...]:
        scale = self._scale
        ramp = None if scale is None else (scale.name, scale.best, scale.worst, scale.text(scale.best))
        return ramp, self.used

    def sizeHint(self) -> QSize:
        rows, metrics = self._rows(), QFontMetrics(font(Text.CAPTION))
        widths = [metrics.horizontalAdvance(text) + scaled(_TEXT_AT) for _mark, text in rows]
        widths.append(sum(metrics.horizontalAdvance(text) + scaled(30) for _mark, text in self._line()))
        widths += [metrics.horizontalAdvance(self._colours_text()) + scaled(_TEXT_AT)] if self._scale else []
        n_lines = len(rows) + bool(self._line()) + (1 if self._scale else 0)
        height = n_lines * self._high() + (scaled(26) if self._scale else 0) + 8
        return QSize(max(*widths, scaled(180)) + 12, height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def draw(self, painter: ThemedPainter) -> None:
        super().draw(painter)
        self._picture.paint(painter, self, self._shown(), self._draw)

    def _draw(self, painter: ThemedPainter) -> None:
        high, y = self._high(), 4.0
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._scale is not None:
            self._swatch(painter, QRectF(6, y, 22, high), Mark.SATISFIES)
            self._write(painter, scaled(_TEXT_AT), y, self._colours_text())
            self._draw_ramp(painter, self._scale, y + high)
            y += high + scaled(26)
        for mark, text in self._rows():
            self._swatch(painter, QRectF(6, y, 22, high), mark)
            self._write(painter, scaled(_TEXT_AT), y, text)
            y += high
        x = 6.0
        for mark, text in self._line():
            draw_mark(painter, QRectF(x, y, scaled(16), high), painter.theme, mark)
            self._write(painter, x + scaled(20), y, text)
            x += painter.fontMetrics().horizontalAdvance(text) + scaled(30)

    def _swatch(self, painter: ThemedPainter, place: QRectF, mark: Mark | str) -> None:
        middle = place.center().y()
        if mark in _VALUES:
            shown = _VALUES[mark]
            if self.used.drawing is Drawing.SHARES:
                draw_mark(painter, place, painter.theme, mark, ramp_colors(painter.theme)[0])
            else:
                draw_swatch(painter, place, self.used, shown, is_minimal=mark is Mark.MINIMAL)
        elif mark == "filtered":
            draw_swatch(painter, place, self.used, DIMMED)
        else:
            pen = step_pen(painter.theme, satisfies=mark != "failing step")
            if self.used.drawing is not Drawing.DIAGRAM:
                pen.setWidthF(1.3)
            painter.setPen(pen)
            painter.drawLine(QPointF(place.left(), middle), QPointF(place.left() + 22, middle))

    def _colours_text(self) -> str:
        if self._scale is None:
            return ""
        if self.used.drawing is Drawing.SHARES:
            return self.tr("share that satisfies, best {name}").format(name=self._scale.name)
        return self.tr("satisfies, coloured by {name}").format(name=self._scale.name)

    def _rows(self) -> list[tuple[Mark | str, str]]:
        """Return the rows below the ramp."""
        used, rows = self.used, list[tuple[Mark | str, str]]()
        for mark, text in (
            (Mark.MINIMAL, self.tr("minimal: no predecessor satisfies")),
            (Mark.FAILS, self.tr("fails the requirement")),
            (Mark.NOT_SCORED, self.tr("not scored yet")),
        ):
            if mark in used.statuses and not (mark is Mark.MINIMAL and used.drawing is Drawing.SHARES):
                rows.append((mark, text))
        if used.has_filtered:
            rows.append(("filtered", self.tr("filtered out")))
        if used.has_selected and used.drawing is Drawing.DIAGRAM:
            rows.append(("step", self.tr("step from the selected node")))
            rows.append(("failing step", self.tr("such a step that fails")))
        elif used.has_selected:
            rows.append(("step", self.tr("steps of the selected node")))
        return rows

    def _line(self) -> list[tuple[Mark, str]]:
        """Return the marks on nodes, side by side in the last row."""
        return [(mark, _(mark.value)) for mark in self.used.marks]

    def _draw_ramp(self, painter: ThemedPainter, scale: LegendScale, y: float) -> None:
        left, width = float(scaled(_TEXT_AT)), scaled(140)
        colours = ramp_colors(painter.theme)
        for i, colour in enumerate(colours):
            x = left + width * i / len(colours)
            painter.fillRect(QRectF(x, y + 2, width / len(colours) + 0.6, 8), colour)
        painter.style(Text.TICK, "text_3")
        metrics = painter.fontMetrics()
        taken = -1.0
        printed = scale.printed()
        last = printed[-1]
        limit = left + width + 14 - metrics.horizontalAdvance(last[1]) - 5
        for at, text in printed:
            length = metrics.horizontalAdvance(text)
            x = min(max(left + at * width - length / 2, left), left + width + 14 - length)
            if x <= taken + 4 or ((at, text) != last and x + length > limit):
                continue
            place = QRectF(x, y + 11, length + 2, metrics.height())
            painter.drawText(place, int(_Align.AlignLeft | _Align.AlignTop), text)
            taken = x + length

    def _write(self, painter: ThemedPainter, x: float, y: float, text: str) -> None:
        _write(painter, QRectF(x, y, self.width() - x, self._high()), text)

    def _high(self) -> int:
        return scaled(17)


class CardLegend(Corner):
    """Explanation of the cards of a diagram: the glyph with the names of its columns, and the bars."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("cardLegend")
        self.hide()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._names: tuple[str, ...] = ()
        self._heights: tuple[int, ...] = ()
        self._metric, self._has_bar, self._has_step = "", False, False

    def show_cards(
        self, names: Sequence[str], heights: Sequence[int], metric: str, *, has_bar: bool, has_step: bool
    ) -> None:
        """Explain cards: short names and highest levels of columns, key of the metric, if bars show it."""
        shown = (tuple(names), tuple(heights), metric, has_bar, has_step)
        if shown == (self._names, self._heights, self._metric, self._has_bar, self._has_step):
            return
        self._names, self._heights, self._metric, self._has_bar, self._has_step = shown
        self.setAccessibleName("; ".join([self.tr("fill shows generalization"), *self._texts()]))
        self.adjustSize()
        self.update()

    def _texts(self) -> list[str]:
        texts = [self.tr("what the step changes")] if self._has_step else []
        if self._has_bar:
            name = metric_name(self._metric)
            is_loss = self._metric == "loss"
            texts.append(
                self.tr("{metric}, 0 unchanged to 1 hidden").format(metric=name) if is_loss else name
            )
        return [*texts, self.tr("row = sum of levels · arrows walk edges")]

    @property
    def _column(self) -> int:
        """Pixels from one column to the next: wide enough for the names; 0 if they take too much."""
        metrics = QFontMetrics(font(Text.TICK))
        widest = max((metrics.horizontalAdvance(name) for name in self._names), default=0)
        column = max(widest + 8, scaled(22))
        return column if column * len(self._names) <= scaled(_NAMES) else 0

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(font(Text.CAPTION))
        glyph = self._column * len(self._names) or glyph_width(len(self._names), MIDDLE)
        beside = metrics.horizontalAdvance(self.tr("fill shows generalization")) + 10
        *bars, last = [metrics.horizontalAdvance(text) for text in self._texts()]
        texts = max([last, *(width + scaled(_TEXT_AT) for width in bars)])
        height = scaled(LARGE.height + 16) + len(self._texts()) * scaled(17) + 8
        return QSize(max(glyph + beside, texts) + 12, height)

    def draw(self, painter: ThemedPainter) -> None:
        super().draw(painter)
        column = self._column
        levels = tuple(-(-height // 2) for height in self._heights)
        x, y = 6.0, 4.0
        if column:
            painter.setFont(font(Text.TICK))
            for name, level, height in zip(self._names, levels, self._heights, strict=True):
                left = x + (column - scaled(LARGE.column)) / 2
                draw_glyph(painter, QPointF(round(left), y), Glyph((level,), (height,)), LARGE, painter.theme)
                painter.ink("text_3")
                place = QRectF(x, y + scaled(LARGE.height), column, scaled(14))
                painter.drawText(place, int(_Align.AlignCenter), name)
                x += column
        else:
            glyph, size = fitting(Glyph(levels, self._heights), self.width(), (MIDDLE,))
            draw_glyph(painter, QPointF(x, y), glyph, size, painter.theme)
            x += glyph_width(len(glyph.levels), size)
        place = QRectF(x + 10, y, self.width() - x, scaled(LARGE.height))
        _write(painter, place, self.tr("fill shows generalization"))
        y += scaled(LARGE.height + 16)
        samples: list[str] = [
            *(["step"] if self._has_step else []),
            *(["bar"] if self._has_bar else []),
            "",
        ]
        for sample, text in zip(samples, self._texts(), strict=True):
            middle = y + scaled(17) / 2
            if sample == "step":
                draw_glyph(painter, QPointF(14, round(middle - 7)), Glyph((1,), (2,), frozenset({0})), MIDDLE)
            elif sample:
                colour = ramp_colors(painter.theme)[16].name()
                draw_small_bar(painter, QPointF(6, middle), 22, 0.9, colour)
            left = 6 if not sample else scaled(_TEXT_AT)
            _write(painter, QRectF(left, y, self.width() - left, scaled(17)), text)
            y += scaled(17)


def _write(painter: ThemedPainter, place: QRectF, text: str) -> None:
    painter.style(Text.CAPTION, "text_2")
    painter.drawText(place, _LEFT_MIDDLE, text)
