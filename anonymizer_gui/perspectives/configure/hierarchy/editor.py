"""Hierarchy editor: builder at the left, icicle at the top, table of values and statistics below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QCursor, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QMenu, QPushButton, QSizePolicy, QWidget

from anonymizer_gui.perspectives.configure.hierarchy.builder.panel import PANEL_WIDTH, BuilderPanel
from anonymizer_gui.perspectives.configure.hierarchy.commands import HierarchyCommands
from anonymizer_gui.perspectives.configure.hierarchy.drafts import Selection
from anonymizer_gui.perspectives.configure.hierarchy.statistics.panel import StatisticsPanel
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import GroupDrag
from anonymizer_gui.perspectives.configure.hierarchy.values.groups_panel import GroupsPanel
from anonymizer_gui.perspectives.configure.hierarchy.values.panel import ValuePanel
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import SEVERAL, TableView
from anonymizer_gui.theming import Text, follow_theme, scaled
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import HEADER_HEIGHT, Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.folding_strip import FoldingStrip
from anonymizer_gui.widgets.labels import CaptionLabel, ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, at_least, fixed, hbox, named, vbox
from anonymizer_gui.widgets.role_badge import RoleBadge
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.numbers import as_exact_count
from engine.records import NO_ROLE, Column, Role, role_key
from engine.words import _, ngettext

_VALUE, _RECORDS = 0, 1
_RECORDS_WIDTH = 76


class GapsView(TableView):
    """Dragging from a row moves the selected values to another view; Ctrl+X cuts them."""

    pick_up_requested = Signal()
    selection_changed = Signal()

    def __init__(self, drag: GroupDrag) -> None:
        title = _("Values not in the hierarchy")
        super().__init__("gapsTable", title, chooses=SEVERAL, widths=(0, _RECORDS_WIDTH))
        self._drag = drag
        self.values: tuple[str, ...] = ()
        self.setDragEnabled(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_gaps((), ())
        self.horizontalHeader().setSectionResizeMode(_RECORDS, QHeaderView.ResizeMode.Fixed)
        self.selectionModel().selectionChanged.connect(self.selection_changed)
        self.texts.modelReset.connect(self.selection_changed)

    def show_gaps(self, values: Sequence[str], records: Sequence[int]) -> None:
        """Show other values, with their numbers of records."""
        self.values = tuple(values)

        def cell(row: int, column: int) -> Cell:
            return (
                Cell(values[row]) if column == _VALUE else Cell(as_exact_count(records[row]), tone="text_2")
            )

        headings = (Heading(self.tr("Value")), Heading(self.tr("Records"), is_number=True))
        self.texts.show_made(headings, range(len(self.values)), cell)

    def selected_values(self) -> tuple[str, ...]:
        """Return the values of the selected rows, from the top."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return tuple(self.values[row] for row in rows)

    def height_of(self, n_rows: int) -> int:
        """Return the height in px of the header and that many rows."""
        return self.horizontalHeader().height() + n_rows * self.verticalHeader().defaultSectionSize()

    def startDrag(self, supported: Qt.DropAction) -> None:
        if values := self.selected_values():
            dragged = Selection(0, values)
            self._drag.begin(dragged, dragged.words, QCursor.pos())

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Cut)
        ):
            event.accept()  # shortcut applies to the selection here, not to that of other views
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Cut):
            self.pick_up_requested.emit()
        else:
            super().keyPressEvent(event)


_LEAST_ROWS = 3
_SHARE = 0.4  # largest share of the height


