"""Table panel of the hierarchy: a row per value or closed group, an editable column per level."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.commands import HierarchyCommands
from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Arrangement, Selection
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import GroupDrag
from anonymizer_gui.perspectives.configure.hierarchy.values.model import ValueModel
from anonymizer_gui.perspectives.configure.hierarchy.values.view import ValueView
from anonymizer_gui.widgets.buttons import make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import set_style_property
from anonymizer_gui.widgets.layouts import fixed
from anonymizer_gui.widgets.search_field import SearchField
from engine.hierarchies.outline import Order, Outline
from engine.numbers import as_exact_count, as_values
from engine.records import Column
from engine.words import N_, _, ngettext

_FIELD_WIDTH = 160
_ORDERS = (
    (Order.VALUE, N_("Sort by value"), N_("Numbers by size, dates by time, texts alphabetically")),
    (Order.NATURAL, N_("Sort in natural order"), N_("Numbers within texts by size: item 2 before item 10")),
    (Order.RECORDS, N_("Sort by records"), N_("Most records first")),
    (Order.FILE, N_("Sort as in the file"), N_("In the order of the hierarchy")),
)
_ON_GROUPS = ("rename", "merge", "split", "group", "cut", "paste", "toggle")
_ON_LEVELS = ("add_level", "remove_level", "name_level", "swap_levels", "remove_absent")


class ValuePanel(Card):
    """Shows an outline and emits requests; the field above finds values and groups."""

    arrangement_requested = Signal(object)  # Arrangement

    def __init__(self, commands: HierarchyCommands, drag: GroupDrag, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Table"), "", parent)
        self._commands, self._drag = commands, drag
        self._arrangement = Arrangement()
        self._finder: ValueFinder | None = None
        self._facts = ""
        self.view = ValueView(ValueModel(self), drag)
        self.find_field = SearchField()
        self.more_button = make_icon_button("ellipsis", self.tr("Sort and change the table"))
        self.menu = QMenu(self)  # commands on the selected groups
        # References prevent Python from deleting widgets held only by a menu or a group.
        self._sort_menu = QMenu(self)
        self._sorts = QActionGroup(self)
        self._orders: dict[Order, QAction] = {}
        self._shows_absent = QAction(self.tr("Show values without records"), self)
        self._build()
        drag.add_face(self.view)

    def show_outline(self, column: Column | None, outline: Outline | None) -> None:
        """Show a hierarchy."""
        self.view.show_outline(column, outline)
        self._finder = ValueFinder(outline) if outline is not None else None
        self._facts = ""
        if outline is not None:
            values = as_values(len(outline.leaves))
            n_levels = outline.hierarchy.height + 1
            words = self.tr("{values}, {n_levels} levels, every cell editable")
            self._facts = words.format(values=values, n_levels=n_levels) if n_levels > 1 else values
        self._look_for(self.find_field.text(), goes_there=False)

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Show the sort order of rows."""
        self._arrangement = arrangement
        self._orders[arrangement.order].setChecked(True)
        self._shows_absent.setChecked(arrangement.shows_absent)

    def has_focus(self) -> bool:
        """Return whether the table has the keyboard focus."""
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.find_field and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress:
                return self._take_key(event)
            if event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
        return super().eventFilter(watched, event)

    # --------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.view.search_requested.connect(self._on_search_requested)
        self.view.menu_requested.connect(self.menu.popup)
        self.find_field.setObjectName("findGroupField")
        self.find_field.setPlaceholderText(self.tr("Find"))
        self.find_field.setAccessibleName(self.tr("Find a value or a group"))
        self.find_field.setToolTip(
            self.tr("Enter goes to the next match, Ctrl+Enter selects all matches (Ctrl+F)")
        )
        self.find_field.textEdited.connect(self._look_for)
        self.find_field.installEventFilter(self)
        for keys, call in (
            (QKeySequence(QKeySequence.StandardKey.Find), self._on_find_wanted),
            (QKeySequence("F3"), self._find_next),
            (QKeySequence("Shift+F3"), self._find_previous),
        ):
            shortcut = QShortcut(keys, self)
            shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
            shortcut.activated.connect(call)
        self.add_tool(self.find_field)
        self.more_button.setObjectName("moreTableButton")
        self._fill_sort_menu()
        self.more_button.setMenu(self._sort_menu)
        self.add_tool(self.more_button)
        self._fill(self.menu)
        self.menu.setObjectName("groupsMenu")
        self.set_body(self.view, 0)
        QWidget.setTabOrder(self.find_field, self.more_button)
        QWidget.setTabOrder(self.more_button, self.view)
        fixed(self.find_field, width=_FIELD_WIDTH)

    def _fill_sort_menu(self) -> None:
        menu = self._sort_menu
        for order, text, help_text in _ORDERS:
            action = QAction(_(text), self._sorts, checkable=True)
            action.setToolTip(_(help_text))
            menu.addAction(action)
            action.triggered.connect(lambda _unused=False, order=order: self._arrange(order=order))
            self._orders[order] = action
        self._orders[Order.VALUE].setChecked(True)
        menu.addSeparator()
        self._shows_absent.setCheckable(True)
        self._shows_absent.setToolTip(self.tr("Values of the hierarchy that do not occur in the data"))
        self._shows_absent.triggered.connect(lambda shows: self._arrange(shows_absent=shows))
        menu.addAction(self._shows_absent)
        menu.addAction(self._commands["open_all"])
        menu.addSeparator()
        self._fill(menu)

    def _fill(self, menu: QMenu) -> None:
        menu.setToolTipsVisible(True)
        menu.addActions([self._commands[key] for key in _ON_GROUPS])
        menu.addSeparator()
        menu.addActions([self._commands[key] for key in _ON_LEVELS])

    def _arrange(self, **changes: object) -> None:
        self.arrangement_requested.emit(replace(self._arrangement, **changes))  # type: ignore[arg-type]  # its fields

    def _take_key(self, event: QKeyEvent) -> bool:
        """Forward keys of the field that belong to the table; return whether it was one."""
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if control:
                self._select_found()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if shift:
                self._find_previous()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._find_next()
            case Qt.Key.Key_Escape:
                self.find_field.clear()
                self._look_for("")
                self.view.setFocus(Qt.FocusReason.OtherFocusReason)
            case Qt.Key.Key_Down:
                self.view.setFocus(Qt.FocusReason.OtherFocusReason)
            case _:
                return False
        return True

    def _look_for(self, text: str, *, goes_there: bool = True) -> None:
        """Show the number of matches of a text, and go to the next value or group with it."""
        n_found = self._finder.look_for(text) if self._finder is not None else 0
        set_style_property(self.find_field, "invalid", "true" if text and not n_found else "false")
        if not text:
            self.set_caption(self._facts)
        else:
            words = ngettext("{n} match", "{n} matches", n_found)
            self.set_caption(words.format(n=as_exact_count(n_found)))
        if text and goes_there:
            # Start with the values: they are searched more often than their groups.
            self._go(0, (self.view.current_cell or (0, 0))[1], itself=True)

    def _find_next(self) -> None:
        self._go(*(self.view.current_cell or (0, -1)))

    def _find_previous(self) -> None:
        self._go(*(self.view.current_cell or (0, 0)), backwards=True)

    def _go(self, level: int, row: int, *, backwards: bool = False, itself: bool = False) -> None:
        if self._finder is None:
            return
        place = self._finder.next_to(level, row, backwards=backwards, itself=itself)
        if place is not None:
            self.view.go_to(*place)

    def _select_found(self) -> None:
        if self._finder is not None and (found := self._finder.everything()).labels:
            self.view.selection_requested.emit(found)

    def _on_search_requested(self, text: str) -> None:
        self.find_field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.find_field.setText(text)
        self._look_for(text)

    def _on_find_wanted(self) -> None:
        self.find_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.find_field.selectAll()


