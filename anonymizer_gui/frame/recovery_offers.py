"""Search for unsaved work at startup; opens or discards it on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.frame.recovery_card import RecoveryCard, RecoveryEntry
from anonymizer_gui.session.recovering import Recovering
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.question import Question
from engine.errors import AnonymizerError
from engine.numbers import as_saved_moment
from engine.project.storage.opened_project import OpenedProject
from engine.table.database_address import Connection

if TYPE_CHECKING:
    from engine.project.storage.recovery import Offer

MOST_NAME = 40  # characters shown


class RecoveryOffers(QObject):
    """Fills the card; opened work is deleted once this window has saved it itself."""

    chosen = Signal(object)  # Offer that the user opens
    opened = Signal(object, object, object)  # OpenedProject, path of its file or None, Look at that file
    # the exception; DamagedProject with the remaining settings; Connection to its database or None
    table_lost = Signal(object, object, object)
    connection_wanted = Signal(object, object)  # the exception; function that goes on with a Connection
    failed = Signal(object)  # the exception

    def __init__(
        self,
        card: RecoveryCard,
        recovering: Recovering,
        runner: TaskRunner,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        # Unsaved changes of the window when an offer has been read.
        self.ask_first: Callable[[Callable[[], object]], object] = lambda then: then()
        self._card = card
        self._recovering = recovering
        self._runner = runner
        self._offers: list[Offer] = []
        self._adopted: list[Offer] = []
        card.open_requested.connect(lambda number: self.chosen.emit(self._offers[number]))
        card.discard_requested.connect(lambda number: self._ask_to_discard(self._offers[number]))

    def look(self) -> None:
        """Search for unsaved work, if the recovery folder exists."""
        if self._recovering.has_offers:
            task = Task(self._recovering.offers)
            task.succeeded.connect(self._on_found)
            task.failed.connect(self.failed)
            self._runner.start(task, key="recovery")

    def open(self, offer: Offer, connection: Connection | None = None) -> None:
        """Read one offer; it stays in the list until it is open."""
        task = Task(self._recovering.read, offer, connection=connection)
        task.succeeded.connect(lambda opened: self.ask_first(lambda: self._show_read(offer, opened)))
        task.failed.connect(lambda error: self._on_failed(offer, connection, error))
        self._runner.start(task, label=self.tr("Opening {offer}").format(offer=_name(offer)), key="open")

    def forget_adopted(self) -> None:
        """Delete the opened offers, which this window has saved itself by now."""
        adopted, self._adopted = self._adopted, []
        for offer in adopted:
            self._discard(offer)

    def _on_found(self, offers: tuple[Offer, ...]) -> None:
        self._offers = list(offers)
        self._show()

    def _show_read(self, offer: Offer, opened: OpenedProject) -> None:
        if opened.losses:
            # Opened without a file and kept as an offer, because it may contain more than could be read.
            self.opened.emit(opened, None, None)
            return
        self._drop(offer)
        self.opened.emit(opened, offer.path, offer.seen)
        self._adopted.append(offer)

    def _on_failed(self, offer: Offer, connection: Connection | None, error: Exception) -> None:
        self.failed.emit(error)
        if not isinstance(error, AnonymizerError):
            return
        if "database" in error.context:
            self.connection_wanted.emit(error, lambda given: self.open(offer, given))
        elif error.context.get("has_settings"):
            self.table_lost.emit(error, offer.remains, connection)

    def _ask_to_discard(self, offer: Offer) -> None:
        question = Question(
            "discardDialog",
            self.tr("Discard"),
            self.tr("Discard the recovered project “{offer}”?").format(offer=_name(offer)),
            self.tr("This cannot be undone."),
            self._card.window(),
        )
        question.add_answer("discard", self.tr("Discard"), kind="danger")
        answer = question.ask()
        if answer == "discard":
            self._drop(offer)
            self._discard(offer)

    def _discard(self, offer: Offer) -> None:
        task = Task(self._recovering.discard, offer)
        task.failed.connect(self.failed)
        self._runner.start(task)

    def _drop(self, offer: Offer) -> None:
        if offer in self._offers:
            self._offers.remove(offer)
            self._show()

    def _show(self) -> None:
        self._card.show_entries([RecoveryEntry(_name(offer), self._facts(offer)) for offer in self._offers])

    def _facts(self, offer: Offer) -> str:
        when = as_saved_moment(offer.saved_at)
        if offer.path is None:
            return self.tr("saved automatically {when}, never saved by you").format(when=when)
        return self.tr("saved automatically {when}, with changes not saved to {path}").format(
            when=when, path=offer.path
        )


def _name(offer: Offer) -> str:
    name = offer.name or offer.folder.name
    return name if len(name) <= MOST_NAME else f"{name[: MOST_NAME - 1]}…"
