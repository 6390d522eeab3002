"""Knob: a threshold on a slider, below a curve of the number of satisfying nodes per value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QSizePolicy,
    QStyle,
    QStyleOptionSpinBox,
    QToolTip,
    QWidget,
)

from anonymizer_gui.theming import Text, font, scaled, theme_manager
from anonymizer_gui.theming.painter import ThemedPainter, paint_text
from anonymizer_gui.theming.type_scale import SEMI_BOLD
from anonymizer_gui.widgets.accessible import DECREASE, INCREASE, Accessible, Number, Role, value_changed
from anonymizer_gui.widgets.drawn import CachedPicture, Drawn
from anonymizer_gui.widgets.knob_scale import KnobScale, moved, nearest, thinned
from anonymizer_gui.widgets.typed_entry import TypedEntry, read_number
from engine.errors import AnonymizerError, InputError
from engine.numbers import MOST_DECIMALS, as_decimal, as_typed, shortest_digits, with_unit
from engine.words import _

_SIDE, _TOP, _FIELD, _LINE, _CURVE = 14, 8, 24, 16, 22
_HANDLE, _LARGEST_HANDLE = 13, 20  # px across; a larger one would cover curve and numbers
_WHEEL_PAUSE_MS = 250
_MARK_LENGTH, _MARKS_APART = 6, 4  # pixels
_WIDTH, _NARROWEST, _WIDEST = 208, 148, 244
_LEAST_OF_NAME, _BEGIN_OF_NAME = 3, 110  # letters of an elided name; px of one beside large text
_DIGITS, _NOISE = 12, 1e-9  # decimals of a value, also in percent; differences below are rounding errors

Check = Callable[[float], object]  # raises AnonymizerError for a value that is not valid


_BEYOND = 1e15  # larger than any meaningful number; the knob checks its own limits


class _Entry(TypedEntry, QDoubleSpinBox):
    """Spin box for exact input; the knob sets its steps and valid values."""

    def __init__(self, knob: Knob) -> None:
        super().__init__(knob)
        self._knob = knob
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setKeyboardTracking(False)
        self.setDecimals(MOST_DECIMALS)
        self.setRange(-_BEYOND, _BEYOND)
        self.setProperty("compact", "true")
        self.prepare_entry()

    def stepBy(self, steps: int) -> None:
        self._knob.step(steps)
        self.selectAll()

    def read(self, text: str) -> float:
        return self._knob.displayed(self._knob.read(text))

    def refuse(self, text: str, before: float, error: AnonymizerError) -> None:
        self._knob.refuse(text, error)

    def textFromValue(self, val: float) -> str:
        return self._knob.entry_text(val)

    def sizeHint(self) -> QSize:
        """Return the size for both ends of the scale and the current number."""
        metrics, option = self.fontMetrics(), QStyleOptionSpinBox()
        self.initStyleOption(option)
        texts = [self.textFromValue(value) + self.suffix() for value in (*self._knob.ends(), self.value())]
        width = max(metrics.horizontalAdvance(text) for text in texts) + 2  # the cursor needs room at the end
        size = QSize(width, self.lineEdit().sizeHint().height())
        return self.style().sizeFromContents(QStyle.ContentsType.CT_SpinBox, option, size, self)


class Knob(Drawn, QWidget):
    """Slider controlled by mouse, keys, wheel or typing; the satisfied side of the value is in accent.

    Dragging snaps to the values where the set of satisfying nodes changes, and to marked ones; Shift drags
    without snapping. Arrow keys move to the next such value, Page keys ten further, Home and End to the ends;
    the wheel works only with the focus.
    """

    value_changing = Signal(float)
    value_changed = Signal(float)  # after release
    turned_back = Signal()  # released at the value before dragging
    refused = Signal(object)  # exception: reason why the typed text is not valid

    def __init__(
        self,
        name: str,
        meaning: str,
        scale: KnobScale,
        value: float,
        *,
        keeps_larger: bool = True,
        suffix: str = "",
    ) -> None:
        """Create a knob; with `keeps_larger` nodes satisfy from the value up (k, l), else down (t)."""
        super().__init__()
        self._name, self._meaning, self._suffix = name, meaning, suffix
        self._scale, self._keeps_larger = scale, keeps_larger
        self.check: Check = lambda _value: None  # of typed values; raises an error for the user
        self._value = self._announced = value
        self._critical: tuple[float, ...] = ()
        self.marks: tuple[tuple[float, str], ...] = ()
        self.stops: tuple[float, ...] = ()
        self._curve: tuple[tuple[float, float], ...] = ()
        self._scenery = CachedPicture()
        self._is_dragged = self._was_turned = False
        self._wheel_rest = self._n_redrawn = 0
        self.entry = _Entry(self)  # spin box for exact input
        self._wheel_pause = QTimer(self, singleShot=True, interval=_WHEEL_PAUSE_MS)
        self._wheel_pause.timeout.connect(self._announce)
        self.entry.valueChanged.connect(self._turn_to_displayed)
        self.setProperty("focus_ring", "none")  # the ring is drawn around the handle
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{name}, {meaning}" if meaning else name)
        self.entry.setAccessibleName(_("{name}, exact value").format(name=name))
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self.set_scale(scale)
        self._show_value()
        self._on_theme_changed()

    # -- content -------------------------------------------------------------------------------

    def value(self) -> float:
        return self._value

    def set_value(self, value: float) -> None:
        """Set the value without a signal."""
        self._announced = value
        if value != self._value:
            self._value = value
            self._show_value()
            value_changed(self)

    def as_accessible(self) -> Accessible:
        low, high = self.ends()
        shown, unit = self.displayed(self._value), self.displayed(self._scale.unit)
        actions = {INCREASE: lambda: self.step(1), DECREASE: lambda: self.step(-1)}
        number = Number(shown, low, high, unit, self._turn_to_displayed)
        return Accessible(Role.Slider, self._as_text(self._value), number, actions=actions)

    def set_scale(self, scale: KnobScale) -> None:
        """Set the range; a value outside it is drawn at the nearer end."""
        self._scale = scale
        self._redraw()
        self.entry.blockSignals(True)
        self.entry.setSuffix(self._suffix)
        self.entry.blockSignals(False)
        self._update_stops()
        self._show_value()

    def set_caption(self, text: str) -> None:
        """Show another text below the name."""
        if text != self._meaning:
            self._meaning = text
            self.setAccessibleName(f"{self._name}, {text}" if text else self._name)
            self._redraw()

    def set_curve(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        """Set the number of satisfying nodes (`ys`) per value (`xs`, ascending); constant in between."""
        curve = tuple((float(x), float(y)) for x, y in zip(xs, ys, strict=True))
        if curve != self._curve:
            self._curve = curve
            self._redraw()

    def set_critical_values(self, values: Iterable[float]) -> None:
        """Set the values where the set of satisfying nodes changes; they are ticks and stops."""
        self._critical = tuple(float(value) for value in values)
        self._update_stops()

    def set_marks(self, marks: Iterable[tuple[float, str]]) -> None:
        """Set marked values, ascending, each with a text for the range up to the next one."""
        before, self.marks = self.marks, tuple((float(value), text) for value, text in marks)
        self._update_stops()
        if self.marks != before:
            self._redraw()
        self._describe()

    def note(self, value: float) -> str:
        """Return the text about a value; empty if there is none."""
        said = ""
        for start, text in self.marks:
            if start > value + _NOISE:
                break
            said = text
        return said

    def _update_stops(self) -> None:
        critical = self._scale.stops(self._critical, keeps_larger=self._keeps_larger)
        marked = {self._scale.tidy(value) for value, _unused in self.marks if value > self._scale.minimum}
        # Without changes anywhere, no value is preferred.
        stops = tuple(sorted({*critical, *marked})) if self._critical or marked else ()
        if stops != self.stops:
            self.stops = stops
            self._redraw()

    def handle_center(self) -> QPointF:
        """Return the centre of the handle."""
        return self._point(self._value)

    def x_of(self, value: float) -> float:
        """Return the horizontal position of a value, for tests and for marks drawn over the knob."""
        return self._point(value).x()

    # -- changes of the value ------------------------------------------------------------------

    def step(self, steps: int) -> None:
        """Move by `steps` stops, as keys and wheel do, with a signal."""
        self._turn_to(self._stepped(steps))
        self._announce()

    def _stepped(self, steps: int) -> float:
        if self.stops:
            after = moved(self.stops, self._value, steps)
        elif self._scale.is_logarithmic or self._scale.decimals == 0:
            after = self._scale.tidy(self._value + steps * self._scale.unit)
        else:
            after = self._scale.tidy(self._value + steps * (self._scale.maximum - self._scale.minimum) / 100)
        # A value outside the scale has no stop further out, and must not move to the end.
        return after if (after - self._value) * steps > 0 else self._value

    def read(self, text: str) -> float:
        """Parse a typed text.

        Raises
        ------
        AnonymizerError
            The text is not a number, or the number is not allowed.
        """
        is_percent = self._suffix.strip() == "%"
        shown = text.removesuffix(self._suffix) if self._suffix else text
        number = read_number(shown, is_percent=is_percent, is_integer=self._scale.decimals == 0)
        value = round(number / self._scale.factor, _DIGITS)
        self.check(value)
        return value

    def displayed(self, value: float) -> float:
        """Return the number shown for a value."""
        return round(value * self._scale.factor, MOST_DECIMALS)

    def entry_text(self, displayed: float) -> str:
        """Return a number as the entry shows it, without its unit."""
        return as_typed(displayed, self._scale.decimals)

    def ends(self) -> tuple[float, float]:
        """Return the numbers shown for both ends of the scale."""
        return self.displayed(self._scale.minimum), self.displayed(self._scale.maximum)

    def refuse(self, text: str, error: AnonymizerError) -> None:
        """Show why a typed text is not valid."""
        typed = text.removesuffix(self._suffix).strip() + self._suffix
        problem = self.tr("{name} is still {value}: “{typed}” is not valid.")
        reason = f"{error.problem} {error.hint}".strip()
        self.refused.emit(
            InputError(
                problem.format(name=self._name, value=self._as_text(self._value), typed=typed), hint=reason
            )
        )

    def _turn_to(self, value: float) -> None:
        if value != self._value:
            self._value, self._was_turned = value, True
            self._show_value()
            value_changed(self)
            self.value_changing.emit(value)

    def _announce(self) -> None:
        self._wheel_pause.stop()
        was_turned, self._was_turned = self._was_turned, False
        if self._value != self._announced:
            self._announced = self._value
            self.value_changed.emit(self._value)
        elif was_turned:
            self.turned_back.emit()

    def _turn_to_displayed(self, displayed: float) -> None:
        self._turn_to(round(displayed / self._scale.factor, _DIGITS))
        self._announce()

    def _show_value(self) -> None:
        self.entry.blockSignals(True)
        self.entry.setValue(self.displayed(self._value))
        self.entry.blockSignals(False)
        self._place_entry()
        self._describe()
        self.update()

    def _describe(self) -> None:
        self.setAccessibleDescription(self.note(self._value))

    def _turn_to_pointer(self, event: QMouseEvent) -> None:
        track = self._track()
        position = (event.position().x() - track.left()) / max(track.width(), 1)
        free = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier) or not self.stops
        value = self._scale.value_at(position) if free else nearest(self.stops, self._scale, position)
        self._turn_to(self._scale.tidy(value))

    # -- events --------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if (
            event.button() == Qt.MouseButton.LeftButton
            and event.position().y() > self._curve_rect().top() - 2
        ):
            self._is_dragged = True
            self._turn_to_pointer(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._is_dragged:
            self._turn_to_pointer(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._is_dragged and event.button() == Qt.MouseButton.LeftButton:
            self._is_dragged = False
            self._announce()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_PageUp: 10,
            Qt.Key.Key_PageDown: -10,
        }
        ends = {Qt.Key.Key_Home: self._scale.minimum, Qt.Key.Key_End: self._scale.maximum}
        key = Qt.Key(event.key())
        if key in steps:
            self._turn_to(self._stepped(steps[key]))
        elif key in ends:
            self._turn_to(ends[key])
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        # A key held down repeats; the change is announced when it is released.
        if not event.isAutoRepeat():
            self._announce()
        super().keyReleaseEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus():
            event.ignore()
            return
        self._wheel_rest += event.angleDelta().y()
        steps = int(self._wheel_rest / 120)
        self._wheel_rest -= steps * 120
        if steps:
            self._turn_to(self._stepped(steps))
            self._wheel_pause.start()
        event.accept()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._announce()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._set_entry_font()  # a knob moved to another parent gets its style again

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place_entry()
        self._redraw()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._show_note(event):
            return True
        return super().event(event)

    def _show_note(self, event: QHelpEvent) -> bool:
        """Show the text of the value under the pointer; return False outside the slider."""
        if not self.marks or event.pos().y() <= self._curve_rect().top():
            return False
        track = self._track()
        place = (event.pos().x() - track.left()) / max(track.width(), 1)
        value = self._scale.tidy(self._scale.value_at(place))
        QToolTip.showText(event.globalPos(), self.note(value), self)
        return True

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.EnabledChange:
            self._redraw()

    # -- geometry -----------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return QSize(self._wanted_width(), _TOP + scaled(_FIELD) + 4 + _CURVE + 6 + scaled(12) + 5)

    def _wanted_width(self) -> int:
        """Return the width for name and caption, within limits, so that adjacent knobs look alike."""
        words = QFontMetrics(font(Text.CELL_STRONG)).horizontalAdvance(self._name)
        words = max(words, QFontMetrics(font(Text.AXIS)).horizontalAdvance(self._meaning))
        wanted = words + self.entry.sizeHint().width() + 2 * _SIDE + 8
        return min(max(wanted, scaled(_WIDTH)), scaled(_WIDEST))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(_NARROWEST), self.sizeHint().height())

    def least_width(self) -> int:
        """Return the width for entry and begin of the name, where larger text leaves little room."""
        name = QFontMetrics(font(Text.CELL_STRONG)).horizontalAdvance(self._name.partition(",")[0])
        words = min(name, _BEGIN_OF_NAME) + self.entry.sizeHint().width() + 2 * _SIDE + 8
        return max(words, _NARROWEST)

    def _track(self) -> QRectF:
        return QRectF(_SIDE, self._base(), self.width() - 2 * _SIDE, 0)

    def _base(self) -> float:
        return float(_TOP + scaled(_FIELD) + 4 + _CURVE)

    def _curve_rect(self) -> QRectF:
        return QRectF(_SIDE, self._base() - _CURVE, self.width() - 2 * _SIDE, _CURVE)

    def _point(self, value: float) -> QPointF:
        track = self._track()
        return QPointF(track.left() + self._scale.position(value) * track.width(), track.top())

    def _place_entry(self) -> None:
        width = min(self.entry.sizeHint().width(), max(self.width() - 2 * _SIDE, 1))
        place = QRect(self.width() - _SIDE - width, _TOP, width, scaled(_FIELD))
        if place != self.entry.geometry():
            self.entry.setGeometry(place)
            self._redraw()  # the words end at the entry

    def _set_entry_font(self) -> None:
        entry_font = font(Text.CONTROL, SEMI_BOLD)
        self.entry.setFont(entry_font)
        # The line edit keeps a font that a style sheet has set once.
        self.entry.lineEdit().setFont(entry_font)

    def _on_theme_changed(self) -> None:
        self._set_entry_font()
        self.updateGeometry()
        self._place_entry()
        self._redraw()

    # -- drawing -------------------------------------------------------------------------------

    def draw(self, painter: ThemedPainter) -> None:
        self._scenery.paint(painter, self, self._n_redrawn, self._draw_scenery)
        self._draw_slider(painter)

    def _redraw(self) -> None:
        """Redraw everything, including the cached background."""
        self._n_redrawn += 1
        self.update()

    def _draw_scenery(self, painter: ThemedPainter) -> None:
        """Draw the background, which does not depend on the value."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_words(painter)
        self._draw_curve(painter)
        self._draw_ticks(painter)
        self._draw_marks(painter)
        self._draw_numbers(painter)

    def _draw_words(self, painter: ThemedPainter) -> None:
        """Draw the name, and in a second line what it is about."""
        width, line = self.entry.x() - _SIDE - 6, scaled(_LINE)
        row = QRectF(_SIDE, _TOP - 3, width, line)
        metrics = QFontMetrics(font(Text.AXIS))
        caption = shortened(self._meaning, metrics, width)
        strong, name = QFontMetrics(font(Text.CELL_STRONG)), self._name
        if strong.horizontalAdvance(name) > width:  # "Suppressed" for "Suppressed, at most"
            name = strong.elidedText(name.partition(",")[0], Qt.TextElideMode.ElideRight, width)
        whole = f"{self._name}, {self._meaning}" if self._meaning else self._name
        self.setToolTip(whole if (name, caption) != (self._name, self._meaning) else "")
        is_enabled = self.isEnabled()
        paint_text(painter, row, name, Text.CELL_STRONG, "text" if is_enabled else "text_disabled")
        below = row.translated(0, line - 1)
        paint_text(painter, below, caption, Text.AXIS, "text_3" if is_enabled else "text_disabled")

    def _draw_curve(self, painter: ThemedPainter) -> None:
        rect = self._curve_rect()
        highest = max((y for _unused, y in self._curve), default=0.0)
        if highest <= 0:
            return
        line = QPolygonF()
        previous: QPointF | None = None
        for x, y in self._curve:
            point = QPointF(self._point(x).x(), rect.bottom() - y / highest * (rect.height() - 2))
            if previous is not None:
                # The count at a value holds up to the next one on the satisfied side.
                corner = (previous.x(), point.y()) if self._keeps_larger else (point.x(), previous.y())
                line.append(QPointF(*corner))
            line.append(point)
            previous = point
        area = QPolygonF(line)
        area.append(QPointF(line.last().x(), rect.bottom()))
        area.append(QPointF(line.first().x(), rect.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.tint("surface_2" if painter.theme.is_dark else "sunken")
        painter.drawPolygon(area)
        painter.ink("border_strong")
        painter.tint("")
        painter.drawPolyline(line)

    def _draw_ticks(self, painter: ThemedPainter) -> None:
        stops = self.stops or (self._scale.minimum, self._scale.maximum)
        self._draw_lines(painter, thinned(stops, self._scale, self._track().width()), "border_strong", 3)

    def _draw_lines(self, painter: ThemedPainter, values: Iterable[float], token: str, length: int) -> None:
        """Draw upright lines below the track, one pixel wide."""
        top = int(self._track().top()) + 3
        for value in values:
            painter.fill(QRect(round(self._point(value).x()), top, 1, length), token)

    def _draw_numbers(self, painter: ThemedPainter) -> None:
        track = self._track()
        painter.style(Text.TICK, "text_3" if self.isEnabled() else "text_disabled")
        metrics = QFontMetrics(font(Text.TICK))
        first, *between, last = self._scale.printed_values()
        taken: list[tuple[float, float]] = []
        for value in (first, last, *between):  # without room for all numbers, the ends come first
            text = self._as_text(value, short=True)
            width = metrics.horizontalAdvance(text)
            x = min(max(self._point(value).x() - width / 2, track.left()), track.right() - width)
            if any(x < right + 4 and left < x + width + 4 for left, right in taken):
                continue
            taken.append((x, x + width))
            painter.drawText(QPointF(x, track.top() + 8 + metrics.ascent()), text)

    def _draw_marks(self, painter: ThemedPainter) -> None:
        """Draw marks as ticks twice as long as the others: gold is the star and nothing else."""
        inside = [value for value, _note in self.marks if self._scale.minimum < value <= self._scale.maximum]
        marked = thinned(inside, self._scale, self._track().width(), _MARKS_APART)
        self._draw_lines(painter, marked, "ink", _MARK_LENGTH)

    def _draw_slider(self, painter: ThemedPainter) -> None:
        track, handle, theme = self._track(), self.handle_center(), painter.theme
        accent = QColor(theme.accent if self.isEnabled() else theme.text_disabled)
        reach = min(scaled(_HANDLE), _LARGEST_HANDLE) / 2
        thick = QPen(QColor(theme.border_strong), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
        painter.setPen(thick)
        painter.drawLine(track.topLeft(), track.topRight())
        thick.setColor(accent)
        thick.setWidthF(3)
        painter.setPen(thick)
        painter.drawLine(handle, track.topRight() if self._keeps_larger else track.topLeft())
        if self.hasFocus():
            painter.setPen(QPen(accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(handle, reach + 4, reach + 4)
        painter.setPen(QPen(accent, 2.5))
        painter.setBrush(QColor(theme.surface))
        painter.drawEllipse(handle, reach, reach)

    def _as_text(self, value: float, *, short: bool = False) -> str:
        displayed = value * self._scale.factor
        decimals = self._scale.decimals
        if short and self._suffix and abs(displayed - round(displayed)) < self._scale.unit:
            decimals = 0
        digits = len(shortest_digits(displayed, decimals).partition(".")[2])
        text = as_decimal(displayed, decimals if short else digits)
        unit = (self._suffix or "").strip()
        return with_unit(text, unit) if unit else text


def shortened(text: str, metrics: QFontMetrics, width: int) -> str:
    """Elide a name in the middle to keep the word after it: "hours-per-we…, ordered"."""
    head, comma, tail = text.rpartition(", ")
    room = width - metrics.horizontalAdvance(comma + tail) - 1
    least = metrics.horizontalAdvance(head[:_LEAST_OF_NAME] + "…")
    if comma and least <= room < metrics.horizontalAdvance(head):
        return metrics.elidedText(head, Qt.TextElideMode.ElideRight, room) + comma + tail
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