class ValueFinder:
    """Matches of a text, ignoring case: values from top to bottom, then groups level by level."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._labels: list[tuple[int, int, str, str]] = []  # level, row, label, and label without case
        self._found: list[tuple[int, int, str]] = []
        self._places: list[tuple[int, int]] = []

    def look_for(self, text: str) -> int:
        """Find all matches of a text and return their number."""
        self._labels = self._labels or [(*each, each[-1].casefold()) for each in _labelled(self._outline)]
        needle = text.casefold()
        self._found = [each[:3] for each in self._labels if needle in each[3]] if needle else []
        self._places = list(dict.fromkeys((level, row) for level, row, _label in self._found))
        return len(self._places)

    def next_to(
        self, level: int, row: int, *, backwards: bool = False, itself: bool = False
    ) -> tuple[int, int] | None:
        """Return the next match as level and row, wrapping around at the end.

        Parameters
        ----------
        level, row : int
            Start position.
        itself : bool
            Whether the start position counts.
        """
        if not self._places:
            return None
        after = (bisect_left if itself or backwards else bisect_right)(self._places, (level, row))
        return self._places[(after - backwards) % len(self._places)]

    def everything(self) -> Selection:
        """Return all values with the text; without any, the groups of the lowest level that has some."""
        lowest = self._found[0][0] if self._found else 0
        labels = tuple(label for level, _row, label in self._found if level == lowest)
        return Selection(lowest, labels) if labels else NOTHING


def _labelled(outline: Outline) -> Iterator[tuple[int, int, str]]:
    """Return level, row and label of every value, and of every group that a closed one does not hide."""
    rows = np.repeat(np.arange(outline.n_places), np.diff(outline.starts))
    for row, leaf in zip(rows.tolist(), outline.leaves.tolist(), strict=True):
        yield 0, row, outline.hierarchy.values[leaf]
    for level, spans in enumerate(outline.levels[1:], start=1):
        labels = outline.hierarchy.levels[level].labels
        for row, code in zip(spans.starts[:-1].tolist(), spans.codes.tolist(), strict=True):
            if outline.closed[row] <= level:
                yield level, row, labels[code]
