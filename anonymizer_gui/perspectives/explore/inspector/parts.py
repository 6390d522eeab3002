"""Painted parts of the inspector: a small chart, buttons to other nodes, and the header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from anonymizer_gui.models.node_name import NamedNode
from anonymizer_gui.perspectives.explore.inspector.values import ClassShares, Step
from anonymizer_gui.theming import Text, font, paint_icon, paint_text, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.buttons import make_button, set_primary
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.drawn import Drawn, FitsRoom
from anonymizer_gui.widgets.labels import ElidedLabel, TwoLineLabel
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.level_glyph import MIDDLE, LevelGlyph
from anonymizer_gui.widgets.marks import Mark, MarkLabel
from anonymizer_gui.widgets.small_chart import SmallChart
from engine.numbers import as_percent

_Align = Qt.AlignmentFlag


class ClassChart(SmallChart):
    """Shares of sensitive values: the table as outlines, the class as bars."""

    def __init__(self) -> None:
        super().__init__()
        self._data: ClassShares | None = None

    def show_class(self, data: ClassShares | None) -> None:
        self._data = data
        if data is not None:
            self.setAccessibleDescription(data.caption)
            line = self.tr("{label}: {inside} of the class, {table} of the table")
            lines = [
                line.format(label=label, inside=as_percent(inside, 1), table=as_percent(table, 1))
                for label, inside, table in zip(data.labels, data.in_class, data.table, strict=True)
            ]
            self.setToolTip(
                "\n".join([data.caption, *lines, self.tr("bars: the class; outlines: the table")])
            )
            self.setAccessibleName("; ".join(lines))
        self.update()

    def draw(self, painter: ThemedPainter) -> None:
        data, theme = self._data, painter.theme
        if data is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        plot = self.plot_rect()
        step = plot.width() / len(data.labels)
        highest = max(*data.table, *data.in_class, 1e-9)
        for i, (table, inside) in enumerate(zip(data.table, data.in_class, strict=True)):
            left = plot.left() + i * step
            if inside > 0:
                height = inside / highest * plot.height()
                painter.fillRect(
                    QRectF(left + 2.5, plot.bottom() - height, step - 5, height), QColor(theme.series_2)
                )
            height = table / highest * plot.height()
            painter.setPen(QPen(QColor(theme.text_2), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if height > 0.5:
                painter.drawRect(QRectF(left + 0.5, plot.bottom() - height, step - 1, height))
        self.draw_axis(painter)
        metrics = QFontMetrics(font(Text.TICK))
        room = max(int(step) - 1, 12)
        texts = [metrics.elidedText(label, Qt.TextElideMode.ElideRight, room) for label in data.labels]
        self.draw_labels(painter, [(plot.left() + (i + 0.5) * step, text) for i, text in enumerate(texts)])


class LineButton(Drawn, QAbstractButton):
    """Clickable line; subclasses paint its text on the background."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(200, scaled(24))

    def draw_ground(self, painter: ThemedPainter) -> None:
        """Shade the line under the pointer."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.tint("hover")
            painter.drawRoundedRect(QRectF(self.rect()), 4, 4)


class StepButton(LineButton):
    """Neighbour in one line: direction, change, loss and suppressed records; a click selects it."""

    node_requested = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.row: Step | None = None
        self.clicked.connect(self._on_clicked)

    def show_item(self, row: Step) -> None:
        """Show another neighbour."""
        self.row = row
        direction = self.tr("more general") if row.is_up else self.tr("more precise")
        fails = "" if row.satisfies or not row.is_scored else self.tr("fails, ")
        text = self.tr("{words}, {direction}: {change}, {fails}{suppressed} suppressed")
        self.setText(
            text.format(
                words=row.words,
                direction=direction,
                change=row.change,
                fails=fails,
                suppressed=row.suppressed,
            )
        )
        self.setObjectName(f"step.{'up' if row.is_up else 'down'}.{row.words}")
        self.setAccessibleName(self.text())
        self.setToolTip(self.text())
        self.update()

    def _on_clicked(self) -> None:
        if self.row is not None:
            self.node_requested.emit(self.row.node)

    def draw(self, painter: ThemedPainter) -> None:
        theme, row = painter.theme, self.row
        if row is None:
            return
        self.draw_ground(painter)
        rect = QRectF(self.rect())
        side = scaled(13)
        icon = QRectF(2, (rect.height() - side) / 2, side, side)
        paint_icon(painter, icon, "arrow-up" if row.is_up else "arrow-down", theme.text_3)
        right, change = step_columns(self.width())
        left = side + 8
        paint_text(painter, QRectF(left, 0, change - left - 52, rect.height()), row.words, Text.CELL)
        flags = int(_Align.AlignRight | _Align.AlignVCenter)
        painter.setFont(font(Text.CELL_STRONG))
        painter.drawText(QRectF(left, 0, change - left, rect.height()), flags, row.change)
        painter.setFont(font(Text.CELL))
        failing = row.is_scored and not row.satisfies
        painter.setPen(theme.color("danger" if failing else "text_3"))
        text = self.tr("fails {suppressed}").format(suppressed=row.suppressed) if failing else row.suppressed
        painter.drawText(QRectF(change, 0, right - change, rect.height()), flags, text)


def step_columns(width: int) -> tuple[float, float]:
    """Return the right edges of the two number columns: suppressed, loss."""
    return width - 2.0, width - 2.0 - scaled(74)


_MARGINS, _SPACING = (14, 8, 12, 6), 6


@dataclass(frozen=True, slots=True)
class HeadChip:
    """Chip under the name; `short` replaces a text that does not fit."""

    text: str
    tone: str = "neutral"
    short: str = ""


class NodeHead(FitsRoom, QWidget):
    """Name, levels, status, rank, distance to the optimum, and the button that applies the node."""

    def __init__(self) -> None:
        super().__init__()
        self._head_chips: tuple[HeadChip, ...] = ()
        self._is_brief = False
        self._title = named(TwoLineLabel(), "inspectorName")
        self._glyph = named(LevelGlyph(MIDDLE), "inspectorGlyph")
        self.apply = make_button(self.tr("Apply"), "applyButton", kind="primary", icon_name="flag")
        self.apply.setAccessibleName(self.tr("Apply the selected node"))
        self._recoded = named(ElidedLabel("", Text.CAPTION, "accent_text"), "recodedBy")
        self._recoded.hide()
        self.chips = [Chip() for _ in range(3)]
        for chip, name in zip(self.chips, ("chip.status", "chip.rank", "chip.distance"), strict=True):
            chip.setObjectName(name)
        self._star = named(MarkLabel(Mark.OPTIMUM, 18), "inspectorStar")
        self._star.hide()
        self._ring = named(MarkLabel(Mark.SELECTED, 18), "inspectorRing")  # in place of the title of the card
        self._ring.hide()
        top = hbox(self._star, self._ring, (self._title, 1), self.apply, spacing=6)
        bottom = hbox(*self.chips, STRETCH, self._glyph, spacing=4)
        self._column = vbox(top, bottom, self._recoded, spacing=_SPACING, margins=_MARGINS, of=self)
        self._title.lines_changed.connect(self._on_lines_changed)

    def show_node(
        self,
        node: NamedNode,
        chips: Sequence[HeadChip],
        *,
        is_optimum: bool,
        can_apply: bool,
        apply_hint: str,
    ) -> None:
        """Show mark, name, levels and status, and whether the node can be applied."""
        self._head_chips = tuple(chips)
        self._star.setVisible(is_optimum)
        self._ring.setVisible(self._is_brief and not is_optimum)
        self._title.setText(node.name)
        self._title.set_hint(node.details)
        self._glyph.show_glyph(node.glyph)
        self._glyph.setToolTip(node.details)
        fails = any(chip.tone == "danger" for chip in chips)
        self.apply.setText(self.tr("Apply anyway…") if fails else self.tr("Apply"))
        set_primary(self.apply, "flag", is_primary=not fails)
        self.apply.setEnabled(can_apply)
        self.apply.setToolTip(apply_hint)
        self._fit()

    def set_brief(self, is_brief: bool) -> None:
        """Show mark, name and button only."""
        self._is_brief = is_brief
        self._ring.setVisible(is_brief and self._star.isHidden())
        self._fit()

    def show_recoded(self, text: str) -> None:
        """Show which recoding the release of this node has; an empty text hides the line."""
        self._recoded.setText(text)
        self._recoded.setVisible(bool(text))

    def _on_lines_changed(self, n_lines: int) -> None:
        self._column.setSpacing(_SPACING if n_lines == 1 else _SPACING - 4)  # the height stays about the same

    def _fit(self) -> None:
        """Show full texts if they fit, else short ones; the levels go first, then the last chips."""
        metrics = QFontMetrics(font(Text.CHIP))
        # 14 px around each text and 4 between, the icon of the first with its gap, a pixel of rounding each.
        around, icon_room = 19, scaled(13) + 1
        whole = icon_room + sum(around + metrics.horizontalAdvance(chip.text) for chip in self._head_chips)
        shorts = [around + metrics.horizontalAdvance(chip.short or chip.text) for chip in self._head_chips]
        room = self.width() - _MARGINS[0] - _MARGINS[2]
        levels = self._glyph.sizeHint().width() + 6
        fits = whole <= room - levels
        has_levels = icon_room + sum(shorts) <= room - levels
        self._glyph.setVisible(has_levels and not self._is_brief)  # the levels are also listed below
        everything = ", ".join(chip.text for chip in self._head_chips)
        for i, place in enumerate(self.chips):
            is_shown = i < len(self._head_chips) and (
                i == 0 or fits or has_levels or icon_room + sum(shorts[: i + 1]) <= room
            )
            is_shown &= not self._is_brief
            place.setVisible(is_shown)
            if not is_shown:
                continue
            chip = self._head_chips[i]
            icon = {"ok": "check", "danger": "x"}.get(chip.tone, "")
            tone = "neutral" if chip.tone == "danger" else chip.tone
            place.show_status(chip.text if fits else chip.short or chip.text, tone, icon_name=icon)
            place.setToolTip("" if fits else everything)
        # Texts changed during layout would keep their previous width.
        self._column.invalidate()
        self._column.activate()
