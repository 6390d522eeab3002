"""Asks for the parameters of an aggregate by the form they declare."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox
from engine.params import values_of
from engine.recoding.aggregation import AggregateFunction

_WIDTH = 420


class AggregateDialog(FittedDialog):
    """Stays open while something cannot be accepted; the form says what."""

    function_chosen = Signal(object)  # AggregateFunction

    def __init__(self, column: str, function: AggregateFunction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("aggregateDialog")
        self.setWindowTitle(self.tr("{0}: {1}").format(column, function.title.lower()))
        self.setMinimumWidth(scaled(_WIDTH))
        self.form = ParamForm(type(function), values_of(function), shows_help=True)
        self.accept_button = named(make_button(self.tr("Apply"), kind="primary"), "acceptButton")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self._on_accept_clicked)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        vbox(
            make_label(function.title, Text.HEADING),
            make_label(function.summary, Text.CELL, "text_2", wraps=True),
            self.form,
            STRETCH,
            button_row(cancel, self.accept_button),
            spacing=12,
            margins=16,
            of=self,
        )

    def _on_accept_clicked(self) -> None:
        member = self.form.member()
        if member is not None:
            self.function_chosen.emit(member)
            self.accept()
        else:
            self.fit()  # what is wrong takes room of its own
