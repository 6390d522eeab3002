"""Hierarchy editor: builder at the left, icicle at the top, table of values and statistics below."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.builder.panel import BuilderPanel
from anonymizer_gui.perspectives.configure.hierarchy.commands import HierarchyCommands
from anonymizer_gui.perspectives.configure.hierarchy.gaps_card import GapsCard
from anonymizer_gui.perspectives.configure.hierarchy.statistics.panel import StatisticsPanel
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import GroupDrag
from anonymizer_gui.perspectives.configure.hierarchy.values.groups_panel import GroupsPanel
from anonymizer_gui.perspectives.configure.hierarchy.values.panel import ValuePanel
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.folding_strip import FoldingStrip
from anonymizer_gui.widgets.labels import CaptionLabel, make_label
from anonymizer_gui.widgets.layouts import at_least, fixed, hbox, named, vbox
from anonymizer_gui.widgets.role_badge import RoleBadge
from anonymizer_gui.widgets.scroll_body import scrolled
from engine.table import NO_ROLE, Column, Role, role_key
from engine.words import ngettext

_GROUPS_LEAST, _TABLES_LEAST = 216, 132  # px of height
_GROUPS_SHARE = 0.57  # of the height right of the builder
_TABLE_SHARE = 0.575  # of the width below the groups


class HierarchyEditor(QWidget):
    """Page of Configure; it shows a draft until Done is pressed."""

    left = Signal()
    done = Signal()
    import_requested = Signal()
    export_requested = Signal()
    copy_requested = Signal()
    library_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("hierarchyEditor")
        self.commands = HierarchyCommands(self)
        self.drag = GroupDrag(self)
        self.back_button = make_button(self.tr("Table"), kind="quiet", icon_name="arrow-left")
        self.back_button.setObjectName("backButton")
        self.back_button.clicked.connect(self.left)
        self._badge = RoleBadge(NO_ROLE, 18)
        self._title = make_label("", Text.HEADING)
        self._caption = CaptionLabel("", Text.CELL)
        self.coverage_chip = Chip("")
        self.levels_chip = Chip("")
        self.copy_button = self._tool(
            self.tr("Copy to…"),
            "copy",
            "copyHierarchyButton",
            self.tr("Copy this hierarchy to other columns with the same values"),
        )
        self.copy_button.clicked.connect(self.copy_requested)
        self.import_button = self._tool(
            self.tr("Import CSV"),
            "upload",
            "importHierarchyButton",
            self.tr("Read a table of values and labels, one line per value"),
        )
        self.import_button.clicked.connect(self.import_requested)
        self.export_action = QAction(self.tr("Export CSV…"), self)
        self.export_action.setToolTip(self.tr("Write this hierarchy as a table of values and labels"))
        self.export_action.triggered.connect(self.export_requested)
        self.library_action = QAction(self.tr("Library…"), self)
        self.library_action.setToolTip(self.tr("Store this hierarchy under a name, or use a stored one"))
        self.library_action.triggered.connect(self.library_requested)
        self.more_button = named(make_icon_button("ellipsis", self.tr("More")), "moreHierarchyButton")
        self._more_menu = QMenu(self)
        self._more_menu.addActions([self.export_action, self.library_action])
        self._more_menu.setToolTipsVisible(True)
        self.more_button.setMenu(self._more_menu)
        self.done_button = named(make_button(self.tr("Done"), kind="primary"), "doneButton")
        self.done_button.setToolTip(self.tr("Use this hierarchy for the column"))
        self.done_button.clicked.connect(self.done)
        self.banner = named(ErrorBanner(), "hierarchyBanner")
        self.builder = BuilderPanel()
        self.gaps = GapsCard(self.drag)
        self.groups = GroupsPanel(self.commands, self.drag)
        self.values = ValuePanel(self.commands, self.drag)
        self.statistics = StatisticsPanel()
        self._lower = DesignSplitter(Qt.Orientation.Horizontal, "hierarchy.lower")
        self._lower.addWidget(self.values)
        self._lower.addWidget(self.statistics)
        self._faces = DesignSplitter(Qt.Orientation.Vertical, "hierarchy.faces")
        self._faces.addWidget(self.groups)
        self._faces.addWidget(self._lower)
        self._build()

    def show_column(self, column: Column, role: Role | None, caption: str) -> None:
        """Show which column's hierarchy is edited."""
        self._title.setText(column.name)
        self._badge.set_role(role_key(role))
        self._caption.setText(caption)

    def show_height(self, n_levels: int) -> None:
        """Show the number of levels; 0 if there is no hierarchy yet."""
        self.levels_chip.setVisible(n_levels > 0)
        self.levels_chip.set_text(ngettext("{n} level", "{n} levels", n_levels).format(n=n_levels))
        self.export_action.setEnabled(n_levels > 0)
        self.copy_button.setEnabled(n_levels > 0)

    def show_coverage(self, n_gaps: int | None) -> None:
        """Show how many values have no group; None if there is no hierarchy."""
        self.coverage_chip.setVisible(n_gaps is not None)
        if n_gaps:
            text = ngettext("{n} value not covered", "{n} values not covered", n_gaps)
            self.coverage_chip.show_status(text.format(n=n_gaps), "danger")
        else:
            self.coverage_chip.show_status(self.tr("Covers every value"), "ok")

    def show_changed(self, is_changed: bool) -> None:
        """Show whether leaving discards changes."""
        self.back_button.setText(self.tr("Discard changes") if is_changed else self.tr("Table"))
        self.back_button.setToolTip(
            self.tr("Back to the table; the column keeps its previous hierarchy")
            if is_changed
            else self.tr("Back to the table")
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width, height = self._faces.width(), self._faces.height()
        upper, left = round(height * _GROUPS_SHARE), round(width * _TABLE_SHARE)
        self._faces.set_design_sizes((upper, height - upper))
        self._lower.set_design_sizes((left, width - left))

    def _build(self) -> None:
        strip = FoldingStrip()
        strip.setProperty("strip", "true")
        hbox(
            self.back_button,
            self._badge,
            self._title,
            (self._caption, 1),
            self.coverage_chip,
            self.levels_chip,
            self.copy_button,
            self.import_button,
            self.more_button,
            self.done_button,
            spacing=8,
            margins=(12, 0, 8, 0),
            of=strip,
        )
        vbox(
            strip,
            (
                scrolled(
                    vbox(
                        self.banner,
                        (hbox(vbox((self.builder, 1), self.gaps, spacing=8), (self._faces, 1), spacing=8), 1),
                        spacing=8,
                        margins=8,
                    )
                ),
                1,
            ),
            spacing=0,
            margins=0,
            of=self,
        )
        strip.fold(self.copy_button, self.import_button)
        fixed(strip, height=44)
        # Groups and tables stay readable with large text: the page scrolls in a low window.
        at_least(self.groups, height=_GROUPS_LEAST)
        at_least(self._lower, height=_TABLES_LEAST)

    def _tool(self, text: str, icon: str, name: str, tooltip: str) -> QPushButton:
        return named(make_button(text, icon_name=icon), name, tooltip=tooltip)
