"""Strip of pre-flight findings: errors, warnings and confirmations."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from anonymizer_gui.theming import Text, follow_theme, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import HEADER_HEIGHT, Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_line
from anonymizer_gui.widgets.layouts import gridbox, hbox, vbox
from anonymizer_gui.widgets.scroll_body import SteadyArea
from engine.advice.findings import Finding, Severity
from engine.words import _, ngettext

_ICONS = {
    Severity.BLOCKING: "circle-alert",
    Severity.LOOK_AT: "triangle-alert",
    Severity.NOTE: "info",
    Severity.READY: "circle-check",
}
_TOKENS = {
    Severity.BLOCKING: "danger",
    Severity.LOOK_AT: "warn",
    Severity.NOTE: "accent_text",
    Severity.READY: "ok",
}
_READABLE = 130  # width of some twenty characters


class PreflightItem(QWidget):
    """Shows one finding; `fix_requested` and `other_fix_requested` carry its key."""

    fix_requested = Signal(str)
    other_fix_requested = Signal(str)

    def __init__(self, finding: Finding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding = finding
        self._icon = IconLabel(_ICONS[finding.severity], 18, _TOKENS[finding.severity])
        self._title = ElidedLabel(finding.title, Text.TITLE)
        self._detail = ElidedLabel(finding.detail, Text.CELL, "text_2")
        self.fix_button: QPushButton | None = None
        self.other_fix_button: QPushButton | None = None
        row = hbox(
            (self._icon, 0, Qt.AlignmentFlag.AlignTop),
            (vbox(self._title, self._detail, spacing=0), 1),
            spacing=10,
            margins=(12, 8, 12, 8),
            of=self,
        )
        if finding.fix:
            self.fix_button = make_button(_("Fix: {words}").format(words=finding.fix), small=True)
            self.fix_button.setAccessibleDescription(f"{finding.title}. {finding.detail}")
            self.fix_button.clicked.connect(lambda: self.fix_requested.emit(self.finding.key))
            row.addWidget(self.fix_button, 0, Qt.AlignmentFlag.AlignTop)
        if finding.other_fix:
            self.other_fix_button = make_button(_("or {words}").format(words=finding.other_fix), small=True)
            self.other_fix_button.setAccessibleDescription(f"{finding.title}. {finding.detail}")
            self.other_fix_button.clicked.connect(lambda: self.other_fix_requested.emit(self.finding.key))
            row.addWidget(self.other_fix_button, 0, Qt.AlignmentFlag.AlignTop)
        self.setAccessibleName(f"{_(finding.severity.value)}: {finding.title}. {finding.detail}")

    def width_for_title(self) -> int:
        """Return the width at which the title is not elided; the detail may be."""
        title, detail = self._title.sizeHint().width(), self._detail.sizeHint().width()
        return self.sizeHint().width() - max(title, detail) + title

    def readable_width(self) -> int:
        """Return the width at which the beginning of the title can be read."""
        title = self._title.sizeHint().width()
        return self.width_for_title() - title + min(title, scaled(_READABLE))


_ITEM_WIDTH, _ITEM_HEIGHT = 290, 52
_LINES_WHEN_TALL = 1.6  # part of a second line indicates more without taking room from the table


class PreflightPanel(Card):
    """Items in lines of equal columns; further lines scroll."""

    fix_requested = Signal(str)
    other_fix_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__(self.tr("Pre-flight"), self.tr("updated while you edit"))
        self._items: list[PreflightItem] = []
        self.findings: tuple[Finding, ...] = ()
        self._n_columns = 0
        self._is_low = False
        tones = {severity: _TOKENS[severity].removesuffix("_text") for severity in Severity}
        self._chips = {severity: Chip("", tone, icon_name="") for severity, tone in tones.items()}
        for chip in self._chips.values():
            chip.hide()
            self.add_tool(chip)
        self._inside = QWidget()
        self._grid = gridbox(spacing=(0, 0), margins=0, of=self._inside)
        self._area = SteadyArea(self._inside)
        self.set_body(self._area, 0)
        follow_theme(self._update_height)

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show findings, the most severe first."""
        findings = tuple(findings)
        if findings == self.findings:
            return
        self.findings = findings
        for severity, chip in self._chips.items():
            n_found = sum(finding.severity is severity for finding in findings)
            chip.setVisible(n_found > 0)
            chip.set_text(_counted(severity, n_found))
        self._fill()

    def fix_button(self, key: str) -> QWidget | None:
        """Return the button that fixes a finding."""
        return next((item.fix_button for item in self._items if item.finding.key == key), None)

    def set_low(self, is_low: bool) -> None:
        """Show one line only, for small windows."""
        if is_low != self._is_low:
            self._is_low = is_low
            self._update_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._columns_that_fit() != self._n_columns:
            self._fill()
        else:
            self._keep_titles_whole()

    def _columns_that_fit(self) -> int:
        """Return the largest number of columns in which buttons leave room for the titles."""
        room = min((self.width() - 4) // scaled(_ITEM_WIDTH), len(self._items))
        widths = [item.readable_width() for item in self._items]
        return next((n for n in range(room, 1, -1) if self._fit(self._needed(widths, n))), 1)

    def _fill(self) -> None:
        focused = self._focused_key()
        while (taken := self._grid.takeAt(0)) is not None:
            if (widget := taken.widget()) is not None:
                widget.setParent(None)
                widget.deleteLater()
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 0)
            self._grid.setColumnMinimumWidth(column, 0)
        self._items = [PreflightItem(finding, self._inside) for finding in self.findings]
        for part in (part for item in self._items for part in item.findChildren(QWidget)):
            part.ensurePolished()  # the style sheet widens buttons, which is measured next
        self._n_columns = self._columns_that_fit()
        for place, (finding, item) in enumerate(zip(self.findings, self._items, strict=True)):
            row, column = divmod(place, self._n_columns)
            item.setMinimumHeight(scaled(_ITEM_HEIGHT))
            item.fix_requested.connect(self.fix_requested)
            item.other_fix_requested.connect(self.other_fix_requested)
            if item.fix_button is not None:
                item.fix_button.setObjectName(f"fix.{finding.key}")
            if item.other_fix_button is not None:
                item.other_fix_button.setObjectName(f"otherFix.{finding.key}")
            self._grid.addWidget(item, row, 2 * column)
            # An item with a button needs more room.
            share = max(self._grid.columnStretch(2 * column), item.sizeHint().width())
            self._grid.setColumnStretch(2 * column, share)
        self._keep_titles_whole()
        n_rows = self._grid.rowCount()
        for column in range(1, self._n_columns):  # down to the edge of the card
            line = make_line(Qt.Orientation.Vertical)
            self._grid.addWidget(line, 0, 2 * column - 1, n_rows + 1, 1)
        self._grid.setRowStretch(n_rows, 1)
        if focused is not None and (button := self.fix_button(focused)) is not None:
            button.setFocus()

    def _keep_titles_whole(self) -> None:
        """Divide the width so that titles are not elided, or else their beginnings, if there is room."""
        whole = self._needed([item.width_for_title() for item in self._items], self._n_columns)
        readable = self._needed([item.readable_width() for item in self._items], self._n_columns)
        chosen = next(filter(self._fit, (whole, readable)), [0] * self._n_columns)
        for column, width in enumerate(chosen):
            self._grid.setColumnMinimumWidth(2 * column, width)

    def _needed(self, widths: Sequence[int], n_columns: int) -> list[int]:
        """Return the width of each column, given those of the items."""
        return [max(widths[column::n_columns], default=0) for column in range(n_columns)]

    def _fit(self, widths: Sequence[int]) -> bool:
        return sum(widths) + len(widths) <= self.width() - 4

    def _focused_key(self) -> str | None:
        """Return the finding whose button has the focus, to restore it after the refill."""
        for item in self._items:
            if item.fix_button is not None and item.fix_button.hasFocus():
                return item.finding.key
        return None

    def _update_height(self) -> None:
        lines = 1.0 if self._is_low else _LINES_WHEN_TALL
        self.setFixedHeight(round(scaled(HEADER_HEIGHT) + lines * scaled(_ITEM_HEIGHT)) + 6)
        for item in self._items:
            item.setMinimumHeight(scaled(_ITEM_HEIGHT))


def _counted(severity: Severity, n: int) -> str:
    match severity:
        case Severity.BLOCKING:
            text = ngettext("{n} blocking", "{n} blocking", n)
        case Severity.LOOK_AT:
            text = ngettext("{n} to check", "{n} to check", n)
        case Severity.NOTE:
            text = ngettext("{n} note", "{n} notes", n)
        case Severity.READY:
            text = ngettext("{n} ready", "{n} ready", n)
    return text.format(n=n)
