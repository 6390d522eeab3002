"""List of attacks with the resistance of the release, which expand to show the details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from anonymizer_gui.models.measured_text import RESISTANCE_ICONS, decided_text
from anonymizer_gui.theming import Text, current_theme, follow_theme, scaled, theme_manager
from anonymizer_gui.widgets.accessible import PRESS, Accessible, Role
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import ElidedLabel, make_label, make_line
from anonymizer_gui.widgets.layouts import STRETCH, hbox, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from engine.words import N_, _

if TYPE_CHECKING:
    from engine.assessment.risk.attacks import AttacksFound, AttackVerdict


_ROW, _STATUS = 44, 70
_TONES = {"ok": "ok", "warn": "warn", "danger": "danger", "neutral": "text_3"}
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class _Line(QWidget):
    """One attack."""

    def __init__(self) -> None:
        super().__init__()
        self._status_room = 0  # px of the longest status among the lines
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._icon = IconLabel("shield", 20)
        self._title = ElidedLabel("", Text.TITLE)
        self._reason = make_label("", Text.CELL, "text_2", wraps=True)
        self._value = Chip("")
        self._status = Chip("")
        self._more = IconLabel("chevron-down", 14, "text_3")
        self._paragraphs = make_label("", Text.CELL, "text_2", wraps=True)
        details = vbox(self._paragraphs, margins=(42, 0, 14, 10))
        self._details = QWidget()
        self._details.setLayout(details)
        self._details.hide()
        place = QHBoxLayout()  # equal width in all lines, to align the values
        place.setContentsMargins(0, 0, 0, 0)
        place.addWidget(self._status, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._room = QWidget()
        self._room.setLayout(place)
        first = hbox((self._title, 1), self._value, self._room, spacing=10, margins=0)
        words = vbox(STRETCH, first, self._reason, STRETCH, spacing=1, margins=0)
        self._head = QWidget()
        hbox(self._icon, (words, 1), self._more, spacing=10, margins=(12, 3, 10, 3), of=self._head)
        vbox(self._head, self._details, make_line(), spacing=0, margins=0, of=self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        follow_theme(self._fit)

    def show_line(self, line: AttackLine) -> None:
        self.setObjectName(f"attack.{line.key}")
        self._icon.set_icon(line.icon, _TONES[line.tone])
        self._title.setText(line.title)
        self._reason.setText(line.reason)
        self._value.show_status(line.value, "neutral")
        self._status.show_status(line.status, line.tone, icon_name="")
        self._paragraphs.setText("\n".join(line.paragraphs))
        tooltip = "\n".join([line.title, *line.paragraphs])
        self._title.set_hint(tooltip)
        self._reason.setToolTip(tooltip)
        self._head.setToolTip(tooltip)
        self.setAccessibleName(f"{line.title}: {line.status}, {line.reason} ({line.value})")
        self.setAccessibleDescription(" ".join(line.paragraphs))

    def as_accessible(self) -> Accessible:
        states = {"expandable": True, "expanded": self.is_open, "collapsed": not self.is_open}
        return Accessible(Role.Button, actions={PRESS: self._toggle}, states=states)

    @property
    def is_open(self) -> bool:
        return self._details.isVisibleTo(self)

    def words(self) -> tuple[str, str, str, str]:
        """Return title, reason, value and status as shown."""
        return self._title.text(), self._reason.text(), self._value.text(), self._status.text()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _OPENING:
            self._toggle()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.underMouse():
            QPainter(self).fillRect(self.rect(), current_theme().color("hover"))

    def _toggle(self) -> None:
        is_open = not self.is_open
        self._details.setVisible(is_open)
        self._more.set_icon("chevron-up" if is_open else "chevron-down", "text_3")

    def _fit(self) -> None:
        self._head.setMinimumHeight(scaled(_ROW))
        self._room.setFixedWidth(max(scaled(_STATUS), self._status_room))

    def status_width(self) -> int:
        """Return the width of the status text."""
        return self._status.sizeHint().width()

    def set_status_room(self, width: int) -> None:
        """Set the width of the status, if it is above the default."""
        self._status_room = width
        self._fit()


class AttacksView(QWidget):
    """Lines are reused when their verdicts change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("attacksView")
        self.setAccessibleName(self.tr("Attacks, and how well the release resists them"))
        self._lines: list[_Line] = []
        self._column = vbox(STRETCH, spacing=0, margins=0)
        vbox(scrolled(self._column), margins=0, of=self)
        theme_manager().theme_changed.connect(self._share_room)

    def show_attacks(self, lines: Sequence[AttackLine]) -> None:
        """Show other verdicts."""
        while len(self._lines) < len(lines):
            made = _Line()
            self._column.insertWidget(len(self._lines), made)
            self._lines.append(made)
        for place, made in enumerate(self._lines):
            made.setVisible(place < len(lines))
            if place < len(lines):
                made.show_line(lines[place])
        self._share_room()

    def _share_room(self) -> None:
        """Give every status the width of the longest one, to align the values."""
        widest = max((line.status_width() for line in self._lines if line.isVisibleTo(self)), default=0)
        for line in self._lines:
            line.set_status_room(widest)

    def words(self) -> list[tuple[str, str, str, str]]:
        """Return title, reason, value and status of every visible line."""
        return [line.words() for line in self._lines if line.isVisibleTo(self)]


