"""Page of an analysis without a view of its own: its settings at the left, its values at the right."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.forms.param_form import ParamForm
from anonymizer_gui.perspectives.risk.settings_page import SettingsPage
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from engine.assessment.base import Analysis
from engine.numbers import as_risk

THRESHOLD = "threshold"  # setting of analyses, chosen for all of them at the top
_SETUP = 300


class FurtherPage(SettingsPage):
    """Emits the settings once they are valid; the accepted risk is chosen elsewhere."""

    settings_changed = Signal(object)  # mapping of str to value

    def __init__(self, key: str, kind: type[Analysis], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{key}Page")
        self.card, self.view = findings_card(key, kind)
        self.form = ParamForm(kind, omitted=(THRESHOLD,))
        setup = Card()
        setup.set_title(self.tr("Settings"))
        setup.setObjectName(f"{key}Setup")
        setup.set_body(scrolled(vbox(self.form, STRETCH, margins=(12, 10, 12, 12))), 0)
        self.form.changed.connect(self._on_changed)
        self.lay_out(setup, self.card, f"risk.{key}", _SETUP, 0.36)

    def _on_changed(self) -> None:
        if self.form.member() is not None:  # otherwise the form says what is wrong
            self.settings_changed.emit(self.form.values())


def findings_card(key: str, kind: type[Analysis]) -> tuple[AnalysisCard, FindingsView]:
    """Return a card for the values of an analysis, and its view."""
    view = FindingsView(key, as_share=as_risk)
    card = named(AnalysisCard(kind.title), f"card.{key}")
    card.add_panes([(key, kind.title, AnalysisPane(view, About.of(kind), key.replace("_", "-")))])
    return card, view
