"""List of pre-flight findings: what blocks, what to check, notes, and what is ready."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from anonymizer_gui.theming import Text, current_theme, follow_theme, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import HEADER_HEIGHT, Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.layouts import hbox, vbox
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
ROW_HEIGHT = 28
_ROWS, _FEWEST_ROWS = 4, 2  # in sight by design, and at least
_READY = "ready"  # key of the line of all ready findings


class PreflightItem(QWidget):
    """Shows one finding, its words wrapped; `fix_requested` and `other_fix_requested` carry its key."""

    fix_requested = Signal(str)
    other_fix_requested = Signal(str)

    def __init__(self, finding: Finding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding = finding
        self.words = QLabel(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self.words.setProperty("use", Text.CELL.value)
        self.words.setMinimumHeight(scaled(ROW_HEIGHT) - 10)
        self.fix_button: QPushButton | None = None
        self.other_fix_button: QPushButton | None = None
        row = hbox(
            (
                IconLabel(_ICONS[finding.severity], 16, _TOKENS[finding.severity]),
                0,
                Qt.AlignmentFlag.AlignTop,
            ),
            (self.words, 1),
            spacing=10,
            margins=(12, 3, 8, 3),
            of=self,
        )
        if finding.fix:
            self.fix_button = self._button(_("Fix: {words}").format(words=finding.fix), self.fix_requested)
            row.addWidget(self.fix_button, 0, Qt.AlignmentFlag.AlignVCenter)
        if finding.other_fix:
            text = _("or {words}").format(words=finding.other_fix)
            self.other_fix_button = self._button(text, self.other_fix_requested)
            row.addWidget(self.other_fix_button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setAccessibleName(f"{_(finding.severity.value)}: {finding.title}. {finding.detail}")
        self.write()

    def _button(self, text: str, requested: object) -> QPushButton:
        button = make_button(text, small=True)
        button.setAccessibleDescription(f"{self.finding.title}. {self.finding.detail}")
        button.clicked.connect(lambda: requested.emit(self.finding.key))  # type: ignore[attr-defined]  # a signal
        return button

    def write(self) -> None:
        """Write title and detail in the colours of the theme; texts from data are escaped."""
        grey = current_theme().color("text_3").name()
        title, detail = escape(self.finding.title), escape(self.finding.detail)
        self.words.setText(
            f'<span style="font-weight: 600">{title}</span> &nbsp;<span style="color: {grey}">{detail}</span>'
        )


class PreflightPanel(Card):
    """Findings one below the other, the most severe first; more than fit scroll."""

    fix_requested = Signal(str)
    other_fix_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__(self.tr("Pre-flight"), self.tr("updated while you edit"))
        self._items: list[PreflightItem] = []
        self.findings: tuple[Finding, ...] = ()
        tones = {severity: _TOKENS[severity].removesuffix("_text") for severity in Severity}
        self._chips = {severity: Chip("", tone, icon_name="") for severity, tone in tones.items()}
        for chip in self._chips.values():
            chip.hide()
            self.add_tool(chip)
        self._inside = QWidget()
        self._column: QVBoxLayout = vbox(spacing=0, margins=(0, 2, 0, 2), of=self._inside)
        self._column.addStretch(1)
        self.set_body(SteadyArea(self._inside), 0)
        follow_theme(self._on_theme)

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

    def design_height(self) -> int:
        """Return the height at which some findings are in sight."""
        return self._height_of(_ROWS)

    def _height_of(self, n_rows: int) -> int:
        return scaled(HEADER_HEIGHT) + n_rows * scaled(ROW_HEIGHT) + scaled(12)

    def _fill(self) -> None:
        focused = next((i.finding.key for i in self._items if i.fix_button and i.fix_button.hasFocus()), None)
        for item in self._items:
            self._column.removeWidget(item)
            item.setParent(None)
            item.deleteLater()
        self._items = [PreflightItem(finding, self._inside) for finding in _lines(self.findings)]
        for place, item in enumerate(self._items):
            key = item.finding.key
            item.fix_requested.connect(self.fix_requested)
            item.other_fix_requested.connect(self.other_fix_requested)
            if item.fix_button is not None:
                item.fix_button.setObjectName(f"fix.{key}")
            if item.other_fix_button is not None:
                item.other_fix_button.setObjectName(f"otherFix.{key}")
            self._column.insertWidget(place, item)
        if focused is not None and (button := self.fix_button(focused)) is not None:
            button.setFocus()

    def _on_theme(self) -> None:
        self.setMinimumHeight(self._height_of(_FEWEST_ROWS))
        for item in self._items:
            item.write()


def _lines(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings, with all that are ready in one."""
    ready = [finding for finding in findings if finding.severity is Severity.READY]
    if len(ready) < 2:
        return list(findings)
    said = "; ".join(
        f"{finding.title}: {finding.detail}" if finding.detail else finding.title for finding in ready
    )
    others = [finding for finding in findings if finding.severity is not Severity.READY]
    return [*others, Finding(_READY, Severity.READY, _("Ready"), said)]


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
