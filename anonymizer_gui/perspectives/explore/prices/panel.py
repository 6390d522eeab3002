"""Card of the price table: the insisted levels, or what the table shows, above it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.explore.prices.layout import PITCHES
from anonymizer_gui.perspectives.explore.prices.view import PriceView
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import RemovableChip
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import fixed, hbox, named, stacked, vbox
from anonymizer_gui.widgets.results_stack import EmptyState
from anonymizer_gui.widgets.scroll_body import ScrollBody

_MARGIN, _LINE = 6, 22  # px; chips and buttons of the line are as high


class PricesPanel(Card):
    """Card with the view; the presenter uses both."""

    release_requested = Signal(int)  # the level of a column

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("pricesCard")
        self.set_header_visible(False)
        self.view = PriceView()
        self.sort = make_button(self.tr("Sort by price"), "sortPrices", kind="quiet", small=True)
        self.sort.setToolTip(self.tr("The dearest detail first, as when the view was opened"))
        self.sort.hide()
        self.score = make_button(self.tr("Score these"), "scorePrices", kind="quiet", small=True)
        self.score.setToolTip(self.tr("Search every level for its best node; Cancel keeps what is found"))
        self.score.hide()
        for button in (self.sort, self.score):
            fixed(button, height=_LINE)
        self._about = named(make_label("", Text.CELL, "text_2", wraps=True, explains=False), "pricesAbout")
        self._chips: list[RemovableChip] = []
        self._shown: tuple[tuple[int, str], ...] = ()
        line = QWidget()
        line.setMinimumHeight(scaled(_LINE))
        self._line = hbox((self._about, 1), self.score, self.sort, spacing=6, margins=0, of=line)
        self._area = ScrollBody(vbox(self.view, margins=0))
        self.empty = EmptyState(self.tr("Prices appear as nodes are scored."), "")
        self.empty.button.hide()
        self.stack = stacked(self._area, self.empty)
        self.set_body(vbox(line, (self.stack, 1), spacing=1), _MARGIN)

    def show_about(self, text: str) -> None:
        """Show what a cell is, or what is insisted on."""
        self._about.setText(text)

    def show_insisted(self, insisted: Sequence[tuple[int, str]]) -> None:
        """Show a chip for each level that is insisted on, as pairs of column and words."""
        if tuple(insisted) == self._shown:
            return
        self._shown = tuple(insisted)
        had_focus = any(chip.hasFocus() for chip in self._chips)
        for chip in self._chips:
            self._line.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self._chips = []
        for place, (column, words) in enumerate(self._shown):
            chip = RemovableChip(words, self.tr("Release this level"), self)
            chip.setObjectName(f"insisted.{column}")
            chip.removal_requested.connect(lambda column=column: self.release_requested.emit(column))
            self._line.insertWidget(place, chip)
            self._chips.append(chip)
        if had_focus:
            (self._chips[0] if self._chips else self.view).setFocus()

    def show_table(self, is_shown: bool) -> None:
        """Show the table, or that no node is scored yet."""
        self.stack.setCurrentIndex(0 if is_shown else 1)

    def wanted_height(self) -> int:
        """Return the height with the largest rows."""
        return self.view.wanted_height(PITCHES[0]) + scaled(_LINE) + 2 * _MARGIN + 3
