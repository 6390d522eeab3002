"""Paints a neighbourhood: card of the selected node, cards of its neighbours, further rows, edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QImage,
    QPainter,
    QPainterPath,
)

from anonymizer_gui.models.node_name import short_names
from anonymizer_gui.perspectives.explore.lattice.card_faces import draw_ground, draw_line_cards, draw_words
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout
from anonymizer_gui.perspectives.explore.lattice.marks import Marks, PlacedMark, edge_pen, marks_on_card
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import (
    BARRED,
    CAPTION_WIDTH,
    FULL,
    LEAST,
    SHORT,
    TINY,
    WITH_BARS,
    Arrangement,
    Band,
    DotBlock,
    Item,
    MeasuredValue,
    Neighbourhood,
    NodeValues,
    Step,
    Tier,
)
from anonymizer_gui.perspectives.explore.lattice.node_look import NodeLook
from anonymizer_gui.perspectives.explore.lattice.raster import N_RAMP, dot_sizes, palette
from anonymizer_gui.theming import Text, font, ramp_colors, scaled
from anonymizer_gui.theming.painter import ThemedPainter, filled, stamp
from anonymizer_gui.theming.type_scale import REGULAR, SEMI_BOLD
from anonymizer_gui.widgets.level_glyph import LARGE, MIDDLE, SMALL, Glyph, GlyphSize, fitting, glyph_picture
from anonymizer_gui.widgets.meter import draw_meter
from engine.numbers import as_exact_count, as_nodes
from engine.words import _

_Align = Qt.AlignmentFlag
_RIGHT_MIDDLE = int(_Align.AlignRight | _Align.AlignVCenter)
_LEFT_MIDDLE = int(_Align.AlignLeft | _Align.AlignVCenter)
_CENTER = int(_Align.AlignCenter)
_PADDING = 10
CARD_BAND, CARD_RADIUS = 8, 6
_MARK = 18
_ROOMY = (FULL, BARRED, SHORT)
_PAST = 6  # px between a stack of chips and an edge past it


def _is_stacked(item: Item, items: Sequence[Item], *, is_up: bool) -> bool:
    """Return whether another item lies between an item and the selected card."""
    sign = 1 if is_up else -1
    return any(
        other.rect.center().x() == item.rect.center().x()
        and sign * (other.rect.center().y() - item.rect.center().y()) > 0
        for other in items
    )


class CardPainting:
    """Painter of one arrangement, with everything its parts need."""

    def __init__(
        self,
        painter: ThemedPainter,
        arrangement: Arrangement,
        hood: Neighbourhood,
        values: NodeValues,
        layout: LatticeLayout,
        look: NodeLook,
        marks: Marks,
    ) -> None:
        self._painter, self._arrangement, self._hood, self._values = painter, arrangement, hood, values
        self._layout, self._look, self._marks = layout, look, marks

    def draw(self) -> None:
        painter = self._painter
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for band in self._arrangement.bands:
            self._draw_band(band)
        for block in self._arrangement.blocks:
            draw_block(painter, block, self._look)
        for is_up in (True, False):
            self._draw_edges([i for i in self._arrangement.items if i.step and i.step.is_up is is_up], is_up)
        chips = [item for item in self._arrangement.items if item.is_chip]
        steps = {i.node: (f"{i.step.name}: {i.step.meaning}",) for i in chips if i.step is not None}
        cards = ((item.node, item.rect.translated(-0.5, -0.5)) for item in chips)  # on whole pixels
        draw_line_cards(painter, cards, self._look, steps, compared=self._hood.node)
        for item in self._arrangement.items:
            if item.step is not None and not item.is_chip:
                self._draw_card(item.rect, item.node, item.step)
        self._draw_selected(self._arrangement.selected.rect)
        for mark in marks_of_cards(self._arrangement, self._marks):
            mark.draw(self._painter, mark.box, self._painter.theme)

    # -- rows ----------------------------------------------------------------------------------

    def _draw_band(self, band: Band) -> None:
        painter, rect = self._painter, band.rect
        if band.distance == 0:
            painter.fill(rect, "surface_2")
        painter.fill(QRectF(rect.left(), round(rect.bottom()) - 1, rect.width(), 1), "grid")
        nodes = self._layout.rows[band.row]
        satisfying = int(np.count_nonzero(self._look.classes[nodes] < N_RAMP))
        lines = [
            (_("Row {sum}").format(sum=self._layout.sums[band.row]), Text.SECTION, "text"),
            (as_nodes(len(nodes)), Text.TICK, "text_3"),
            (_("{satisfying} satisfy").format(satisfying=as_exact_count(satisfying)), Text.TICK, "text_3"),
            *((line, Text.TICK, "text_2") for line in self._relation(band)),
        ]
        y = rect.top() + 8.0
        for text, use, token in lines:
            height = QFontMetricsF(font(use)).height()
            if y + height > rect.bottom():
                break
            painter.ink(token)
            room = QRectF(rect.left() + 12, y, scaled(CAPTION_WIDTH) - 14, height)
            draw_words(painter, room, text, use)
            y += height + 1

    def _relation(self, band: Band) -> Sequence[str]:
        if band.distance == 0:
            return (_("the selected node,"), _("best of its row"))
        if band.distance == 1 and self._hood.up:
            return (_("one column"), _("more general"))
        if band.distance == -1 and self._hood.down:
            return (_("one column"), _("more precise"))
        return (_("best of the row"),)

    # -- edges ---------------------------------------------------------------------------------

    def _draw_edges(self, items: Sequence[Item], is_up: bool) -> None:
        """Draw lines from the edge of the large card to the middle of each small one."""
        painter, start = self._painter, self._arrangement.selected.rect
        painter.tint("")
        ordered = sorted(items, key=lambda item: item.rect.center().x())
        reach = min(start.width() - 60, 40.0 * max(len(ordered) - 1, 1))
        for i, item in enumerate(ordered):
            share = i / (len(ordered) - 1) - 0.5 if len(ordered) > 1 else 0.0
            here = QPointF(start.center().x() + share * reach, start.top() if is_up else start.bottom())
            there = QPointF(item.rect.center().x(), item.rect.bottom() if is_up else item.rect.top())
            bend = (there.y() - here.y()) * 0.6
            path = QPainterPath(here)
            if _is_stacked(item, items, is_up=is_up):  # past the chip below or above it
                beside = QPointF(item.rect.left() - _PAST, there.y())
                path.cubicTo(here + QPointF(0, bend), beside - QPointF(0, bend), beside)
                path.lineTo(beside.x(), item.rect.center().y())
                path.lineTo(item.rect.left(), item.rect.center().y())
            else:
                path.cubicTo(here + QPointF(0, bend), there - QPointF(0, bend), there)
            painter.setPen(edge_pen(item.node, self._marks.optimum, self._look, self._painter.theme))
            painter.drawPath(path)

    # -- cards ---------------------------------------------------------------------------------

    def _draw_card(self, rect: QRectF, node: int, step: Step) -> None:
        painter, look = self._painter, self._look
        tier = self._arrangement.tier
        self._draw_ground(rect, node, 1.0, CARD_BAND if tier is FULL else 6)
        inner = rect.adjusted(_PADDING, 0, -_PADDING, -4)
        y = rect.top() + (14 if tier is FULL else 9)
        line = QFontMetricsF(font(Text.CAPTION)).height()
        height = max(line, scaled(18))
        apart = 3.0 if tier is FULL else 1.0
        self._draw_levels(QRectF(inner.left(), y, inner.width(), height), node, step)
        y += height + 2 + apart
        if tier is LEAST:
            painter.ink("text")
            words = f"{step.name}: {step.meaning}"
            draw_words(painter, QRectF(inner.left(), y, inner.width(), line), words, Text.TICK)
            y += line
            self._draw_amounts(QRectF(inner.left(), y, inner.width(), line), node)
            return
        painter.ink("text")
        draw_words(painter, QRectF(inner.left(), y, inner.width(), line), step.name, Text.SECTION)
        y += line
        painter.ink("text_2")
        draw_words(painter, QRectF(inner.left(), y, inner.width(), line), step.meaning, Text.CAPTION)
        y += line + apart
        meters = tier in WITH_BARS
        bar = 7.0 if meters else 0.0
        room = QRectF(inner.left(), y, inner.width(), line)
        self._draw_pair(room, look.value_name, look.value_text(node), "text")
        if meters:
            share = look.value_share(node)
            draw_meter(
                painter, QRectF(room.left(), room.bottom(), room.width(), bar), painter.theme, share,
                color=self._value_color(node),
            )  # fmt: skip
        room.translate(0, line + bar + apart)
        too_many = look.is_over(node)
        token = "danger" if too_many else "text"
        self._draw_pair(room, _("suppressed"), look.suppressed_text(node), token)
        if meters:
            draw_meter(
                painter, QRectF(room.left(), room.bottom(), room.width(), bar), painter.theme,
                look.suppressed_share(node), look.limit_share, painter.theme.danger if too_many else "",
            )  # fmt: skip

    def _draw_ground(self, rect: QRectF, node: int, width: float, band: int) -> None:
        """Draw the background of a card, with a wide edge for the selected one."""
        painter, look = self._painter, self._look
        value, whole = int(look.classes[node]), rect.adjusted(-0.5, -0.5, 0.5, 0.5)
        is_minimal = look.is_minimal(node)
        draw_ground(painter, whole, value, band=band, radius=CARD_RADIUS, is_minimal=is_minimal)
        if width > 1:
            painter.outline(rect, "ink", width, radius=CARD_RADIUS)

    def _draw_levels(self, rect: QRectF, node: int, step: Step) -> None:
        """Draw the glyph with the changed column marked, and its level at the right."""
        painter, look = self._painter, self._look
        painter.style(Text.CAPTION, "accent_text", SEMI_BOLD)
        level, height = int(look.levels[node, step.attribute]), look.heights[step.attribute]
        text = _("{level} of {height}").format(level=level, height=height)
        painter.drawText(rect, _RIGHT_MIDDLE, text)
        room = rect.width() - painter.fontMetrics().horizontalAdvance(text) - 6
        glyph, size = fitting(look.glyph(node, self._hood.node), room, (MIDDLE, SMALL))
        self._draw_glyph(rect.left(), rect.center().y(), glyph, size)

    def _draw_glyph(self, left: float, middle: float, glyph: Glyph, size: GlyphSize) -> None:
        picture = glyph_picture(glyph, size, self._painter.device().devicePixelRatioF(), self._painter.theme)
        height = picture.height() / picture.devicePixelRatio()
        self._painter.drawPixmap(QPointF(round(left), round(middle - height / 2)), picture)

    def _draw_pair(self, rect: QRectF, name: str, value: str, token: str) -> None:
        painter = self._painter
        painter.style(Text.CAPTION, token, SEMI_BOLD)
        painter.drawText(rect, _RIGHT_MIDDLE, value)
        width = painter.fontMetrics().horizontalAdvance(value)
        painter.ink("text_2")
        draw_words(painter, rect.adjusted(0, 0, -width - 4, 0), name, Text.CAPTION)

    def _draw_amounts(self, rect: QRectF, node: int) -> None:
        """Draw metric and suppressed records in one line, for low cards."""
        painter, look = self._painter, self._look
        too_many = look.is_over(node)
        painter.style(Text.TICK, "danger" if too_many else "text", SEMI_BOLD)
        painter.drawText(rect, _RIGHT_MIDDLE, look.suppressed_text(node))
        width = painter.fontMetrics().horizontalAdvance(look.suppressed_text(node))
        painter.ink("text")
        draw_words(painter, rect.adjusted(0, 0, -width - 4, 0), look.value_words(node), Text.TICK)

    def _value_color(self, node: int) -> str:
        theme, look = self._painter.theme, self._look
        if not look.satisfies(node):
            return theme.fail_line
        return ramp_colors(theme)[int(look.classes[node])].name()

    # -- the selected node ---------------------------------------------------------------------

    def _draw_selected(self, rect: QRectF) -> None:
        tier, node = self._arrangement.tier, self._hood.node
        self._draw_ground(rect, node, 2.5, 9 if tier is FULL else 6)
        inner = rect.adjusted(14, 0, -14, -6)
        y = rect.top() + (18 if tier is FULL else 11)
        y = self._draw_large_levels(inner, y, node, tier)
        self._draw_values(QRectF(inner.left(), y, inner.width(), inner.bottom() - y), node, tier)

    def _draw_large_levels(self, inner: QRectF, y: float, node: int, tier: Tier) -> float:
        """Draw a column of the glyph and the level per attribute, names below; return the y below."""
        painter, glyph = self._painter, self._look.glyph(node)
        n_columns = max(len(glyph.levels), 1)
        cell, size = inner.width() / n_columns, LARGE if tier in _ROOMY else SMALL
        digits = font(Text.HEADING if tier in _ROOMY else Text.CELL)
        height = max(QFontMetricsF(digits).height(), float(scaled(size.height)))
        number, column = QFontMetricsF(digits).horizontalAdvance("0") + 4, scaled(size.column)
        has_numbers = cell >= column + number
        for i, level in enumerate(glyph.levels):
            left = inner.left() + i * cell + (cell - column - (number if has_numbers else 0)) / 2
            one = Glyph((level,), (glyph.heights[i],), frozenset(), glyph.fails)
            self._draw_glyph(left, y + height / 2, one, size)
            if has_numbers:
                painter.setFont(digits)
                painter.ink("text" if level else "text_3")
                place = QRectF(left + column + 4, y, cell, height)
                painter.drawText(place, _LEFT_MIDDLE, str(level))
        y += height + 2
        if tier is not TINY:
            painter.setFont(font(Text.TICK))
            metrics = QFontMetricsF(font(Text.TICK))
            painter.ink("text_3")
            names = self._hood.names
            if any(metrics.horizontalAdvance(name) > cell - 3 for name in names):
                names = short_names(names)
            for i, name in enumerate(names):
                if cell < 22:
                    break  # elided names could not be distinguished
                shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, cell - 3)
                painter.drawText(QRectF(inner.left() + i * cell, y, cell, metrics.height()), _CENTER, shown)
            y += metrics.height() + (3 if tier in _ROOMY else 0)
        if tier in _ROOMY:
            painter.fill(QRectF(inner.left(), round(y), inner.width(), 1), "grid")
        return y + (9 if tier is FULL else 5 if tier in _ROOMY else 1)

    def _draw_values(self, rect: QRectF, node: int, tier: Tier) -> None:
        """Draw the metric with its rank, suppressed records with the limit, and models with thresholds."""
        look, theme = self._look, self._painter.theme
        too_many = look.is_over(node)
        values = [
            MeasuredValue(look.value_name, look.value_text(node), self._values.rank, True),
            MeasuredValue(_("suppressed"), look.suppressed_text(node), look.limit_words, not too_many),
        ]
        is_measured = bool(self._values.models)
        models = list(self._values.models) or [MeasuredValue("k, l, t", "", _("updating"), True)]
        shares = [1.9, 2.2, *([1.0] * len(models) if is_measured else [1.0])]
        while len(models) > 1 and rect.width() / sum(shares) < scaled(34):
            models.pop()  # the inspector shows all of them
            shares.pop()
        x, unit = rect.left(), rect.width() / sum(shares)
        for i, (entry, share) in enumerate(zip([*values, *models], shares, strict=True)):
            room = QRectF(x, rect.top(), unit * share - 8, rect.height())
            y = self._draw_value(room, entry, tier)
            x += unit * share
            bar = QRectF(room.left(), y + 2, room.width(), 8)
            if tier is FULL and i == 0 and bar.bottom() <= rect.bottom() + 4:
                draw_meter(self._painter, bar, theme, look.value_share(node), color=self._value_color(node))
            elif tier is FULL and i == 1 and bar.bottom() <= rect.bottom() + 4:
                color = theme.danger if too_many else ""
                draw_meter(self._painter, bar, theme, look.suppressed_share(node), look.limit_share, color)

    def _draw_value(self, rect: QRectF, entry: MeasuredValue, tier: Tier) -> float:
        painter = self._painter
        name, value, small = Text.CAPTION, Text.STAT, Text.CAPTION
        if tier is not FULL:
            name, value, small = Text.TICK, Text.TITLE, Text.TICK
        y = rect.top()
        lines = [
            (entry.name, name, "text_2", None),
            (entry.value, value, "text" if entry.is_met else "danger", SEMI_BOLD),
            (entry.threshold, small, "text_2", REGULAR),
        ]
        if tier in (LEAST, TINY):
            lines = lines[:2]
        for text, use, token, weight in lines:
            height = QFontMetricsF(font(use, weight)).height()
            painter.ink(token)
            draw_words(painter, QRectF(rect.left(), y, rect.width(), height), text, use, weight)
            y += height
        return y


def marks_of_cards(cards: Arrangement, marks: Marks) -> list[PlacedMark]:
    """Place star, flag and pins on the corners of cards and chips."""
    items = (*cards.items, cards.selected)
    return [mark for item in items for mark in marks_on_card(marks, item.node, item.rect, _MARK)]


def draw_block(painter: ThemedPainter, block: DotBlock, look: NodeLook) -> None:
    """Draw the remaining nodes of a row as dots, on whole device pixels."""
    ratio = painter.device().devicePixelRatioF()
    width, height = round(block.rect.width() * ratio), round(block.rect.height() * ratio)
    pixels = np.zeros((height, width), dtype=np.uint32)
    x, y = block.corners()
    left = np.rint((x - block.rect.left()) * ratio).astype(np.int64)
    top = np.rint((y - block.rect.top()) * ratio).astype(np.int64)
    shown = look.classes[block.nodes]
    large, small = dot_sizes(block.pitch, ratio)
    for side, chosen in ((small, shown >= N_RAMP), (large, shown < N_RAMP)):
        stamp(pixels, left[chosen], top[chosen], filled(side, side), palette(painter.theme)[shown[chosen]])
    image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    painter.drawImage(block.rect.topLeft(), image)
