"""Dialog for the parameters of a privacy model, with one line that says what the model would leave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox
from engine.errors import ParameterError
from engine.privacy import PrivacyModel

_WIDTH = 420


class MemberDialog(AskingDialog):
    """Dialog for the parameters of a privacy model; the form reports invalid values."""

    member_chosen = Signal(object)  # PrivacyModel
    member_changed = Signal(object)  # PrivacyModel, or None while the form is not valid

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
            self.tr("Protects against {attacks}.").format(attacks=attacks), Text.CELL, "text_2", wraps=True
        )
        protects.setToolTip("\n".join(f"{_sentence(a.title)}: {a.meaning}" for a in kind.protects))
        self._consequence = named(make_label("", Text.CELL_STRONG, wraps=True), "consequenceLine")
        self._consequence.hide()
        self.form.changed.connect(self._on_changed)
        self.lay_out(
            make_label(kind.title, Text.HEADING),
            vbox(
                make_label(kind.summary, Text.CELL, "text_2", wraps=True),
                protects,
                make_label(kind.source, Text.CAPTION, "text_3", wraps=True),
                spacing=2,
            ),
            self.form,
            self._consequence,
        )

    def show_consequence(self, text: str) -> None:
        """Show what the model would leave."""
        self._consequence.setText(text or "\u00a0")  # keeps its place
        self._consequence.show()
        self.fit()

    def consequence(self) -> str:
        return self._consequence.text().strip()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_changed()

    def _on_changed(self) -> None:
        try:
            member = self.form.kind(**self.form.values())
        except ParameterError:
            member = None
        self.member_changed.emit(member)

    def submit(self) -> bool:
        if (member := self.form.member()) is not None:
            self.member_chosen.emit(member)
        return member is not None


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
