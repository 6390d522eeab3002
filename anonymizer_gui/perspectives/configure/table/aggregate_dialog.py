"""Asks for the parameters of an aggregate by the form they declare."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from engine.params import values_of
from engine.recoding.aggregation import AggregateFunction

_WIDTH = 420


class AggregateDialog(AskingDialog):
    """The form says what cannot be accepted."""

    function_chosen = Signal(object)  # AggregateFunction

    def __init__(self, column: str, function: AggregateFunction, parent: QWidget | None = None) -> None:
        title = self.tr("{0}: {1}").format(column, function.title.lower())
        super().__init__("aggregateDialog", title, self.tr("Apply"), _WIDTH, parent)
        self.form = ParamForm(type(function), values_of(function), shows_help=True)
        self.lay_out(
            make_label(function.title, Text.HEADING),
            make_label(function.summary, Text.CELL, "text_2", wraps=True),
            self.form,
        )

    def submit(self) -> bool:
        if (member := self.form.member()) is not None:
            self.function_chosen.emit(member)
        return member is not None
