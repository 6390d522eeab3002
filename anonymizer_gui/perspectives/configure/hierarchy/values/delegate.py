"""Line edit over a cell to change its label, with completion from the labels of the level."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractItemModel, QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QCompleter,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from anonymizer_gui.theming import Text, current_theme, font, scaled, theme_manager
from anonymizer_gui.theming.focus import FOCUS_RING_PROPERTY
from anonymizer_gui.widgets.layouts import named
from anonymizer_gui.widgets.tables import CELL_PADDING, Index

_LEAST_WIDTH = 120


class LabelDelegate(QStyledItemDelegate):
    """Emits the written label as a signal; does not change the model."""

    written = Signal(int, int, str)  # row, column, text

    def __init__(self, labels_for: Callable[[int], Sequence[str]], parent: QWidget) -> None:
        super().__init__(parent)
        self._labels_for = labels_for
        self.field: QLineEdit | None = None  # last editor created

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        field = named(QLineEdit(parent), "labelField")
        field.setAccessibleName(self.tr("Label on level {column}").format(column=index.column() - 1))
        field.setProperty(FOCUS_RING_PROPERTY, "inside")
        labels = self._labels_for(index.column())
        if labels:
            completer = QCompleter(labels, field)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            offer = completer.popup()
            assert offer is not None  # created on demand
            offer.setProperty("offer", "true")
            theme_manager().dress(offer)
            field.setCompleter(completer)
            field.returnPressed.connect(lambda: self._accept(field))
        self.field = field
        return field

    def _accept(self, field: QLineEdit) -> None:
        """Accept the text by the same Enter that closes the list of labels."""
        offer = field.completer().popup()
        if offer is not None and offer.isVisible():
            offer.hide()
            press = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier)
            QApplication.postEvent(field, press)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            editor.setText(index.data(Qt.ItemDataRole.EditRole))
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            self.written.emit(index.row(), index.column(), editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        place, view = QRect(option.rect), editor.parentWidget()
        room = view.width() if view is not None else place.width()
        place.setWidth(min(max(place.width(), scaled(_LEAST_WIDTH)), room))
        place.moveRight(min(place.right(), room - 1))
        editor.setGeometry(place)


class ValueHeader(QHeaderView):
    """Header that can highlight a section as the target of a drop."""

    menu_requested = Signal(int, QPoint)  # section, position on the screen

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._target: int | None = None
        self.setSectionsClickable(True)

    def show_target(self, section: int | None) -> None:
        """Highlight the section of a drop target."""
        if section != self._target:
            self._target = section
            self.viewport().update()

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        if section != self._target:
            super().paintSection(painter, rect, section)
            return
        theme = current_theme()
        painter.save()
        painter.fillRect(rect, QColor(theme.accent_soft))
        painter.fillRect(QRect(rect.left(), rect.bottom() - 1, rect.width(), 2), QColor(theme.accent))
        painter.setFont(font(Text.HEADER))
        painter.setPen(QColor(theme.accent_text))
        room = rect.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        words = painter.fontMetrics().elidedText(
            self.tr("New group"), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        painter.restore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        section = self.logicalIndexAt(event.pos())
        if section >= 0:
            self.menu_requested.emit(section, event.globalPos())
