"""Data table: columns are selected instead of rows; keys 1 to 4 and the menu set role and target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from anonymizer_gui.models.column_summary import ColumnSummary
from anonymizer_gui.models.records_model import RecordsModel
from anonymizer_gui.perspectives.configure.table.column_header import ColumnHeader
from anonymizer_gui.tables.table_view import FITTED_COLUMNS, ROW_HEIGHT, PlainTable
from anonymizer_gui.theming import Text, current_theme, follow_theme, font, paint_selection, scaled, set_icon
from anonymizer_gui.widgets.labels import make_line
from anonymizer_gui.widgets.layouts import named
from anonymizer_gui.widgets.role_badge import role_icon
from engine.kernels.arrays import Codes
from engine.records import Role, Table
from engine.words import N_, _

_LEAST_BESIDE = 120  # px reserved for the other columns


class FrozenColumns(PlainTable):
    """Second view of the same model and selection, laid over the left of the table."""

    def __init__(self, table: QTableView) -> None:
        super().__init__("frozenColumns", _("Frozen columns"), table)
        self._table = table
        self.count = 0
        self._is_following = False
        self.header = ColumnHeader(self)
        self.setHorizontalHeader(self.header)
        self.setModel(table.model())
        self.setSelectionModel(table.selectionModel())
        self.setItemDelegate(table.itemDelegate())
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectColumns)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._edge = make_line(Qt.Orientation.Vertical)
        self._edge.setParent(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalScrollBar().valueChanged.connect(self.verticalScrollBar().setValue)
        self.verticalScrollBar().valueChanged.connect(table.verticalScrollBar().setValue)
        table.horizontalHeader().sectionResized.connect(self._on_table_resized)
        self.header.sectionResized.connect(self._on_resized)
        table.verticalHeader().geometriesChanged.connect(self.place)
        self.hide()

    def set_count(self, count: int) -> None:
        """Freeze the first columns; 0 lets all scroll."""
        self.count = count
        self._is_following = True
        for section in range(self.model().columnCount() if count else 0):
            self.setColumnHidden(section, section >= count)
            if section < count:
                self.setColumnWidth(section, self._table.columnWidth(section))
        self._is_following = False
        self.setVisible(count > 0)
        self.place()
        self.verticalScrollBar().setValue(self._table.verticalScrollBar().value())

    def width_taken(self) -> int:
        """Return the covered width of the cells in px."""
        return self.width() if self.count else 0

    def place(self) -> None:
        """Place the view over the left of the table, leaving room for the other columns."""
        if not self.count:
            return
        table = self._table
        self.setFont(table.font())
        self.verticalHeader().setDefaultSectionSize(table.verticalHeader().defaultSectionSize())
        self.header.setFixedHeight(table.horizontalHeader().height())
        wanted = sum(table.columnWidth(section) for section in range(self.count))
        room = max(table.viewport().width() - _LEAST_BESIDE, 0)
        corner = table.viewport().geometry().topLeft()
        height = table.viewport().height() + table.horizontalHeader().height()
        self.setGeometry(
            corner.x(), corner.y() - table.horizontalHeader().height(), min(wanted, room), height
        )
        self._edge.setGeometry(self.width() - 1, 0, 1, height)
        self._edge.raise_()
        self.raise_()

    def _on_table_resized(self, section: int, _old: int, new: int) -> None:
        if section < self.count:
            self._is_following = True
            self.setColumnWidth(section, new)
            self._is_following = False
            self.place()

    def _on_resized(self, section: int, _old: int, new: int) -> None:
        if not self._is_following and section < self.count and new:
            self._table.setColumnWidth(section, new)


_WIDTHS_REST = 400  # milliseconds without a move after which a column width is final
ROLE_TITLES = {
    Role.IDENTIFYING: N_("Identifying"),
    Role.QUASI_IDENTIFYING: N_("Quasi-identifying"),
    Role.SENSITIVE: N_("Sensitive"),
    Role.INSENSITIVE: N_("Insensitive"),
}
ROLE_MEANINGS = {
    Role.IDENTIFYING: N_("Identifies a person directly. Replaced with * or dropped in the release."),
    Role.QUASI_IDENTIFYING: N_("Outsiders may know it and link it to a person. Generalized in the release."),
    Role.SENSITIVE: N_(
        "Must not be learned about a person. Released unchanged and protected by privacy models."
    ),
    Role.INSENSITIVE: N_("Neither known to outsiders nor sensitive. Released unchanged."),
}
ROLE_KEYS = {
    Qt.Key.Key_1: Role.IDENTIFYING,
    Qt.Key.Key_2: Role.QUASI_IDENTIFYING,
    Qt.Key.Key_3: Role.SENSITIVE,
    Qt.Key.Key_4: Role.INSENSITIVE,
}
_SAMPLE_ROWS = 40
_PADDING = 8


class CellDelegate(QStyledItemDelegate):
    """Draws plain cells quickly: text, a line below, and a frame around the current cell."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme, cell = current_theme(), option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            paint_selection(painter, cell, theme)
        painter.setPen(QColor(theme.grid))
        painter.drawLine(cell.bottomLeft(), cell.bottomRight())
        text = index.data()
        if text:
            painter.setPen(QColor(theme.text))
            painter.setFont(option.font)
            room = cell.adjusted(_PADDING, 0, -_PADDING, 0)
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, int(index.data(Qt.ItemDataRole.TextAlignmentRole)), shown)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(QColor(theme.accent), 1.5))
            painter.drawRect(cell.adjusted(1, 1, -2, -2))


