"""List card: all nodes as a table that can be sorted, filtered, copied and exported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from anonymizer_gui.forms.filter_edit import FilterEdit
from anonymizer_gui.models.node_columns import Kind, NodeColumn, NodeTable, Rows
from anonymizer_gui.models.nodes_model import NODE_ROLE, NodesModel
from anonymizer_gui.perspectives.explore.listing.filter_chips import FilterChip, FilterStrip
from anonymizer_gui.perspectives.explore.listing.node_header import (
    BAR_WIDTH,
    BEFORE,
    MOST_NUMBERED,
    PADDING,
    ROW,
    NodeListView,
)
from anonymizer_gui.perspectives.explore.listing.node_table import AFTER_MODELS, SHARE_SUPPRESSED
from anonymizer_gui.theming import Text, follow_theme, font, scaled
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.labels import ElidedLabel, set_style_property, set_tone
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from anonymizer_gui.widgets.level_glyph import SMALL, glyph_width
from anonymizer_gui.widgets.marks import Mark
from anonymizer_gui.widgets.results_stack import EmptyState
from anonymizer_gui.widgets.search_field import SearchGlass
from anonymizer_gui.widgets.staying_menu import StayingMenu
from engine.filters import ValueKind
from engine.numbers import as_exact_count
from engine.words import _


class FilterSearchField(SearchGlass, FilterEdit):
    """`FilterEdit` with the magnifying glass of `SearchField`."""


_LEVEL, _WITHOUT_NUMBER, _TEXT = 28, 20, 220  # px of columns of levels, also without numbers, and of texts
_LEAST, _CLOSE_LEVEL = 24, 26  # px of a column, and of levels where room is scarce
_BESIDE_TITLE = 8  # px, the padding before and after it
_FIELD, _LEAST_FIELD, _LEAST_COUNT, _COUNT_LETTERS = 190, 80, 118, 10
_FOOTER, _SCROLL_BAR = 25, 12
_LEAST_WITH_FOOTER = 180  # px; a lower card has no footer
_TIGHT = (0, 1, 2)  # 1 omits bars and shortens titles, 2 also omits the share of suppressed records


class ListPanel(Card):
    """Table of nodes; the presenter provides the rows and handles requests."""

    node_requested = Signal(int)
    node_menu_opening = Signal(object, int)  # QMenu to which entries of the node are added
    export_requested = Signal()
    columns_chosen = Signal(object)  # {key of a column: whether it is shown}

    def __init__(self) -> None:
        super().__init__("")
        self.setObjectName("listCard")
        self.model = NodesModel(self)
        self._is_following = False
        self._choices: dict[str, bool] = {}
        self._over_columns: dict[str, str] = {}
        self._selected: int | None = None
        self._numbers: dict[str, int] = {}  # px of the longest number of each column
        self._tight = -1
        self._hint_text = ""
        self._make_header()
        self.strip = FilterStrip()
        self.view = NodeListView(self.model)
        self._rest = QWidget()
        self._rest.setFixedHeight(0)
        self.set_body(vbox(self.strip, (self.view, 1), self._rest, spacing=0), 0)
        self.empty = EmptyState("", self.tr("Clear filters"), parent=self.view)
        self.empty.hide()
        self._hint = named(ElidedLabel("", Text.CELL, "text_3"), "listHint")
        self.set_footer(hbox(self._hint))
        self._connect()
        follow_theme(self._on_theme_changed)
        self._order_tabs()

    # -- display -------------------------------------------------------------------------------

    def show_table(self, table: NodeTable, hint: str, rows: Rows | None = None) -> None:
        """Show other values; the selected node stays selected if it is still listed."""
        fresh = _filled(self.model.table) != _filled(table)
        if int(table.listed.sum()) < self.view.verticalScrollBar().value():
            self.view.scrollToTop()  # a table that shrinks above the scroll position takes Qt seconds
        self.model.set_table(table, rows)
        self.show_hint(hint)
        if fresh:
            self._show_columns()

    def show_hint(self, hint: str) -> None:
        """Show a sentence about the rows below the list."""
        self._hint_text = hint
        self._hint.setText(hint)

    def show_counts(self, entries: Sequence[tuple[str, str, str]], chosen: str) -> None:
        """Offer the status filters: key, text with number, and explanation."""
        with QSignalBlocker(self.status):
            if self.status.count() != len(entries):
                self.status.clear()
                for key, text, _unused in entries:
                    self.status.addItem(text, key)
            for i, (_unused, text, explanation) in enumerate(entries):
                if self.status.itemText(i) != text:
                    self.status.setItemText(i, text)
                self.status.setItemData(i, explanation, Qt.ItemDataRole.ToolTipRole)
            self.status.setCurrentIndex(max(self.status.findData(chosen), 0))
        self.status.setToolTip(self.status.currentText())

    def show_filters(self, chips: Sequence[FilterChip], typed: str, over_columns: Mapping[str, str]) -> None:
        """Show the active filters as chips, in the field, and over the columns."""
        if not self.filter_field.hasFocus() and self.filter_field.text() != typed:
            with QSignalBlocker(self.filter_field):
                self.filter_field.setText(typed)
        self.strip.show_chips(chips)
        self._over_columns = dict(over_columns)
        self.view.header.show_columns(over_columns)

    def set_filter_names(self, names: Sequence[str]) -> None:
        """Set the names that typed conditions may contain, for completion."""
        self.filter_field.set_known(dict.fromkeys(names, ValueKind.NUMBERS), lambda _name, _part: ())

    def show_empty(self, sentence: str, action: str) -> None:
        """Show why no node is listed, and an action to change that; an empty text hides it."""
        self.empty.set_sentence(sentence)
        self.empty.set_action(action)
        self.empty.setVisible(bool(sentence))
        self._place_empty()

    def show_filter_problem(self, problem: str) -> None:
        """Show why a typed filter is invalid; an empty text clears it."""
        set_style_property(self.filter_field, "invalid", "true" if problem else "false")
        self.filter_field.setToolTip(problem)
        self.show_message(problem, is_problem=True)

    def show_column_problem(self, key: str, problem: str) -> None:
        """Show the error of a column filter; an empty text clears it."""
        self.view.header.show_problem(key, problem)
        self.show_message(problem, is_problem=True)

    def show_message(self, message: str, *, is_problem: bool = False) -> None:
        """Show a message below the list; an empty text restores the hint."""
        set_tone(self._hint, "danger" if message and is_problem else "text_3")
        self._hint.setText(message or self._hint_text)

    def show_selected(self, node: int | None, marks: Mapping[int, Mark]) -> None:
        """Select the row of a node and mark others."""
        self._selected = node
        self.model.set_marks(marks)
        self._follow(scrolls=True)

    def set_column_choices(self, choices: Mapping[str, bool]) -> None:
        """Show and hide columns as saved; other columns have their default."""
        self._choices = dict(choices)
        self._show_columns()

    # -- actions -------------------------------------------------------------------------------

    def choose_column(self, key: str, shown: bool) -> None:
        """Show or hide a column, unless it is the last one."""
        sections = self.view.shown_sections()
        if not shown and [self.model.column_key(i) for i in sections] == [key]:
            return
        column = self.model.table.column(key)
        if column is not None and column.is_usual == shown:
            self._choices.pop(key, None)
        else:
            self._choices[key] = shown
        self._show_columns()
        self.columns_chosen.emit(dict(self._choices))

    def choose_usual_columns(self) -> None:
        """Restore the default columns."""
        self._choices = {}
        self._show_columns()
        self.columns_chosen.emit({})

    def filter_column(self, key: str) -> None:
        """Focus the filter field of a column."""
        self._fields.setChecked(True)
        if (field := self.view.header.field(key)) is not None:
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            field.selectAll()

    def is_column_shown(self, key: str) -> bool:
        """Return whether a column is not hidden; it may be scrolled out of view."""
        column = self.model.table.column(key)
        return column is not None and self._is_shown(column, self._tight)

    # ------------------------------------------------------------------------------------------

    def _make_header(self) -> None:
        self.filter_field = named(FilterSearchField(), "nodeFilter", self.tr("Filter nodes"))
        self.filter_field.setPlaceholderText(self.tr("e.g. age ≤ 2"))
        self.filter_field.setClearButtonEnabled(True)
        self.filter_field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for action in self.filter_field.findChildren(QAction):
            action.setToolTip(self.tr("Clear filter"))
        # The counts change while a knob is dragged; the width of the box must not.
        self.status = named(ElidedComboBox(_COUNT_LETTERS), "nodeStatus", self.tr("Listed nodes"))
        self._fields = make_icon_button("funnel", self.tr("Filter by single columns"), "filterColumns")
        self._fields.setCheckable(True)
        self._more = make_icon_button("ellipsis", self.tr("Columns, copy and export"), "listMore")
        self.add_lead(self.filter_field)
        for tool in (self.status, self._fields, self._more):
            self.add_tool(tool)

    def _connect(self) -> None:
        self._fields.toggled.connect(self._on_fields_toggled)
        self._more.clicked.connect(self._show_menu)
        view, header = self.view, self.view.header
        header.fields_changed.connect(self._order_tabs)
        self.strip.chips_changed.connect(self._order_tabs)
        view.column_menu_requested.connect(self._show_column_menu)
        view.cell_menu_requested.connect(self._show_column_menu)
        view.copying_refused.connect(self._on_copying_refused)
        view.resized.connect(self._on_resized)
        # Not by the current row: the first row becomes current when the list gets the focus.
        view.selectionModel().selectionChanged.connect(lambda *_unused: self._on_selection_changed())
        self.model.modelReset.connect(self._follow)

    def _show_columns(self) -> None:
        """Set the width of every column or hide it; the metric takes the remaining width."""
        self._numbers = {column.key: _number_width(column) for column in self.model.table.columns}
        self._tight = -1
        self._fit_columns()
        self._show_order()
        self.view.header.show_columns(self._over_columns)
        self._order_tabs()

    def _fit_columns(self) -> None:
        """Fit columns to their contents, closer together if the models would be out of view."""
        columns, room = self.model.table.columns, self.view.width() - scaled(_SCROLL_BAR)
        if any(column.key not in self._numbers for column in columns):
            return  # resized by new columns, whose widths are set next
        first = next((i for i, column in enumerate(columns) if column.key == AFTER_MODELS), len(columns))
        for tight in _TIGHT:
            shown = [self._is_shown(column, tight) for column in columns]
            widths = [self._width(column, tight) for column in columns]
            if sum(width for width, is_on in zip(widths[:first], shown, strict=False) if is_on) <= room:
                break
        if tight != self._tight:  # else the user may have set widths
            self._tight = tight
            self.view.set_tight(tight > 0)
            for i, (width, is_on) in enumerate(zip(widths, shown, strict=True)):
                self.view.setColumnHidden(i, not is_on)
                self.view.setColumnWidth(i, width)
        value = next((i for i, column in enumerate(columns) if column.kind is Kind.VALUE), None)
        if value is not None and not self.view.isColumnHidden(value):
            used = sum(self.view.columnWidth(i) for i in self.view.shown_sections() if i != value)
            self.view.setColumnWidth(value, max(widths[value], room - used))

    def _is_shown(self, column: NodeColumn, tight: int) -> bool:
        is_usual = column.is_usual and (tight < _TIGHT[-1] or column.key != SHARE_SUPPRESSED)
        return self._choices.get(column.key, is_usual)

    def _width(self, column: NodeColumn, tight: int) -> int:
        n_levels, beside = len(self.model.table.heights), PADDING + BEFORE
        match column.kind:
            case Kind.LEVELS:
                return max(scaled(60), glyph_width(n_levels, SMALL) + 2 * PADDING)
            case Kind.LEVEL:
                return scaled(
                    _WITHOUT_NUMBER if n_levels > MOST_NUMBERED else _CLOSE_LEVEL if tight else _LEVEL
                )
            case Kind.TEXT:
                return scaled(_TEXT)
            case Kind.VALUE if not tight:
                beside += scaled(BAR_WIDTH) + PADDING
        title = column.short if tight and column.short else column.title
        with_arrow = QFontMetrics(font(Text.HEADER)).horizontalAdvance(f"{title} ↑")
        in_title = with_arrow + _BESIDE_TITLE if title else 0
        return max(scaled(_LEAST), in_title, self._numbers[column.key] + beside)

    def _show_order(self) -> None:
        """Mark the sorted column at its current position."""
        order = self.model.order
        keys = [column.key for column in self.model.table.columns]
        direction = Qt.SortOrder.DescendingOrder if order.is_falling else Qt.SortOrder.AscendingOrder
        if order.key in keys:
            with QSignalBlocker(self.view.header):
                self.view.header.setSortIndicator(keys.index(order.key), direction)
        elif keys:
            self.view.header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)

    def _follow(self, *, scrolls: bool = False) -> None:
        row = None if self._selected is None else self.model.row_of(self._selected)
        selection = self.view.selectionModel()
        current = selection.currentIndex()
        self._is_following = True
        if row is None:
            selection.clear()
        elif not (current.isValid() and current.row() == row and selection.isRowSelected(row)):
            index = self.model.index(row, max(current.column(), 0))
            flags = QItemSelectionModel.SelectionFlag
            across = self.view.horizontalScrollBar().value()
            selection.setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            if scrolls:
                self.view.scrollTo(index)
            self.view.horizontalScrollBar().setValue(across)
        self._is_following = False

    def _on_selection_changed(self) -> None:
        selection = self.view.selectionModel()
        current = selection.currentIndex()
        if self._is_following or not current.isValid() or not selection.isRowSelected(current.row()):
            return
        node = int(current.data(NODE_ROLE))
        if node != self._selected:
            self._selected = node
            self.node_requested.emit(node)

    def _on_fields_toggled(self, shows: bool) -> None:
        self.view.header.set_shows_fields(shows)
        self.view.header.show_columns(self._over_columns)
        self.view.updateGeometries()
        self._fit_header()

    def _on_copying_refused(self, n_rows: int) -> None:
        text = self.tr("{n_rows} rows are too many to copy: export them as CSV.")
        self.show_message(text.format(n_rows=as_exact_count(n_rows)), is_problem=True)

    def _on_resized(self) -> None:
        self._fit_columns()
        # The last row is whole: what is left below it belongs to no row.
        rest = (self.view.viewport().height() + self._rest.height()) % scaled(ROW)
        if rest != self._rest.height():
            self._rest.setFixedHeight(rest)
        self._place_empty()

    def _place_empty(self) -> None:
        self.empty.setGeometry(self.view.viewport().geometry())

    # -- menus ---------------------------------------------------------------------------------

    def _show_menu(self) -> None:
        menu = QMenu(self)
        copy = menu.addAction(self.tr("Copy rows"), self.view.copy_rows)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        menu.addAction(self.tr("Export listed nodes as CSV…"), self.export_requested.emit)
        menu.addSeparator()
        menu.addMenu(self._columns_menu(menu))
        self._run(menu, self._more.mapToGlobal(QPoint(0, self._more.height())))

    def _show_column_menu(self, section: int, place: QPoint, node: int = -1) -> None:
        """Show a menu to sort and filter by a column, to hide it, and to choose others."""
        column, menu = self.model.column(section), QMenu(self)
        name, sort = _escaped(column.name), partial(self.view.sortByColumn, section)
        ascending, descending = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
        menu.addAction(_("Sort by {name}, ascending").format(name=name), lambda: sort(ascending))
        menu.addAction(_("Sort by {name}, descending").format(name=name), lambda: sort(descending))
        if column.has_filter:
            menu.addAction(_("Filter by {name}…").format(name=name), lambda: self.filter_column(column.key))
        menu.addSeparator()
        hide = _("Hide {name}").format(name=name)
        menu.addAction(hide, lambda: self.choose_column(column.key, False))
        menu.addSeparator()
        menu.addMenu(self._columns_menu(menu))
        if node >= 0:
            self.node_menu_opening.emit(menu, node)
        self._run(menu, place)

    def _columns_menu(self, parent: QWidget) -> QMenu:
        menu = named(StayingMenu(self.tr("Columns"), parent), "columnsMenu")
        for column in self.model.table.columns:
            words = column.title or column.name
            if column.tooltip and column.tooltip != words:
                words = f"{words}  ({column.tooltip})" if len(column.tooltip) <= 90 else words
            action = menu.addAction(_escaped(words))
            action.setCheckable(True)
            action.setChecked(self.is_column_shown(column.key))
            action.setToolTip(column.tooltip)
            action.toggled.connect(partial(self.choose_column, column.key))
        menu.addSeparator()
        menu.addAction(self.tr("Default columns"), self.choose_usual_columns)
        return menu

    def _run(self, menu: QMenu, place: QPoint) -> None:
        menu.setObjectName("listMenu")
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    # -- layout --------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        assert self._footer is not None
        self._footer.setVisible(self.height() >= scaled(_LEAST_WITH_FOOTER))
        self._fit_header()

    def _fit_header(self) -> None:
        """If the header has no room for the filter field, move it to the chips when needed."""
        taken = sum(lead.sizeHint().width() + 8 for lead in self.leads() if lead is not self.filter_field)
        tools = (self.status, self._fields, self._more)
        taken += sum((tool.minimumWidth() or tool.minimumSizeHint().width()) + 6 for tool in tools) + 44
        has_room = self.width() - taken >= scaled(_LEAST_FIELD)
        if has_room:
            self.strip.release_field(self.filter_field)
            self._lead.addWidget(self.filter_field)
            self.filter_field.show()
        else:
            field = self.filter_field
            self._lead.removeWidget(field)
            self.strip.take_field(field, shown=self._fields.isChecked() or bool(field.text()))
        self._order_tabs()

    def _order_tabs(self) -> None:
        """Set the tab order: header, chips, fields over the columns, rows."""
        order: list[QWidget] = [self.filter_field, self.status, self._fields, self._more]
        if self.filter_field.parentWidget() is self.strip:
            order = [*order[1:], self.filter_field]
        order += [*self.strip.controls(), *self.view.header.fields(), self.view]
        for one, other in pairwise(order):
            QWidget.setTabOrder(one, other)

    def _on_theme_changed(self) -> None:
        assert self._footer is not None
        self._footer.setFixedHeight(scaled(_FOOTER))
        self.filter_field.setMaximumWidth(scaled(_FIELD))
        self.status.setMinimumWidth(scaled(_LEAST_COUNT))
        self._show_columns()
        self._fit_header()


def _filled(table: NodeTable) -> list[tuple[str, bool]]:
    """Return the columns of a table, and which of them have values yet."""
    return [(column.key, column.values is None) for column in table.columns]


def _number_width(column: NodeColumn) -> int:
    """Return the width of the longest number of a column."""
    values = column.values
    if values is None or column.kind in (Kind.LEVEL, Kind.LEVELS, Kind.MARK, Kind.TEXT):
        return 0
    known = np.flatnonzero(np.isfinite(values))
    # From a million on numbers are abbreviated, so that smaller ones may be longer.
    parts = [part for part in (known, known[values[known] < 1_000_000]) if len(part)]
    nodes = [int(part[at(values[part])]) for part in parts for at in (np.argmin, np.argmax)]
    texts = [column.cell_text(node) for node in nodes]
    if len(known) < len(values):
        texts.append(column.missing)
    return max(map(QFontMetrics(font(Text.CELL)).horizontalAdvance, texts), default=0)


def _escaped(text: str) -> str:
    """Return a text with ampersands escaped, so that they are not mnemonics."""
    return text.replace("&", "&&")
