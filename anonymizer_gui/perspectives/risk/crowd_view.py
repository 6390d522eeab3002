"""The crowd: every record as a dot among those of its class, before and after, with hover, click and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil, degrees, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.charts.legend import Legend, LegendEntry
from anonymizer_gui.theming import Text, Theme, current_theme, scaled
from anonymizer_gui.theming.painter import Pixels, ThemedPainter, filled, pixels_of, stamp
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.accessible import Accessible, Role
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import hbox, named, stacked, vbox
from anonymizer_gui.widgets.painted_view import PaintedView
from anonymizer_gui.widgets.picture_saving import ONLY_IN_PICTURES
from engine.findings.blocks import INPUT, RELEASE, SideKey
from engine.kernels.arrays import IntArray
from engine.monitor import SILENT, Monitor
from engine.numbers import as_risk
from engine.words import N_, _

if TYPE_CHECKING:
    from engine.findings.risk.crowd import CrowdFound, CrowdSide

_MARGIN, _TITLES, _BELOW = 12, 52, 22  # px around, above a disc, and below the suppressed
_BLOCK, _PITCH = 0.12, 3.0  # share of the width for the suppressed, and px between two of them
_APART = 4.8  # between the dots of unique records, in the unit of a disc, and 2.3 within a class
_LARGEST_DOT, _TINT, _LEAST_TINTED = 6.0, 0.12, 3.0
_MOST_RINGS, _RING = 200, 1.6
_NAMED, _CROWDED = 38, 60  # px of the radius, and dots, of a circle with words in it
_MOST_SCALE = 12.0  # px per unit; small tables take less room
_REACH, _BETWEEN_STEPS = 4.0, 1000
_DRAWING = N_("Drawing the crowd")

_Shown = tuple[SideKey, int]  # a circle


@dataclass(frozen=True)
class CrowdPlan:
    """Places of the discs and of the suppressed in a view, in pixels.

    Attributes
    ----------
    least : float
        Smallest class size that the accepted risk allows.
    """

    width: int
    height: int
    ratio: float
    radius: float
    centres: Mapping[SideKey, QPointF]
    block: QRectF
    pitch: float
    least: float
    theme: Theme = field(compare=False)

    @classmethod
    def of(cls, size: QSize, ratio: float, found: CrowdFound, least: float) -> CrowdPlan:
        """Place both discs with one diameter, as large as they fit."""
        margin, width, height = scaled(_MARGIN), size.width(), size.height()
        room = height - scaled(_TITLES) - margin
        n_gone, wide, pitch = -(-found.n_suppressed // found.per_dot), 0.0, _PITCH
        if n_gone:
            most, high = max(_BLOCK * width, scaled(12)), max(float(room - scaled(_BELOW)), 1.0)
            pitch = min(_PITCH, (most * high / n_gone) ** 0.5)
            wide = max(ceil(n_gone / max(int(high / pitch), 1)) * pitch, scaled(12))
        largest = _MOST_SCALE * max(found.before.disc.radius, found.after.disc.radius)
        radius = max(min(room / 2, (width - wide - 4 * margin) / 4, largest), 1.0)
        gap = min(max((width - wide - 4 * radius - 2 * margin) / 2, margin), scaled(48))
        left = (width - wide - 4 * radius - gap * (2 if n_gone else 1)) / 2
        middle = scaled(_TITLES) + room / 2
        centres = {INPUT: QPointF(left + radius, middle), RELEASE: QPointF(left + gap + 3 * radius, middle)}
        tall = min(ceil(n_gone / max(int(wide / pitch), 1)) * pitch if n_gone else 0.0, 2 * radius)
        block = QRectF(left + 2 * gap + 4 * radius, middle + radius - tall - scaled(_BELOW), wide, tall)
        return cls(width, height, ratio, radius, centres, block, pitch, least, current_theme())

    def scale(self, side: CrowdSide) -> float:
        """Return pixels per unit of a disc."""
        return self.radius / max(side.disc.radius, 1.0)

    def place(self, found: CrowdFound, key: SideKey, circle: int) -> tuple[QPointF, float]:
        """Return centre and radius of a circle."""
        side = found.side(key)
        scale, disc = self.scale(side), side.disc
        centre = self.centres[key] + QPointF(disc.x[circle] * scale, disc.y[circle] * scale)
        return centre, float(disc.radii[circle] * scale)

    def at(self, found: CrowdFound, point: QPointF) -> _Shown | None:
        """Return the circle at a point, or within a few pixels."""
        for key, centre in self.centres.items():
            side, off = found.side(key), point - centre
            scale = self.scale(side)
            if off.x() ** 2 + off.y() ** 2 <= (self.radius + _REACH) ** 2:
                circle = side.disc.at(off.x() / scale, off.y() / scale, _REACH / scale)
                return None if circle is None else (key, circle)
        return None


def crowd_picture(found: CrowdFound, plan: CrowdPlan, monitor: Monitor = SILENT) -> QImage:
    """Return the picture of all dots, for a view of the size of the plan; off the GUI thread."""
    theme, ratio = plan.theme, plan.ratio
    image = QImage(
        round(plan.width * ratio), round(plan.height * ratio), QImage.Format.Format_ARGB32_Premultiplied
    )
    image.setDevicePixelRatio(ratio)
    image.fill(theme.color("surface"))
    with _painter(image, theme) as painter:
        for key in (INPUT, RELEASE):
            _tint(painter, found, plan, key, monitor)
    pixels = pixels_of(image)
    for key in (INPUT, RELEASE):
        monitor.step(2, 3, _(_DRAWING))
        side, centre = found.side(key), plan.centres[key]
        x, y, circles = side.disc.dots()
        scale = plan.scale(side)
        sides = _dot_sizes(side, scale * ratio, ratio)[circles]
        tones = _tones(side.sizes, plan.least)[circles]
        for tone, token in enumerate(_TOKENS):
            for length in np.unique(sides[tones == tone]).tolist():
                chosen = (tones == tone) & (sides == length)
                _stamp(
                    pixels,
                    centre.x() + x[chosen] * scale,
                    centre.y() + y[chosen] * scale,
                    plan,
                    token,
                    length,
                )
    n_gone = -(-found.n_suppressed // found.per_dot)
    per_row = max(int(plan.block.width() / plan.pitch), 1)
    own = np.arange(n_gone)
    left = plan.block.left() + (own % per_row + 0.5) * plan.pitch
    top = plan.block.bottom() - (own // per_row + 0.5) * plan.pitch
    _stamp(pixels, left, top, plan, "fail_line", max(int(plan.pitch * ratio / 2), 1))
    with _painter(image, theme) as painter:
        _ring_most_exposed(painter, found, plan)
    return image


@contextmanager
def _painter(image: QImage, theme: Theme) -> Iterator[ThemedPainter]:
    """Paint on a picture; the painter ends before the picture, also when the task is cancelled."""
    painter = ThemedPainter(image, theme)
    painter.setRenderHint(ThemedPainter.RenderHint.Antialiasing)
    try:
        yield painter
    finally:
        painter.end()


_TOKENS = ("danger", "warn", "series_2")


def _tones(sizes: IntArray, least: float) -> IntArray:
    """Return for each size the place of its colour: unique, above the accepted risk, or within it."""
    return np.where(sizes == 1, 0, np.where(sizes < least, 1, 2))


def _dot_sizes(side: CrowdSide, per_unit: float, ratio: float) -> IntArray:
    """Return the side of the dots of each circle, in device pixels."""
    apart = np.where(side.disc.n_dots == 1, _APART, 2.3) * per_unit
    return np.clip(np.floor(0.8 * apart), 1, round(_LARGEST_DOT * ratio)).astype(np.int64)


def _stamp(
    pixels: Pixels, x: NDArray[Any], y: NDArray[Any], plan: CrowdPlan, token: str, length: int
) -> None:
    ink = np.uint32(plan.theme.color(token).rgba())
    left, top = (np.floor(at * plan.ratio - length / 2 + 0.5).astype(np.int64) for at in (x, y))
    stamp(pixels, left, top, filled(length, length), ink)


def _tint(painter: ThemedPainter, found: CrowdFound, plan: CrowdPlan, key: SideKey, monitor: Monitor) -> None:
    """Draw the ground of circles that are large enough to have one."""
    side = found.side(key)
    tones = _tones(side.sizes, plan.least)
    large = np.flatnonzero(
        side.disc.radii * plan.scale(side) >= np.where(side.disc.n_dots > 1, 1, 3) * _LEAST_TINTED
    )
    painter.setPen(Qt.PenStyle.NoPen)
    for number, circle in enumerate(large.tolist()):
        if number % _BETWEEN_STEPS == 0:
            monitor.step((INPUT, RELEASE).index(key), 3, _(_DRAWING))
        centre, radius = plan.place(found, key, circle)
        painter.tint(_TOKENS[tones[circle]], _TINT)
        painter.drawEllipse(centre, radius, radius)


def _ring_most_exposed(painter: ThemedPainter, found: CrowdFound, plan: CrowdPlan) -> None:
    """Ring the smallest classes of the release; of too many, mark their part of the rim."""
    side = found.after
    smallest = np.flatnonzero(side.sizes == side.smallest)
    painter.ink("warn", _RING)
    painter.tint("")
    if len(smallest) <= _MOST_RINGS:
        for circle in smallest.tolist():
            centre, radius = plan.place(found, RELEASE, circle)
            painter.drawEllipse(centre, radius + 2, radius + 2)
        return
    disc = side.disc
    distances = np.hypot(disc.x, disc.y)
    rim = smallest[distances[smallest] == distances[-1]]  # classes of one ring, in their order
    angles = np.arctan2(disc.y[rim], disc.x[rim])
    is_whole = len(rim) == np.count_nonzero(distances == distances[-1])
    begin, span = float(angles[0]), 2 * pi if is_whole else float((angles[-1] - angles[0]) % (2 * pi))
    around = plan.radius + 4
    room = QRectF(-around, -around, 2 * around, 2 * around).translated(plan.centres[RELEASE])
    painter.drawArc(room, round(-16 * degrees(begin)), round(-16 * degrees(span)))


@dataclass(frozen=True)
class CrowdWords:
    """What is said of the crowd: name and numbers of each table, of its largest class, and the suppressed."""

    headline: str = ""
    basis: str = ""
    titles: Mapping[SideKey, tuple[str, str]] = field(default_factory=dict)
    largest: Mapping[SideKey, tuple[str, str]] = field(default_factory=dict)
    suppressed: str = ""
    legend: Sequence[LegendEntry] = ()


class CrowdCanvas(PaintedView):
    """Both discs and the suppressed; Left and Right go through the classes, from the smallest."""

    picture_requested = Signal(object)  # CrowdPlan
    circle_chosen = Signal(str, int)

    def __init__(self) -> None:
        super().__init__("crowdCanvas", self.tr("Crowd"))
        self._found: CrowdFound | None = None
        self._words = CrowdWords()
        self._least = 1.0
        self._plan: CrowdPlan | None = None
        self._picture: QImage | None = None
        self.hovered: _Shown | None = None
        self.chosen: _Shown | None = None
        self.words_of: Callable[[SideKey, int], str] = lambda _key, _circle: ""  # of a class
        self.setMinimumSize(scaled(320), scaled(200))

    @property
    def plan(self) -> CrowdPlan | None:
        """Places of what is drawn; None without a crowd."""
        return self._plan

    @property
    def is_drawn(self) -> bool:
        """Return whether the picture is there."""
        return self._picture is not None

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Graphic, self._words.headline)

    def show_crowd(self, found: CrowdFound | None, words: CrowdWords, least: float) -> None:
        """Show another crowd, or the same with another accepted risk."""
        if found is not self._found:
            self.hovered = self.chosen = None
        self._found, self._words, self._least = found, words, least
        self.describe(words.headline)
        self.refit()

    def refit(self) -> None:
        self._picture = None
        if self._found is not None and self.width() > 1:
            plan = CrowdPlan.of(self.size(), self.devicePixelRatioF(), self._found, self._least)
            self._plan = plan
            self.picture_requested.emit(plan)
        self.update()

    def show_picture(self, plan: CrowdPlan, picture: QImage) -> None:
        """Show the picture of a plan, unless there is another one by now."""
        if plan is self._plan:
            self._picture = picture
            self.update()

    # -- drawing -------------------------------------------------------------------------------

    def draw(self, painter: ThemedPainter) -> None:
        painter.fill(self.rect(), "surface")
        found, plan = self._found, self._plan
        if found is None or plan is None:
            return
        if self._picture is not None:
            painter.drawImage(0, 0, self._picture)
        painter.setRenderHint(ThemedPainter.RenderHint.Antialiasing)
        for key, (title, numbers) in self._words.titles.items():
            middle, wide = plan.centres[key].x(), max(2 * plan.radius, self.width() / 2 - 4 * scaled(_MARGIN))
            room = QRectF(middle - wide / 2, 6, wide, scaled(18))
            self._write(painter, room, title, Text.TITLE, "text")
            self._write(painter, room.translated(0, scaled(18)), numbers, Text.CELL, "text_2")
            self._name_largest(painter, found, plan, key)
        if self._words.suppressed:
            room = QRectF(0, plan.block.bottom() + 4, scaled(150), scaled(16))
            room.moveRight(min(plan.block.right() + scaled(20), self.width() - 4.0))
            painter.style(Text.AXIS, "text_2")
            painter.drawText(room, int(Qt.AlignmentFlag.AlignRight), self._words.suppressed)
        for shown, token in ((self.hovered, "text_2"), (self.chosen, "ink")):
            if shown is not None:
                self._ring(painter, found, plan, shown, token)

    def _ring(
        self, painter: ThemedPainter, found: CrowdFound, plan: CrowdPlan, shown: _Shown, token: str
    ) -> None:
        centre, radius = plan.place(found, *shown)
        painter.tint("")
        for ink, width in (("halo", 5.0), (token, 2.0)):
            painter.ink(ink, width)
            painter.drawEllipse(centre, radius + 3, radius + 3)

    def _name_largest(self, painter: ThemedPainter, found: CrowdFound, plan: CrowdPlan, key: SideKey) -> None:
        words = self._words.largest.get(key)
        if words is None or not len(found.side(key).sizes):
            return
        centre, radius = plan.place(found, key, 0)
        if radius < scaled(_NAMED) or found.side(key).disc.n_dots[0] < _CROWDED:
            return
        room = QRectF(centre.x() - radius, centre.y() - scaled(17), 2 * radius, scaled(34))
        painter.fill(room, "surface", 0.92)
        lower = QRectF(room.left(), centre.y(), room.width(), scaled(16))
        self._write(painter, lower.translated(0, -scaled(16)), words[0], Text.CELL_STRONG, "text")
        self._write(painter, lower, words[1], Text.AXIS, "text_2")

    @staticmethod
    def _write(painter: ThemedPainter, room: QRectF, text: str, use: Text, token: str) -> None:
        painter.style(use, token, SEMI_BOLD if use is Text.TITLE else None)
        painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), painter.elided(text, room.width()))

    # -- pointer and keys ----------------------------------------------------------------------

    def circle_at(self, point: QPointF) -> _Shown | None:
        """Return the class at a point."""
        if self._found is None or self._plan is None:
            return None
        return self._plan.at(self._found, point)

    def hover(self, position: QPointF | None) -> None:
        shown = None if position is None else self.circle_at(position)
        if shown != self.hovered:
            self.hovered = shown
            self.setCursor(Qt.CursorShape.ArrowCursor if shown is None else Qt.CursorShape.PointingHandCursor)
            self.update()

    def explain(self, position: QPoint, place: QPoint) -> None:
        shown = self.circle_at(QPointF(position))
        QToolTip.showText(place, "" if shown is None else self.words_of(*shown), self)

    def choose(self, key: SideKey, circle: int) -> None:
        """Choose a class, and ask for one of its records."""
        self.chosen = key, circle
        self.describe(self.words_of(key, circle))
        self.update()
        self.circle_chosen.emit(key, circle)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hover(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        shown = self.circle_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and shown is not None:
            self.choose(*shown)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        found, key = self._found, Qt.Key(event.key())
        side, at = self.chosen or (RELEASE, -1)
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            side, at = (INPUT if key == Qt.Key.Key_Up else RELEASE), -1
        last = -1 if found is None else len(found.side(side).sizes) - 1  # the smallest class
        to = (
            last
            if at < 0
            else {
                Qt.Key.Key_Right: at - 1,
                Qt.Key.Key_Left: at + 1,
                Qt.Key.Key_Home: last,
                Qt.Key.Key_End: 0,
            }.get(key)
        )
        if key not in _KEYS or to is None or last < 0:
            super().keyPressEvent(event)
            return
        self.choose(side, min(max(to, 0), last))


_KEYS = (
    Qt.Key.Key_Right,
    Qt.Key.Key_Left,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
)


class CrowdView(FitsRoom, QWidget):
    """Headline, discs and legend, or the table by class size in their place."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("crowdView")
        self.headline = named(make_label("", Text.HEADING, wraps=True), "crowdHeadline")
        self._basis = named(make_label("", Text.CELL, "text_2", wraps=True), "crowdBasis")
        for label in (self.headline, self._basis):
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.canvas = CrowdCanvas()
        self.table = FindingsView("crowd", as_share=as_risk)
        self.table.hide_sentence()
        self._legend = Legend()
        mark = named(make_label(self.tr("internal"), Text.CELL_STRONG, "danger"), "crowdInternal")
        mark.setProperty(ONLY_IN_PICTURES, True)
        policy = mark.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the picture of the dots has the size of its place
        mark.setSizePolicy(policy)
        mark.hide()
        self._stack = stacked(self.canvas, self.table)
        head = vbox(self.headline, self._basis, spacing=2, margins=(14, 8, 14, 0))
        foot = hbox((self._legend, 1), mark, spacing=12, margins=(14, 2, 14, 8))
        vbox(head, (self._stack, 1), foot, spacing=6, margins=0, of=self)

    def show_crowd(self, found: CrowdFound, words: CrowdWords, least: float) -> None:
        """Show a crowd, also as a table."""
        self.headline.setText(words.headline)
        self.headline.setAccessibleName(words.headline)
        self._basis.setText(words.basis)
        self._legend.show_entries(words.legend)
        self.canvas.show_crowd(found, words, least)
        self.table.show_findings(found)
        self._refit()

    def _fit(self) -> None:
        """Demand the height of the wrapped sentences, which no layout around the view asks for."""
        room, wraps = QRect(0, 0, max(self.width() - 28, 1), 1_000), int(Qt.TextFlag.TextWordWrap)
        for label in (self.headline, self._basis):
            label.ensurePolished()
            label.setFixedHeight(label.fontMetrics().boundingRect(room, wraps, label.text()).height() + 4)

    def forget(self) -> None:
        """Let go of the crowd of another release."""
        self.canvas.show_crowd(None, CrowdWords(), 1.0)

    def show_table(self, is_shown: bool) -> None:
        """Show the table by class size, or the discs."""
        self._stack.setCurrentWidget(self.table if is_shown else self.canvas)
        self._legend.setHidden(is_shown)
