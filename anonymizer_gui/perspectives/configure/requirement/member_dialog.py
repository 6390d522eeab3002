"""Asks for the parameters of a privacy model by the form they declare, and says what it is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox
from engine.privacy import PrivacyModel

_WIDTH = 420


class MemberDialog(FittedDialog):
    """Stays open while something cannot be accepted; the form says what."""

    member_chosen = Signal(object)  # PrivacyModel

    def __init__(
        self,
        kind: type[PrivacyModel],
        values: Mapping[str, Any],
        context: FormContext,
        accept_text: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("memberDialog")
        self.setWindowTitle(kind.title)
        self.setMinimumWidth(scaled(_WIDTH))
        self.form = ParamForm(kind, values, context, shows_help=True)
        self.accept_button = named(make_button(accept_text, kind="primary"), "acceptButton")
        self.accept_button.setDefault(True)
        self.accept_button.clicked.connect(self._on_accept_clicked)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        attacks = ", ".join(attack.title for attack in kind.protects)
        protects = make_label(
            self.tr("Protects against {0}.").format(attacks), Text.CELL, "text_2", wraps=True
        )
        protects.setToolTip("\n".join(f"{_sentence(a.title)}: {a.meaning}" for a in kind.protects))
        vbox(
            make_label(kind.title, Text.HEADING),
            vbox(
                make_label(kind.summary, Text.CELL, "text_2", wraps=True),
                protects,
                make_label(kind.source, Text.CAPTION, "text_3", wraps=True),
                spacing=2,
            ),
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
            self.member_chosen.emit(member)
            self.accept()
        else:
            self.fit()  # what is wrong takes room of its own


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
