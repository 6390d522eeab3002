"""Painted parts of the inspector: level boxes, two small charts, and buttons to other nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from anonymizer_gui.models.node_name import NamedNode
from anonymizer_gui.perspectives.explore.inspector.examples import N_EXAMPLES, Example, Examples
from anonymizer_gui.perspectives.explore.inspector.values import ClassShares, StepRow
from anonymizer_gui.theming import Text, current_theme, font, paint_icon, scaled, theme_manager
from anonymizer_gui.widgets.accessible import Accessible, Role
from anonymizer_gui.widgets.buttons import make_button, set_primary
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.labels import ElidedLabel, TwoLineLabel
from anonymizer_gui.widgets.layouts import named, nest
from anonymizer_gui.widgets.level_glyph import MIDDLE, LevelGlyph
from anonymizer_gui.widgets.marks import Mark, MarkLabel
from anonymizer_gui.widgets.small_chart import SmallChart
from engine.numbers import as_exact_count, as_percent
from engine.words import _

_Align = Qt.AlignmentFlag


class LevelDots(QWidget):
    """One box per level above the input, filled up to the node's level."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level, self._height = 0, 1
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_level(self, level: int, height: int) -> None:
        self._level, self._height = level, height
        self.setAccessibleName(self.tr("level {level} of {height}").format(level=level, height=height))
        self.updateGeometry()
        self.update()

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Graphic)

    def sizeHint(self) -> QSize:
        return QSize(max(self._height, 1) * 9 + 1, 12)  # not scaled: the meaning beside it needs the room

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for i in range(self._height):
            filled = i < self._level
            painter.setPen(QPen(QColor(theme.accent if filled else theme.border_strong), 1))
            painter.setBrush(QColor(theme.accent if filled else theme.surface))
            painter.drawRoundedRect(QRectF(i * 9 + 0.5, 1.5, 6, 8), 1.5, 1.5)


