"""Tour of the Clinic example: five stops with one task each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from anonymizer_gui.main_window import MainWindow
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text, current_theme, scaled
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from engine.words import N_, _

_WIDTH, _MARGIN, _FRAME, _RADIUS = 380, 16, 3, 8


class TourCard(Card):
    """Card at the lower left of the window; `TourFrame` draws the frame around the widget."""

    next_requested = Signal()
    back_requested = Signal()
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self.setObjectName("tourCard")
        self.setAutoFillBackground(True)
        self._sentence = named(make_label("", Text.CELL, wraps=True), "tourSentence")
        self._task = named(make_label("", Text.CELL_STRONG, wraps=True), "tourTask")
        self._done = IconLabel("circle-check", 16, "ok")
        self._back = named(make_button(self.tr("Back"), small=True), "tourBack")
        self._next = named(make_button(self.tr("Next"), small=True), "tourNext")
        self._back.clicked.connect(self.back_requested)
        self._next.clicked.connect(self.next_requested)
        task = hbox((self._task, 1), self._done, spacing=8)
        buttons = hbox(self._back, STRETCH, self._next, spacing=8)
        self.set_body(vbox(self._sentence, task, buttons, spacing=10))
        close = named(make_icon_button("x", self.tr("Leave the tour")), "tourClose")
        close.clicked.connect(self.left)
        self.add_tool(close)
        parent.installEventFilter(self)
        self.hide()

    def show_stop(self, title: str, sentence: str, task: str, *, is_first: bool, is_last: bool) -> None:
        """Show a stop of the tour with its task not yet completed."""
        self.set_title(title)
        self._sentence.setText(sentence)
        self._task.setText(task)
        self._back.setEnabled(not is_first)
        self._next.setText(self.tr("Finish") if is_last else self.tr("Next"))
        self.show_done(is_done=False)
        self.show()
        self._place()
        self.raise_()

    def show_done(self, *, is_done: bool) -> None:
        """Mark the task of this stop as completed or not."""
        self._done.setVisible(is_done)
        self._next.setProperty("kind", "primary" if is_done else "")
        self._next.style().polish(self._next)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        parent, layout = self.parentWidget(), self.layout()
        assert parent is not None
        assert layout is not None
        width = min(scaled(_WIDTH), parent.width() - 2 * _MARGIN)
        self.setFixedWidth(width)
        layout.activate()
        height = self.heightForWidth(width)
        self.setGeometry(_MARGIN, parent.height() - height - 3 * _MARGIN, width, height)


class TourFrame(QWidget):
    """Frame around a widget; mouse clicks pass through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tourFrame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._around: QWidget | None = None
        parent.installEventFilter(self)
        self.hide()

    def show_around(self, widget: QWidget | None) -> None:
        """Draw the frame around a widget, or hide it for None."""
        if self._around is not None and isValid(self._around):  # a rebuilt part deletes its widgets
            self._around.removeEventFilter(self)
        self._around = widget
        if widget is not None:
            widget.installEventFilter(self)
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self._follow()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(current_theme().color("accent"), _FRAME))
        inside = self.rect().adjusted(_FRAME, _FRAME, -_FRAME, -_FRAME)
        painter.drawRoundedRect(inside, _RADIUS, _RADIUS)

    def _follow(self) -> None:
        widget, parent = self._around, self.parentWidget()
        if widget is None or parent is None or not isValid(widget) or not widget.isVisible():
            self.hide()
            return
        place = QRect(widget.mapTo(parent, widget.rect().topLeft()), widget.size())
        self.setGeometry(place.adjusted(-_FRAME, -_FRAME, _FRAME, _FRAME).intersected(parent.rect()))
        self.show()
        self.raise_()


@dataclass(frozen=True)
class Stop:
    """One stop: widget, text and task."""

    page: str
    widget: str  # its object name
    title: str
    sentence: str
    task: str
    is_done: Callable[[], bool]


class Tour(QObject):
    """Runs through the stops; a completed task is marked, and Next continues the tour."""

    def __init__(
        self,
        window: MainWindow,
        session: Session,
        show_page: Callable[[str], None],
        selected_columns: Callable[[], tuple[str, ...]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window, self._session, self._show_page = window, session, show_page
        self._card, self._frame = TourCard(window), TourFrame(window)
        self._selected_columns = selected_columns
        self._at = 0
        self._selected_before: object = None
        self._card.next_requested.connect(lambda: self._go(self._at + 1))
        self._card.back_requested.connect(lambda: self._go(self._at - 1))
        self._card.left.connect(self.leave)
        session.selection.changed.connect(self.look)
        session.applied.changed.connect(self.look)
        session.results.evaluation_rested.connect(self.look)
        window.page_shown.connect(self.look)
        session.project_opening.connect(self.leave)  # its stops are about the example

    @property
    def is_running(self) -> bool:
        """Return whether the card is shown."""
        return not self._card.isHidden()

    def start(self) -> None:
        """Begin at the first stop; the example must be open."""
        self._go(0)

    def leave(self) -> None:
        """End the tour."""
        self._card.hide()
        self._frame.show_around(None)

    def look(self, *_unused: object) -> None:
        """Check whether the task of this stop is completed."""
        if self.is_running:
            self._card.show_done(is_done=self._stops()[self._at].is_done())
            self._point()

    def _go(self, place: int) -> None:
        stops = self._stops()
        if place >= len(stops):
            self.leave()
            return
        self._at, stop = place, stops[place]
        self._selected_before = self._session.selection.node
        if place < len(stops) - 1:  # the last task is to open the page
            self._show_page(stop.page)
        title = _("Tour, stop {number} of {n}: {title}").format(
            number=place + 1, n=len(stops), title=_(stop.title)
        )
        self._card.show_stop(
            title, _(stop.sentence), _(stop.task), is_first=place == 0, is_last=place == len(stops) - 1
        )
        self.look()

    def _point(self) -> None:
        found = self._window.findChild(QWidget, self._stops()[self._at].widget)
        self._frame.show_around(found if isinstance(found, QWidget) else None)
        self._card.raise_()

    def _stops(self) -> Sequence[Stop]:
        session = self._session
        requirement = session.shown.requirement
        return (
            Stop(
                "configure",
                "dataTable",
                N_("Roles"),
                N_("The role of a column says what it means for privacy; the badge in its header shows it."),
                N_("Click the header of the column diagnosis."),
                lambda: self._selected_columns() == ("diagnosis",),
            ),
            Stop(
                "explore",
                "knob.k",
                N_("The requirement"),
                N_("k is the size of the smallest class; a larger k protects better and costs detail."),
                N_("Turn the knob k to 10 or more."),
                lambda: (
                    requirement is not None
                    and any(getattr(model, "k", 0) >= 10 for model in requirement.models)
                ),
            ),
            Stop(
                "explore",
                "lattice",
                N_("The lattice"),
                N_("Each square is a node: one way to generalize the table. Coloured nodes satisfy."),
                N_("Click another coloured node to see what it keeps."),
                lambda: session.selection.node not in (None, self._selected_before),
            ),
            Stop(
                "explore",
                "applyButton",
                N_("The release"),
                N_("Applying a node makes its release: the table that you can analyze and export."),
                N_("Choose Apply."),
                lambda: session.applied.release is not None,
            ),
            Stop(
                "risk",
                "tab.risk",
                N_("The risk that remains"),
                N_("Before you export, look at what an attacker could still learn from the release."),
                N_("Open Analyze risk."),
                lambda: self._window.page == "risk",
            ),
        )
