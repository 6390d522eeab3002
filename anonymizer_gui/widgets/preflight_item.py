"""One line of the pre-flight strip: finding, detail, and buttons with fixes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import hbox, vbox
from engine.words import N_, _

_READABLE = 130  # width of some twenty characters


class Readiness(Enum):
    """Severity of a finding; the strip sorts by this order."""

    BLOCKING = N_("blocking")
    LOOK_AT = N_("to check")
    NOTE = N_("note")
    READY = N_("ready")


READINESS_ICONS = {
    Readiness.BLOCKING: ("circle-alert", "danger"),
    Readiness.LOOK_AT: ("triangle-alert", "warn"),
    Readiness.NOTE: ("info", "accent_text"),
    Readiness.READY: ("circle-check", "ok"),
}
READINESS_TONES = {
    Readiness.BLOCKING: "danger",
    Readiness.LOOK_AT: "warn",
    Readiness.NOTE: "accent",
    Readiness.READY: "ok",
}


@dataclass(frozen=True, slots=True)
class PreflightFinding:
    """Content of one item; fixes are button effects, empty for none."""

    key: str
    readiness: Readiness
    title: str
    detail: str = ""
    fix: str = ""
    other_fix: str = ""


class PreflightItem(QWidget):
    """Shows one finding; `fix_requested` and `other_fix_requested` carry its key."""

    fix_requested = Signal(str)
    other_fix_requested = Signal(str)

    def __init__(self, finding: PreflightFinding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.finding = finding
        icon_name, token = READINESS_ICONS[finding.readiness]
        self._icon = IconLabel(icon_name, 18, token)
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
        self.setAccessibleName(f"{_(finding.readiness.value)}: {finding.title}. {finding.detail}")

    def width_for_title(self) -> int:
        """Return the width at which the title is not elided; the detail may be."""
        title, detail = self._title.sizeHint().width(), self._detail.sizeHint().width()
        return self.sizeHint().width() - max(title, detail) + title

    def readable_width(self) -> int:
        """Return the width at which the beginning of the title can be read."""
        title = self._title.sizeHint().width()
        return self.width_for_title() - title + min(title, scaled(_READABLE))
