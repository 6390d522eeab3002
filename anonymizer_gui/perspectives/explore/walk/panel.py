"""Walk card: one or two runs on the lattice, and their controls."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from anonymizer_gui.perspectives.explore.walk.lane import WalkLane
from anonymizer_gui.perspectives.explore.walk.transport import Transport
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.empty_state import EmptyState
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import make_line
from anonymizer_gui.widgets.layouts import hbox, named, vbox

_Key = Qt.Key


class WalkPanel(Card):
    """Replaces the lattice card; the presenter fills lanes and controls."""

    close_requested = Signal()
    second_requested = Signal(bool)  # two runs, or one
    search_requested = Signal()  # for a search without a walk
    select_requested = Signal()  # node of the last step
    again_requested = Signal()  # repeat the runs with the current settings

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent=parent)
        self.set_title(self.tr("Walk"))
        self.setObjectName("walkCard")
        self._close = named(make_icon_button("arrow-left", self.tr("Back to the lattice (Esc)")), "walkClose")
        self.add_lead(self._close)
        self.second = named(
            make_button(
                self.tr("Side by side"),
                kind="quiet",
                small=True,
                icon_name="columns-3",
                tooltip=self.tr("Two algorithms on the same clock"),
            ),
            "walkSecond",
        )
        self.second.setCheckable(True)
        self.add_tool(self.second)
        self.lanes = (WalkLane(0), WalkLane(1))
        self._line = make_line(Qt.Orientation.Vertical)
        self._unavailable = EmptyState("", self.tr("Search with an algorithm…"), icon_name="search")
        runs = QWidget()
        hbox((self.lanes[0], 1), self._line, (self.lanes[1], 1), spacing=0, margins=0, of=runs)
        self._stack = QStackedWidget()
        self._stack.addWidget(runs)
        self._stack.addWidget(self._unavailable)
        self._outdated = named(ErrorBanner(), "walkOutdated")
        self._outdated.action_requested.connect(self.again_requested)
        self.set_body(vbox(self._outdated, (self._stack, 1), spacing=0), 0)
        self.transport = Transport()
        self.set_footer(self.transport)
        self.show_second(False)
        self._close.clicked.connect(self.close_requested)
        self.second.toggled.connect(self.second_requested)
        self._unavailable.action_requested.connect(self.search_requested)
        for lane in self.lanes:
            lane.view.installEventFilter(self)

    def show_walk(self) -> None:
        """Show lanes and controls."""
        self._stack.setCurrentIndex(0)
        self.second.show()
        self.transport.show()

    def show_unavailable(self, sentence: str) -> None:
        """Show why a walk is impossible in this lattice, and offer an action."""
        self._unavailable.set_sentence(sentence)
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
            self._outdated.show_error(words, action=self.tr("Run again"), tone="warn")
        else:
            self._outdated.hide()

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
