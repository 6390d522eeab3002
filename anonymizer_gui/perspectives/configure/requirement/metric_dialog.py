"""Dialog for utility metric and search settings, with the forms they declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.perspectives.configure.requirement.limit_slider import LimitSlider
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.accessible import value_changed
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from engine.errors import ParameterError
from engine.numbers import as_decimal
from engine.params import describe, values_of
from engine.project.project import SearchSettings
from engine.utility import UtilityMetric

_WIDTH = 440
_PLACED_ELSEWHERE = ("algorithm", "metric", "steps", "seconds", "weights")


class MetricDialog(AskingDialog):
    """The forms report invalid values.

    Parameters
    ----------
    metric : UtilityMetric
        Current settings.
    search : SearchSettings
    """

    settings_chosen = Signal(object, object)  # UtilityMetric, SearchSettings

    def __init__(self, metric: UtilityMetric, search: SearchSettings, parent: QWidget | None = None) -> None:
        title, accept = self.tr("Search settings"), self.tr("Apply")
        super().__init__("metricDialog", title, accept, _WIDTH, parent)
        self.form = ParamForm(type(metric), values_of(metric), shows_help=True)
        self._search = search
        self.search_form = ParamForm(
            SearchSettings, values_of(search), omitted=_PLACED_ELSEWHERE, shows_help=True
        )
        parts: list[QWidget] = [make_label(metric.title, Text.HEADING), self.form]
        names = [descriptor.name for descriptor in describe(type(metric))]
        if not names:
            self.form.hide()
            parts[1] = make_label(self.tr("This metric has no settings."), Text.CELL, "text_2")
        self.coding = CodingSlider() if "coding" in names else None
        if self.coding is not None:
            parts.append(self.coding)
            self._join(self.coding)
        self.lay_out(*parts, make_line(Qt.Orientation.Horizontal), self.search_form)

    def _join(self, slider: CodingSlider) -> None:
        """Keep slider and entry at the same value."""
        entry = self.form.editor("coding")

        def show() -> None:
            try:
                slider.set_value(float(entry.value()))
            except (ParameterError, TypeError):
                return  # incomplete input

        entry.on_change(show)
        show()
        slider.value_changed.connect(entry.set_value)

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


class CodingSlider(QWidget):
    """Slider from suppression, which weighs less towards the left, to generalization at the right."""

    value_changed = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slider = named(_Slider(self.tr("Coding model")), "codingSlider")
        self.slider.value_moved.connect(self.value_changed)
        self.slider.value_chosen.connect(self.value_changed)
        vbox(
            self.slider,
            hbox(
                make_label(self.tr("Suppression counts less"), Text.CAPTION, "text_3"),
                STRETCH,
                make_label(self.tr("Generalization counts less"), Text.CAPTION, "text_3"),
            ),
            spacing=0,
            margins=0,
            of=self,
        )

    def set_value(self, value: float) -> None:
        """Set the value without emitting a signal."""
        self.slider.set_value(value)


class _Slider(LimitSlider):
    """Slider with a fixed scale from 0 to 1."""

    @property
    def largest(self) -> float:
        return 1.0

    def in_words(self) -> str:
        return as_decimal(self._value, 2)

    def _set(self, value: float) -> None:
        self._value = value
        value_changed(self)
        self.setToolTip(self.tr("0 to 1; type any value in the field"))
        self.update()
