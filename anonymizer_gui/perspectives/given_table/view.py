"""Layout of the assessment: columns at the left, results at the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.forms.number_spin import NumberSpin
from anonymizer_gui.perspectives.given_table.columns_panel import ColumnsPanel
from anonymizer_gui.perspectives.given_table.values import AttackRow
from anonymizer_gui.theming import Text, follow_theme, scaled
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.empty_state import EmptyState
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.folding_strip import FoldingStrip
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, make_line, set_tone
from anonymizer_gui.widgets.layouts import STRETCH, at_least, fixed, hbox, named, nest, vbox
from anonymizer_gui.widgets.page_switch import PageSwitch
from anonymizer_gui.widgets.scroll_body import ScrollBody, scrolled
from anonymizer_gui.widgets.size_histogram import Histogram, SizeHistogram
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsTable
from engine.frequency.counted import RECORDS, Noun, either
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.rows import Row


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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("judge")
        self.columns = ColumnsPanel()
        self.models = ModelsPanel()
        self.attacks = AttacksPanel()
        self.risks = RiskPanel()
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
        if self._empty.button is not None:
            self._empty.button.setVisible(can_retry)
        self._stack.setCurrentIndex(0)
        self.set_can_leave(False)

    def show_counted(self, counted: Noun) -> None:
        """Show whether records or people are at risk."""
        self._at_risk.setText(self.tr("Accepted risk"))
        self.threshold.setAccessibleName(self.tr("Accepted risk, in percent"))
        self.threshold.setToolTip(
            either(
                counted,
                self.tr("Records with a higher risk are counted as at risk"),
                self.tr("People with a higher risk are counted as at risk"),
            )
        )

    def show_statement(self, text: str, detail: str, tone: str) -> None:
        """Show the main statement and its basis, and bring the results to the front."""
        self._statement.setText(text)
        self._detail.setText(detail)
        self._icon.set_icon(_ICONS[tone], tone)
        self._stack.setCurrentIndex(1)
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

    def statement(self) -> str:
        return self._statement.text()

    def detail(self) -> str:
        return self._detail.text()

    @property
    def shows_results(self) -> bool:
        return self._stack.currentIndex() == 1

    def _make_strip(self) -> QFrame:
        self._strip = fixed(FoldingStrip(), height=_STRIP)
        self._strip.setProperty("strip", "true")
        back = named(make_icon_button("arrow-left", self.tr("Back")), "judgeBack")
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
        button = named(make_button(_(text), icon_name=icon_name, small=True), name)
        button.setToolTip(_tooltip(button))
        button.clicked.connect(request)
        return button

    def _make_body(self) -> QVBoxLayout:
        self._empty = EmptyState("", self.tr("Assess again"))
        self._empty.action_requested.connect(self.retry_requested)
        card = Card()
        card.set_header_visible(False)
        card.set_body(self._empty, 0)
        self._stack = QStackedWidget()
        self._stack.addWidget(card)
        self._stack.addWidget(self._make_results())
        self._sides = DesignSplitter(Qt.Orientation.Horizontal, "judge.sides")
        self._sides.addWidget(self.columns)
        self._sides.addWidget(self._stack)
        self._sides.setStretchFactor(1, 1)
        return vbox(self.error, self.besides, (self._sides, 1), spacing=8, margins=8)

    def _make_results(self) -> QWidget:
        upper = DesignSplitter(Qt.Orientation.Horizontal, "judge.upper")
        lower = DesignSplitter(Qt.Orientation.Horizontal, "judge.lower")
        rows = DesignSplitter(Qt.Orientation.Vertical, "judge.rows")
        upper.addWidget(self.models)
        upper.addWidget(self.attacks)
        lower.addWidget(self.risks)
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
        self._statement = named(make_label("", Text.TITLE, wraps=True), "judgeStatement")
        self._detail = ElidedLabel("", Text.CELL, "text_2")
        self._updating = make_label("", Text.CAPTION, "text_3")
        self.threshold = fixed(named(NumberSpin(0.0, 100.0, 1, "%"), "thresholdBox"), width=84)
        self._at_risk = make_label("", Text.CELL, "text_2")
        self.show_counted(RECORDS)
        self.threshold.setKeyboardTracking(False)
        self.threshold.setSingleStep(1.0)
        self.threshold.valueChanged.connect(self.threshold_chosen)
        hbox(
            self._icon,
            (ScrollBody(vbox(self._statement, self._detail, spacing=0, margins=0), is_fitted=True), 1),
            self._updating,
            self._at_risk,
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
        columns = min(scaled(300), round(0.28 * width))
        self._sides.set_design_sizes([columns, width - columns])
        right, (upper, lower, rows) = width - columns, self._inner
        attacks = min(scaled(350), round(0.42 * right))
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


_ROW = 30
_TONES = {"ok": "ok", "warn": "warn", "danger": "danger", "neutral": "text_3"}


class _Line(QWidget):
    """One attack."""

    def __init__(self) -> None:
        super().__init__()
        self._icon = IconLabel("shield", 16)
        self.title = ElidedLabel("", Text.CELL_STRONG)
        self._value = make_label("", Text.CELL, "text_2")
        self._value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.status = Chip("")
        row = hbox(self._icon, (self.title, 1), self._value, self.status, spacing=8, margins=(12, 0, 12, 0))
        vbox((row, 1), make_line(), spacing=0, margins=0, of=self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        fixed(self, height=_ROW)

    def show_row(self, row: AttackRow) -> None:
        self._icon.set_icon(row.icon, _TONES[row.tone])
        self.title.setText(row.title)
        self._value.setText(row.value)
        self.status.show_status(row.status, row.tone, icon_name="")
        tooltip = f"{row.title}: {row.meaning}\n{row.reason}"
        self.title.set_hint(tooltip)
        for part in (self, self._value, self.status):
            part.setToolTip(tooltip)
        self.setAccessibleName(f"{row.title}: {row.status}. {row.reason}")


class AttacksPanel(Card):
    """One line per attack."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Attacks"), self.tr("resistance of the table"), parent)
        self._lines: list[_Line] = []
        self._counts = {tone: Chip("", tone, icon_name="") for tone in ("ok", "warn", "danger")}
        for chip in self._counts.values():
            self.add_tool(chip)
        self._column = vbox(STRETCH, spacing=0, margins=0)
        self.set_body(scrolled(self._column), 0)

    def show_attacks(self, rows: Sequence[AttackRow]) -> None:
        """Show other verdicts."""
        while len(self._lines) < len(rows):
            line = _Line()
            self._column.insertWidget(len(self._lines), line)
            self._lines.append(line)
        for line, row in zip(self._lines, rows, strict=False):
            line.show_row(row)
        words = {"ok": self.tr("resisted"), "warn": self.tr("partly"), "danger": self.tr("open")}
        for tone, chip in self._counts.items():
            n_rows = sum(row.tone == tone for row in rows)
            chip.set_text(f"{n_rows} {words[tone]}")
            chip.setVisible(n_rows > 0)

    def texts(self) -> list[tuple[str, str]]:
        """Return title and verdict of every line."""
        return [(line.title.text(), line.status.text()) for line in self._lines]


