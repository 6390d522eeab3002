"""Layout of Configure: table, panels, pre-flight strip, and the hierarchy editor."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.editor import HierarchyEditor
from anonymizer_gui.perspectives.configure.requirement.panel import RequirementPanel
from anonymizer_gui.perspectives.configure.requirement.preflight import PreflightPanel
from anonymizer_gui.perspectives.configure.table.column_panel import PANEL_LEAST, ColumnPanel
from anonymizer_gui.perspectives.configure.table.panel import TablePanel
from anonymizer_gui.theming import scaled, theme_manager
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.layouts import named, vbox

_TABLE_LEAST, _PANELS = 620, 530
_LOW = 680  # px: lower windows show one line of pre-flight findings


class ConfigurePerspective(QStackedWidget):
    """Two pages: the settings, and the editor of one hierarchy."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("configurePerspective")
        self.table = TablePanel()
        self.column = ColumnPanel()
        self.requirement = RequirementPanel()
        self.preflight = PreflightPanel()
        self.editor = HierarchyEditor()
        self._panels = named(QSplitter(Qt.Orientation.Vertical), "configure.panels")
        self._panels.addWidget(self.column)
        self._panels.addWidget(self.requirement)
        self._sides = DesignSplitter(Qt.Orientation.Horizontal, "configure.sides")
        self._sides.addWidget(self.table)
        self._sides.addWidget(self._panels)
        self._panels.setHandleWidth(8)
        self._panels.setChildrenCollapsible(False)
        self._panels.setSizes([358, 294])
        self._sides.setStretchFactor(0, 1)
        self._panels.setStretchFactor(0, 1)
        self.table.setMinimumWidth(_TABLE_LEAST)
        page = QWidget()
        vbox((self._sides, 1), self.preflight, spacing=8, margins=8, of=page)
        self._page = page
        self.addWidget(page)
        self.addWidget(self.editor)
        theme_manager().theme_changed.connect(self._set_sizes)

    @property
    def is_editing(self) -> bool:
        """True if the hierarchy editor is shown."""
        return self.currentWidget() is self.editor

    def show_editor(self) -> None:
        """Open the hierarchy editor."""
        self.setCurrentWidget(self.editor)
        self.editor.builder.builder_box.setFocus()

    def show_settings(self) -> None:
        """Return to the settings."""
        self.setCurrentWidget(self._page)
        self.column.edit_button.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.preflight.set_low(self.height() < _LOW)
        self._set_sizes()

    def _set_sizes(self) -> None:
        """Give the panels the width of the design, which grows with texts but leaves the table its least."""
        room = self.width() - 16 - self._sides.handleWidth()
        panels = max(min(scaled(_PANELS), room - _TABLE_LEAST), PANEL_LEAST)
        self._sides.set_design_sizes([room - panels, panels])
