"""Pages of an analysis: its settings at the left, its findings at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.forms.param_form import ParamForm
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox
from anonymizer_gui.widgets.scroll_body import scrolled
from engine.assessment.base import Analysis
from engine.numbers import as_risk

THRESHOLD = "threshold"  # setting of analyses, chosen for all of them at the top
_SETUP = 300


class SettingsPage(FitsRoom, QWidget):
    """Settings beside results; subclasses call `lay_out` at the end of their construction."""

    def lay_out(self, setup: QWidget, results: QWidget, name: str, width: int, share: float) -> None:
        """Place both sides.

        Parameters
        ----------
        setup, results : QWidget
        name : str
            Name under which the splitter keeps its sizes.
        width : int
            Width of the settings in design pixels.
        share : float
            Largest share of the page that they take.
        """
        self._width, self._share = width, share
        self._sides = DesignSplitter(Qt.Orientation.Horizontal, name)
        self._sides.addWidget(setup)
        self._sides.addWidget(results)
        self._sides.setStretchFactor(1, 1)
        vbox(self._sides, margins=0, of=self)

    def _fit(self) -> None:
        left = min(scaled(self._width), round(self._share * self.width()))
        self._sides.set_design_sizes([left, self.width() - left - 8])


class FurtherPage(SettingsPage):
    """Emits the settings once they are valid; the accepted risk is chosen elsewhere."""

    settings_changed = Signal(object)  # mapping of str to value

    def __init__(self, key: str, kind: type[Analysis], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{key}Page")
        self.card, self.view = findings_card(key, kind.title)
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


def findings_card(key: str, title: str) -> tuple[AnalysisCard, FindingsView]:
    """Return a card for the findings of an analysis, and its view; help follows with the analysis."""
    view = FindingsView(key, as_share=as_risk)
    card = named(AnalysisCard(title), f"card.{key}")
    card.add_panes([(key, title, AnalysisPane(view, About(title), key.replace("_", "-")))])
    return card, view