class GapsCard(Card):
    """Hidden while every value has a group."""

    top_requested = Signal(object)  # values to keep below the top
    pick_up_requested = Signal(object)  # Selection of level 0, to paste into a group

    def __init__(self, drag: GroupDrag) -> None:
        super().__init__(self.tr("Not in the hierarchy"), "")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._records: tuple[int, ...] = ()
        self.view = GapsView(drag)
        self.view.pick_up_requested.connect(self._on_pick_up_requested)
        self.view.selection_changed.connect(self._on_selection_changed)
        self._words = ElidedLabel("", Text.CELL, "text_2")
        self.rule_button = make_button(self.tr("Place by rule"), "gapsRuleButton", small=True)
        self.top_button = make_button(self.tr("Keep unchanged below the top"), "gapsTopButton", small=True)
        self.top_button.clicked.connect(self._on_top_clicked)
        self._actions = vbox(
            self._words,
            hbox(self.rule_button, self.top_button, STRETCH, spacing=6),
            spacing=8,
            margins=(12, 8, 12, 12),
        )
        self.set_body(vbox(self.view, self._actions, spacing=0), 0)
        fixed(self, width=PANEL_WIDTH)
        follow_theme(self.fit)
        self.hide()

    def show_gaps(self, values: Sequence[str], records: Sequence[int], rule: str) -> None:
        """Show values and their records; `rule` is the title of the builder that can place them, or ""."""
        self._records = tuple(records)
        if tuple(values) != self.view.values:
            self.view.scrollToTop()
            self.view.show_gaps(values, records)
        self.rule_button.setVisible(bool(rule))
        self.rule_button.setToolTip(self.tr("Place all of them by the rule {rule}").format(rule=rule))
        self._on_selection_changed()
        self.fit()
        self.setVisible(bool(values))

    def fit(self) -> None:
        """Resize the list to its rows: at least three, limited to a share of the height."""
        n_rows = max(len(self.view.values), _LEAST_ROWS)
        wanted = self.view.height_of(n_rows)
        if (beside := self.parentWidget()) is not None:
            others = scaled(HEADER_HEIGHT) + self._actions.sizeHint().height() + 2
            most = round(beside.height() * _SHARE) - others
            wanted = min(wanted, max(most, self.view.height_of(_LEAST_ROWS)))
        self.view.setFixedHeight(wanted)

    def _on_selection_changed(self) -> None:
        n, n_selected = len(self.view.values), len(self.view.selectionModel().selectedRows())
        total = as_exact_count(n)
        records = as_exact_count(sum(self._records))
        self.set_caption(self.tr("{total} · {records} records").format(total=total, records=records))
        self._words.setText(
            self.tr("{n_selected} of {total} selected · Ctrl+X cuts").format(
                n_selected=as_exact_count(n_selected), total=total
            )
            if n_selected
            else self.tr("Drag values to a group, or")
        )
        self.top_button.setToolTip(
            self.tr("Each selected value becomes a separate group on every level below the top")
            if n_selected
            else self.tr("Each value becomes a separate group on every level below the top")
        )

    def _on_top_clicked(self) -> None:
        self.top_requested.emit(self.view.selected_values() or self.view.values)

    def _on_pick_up_requested(self) -> None:
        values = self.view.selected_values()
        if values:
            self.pick_up_requested.emit(Selection(0, values))


_GROUPS_LEAST, _TABLES_LEAST = 216, 132  # px of height
_GROUPS_SHARE = 0.57  # of the height right of the builder
_TABLE_SHARE = 0.575  # of the width below the groups


class HierarchyEditor(QWidget):
    """Page of Configure; it shows a draft until Done is pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("hierarchyEditor")
        self.commands = HierarchyCommands(self)
        self.drag = GroupDrag(self)
        self.back_button = make_button(self.tr("Table"), "backButton", kind="quiet", icon_name="arrow-left")
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
        self.import_button = self._tool(
            self.tr("Import CSV"),
            "upload",
            "importHierarchyButton",
            self.tr("Read a table of values and labels, one line per value"),
        )
        self.export_action = QAction(self.tr("Export CSV…"), self)
        self.export_action.setToolTip(self.tr("Write this hierarchy as a table of values and labels"))
        self.library_action = QAction(self.tr("Library…"), self)
        self.library_action.setToolTip(self.tr("Store this hierarchy under a name, or use a stored one"))
        self.more_button = make_icon_button("ellipsis", self.tr("More"), "moreHierarchyButton")
        self._more_menu = QMenu(self)
        self._more_menu.addActions([self.export_action, self.library_action])
        self._more_menu.setToolTipsVisible(True)
        self.more_button.setMenu(self._more_menu)
        self.done_button = make_button(self.tr("Done"), "doneButton", kind="primary")
        self.done_button.setToolTip(self.tr("Use this hierarchy for the column"))
        self.banner = named(ErrorBanner(), "hierarchyBanner")
        self.builder = BuilderPanel()
        self.gaps = GapsCard(self.drag)
        self.groups = GroupsPanel(self.commands, self.drag)
        self.values = ValuePanel(self.commands, self.drag)
        self.statistics = StatisticsPanel()
        self._lower = DesignSplitter(
            Qt.Orientation.Horizontal, "hierarchy.lower", self.values, self.statistics
        )
        self._faces = DesignSplitter(Qt.Orientation.Vertical, "hierarchy.faces", self.groups, self._lower)
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
        self.gaps.fit()

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
                ScrollBody(
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
        return make_button(text, name, icon_name=icon, tooltip=tooltip)
