"""Side sheet that tries recoding methods on the applied release and compares before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.perspectives.explore.algorithms.member_choice import MemberChoice, MemberWords
from anonymizer_gui.perspectives.explore.algorithms.release_measures import share_text
from anonymizer_gui.perspectives.explore.algorithms.trial_dialog import TrialDialog
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TableView
from anonymizer_gui.theming import Text, follow_theme
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import SteadyArea
from engine.numbers import as_percent
from engine.params import Configurable

# The first column takes the remaining width.
_TRY_WIDTHS, _MEASURE_WIDTHS = (0, 84, 84, 88, 64), (0, 76, 76, 136)
_WEAKNESS_LINES = 2


class ImproveDialog(TrialDialog):
    """Displays trials and emits requests; the presenter runs the methods."""

    try_requested = Signal(object)  # RecodingMethod
    line_chosen = Signal(int)  # 0 for the applied release, then the trials
    use_requested = Signal(int)  # index of a trial

    def __init__(
        self,
        kinds: Mapping[str, type[Configurable]],
        words: Mapping[str, MemberWords],
        page: QWidget,
    ) -> None:
        hint = self.tr("The best release so far is the result; its recipe makes the same one")
        super().__init__("improveDialog", self.tr("Improve this release"), page, hint)
        self.stop_button.setObjectName("stopTryButton")
        self.choice = MemberChoice(kinds, words, title=self.tr("Method"))
        self._reason = named(ElidedLabel("", Text.CELL, "text_2"), "whyNoTry")
        self.try_button = make_button(self.tr("Try"), "tryButton", kind="primary")
        self.all_button = make_button(
            self.tr("Try all"),
            "tryAllButton",
            icon_name="list",
            tooltip=self.tr("Try every method with its defaults in the background and rank the releases"),
        )
        self.use_button = make_button(self.tr("Use this release"), "useReleaseButton", icon_name="check")
        self._why_not = named(ElidedLabel("", Text.CELL, "danger"), "whyNotUsed")
        self._weakness = named(make_label("", Text.CELL, "text_2", wraps=True), "weaknessOfTry")
        self._weakness.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        # A scroll area, because a wrapped label would request too much height.
        self._weakness_area = SteadyArea(self._weakness)
        self._weakness_area.setFrameShape(QFrame.Shape.NoFrame)
        title = self.tr("The current release and every try")
        self.tries = TableView("improveTries", title, widths=_TRY_WIDTHS, wraps=True)
        title = self.tr("Values before and after")
        self.measures = TableView("improveFigures", title, widths=_MEASURE_WIDTHS, wraps=True)
        self.bars = BarRows(self.tr("Detail kept and kept records, before and after"))
        self._build()
        self._connect()

    def show_tries(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]], chosen: int) -> None:
        """List the applied release and the trials, and choose one line."""
        self.tries.texts.show(headings, rows)
        self.tries.setCurrentIndex(self.tries.texts.index(chosen, 0))
        self.tries.scrollTo(self.tries.currentIndex())

    def show_measures(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """Show the values of the chosen trial next to those of the applied release."""
        self.measures.texts.show(headings, rows)

    def show_bars(self, detail: tuple[float, float], kept: tuple[float, float]) -> None:
        """Show shares before and after."""
        rows = [
            BarRow(
                name,
                bars=(Bar(before, "series_1"), Bar(after)),
                text=f"{share_text(before)} → {share_text(after)}",
            )
            for name, (before, after) in ((self.tr("Detail kept"), detail), (self.tr("Kept records"), kept))
        ]
        self.bars.show_rows(rows, BarScale(as_percent(0.0), as_percent(1.0), self.tr("share")))

    def show_use(self, *, can_use: bool, why_not: str, is_fault: bool, weakness: str = "") -> None:
        """Enable the button if the chosen line can become the release, else show the reason.

        The disclosure risk of its method is shown next to the button, because the list of methods may have
        another one selected.
        """
        self.use_button.setEnabled(can_use)
        self.use_button.setToolTip(why_not)
        self._why_not.setText(why_not if is_fault else "")
        self._why_not.setVisible(is_fault)
        self._weakness.setText(weakness)
        self._weakness.setToolTip(weakness)
        self._weakness_area.setVisible(not is_fault)

    def show_can_try(self, why_not: str) -> None:
        """Enable the trial button, or show why the chosen method cannot be tried."""
        self.try_button.setEnabled(not why_not and not self.is_running)
        self.try_button.setToolTip(why_not or (self.tr("A try is in progress") if self.is_running else ""))
        self._reason.setText(why_not)

    def show_busy(self, text: str) -> None:
        """Show a running job; an empty text ends it."""
        super().show_busy(text)
        self.all_button.setEnabled(not text)
        if not text:
            self.show_stop(can_stop=False)
        self.show_can_try(self._reason.text())

    def show_stop(self, *, can_stop: bool) -> None:
        """Show the button if the running method can end with its best release so far."""
        self.stop_button.setVisible(can_stop)
        self.stop_button.setEnabled(can_stop)

    def _build(self) -> None:
        listed = Card(self.tr("Tries"), self.tr("the release does not change until you use one"))
        left = vbox((self.tries, 1), vbox(self.bars, margins=(0, 4, 0, 8)), spacing=0)
        listed.set_body(left, 0)
        compared = Card(self.tr("Before and after"))
        compared.set_body(self.measures, 0)
        self.lay_out(
            (self.choice, 1),
            self.banner,
            hbox(self.job, self.stop_button, (self._reason, 1), self.all_button, self.try_button),
            (hbox((listed, 1), (compared, 1), spacing=8), 1),
            hbox(self.use_button, (self._why_not, 1), (self._weakness_area, 1)),
        )
        follow_theme(self._fit_weakness)

    def _connect(self) -> None:
        self.try_button.setDefault(True)
        self.try_button.clicked.connect(self._on_try_clicked)
        self.tries.selectionModel().currentRowChanged.connect(lambda now, _: self.line_chosen.emit(now.row()))
        self.use_button.clicked.connect(lambda: self.use_requested.emit(self.tries.currentIndex().row() - 1))

    def _on_try_clicked(self) -> None:
        method = self.choice.member()
        if method is not None:
            self.try_requested.emit(method)

    def _fit_weakness(self) -> None:
        line = self._weakness.fontMetrics().lineSpacing()
        self._weakness_area.setFixedHeight(_WEAKNESS_LINES * line + 4)
