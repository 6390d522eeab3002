"""Turns knob changes into requirements and undo steps, and measures their curves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from anonymizer_gui.forms.questionnaire_dialog import QuestionnaireOffer
from anonymizer_gui.forms.weights_dialog import WeightsOffer
from anonymizer_gui.models.consequences import Consequences
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.knobs.bar import Curve, KnobBar, KnobSpec
from anonymizer_gui.perspectives.explore.knobs.optima import OptimaMeasuring
from anonymizer_gui.perspectives.explore.knobs.specs import knob_specs, measure_curves, turned
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text, metric_title
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.accessible import announce
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, gridbox, hbox, named, nest, vbox
from engine.errors import InputError
from engine.numbers import as_exact_count, as_percent, as_typed
from engine.privacy import PrivacyModel, Requirement
from engine.privacy.measured_text import limit_text
from engine.project import edits
from engine.project.presets import PRESETS, Preset, preset_of, set_preset, unchanged_models, with_preset
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.scoring import Evaluation


class KnobPresenter(QObject):
    """Fills the knob bar; dragging previews a value, releasing edits the project."""

    def __init__(self, state: ExploreState, bar: KnobBar) -> None:
        super().__init__(bar)
        self._session, self._runner, self._state, self._bar = state.session, state.session.runner, state, bar
        self._problem: Problem | None = None
        state.forgotten.connect(self._on_forgotten)
        state.nodes_placed.connect(lambda is_more: None if is_more else self._show_problem(state.problem))
        state.scores_changed.connect(state.in_turn(self._show_count))
        state.settled.connect(self._measure)
        state.settled.connect(lambda _evaluation: self._announce_optimum())
        self._count_words = ""
        self._announced: tuple[Requirement | None, str] | None = None  # settings of the last announcement
        self._specs: list[KnobSpec] = []
        self._curves_of: tuple[object, Requirement, int] | None = None
        self._waiting: Evaluation | None = None
        self._optima = OptimaMeasuring(state.session, self)
        self._optima.measured.connect(bar.show_optima)
        self._presets, self._weights = PresetOffer(state.session, self), WeightsOffer(state.session, self)
        bar.presets.clicked.connect(lambda: self._presets.ask(bar))
        bar.weights.clicked.connect(lambda: self._weights.ask(bar))
        for signal in (
            state.session.parts.requirement_changed,
            state.session.parts.search_changed,
            state.session.shown.changed,
        ):
            signal.connect(self._show)
        state.session.shown.changed.connect(self._on_preview_changed)
        for signal in (
            state.session.parts.table_changed,
            state.session.parts.roles_changed,
            state.session.parts.hierarchies_changed,
        ):
            signal.connect(self._on_project_changed)
        bar.value_changing.connect(self._on_turning)
        bar.value_changed.connect(self._on_turned)
        bar.turned_back.connect(state.session.shown.cancel)
        bar.refused.connect(state.session.runner.error_raised)
        bar.metric_box.data_chosen.connect(self._on_metric_requested)
        bar.optimum.clicked.connect(self._on_optimum_requested)

    @property
    def has_optima(self) -> bool:
        """True if the marks of other optima are shown too, which takes longer on a large lattice."""
        return self._optima.is_settled

    def _show_problem(self, problem: Problem | None) -> None:
        """Show the knobs of a problem, or clear them."""
        self._problem, self._curves_of, self._waiting = problem, None, None
        self._announced = None
        self._optima.forget()
        self._show()

    def _on_forgotten(self) -> None:
        self._show_problem(None)
        self._bar.show_count("", self.tr("no node scored yet"), 0.0, "", "")

    def _on_project_changed(self) -> None:
        """Stop measuring, in favour of the next lattice."""
        if self._state.is_outdated:
            self._optima.forget()

    def _on_preview_changed(self) -> None:
        """Pause while a knob is dragged; curves are measured when it is released."""
        if self._session.shown.is_preview and not self._session.results.is_explored:
            self._runner.cancel("explore.curves")

    def _measure(self, evaluation: Evaluation) -> None:
        """Measure the curves of settled settings, unless they are shown.

        During complete scoring they wait until it ends; on a partly scored lattice they follow occasionally.
        """
        profile = self._session.results.profile
        if evaluation.requirement != self._session.shown.requirement:
            return  # the knobs are those of a changed requirement, whose evaluation follows
        if profile is not None and (profile.is_complete or self._session.results.is_explored):
            self._optima.measure(evaluation, self._specs)
        wanted = (profile, evaluation.requirement, evaluation.n_scored)
        if profile is None or wanted == self._curves_of:
            return
        if self._session.results.is_explored and self._runner.running("explore.curves"):
            self._waiting = evaluation  # cancelling at each change would never show any
            return
        if not (profile.is_complete or self._session.results.is_explored):
            return
        self._curves_of = wanted
        self._bar.set_updating(True)
        measured = evaluation.profile, evaluation.requirement, tuple(self._specs)
        task = self._runner.run(
            measure_curves, *measured, then=self._on_curves_measured, key="explore.curves"
        )
        task.cancelled.connect(self._on_curves_cancelled)

    def _show(self) -> None:
        requirement, problem = self._session.shown.requirement, self._problem
        if requirement is None or problem is None:
            return
        try:
            specs = knob_specs(requirement, problem)
        except InputError:  # a model names a column of the next problem, which is being compiled
            return
        if self._session.shown.is_preview and len(specs) == len(self._specs):
            return  # the dragged knob shows its own value, and its range is fixed
        self._specs = specs
        self._bar.show_knobs(specs)
        from engine.utility import utility_metrics

        metrics = [(key, member.title) for key, member in utility_metrics.items()]
        self._bar.show_metrics(metrics, self._session.shown.metric)
        self._bar.show_weights(*self._weights.words())

    def _show_count(self) -> None:
        scores, key = self._state.scores, self._session.shown.metric
        if scores is None:
            return
        n_nodes = len(scores.values)
        value = "" if scores.optimum is None else metric_text(key)(float(scores.values[scores.optimum]))
        of_all = self.tr("of {n_nodes} scored satisfy") if scores.is_part else self.tr("of {n_nodes} satisfy")
        count, of_all = as_exact_count(scores.n_satisfying), of_all.format(n_nodes=as_exact_count(n_nodes))
        optimum = self._optimum_words(key) if value else self.tr("no node satisfies")
        if not value and not self._session.results.is_optimum_proved:
            optimum = self.tr("none found so far")
        share = scores.n_satisfying / max(n_nodes, 1)
        if scores.at_most is not None:
            count, share = f"≤ {as_exact_count(scores.at_most)}", scores.at_most / max(n_nodes, 1)
            optimum, value = self.tr("counting exactly"), ""
        self._bar.show_count(count, of_all, share, optimum, value)
        self._count_words = f"{count} {of_all}, {optimum} {value}".strip()

    def _announce_optimum(self) -> None:
        """Say count and optimum of changed settings; the first ones follow the announced end of a job."""
        settings = self._session.shown.requirement, self._session.shown.metric
        if self._announced not in (None, settings) and self._bar.isVisible():
            n, self._state.n_prices_changed = self._state.n_prices_changed, 0
            changed = ngettext("{n} price changed", "{n} prices changed", n).format(n=as_exact_count(n))
            announce(self._bar, f"{self._count_words}, {changed}" if n else self._count_words)
        self._announced = settings

    def _optimum_words(self, key: str) -> str:
        if self._session.results.is_best_so_far:
            return self.tr("best so far {key}").format(key=metric_name(key))
        return self.tr("optimum {key}").format(key=metric_name(key))

    def _on_turning(self, key: str, value: float) -> None:
        project = self._session.project
        if project is not None:
            self._session.shown.preview(turned(project.requirement, key, value))

    def _on_turned(self, key: str, value: float) -> None:
        project = self._session.project
        if project is None:
            return
        spec = next(spec for spec in self._specs if spec.key == key)
        shown = f"{as_typed(value * spec.scale.factor, 0)}{spec.suffix}"
        after = replace(project, requirement=turned(project.requirement, key, value))
        text = self.tr("Set {name} to {shown}").format(name=spec.name, shown=shown)
        self._session.edit(text, after, knob=key)

    def _on_metric_requested(self, key: str) -> None:
        if self._session.project is not None:
            text = self.tr("Set utility metric to {key}").format(key=metric_title(key))
            self._session.edit(text, edits.set_metric(self._session.project, key))

    def _on_optimum_requested(self) -> None:
        if self._state.scores is not None and self._state.scores.optimum is not None:
            self._state.select(self._state.scores.optimum)

    def _on_curves_measured(self, curves: dict[str, Curve]) -> None:
        self._bar.show_curves(curves)
        self._bar.set_updating(False)
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting.requirement == self._session.shown.requirement:
            QTimer.singleShot(0, self, lambda: self._measure(waiting))  # after this task has ended

    def _on_curves_cancelled(self) -> None:
        if self._runner.running("explore.curves") is None:
            self._curves_of = None


class PresetOffer(QObject):
    """Opens the dialog over a widget."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._questionnaire = QuestionnaireOffer(session, Consequences(session, self), self)

    def ask(self, over: QWidget) -> None:
        """Open the dialog."""
        project = self._session.project
        if project is None:
            return
        dialog = PresetDialog(project.requirement, over)
        dialog.preset_chosen.connect(self._on_preset_chosen)
        dialog.questionnaire.clicked.connect(lambda: self._questionnaire.ask(over))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_preset_chosen(self, key: str) -> None:
        project = self._session.project
        chosen = preset_of(key)
        if project is not None:
            self._session.edit(
                self.tr("Set thresholds: {title}").format(title=chosen.title), set_preset(project, chosen)
            )


