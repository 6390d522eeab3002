"""Layout of Configure: table, panels, pre-flight list, and the hierarchy editor."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.editor import HierarchyEditor
from anonymizer_gui.perspectives.configure.requirement.panel import RequirementPanel
from anonymizer_gui.perspectives.configure.requirement.preflight import PreflightPanel
from anonymizer_gui.perspectives.configure.table.column_panel import PANEL_LEAST, ColumnPanel
from anonymizer_gui.perspectives.configure.table.panel import TablePanel
from anonymizer_gui.theming import follow_theme, scaled
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.floating_card import Drawer
from anonymizer_gui.widgets.layouts import hbox, vbox
from anonymizer_gui.widgets.made_ahead import MadeAhead
from anonymizer_gui.widgets.scroll_body import ScrollBody

_TABLE_LEAST, _TABLE_NARROW, _PANELS = 620, 568, 530  # px; with larger text the table is narrow
_ROOM_BESIDE = 1020  # px: narrower pages have the panels in a drawer
_BESIDE = 36  # px: margins, gap and scroll bar
_MOST_OF_FINDINGS = 0.25  # of the height, for pre-flight findings
_ROOM_FOR_PANELS = 600  # px: in lower windows the panels scroll together


# Parts that take long to create.
AHEAD: tuple[type[QWidget], ...] = (TablePanel, ColumnPanel, RequirementPanel, HierarchyEditor)


class ConfigurePerspective(FitsRoom, QStackedWidget):
    """Two pages: the settings, and the editor of one hierarchy."""

    def __init__(self, parent: QWidget | None = None, ahead: MadeAhead | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("configurePerspective")
        ahead = ahead or MadeAhead()
        self.table = ahead.take(TablePanel)
        self.column = ahead.take(ColumnPanel)
        self.requirement = ahead.take(RequirementPanel)
        self.preflight = PreflightPanel()
        self.editor = ahead.take(HierarchyEditor)
        self._panels = DesignSplitter(
            Qt.Orientation.Vertical, "configure.panels", self.column, self.requirement
        )
        self._sides = DesignSplitter(Qt.Orientation.Horizontal, "configure.sides", self.table)
        self._scroll = ScrollBody(vbox(self._panels, margins=0))
        self._sides.addWidget(self._scroll)
        self._panels.setSizes([358, 294])
        self._sides.setStretchFactor(0, 1)
        self._panels.setStretchFactor(0, 1)
        self._drawer = Drawer(
            "panelsDrawer", self.tr("Column and requirement"), _PANELS, self, self._sides, self._scroll
        )
        beside = QWidget()
        button = self._drawer.button, 0, Qt.AlignmentFlag.AlignTop
        hbox((self._sides, 1), button, spacing=0, margins=0, of=beside)
        self._rows = DesignSplitter(Qt.Orientation.Vertical, "configure.rows", beside, self.preflight)
        self._rows.setStretchFactor(0, 1)
        page = ScrollBody(vbox(self._rows, margins=8))
        self._page = page
        self.addWidget(page)
        self.addWidget(self.editor)
        follow_theme(self._fit)

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

    def minimumSizeHint(self) -> QSize:
        """Return a width that is independent of the room that the panels have at present."""
        least = max(_TABLE_LEAST, self.editor.minimumSizeHint().width())
        return QSize(least, super().minimumSizeHint().height())

    def _fit(self) -> None:
        """Fit the parts into the window: with large text the panels need more width, and scroll together."""
        design, least = self.preflight.design_height(), self.preflight.minimumHeight()
        found = max(min(design, round(self.height() * _MOST_OF_FINDINGS)), least)
        self._rows.set_design_sizes([self.height() - 16 - self._rows.handleWidth() - found, found])
        together = self.height() < scaled(_ROOM_FOR_PANELS)
        for panel in (self.column, self.requirement):
            panel.set_scrolled_with_others(together)
        least = max(min(scaled(PANEL_LEAST), self.width() - _TABLE_NARROW), PANEL_LEAST)
        room = self.width() - 16 - self._sides.handleWidth()
        has_room = least == PANEL_LEAST and room >= PANEL_LEAST + _TABLE_LEAST
        table = _TABLE_LEAST if has_room else _TABLE_NARROW - _BESIDE
        self._panels.setMinimumWidth(least)
        self.table.setMinimumWidth(table)
        self._drawer.take_in(is_narrow=room < _ROOM_BESIDE)
        panels = max(min(scaled(_PANELS), room - table), least)
        self._sides.set_design_sizes([room - panels, panels])
