"""Sweep card: heat map or curves, the choice of threshold, and a description of the hovered cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent

from anonymizer_gui.perspectives.explore.sweep.view import Cell, CurveView, HeatView, SweepTable
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox, offer
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import CaptionLabel
from anonymizer_gui.widgets.layouts import hbox, named, stacked, vbox
from anonymizer_gui.widgets.picture_saving import PictureButton
from anonymizer_gui.widgets.results_stack import EmptyState
from anonymizer_gui.widgets.segmented import SegmentedControl

HEAT, CURVES = "heat", "curves"
_LETTERS, _LEAST_COMBO = 16, 84  # characters and px of the box with the thresholds


class SweepPanel(Card):
    """Shows one sweep, or the reason why there is none."""

    shown = Signal()  # the card became visible
    cell_requested = Signal(int, int)  # use the settings of this cell
    action_requested = Signal()  # of the button of the empty state, or of an outdated sweep

    def __init__(self) -> None:
        super().__init__("")
        self.setObjectName("sweepCard")
        self.heat = HeatView("sweepHeat", self.tr("Sweep as a heat map"))
        self.curves = CurveView("sweepCurves", self.tr("Sweep as curves"))
        self.empty = EmptyState("", self.tr("Sweep"), icon_name="play")
        self.empty.action_requested.connect(self.action_requested)
        self.kinds = named(
            SegmentedControl(
                [(HEAT, self.tr("Heat map")), (CURVES, self.tr("Curves"))], self.tr("Type of picture")
            ),
            "sweepKinds",
        )
        self.kinds.selected.connect(lambda _key: self._show_view())
        self.thresholds = named(ElidedComboBox(_LETTERS), "sweptThreshold", self.tr("Threshold to vary"))
        self.thresholds.setMinimumWidth(_LEAST_COMBO)
        self._place = stacked(self.empty, self.heat, self.curves)
        self.picture = PictureButton(self._place, "sweep")
        self.add_tool(self.thresholds)
        self.add_tool(self.picture)
        self.words = named(CaptionLabel("", Text.CELL, "text_2"), "sweepWords")
        self._hint = ""
        self._describe: Callable[[Cell], str] = lambda _cell: ""
        for picture in (self.heat, self.curves):
            picture.cell_requested.connect(self.cell_requested)
            picture.cell_pointed.connect(self._on_cell_pointed)
        self.outdated = named(ErrorBanner(), "sweepOutdated")
        self.outdated.action_requested.connect(self.action_requested)
        column = vbox(
            self.outdated,
            (self._place, 1),
            hbox((self.words, 1), self.kinds, spacing=8, margins=(12, 0, 8, 4)),
            spacing=0,
        )
        self.set_body(column, 0)
        self.show_empty("", "")

    def show_thresholds(self, thresholds: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer thresholds as pairs of key and name."""
        offer(self.thresholds, thresholds, chosen)
        self.thresholds.setEnabled(bool(thresholds))
        self.thresholds.setToolTip(
            self.tr("Threshold to vary: {currentText}").format(currentText=self.thresholds.currentText())
            if thresholds
            else self.tr("The requirement has no model with a threshold to vary")
        )

    def show_sweep(
        self,
        table: SweepTable,
        describe: Callable[[Cell], str],
        explain: Callable[[Cell], str],
        hint: str,
    ) -> None:
        """Show a sweep; `describe` gives one line for a cell, `explain` the lines of a hover card."""
        self._describe, self._hint = describe, hint
        for view in (self.heat, self.curves):
            view.description = explain
            view.show_table(table)
        self.words.setText(hint)
        self._show_view()

    def show_present(self, cell: Cell | None) -> None:
        """Frame the cell of the current settings."""
        for view in (self.heat, self.curves):
            view.show_present(cell)

    def show_empty(self, sentence: str, action: str) -> None:
        """Show why there is no sweep, and an action."""
        for view in (self.heat, self.curves):
            view.show_table(None)
        self._hint = ""
        self.words.setText("")
        self.empty.set_sentence(sentence)
        self.empty.set_action(action)
        self._show_view()

    def show_outdated(self, words: str) -> None:
        """Show that the sweep belongs to other settings, and offer to recompute it."""
        if words:
            self.outdated.show_error(words, action=self.tr("Sweep again"), tone="warn")
        else:
            self.outdated.hide()

    @property
    def shows_sweep(self) -> bool:
        """True if a sweep is shown."""
        return self.heat.table is not None

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def _show_view(self) -> None:
        chosen = self.heat if self.kinds.current() == HEAT else self.curves
        self._place.setCurrentWidget(chosen if self.shows_sweep else self.empty)
        self.kinds.setEnabled(self.shows_sweep)
        self.picture.setEnabled(self.shows_sweep)

    def _on_cell_pointed(self, threshold: int, limit: int) -> None:
        is_cell = threshold >= 0 and self.shows_sweep
        self.words.setText(self._describe(Cell(threshold, limit)) if is_cell else self._hint)
