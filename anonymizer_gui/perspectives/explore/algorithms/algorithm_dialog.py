"""Side sheet that runs search algorithms and compares their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.perspectives.explore.algorithms.algorithm_runs import Limits
from anonymizer_gui.perspectives.explore.algorithms.member_choice import MemberChoice, MemberWords
from anonymizer_gui.perspectives.explore.algorithms.trial_dialog import TrialDialog
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TableView
from anonymizer_gui.theming import Text, follow_theme
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import SteadyArea
from engine.params import Configurable, values_of

_WIDTHS = (110, 220, 84, 86, 130, 80, 72, 76, 60, 72, 76)
_DETAILS_LINES = 3


class AlgorithmDialog(TrialDialog):
    """Displays runs and emits requests; the presenter runs the algorithms."""

    run_requested = Signal(object, object)  # SearchAlgorithm, Limits
    run_chosen = Signal(int)  # line of the comparison
    select_requested = Signal(int)
    apply_requested = Signal(int)
    use_requested = Signal(int)

    def __init__(
        self,
        kinds: Mapping[str, type[Configurable]],
        words: Mapping[str, MemberWords],
        limits: Limits,
        page: QWidget,
    ) -> None:
        hint = self.tr("The best node so far is the result, not proven to be the optimum")
        super().__init__("algorithmDialog", self.tr("Search with an algorithm"), page, hint)
        self.stop_button.setObjectName("stopAlgorithmButton")
        self.choice = MemberChoice(kinds, words, title=self.tr("Algorithm"), last_heading=self.tr("Result"))
        self.limits = ParamForm(Limits, values_of(limits), shows_help=True)
        self.choice.add_below(self.limits)
        self.run_button = make_button(self.tr("Run"), "runAlgorithmButton", kind="primary")
        self.table = TableView("algorithmRuns", self.tr("Compare runs"), widths=_WIDTHS)
        self.model = self.table.texts
        self.details = named(make_label("", Text.CELL, "text_2", wraps=True), "runDetails")
        self.details.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.select_button = make_button(self.tr("Select this node"), icon_name="locate-fixed")
        self.apply_button = make_button(self.tr("Apply"), icon_name="flag")
        self.use_button = make_button(self.tr("Use for this project"), icon_name="check")
        for button, name in (
            (self.select_button, "selectRunButton"),
            (self.apply_button, "applyRunButton"),
            (self.use_button, "useAlgorithmButton"),
        ):
            button.setObjectName(name)
        self._build()
        self._connect()

    def show_runs(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]], chosen: int) -> None:
        """List runs and choose one of them, or none if `chosen` is negative."""
        self.model.show(headings, rows)
        if chosen >= 0:
            self.table.setCurrentIndex(self.model.index(chosen, 0))
            self.table.scrollTo(self.model.index(chosen, 0))

    def show_run(
        self,
        details: str,
        *,
        has_node: bool,
        can_use: bool,
        use_hint: str = "",
        no_node: str = "",
        no_apply: str = "",
    ) -> None:
        """Show the text and the actions of the chosen run.

        `no_node` is the reason for no actions, `no_apply` the reason why its node cannot be applied.
        """
        self.details.setText(details)
        no_node = no_node or self.tr("No node was found")
        for button in (self.select_button, self.apply_button):
            button.setEnabled(has_node)
            button.setToolTip("" if has_node else no_node)
        if has_node and no_apply:
            self.apply_button.setEnabled(False)
            self.apply_button.setToolTip(no_apply)
        if not can_use and self.use_button.hasFocus():  # else the focus would leave the sheet, and Escape it
            self.table.setFocus()
        self.use_button.setEnabled(can_use)
        self.use_button.setToolTip(use_hint)

    def show_busy(self, text: str) -> None:
        """Show a running job; an empty text ends it."""
        self.run_button.setEnabled(not text)
        self.run_button.setToolTip(self.tr("A run is in progress") if text else "")
        self.stop_button.setVisible(bool(text))
        self.stop_button.setEnabled(True)
        super().show_busy(text)

    def _build(self) -> None:
        runs = Card(self.tr("Runs"), self.tr("the best value is marked"))
        details = SteadyArea(self.details)
        details.setFrameShape(QFrame.Shape.NoFrame)
        self.details.setContentsMargins(12, 6, 12, 6)
        self._details_area = details
        runs.set_body(vbox((self.table, 1), details, spacing=0), 0)
        self.lay_out(
            (self.choice, 3),
            self.banner,
            hbox(self.job, self.stop_button, STRETCH, self.run_button),
            (runs, 2),
            hbox(self.select_button, self.apply_button, self.use_button, STRETCH),
        )
        follow_theme(self._fit_details)

    def _connect(self) -> None:
        self.run_button.setDefault(True)
        self.run_button.clicked.connect(self._on_run_clicked)
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        for button, signal in (
            (self.select_button, self.select_requested),
            (self.apply_button, self.apply_requested),
            (self.use_button, self.use_requested),
        ):
            button.clicked.connect(lambda _=False, w=signal: w.emit(self.table.currentIndex().row()))

    def _on_run_clicked(self) -> None:
        algorithm, limits = self.choice.member(), self.limits.member()
        if algorithm is not None and limits is not None:
            self.run_requested.emit(algorithm, limits)

    def _on_row_changed(self, now: object) -> None:
        self.run_chosen.emit(self.table.currentIndex().row())

    def _fit_details(self) -> None:
        line = self.details.fontMetrics().lineSpacing()
        self._details_area.setFixedHeight(_DETAILS_LINES * line + 14)