_CHART_HEIGHT = 64
_COLUMNS = 2


class RiskPanel(Card):
    """Values in two columns above the chart."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Re-identification risk"), parent=parent)
        self._labels: list[tuple[ElidedLabel, ElidedLabel]] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(8)
        for place in range(_COLUMNS):
            self._grid.setColumnStretch(place, 1)
        self.chart = SizeHistogram(height=_CHART_HEIGHT)
        self._sizes_title = make_label(self.tr("Records by class size"), Text.SECTION, "text_2")
        column = vbox(
            self._grid, 4, self._sizes_title, self.chart, STRETCH, spacing=6, margins=(12, 10, 12, 10)
        )
        self.set_body(scrolled(column), 0)

    def show_values(self, values: Sequence[Row], sizes: Histogram) -> None:
        """Show other values."""
        self._sizes_title.setText(sizes.title)
        while len(self._labels) < len(values):
            place = len(self._labels)
            made = (
                ElidedLabel("", Text.CAPTION, "text_3"),
                ElidedLabel("", Text.STAT),
            )
            cell = vbox(*made, spacing=0)
            row, column = divmod(place, _COLUMNS)
            nest(self._grid, cell, row, column, Qt.AlignmentFlag.AlignTop)
            self._labels.append(made)
        for caption, value in self._labels[len(values) :]:
            caption.setText("")
            value.setText("")
        for (caption, value), entry in zip(self._labels, values, strict=False):
            caption.setText(entry.title)
            value.setText(entry.value)
            caption.set_hint(entry.meaning)
            value.set_hint(entry.meaning)
            set_tone(value, entry.tone)
        self.chart.show_histogram(sizes)

    def texts(self) -> dict[str, str]:
        """Return the values by caption."""
        return {caption.text(): value.text() for caption, value in self._labels if caption.text()}


EXPOSED, UTILITY, WILDCARDS = "exposed", "utility", "wildcards"
_SWITCH_MARGIN = 28  # px beside the switch


class ModelsPanel(Card):
    """Value of every model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Privacy models"), self.tr("measured without changing the table"), parent)
        self.table = TextsTable("modelValues", self.tr("Values of all privacy models"), stretched=-1)
        self.set_body(self.table, 0)