class AttackCounts(QWidget):
    """Numbers of resisted, partly resisted and open attacks, for the header of the card."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips = {tone: Chip("", tone, icon_name="") for tone in ("ok", "warn", "danger")}
        self._texts: Mapping[str, str] = {}
        self._is_short = False
        hbox(*self._chips.values(), spacing=6, margins=0, of=self)
        self.show_counts({})

    def show_counts(self, texts: Mapping[str, str]) -> None:
        """Show texts by tone, such as "4 resisted"; a tone without a text has no chip."""
        self._texts = texts
        self._show()

    def set_short(self, is_short: bool) -> None:
        """Show numbers only, if space is short; the tooltips have the full texts."""
        if is_short != self._is_short:
            self._is_short = is_short
            self._show()

    def texts(self) -> list[str]:
        """Return the texts of the chips."""
        return [chip.text() for chip in self._chips.values() if chip.isVisibleTo(self)]

    def _show(self) -> None:
        for tone, chip in self._chips.items():
            text = self._texts.get(tone, "")
            chip.setVisible(bool(text))
            if text:
                shown = text.split(" ")[0] if self._is_short else text
                icon = {"icon_name": ""} if not self._is_short else {}
                chip.show_status(shown, tone, **icon)
                chip.setToolTip(text)


_COUNTED = {"ok": N_("resisted"), "warn": N_("partly"), "danger": N_("open")}


@dataclass(frozen=True)
class AttackLine:
    """An attack with the resistance of the release, the evidence, and paragraphs of details."""

    key: str
    title: str
    reason: str
    value: str
    status: str
    tone: str
    icon: str
    paragraphs: tuple[str, ...]


def attack_lines(found: AttacksFound) -> tuple[AttackLine, ...]:
    """Return every attack in the order of the findings."""
    return tuple(_line(verdict) for verdict in found.attacks)


def attack_counts(lines: tuple[AttackLine, ...]) -> dict[str, str]:
    """Return the numbers of resisted, partly resisted and open attacks by tone, without zeros."""
    counts = {tone: sum(line.tone == tone for line in lines) for tone in _COUNTED}
    return {tone: f"{count} {_(_COUNTED[tone])}" for tone, count in counts.items() if count}


def _line(verdict: AttackVerdict) -> AttackLine:
    status, tone, was = verdict.after.title, verdict.after.tone, verdict.before.title
    paragraphs = [
        verdict.attack.meaning,
        _("The release: {status}, {reason}.").format(status=status.lower(), reason=verdict.reason),
    ]
    if verdict.model is not None:
        paragraphs.append(
            _("Decided by {model}").format(model=decided_text(verdict.model, verdict.usual, verdict.weaker))
        )
    paragraphs.append(
        _("The input: {was}, {reason_before} ({value_before}).").format(
            was=was.lower(), reason_before=verdict.reason_before, value_before=verdict.value_before
        )
    )
    return AttackLine(
        verdict.attack.value,
        _capital(verdict.attack.title),
        verdict.reason,
        verdict.value,
        status,
        tone,
        RESISTANCE_ICONS[tone],
        tuple(paragraphs),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
