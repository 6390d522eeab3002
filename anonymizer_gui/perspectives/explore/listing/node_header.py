"""Table view of nodes, its header with filter fields, and its cells."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from anonymizer_gui.models.node_columns import Kind, NodeColumn
from anonymizer_gui.models.nodes_model import NODE_ROLE, NodesModel
from anonymizer_gui.perspectives.explore.hover_card import show_hover_card
from anonymizer_gui.tables.table_view import PlainTable
from anonymizer_gui.theming import (
    Text,
    current_theme,
    follow_theme,
    font,
    paint_icon,
    paint_selection,
    ramp_colors,
    scaled,
)
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.labels import set_style_property
from anonymizer_gui.widgets.layouts import named
from anonymizer_gui.widgets.level_glyph import SMALL, Glyph, draw_glyph
from anonymizer_gui.widgets.marks import draw_mark
from engine.words import _

_ICON = 12
_AFTER_ARROW = 2  # px
_Align = Qt.AlignmentFlag


class NodeHeader(QHeaderView):
    """Titles with a sort arrow; right-aligned titles leave room for it."""

    filter_typed = Signal(str, str)  # key of a column, text typed over it
    fields_changed = Signal()  # other fields are shown

    is_tight = False  # no bars, and short titles

    def __init__(self, view: QTableView, model: NodesModel) -> None:
        super().__init__(Qt.Orientation.Horizontal, view)
        self._nodes = model
        self._fields: dict[str, QLineEdit] = {}
        self._shows_fields = False
        self.setSectionsClickable(True)
        self.setObjectName("nodeHeader")
        self.setAccessibleName(self.tr("Columns of the list"))
        self.sectionResized.connect(self.place_fields)
        view.horizontalScrollBar().valueChanged.connect(self.place_fields)

    # -- fields --------------------------------------------------------------------------------

    def set_shows_fields(self, shows: bool) -> None:
        """Show a field below every title, or none."""
        self._shows_fields = shows
        self._make_fields()
        self.updateGeometries()
        self.place_fields()
        self.fields_changed.emit()

    def field(self, key: str) -> QLineEdit | None:
        """Return the field of a column, if it is shown."""
        return self._fields.get(key)

    def fields(self) -> list[QLineEdit]:
        """Return the fields from left to right, without those of hidden columns."""
        shown = [c.key for i, c in enumerate(self._nodes.table.columns) if not self.isSectionHidden(i)]
        return [self._fields[key] for key in shown if key in self._fields]

    def show_columns(self, texts: Mapping[str, str]) -> None:
        """Show fields for other columns; `texts` are their contents."""
        self._make_fields()
        for key, field in self._fields.items():
            if not field.hasFocus() and field.text() != texts.get(key, ""):
                field.blockSignals(True)
                field.setText(texts.get(key, ""))
                field.blockSignals(False)
                self.show_problem(key, "")
        self.place_fields()

    def show_problem(self, key: str, problem: str) -> None:
        """Show the error of a field; an empty text clears it."""
        if (field := self._fields.get(key)) is not None:
            set_style_property(field, "invalid", "true" if problem else "false")
            field.setToolTip(problem or self._hint(field.property("kind")))

    def place_fields(self) -> None:
        """Place every field below its title."""
        top, height = self._title_height(), scaled(ROW)
        for i, column in enumerate(self._nodes.table.columns):
            if (field := self._fields.get(column.key)) is not None:
                field.setGeometry(self.sectionViewportPosition(i), top, self.sectionSize(i), height)
                field.setVisible(not self.isSectionHidden(i))

    def _make_fields(self) -> None:
        wanted = {c.key: c for c in self._nodes.table.columns if c.has_filter} if self._shows_fields else {}
        if wanted.keys() == self._fields.keys():
            return
        for key in self._fields.keys() - wanted.keys():
            field = self._fields.pop(key)
            field.hide()
            field.deleteLater()
        for key, column in wanted.items():
            if key not in self._fields:
                self._fields[key] = self._make_field(column)

    def _make_field(self, column: NodeColumn) -> QLineEdit:
        field = named(
            QLineEdit(self),
            f"filter.{column.key}",
            self.tr("Filter {name}").format(name=column.name),
            self._hint(column.kind.value),
        )
        field.setPlaceholderText(self.tr("any"))
        field.setProperty("kind", column.kind.value)
        field.textChanged.connect(lambda text, key=column.key: self.filter_typed.emit(key, text))
        field.installEventFilter(self)
        return field

    def _hint(self, kind: str) -> str:
        if kind == Kind.LEVELS.value:
            return self.tr("Levels such as 0 3 * 1, or words such as 20-year or hidden")
        if kind == Kind.PERCENT.value:
            return self.tr("Percent, such as ≤ 3, 1..2 or > 0 and < 5")
        return self.tr("Such as ≤ 0.3, 3..5, > 2 and < 5, or is missing")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Scroll to a field that gets the focus."""
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, QLineEdit):
            left, right = watched.geometry().left(), watched.geometry().right()
            view = self.parent()
            if isinstance(view, QTableView):
                bar = view.horizontalScrollBar()
                if left < 0:
                    bar.setValue(bar.value() + left)
                elif right > self.width():
                    bar.setValue(bar.value() + right - self.width())
        return super().eventFilter(watched, event)

    # -- drawing -------------------------------------------------------------------------------

    def _title_height(self) -> int:
        return scaled(ROW)

    def sizeHint(self) -> QSize:
        rows = 2 if self._shows_fields else 1
        return QSize(super().sizeHint().width(), rows * self._title_height())

    def updateGeometries(self) -> None:
        self.setViewportMargins(0, 0, 0, scaled(ROW) if self._shows_fields else 0)
        super().updateGeometries()
        self.place_fields()

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        theme, column = current_theme(), self._nodes.column(section)
        rect = QRect(rect.left(), 0, rect.width(), self._title_height())
        painter.save()
        painter.fillRect(rect, theme.color("surface_2"))
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.color("border"))
        is_sorted = self.isSortIndicatorShown() and self.sortIndicatorSection() == section
        rising = self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        painter.setFont(font(Text.HEADER))
        painter.setPen(theme.color("text" if is_sorted else "text_3"))
        words = rect.adjusted(PADDING if column.kind.is_left else BEFORE, 0, -PADDING, -1)
        if column.kind is Kind.VALUE and not self.is_tight:  # numbers end at the bars, and so does the title
            words.setRight(words.right() - scaled(BAR_WIDTH) - PADDING)
        if is_sorted and not column.kind.is_left:  # the arrow stands after the title, over the padding
            words.setRight(words.right() + PADDING - _AFTER_ARROW)
        field = self._fields.get(column.key)
        if field is not None and field.text():
            side = scaled(_ICON)
            place = QRect(words.right() - side, rect.center().y() - side // 2, side, side)
            paint_icon(painter, place.toRectF(), "funnel", theme.accent_text)
            words.setRight(place.left() - 4)
        metrics = painter.fontMetrics()
        arrow = (" ↑" if rising else " ↓") if is_sorted and column.title else ""
        room = words.width() - metrics.horizontalAdvance(arrow)
        title = column.short if self.is_tight and column.short else column.title
        text = metrics.elidedText(title, Qt.TextElideMode.ElideRight, room) + arrow
        side = _Align.AlignLeft if column.kind.is_left else _Align.AlignRight
        if column.kind is Kind.LEVEL:
            side, words = _Align.AlignHCenter, rect.adjusted(0, 0, 0, -1)
            text = column.title if not is_sorted else column.title[:2] + arrow.strip()
        painter.drawText(words, int(side | _Align.AlignVCenter), text)
        painter.restore()


ROW, PADDING, BEFORE = 24, 8, 4  # px; the last before text that is aligned right
BAR_WIDTH, BAR_HEIGHT = 52, 8
MOST_NUMBERED = 12  # quasi-identifiers; more have columns without a number
_LEFT, _RIGHT = (int(side | _Align.AlignVCenter) for side in (_Align.AlignLeft, _Align.AlignRight))


class NodeDelegate(QStyledItemDelegate):
    """Reads the model directly: querying it by cell and role costs more than painting."""

    has_bars = True

    def __init__(self, model: NodesModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._numbers_of: object = None
        self._numbers: dict[str, int] = {}
        follow_theme(self._on_theme_changed)

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
            paint_selection(painter, rect, self._theme)
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, self._grid)
        model = self._model
        node, column = model.node(index.row()), model.column(index.column())
        if column.kind is Kind.MARK:
            box = QRectF(0, 0, 14, 14)
            box.moveCenter(QRectF(rect).center())
            draw_mark(painter, box, current_theme(), model.mark(node), self._ink(node))
            return
        words = rect.adjusted(PADDING if column.kind.is_left else BEFORE, 0, -PADDING, -1)
        if column.kind is Kind.VALUE and self.has_bars:
            words.setRight(words.right() - scaled(BAR_WIDTH) - PADDING)
            self._draw_bar(painter, rect, node)
        if column.kind is Kind.LEVELS:
            top = rect.center().y() - scaled(SMALL.height) // 2
            draw_glyph(painter, QPointF(words.left(), top), model.table.glyph(node), SMALL)
            return
        if column.kind is Kind.LEVEL:
            self._draw_level(painter, rect, node, self._attributes(column.key))
            return
        metrics = self._metrics
        text, room = model.text(node, column), words.width()
        # A character is rarely wider than 1.5 times the widest digit: only long texts are measured.
        if len(text) * self._widest > room and metrics.horizontalAdvance(text) > room:
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.setFont(self._font)
        painter.setPen(self._text)
        painter.drawText(words, _LEFT if column.kind.is_left else _RIGHT, text)

    def _attributes(self, key: str) -> int:
        if self._numbers_of is not self._model.table:
            levels = [column.key for column in self._model.table.columns if column.kind is Kind.LEVEL]
            self._numbers_of, self._numbers = self._model.table, {k: q for q, k in enumerate(levels)}
        return self._numbers[key]

    def _draw_level(self, painter: QPainter, rect: QRect, node: int, attribute: int) -> None:
        """Draw one column of the glyph and the level; tinted if it differs from the optimum."""
        table = self._model.table
        level, height = int(table.levels[node, attribute]), table.heights[attribute]
        differs = table.optimum is not None and level != table.optimum[attribute]
        if differs:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._tint)
            painter.drawRoundedRect(QRectF(rect.adjusted(1, 2, -1, -3)), 3, 3)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        has_number = len(table.heights) <= MOST_NUMBERED
        left = rect.left() + (scaled(7) if has_number else (rect.width() - scaled(SMALL.column)) // 2)
        glyph = Glyph(
            (level,), (height,), frozenset((0,)) if differs else frozenset(), not table.satisfies[node]
        )
        draw_glyph(painter, QPointF(left, rect.center().y() - scaled(SMALL.height) // 2), glyph, SMALL)
        if has_number:
            painter.setFont(self._bold if differs else self._font)
            painter.setPen(self._tinted if differs else self._text if level else self._pale)
            place = rect.adjusted(scaled(14), 0, 0, -1)
            painter.drawText(place, _LEFT, str(level))

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
        self._theme, self._grid = theme, QColor(theme.grid)
        self._text, self._pale = QColor(theme.text), QColor(theme.text_3)
        self._tint, self._tinted = QColor(theme.accent_soft), QColor(theme.accent_text)
        self._font: QFont = font(Text.CELL)
        self._bold: QFont = font(Text.CELL, SEMI_BOLD)
        self._metrics, self._bold_metrics = QFontMetrics(self._font), QFontMetrics(self._bold)
        self._widest = self._bold_metrics.horizontalAdvance("0") * 1.5


MOST_COPIED = 200_000  # rows; exporting has no limit


class NodeListView(PlainTable):
    """Emits requests that the surrounding panel handles."""

    apply_requested = Signal(int)  # node
    column_menu_requested = Signal(int, QPoint)  # section, position on the screen
    cell_menu_requested = Signal(int, QPoint, int)  # the same, and the node
    copying_refused = Signal(int)  # number of rows above the limit
    resized = Signal()

    def __init__(self, model: NodesModel) -> None:
        super().__init__("nodeList", _("Node list"))
        self._nodes = model
        self.setModel(model)
        self._delegate = NodeDelegate(model, self)
        self.setItemDelegate(self._delegate)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setMinimumHeight(80)
        self.verticalHeader().hide()
        self.header = NodeHeader(self, model)
        self.setHorizontalHeader(self.header)
        self.header.setHighlightSections(False)
        self.header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header.setMinimumSectionSize(24)
        self.header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.header.customContextMenuRequested.connect(self._on_header_menu)
        self.setSortingEnabled(True)
        self.doubleClicked.connect(lambda index: self.apply_requested.emit(index.data(NODE_ROLE)))
        follow_theme(self._on_theme_changed)

    def set_tight(self, is_tight: bool) -> None:
        """Draw short titles and no bars, or whole ones."""
        self.header.is_tight, self._delegate.has_bars = is_tight, not is_tight
        self.header.viewport().update()
        self.viewport().update()

    def shown_sections(self) -> list[int]:
        """Return the columns that are not hidden, from left to right."""
        shown = [i for i in range(self._nodes.columnCount()) if not self.isColumnHidden(i)]
        return sorted(shown, key=self.header.visualIndex)

    def copy_rows(self) -> None:
        """Copy the selected rows below their headings to the clipboard, with all digits."""
        selection = self.selectionModel().selection()
        ranges = [selection.at(i) for i in range(selection.count())]
        n_rows = sum(part.height() for part in ranges)
        if n_rows > MOST_COPIED:
            self.copying_refused.emit(n_rows)
            return
        rows = sorted({row for part in ranges for row in range(part.top(), part.bottom() + 1)})
        if rows:
            text = self._nodes.copied(rows, self.shown_sections())
            QGuiApplication.clipboard().setText(text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and self.currentIndex().isValid():
            self.apply_requested.emit(self.currentIndex().data(NODE_ROLE))
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu of the node and column under the pointer, or of the current cell."""
        index = self.indexAt(event.pos())
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self.currentIndex()
            place = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())
        if index.isValid():
            self.cell_menu_requested.emit(index.column(), place, index.data(NODE_ROLE))
        else:
            self.column_menu_requested.emit(self._column_of_values(), place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.RightButton:  # its menu compares with the selected node
            super().mousePressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index: QModelIndex = self.indexAt(event.pos())
            words = self._nodes.describe(index.data(NODE_ROLE)) if index.isValid() else ""
            show_hover_card(self.viewport(), event.globalPos(), words)
            return True
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def _column_of_values(self) -> int:
        columns = self._nodes.table.columns
        return next((i for i, column in enumerate(columns) if column.kind is Kind.VALUE), 0)

    def _on_header_menu(self, place: QPoint) -> None:
        section = self.header.logicalIndexAt(place)
        if section >= 0:
            self.column_menu_requested.emit(section, self.header.mapToGlobal(place))

    def _on_theme_changed(self) -> None:
        rows = self.verticalHeader()
        rows.setMinimumSectionSize(1)  # a larger minimum that raises rows would count as a height set by hand
        rows.setDefaultSectionSize(scaled(ROW))
        self.header.updateGeometries()