class DetailsPanel(FitsRoom, Card):
    """The most exposed classes, the values with wildcards, or the utility loss against the original."""

    original_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.choice = named(
            PageSwitch(
                (
                    (EXPOSED, self.tr("Most exposed")),
                    (UTILITY, self.tr("Utility")),
                    (WILDCARDS, self.tr("Wildcards")),
                ),
                self.tr("Shown below"),
            ),
            "detailsChoice",
        )
        self.choice.selected.connect(lambda _key: self._show())
        self.add_lead(self.choice)
        self.exposed = TextsTable("exposedClasses", self.tr("The smallest classes"))
        self.utility = TextsTable(
            "utilityFigures", self.tr("Utility compared with the original"), stretched=-1
        )
        self.error = ErrorBanner()
        self.empty = EmptyState(
            self.tr("Choose the original table to see the utility loss."),
            self.tr("Choose original…"),
            icon_name="folder-open",
        )
        self.empty.action_requested.connect(self.original_requested)
        lost = QWidget()
        vbox(self.error, (self.utility, 1), (self.empty, 1), spacing=0, margins=0, of=lost)
        self.wildcards = TextsTable(
            "wildcardFigures", self.tr("Values with wildcards beside those as values"), stretched=-1
        )
        self.caution = named(make_label("", Text.CELL, "warn", wraps=True), "wildcardCaution")
        self._caution = QWidget()
        vbox(self.caution, margins=(12, 8, 12, 8), of=self._caution)
        self._no_wildcards = EmptyState(
            self.tr("Choose under Columns which cells could be anything, to compare both readings.")
        )
        read = named(QWidget(), "wildcardPage")
        vbox(self._caution, (self.wildcards, 1), (self._no_wildcards, 1), spacing=0, margins=0, of=read)
        self._captions = {EXPOSED: "", UTILITY: "", WILDCARDS: ""}
        self._pages = {EXPOSED: self.exposed, UTILITY: lost, WILDCARDS: read}
        self._stack = QStackedLayout()
        for page in self._pages.values():
            self._stack.addWidget(page)
        holder = QWidget()
        holder.setLayout(self._stack)
        self.set_body(holder, 0)
        self._show()

    def _fit(self) -> None:
        self.choice.fit(self.width() - scaled(_SWITCH_MARGIN))

    def show_exposed(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]], caption: str) -> None:
        """Show the smallest classes."""
        self.exposed.show_rows(headings, rows)
        self._captions[EXPOSED] = caption
        self._show()

    def show_utility(
        self,
        headings: Sequence[Heading],
        rows: Sequence[Sequence[Cell]],
        misfit: tuple[str, str] | None = None,
    ) -> None:
        """Show the utility loss; without rows the reason, or a button to choose an original."""
        self.utility.show_rows(headings, rows)
        self.utility.setVisible(bool(rows))
        self.empty.setVisible(not rows)
        if misfit is not None:
            self.error.show_error(*misfit)
        else:
            self.error.hide()
        self._show()

    def show_wildcards(
        self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]], caption: str
    ) -> None:
        """Show both readings below the caution; without rows how to choose wildcards."""
        from engine.assessment.risk.wildcards import CAUTION

        self.wildcards.show_rows(headings, rows)
        self.caution.setText(_(CAUTION))
        for part in (self.wildcards, self._caution):
            part.setVisible(bool(rows))
        self._no_wildcards.setVisible(not rows)
        self._captions[WILDCARDS] = caption
        self._show()

    def show_page(self, key: str) -> None:
        """Bring one of the pages to the front."""
        self.choice.set_current(key)
        self._show()

    def _show(self) -> None:
        key = self.choice.current()
        self._stack.setCurrentWidget(self._pages[key])
        self.set_caption(self._captions[key])
