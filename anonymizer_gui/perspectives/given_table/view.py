"""Layout of the assessment: columns at the left, results at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.forms.number_spin import ShareSpin
from anonymizer_gui.perspectives.given_table.columns_panel import ColumnsPanel
from anonymizer_gui.theming import Text, follow_theme, scaled
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.card_places import PageSwitch
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.drawn import FitsRoom, IconLabel
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.folding_strip import FoldingStrip
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, at_least, fixed, hbox, named, stacked, vbox
from anonymizer_gui.widgets.results_stack import EmptyState
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.errors import AnonymizerError
from engine.findings.blocks import Block
from engine.frequency.counted import RECORDS, Noun, either
from engine.numbers import as_risk
from engine.words import _

_STRIP, _STATEMENT = 44, 58
_ICONS = {"ok": "shield-check", "warn": "shield", "danger": "circle-alert"}


class GivenTablePerspective(FitsRoom, QWidget):
    """Layout of the cards; the presenter fills them."""

    back_requested = Signal()
    another_requested = Signal()
    original_requested = Signal()
    original_dropped = Signal()  # end the comparison
    copy_requested = Signal()
    save_requested = Signal()
    report_requested = Signal()
    retry_requested = Signal()
    threshold_chosen = Signal(float)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("judge")
        self.columns = ColumnsPanel()
        self.models, self.attacks, self.risks = map(_blocks_view, ("models", "attacks", "risks"))
        self.details = DetailsPanel()
        self.error = named(ErrorBanner(), "judgeError")
        self.error.action_requested.connect(self.retry_requested)
        self.besides = named(ErrorBanner(), "judgeBesides")
        self.details.original_requested.connect(self.original_requested)
        vbox(self._make_strip(), (self._make_body(), 1), spacing=0, margins=0, of=self)
        follow_theme(self._fit)
        self.show_empty(self.tr("Reading the table."))

    # -- display -------------------------------------------------------------------------------

    def show_file(self, name: str, facts: str) -> None:
        """Show the name of the assessed table."""
        self._name.setText(name)
        self._facts.setText(facts)

    def show_besides(self, words: str) -> None:
        """Show what the file holds besides its table; empty for nothing."""
        if words:
            hint = self.tr("Only the table is assessed. A recipient of the file gets everything in it.")
            self.besides.show_error(words, hint, tone="warn")

    def show_original(self, name: str) -> None:
        """Show the name of the original table; empty for none."""
        self._original.setText(name)
        self._original.setVisible(bool(name))
        self._original_label.setVisible(bool(name))
        self.drop_button.setVisible(bool(name))
        words = self.tr("Original…") if not name else self.tr("Other original…")
        self._strip.set_text(self.original_button, words)

    def show_empty(self, sentence: str, *, can_retry: bool = False) -> None:
        """Show why there is no result yet, optionally with a button that assesses again."""
        self._empty.set_sentence(sentence)
        self._empty.button.setVisible(can_retry)
        self.stack.setCurrentIndex(0)
        self.set_can_leave(False)

    def show_counted(self, counted: Noun) -> None:
        """Show whether records or people are at risk."""
        self.threshold.setToolTip(
            either(
                counted,
                self.tr("Records with a higher risk are counted as at risk"),
                self.tr("People with a higher risk are counted as at risk"),
            )
        )

    def show_statement(self, text: str, detail: str, tone: str) -> None:
        """Show the main statement and its basis, and bring the results to the front."""
        self.statement.setText(text)
        self.detail.setText(detail)
        self._icon.set_icon(_ICONS[tone], tone)
        self.stack.setCurrentIndex(1)
        self.set_can_leave(True)

    def show_updating(self, is_updating: bool) -> None:
        """Show that new results are being computed; the previous ones stay."""
        self._updating.setText(self.tr("updating") if is_updating else "")

    def show_note(self, text: str) -> None:
        """Show a note about the last action, such as a copy."""
        self._updating.setText(text)

    def set_can_leave(self, can_leave: bool) -> None:
        """Enable copying and saving."""
        for button in (self.copy_button, self.save_button, self.report_button):
            button.setEnabled(can_leave)
            button.setToolTip(_tooltip(button) if can_leave else self.tr("Nothing assessed yet"))

    def _make_strip(self) -> QFrame:
        self._strip = fixed(FoldingStrip(), height=_STRIP)
        self._strip.setProperty("strip", "true")
        back = make_icon_button("arrow-left", self.tr("Back"), "judgeBack")
        back.clicked.connect(self.back_requested)
        self._name = named(ElidedLabel("", Text.TITLE, mode=Qt.TextElideMode.ElideMiddle), "judgedName")
        self._facts = ElidedLabel("", Text.CELL, "text_3")
        self._original_label = make_label(self.tr("compared with"), Text.CELL, "text_3")
        self._original = ElidedLabel("", Text.CELL_STRONG, mode=Qt.TextElideMode.ElideMiddle)
        self.drop_button = make_icon_button("x", self.tr("Compare with no original table"))
        self.drop_button.setObjectName("dropOriginalButton")
        self.drop_button.clicked.connect(self.original_dropped)
        self.original_button = self._button(
            _("Original…"), "table", "originalButton", self.original_requested
        )
        self.copy_button = self._button(_("Copy"), "copy", "copyJudgement", self.copy_requested)
        self.save_button = self._button(_("Save…"), "download", "saveJudgement", self.save_requested)
        self.report_button = self._button(_("Report…"), "file-text", "reportJudgement", self.report_requested)
        self.another_button = self._button(
            _("Assess another…"), "folder-open", "judgeAnother", self.another_requested
        )
        hbox(
            back,
            self._name,
            self._facts,
            self._original_label,
            self._original,
            self.drop_button,
            STRETCH,
            self.original_button,
            self.copy_button,
            self.save_button,
            self.report_button,
            self.another_button,
            spacing=8,
            margins=(8, 0, 8, 0),
            of=self._strip,
        )
        self._strip.fold(
            self.copy_button, self.save_button, self.report_button, self.another_button, self.original_button
        )
        self.show_original("")
        return self._strip

    def _button(self, text: str, icon_name: str, name: str, request: object) -> QPushButton:
        button = make_button(_(text), name, icon_name=icon_name, small=True)
        button.setToolTip(_tooltip(button))
        button.clicked.connect(request)
        return button

    def _make_body(self) -> QVBoxLayout:
        self._empty = EmptyState("", self.tr("Assess again"))
        self._empty.action_requested.connect(self.retry_requested)
        card = Card()
        card.set_header_visible(False)
        card.set_body(self._empty, 0)
        self.stack = stacked(card, self._make_results())
        self._sides = DesignSplitter(Qt.Orientation.Horizontal, "judge.sides", self.columns, self.stack)
        self._sides.setStretchFactor(1, 1)
        return vbox(self.error, self.besides, (self._sides, 1), spacing=8, margins=8)

    def _make_results(self) -> QWidget:
        upper = DesignSplitter(Qt.Orientation.Horizontal, "judge.upper")
        lower = DesignSplitter(Qt.Orientation.Horizontal, "judge.lower")
        rows = DesignSplitter(Qt.Orientation.Vertical, "judge.rows")
        self.attacks_card = Card(self.tr("Attacks"), self.tr("resistance of the table"))
        for splitter, card, view in (
            (
                upper,
                Card(self.tr("Privacy models"), self.tr("measured without changing the table")),
                self.models,
            ),
            (upper, self.attacks_card, self.attacks),
            (lower, Card(self.tr("Re-identification risk")), self.risks),
        ):
            card.set_body(view, 0)
            splitter.addWidget(card)
        lower.addWidget(self.details)
        rows.addWidget(upper)
        rows.addWidget(lower)
        self._inner = (upper, lower, rows)
        results = QWidget()
        vbox(self._make_statement(), (rows, 1), spacing=8, margins=0, of=results)
        return results

    def _make_statement(self) -> QFrame:
        self._banner = at_least(QFrame(), height=_STATEMENT)
        self._banner.setProperty("card", "true")
        self._icon = IconLabel("shield", 20)
        self.statement = named(make_label("", Text.TITLE, wraps=True), "judgeStatement")
        self.detail = ElidedLabel("", Text.CELL, "text_2")
        self._updating = make_label("", Text.CAPTION, "text_3")
        words = self.tr("Accepted risk, in percent")
        self.threshold = fixed(named(ShareSpin(0.0, 1), "thresholdBox", words), width=84)
        self.show_counted(RECORDS)
        self.threshold.setKeyboardTracking(False)
        self.threshold.share_chosen.connect(self.threshold_chosen)
        hbox(
            self._icon,
            (ScrollBody(vbox(self.statement, self.detail, spacing=0, margins=0), is_fitted=True), 1),
            self._updating,
            make_label(self.tr("Accepted risk"), Text.CELL, "text_2"),
            self.threshold,
            spacing=12,
            margins=(14, 6, 12, 6),
            of=self._banner,
        )
        return self._banner

    def _fit(self) -> None:
        """Set the sizes of the design, until the user moves a splitter."""
        width, height = self.width() - 24, self.height() - scaled(_STRIP) - scaled(_STATEMENT) - 32
        # A long statement scrolls rather than take the height of the cards below.
        self._banner.setMaximumHeight(max(scaled(_STATEMENT), (height + scaled(_STATEMENT)) // 3))
        columns = min(scaled(330), round(0.28 * width))
        self._sides.set_design_sizes([columns, width - columns])
        right, (upper, lower, rows) = width - columns, self._inner
        attacks = min(scaled(500), round(0.5 * right))
        upper.set_design_sizes([right - attacks, attacks])
        values = min(scaled(330), round(0.42 * right))
        lower.set_design_sizes([values, right - values])
        top = min(scaled(282), round(0.54 * height))
        rows.set_design_sizes([top, height - top])


def _tooltip(button: QPushButton) -> str:
    return {
        "originalButton": _("Choose the original table to see the utility loss"),
        "copyJudgement": _("Copy the results as text"),
        "saveJudgement": _("Save all values as JSON, like the commands check, risk and utility"),
        "reportJudgement": _("Write a report of the results as PDF, HTML or JSON"),
        "judgeAnother": _("Choose another table to assess"),
    }[button.objectName()]


def _blocks_view(key: str) -> FindingsView:
    """Return a view of blocks, whose sentence is in the banner."""
    view = FindingsView(key, as_share=as_risk)
    view.hide_sentence()
    return view


EXPOSED, UTILITY, WILDCARDS = "exposed", "utility", "wildcards"
_SWITCH_MARGIN = 28  # px beside the switch


class DetailsPanel(FitsRoom, Card):
    """The most exposed classes, the values with wildcards, or the utility loss against the original."""

    original_requested = Signal()

    def __init__(self) -> None:
        super().__init__("")
        pages = (
            (EXPOSED, self.tr("Most exposed")),
            (UTILITY, self.tr("Utility")),
            (WILDCARDS, self.tr("Wildcards")),
        )
        self.choice = named(PageSwitch(pages, self.tr("Shown below")), "detailsChoice")
        self.choice.selected.connect(lambda _key: self._show())
        self.add_lead(self.choice)
        self.views = {key: _blocks_view(key) for key, _title in pages}
        self.error = ErrorBanner()
        choose = self.tr("Choose original…")
        self.empty = EmptyState(
            self.tr("Choose the original table to see the utility loss."), choose, icon_name="folder-open"
        )
        self.empty.action_requested.connect(self.original_requested)
        self._no_wildcards = EmptyState(
            self.tr("Choose under Columns which cells could be anything, to compare both readings.")
        )
        self._instead = {UTILITY: self.empty, WILDCARDS: self._no_wildcards}
        self._captions = dict.fromkeys(self.views, "")
        self._stack = QStackedLayout()
        for key, view in self.views.items():
            page = QWidget()
            column = vbox((view, 1), spacing=0, margins=0, of=page)
            if key in self._instead:
                column.addWidget(self._instead[key], 1)
            if key == UTILITY:
                column.insertWidget(0, self.error)
            self._stack.addWidget(page)
        holder = QWidget()
        holder.setLayout(self._stack)
        self.set_body(holder, 0)
        self._show()

    def _fit(self) -> None:
        self.choice.fit(self.width() - scaled(_SWITCH_MARGIN))

    def show_details(self, key: str, blocks: Sequence[Block], caption: str = "") -> None:
        """Show the blocks of a page; without any what is missing for them."""
        self.views[key].show_blocks(blocks)
        if key in self._instead:
            self.views[key].setVisible(bool(blocks))
            self._instead[key].setVisible(not blocks)
        self._captions[key] = caption
        self._show()

    def show_misfit(self, misfit: AnonymizerError | None) -> None:
        """Show why the original does not fit, if it does not."""
        self.error.setVisible(misfit is not None)
        if misfit is not None:
            self.error.show_error(misfit.problem, misfit.hint)

    def show_page(self, key: str) -> None:
        """Bring one of the pages to the front."""
        self.choice.set_current(key)
        self._show()

    def _show(self) -> None:
        key = self.choice.current()
        self._stack.setCurrentIndex(list(self.views).index(key))
        self.set_caption(self._captions[key])
