"""Strip with the main statement, its basis, and the accepted risk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from anonymizer_gui.forms.number_spin import ShareSpin
from anonymizer_gui.session.words import clause_mark
from anonymizer_gui.theming import Text, follow_theme, font, font_scale, scaled
from anonymizer_gui.widgets.accessible import announce
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.labels import make_label, set_style_property, set_tone
from anonymizer_gui.widgets.layouts import STRETCH, fixed, hbox, named, vbox
from engine.frequency.counted import RECORDS, Noun, either

if TYPE_CHECKING:
    from engine.findings.risk.verdict import Clause

_HEIGHT, _MARGIN, _LINE = 52, 4, 2  # px; the line is below the strip
_LARGE = 1.5  # text size above which there is no room for headings
_CLAUSES, _ROW, _LEAST = 6, 24, 240  # their number, and px
_ROOM_FOR_WORDS = 1100  # px of the strip; narrower ones have the basis in a second line


class _ClauseView(QWidget):
    """One clause with its mark and a link to its reason, wrapped if space is short."""

    def __init__(self) -> None:
        super().__init__()
        self.key = ""
        self.icon = IconLabel("shield", 20)
        self.sentence = make_label("", Text.HEADING, wraps=True)
        self.link = make_button("", kind="link", small=True)
        hbox(self.icon, self.sentence, self.link, STRETCH, spacing=8, margins=0, of=self)

    def show_clause(self, clause: Clause) -> None:
        """Show a clause; its tone and kind choose the mark."""
        text = clause.sentence[:1].upper() + clause.sentence[1:]
        self.key = clause.key
        self.sentence.setText(text)
        self.sentence.setObjectName(f"riskClause.{clause.key}")
        self.icon.set_icon(*clause_mark(clause))
        self.icon.setAccessibleName(text)
        words = {"class": self.tr("Show that class"), "unchanged": self.tr("Show these records")}
        self.link.setText(words.get(clause.key, ""))
        self.link.setVisible(clause.key in words and clause.tone != "ok")
        self.link.setObjectName(f"riskClauseLink.{clause.key}")

    def fit(self, width: int) -> int:
        """Wrap the sentence to a width, and return the height of the row."""
        room = width - self.icon.sizeHint().width() - 8
        if not self.link.isHidden():
            room -= self.link.sizeHint().width() + 8
        use = Text.HEADING if font_scale() <= _LARGE else Text.TITLE  # one size, so that none looks less bad
        set_style_property(self.sentence, "use", use.value)
        text, metrics = self.sentence.text(), QFontMetrics(font(use))
        self.sentence.setFixedWidth(max(min(metrics.horizontalAdvance(text) + 4, room), 40))
        wraps = int(Qt.TextFlag.TextWordWrap)
        high = metrics.boundingRect(QRect(0, 0, max(room, 40), 1_000), wraps, text).height() + 2
        row = max(high, scaled(_ROW))
        self.setFixedHeight(row)
        return row


class _Words(QWidget):
    """Clauses, one below the other."""

    height_changed = Signal()
    requested = Signal(str)  # key of a clause

    def __init__(self) -> None:
        super().__init__()
        self.clauses = [_ClauseView() for _ in range(_CLAUSES)]
        vbox(STRETCH, *self.clauses, STRETCH, spacing=0, margins=0, of=self)
        for view in self.clauses:
            view.link.clicked.connect(lambda _checked=False, view=view: self.requested.emit(view.key))
        self.needed = 0

    def show_clauses(self, clauses: Sequence[Clause]) -> None:
        """Show one view per clause."""
        for view, clause in zip_longest(self.clauses, clauses):
            view.setVisible(clause is not None)
            if clause is not None:
                view.show_clause(clause)
        self.fit()

    def minimumSizeHint(self) -> QSize:
        """Return a width in which the clauses wrap."""
        return QSize(scaled(_LEAST), self.needed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def fit(self) -> None:
        """Fit every clause into the width, and compute the height of all."""
        needed = sum(view.fit(self.width()) for view in self.clauses if not view.isHidden())
        if needed != self.needed:
            self.needed = needed
            self.height_changed.emit()


class _Right(QWidget):
    """Accepted risk, basis and detail."""

    changed = Signal()  # its width or content

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.changed.emit()

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.changed.emit()
        return is_handled


class StatementStrip(QFrame):
    """Always visible; the threshold is typed here, or dragged in the chart of records by risk."""

    threshold_changed = Signal(float)
    reason_requested = Signal(str)  # key of a clause: its class or its records

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("strip", "true")
        self.tone = ""
        self._clauses: tuple[Clause, ...] = ()
        self._words = _Words()
        self._words.height_changed.connect(self._fit_height)
        self._words.requested.connect(self.reason_requested)
        self.detail = named(make_label("", Text.CELL, "text_2", wraps=True), "riskDetail")
        self.detail.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        ask = make_label(self.tr("Accepted risk"), Text.CELL, "text_2")
        words = self.tr("Accepted risk, in percent")
        self.threshold = fixed(named(ShareSpin(0.1, 1), "riskThreshold", words), width=76)
        self.threshold.setKeyboardTracking(False)
        self.threshold.share_chosen.connect(self.threshold_changed)
        self.basis = named(Chip(""), "riskBasis")
        self._accepted = hbox(STRETCH, ask, self.threshold, self.basis, spacing=12, margins=0)
        self._below = hbox(STRETCH, spacing=12, margins=0)
        self._right = _Right()
        self._right.changed.connect(self._fit_height)
        vbox(STRETCH, self._accepted, self._below, self.detail, STRETCH, spacing=2, margins=0, of=self._right)
        hbox((self._words, 1), self._right, spacing=24, margins=(16, _MARGIN, 12, _MARGIN), of=self)
        self.show_counted(RECORDS)
        self.show_threshold(0.2)
        follow_theme(self._fit)

    def show_statement(self, clauses: Sequence[Clause], detail: str, *, is_within: bool) -> None:
        """Show the clauses of the verdict, each with its mark; not `is_within` is above the limit."""
        from engine.findings.risk.verdict import worst

        self.detail.setText(detail)
        set_tone(self.detail, "text_2" if is_within else "danger")
        self._words.show_clauses(clauses)
        if self._clauses and tuple(clauses) != self._clauses:
            announce(self, "; ".join(clause.sentence for clause in clauses) + ".")
        self._clauses = tuple(clauses)
        self.tone = worst(clauses)

    def sentence(self) -> str:
        """Return all clauses in one sentence."""
        return "; ".join(clause.sentence for clause in self._clauses) + "."

    def show_threshold(self, threshold: float) -> None:
        """Set the accepted risk without a signal."""
        self.threshold.show_share(threshold)

    def show_counted(self, counted: Noun) -> None:
        """Show whether records or people are at risk."""
        self.threshold.setToolTip(
            either(
                counted,
                self.tr(
                    "Accepted risk: records with a higher risk are at risk.\n20 % (classes of 5) is "
                    "common in health research; 9 % for public data."
                ),
                self.tr(
                    "Accepted risk: people with a higher risk are at risk.\n20 % (classes of 5) is "
                    "common in health research; 9 % for public data."
                ),
            )
        )

    def edit_threshold(self) -> None:
        """Focus the field of the accepted risk."""
        self.threshold.setFocus()
        self.threshold.selectAll()

    def show_basis(self, text: str, tone: str, meaning: str) -> None:
        """Show the basis of the values."""
        self.basis.show_status(text, tone)
        self.basis.setToolTip(meaning)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_basis()
        self._fit_height()

    def _place_basis(self) -> None:
        """Put the basis below the field of the accepted risk where the strip is narrow."""
        is_below = self.width() < scaled(_ROOM_FOR_WORDS)
        wanted, other = (self._below, self._accepted) if is_below else (self._accepted, self._below)
        if wanted.indexOf(self.basis) < 0:
            other.removeWidget(self.basis)
            wanted.addWidget(self.basis)

    def _fit(self) -> None:
        self._words.fit()
        self._fit_height()

    def _fit_height(self) -> None:
        right = self._right.heightForWidth(self._right.width()) if self._right.hasHeightForWidth() else 0
        needed = max(self._words.needed, right)
        self.setFixedHeight(max(scaled(_HEIGHT), needed + 2 * _MARGIN + _LINE))
