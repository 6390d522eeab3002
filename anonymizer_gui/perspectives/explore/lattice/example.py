"""Lattices of the examples, from scores that come with the program, for the start page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QSizePolicy

from anonymizer_gui.perspectives.explore.lattice.layout import (
    SMALLEST_PITCH,
    LatticeGeometry,
    LatticeLayout,
    lay_out,
    lay_out_small,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.painting import Canvas, node_layer
from anonymizer_gui.perspectives.explore.lattice.raster import DotPicture
from anonymizer_gui.theming import Text, font, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.drawn import CachedPicture, Picture
from anonymizer_gui.widgets.marks import draw_optimum
from engine.lattice import Lattice
from engine.numbers import as_exact_count, as_percent, as_risk
from engine.shipped import resources_path
from engine.words import _

_MOST_WITH_EDGES = 100  # nodes of a lattice that is laid out for its edges
_FINER, _LARGE_PITCH = 3, 3  # dots closer than this, in px, would be pale in the pixels of the screen
_AWAY = 120, -46  # from the star to the caption, in px


@dataclass(frozen=True, eq=False)
class ExampleScores:
    """Scores of an example: its nodes in the colours of its recipe, and the optimum with loss and k."""

    layout: LatticeLayout
    look: NodeLook
    optimum: int
    loss: float
    k: int


@cache
def example_scores(key: str) -> ExampleScores:
    """Return the scores of an example, as `tests/example_lattices.py` writes them."""
    with np.load(resources_path() / "examples" / "lattices.npz", allow_pickle=False) as file:
        heights = tuple(file[f"{key}.heights"].tolist())
        classes, order, facts = (file[f"{key}.{name}"] for name in ("classes", "order", "facts"))
    lattice = Lattice((0,) * len(heights), heights)
    is_small = lattice.n_nodes <= _MOST_WITH_EDGES
    layout = lay_out_small(lattice.levels) if is_small else lay_out(lattice.sums, order.astype(np.float64))
    look = NodeLook(classes, np.zeros(len(classes)), levels=lattice.levels, heights=heights)
    optimum, loss, k = facts.tolist()
    return ExampleScores(layout, look, int(optimum), loss, int(k))


class ExampleLattice(Picture):
    """Draws the lattice of an example as the lattice itself does; a large one says what its star means."""

    def __init__(self, key: str, width: int, height: int, *, has_caption: bool = False) -> None:
        super().__init__(width, height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._key, self._has_caption = key, has_caption
        self._picture = CachedPicture()

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(60), scaled(60))

    def draw(self, painter: ThemedPainter) -> None:
        self._picture.paint(painter, self, self._key, self._draw)

    def _draw(self, painter: ThemedPainter) -> None:
        scores, ratio = example_scores(self._key), self.devicePixelRatioF()
        area = QRectF(self.rect()).adjusted(4, 2, -4, -2)
        finer, geometry = 1, LatticeGeometry.whole(scores.layout, area, ratio)
        if SMALLEST_PITCH <= geometry.pitch < _LARGE_PITCH:
            finer, ratio = _FINER, ratio * _FINER
            geometry = LatticeGeometry.whole(scores.layout, area, ratio)
        canvas = Canvas(self.size(), (0, 0), ratio)
        layer = node_layer(geometry, scores.look, canvas, painter.theme, DotPicture())
        if finer > 1:
            layer = layer.scaled(layer.size() / finer, mode=Qt.TransformationMode.SmoothTransformation)
            layer.setDevicePixelRatio(ratio / finer)
        painter.drawImage(QPointF(0, 0), layer)
        star = geometry.place(scores.optimum).center()
        if self._has_caption:
            self._draw_caption(painter, star, area, scores)
        side = scaled(26 if self._has_caption else 20)
        draw_optimum(painter, QRectF(star.x() - side / 2, star.y() - side / 2, side, side), painter.theme)

    def _draw_caption(
        self, painter: ThemedPainter, star: QPointF, area: QRectF, scores: ExampleScores
    ) -> None:
        """Write above and right of the star what it is, with a line to it."""
        title = _("the optimum of {n} nodes").format(n=as_exact_count(scores.layout.n_nodes))
        facts = _("{share} of the detail, highest risk {risk}").format(
            share=as_percent(1 - scores.loss, 0), risk=as_risk(1 / scores.k)
        )
        high, strong, plain = scaled(16), font(Text.CAPTION, SEMI_BOLD), font(Text.CAPTION)
        width = 20 + max(
            QFontMetricsF(strong).horizontalAdvance(title), QFontMetricsF(plain).horizontalAdvance(facts)
        )
        if area.width() < 2 * width:
            return  # it would cover the lattice
        x, y = (round(scaled(away)) for away in _AWAY)
        box = QRectF(round(star.x()) + x + 0.5, round(star.y()) + y + 0.5, round(width), 2 * high + 8)
        box.moveRight(min(box.right(), area.right()))
        painter.ink("ink", 1.2)
        painter.drawLine(star, QPointF(box.left(), box.bottom() - high))
        painter.outline(box, "ink", 1.2, radius=6, filled="surface")
        at_left = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for line, (words, own, token) in enumerate(((title, strong, "text"), (facts, plain, "text_2"))):
            painter.setFont(own)
            painter.ink(token)
            painter.drawText(QRectF(box.x() + 10, box.y() + 4 + line * high, width, high), at_left, words)
