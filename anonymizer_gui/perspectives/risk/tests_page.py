"""Tests that start on request, as a list: each opens with its settings and findings below its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLayout, QSizePolicy, QWidget

from anonymizer_gui.charts.analysis_pane import AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.forms.param_form import ParamForm
from anonymizer_gui.perspectives.risk.attack_pages import ATTACK_TEST, LINKAGE, AttackSetup, LinkageSetup
from anonymizer_gui.perspectives.risk.pages import analysis_card
from anonymizer_gui.theming import Text, scaled, set_icon
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.design_splitter import DesignSplitter
from anonymizer_gui.widgets.drawn import FitsRoom, IconLabel
from anonymizer_gui.widgets.labels import make_label, make_line, set_tone
from anonymizer_gui.widgets.layouts import STRETCH, clear, fixed, gridbox, hbox, named, vbox
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
    keep_requested = Signal()

    def __init__(self, key: str, kind: type[Analysis]) -> None:
        card = findings_card(key, kind.title)
        super().__init__(f"{key}Page", named(Card(), f"{key}Setup"), card, f"risk.{key}", _SETUP, 0.36)
        self.form = ParamForm(kind, omitted=(THRESHOLD,))
        self.setup.set_title(self.tr("Settings"))
        self._column = vbox(self.form, STRETCH, margins=(12, 10, 12, 12))
        self.setup.set_body(ScrollBody(self._column), 0)
        self.keep = make_button(self.tr("Keep these levels"), f"keepLevels.{key}", icon_name="lock")
        self.keep.clicked.connect(self.keep_requested)
        if kind.keeps_levels:
            self.add_below(self.keep)
        self.form.changed.connect(self._on_changed)

    def add_below(self, widget: QWidget) -> None:
        """Show something below the settings."""
        self._column.insertWidget(1, widget)

    def show_keep(self, why_not: str) -> None:
        """Show whether the levels of the release can be made the only ones allowed."""
        words = self.tr("Allows no other levels, so that the recipe releases the next table at this node too")
        if why_not and self.keep.hasFocus():  # the next widget that takes it may be far below
            self.focusPreviousChild()
        self.keep.setEnabled(not why_not)
        self.keep.setToolTip(why_not or words)

    def _on_changed(self) -> None:
        if self.form.member() is not None:  # otherwise the form says what is wrong
            self.settings_changed.emit(self.form.values())


def findings_card(key: str, title: str) -> AnalysisCard:
    """Return a card for the findings of an analysis; help follows with the analysis."""
    return analysis_card(key, title, FindingsView(key, as_share=as_risk))


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


_ROW, _BODY, _BUTTON = 56, 400, 156  # px of height, and of width
_STRETCH = 4, 5, 4, 5  # widths of name, purpose, need and result
_ICONS = {
    ATTACK_TEST: "user-search",
    POPULATION: "shield",
    "special_uniques": "fingerprint",
    "stability": "calendar",
    "narrowing": "split",
    "selection_leak": "waypoints",
    "wildcards": "eye-off",
    LINKAGE: "link",
    "survey_risk": "chart-column",
    "cost_benefit": "sliders-horizontal",
}
_TITLES = {"survey_risk": N_("Survey weights")}  # where it is not that of the analysis
_SHOWS = {
    ATTACK_TEST: N_("Success of guesses against a control group"),
    POPULATION: N_("Expected records that are unique in the population"),
    "special_uniques": N_("Few columns that single out a kept record"),
    "stability": N_("Whether the node will hold next month"),
    "narrowing": N_("Values that an insider can exclude"),
    "selection_leak": N_("What the choice of the node gives away"),
    "wildcards": N_("Classes if * matches every value"),
    LINKAGE: N_("Records that match exactly one of a second table"),
    "survey_risk": N_("Risk in the sampled population, by weights"),
    "cost_benefit": N_("Payout of an attack against its cost"),
}


@dataclass(frozen=True)
class TrialState:
    """What a test needs, in words, with the whole reason if it is missing, and the text of its button."""

    needs: str
    why_not: str
    button: str


class TrialRow(QWidget):
    """One test: name, purpose, need, last result and a button; settings and findings open below."""

    run_requested = Signal(str)  # key
    opened = Signal(str)

    def __init__(self, key: str, title: str, shows: str, body: QWidget) -> None:
        super().__init__()
        self.key, self.title, self.body = key, title, body
        self.setObjectName(f"trial.{key}")
        self.toggle = make_icon_button(
            "chevron-right", self.tr("Show settings and result"), f"trialToggle.{key}"
        )
        self.toggle.setCheckable(True)
        self.toggle.toggled.connect(self._on_toggled)
        self.button = make_button("", f"trialRun.{key}", small=True)
        self.button.clicked.connect(lambda: self.run_requested.emit(key))
        self.mark = IconLabel("circle", 14, "text_3")
        self.needs = named(make_label("", Text.CELL, "text_2", wraps=True), f"trialNeeds.{key}")
        self.result = named(make_label("", Text.CELL, wraps=True), f"trialResult.{key}")
        name = make_label(title, Text.TITLE, wraps=True)
        icon = IconLabel(_ICONS.get(key, "shield"), 16)
        cells = (
            hbox(self.toggle, icon, (name, 1), spacing=8),
            make_label(shows, Text.CELL, "text_2", wraps=True),
            hbox((self.mark, 0, Qt.AlignmentFlag.AlignVCenter), (self.needs, 1), spacing=6),
            self.result,
        )
        line = fitted_row(cells, self.button)
        line.setMinimumHeight(scaled(_ROW))
        body.setMinimumHeight(scaled(_BODY))
        body.hide()
        vbox(line, body, make_line(), spacing=0, margins=0, of=self)
        self.show_result("")

    def show_state(self, state: TrialState) -> None:
        """Show whether the test can run."""
        is_ready = not state.why_not
        self.mark.set_icon("check" if is_ready else "circle", "ok" if is_ready else "warn")
        self.needs.setText(state.needs)
        set_tone(self.needs, "text_2" if is_ready else "warn")
        self.needs.setToolTip(state.why_not)
        self.button.setText(state.button)
        self.button.setAccessibleName(f"{state.button}, {self.title}")

    def show_result(self, text: str) -> None:
        """Show the last result; empty if there is none."""
        self.result.setText(text or self.tr("not run"))
        set_tone(self.result, "text" if text else "text_3")

    def set_open(self, is_open: bool) -> None:
        """Show or hide settings and findings."""
        self.toggle.setChecked(is_open)

    def _on_toggled(self, is_open: bool) -> None:
        set_icon(self.toggle, "chevron-down" if is_open else "chevron-right", on_token="accent_text")
        self.body.setVisible(is_open)
        if is_open:
            self.opened.emit(self.key)


def fitted_row(cells: Sequence[QWidget | QLayout], last: QWidget) -> QWidget:
    """Return cells in columns that are the same in every row, and a widget at the right."""
    line, row = QWidget(), QHBoxLayout()
    vbox(row, margins=(8, 0, 12, 0), of=line)
    row.setSpacing(16)
    for cell, stretch in zip(cells, _STRETCH, strict=True):
        holder = QWidget()
        holder.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        vbox(cell, margins=0, of=holder)
        row.addWidget(holder, stretch)
    end = fixed(QWidget(), width=_BUTTON)
    hbox(STRETCH, last, margins=0, of=end)
    row.addWidget(end)
    return line


class PageOfTests(QWidget):
    """The tests, those that can run first."""

    run_requested = Signal(str)
    opened = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("testsPage")
        card, setup = findings_card(LINKAGE, self.tr("Linkage test")), LinkageSetup()
        self.linkage = SettingsPage("linkagePage", setup, card, "risk.linkage", 420, 0.46)
        card = findings_card(ATTACK_TEST, self.tr("Attack test"))
        self.attack_test = SettingsPage("attackTestPage", AttackSetup(), card, "risk.attackTest", 320, 0.42)
        card = findings_card(POPULATION, self.tr("Uniqueness in the population"))
        self.population = SettingsPage("populationPage", SettingsCard(), card, "risk.uniqueness", 380, 0.38)
        self.rows: dict[str, TrialRow] = {}
        self._headline = named(make_label("", Text.HEADING, wraps=True), "testsHeadline")
        self._more = make_label("", Text.SECTION, "text_2")
        titles = (self.tr("Test"), self.tr("What it shows"), self.tr("Needs"), self.tr("Last result"))
        head = fitted_row([make_label(title, Text.HEADER, "text_3") for title in titles], QWidget())
        head.setProperty("strip", "note")
        self._ready, self._missing = vbox(spacing=0), vbox(spacing=0)
        self._below = vbox(self._more, margins=(14, 10, 14, 6))
        rows = vbox(self._ready, self._below, self._missing, STRETCH, spacing=0, margins=0)
        card_of_all = Card()
        card_of_all.set_header_visible(False)
        top = vbox(self._headline, margins=(14, 12, 14, 10))
        self._scroll = ScrollBody(rows)
        card_of_all.set_body(vbox(top, head, make_line(), (self._scroll, 1), spacing=0), 0)
        vbox(card_of_all, margins=0, of=self)
        for key, title, body in (
            (ATTACK_TEST, self.tr("Attack test"), self.attack_test),
            (POPULATION, self.tr("Population uniqueness"), self.population),
            (LINKAGE, self.tr("Linkage test"), self.linkage),
        ):
            self.add(key, title, body)

    def add(self, key: str, title: str, body: QWidget, summary: str = "") -> None:
        """Append a test; `summary` says what it shows if the page has no words for it."""
        shows = _(_SHOWS[key]) if key in _SHOWS else summary
        row = self.rows[key] = TrialRow(key, _(_TITLES.get(key, "")) or title, shows, body)
        row.run_requested.connect(self.run_requested)
        row.opened.connect(self.opened)
        row.opened.connect(self._reveal, Qt.ConnectionType.QueuedConnection)  # laid out by then
        self._missing.addWidget(row)

    def _reveal(self, key: str) -> None:
        """Scroll to a row that was opened below what is in sight."""
        row, bar = self.rows[key], self._scroll.verticalScrollBar()
        if row.geometry().bottom() > bar.value() + self._scroll.viewport().height():
            bar.setValue(row.y())

    def show_states(self, states: Mapping[str, TrialState]) -> None:
        """Show which tests can run, and these first, in the order of `states`."""
        shown = {key: state for key, state in states.items() if key in self.rows}
        for key, state in shown.items():
            row = self.rows[key]
            row.show_state(state)
            (self._missing if state.why_not else self._ready).addWidget(row)
        n_missing, n_all = sum(bool(state.why_not) for state in shown.values()), len(shown)
        text = self.tr("All tests can run now.")
        if n_missing:
            text = ngettext(
                "{n} of {all} tests can run now; the others need more input.",
                "{n} of {all} tests can run now; the others need more input.",
                n_all - n_missing,
            ).format(n=n_all - n_missing, all=n_all)
        self._headline.setText(text)
        self._more.setText(self.tr("Need more input ({n})").format(n=n_missing))
        self._more.setVisible(n_missing > 0)

    def close_all(self) -> None:
        """Hide all findings, which belong to another release."""
        for row in self.rows.values():
            row.set_open(False)
            row.show_result("")
