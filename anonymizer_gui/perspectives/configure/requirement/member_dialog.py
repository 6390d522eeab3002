"""Asks for the parameters of a privacy model by the form they declare, and says what it is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import vbox
from engine.privacy import PrivacyModel

_WIDTH = 420


class MemberDialog(AskingDialog):
    """The form says what cannot be accepted."""

    member_chosen = Signal(object)  # PrivacyModel

    def __init__(
        self,
        kind: type[PrivacyModel],
        values: Mapping[str, Any],
        context: FormContext,
        accept_text: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("memberDialog", kind.title, accept_text, _WIDTH, parent)
        self.form = ParamForm(kind, values, context, shows_help=True)
        attacks = ", ".join(attack.title for attack in kind.protects)
        protects = make_label(
            self.tr("Protects against {0}.").format(attacks), Text.CELL, "text_2", wraps=True
        )
        protects.setToolTip("\n".join(f"{_sentence(a.title)}: {a.meaning}" for a in kind.protects))
        self.lay_out(
            make_label(kind.title, Text.HEADING),
            vbox(
                make_label(kind.summary, Text.CELL, "text_2", wraps=True),
                protects,
                make_label(kind.source, Text.CAPTION, "text_3", wraps=True),
                spacing=2,
            ),
            self.form,
        )

    def submit(self) -> bool:
        if (member := self.form.member()) is not None:
            self.member_chosen.emit(member)
        return member is not None


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
