"""Tour of the Clinic example: five stops with one task each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.help.tour_card import TourCard, TourFrame
from anonymizer_gui.main_window import MainWindow
from anonymizer_gui.session import Session
from engine.words import N_, _


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
