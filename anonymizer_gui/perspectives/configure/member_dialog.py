"""Asks for the parameters of a privacy model by the form they declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.labels import make_label
from engine.params import Configurable


class MemberDialog(QDialog):
    """Stays open while something cannot be accepted; the form says what."""

    member_chosen = Signal(object)  # Configurable

    def __init__(
        self,
        kind: type[Configurable],
        values: Mapping[str, Any],
        context: FormContext,
        accept_text: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("memberDialog")
        self.setWindowTitle(kind.title)
        self.setMinimumWidth(scaled(360))
        self.form = ParamForm(kind, values, context, shows_help=True)
        self.accept_button = make_button(accept_text, kind="primary")
        self.accept_button.setObjectName("acceptButton")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self._on_accept_clicked)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addWidget(make_label(kind.title, Text.HEADING))
        column.addWidget(self.form)
        column.addStretch(1)
        column.addLayout(button_row(cancel, self.accept_button))

    def _on_accept_clicked(self) -> None:
        member = self.form.member()
        if member is not None:
            self.member_chosen.emit(member)
            self.accept()
