"""Draws the cells of the list: marks, bars in the colour of the node, the selected rows in their tone."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from anonymizer_gui.models.node_columns import Kind
from anonymizer_gui.models.nodes_model import NodesModel
from anonymizer_gui.theming import Text, current_theme, font, ramp_colors, scaled, theme_manager
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.marks import draw_mark

ROW, PADDING = 24, 8
BAR_WIDTH, BAR_HEIGHT = 44, 8
_Align = Qt.AlignmentFlag
_LEFT, _RIGHT = (int(side | _Align.AlignVCenter) for side in (_Align.AlignLeft, _Align.AlignRight))


class NodeDelegate(QStyledItemDelegate):
    """Reads the model directly: asking it cell by cell and role by role costs more than the drawing."""

    def __init__(self, model: NodesModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(60, scaled(ROW))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        rect: QRect = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, self._selected)
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, self._grid)
        model = self._model
        node, column = model.node(index.row()), model.column(index.column())
        if column.kind is Kind.MARK:
            box = QRectF(0, 0, 14, 14)
            box.moveCenter(QRectF(rect).center())
            draw_mark(painter, box, current_theme(), model.mark(node), self._ink(node))
            return
        words = rect.adjusted(PADDING, 0, -PADDING, -1)
        if column.kind is Kind.VALUE:
            words.setRight(words.right() - scaled(BAR_WIDTH) - PADDING)
            self._draw_bar(painter, rect, node)
        is_bold = selected and column.kind is Kind.LEVELS
        metrics = self._bold_metrics if is_bold else self._metrics
        text, room = model.text(node, column), words.width()
        # A character is rarely wider than the widest digit by half: only long texts are measured.
        if len(text) * self._widest > room and metrics.horizontalAdvance(text) > room:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.setFont(self._bold if is_bold else self._font)
        painter.setPen(self._text)
        painter.drawText(words, _LEFT if column.kind.is_left else _RIGHT, text)

    def _draw_bar(self, painter: QPainter, rect: QRect, node: int) -> None:
        length = max(float(self._model.table.shares[node]) * scaled(BAR_WIDTH), 1.0)
        left = rect.right() + 1 - PADDING - scaled(BAR_WIDTH)
        top = rect.center().y() - BAR_HEIGHT // 2
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._ink(node))
        painter.drawRoundedRect(QRectF(left, top, length, BAR_HEIGHT), 2, 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _ink(self, node: int) -> QColor:
        colour = int(self._model.table.colours[node])
        return self._ramp[colour] if colour < len(self._ramp) else self._fails

    def _on_theme_changed(self) -> None:
        theme = current_theme()
        self._ramp, self._fails = ramp_colors(theme), QColor(theme.fail_line)
        self._selected, self._grid = QColor(theme.accent_soft), QColor(theme.grid)
        self._text = QColor(theme.text)
        self._font: QFont = font(Text.CELL)
        self._bold: QFont = font(Text.CELL, SEMI_BOLD)
        self._metrics, self._bold_metrics = QFontMetrics(self._font), QFontMetrics(self._bold)
        self._widest = self._bold_metrics.horizontalAdvance("0") * 1.5
