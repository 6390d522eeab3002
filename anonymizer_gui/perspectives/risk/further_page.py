"""Pages of an analysis: its settings at the left, its findings at the right; and that of the population."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.forms.param_form import ParamForm
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.labels import make_label, make_line
from anonymizer_gui.widgets.layouts import STRETCH, clear, gridbox, named, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.findings.base import Analysis
from engine.findings.blocks import Fact
from engine.numbers import DASH, as_exact_count, as_percent, as_risk, as_risk_limit
from engine.privacy.measured_text import limit_text
from engine.words import N_, _, ngettext

if TYPE_CHECKING:
    from engine.findings.subject import Subject


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


POPULATION = "population_uniqueness"


_ACTIONS = {  # texts of the buttons that change a setting
    "people": N_("Change…"),
    "subset": N_("Change…"),
    "threshold": N_("Change"),
    "requirement": N_("Configure"),
}


class SettingsCard(Card):
    """Population and other settings that affect the values."""

    change_requested = Signal(str)  # key of a setting

    def __init__(self) -> None:
        super().__init__()
        self.set_title(self.tr("Population, sample and thresholds"))
        self.setObjectName("riskSettings")
        self._grid = gridbox(spacing=(12, 4), stretched=0)
        self.values: dict[str, str] = {}
        self.set_body(ScrollBody(vbox(self._grid, STRETCH, margins=(12, 10, 12, 12))), 0)

    def show_settings(self, settings: Sequence[Fact]) -> None:
        """Show the settings."""
        clear(self._grid)
        self.values = {setting.key: str(setting.value) for setting in settings}
        for place, setting in enumerate(settings):
            self._add(4 * place, setting)

    def _add(self, row: int, setting: Fact) -> None:
        grid = self._grid
        if row:
            grid.addWidget(make_line(), row, 0, 1, 2)
        grid.addWidget(make_label(setting.title, Text.SECTION, "text_2"), row + 1, 0)
        grid.addWidget(make_label(str(setting.value), Text.CELL_STRONG, wraps=True), row + 2, 0)
        grid.addWidget(make_label(setting.explanation, Text.CAPTION, "text_3", wraps=True), row + 3, 0, 1, 2)
        if setting.key in _ACTIONS:
            button = make_button(_(_ACTIONS[setting.key]), f"setting.{setting.key}", small=True)
            button.setToolTip(setting.explanation)
            button.clicked.connect(lambda: self.change_requested.emit(setting.key))
            grid.addWidget(button, row + 1, 1, 2, 1, Qt.AlignmentFlag.AlignVCenter)


def settings_of(subject: Subject, threshold: float) -> tuple[Fact, ...]:
    """Return the settings of the release that affect the values."""
    project, release = subject.project, subject.release
    people = release.problem.people
    population, fraction = _("unknown; this table is used instead"), DASH
    if people is not None:
        n_people = round(people.size)
        population = ngettext("{n} person", "{n} people", n_people).format(n=as_exact_count(n_people))
        if project.population is not None and project.population.table is not None:
            population += _(", known person by person")
        fraction = as_percent(subject.n_people / people.size)
    released = _("all {n} records").format(n=as_exact_count(subject.n_records))
    if project.subset is not None:
        n_all = as_exact_count(project.table.n_records)
        words = _("{n_records} of {n_all} records, a subset")
        if project.subset.draw is not None:
            words = _("{n_records} of {n_all} records, drawn at random")
        released = words.format(n_records=as_exact_count(subject.n_records), n_all=n_all)
    models = ", ".join(f"{model.symbol} = {limit_text(model)}" for model in release.requirement.models)
    return (
        Fact(
            "people",
            _("Population"),
            population,
            "",
            _("The people a journalist searches, and for whom uniqueness is estimated: a number or a table."),
        ),
        Fact(
            "sampling_fraction",
            _("Sampling fraction"),
            fraction,
            "",
            _("{many} of the table divided by the population size.").format(
                many=subject.counted.many.capitalize()
            ),
        ),
        Fact(
            "subset",
            _("Records released"),
            released,
            "",
            _("If only a subset is released, the whole table is the population."),
        ),
        Fact(
            "threshold",
            _("Accepted risk"),
            as_risk_limit(threshold),
            "",
            _(
                "The accepted risk. 20 % is common in health research (El Emam and Dankar 2008), 9 % "
                "for public data (European Medicines Agency 2016)."
            ),
        ),
        Fact(
            "requirement",
            _("Requirement"),
            models or _("none"),
            "",
            release.requirement.sampling.covers
            if release.requirement.sampling is not None
            else _("The requirement of the release, with at most {suppression_limit} of the {words}.").format(
                suppression_limit=as_risk_limit(release.requirement.suppression_limit),
                words=_("people losing a record") if release.losses.are_people else _("records suppressed"),
            ),
        ),
    )
