"""Population page: uniqueness by sampling fraction, and the population settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.legend import Legend, LegendEntry, Sample
from anonymizer_gui.perspectives.risk.fractions_chart import FractionCurves, FractionsChart
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.fits_room import FitsRoom
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.layouts import STRETCH, at_least, hbox, named, vbox
from anonymizer_gui.widgets.page_switch import PageSwitch
from anonymizer_gui.widgets.scroll_body import scrolled
from anonymizer_gui.widgets.tables import ROW_HEIGHT
from anonymizer_gui.widgets.texts_table import Cell, Heading, TextsTable

POPULATION = "population_uniqueness"
_SETTINGS = 380
_ROWS = 4  # visible rows of the list, header included
_LEAST_CHART = 96  # px of height


@dataclass(frozen=True)
class Setting:
    """One setting: name, value, and the action of its button.

    Attributes
    ----------
    key : str
        Emitted when the button is clicked; empty without a button.
    name, value, meaning, action : str
    """

    key: str
    name: str
    value: str
    meaning: str
    action: str = ""


class UniquenessView(FitsRoom, QWidget):
    """Chart of one estimator above the list of all estimates."""

    estimator_chosen = Signal(str)

    def __init__(self, estimators: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("uniquenessView")
        self._sentence = named(make_label("", Text.CELL, "text_2", wraps=True), "uniquenessSentence")
        self.switch = named(PageSwitch(estimators, self.tr("Estimator")), "estimatorSwitch")
        self.switch.selected.connect(self.estimator_chosen)
        self._legend = Legend(
            [
                LegendEntry(Sample.DASHED, "series_1", self.tr("input")),
                LegendEntry(Sample.LINE, "series_2", self.tr("release")),
            ]
        )
        self.chart = at_least(FractionsChart(), height=_LEAST_CHART)
        self.table = TextsTable(
            "uniquenessTable", self.tr("Unique people by sampling fraction and estimator")
        )
        upper = vbox(
            self._sentence,
            hbox(self.switch, (self._legend, 1), spacing=12),
            (self.chart, 1),
            spacing=6,
            margins=(12, 8, 12, 6),
        )
        inside = vbox((upper, 3), make_line(), (self.table, 2), spacing=0, margins=0)
        vbox(scrolled(inside), margins=0, of=self)
        at_least(self.table, height=_ROWS * ROW_HEIGHT)

    def show_sentence(self, sentence: str) -> None:
        self._sentence.setText(sentence)

    def sentence(self) -> str:
        return self._sentence.text()

    def show_curves(self, estimator: str, curves: FractionCurves) -> None:
        """Show the estimates of one estimator."""
        self.switch.set_current(estimator)
        self.chart.show_curves(curves)

    def show_rows(self, headings: Sequence[Heading], rows: Sequence[Sequence[Cell]]) -> None:
        """List all estimates."""
        self.table.show_rows(headings, rows)

    def _fit(self) -> None:
        self.switch.fit(round(0.7 * self.width()))


class SettingsCard(Card):
    """Population and other settings that affect the values."""

    change_requested = Signal(str)  # key of a setting

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.set_title(self.tr("Population, sample and thresholds"))
        self.setObjectName("riskSettings")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self._values: dict[str, str] = {}
        self.set_body(scrolled(vbox(self._grid, STRETCH, margins=(12, 10, 12, 12))), 0)

    def show_settings(self, settings: Sequence[Setting]) -> None:
        """Show the settings."""
        while (item := self._grid.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        self._values = {setting.name: setting.value for setting in settings}
        for place, setting in enumerate(settings):
            self._add(4 * place, setting)

    def values(self) -> dict[str, str]:
        """Return the values shown, by name."""
        return self._values

    def _add(self, row: int, setting: Setting) -> None:
        grid = self._grid
        if row:
            grid.addWidget(make_line(), row, 0, 1, 2)
        grid.addWidget(make_label(setting.name, Text.SECTION, "text_2"), row + 1, 0)
        grid.addWidget(make_label(setting.value, Text.CELL_STRONG, wraps=True), row + 2, 0)
        grid.addWidget(make_label(setting.meaning, Text.CAPTION, "text_3", wraps=True), row + 3, 0, 1, 2)
        if setting.action:
            button = named(make_button(setting.action, small=True), f"setting.{setting.key}")
            button.setToolTip(setting.meaning)
            button.clicked.connect(lambda: self.change_requested.emit(setting.key))
            grid.addWidget(button, row + 1, 1, 2, 1, Qt.AlignmentFlag.AlignVCenter)


class PopulationPage(FitsRoom, QWidget):
    """Uniqueness at the left, settings at the right."""

    def __init__(self, estimators: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("populationPage")
        self.uniqueness = UniquenessView(estimators)
        self.card = named(AnalysisCard(self.tr("Uniqueness in the population")), f"card.{POPULATION}")
        pane = AnalysisPane(
            self.uniqueness, About(self.tr("Uniqueness in the population")), "population-uniqueness"
        )
        self.card.add_panes([(POPULATION, "", pane)])
        self.settings = SettingsCard()
        self._sides = DesignSplitter(Qt.Orientation.Horizontal, "risk.population")
        self._sides.addWidget(self.card)
        self._sides.addWidget(self.settings)
        self._sides.setStretchFactor(0, 1)
        vbox(self._sides, margins=0, of=self)

    def _fit(self) -> None:
        right = min(scaled(_SETTINGS), round(0.38 * self.width()))
        self._sides.set_design_sizes([self.width() - right - 8, right])
