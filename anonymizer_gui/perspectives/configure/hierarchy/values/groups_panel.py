"""Panel of the icicle with the histogram of the values and its buttons."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QScrollBar

from anonymizer_gui.perspectives.configure.hierarchy.commands import HierarchyCommands
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Arrangement
from anonymizer_gui.perspectives.configure.hierarchy.icicle.geometry import WidthMeaning
from anonymizer_gui.perspectives.configure.hierarchy.icicle.view import IcicleView
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import GroupDrag
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.layouts import named, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.hierarchies.outline import Order, Outline
from engine.records import Column

_SCROLL_STEPS, _LEAST_BOX = 10_000, 72  # px
_MENU = (
    ("rename", "merge", "split", "group"),
    ("cut", "paste"),
    ("toggle", "open_all"),
    ("add_level", "remove_level", "name_level", "swap_levels"),
    ("remove_absent",),
)


class GroupsPanel(Card):
    """Shows an outline and emits requests; its buttons reflect the possible commands."""

    arrangement_requested = Signal(object)  # Arrangement

    def __init__(self, commands: HierarchyCommands, drag: GroupDrag) -> None:
        super().__init__(self.tr("Groups"), "")
        self._commands, self._drag = commands, drag
        self._arrangement = Arrangement()
        self._shown: tuple[Column, Outline] | None = None
        self.view = IcicleView(drag)
        self.width_choice = SegmentedControl(
            [
                (WidthMeaning.VALUE.value, self.tr("By value")),
                (WidthMeaning.RECORDS.value, self.tr("By records")),
            ],
            self.tr("Meaning of the width of a group"),
        )
        self.order_box = named(ElidedComboBox(), "groupOrder", self.tr("Sort groups and values"))
        self.order_box.setProperty("size", "small")
        self.order_box.setProperty("compact", "true")
        self.order_box.setMinimumWidth(_LEAST_BOX)
        for order, text in (
            (Order.VALUE, self.tr("Sort: value")),
            (Order.NATURAL, self.tr("Sort: natural order")),
            (Order.RECORDS, self.tr("Sort: records")),
            (Order.FILE, self.tr("Sort: as listed")),
        ):
            self.order_box.addItem(text, order)
        self.split_button = self._command_button("split", self.tr("Split"), "split")
        self.merge_button = self._command_button("merge", self.tr("Merge"), "combine")
        self.group_button = self._command_button("group", self.tr("New group"), "plus")
        for tool in (
            self.width_choice,
            self.order_box,
            self.group_button,
            self.split_button,
            self.merge_button,
        ):
            self.add_tool(tool)
        self.fold_tools(self.merge_button, self.split_button, self.group_button)
        self.scroll_bar = QScrollBar(Qt.Orientation.Horizontal)
        self.scroll_bar.setAccessibleName(self.tr("Visible part of the groups"))
        self.scroll_bar.hide()
        self.set_body(vbox((self.view, 1), self.scroll_bar, spacing=0), 0)
        self.width_choice.selected.connect(self._on_width_chosen)
        self.order_box.data_chosen.connect(self._on_order_chosen)
        self.scroll_bar.valueChanged.connect(self._on_scrolled)
        self.view.menu_requested.connect(self._on_menu_requested)
        self.view.view_changed.connect(self._update_scroll_bar)
        drag.add_face(self.view)

    def show_outline(self, column: Column | None, outline: Outline | None) -> None:
        """Show a hierarchy."""
        self._shown = (column, outline) if column is not None and outline is not None else None
        self.view.show_outline(column, outline)
        self._update_caption()

    def show_arrangement(self, arrangement: Arrangement) -> None:
        """Show the sort order of groups."""
        self._arrangement = arrangement
        self.order_box.setCurrentIndex(self.order_box.findData(arrangement.order))
        self.order_box.setToolTip(
            self.tr("{currentText}; groups by their contents").format(
                currentText=self.order_box.currentText()
            )
        )

    def _command_button(self, key: str, text: str, icon_name: str) -> QPushButton:
        action = self._commands[key]
        button = make_button(text, f"{key}GroupsButton", kind="quiet", icon_name=icon_name, small=True)
        button.clicked.connect(action.trigger)
        action.changed.connect(lambda: self._follow(button, action))
        self._follow(button, action)
        return button

    @staticmethod
    def _follow(button: QPushButton, action: QAction) -> None:
        button.setEnabled(action.isEnabled())
        button.setToolTip(action.toolTip())

    def _update_caption(self) -> None:
        if self._shown is None:
            self.set_caption("")
            return
        column, outline = self._shown
        if self.width_choice.current() == WidthMeaning.RECORDS.value:
            width = self.tr("width and height of bars = records")
        elif outline.has_number_line:
            width = self.tr("width = {name}, height of bars = records").format(name=column.name)
        else:
            width = self.tr("values side by side, height of bars = records")
        self.set_caption(
            self.tr("{width}; drag a cut to move it, double-click a group to rename").format(width=width)
        )

    def _update_scroll_bar(self) -> None:
        geometry = self.view.geometry_shown
        is_zoomed = geometry is not None and geometry.zoom > 1.001
        if geometry is not None and is_zoomed:
            page = round(_SCROLL_STEPS / geometry.zoom)
            self.scroll_bar.blockSignals(True)
            self.scroll_bar.setPageStep(max(page, 1))
            self.scroll_bar.setSingleStep(max(page // 10, 1))
            self.scroll_bar.setRange(0, _SCROLL_STEPS - page)
            self.scroll_bar.setValue(round(geometry.start * _SCROLL_STEPS))
            self.scroll_bar.blockSignals(False)
        self.scroll_bar.setVisible(is_zoomed)

    def _on_scrolled(self, value: int) -> None:
        geometry = self.view.geometry_shown
        if geometry is not None:
            self.view.set_geometry(replace(geometry, start=value / _SCROLL_STEPS).clamped())

    def _on_width_chosen(self, key: str) -> None:
        self.view.show_meaning(WidthMeaning(key))
        self._update_caption()

    def _on_order_chosen(self, order: Order) -> None:
        if order is not self._arrangement.order:
            self.arrangement_requested.emit(replace(self._arrangement, order=order))

    def _on_menu_requested(self, position: QPoint) -> None:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for i, keys in enumerate(_MENU):
            if i:
                menu.addSeparator()
            menu.addActions([self._commands[key] for key in keys])
        menu.popup(position)
