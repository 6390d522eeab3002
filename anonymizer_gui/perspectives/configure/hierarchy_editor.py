"""The hierarchy editor: builder at the left, the table of values and the statistics beside it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from anonymizer_gui.perspectives.configure.builder_panel import BuilderPanel
from anonymizer_gui.perspectives.configure.hierarchy_table import HierarchyTable
from anonymizer_gui.perspectives.configure.statistics_table import StatisticsTable
from anonymizer_gui.theming import Text, scaled, theme_manager
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.role_badge import RoleBadge
from engine.hierarchies import Hierarchy
from engine.hierarchies.statistics import LevelStatistics
from engine.table import Column, Role


class HierarchyEditor(QWidget):
    """A page of Configure; what it shows is a draft until Done."""

    left = Signal()
    done = Signal()
    import_requested = Signal()
    export_requested = Signal()
    gaps_requested = Signal()  # add the values that are missing

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("hierarchyEditor")
        self.back_button = make_button(self.tr("Table"), kind="quiet", icon_name="arrow-left")
        self.back_button.setObjectName("backButton")
        self.back_button.clicked.connect(self.left)
        self._badge = RoleBadge(Role.INSENSITIVE.value, 18)
        self._title = make_label("", Text.HEADING)
        self._caption = ElidedLabel("", Text.CELL, "text_3")
        self.coverage_chip = Chip("")
        self.levels_chip = Chip("")
        self.import_button = make_button(self.tr("Import CSV"), icon_name="upload")
        self.import_button.setObjectName("importHierarchyButton")
        self.import_button.setToolTip(self.tr("Read a table of values and labels, one line per value"))
        self.import_button.clicked.connect(self.import_requested)
        self.export_button = make_button(self.tr("Export CSV"), icon_name="download")
        self.export_button.setObjectName("exportHierarchyButton")
        self.export_button.setToolTip(self.tr("Write the hierarchy shown as a table of values and labels"))
        self.export_button.clicked.connect(self.export_requested)
        self.done_button = make_button(self.tr("Done"), kind="primary")
        self.done_button.setObjectName("doneButton")
        self.done_button.setToolTip(self.tr("Use the hierarchy shown for this column"))
        self.done_button.clicked.connect(self.done)
        self.banner = ErrorBanner()
        self.banner.setObjectName("hierarchyBanner")
        self.banner.action_requested.connect(self.gaps_requested)
        self.builder = BuilderPanel()
        self.table = HierarchyTable("hierarchyTable")
        self.statistics = StatisticsTable()
        self._table_card = Card(self.tr("Table"))
        self._table_card.set_body(self.table, 0)
        self._statistics_card = Card(self.tr("Statistics"), self.tr("of this attribute alone"))
        self._statistics_card.set_body(self.statistics, 0)
        self._build()

    def show_column(self, column: Column, role: Role, caption: str) -> None:
        """Name the column whose hierarchy is edited."""
        self._title.setText(column.name)
        self._badge.set_role(role.value)
        self._caption.setText(caption)

    def show_draft(
        self,
        column: Column,
        hierarchy: Hierarchy | None,
        statistics: tuple[LevelStatistics, ...],
        words: tuple[str, ...],
        required_k: int | None,
    ) -> None:
        """Show a hierarchy with its statistics."""
        self.table.show_hierarchy(column, hierarchy)
        self.statistics.statistics.show_statistics(statistics, words, required_k)
        n_values = len(column.labels)
        n_levels = hierarchy.height + 1 if hierarchy is not None else 0
        self.levels_chip.setVisible(hierarchy is not None)
        self.levels_chip.set_text(self.tr("{0} levels").format(n_levels))
        self._table_card.set_caption(self.tr("{0} values, {1} levels").format(n_values, n_levels))
        self.export_button.setEnabled(hierarchy is not None)

    def show_coverage(self, n_gaps: int | None) -> None:
        """Say whether every value has its place; None where there is no hierarchy."""
        self.coverage_chip.setVisible(n_gaps is not None)
        if n_gaps:
            text = self.tr("1 value missing") if n_gaps == 1 else self.tr("{0} values missing")
            self.coverage_chip.show_status(text.format(n_gaps), "danger")
        else:
            self.coverage_chip.show_status(self.tr("Covers every value"), "ok")

    def show_changed(self, is_changed: bool) -> None:
        """Say what the way back does with the draft."""
        self.back_button.setText(self.tr("Discard changes") if is_changed else self.tr("Table"))
        self.back_button.setToolTip(
            self.tr("Back to the table; the column keeps the hierarchy it had")
            if is_changed
            else self.tr("Back to the table")
        )

    def _build(self) -> None:
        strip = QFrame()
        strip.setProperty("strip", "true")
        row = QHBoxLayout(strip)
        row.setContentsMargins(12, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(self.back_button)
        row.addWidget(self._badge)
        row.addWidget(self._title)
        row.addWidget(self._caption, 1)
        for widget in (self.coverage_chip, self.levels_chip):
            row.addWidget(widget)
        for button in (self.import_button, self.export_button, self.done_button):
            row.addWidget(button)
        cards = QHBoxLayout()
        cards.setSpacing(8)
        cards.addWidget(self.builder)
        cards.addWidget(self._table_card, 1)
        cards.addWidget(self._statistics_card, 1)
        body = QVBoxLayout()
        body.setContentsMargins(8, 8, 8, 8)
        body.setSpacing(8)
        body.addWidget(self.banner)
        body.addLayout(cards, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(strip)
        column.addLayout(body, 1)
        self._strip = strip
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def _on_theme_changed(self) -> None:
        self._strip.setFixedHeight(scaled(44))
