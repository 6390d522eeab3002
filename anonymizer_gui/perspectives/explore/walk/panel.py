"""Walk card: one or two runs on the lattice, and their controls."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QSlider, QWidget

from anonymizer_gui.perspectives.explore.walk.lane import WalkLane
from anonymizer_gui.perspectives.explore.walk.run import SPEEDS, WHOLE, WHOLE_SECONDS, Clock, whole_rate
from anonymizer_gui.theming import Text, scaled, set_icon, theme_manager
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import Drawn
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.layouts import hbox, named, stacked, vbox
from anonymizer_gui.widgets.results_stack import EmptyState
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.numbers import as_exact_count


class Transport(QWidget):
    """Shows a position and requests another; has no timer."""

    play_requested = Signal()  # or pause
    step_requested = Signal(int)
    jump_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._start = make_icon_button("skip-back", self.tr("To the start (Home)"), "walkStart")
        self._back = make_icon_button("step-back", self.tr("One step back (Left)"), "walkBack")
        self._play = make_button(self.tr("Play"), "walkPlay", small=True, icon_name="play")
        self._forward = make_icon_button("step-forward", self.tr("One step forward (Right)"), "walkForward")
        self._end = make_icon_button("skip-forward", self.tr("To the last step (End)"), "walkEnd")
        self.slider = WalkSlider()
        self._position = named(make_label("", Text.CELL, "text_2"), "walkPosition")
        self._position.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.speed = named(
            QComboBox(),
            "walkSpeed",
            self.tr("Speed"),
            self.tr("Steps per second (comma: slower, period: faster)"),
        )
        self.speed.addItem(self.tr("All in {n} s").format(n=as_exact_count(WHOLE_SECONDS)), WHOLE)
        for speed in SPEEDS:
            self.speed.addItem(self.tr("{speed} / s").format(speed=as_exact_count(speed)), speed)
        self.clock = named(
            SegmentedControl(
                [(Clock.STEPS, self.tr("Steps")), (Clock.CHECKS, self.tr("Evaluations"))],
                self.tr("Size of a step"),
            ),
            "walkClock",
        )
        self.clock.segment(Clock.STEPS).setToolTip(self.tr("Each step is a node evaluated or inferred"))
        self.clock.segment(Clock.CHECKS).setToolTip(
            self.tr("Each step is a node evaluated, with all that follows from it")
        )
        steps = (self._start, self._back, self._play, self._forward, self._end)
        chosen = (self._position, 4, self.speed, self.clock)
        hbox(*steps, 4, (self.slider, 1), *chosen, spacing=4, margins=0, of=self)
        self._connect()
        theme_manager().theme_changed.connect(self._fit)
        self.show_position(0, 0)

    def show_position(self, tick: int, length: int) -> None:
        """Show the position of the walk."""
        is_other = length != self.slider.maximum()
        self.slider.show_position(tick, length)
        self._position.setText(f"{as_exact_count(tick)} / {as_exact_count(length)}")
        if is_other or not length:
            self._fit()
        nothing = self.tr("Nothing to play yet")
        for control in (self._play, self.slider):
            control.setEnabled(length > 0)
            control.setToolTip("" if length else nothing)
        if length:
            self._play.setToolTip(self.tr("Play or pause (Space)"))
        for button, is_on, why in (
            (self._start, tick > 0, self.tr("The walk is at the start")),
            (self._back, tick > 0, self.tr("The walk is at the start")),
            (self._forward, tick < length, self.tr("The walk is at the end")),
            (self._end, tick < length, self.tr("The walk is at the end")),
        ):
            button.setEnabled(is_on)
            button.setToolTip(button.accessibleName() if is_on else why)

    def show_playing(self, is_playing: bool) -> None:
        """Show whether the walk is playing."""
        self._play.setText(self.tr("Pause") if is_playing else self.tr("Play"))
        set_icon(self._play, "pause" if is_playing else "play", 14)
        self._fit()

    def change_speed(self, steps: int) -> None:
        """Choose a faster or slower speed."""
        place = self.speed.currentIndex()
        if self.speed.currentData() == WHOLE:
            rate = whole_rate(self.slider.maximum())
            # The first entry is no fixed speed.
            place = bisect_right(SPEEDS, rate) if steps > 0 else bisect_left(SPEEDS, rate) + 1
        self.speed.setCurrentIndex(min(max(place + steps, 1), len(SPEEDS)))

    def _connect(self) -> None:
        self._play.clicked.connect(self.play_requested)
        self._start.clicked.connect(lambda: self.jump_requested.emit(0))
        self._end.clicked.connect(lambda: self.jump_requested.emit(self.slider.maximum()))
        self._back.clicked.connect(lambda: self.step_requested.emit(-1))
        self._forward.clicked.connect(lambda: self.step_requested.emit(1))
        self.slider.valueChanged.connect(self.jump_requested)

    def _fit(self) -> None:
        """Fix the width of controls against changing numbers and texts."""
        widest = as_exact_count(self.slider.maximum())
        metrics = self._position.fontMetrics()
        self._position.setFixedWidth(metrics.horizontalAdvance(f"{widest} / {widest}") + 4)
        words = (self.tr("Play"), self.tr("Pause"))
        metrics = self._play.fontMetrics()
        self._play.setMinimumWidth(max(map(metrics.horizontalAdvance, words)) + scaled(46))


_HANDLE, _SIDE = 6.0, 8
_PHASE_ROOM = 4  # px between marks of phases
_PAGES = 20  # Page keys from one end to the other


class WalkSlider(Drawn, QSlider):
    """Emits `valueChanged` for user input only; the program uses `show_position`."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._minor: tuple[int, ...] = ()
        self.phases: tuple[int, ...] = ()  # marked positions at which subsets grow by a column
        self.setObjectName("walkSlider")
        self.setAccessibleName(self.tr("Position in the walk"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_position(self, position: int, length: int) -> None:
        """Show the position without emitting a signal."""
        was_blocked = self.blockSignals(True)
        self.setRange(0, length)
        self.setPageStep(max(length // _PAGES, 1))
        self.setValue(position)
        self.blockSignals(was_blocked)
        self.update()

    def show_phases(self, minor: Sequence[int], major: Sequence[int]) -> None:
        """Mark positions at which a subset of columns begins, larger where subsets grow by a column."""
        self._minor, self.phases = tuple(minor), tuple(major)
        self.update()

    def x_of(self, position: int) -> float:
        """Return the pixel of a position on the slider."""
        return _SIDE + position / max(self.maximum(), 1) * (self.width() - 2 * _SIDE)

    def sizeHint(self) -> QSize:
        return QSize(160, scaled(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, scaled(24))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._move_to(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._move_to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def draw(self, painter: ThemedPainter) -> None:
        middle, end = self.height() / 2, self.x_of(self.value())
        is_on = self.isEnabled()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.tint("border_strong" if is_on else "border")
        painter.drawRoundedRect(QRectF(_SIDE, middle - 0.75, self.width() - 2 * _SIDE, 1.5), 0.75, 0.75)
        if not is_on:
            return
        self._draw_phases(painter, middle)
        painter.tint("accent")
        painter.drawRoundedRect(QRectF(_SIDE, middle - 1.5, max(end - _SIDE, 0), 3), 1.5, 1.5)
        painter.tint("surface")
        painter.ink("accent", 2)
        painter.drawEllipse(QPointF(end, middle), _HANDLE, _HANDLE)

    def _draw_phases(self, painter: ThemedPainter, middle: float) -> None:
        """Draw a tick below the track per phase; small ones only if they have room."""
        large = [round(self.x_of(tick)) for tick in self.phases]
        last = -_PHASE_ROOM
        for tick in self._minor:
            x = round(self.x_of(tick))
            if x - last >= _PHASE_ROOM and all(abs(x - other) >= _PHASE_ROOM for other in large):
                painter.fill(QRectF(x, middle + 3, 1, 3), "border_strong")
                last = x
        for x in large:
            painter.fill(QRectF(x, middle + 3, 1, 6), "ink")

    def _move_to(self, x: float) -> None:
        share = min(max((x - _SIDE) / max(self.width() - 2 * _SIDE, 1), 0.0), 1.0)
        self.setValue(round(share * self.maximum()))


_Key = Qt.Key


class WalkPanel(Card):
    """Replaces the lattice card; the presenter fills lanes and controls."""

    close_requested = Signal()
    select_requested = Signal()  # node of the last step

    def __init__(self) -> None:
        super().__init__("")
        self.set_title(self.tr("Walk"))
        self.setObjectName("walkCard")
        self._close = make_icon_button("arrow-left", self.tr("Back to the lattice (Esc)"), "walkClose")
        self.add_lead(self._close)
        self.second = make_button(
            self.tr("Side by side"),
            "walkSecond",
            kind="quiet",
            small=True,
            icon_name="columns-3",
            tooltip=self.tr("Two algorithms on the same clock"),
        )
        self.second.setCheckable(True)
        self.add_tool(self.second)
        self.lanes = (WalkLane(0), WalkLane(1))
        self._line = make_line(Qt.Orientation.Vertical)
        self.unavailable = EmptyState("", self.tr("Search with an algorithm…"), icon_name="workflow")
        runs = QWidget()
        hbox((self.lanes[0], 1), self._line, (self.lanes[1], 1), spacing=0, margins=0, of=runs)
        self._stack = stacked(runs, self.unavailable)
        self.outdated = named(ErrorBanner(), "walkOutdated")
        self.set_body(vbox(self.outdated, (self._stack, 1), spacing=0), 0)
        self.transport = Transport()
        self.set_footer(self.transport)
        self.show_second(False)
        self._close.clicked.connect(self.close_requested)
        for lane in self.lanes:
            lane.view.installEventFilter(self)

    def show_walk(self) -> None:
        """Show lanes and controls."""
        self._stack.setCurrentIndex(0)
        self.second.show()
        self.transport.show()

    def show_unavailable(self, sentence: str) -> None:
        """Show why a walk is impossible in this lattice, and offer an action."""
        self.unavailable.set_sentence(sentence)
        self._stack.setCurrentIndex(1)
        self.second.hide()
        self.transport.hide()

    def show_second(self, visible: bool) -> None:
        """Show two runs, or one."""
        self.second.setChecked(visible)
        self.lanes[1].setVisible(visible)
        self._line.setVisible(visible)

    def show_outdated(self, words: str) -> None:
        """Show which other settings the runs have; an empty text hides the notice."""
        if words:
            self.outdated.show_error(words, action=self.tr("Run again"), tone="warn")
        else:
            self.outdated.hide()

    @property
    def shows_second(self) -> bool:
        return not self.lanes[1].isHidden()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._act(event):
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Keys that move along a row of the lattice move along the steps.
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._act(event)
        return super().eventFilter(watched, event)

    def _act(self, event: QKeyEvent) -> bool:
        """Execute the action of a key; return whether it has one."""
        key, transport = Qt.Key(event.key()), self.transport
        if key == _Key.Key_Escape:
            self.close_requested.emit()
        elif transport.isHidden():
            return False
        elif key == _Key.Key_Space:
            transport.play_requested.emit()
        elif key in (_Key.Key_Left, _Key.Key_Right):
            transport.step_requested.emit(1 if key == _Key.Key_Right else -1)
        elif key in (_Key.Key_Home, _Key.Key_End):
            transport.jump_requested.emit(0 if key == _Key.Key_Home else transport.slider.maximum())
        elif key in (_Key.Key_Comma, _Key.Key_Period):
            transport.change_speed(1 if key == _Key.Key_Period else -1)
        elif key in (_Key.Key_Return, _Key.Key_Enter):
            self.select_requested.emit()
        else:
            return False
        return True
