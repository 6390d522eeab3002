"""Unsaved work of windows that ended abnormally: searched at startup, opened or discarded on request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.start.opening import Opening
from anonymizer_gui.session.autosave import Recovering
from anonymizer_gui.tasks import Task
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.fitted_dialog import Question
from anonymizer_gui.widgets.labels import ElidedLabel
from anonymizer_gui.widgets.layouts import clear, hbox, vbox
from engine.errors import AnonymizerError
from engine.numbers import as_saved_moment
from engine.project.storage.opened_project import OpenedProject
from engine.records.databases.address import Connection

if TYPE_CHECKING:
    from engine.project.storage.recovery import Offer


class RecoveryCard(Card):
    """Hidden while empty."""

    open_requested = Signal(object)  # Offer
    discard_requested = Signal(object)  # Offer
    filled = Signal(bool)  # whether there is recovered work

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("recoveryCard")
        self.set_title(self.tr("Recovered"))
        self.set_caption(self.tr("these were open when the program ended unexpectedly"))
        self.add_lead(IconLabel("triangle-alert", 16, "warn"))
        self._rows = vbox(spacing=0)
        self.set_body(self._rows, 4)
        self.hide()

    def show_offers(self, offers: Sequence[Offer]) -> None:
        """Replace the list."""
        clear(self._rows)
        for number, offer in enumerate(offers):
            self._rows.addWidget(self._row(offer, number))
        self.setVisible(bool(offers))
        self.filled.emit(bool(offers))

    def _row(self, offer: Offer, number: int) -> QWidget:
        holder, name = QWidget(), _name(offer)
        kind = "" if number else "primary"  # one highlight, for the latest
        recover = make_button(self.tr("Open"), f"recover.{number}", kind=kind, small=True)
        recover.setAccessibleName(self.tr("Open the recovered project {name}").format(name=name))
        recover.clicked.connect(lambda: self.open_requested.emit(offer))
        discard = make_button(self.tr("Discard"), f"discard.{number}", small=True)
        discard.setAccessibleName(self.tr("Discard the recovered project {name}").format(name=name))
        discard.clicked.connect(lambda: self.discard_requested.emit(offer))
        hbox(
            IconLabel("file-text", 16),
            (ElidedLabel(name, Text.CONTROL), 1),
            (ElidedLabel(self._facts(offer), Text.CELL, "text_3"), 1),
            discard,
            recover,
            spacing=8,
            margins=(8, 4, 8, 4),
            of=holder,
        )
        return holder

    def _facts(self, offer: Offer) -> str:
        when = as_saved_moment(offer.saved_at)
        if offer.path is None:
            return self.tr("saved automatically {when}, never saved by you").format(when=when)
        return self.tr("saved automatically {when}, with changes not saved to {path}").format(
            when=when, path=offer.path
        )


MOST_NAME = 40  # characters shown


class RecoveryOffers(QObject):
    """Fills the card; opened work is deleted once this window has saved it itself."""

    opened = Signal(object, object, object)  # OpenedProject, path of its file or None, Look at that file

    def __init__(self, card: RecoveryCard, recovering: Recovering, opening: Opening, parent: QObject) -> None:
        super().__init__(parent)
        self._card = card
        self._recovering = recovering
        self._flow, self._applying = opening.flow, opening.applying
        self._offers: list[Offer] = []
        self._adopted: list[Offer] = []
        card.open_requested.connect(lambda offer: self._flow.ask_first(lambda: self._open(offer)))
        card.discard_requested.connect(self._ask_to_discard)

    def look(self) -> None:
        """Search for unsaved work, if the recovery folder exists."""
        if self._recovering.has_offers:
            self._flow.runner.run(self._recovering.offers, then=self._on_found, key="recovery")

    def _open(self, offer: Offer, connection: Connection | None = None) -> None:
        """Read one offer; it stays in the list until it is open."""
        task = Task(self._recovering.read, offer, connection=connection)
        task.succeeded.connect(lambda opened: self._flow.ask_again(lambda: self._show_read(offer, opened)))
        task.failed.connect(lambda error: self._on_failed(offer, connection, error))
        self._flow.runner.start(task, label=self.tr("Opening {offer}").format(offer=_name(offer)), key="open")

    def forget_adopted(self) -> None:
        """Delete the opened offers, which this window has saved itself by now."""
        adopted, self._adopted = self._adopted, []
        for offer in adopted:
            self._discard(offer)

    def _on_found(self, offers: tuple[Offer, ...]) -> None:
        self._offers = list(offers)
        self._card.show_offers(self._offers)

    def _show_read(self, offer: Offer, opened: OpenedProject) -> None:
        if opened.losses:
            # Opened without a file and kept as an offer, because it may contain more than could be read.
            self.opened.emit(opened, None, None)
            return
        self._drop(offer)
        self.opened.emit(opened, offer.path, offer.seen)
        self._adopted.append(offer)

    def _on_failed(self, offer: Offer, connection: Connection | None, error: Exception) -> None:
        self._flow.runner.error_raised.emit(error)
        if not isinstance(error, AnonymizerError):
            return
        if "database" in error.context:
            self._applying.offer_connecting(error, lambda given: self._open(offer, given))
        elif error.context.get("has_settings"):
            self._applying.offer_restoring(error, offer.remains, connection)

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
        task.failed.connect(self._flow.runner.error_raised)
        self._flow.runner.start(task)

    def _drop(self, offer: Offer) -> None:
        if offer in self._offers:
            self._offers.remove(offer)
            self._card.show_offers(self._offers)


def _name(offer: Offer) -> str:
    name = offer.name or offer.folder.name
    return name if len(name) <= MOST_NAME else f"{name[: MOST_NAME - 1]}…"
