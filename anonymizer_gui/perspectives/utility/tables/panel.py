"""Two tables of equal width for input and release, with common scrolling, sorting and current record."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QScrollBar, QWidget

from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.models.sides import Change, Sides
from anonymizer_gui.perspectives.utility.tables.side_table import CHANGE_TOKENS, SideTable
from anonymizer_gui.theming import follow_theme, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.layouts import fixed, named, vbox
from anonymizer_gui.widgets.search_field import SearchField
from engine.kernels.arrays import Codes

INPUT, RELEASE = "input", "release"
_FIND_WIDTH, _ROOM_FOR_LEGEND = 150, 540


class TablesPanel(QWidget):
    """Two cards whose actions apply to both."""

    record_chosen = Signal(int)
    sort_requested = Signal(str, str)  # side, column
    find_requested = Signal(str, bool)  # text, whether backwards
    class_requested = Signal()  # show the class of the selected record, or all records

    def __init__(self) -> None:
        super().__init__()
        self._is_linked, self._is_fitting, self._has_own_widths = True, False, False
        self._only_changed = False
        self.input = named(SideTable(is_release=False, name=self.tr("Input")), "inputTable")
        self.release = named(SideTable(is_release=True, name=self.tr("Release")), "releaseTable")
        self.input_card, self.release_card = Card(self.tr("Input")), Card(self.tr("Release"))
        self.find_field = named(
            SearchField(),
            "findCell",
            self.tr("Find in both tables"),
            self.tr("Find in both tables; Enter goes to the next match, Shift+Enter to the previous one"),
        )
        self.find_field.setPlaceholderText(self.tr("Find"))
        self.find_field.returnPressed.connect(self._on_return)
        self.input_card.add_tool(fixed(self.find_field, width=_FIND_WIDTH))
        self.show_class = make_button(self.tr("Show its class"), "showClass", small=True)
        self.show_class.clicked.connect(self.class_requested)
        self.show_class.hide()
        self.release_card.add_tool(self.show_class)
        self.legend = Legend(
            [
                LegendEntry(Sample.BLOCK, "surface", self.tr("unchanged")),
                LegendEntry(Sample.BLOCK, CHANGE_TOKENS[Change.ONE_STEP], self.tr("one level")),
                LegendEntry(Sample.BLOCK, CHANGE_TOKENS[Change.FURTHER], self.tr("several levels")),
                LegendEntry(Sample.BLOCK, CHANGE_TOKENS[Change.HIDDEN], self.tr("hidden")),
            ]
        )
        self.release_card.add_tool(self.legend)
        self.input_card.set_body(self.input, 0)
        self.release_card.set_body(self.release, 0)
        self.splitter = DesignSplitter(
            Qt.Orientation.Horizontal, "utility.sides", self.input_card, self.release_card
        )
        vbox(self.splitter, margins=0, of=self)
        self._connect()
        follow_theme(self._fit_columns)

    def _connect(self) -> None:
        for table, side in ((self.input, INPUT), (self.release, RELEASE)):
            table.record_chosen.connect(self.record_chosen)
            table.sort_requested.connect(lambda name, side=side: self.sort_requested.emit(side, name))
        for one, other in ((self.input, self.release), (self.release, self.input)):
            # Qt made the bars: Python's hold of one can end before the bar, so each is asked for again.
            one.verticalScrollBar().valueChanged.connect(
                lambda value, other=other: self._on_scrolled(other.verticalScrollBar(), value)
            )
            one.horizontalScrollBar().valueChanged.connect(
                lambda value, other=other: self._on_scrolled(other.horizontalScrollBar(), value)
            )
            one.columns.sectionResized.connect(
                lambda place, _old, size, other=other: self._on_resized(other, place, size)
            )

    def set_linked(self, is_linked: bool) -> None:
        """Set whether both scroll together."""
        self._is_linked = is_linked
        if is_linked:
            for one, other in self._bars():
                other.setValue(one.value())

    def show_sides(self, sides: Sides | None, order: Codes | None) -> None:
        """Show another comparison."""
        self._has_own_widths = False
        for table in (self.input, self.release):
            table.show_sides(sides, order)
        self._hide_columns()

    def show_only_changed(self, is_only: bool) -> None:
        """Hide the columns that the release does not change, or show all."""
        self._only_changed = is_only
        self._hide_columns()

    def _hide_columns(self) -> None:
        sides = self.input.side.sides
        self._is_fitting = True  # hiding resizes too, which is no width chosen by the user
        for place, is_changed in enumerate(() if sides is None else sides.changed):
            for table in (self.input, self.release):
                table.setColumnHidden(place, self._only_changed and not is_changed)
        self._is_fitting = False
        self._fit_columns()

    def show_order(self, order: Codes | None, *, is_grouped: bool = False) -> None:
        """Show the records of both in another order, or a part of them; lines separate grouped classes."""
        for table in (self.input, self.release):
            table.show_order(order, is_grouped=is_grouped)

    def show_sorted(self, sorted_by: tuple[str, str, bool] | None) -> None:
        """Mark the column that both are sorted by, on its side."""
        for table, side in ((self.input, INPUT), (self.release, RELEASE)):
            is_here = sorted_by is not None and sorted_by[0] == side
            table.show_sorted(sorted_by[1:] if sorted_by is not None and is_here else None)

    def show_captions(self, at_input: str, at_release: str) -> None:
        """Show captions next to the titles."""
        self.input_card.set_caption(at_input)
        self.release_card.set_caption(at_release)

    def show_class_button(self, text: str) -> None:
        """Show a button at the release with a text; hide it if the text is empty."""
        self.show_class.setText(text)
        self.show_class.setVisible(bool(text))

    def mark(self, record: int | None) -> None:
        """Outline a record in both."""
        for table in (self.input, self.release):
            table.mark(record)

    def go_to(self, record: int, place: int = -1) -> None:
        """Outline a record in both and scroll to it, and optionally to a column."""
        self.mark(record)
        row = self.input.side.row_of(record)
        if row is None:
            return
        hints = QAbstractItemView.ScrollHint
        for table in (self.input, self.release):
            hint = hints.EnsureVisible if table.is_in_sight(row) else hints.PositionAtCenter
            table.scrollTo(table.side.index(row, max(place, 0)), hint)

    def show_not_found(self, is_missing: bool) -> None:
        """Show that no cell has the text."""
        self.find_field.setProperty("invalid", "true" if is_missing else "false")
        self.find_field.style().unpolish(self.find_field)
        self.find_field.style().polish(self.find_field)

    # -------------------------------------------------------------------------------------------

    def _bars(self) -> tuple[tuple[QScrollBar, QScrollBar], ...]:
        one, other = self.input, self.release
        return (
            (one.verticalScrollBar(), other.verticalScrollBar()),
            (one.horizontalScrollBar(), other.horizontalScrollBar()),
        )

    def _on_scrolled(self, bar: QScrollBar, value: int) -> None:
        if self._is_linked and bar.value() != value:
            bar.setValue(value)

    def _on_resized(self, other: SideTable, place: int, size: int) -> None:
        """Use the same column widths on both sides, which horizontal scrolling requires."""
        self._has_own_widths |= not self._is_fitting
        if other.columnWidth(place) != size:
            other.setColumnWidth(place, size)

    def _on_return(self) -> None:
        shift = Qt.KeyboardModifier.ShiftModifier
        is_backwards = bool(QGuiApplication.keyboardModifiers() & shift)
        if self.find_field.text():
            self.find_requested.emit(self.find_field.text(), is_backwards)

    def _fit_columns(self) -> None:
        """Set the width of each column to its content on both sides; wider tables scroll."""
        is_shown = self.input.side.sides is self.release.side.sides is not None
        if self._has_own_widths or self._is_fitting or not is_shown:
            return
        self._is_fitting = True
        pairs = zip(self.input.wanted_widths(), self.release.wanted_widths(), strict=True)
        for place, wanted in enumerate(pairs):
            if self.input.isColumnHidden(place):
                continue
            self.input.setColumnWidth(place, max(wanted))
        self._is_fitting = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.splitter.set_design_sizes([self.width() // 2 - 4, self.width() - self.width() // 2 - 4])
        self.legend.setVisible(self.width() // 2 >= scaled(_ROOM_FOR_LEGEND))
        self._fit_columns()
