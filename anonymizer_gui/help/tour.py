"""Tour of the Clinic example: five stops with one task each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from anonymizer_gui.main_window import MainWindow
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import Drawn, IconLabel
from anonymizer_gui.widgets.floating_card import FloatingCard
from anonymizer_gui.widgets.labels import make_label, set_style_property
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from engine.words import N_, _

_WIDTH, _MARGIN, _FRAME, _RADIUS = 380, 16, 3, 8


class TourCard(FloatingCard):
    """Card at the lower left of the window; `TourFrame` draws the frame around the widget."""

    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__("tour", _WIDTH, _MARGIN, parent)
        for set_words in (self._close.setToolTip, self._close.setAccessibleName):
            set_words(self.tr("Leave the tour"))
        self._sentence = named(make_label("", Text.CELL, wraps=True), "tourSentence")
        self._task = named(make_label("", Text.CELL_STRONG, wraps=True), "tourTask")
        self._done = IconLabel("circle-check", 16, "ok")
        self.back_button = make_button(self.tr("Back"), "tourBack", small=True)
        self.next_button = make_button(self.tr("Next"), "tourNext", small=True)
        task = hbox((self._task, 1), self._done, spacing=8)
        buttons = hbox(self.back_button, STRETCH, self.next_button, spacing=8)
        self.set_body(vbox(self._sentence, task, buttons, spacing=10))

    def show_stop(self, title: str, sentence: str, task: str, *, is_first: bool, is_last: bool) -> None:
        """Show a stop of the tour with its task not yet completed."""
        self.set_title(title)
        self._sentence.setText(sentence)
        self._task.setText(task)
        self.back_button.setEnabled(not is_first)
        self.next_button.setText(self.tr("Finish") if is_last else self.tr("Next"))
        self.show_done(is_done=False)
        self.show_on_top()

    def leave(self) -> None:
        self.left.emit()

    def corner(self, room: QSize, size: QSize) -> QPoint:
        return QPoint(_MARGIN, room.height() - size.height() - 3 * _MARGIN)

    def show_done(self, *, is_done: bool) -> None:
        """Mark the task of this stop as completed or not."""
        self._done.setVisible(is_done)
        set_style_property(self.next_button, "kind", "primary" if is_done else "")


class TourFrame(Drawn, QWidget):
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

    def draw(self, painter: ThemedPainter) -> None:
        inside = QRectF(self.rect()).adjusted(_FRAME, _FRAME, -_FRAME, -_FRAME)
        painter.outline(inside, "accent", _FRAME, _RADIUS)

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
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._show_page = window, session, show_page
        self._card, self._frame = TourCard(window), TourFrame(window)
        self._selected_columns = selected_columns
        self._at = 0
        self._selected_before: object = None
        self._card.next_button.clicked.connect(lambda: self._go(self._at + 1))
        self._card.back_button.clicked.connect(lambda: self._go(self._at - 1))
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
                N_("Each square is a node: one level for each column. Coloured nodes satisfy."),
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
