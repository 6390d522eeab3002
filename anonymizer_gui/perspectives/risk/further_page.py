"""Pages of an analysis: its settings at the left, its findings at the right."""

from __future__ import annotations

from typing import Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.forms.param_form import ParamForm
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.findings.base import Analysis
from engine.numbers import as_risk

THRESHOLD = "threshold"  # setting of analyses, chosen for all of them at the top
_SETUP = 300


S = TypeVar("S", bound=QWidget)


class SettingsPage(FitsRoom, QWidget, Generic[S]):
    """Settings next to results.

    Parameters
    ----------
    page, splitter : str
        Name of the page, by which help finds it, and that under which the splitter keeps its sizes.
    width : int
        Width of the settings in design pixels.
    share : float
        Largest share of the page that they take.
    """

    def __init__(
        self, page: str, setup: S, card: AnalysisCard, splitter: str, width: int, share: float
    ) -> None:
        super().__init__()
        self.setObjectName(page)
        self.setup, self.card, self._width, self._share = setup, card, width, share
        self._sides = DesignSplitter(Qt.Orientation.Horizontal, splitter, setup, card)
        self._sides.setStretchFactor(1, 1)
        vbox(self._sides, margins=0, of=self)

    @property
    def pane(self) -> AnalysisPane:
        """The results."""
        return self.card.pane

    @property
    def view(self) -> FindingsView:
        """View of the results."""
        view = self.pane.view
        assert isinstance(view, FindingsView), "as `findings_card` makes it"
        return view

    def _fit(self) -> None:
        left = min(scaled(self._width), round(self._share * self.width()))
        self._sides.set_design_sizes([left, self.width() - left - 8])


class FurtherPage(SettingsPage[Card]):
    """Emits the settings once they are valid; the accepted risk is chosen elsewhere."""

    settings_changed = Signal(object)  # mapping of str to value

    def __init__(self, key: str, kind: type[Analysis]) -> None:
        card = findings_card(key, kind.title)
        super().__init__(f"{key}Page", named(Card(), f"{key}Setup"), card, f"risk.{key}", _SETUP, 0.36)
        self.form = ParamForm(kind, omitted=(THRESHOLD,))
        self.setup.set_title(self.tr("Settings"))
        self.setup.set_body(ScrollBody(vbox(self.form, STRETCH, margins=(12, 10, 12, 12))), 0)
        self.form.changed.connect(self._on_changed)

    def _on_changed(self) -> None:
        if self.form.member() is not None:  # otherwise the form says what is wrong
            self.settings_changed.emit(self.form.values())


def findings_card(key: str, title: str) -> AnalysisCard:
    """Return a card for the findings of an analysis; help follows with the analysis."""
    view = FindingsView(key, as_share=as_risk)
    card = named(AnalysisCard(title), f"card.{key}")
    card.add_panes([(key, title, AnalysisPane(view, About(title), key.replace("_", "-")))])
    return card
