"""Attack test: settings of the attacks at the left, risks with their intervals at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.params import values_of
from engine.project.attack_settings import RELEASED, AttackSettings

ATTACK_TEST = "attack_test"


class AttackSetup(Card):
    """Form of the settings, and whether recipe and report keep them."""

    changed = Signal()
    keep_toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.set_title(self.tr("Attackers and control group"))
        self.setObjectName("attackSetup")
        self.form: ParamForm | None = None
        self._released: tuple[str, ...] = ()
        self._secrets: tuple[str, ...] = ()
        self._slot = QVBoxLayout()
        self._slot.setContentsMargins(0, 0, 0, 0)
        self.keep_box = named(QCheckBox(self.tr("Keep in recipe and report")), "attackKeep")
        self.keep_box.setToolTip(
            self.tr("Stores these settings in project and recipe; internal reports then contain the test")
        )
        self.keep_box.toggled.connect(self.keep_toggled)
        self.set_body(ScrollBody(vbox(self._slot, STRETCH, margins=(12, 10, 12, 12))), 0)
        self.set_footer(hbox(self.keep_box, STRETCH))

    def show_settings(
        self, settings: AttackSettings, released: Sequence[str], secrets: Sequence[str], *, is_kept: bool
    ) -> None:
        """Show settings; `released` are the columns an attacker may know, `secrets` may be inferred."""
        with QSignalBlocker(self.keep_box):
            self.keep_box.setChecked(is_kept)
        if (self._released, self._secrets) != (tuple(released), tuple(secrets)) or self.form is None:
            self._released, self._secrets = tuple(released), tuple(secrets)
            self._rebuild(settings)
        elif self.settings() != settings:
            self.form.show_values(values_of(settings))

    def settings(self) -> AttackSettings | None:
        """Return the settings of the form; None if a field is not valid, which the form then says."""
        member = None if self.form is None else self.form.member()
        assert member is None or isinstance(member, AttackSettings)
        return member

    def _rebuild(self, settings: AttackSettings) -> None:
        if self.form is not None:
            self._slot.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
        context = FormContext({RELEASED: self._released, "": self._secrets})
        self.form = ParamForm(AttackSettings, values_of(settings), context)
        self.form.changed.connect(self.changed)
        self._slot.addWidget(self.form)
