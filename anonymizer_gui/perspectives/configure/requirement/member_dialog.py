"""Dialogs for the parameters of a privacy model, and of the metric with the search settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms import FormContext, ParamForm
from anonymizer_gui.perspectives.configure.requirement.limit_slider import LimitSlider
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.fitted_dialog import AskingDialog, ForeseeingDialog
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.layouts import STRETCH, Part, hbox, named, vbox
from engine.errors import ParameterError
from engine.numbers import as_decimal
from engine.params import describe, values_of
from engine.privacy import PrivacyModel
from engine.project.project import SearchSettings
from engine.utility import UtilityMetric

_WIDTH = 420


class MemberDialog(ForeseeingDialog):
    """Dialog for the parameters of a privacy model; the form reports invalid values."""

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
            self.tr("Protects against {attacks}.").format(attacks=attacks), Text.CELL, "text_2", wraps=True
        )
        protects.setToolTip("\n".join(f"{_sentence(a.title)}: {a.meaning}" for a in kind.protects))
        self.consequence.hide()
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
            self.consequence,
        )

    def wanted(self) -> Any:
        try:
            return self.form.kind(**self.form.values())
        except ParameterError:
            return None

    def submit(self) -> bool:
        if (member := self.form.member()) is not None:
            self.member_chosen.emit(member)
        return member is not None


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


_METRIC_WIDTH = 440
_PLACED_ELSEWHERE = ("algorithm", "metric", "steps", "seconds", "weights")


class MetricDialog(AskingDialog):
    """The forms report invalid values.

    Parameters
    ----------
    metric : UtilityMetric
        Current settings.
    """

    settings_chosen = Signal(object, object)  # UtilityMetric, SearchSettings

    def __init__(self, metric: UtilityMetric, search: SearchSettings, parent: QWidget | None = None) -> None:
        title, accept = self.tr("Search settings"), self.tr("Apply")
        super().__init__("metricDialog", title, accept, _METRIC_WIDTH, parent)
        self.form = ParamForm(type(metric), values_of(metric), shows_help=True)
        self._search = search
        self.search_form = ParamForm(
            SearchSettings, values_of(search), omitted=_PLACED_ELSEWHERE, shows_help=True
        )
        parts: list[Part] = [make_label(metric.title, Text.HEADING), self.form]
        names = [descriptor.name for descriptor in describe(type(metric))]
        if not names:
            self.form.hide()
            parts[1] = make_label(self.tr("This metric has no settings."), Text.CELL, "text_2")
        self.coding: LimitSlider | None = None
        if "coding" in names:
            hint, words = self.tr("0 to 1; type any value in the field"), partial(as_decimal, decimals=2)
            self.coding = named(
                LimitSlider(self.tr("Coding model"), ranges=(1.0,), words=words, hint=hint), "codingSlider"
            )
            less, more = self.tr("Suppression counts less"), self.tr("Generalization counts less")
            ends = hbox(
                make_label(less, Text.CAPTION, "text_3"), STRETCH, make_label(more, Text.CAPTION, "text_3")
            )
            parts.append(vbox(self.coding, ends, spacing=0, margins=0))
            self._join(self.coding)
        self.lay_out(*parts, make_line(Qt.Orientation.Horizontal), self.search_form)

    def _join(self, slider: LimitSlider) -> None:
        """Keep slider and entry at the same value."""
        entry = self.form.editor("coding")

        def show() -> None:
            try:
                slider.set_value(float(entry.value()))
            except (ParameterError, TypeError):
                return  # incomplete input

        entry.on_change(show)
        show()
        slider.value_moved.connect(entry.set_value)
        slider.value_chosen.connect(entry.set_value)

    def submit(self) -> bool:
        metric, search = self.form.member(), self.search_form.applied_to(self._search)
        if metric is None or search is None:
            return False
        self.settings_chosen.emit(metric, search)
        return True


def changed_values(member: UtilityMetric) -> Mapping[str, Any]:
    """Return the settings of a metric that differ from the defaults."""
    usual = values_of(type(member)())
    return {name: value for name, value in values_of(member).items() if value != usual[name]}