class DataTable(PlainTable):
    """Looks cells up when they are drawn, so that its speed does not depend on the number of records."""

    columns_selected = Signal(tuple)  # of str
    role_requested = Signal(object)  # Role, for the selected columns
    target_requested = Signal(object)  # name of a column, or None for no target
    sort_requested = Signal(object)  # column and whether descending, or None for the order of the table
    copy_requested = Signal()  # the selected columns
    widths_chosen = Signal(object)  # width of every column by name, after the user changed one

    def __init__(self) -> None:
        super().__init__("dataTable", _("Table"))
        self.records = RecordsModel(parent=self)
        self._selected: tuple[str, ...] = ()
        self.header = ColumnHeader(self)
        self._menu: QMenu | None = None
        self._is_fitting = self._has_own_widths = False
        self._known_widths: Mapping[str, int] = {}
        self._tells_widths = QTimer(self, singleShot=True, interval=_WIDTHS_REST)
        self._tells_widths.timeout.connect(self._emit_widths)
        self.setHorizontalHeader(self.header)
        self.setModel(self.records)
        self.setItemDelegate(CellDelegate(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectColumns)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        rows.setSectionsClickable(False)
        rows.setHighlightSections(False)
        self.setCornerWidget(QWidget())
        self.frozen = FrozenColumns(self)
        self._sorted_by: tuple[str, bool] | None = None
        for header in self._headers():
            header.customContextMenuRequested.connect(self._on_header_menu_wanted)
            header.menu_requested.connect(self._open_menu)
            header.toggled.connect(self._on_toggled)
        self.header.sectionResized.connect(self._on_section_resized)
        self.frozen.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        for table in (self, self.frozen):
            table.customContextMenuRequested.connect(partial(self._on_menu_wanted, table))
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        follow_theme(self._on_theme_changed)

    def show_table(
        self, table: Table | None, summaries: Sequence[ColumnSummary], order: Codes | None = None
    ) -> None:
        """Show another table, or the same with other types; the selected columns stay selected."""
        is_new = table is None or table.names != self.records.table.names
        kept, place = self._selected, self.verticalScrollBar().value()
        self.scrollToTop()  # resetting far down a long table is slow
        self.show_summaries(summaries)
        self.records.set_table(table, order)
        if is_new:
            self._has_own_widths = False
            self.frozen.set_count(0)
            self._fit_columns()
            self._take_known_widths()
            kept = (self.records.table.names[:1]) if table is not None else ()
        else:
            self.frozen.set_count(self.frozen.count)
            self.verticalScrollBar().setValue(place)
        self.select_columns(kept)

    def set_known_widths(self, widths: Mapping[str, int]) -> None:
        """Set saved column widths, used for tables shown from here on."""
        self._known_widths = widths

    def show_order(self, order: Codes | None, sorted_by: tuple[str, bool] | None) -> None:
        """Show other records or another order; the selected columns stay selected."""
        kept, column = self._selected, max(self.currentIndex().column(), 0)
        self._sorted_by = sorted_by
        self.scrollToTop()
        self.records.show_order(order)
        for header in self._headers():
            header.show_sorted(sorted_by)
        self.frozen.set_count(self.frozen.count)
        self.select_columns(kept)
        if self.records.n_shown:
            flag = QItemSelectionModel.SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(self.records.index(0, column), flag)

    def show_summaries(self, summaries: Sequence[ColumnSummary]) -> None:
        """Show the headers with their roles."""
        for header in self._headers():
            header.show_columns(summaries)

    def freeze(self, count: int) -> None:
        """Freeze the first columns; 0 lets all scroll."""
        self.frozen.set_count(count)

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        sideways = self.horizontalScrollBar()
        before = sideways.value()
        super().scrollTo(index, hint)
        if index.column() < self.frozen.count:
            sideways.setValue(before)  # the frozen part follows
            return
        hidden = self.frozen.width_taken() - self.columnViewportPosition(index.column())
        if self.frozen.count and hidden > 0:
            sideways.setValue(sideways.value() - hidden)

    def selected_columns(self) -> tuple[str, ...]:
        """Return the names of the selected columns in table order."""
        return self._selected

    def select_columns(self, names: Sequence[str]) -> None:
        """Select columns by name."""
        selection = QItemSelection()
        last = self.records.rowCount() - 1
        places = [i for i, name in enumerate(self.records.table.names) if name in names]
        for place in places if last >= 0 else ():
            selection.select(self.records.index(0, place), self.records.index(last, place))
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(selection, flags.ClearAndSelect)
        if places and last >= 0:
            self.selectionModel().setCurrentIndex(self.records.index(0, places[0]), flags.NoUpdate)
        self._take_selected(set(places))

    def show_cell(self, row: int, column: int) -> None:
        """Scroll to a cell and make it the current one."""
        index = self.records.index(row, column)
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def role_menu(self) -> QMenu:
        """Return a new menu for role and target of the selected columns, in the current theme."""
        if self._menu is not None:
            self._menu.deleteLater()
        self._menu = named(QMenu(self), "roleMenu")
        self._menu.setToolTipsVisible(True)
        for number, (role, title) in enumerate(ROLE_TITLES.items(), start=1):
            # The key after the tab is shown only; the table handles it.
            action = self._menu.addAction(role_icon(role.value, 16), f"{_(title)}\t{number}")
            action.setToolTip(_(ROLE_MEANINGS[role]))
            action.triggered.connect(lambda _unused=False, r=role: self.role_requested.emit(r))
        self._menu.addSeparator()
        self._add_target(self._menu)
        self._menu.addSeparator()
        self._add_order(self._menu)
        return self._menu

    def _add_order(self, menu: QMenu) -> None:
        """Add entries for sorting, frozen columns and copying."""
        name = self._selected[-1] if self._selected else ""
        for text, falls, icon_name in (
            (self.tr("Sort ascending"), False, "arrow-up"),
            (self.tr("Sort descending"), True, "arrow-down"),
        ):
            action = menu.addAction(text)
            set_icon(action, icon_name)
            action.triggered.connect(lambda _unused=False, f=falls: self.sort_requested.emit((name, f)))
        own = menu.addAction(self.tr("Original order"))
        own.setEnabled(self._sorted_by is not None)
        own.triggered.connect(lambda: self.sort_requested.emit(None))
        menu.addSeparator()
        count = self.records.table.names.index(name) + 1 if name else 0
        freeze = menu.addAction(self.tr("Freeze columns up to this one"))
        freeze.setEnabled(0 < count < len(self.records.table.names))
        freeze.triggered.connect(lambda: self.freeze(count))
        unfreeze = menu.addAction(self.tr("Unfreeze columns"))
        unfreeze.setEnabled(self.frozen.count > 0)
        unfreeze.triggered.connect(lambda: self.freeze(0))
        menu.addSeparator()
        keys = QKeySequence(QKeySequence.StandardKey.Copy).toString(QKeySequence.SequenceFormat.NativeText)
        copy = menu.addAction("\t".join((self.tr("Copy the selected columns"), keys)))
        set_icon(copy, "copy")
        copy.triggered.connect(self.copy_requested)

    def _add_target(self, menu: QMenu) -> None:
        chosen = [s for s in self.header.summaries if s.name in self._selected]
        action = menu.addAction(self.tr("Target of classification"))
        action.setObjectName("targetAction")
        action.setCheckable(True)
        action.setChecked(len(chosen) == 1 and chosen[0].is_target)
        words = self.tr(
            "Column that the release should still predict, used by the metric Classification "
            "(default: the first sensitive column)"
        )
        if len(chosen) != 1:
            words = self.tr("Select one column to make it the target")
        elif chosen[0].role is Role.IDENTIFYING:
            words = self.tr("Identifying columns are not released, so they cannot be predicted")
        action.setEnabled(len(chosen) == 1 and chosen[0].role is not Role.IDENTIFYING)
        action.setToolTip(words)
        action.toggled.connect(lambda on: self.target_requested.emit(chosen[0].name if on else None))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
            return
        current = self.currentIndex()
        is_toggling = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if event.key() == Qt.Key.Key_Space and is_toggling and current.isValid():
            self._on_toggled(current.column())
            return
        role = ROLE_KEYS.get(Qt.Key(event.key()))
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if role is not None and plain and self._selected:
            self.role_requested.emit(role)
            return
        if event.text() and event.text().isprintable() and plain:
            event.ignore()  # letters would search the first column only
            return
        super().keyPressEvent(event)

    def sizeHintForColumn(self, column: int) -> int:
        return self.header.width_for(column, self.records.longest_texts(column, _SAMPLE_ROWS))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_columns()
        self.frozen.place()

    def _headers(self) -> tuple[ColumnHeader, ColumnHeader]:
        return self.header, self.frozen.header

    def _fit_columns(self) -> None:
        """Set the width of each column to its content, or elide long texts so that all columns fit.

        What remains goes to the last column of texts. Beyond about a hundred columns, all get the width of
        one without a name.
        """
        places = range(min(self.records.columnCount(), FITTED_COLUMNS))
        longest = str(max(self.records.table.n_records, 10))
        digits = QFontMetrics(font(Text.HEADER)).horizontalAdvance(longest)
        self.verticalHeader().setFixedWidth(digits + 14)
        if self._has_own_widths or not places:
            return
        wanted = [self.sizeHintForColumn(place) for place in places]
        least = [self.header.least_width(place) for place in places]
        texts = [at for at in places if not self.records.table.columns[at].data_type.is_numeric]
        if texts:
            wanted[texts[-1]] += max(self.viewport().width() - sum(wanted), 0)
        spare = self.viewport().width() - sum(least)
        share = min(max(spare / max(sum(wanted) - sum(least), 1), 0.0), 1.0)
        self._is_fitting = True
        for place in places:
            self.setColumnWidth(place, least[place] + int((wanted[place] - least[place]) * share))
        self._is_fitting = False

    def _on_section_resized(self) -> None:
        if not self._is_fitting:  # the user changed a width, which is then fixed
            self._has_own_widths = True
            self._tells_widths.start()

    def _take_known_widths(self) -> None:
        known = [(at, self._known_widths.get(name)) for at, name in enumerate(self.records.table.names)]
        self._is_fitting = True
        for place, width in known:
            if width is not None:
                self.setColumnWidth(place, width)
                self._has_own_widths = True
        self._is_fitting = False

    def _emit_widths(self) -> None:
        names = self.records.table.names
        if names and self._has_own_widths:
            self.widths_chosen.emit({name: self.columnWidth(at) for at, name in enumerate(names)})

    def _on_selection_changed(self, *_unused: object) -> None:
        if not self.records.n_shown:
            return  # without rows, columns cannot be selected
        # From the ranges: the selection model checks every row to find complete columns.
        places = {
            place
            for span in self.selectionModel().selection().toList()
            for place in range(span.left(), span.right() + 1)
        }
        self._take_selected(places)

    def _take_selected(self, places: set[int]) -> None:
        for header in self._headers():
            header.show_chosen(places)
        names = tuple(name for i, name in enumerate(self.records.table.names) if i in places)
        if names != self._selected:
            self._selected = names
            self.columns_selected.emit(names)

    def _on_header_menu_wanted(self, position: QPoint) -> None:
        header = self.sender()
        if isinstance(header, ColumnHeader):
            self._open_menu(header.logicalIndexAt(position), header.viewport().mapToGlobal(position))

    def _on_menu_wanted(self, table: QTableView, position: QPoint) -> None:
        self._open_menu(table.columnAt(position.x()), table.viewport().mapToGlobal(position))

    def _on_toggled(self, column: int) -> None:
        """Add a column to the selected ones, or remove it."""
        name, last = self.records.table.names[column], self.records.rowCount() - 1
        if last < 0:
            self.select_columns(tuple(set(self._selected) ^ {name}))
            return
        flags, first = QItemSelectionModel.SelectionFlag, self.records.index(0, column)
        whole = QItemSelection(first, self.records.index(last, column))
        self.selectionModel().select(whole, flags.Deselect if name in self._selected else flags.Select)
        if self.currentIndex().column() != column:
            self.selectionModel().setCurrentIndex(first, flags.NoUpdate)

    def _open_menu(self, column: int, place: QPoint) -> None:
        if column < 0:
            return
        name = self.records.table.names[column]
        if name not in self._selected:
            self.select_columns((name,))
        self.role_menu().popup(place)

    def _on_theme_changed(self) -> None:
        self.setFont(font(Text.CELL))
        self.verticalHeader().setDefaultSectionSize(scaled(ROW_HEIGHT))
        self._fit_columns()
        self.frozen.place()