class ClassChart(SmallChart):
    """Shares of sensitive values: the table as outlines, the class as bars."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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

    def paintEvent(self, event: QPaintEvent) -> None:
        data, theme = self._data, current_theme()
        if data is None:
            return
        painter = QPainter(self)
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


_LEAST_EXAMPLES = 2


class ExampleTable(QWidget):
    """Records before and after, two lines each; painted, because it changes with every node."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data: Examples | None = None
        self._most = N_EXAMPLES
        self.setObjectName("examples")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_examples(self, data: Examples) -> None:
        self._data = data
        self._show()

    def show_all(self) -> None:
        """Show all records."""
        self._limit(N_EXAMPLES)

    def fit(self, spare: int) -> None:
        """Show as many records less as a negative spare height requires, but at least two."""
        if spare < 0:
            self._limit(max(len(self._records()) + spare // self._record_height(), _LEAST_EXAMPLES))

    def _limit(self, most: int) -> None:
        if most != self._most:
            self._most = most
            self._show()

    def _record_height(self) -> int:
        return 2 * self._line() + 5

    def _records(self) -> tuple[Example, ...]:
        return tuple(self._data.records[: self._most]) if self._data else ()

    def _show(self) -> None:
        lines = []
        for example in self._records():
            after = _("suppressed") if example.is_suppressed else ", ".join(example.after)
            words = _("record {record}: {before} becomes {after}")
            if example.n_alike:
                words = _("{record} records: {before} becomes {after}")
            lines.append(
                words.format(
                    record=as_exact_count(example.n_alike) if example.n_alike else example.record,
                    before=", ".join(example.before),
                    after=after,
                )
            )
        self.setAccessibleName("; ".join(lines))
        self.updateGeometry()
        self.update()

    @property
    def data(self) -> Examples | None:
        return self._data

    def sizeHint(self) -> QSize:
        return QSize(200, self._line() + len(self._records()) * self._record_height())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._text_at(event.pos()), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        data, theme = self._data, current_theme()
        if data is None:
            return
        painter = QPainter(self)
        line = self._line()
        left, width = self._columns()
        for column, name in enumerate(data.columns):
            self._write(painter, left + column * width, 0, width, name, Text.CAPTION, "text_3")
        for i, example in enumerate(self._records()):
            top = self._top(i)
            painter.fillRect(QRectF(0, top - 3, self.width(), 1), theme.color("grid"))
            painter.setFont(font(Text.CAPTION))
            painter.setPen(theme.color("text_3"))
            place = QRectF(0, top, left - 10, 2 * line)
            painter.drawText(place, int(_Align.AlignRight | _Align.AlignVCenter), example.number)
            use = Text.CELL if example.is_suppressed else Text.CELL_STRONG
            for column, (before, after) in enumerate(zip(example.before, example.after, strict=True)):
                x = left + column * width
                self._write(painter, x, top, width, before, Text.CELL, "text_3")
                self._write(painter, x, top + line, width, after, use, "text")

    def _write(
        self, painter: QPainter, x: float, y: float, width: float, text: str, use: Text, token: str
    ) -> None:
        painter.setFont(font(use))
        painter.setPen(current_theme().color(token))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(width) - 8)
        flags = int(_Align.AlignLeft | _Align.AlignVCenter)
        painter.drawText(QRectF(x, y, width, self._line()), flags, shown)

    def _text_at(self, pos: QPoint) -> str:
        if self._data is None:
            return ""
        left, width = self._columns()
        column = int((pos.x() - left) // max(width, 1))
        for i, example in enumerate(self._records()):
            top = self._top(i)
            if top <= pos.y() < top + 2 * self._line() and 0 <= column < len(self._data.columns):
                after = _("suppressed") if example.is_suppressed else example.after[column]
                return f"{self._data.columns[column]}: {example.before[column]} → {after}"
        return ""

    def _columns(self) -> tuple[float, float]:
        """Return the left edge of the first column and the width of each."""
        data = self._data
        numbers = [example.number for example in self._records()]
        metrics = QFontMetrics(font(Text.CAPTION))
        left = max((metrics.horizontalAdvance(number) for number in numbers), default=0) + 12.0
        return left, (self.width() - left) / max(len(data.columns) if data else 1, 1)

    def _line(self) -> int:
        return scaled(17)

    def _top(self, record: int) -> float:
        line = self._line()
        return float(line + 3 + record * self._record_height())


class LineButton(QAbstractButton):
    """Clickable line; subclasses paint its text on the background."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(200, scaled(24))

    def painter_over_ground(self) -> QPainter:
        """Return a painter for the line with its background painted, shaded under the pointer."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(current_theme().color("hover"))
            painter.drawRoundedRect(QRectF(self.rect()), 4, 4)
        return painter


class StepButton(LineButton):
    """Neighbour in one line: direction, change, loss and suppressed records; a click selects it."""

    node_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row: StepRow | None = None
        self.clicked.connect(self._on_clicked)

    def show_row(self, row: StepRow) -> None:
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

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, row = current_theme(), self.row
        if row is None:
            return
        painter, rect = self.painter_over_ground(), QRectF(self.rect())
        side = scaled(13)
        icon = QRectF(2, (rect.height() - side) / 2, side, side)
        paint_icon(painter, icon, "arrow-up" if row.is_up else "arrow-down", theme.text_3)
        right, change = step_columns(self.width())
        cell = font(Text.CELL)
        metrics = QFontMetrics(cell)
        painter.setFont(cell)
        painter.setPen(theme.color("text"))
        left = side + 8
        words = metrics.elidedText(row.words, Qt.TextElideMode.ElideRight, int(change - left - 52))
        flags = int(_Align.AlignLeft | _Align.AlignVCenter)
        painter.drawText(QRectF(left, 0, change - left, rect.height()), flags, words)
        flags = int(_Align.AlignRight | _Align.AlignVCenter)
        painter.setFont(font(Text.CELL_STRONG))
        painter.drawText(QRectF(left, 0, change - left, rect.height()), flags, row.change)
        painter.setFont(cell)
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

    apply_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head_chips: tuple[HeadChip, ...] = ()
        self._title = named(TwoLineLabel(), "inspectorName")
        self._glyph = named(LevelGlyph(MIDDLE), "inspectorGlyph")
        self.apply = named(make_button(self.tr("Apply"), kind="primary", icon_name="flag"), "applyButton")
        self.apply.setAccessibleName(self.tr("Apply the selected node"))
        self.apply.clicked.connect(self.apply_requested)
        self._recoded = named(ElidedLabel("", Text.CAPTION, "accent_text"), "recodedBy")
        self._recoded.hide()
        self.chips = [Chip() for _ in range(3)]
        for chip, name in zip(self.chips, ("chip.status", "chip.rank", "chip.distance"), strict=True):
            chip.setObjectName(name)
        top, bottom = QHBoxLayout(), QHBoxLayout()
        self._star = named(MarkLabel(Mark.OPTIMUM, 18), "inspectorStar")
        self._star.hide()
        top.setSpacing(6)
        top.addWidget(self._star)
        top.addWidget(self._title, 1)
        top.addWidget(self.apply)
        bottom.setSpacing(4)
        for chip in self.chips:
            bottom.addWidget(chip)
        bottom.addStretch(1)
        bottom.addWidget(self._glyph)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(*_MARGINS)
        self._column.setSpacing(_SPACING)
        self._title.lines_changed.connect(self._on_lines_changed)
        nest(self._column, top)
        nest(self._column, bottom)
        self._column.addWidget(self._recoded)
        theme_manager().theme_changed.connect(self._fit)

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
        self._title.setText(node.name)
        self._title.set_hint(node.details)
        self._glyph.show_glyph(node.glyph)
        self._glyph.setToolTip(node.details)
        fails = any(chip.tone == "danger" for chip in chips)
        self.apply.setText(self.tr("Apply anyway") if fails else self.tr("Apply"))
        set_primary(self.apply, "flag", is_primary=not fails)
        self.apply.setEnabled(can_apply)
        self.apply.setToolTip(apply_hint)
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
        self._glyph.setVisible(has_levels)  # the levels are also listed below
        everything = ", ".join(chip.text for chip in self._head_chips)
        for i, place in enumerate(self.chips):
            is_shown = i < len(self._head_chips) and (
                i == 0 or fits or has_levels or icon_room + sum(shorts[: i + 1]) <= room
            )
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
