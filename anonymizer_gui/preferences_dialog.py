"""Preferences dialog, generated from the declared preferences."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QDialog, QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.forms.editors import Editor, FormContext, combo, editor_for
from anonymizer_gui.session.preferences import Amount, MetricKey, Preferences
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.fitted_dialog import take_room
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, vbox
from anonymizer_gui.widgets.scroll_body import SteadyArea
from engine.params import values_of
from engine.records.options import ExportOptions
from engine.utility import utility_metrics

_WIDTH, _HEIGHT = 520, 620


class PreferencesDialog(QDialog):
    """Edits all preferences; no change takes effect before Apply."""

    chosen = Signal(dict)  # values by name

    def __init__(self, value: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preferencesDialog")
        self.setWindowTitle(self.tr("Preferences"))
        self.form = ParamForm(Preferences, values_of(value), shows_help=True)
        self.release = ParamForm(ExportOptions, values_of(value.release), omitted=("kind",), shows_help=True)
        content = QWidget()
        title = make_label(self.tr("Released files"), Text.SECTION, "text_2")
        vbox(self.form, title, self.release, STRETCH, spacing=12, margins=(4, 4, 12, 4), of=content)
        area = SteadyArea(content)
        defaults = make_button(self.tr("Restore defaults"), "defaultsButton", kind="quiet")
        defaults.setToolTip(self.tr("Restore the defaults; choose Apply to save them"))
        for form in (self.form, self.release):
            defaults.clicked.connect(lambda _=False, form=form: form.show_values({}))
        cancel = make_button(self.tr("Cancel"), "cancelButton")
        cancel.clicked.connect(self.reject)
        apply = make_button(self.tr("Save"), "applyPreferencesButton", kind="primary")
        apply.setDefault(True)
        apply.clicked.connect(self._on_apply)
        vbox((area, 1), hbox(defaults, STRETCH, cancel, apply), spacing=12, margins=16, of=self)
        take_room(self, QSize(scaled(_WIDTH), scaled(_HEIGHT)))

    def _on_apply(self) -> None:
        release = self.release.applied_to(ExportOptions())
        if self.form.member() is not None and release is not None:
            self.chosen.emit({**self.form.values(), "release": release})
            self.accept()


@editor_for.register
def _of_amount(descriptor: Amount, is_optional: bool, context: FormContext) -> Editor:
    return _offer([(caption, number) for number, caption in descriptor.options])


@editor_for.register
def _of_metrickey(descriptor: MetricKey, is_optional: bool, context: FormContext) -> Editor:
    return _offer(sorted((kind.title, key) for key, kind in utility_metrics.items()))


def _offer(entries: list[tuple[str, Any]]) -> Editor:
    box = ElidedComboBox()
    for caption, value in entries:
        box.addItem(caption, value)
    return combo(box)
