"""The list card: all nodes as a table that can be sorted and filtered."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QColor, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from anonymizer_gui.models.nodes_model import (
    COLOUR_ROLE,
    MARK_ROLE,
    NODE_ROLE,
    SHARE_ROLE,
    Kind,
    NodesModel,
    NodeTable,
)
from anonymizer_gui.theming import Text, current_theme, font, ramp_colors, scaled, theme_manager
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.empty_state import EmptyState
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, set_style_property, set_tone
from anonymizer_gui.widgets.marks import Mark, draw_mark
from anonymizer_gui.widgets.search_field import SearchField

_ROW = 24
_WIDTHS = {
    Kind.RANK: 62,
    Kind.MARK: 28,
    Kind.LEVELS: 180,
    Kind.VALUE: 120,
    Kind.COUNT: 62,
    Kind.PERCENT: 68,
    Kind.NUMBER: 70,
}
_BAR_WIDTH, _BAR_HEIGHT = 44, 8
_FOOTER, _SCROLL_BAR = 25, 12
_Align = Qt.AlignmentFlag


class NodeDelegate(QStyledItemDelegate):
    """Draws the cells of the list: marks, bars in the colour of the node, the selected row in bold."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(60, scaled(_ROW))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        theme = current_theme()
        rect = QRectF(option.rect)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, theme.color("accent_soft"))
        painter.fillRect(QRectF(rect.left(), rect.bottom() - 1, rect.width(), 1), theme.color("grid"))
        mark = index.data(MARK_ROLE)
        colour = int(index.data(COLOUR_ROLE))
        ramp = ramp_colors(theme)
        ink = ramp[colour] if colour < len(ramp) else QColor(theme.fail_line)
        if isinstance(mark, Mark):
            box = QRectF(0, 0, 14, 14)
            box.moveCenter(rect.center())
            draw_mark(painter, box, theme, mark, ink)
            return
        text = index.data(Qt.ItemDataRole.DisplayRole)
        alignment = _Align(index.data(Qt.ItemDataRole.TextAlignmentRole))
        share = index.data(SHARE_ROLE)
        words = rect.adjusted(8, 0, -8, -1)
        if share is not None:
            bar_left = rect.right() - 8 - scaled(_BAR_WIDTH)
            words.setRight(bar_left - 8)
            length = max(share * scaled(_BAR_WIDTH), 1.0)
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            top = rect.center().y() - _BAR_HEIGHT / 2
            painter.drawRoundedRect(QRectF(bar_left, top, length, _BAR_HEIGHT), 2, 2)
            painter.restore()
        painter.setFont(font(Text.CELL, SEMI_BOLD if selected and alignment & _Align.AlignLeft else None))
        painter.setPen(theme.color("text"))
        shown = painter.fontMetrics().elidedText(text or "", Qt.TextElideMode.ElideRight, int(words.width()))
        painter.drawText(words, int(alignment), shown)