def preset_words(preset: Preset, requirement: Requirement) -> dict[str, str]:
    """Return what a preset sets, removes and keeps of the current requirement, and its source."""
    stays = unchanged_models(requirement)
    after = with_preset(requirement, preset).models
    kinds = {type(model) for model in preset.models}
    leaves = [model for model in requirement.models if model not in after and type(model) not in kinds]
    limit = _("suppression limit {suppression_limit}").format(
        suppression_limit=as_percent(requirement.suppression_limit)
    )
    return {
        "sets": _listed(preset.models),
        "leaves": _listed(leaves) or _("nothing"),
        "keeps": f"{_listed(stays)}; {limit}" if stays else limit,
        "source": f"{preset.source}, {preset.year}",
    }


def _listed(models: Iterable[PrivacyModel]) -> str:
    found = []
    for model in models:
        name = model.symbol
        if model.columns:
            name = _("{name} of {columns}").format(name=name, columns=", ".join(model.columns))
        found.append(f"{name} {model.relation.value} {limit_text(model)}")
    return ", ".join(found)


_ROW = 26  # px per row of the list


class PresetDialog(FittedDialog):
    """Shows source and caution of a preset before it can be set."""

    preset_chosen = Signal(str)

    def __init__(self, requirement: Requirement, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("presetDialog")
        self.setWindowTitle(self.tr("Published thresholds"))
        self.setMinimumWidth(scaled(680))
        self._requirement = requirement
        self.list = named(QListWidget(), "presetList", self.tr("Presets"))
        for preset in PRESETS:
            item = QListWidgetItem(preset.title, self.list)
            item.setSizeHint(QSize(0, scaled(_ROW)))
        self.list.setFixedWidth(scaled(248))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._show)
        self.list.itemActivated.connect(lambda _item: self._on_accept_clicked())
        self._title = make_label("", Text.HEADING, wraps=True)
        self._says = make_label("", Text.CELL, "text_2", wraps=True)
        grid = gridbox(spacing=(12, 6), stretched=1)
        captions = {
            "sets": self.tr("Sets", "verb"),
            "leaves": self.tr("Removes"),
            "keeps": self.tr("Keeps"),
            "source": self.tr("Source"),
        }
        self._lines = {name: make_label("", Text.CELL, wraps=True) for name in captions}
        for row, (name, label) in enumerate(self._lines.items()):
            caption = make_label(captions[name], Text.CELL, "text_3")
            grid.addWidget(caption, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(named(label, f"preset.{name}"), row, 1)
        self._caution = named(make_label("", Text.CELL, "warn", wraps=True), "preset.caution")
        details = vbox(self._title, self._says, grid, self._caution, STRETCH, spacing=12)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.questionnaire = questionnaire = named(
            make_button(self.tr("Questionnaire…"), kind="quiet", icon_name="circle-question-mark"),
            "questionnaireButton",
            tooltip=self.tr("Find the thresholds by questions about who receives the release"),
        )
        questionnaire.clicked.connect(self.reject)
        accept = make_button(self.tr("Set these thresholds"), "acceptButton", kind="primary")
        accept.setDefault(True)
        accept.clicked.connect(self._on_accept_clicked)
        whole = gridbox(spacing=(16, 16), margins=16, of=self)
        whole.addWidget(self.list, 0, 0)
        nest(whole, details, 0, 1)
        nest(whole, hbox(questionnaire, STRETCH, cancel, accept), 1, 0, 1, 2)
        whole.setColumnStretch(1, 1)
        self.list.setCurrentRow(0)
        self.list.setFocus()

    def _show(self, row: int) -> None:
        preset = PRESETS[row]
        self._title.setText(preset.title)
        self._says.setText(f"{preset.says[0].upper()}{preset.says[1:]}.")
        for name, text in preset_words(preset, self._requirement).items():
            self._lines[name].setText(text)
        self._caution.setText(preset.caution)
        if self.isVisible():
            self.fit()

    def _on_accept_clicked(self) -> None:
        self.preset_chosen.emit(PRESETS[self.list.currentRow()].key)
        self.accept()
