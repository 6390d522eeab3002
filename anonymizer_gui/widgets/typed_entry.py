"""Spin box input parsed when typing ends: accepted, or rejected with a reason."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QLocale, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QDialog, QLabel, QWidget

from anonymizer_gui.theming import Text, scaled
from engine.errors import AnonymizerError, InputError
from engine.numbers import MINUS, MOST_DECIMALS, as_typed
from engine.words import _

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractSpinBox

    class _SpinBox(QAbstractSpinBox):
        """Common interface of Qt's spin boxes for integers and reals."""

        def value(self) -> Any: ...
        def minimum(self) -> Any: ...
        def maximum(self) -> Any: ...
        def suffix(self) -> str: ...
        def textFromValue(self, val: Any) -> str: ...

else:
    _SpinBox = object


_STAYS_MS, _WIDEST, _GAP = 12_000, 320, 4


class FieldNote(QLabel):
    """Visible for some seconds, regardless of the mouse; a tooltip would disappear with the next click."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field, Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("fieldNote")
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("use", Text.CELL.value)
        self.setWordWrap(True)
        self._field = field
        self._end = QTimer(self, singleShot=True, interval=_STAYS_MS)
        self._end.timeout.connect(self.hide)

    @property
    def visible_text(self) -> str:
        """Text shown; empty while hidden."""
        return "" if self.isHidden() else self.text()

    def show_text(self, text: str) -> None:
        """Show a text below the field."""
        self.setText(text)
        self.setFixedWidth(scaled(_WIDEST))
        self.adjustSize()
        room = self._field.screen().availableGeometry()
        at = self._field.mapToGlobal(QPoint(0, self._field.height() + _GAP))
        x = max(min(at.x(), room.right() - self.width()), room.left())
        self.move(x, min(at.y(), room.bottom() - self.height()))
        self.show()
        self._end.start()


class TypedEntry(_SpinBox):
    """Mixin before a Qt spin box, which would otherwise drop digits beyond its limits.

    Any text is allowed while typing. An invalid one is replaced by the previous number, and a note below the
    field gives the reason.
    """

    is_integer = False
    _before: float | None = None  # number before the current typing
    _has_refused = False
    _note: FieldNote | None = None

    def prepare_entry(self) -> None:
        """Set what such boxes have in common, and start to observe typing; call once the box exists."""
        self.setLocale(QLocale.c())
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().textEdited.connect(self._on_edited)
        self.editingFinished.connect(self._on_finished)

    @property
    def note(self) -> str:
        """Reason why the last input was rejected; empty while no note is shown."""
        return self._note.visible_text if self._note is not None else ""

    def read(self, text: str) -> float:
        """Parse a text without its unit.

        Raises
        ------
        AnonymizerError
            The text is not a number, or the number is not allowed.
        """
        unit = self.suffix()
        typed = text.removesuffix(unit)
        value = read_number(typed, is_percent=unit.strip() == "%", is_integer=self.is_integer)
        value = round(value, MOST_DECIMALS)
        low, high = self.minimum(), self.maximum()
        if low <= value <= high:
            return value
        kind = _("a whole number") if self.is_integer else _("a number")
        ends = _("from {low} to {high}").format(low=as_typed(low, 0), high=as_typed(high, 0) + unit)
        raise InputError(
            _("“{typed}” is out of range.").format(typed=typed.strip()),
            hint=_("It must be {kind} {ends}.").format(kind=kind, ends=ends),
        )

    def refuse(self, text: str, before: float, error: AnonymizerError) -> None:
        """Show why a text is rejected and that the field has its previous value."""
        stays = _("{accessibleName} is still {before}.").format(
            accessibleName=self.accessibleName(), before=self._as_text(before)
        )
        self._note = self._note or FieldNote(self)
        self._note.show_text(f"{stays} {error.problem} {error.hint}".strip())
        if isinstance(self.window(), QDialog):
            # Releases a button that took the focus, which would continue with the old number.
            QTimer.singleShot(0, self, self.setFocus)

    def validate(self, input: str, pos: int) -> tuple[QValidator.State, str, int]:
        try:
            self.read(input)
        except AnonymizerError:
            return QValidator.State.Intermediate, input, pos
        return QValidator.State.Acceptable, input, pos

    def fixup(self, input: str) -> str:
        """Replace an invalid text by the previous number, and show the reason."""
        before = self.value() if self._before is None else self._before
        self._before = None
        present = self._as_text(before)
        if input != present:
            try:
                self.read(input)
            except AnonymizerError as error:
                self._has_refused = True
                self.refuse(input, before, error)
        return present

    def valueFromText(self, text: str) -> Any:
        try:
            return self.read(text)
        except AnonymizerError:
            return self.value()

    def stepBy(self, steps: int) -> None:
        self.interpretText()  # the step starts at the accepted number
        super().stepBy(steps)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._has_refused = False
        super().keyPressEvent(event)
        if self._has_refused:
            event.accept()  # else Return reaches the dialog, which would accept the old number

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():  # else the form scrolls
            super().wheelEvent(event)
        else:
            event.ignore()

    def _as_text(self, value: float) -> str:
        return self.textFromValue(value) + self.suffix()

    def _on_edited(self) -> None:
        if self._before is None:
            self._before = self.value()
        if self._note is not None:
            self._note.hide()

    def _on_finished(self) -> None:
        self._before = None


_SPACES = re.compile(r"\s+")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)
_PARTED = re.compile(r"[+-]?[1-9]\d{0,2}([.,]\d{3})+")  # thousands, or decimals


def read_number(text: str, *, is_percent: bool = False, is_integer: bool = False) -> float:
    """Parse a number, in percent for a field that shows percent.

    In other fields a percent sign divides by 100. A comma or a point is the decimal mark in every language.
    For an integer, "1,000" is rejected as ambiguous: a thousand, or one with three decimals.

    Raises
    ------
    InputError
        The text is not a number, or is ambiguous.
    """
    shown, typed = text.strip(), _SPACES.sub("", text.replace(MINUS, "-"))  # narrow spaces too
    number = typed.rstrip("%")
    if not _NUMBER.fullmatch(number) or not isfinite(value := float(number.replace(",", "."))):
        raise InputError(
            _("“{shown}” is not a number.").format(shown=shown), hint=_("Type digits, such as 5.")
        )
    if is_integer and _PARTED.fullmatch(number):
        raise InputError(
            _("“{shown}” can mean two numbers.").format(shown=shown),
            hint=_("Type a whole number without comma or point, such as 1000."),
        )
    if typed != number and not is_percent:
        value = round(value / 100, 12)
    if is_integer and not value.is_integer():
        raise InputError(
            _("“{shown}” is not a whole number.").format(shown=shown),
            hint=_("Type a whole number such as 5."),
        )
    return value