class NodeHeader(QHeaderView):
    """Titles with an arrow behind the sorted one; right-aligned titles stay clear of it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setObjectName("nodeHeader")

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), scaled(_ROW))

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        theme = current_theme()
        painter.save()
        painter.fillRect(rect, theme.color("surface_2"))
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.color("border"))
        model, across = self.model(), self.orientation()
        title = str(model.headerData(section, across) or "")
        flags = _Align(model.headerData(section, across, Qt.ItemDataRole.TextAlignmentRole))
        is_sorted = self.isSortIndicatorShown() and self.sortIndicatorSection() == section
        rising = self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        painter.setFont(font(Text.HEADER))
        painter.setPen(theme.color("text" if is_sorted else "text_3"))
        words = rect.adjusted(8, 0, -8, -1)
        if self._is_beside_bar(section):
            words.setRight(words.right() - scaled(_BAR_WIDTH) - 8)
        metrics = painter.fontMetrics()
        arrow = (" ↑" if rising else " ↓") if is_sorted and title else ""
        room = words.width() - metrics.horizontalAdvance(arrow)
        text = metrics.elidedText(title, Qt.TextElideMode.ElideRight, room) + arrow
        painter.drawText(words, int(flags | _Align.AlignVCenter), text)
        painter.restore()

    def _is_beside_bar(self, section: int) -> bool:
        """Whether the numbers of a column end at its bars, so that its title must as well."""
        model = self.model()
        return isinstance(model, NodesModel) and model.table.columns[section].kind is Kind.VALUE


class _NodeView(QTableView):
    apply_requested = Signal()
    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.apply_requested.emit()
        else:
            super().keyPressEvent(event)


class ListPanel(Card):
    """Shows nodes in rows; the presenter gives the table and hears what is asked for."""

    node_requested = Signal(int)
    apply_requested = Signal(int)
    filter_changed = Signal(str)
    failing_toggled = Signal(bool)
    empty_action_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.setObjectName("listCard")
        self.model = NodesModel(self)
        self._is_following = False
        self._widths: dict[int, int] = {}
        self._selected: int | None = None
        self._filter = SearchField()
        self._filter.setObjectName("nodeFilter")
        self._filter.setPlaceholderText(self.tr("Filter, e.g. age ≤ 2"))
        self._filter.setAccessibleName(self.tr("Filter nodes"))
        self._filter.setClearButtonEnabled(True)
        for action in self._filter.findChildren(QAction):
            action.setToolTip(self.tr("Clear the filter"))
        self._filter.textChanged.connect(self.filter_changed)
        self._count = make_label("", Text.CELL, "text_3")
        self._failing = make_icon_button("funnel", self.tr("Show nodes that fail as well"))
        self._failing.setObjectName("showFailing")
        self._failing.setCheckable(True)
        self._failing.toggled.connect(self.failing_toggled)
        self.add_lead(self._filter)
        self.add_tool(self._count)
        self.add_tool(self._failing)
        self.view = _NodeView()
        self._prepare_view()
        self.set_body(self.view, 0)
        self.empty = EmptyState("", self.tr("Clear the filters"), parent=self.view)
        self.empty.action_requested.connect(self.empty_action_requested)
        self.empty.hide()
        self._hint = ElidedLabel("", Text.CELL, "text_3")
        footer = QHBoxLayout()
        footer.addWidget(self._hint)
        self.set_footer(footer)
        assert self._footer is not None
        self._footer.setFixedHeight(scaled(_FOOTER))
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    # -- what it shows -------------------------------------------------------------------------

    def show_table(self, table: NodeTable, count: str, hint: str) -> None:
        """Show other numbers; the selected node stays selected where it is still listed."""
        fresh = [column.key for column in self.model.table.columns] != [c.key for c in table.columns]
        if len(table.visible) < self.view.verticalScrollBar().value():
            self.view.scrollToTop()
        self.model.set_table(table)
        self._count.setText(count)
        self._hint.setText(hint)
        if fresh:
            self._set_widths()
        self._follow()

    def show_empty(self, sentence: str, action: str) -> None:
        """Say why no node is listed and what leads to some; an empty sentence takes it back."""
        self.empty.set_sentence(sentence)
        self.empty.set_action(action)
        self.empty.setVisible(bool(sentence))
        self._place_empty()

    def show_filter_problem(self, problem: str) -> None:
        """Say in place why a filter cannot be read; empty when it can."""
        set_style_property(self._filter, "invalid", "true" if problem else "false")
        self._filter.setToolTip(problem)
        set_tone(self._hint, "danger" if problem else "text_3")
        if problem:
            self._hint.setText(problem)

    def show_selected(self, node: int | None, marks: Mapping[int, Mark]) -> None:
        """Select the row of a node and mark others."""
        self._selected = node
        self.model.set_marks(marks)
        self._follow(scrolls=True)

    def set_shows_failing(self, shows: bool) -> None:
        self.model.set_shows_failing(shows)
        self._failing.blockSignals(True)
        self._failing.setChecked(shows)
        self._failing.blockSignals(False)
        self._follow()

    @property
    def filter_field(self) -> QLineEdit:
        return self._filter

    # ------------------------------------------------------------------------------------------

    def _prepare_view(self) -> None:
        view = self.view
        view.setObjectName("nodeList")
        view.setAccessibleName(self.tr("List of nodes"))
        view.setModel(self.model)
        view.setItemDelegate(NodeDelegate(view))
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setTabKeyNavigation(False)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setMinimumHeight(80)
        view.verticalHeader().hide()
        header = NodeHeader(view)
        view.setHorizontalHeader(header)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(24)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        view.setSortingEnabled(True)
        view.selectionModel().currentRowChanged.connect(self._on_row_changed)
        view.doubleClicked.connect(lambda index: self.apply_requested.emit(index.data(NODE_ROLE)))
        view.apply_requested.connect(self._on_apply)
        view.resized.connect(self._on_resized)
        self.model.modelReset.connect(self._follow)

    def _set_widths(self) -> None:
        metrics = QFontMetrics(font(Text.HEADER))
        for i, column in enumerate(self.model.table.columns):
            width = scaled(_WIDTHS[column.kind])
            if column.kind is Kind.LEVELS:
                width = max(width, scaled(28 + 15 * self.model.table.levels.shape[1]))
            if column.kind is not Kind.MARK:
                # 30: both paddings and the arrow of the sorted column.
                width = max(width, metrics.horizontalAdvance(column.title) + 30)
            self._widths[i] = width
            self.view.setColumnHidden(i, False)
            self.view.setColumnWidth(i, width)
        self._show_fitting()

    def _show_fitting(self) -> None:
        """Leave out the last metrics where the list is too narrow for all of them."""
        if len(self._widths) < len(self.model.table.columns):
            return  # new columns, whose widths come next
        room = self.view.width() - _SCROLL_BAR
        levels = None
        for i, column in enumerate(self.model.table.columns):
            width = self.view.columnWidth(i) or self._widths.get(i, 0)
            if column.kind is Kind.LEVELS:
                levels, width = i, self._widths.get(i, width)
            hidden = column.kind is Kind.NUMBER and width > room
            self.view.setColumnHidden(i, hidden)
            room -= 0 if hidden else width
        if levels is not None:
            # The vector takes what is left, so that the numbers stand at the right edge.
            self.view.setColumnWidth(levels, self._widths[levels] + max(room, 0))

    def _follow(self, *, scrolls: bool = False) -> None:
        row = None if self._selected is None else self.model.row_of(self._selected)
        selection = self.view.selectionModel()
        self._is_following = True
        if row is None:
            selection.clear()
        else:
            index = self.model.index(row, 0)
            flags = QItemSelectionModel.SelectionFlag
            selection.setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            if scrolls:
                self.view.scrollTo(index)
        self._is_following = False

    def _on_row_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid() and not self._is_following:
            self._selected = int(current.data(NODE_ROLE))
            self.node_requested.emit(self._selected)

    def _on_apply(self) -> None:
        self.apply_requested.emit(self.view.currentIndex().data(NODE_ROLE))

    def _on_resized(self) -> None:
        self._show_fitting()
        self._place_empty()

    def _place_empty(self) -> None:
        self.empty.setGeometry(self.view.viewport().geometry())

    def _on_theme_changed(self) -> None:
        assert self._footer is not None
        self._footer.setFixedHeight(scaled(_FOOTER))
        header = self.view.verticalHeader()
        header.setMinimumSectionSize(scaled(_ROW))
        header.setDefaultSectionSize(scaled(_ROW))
        self._filter.setFixedWidth(scaled(190))
        self._set_widths()
