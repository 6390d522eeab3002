"""Keeps the requirement card in step with the session, and turns its requests into edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject

from anonymizer_gui.forms import FormContext
from anonymizer_gui.forms.questionnaire_dialog import QuestionnaireOffer
from anonymizer_gui.forms.weights_dialog import WeightsOffer
from anonymizer_gui.models.consequences import Consequences
from anonymizer_gui.perspectives.configure.facts import model_facts, sampling_words
from anonymizer_gui.perspectives.configure.requirement.dialogs import (
    AttackersDialog,
    MemberDialog,
    MetricDialog,
    ModelChoice,
    changed_values,
)
from anonymizer_gui.perspectives.configure.requirement.panel import (
    RequirementPanel,
)
from anonymizer_gui.perspectives.configure.table.population_presenter import words_of
from anonymizer_gui.session import Session
from engine.errors import AnonymizerError
from engine.numbers import as_count, as_decimal, as_exact_count, as_loss, as_significant
from engine.params import Choice, ColumnRef, describe, values_of
from engine.privacy import PrivacyModel, Requirement, privacy_models
from engine.privacy.attackers import AttackerModel
from engine.privacy.base import Group
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.privacy.limit import allowed_losses, limits_persons
from engine.privacy.requirement import PERSONS, RECORDS
from engine.project import Project, edits
from engine.project.project import AFTERWARDS, BY_SIZE, CHECK, SearchSettings
from engine.records import Role
from engine.utility import USUAL_METRICS, UtilityMetric, utility_metrics
from engine.words import N_, _, ngettext, within_sentence

if TYPE_CHECKING:
    from engine.scoring import Evaluation


_WHO_KNOWS_WHAT = "who knows what"  # key of the entry for all attackers
_ATTACKERS = ("known_columns", "any_columns")
_GROUP_TITLES = {
    Group.CLASS_SIZES: N_("Class size"),
    Group.SENSITIVE_VALUES: N_("What a class reveals"),
    Group.ATTACKERS: N_("Attackers who know some columns"),
    Group.RISK: N_("Risk of the whole release"),
    Group.POPULATION: N_("Compared with a population"),
    Group.COST: N_("Cost and benefit"),
    Group.SAMPLING: N_("Random sample"),
}


class RequirementPresenter(QObject):
    """Each edit is one undo step; dragging the limit is one step on release."""

    def __init__(self, session: Session, panel: RequirementPanel) -> None:
        super().__init__(panel)
        self._session = session
        self._consequences = Consequences(session, self)
        panel.shown.connect(self._show_limit)
        panel.shown.connect(self._ask_next)
        self._panel = panel
        self._weights = WeightsOffer(session, self)
        self._questionnaire = QuestionnaireOffer(session, self._consequences, self)
        panel.questionnaire_button.clicked.connect(lambda: self._questionnaire.ask(panel))
        panel.model_wanted.connect(self._on_model_wanted)
        panel.model_limit_chosen.connect(self._on_model_limit_chosen)
        panel.model_edit_requested.connect(self._on_model_edit_requested)
        panel.model_removal_requested.connect(self._on_model_removal_requested)
        panel.slider.value_moved.connect(self._on_limit_moved)
        panel.limit_chosen.connect(
            self._editor(self.tr("Set suppression limit"), edits.set_suppression_limit)
        )
        panel.metric_chosen.connect(self._editor(self.tr("Set utility metric"), edits.set_metric))
        panel.settings_button.clicked.connect(self._on_settings_requested)
        panel.weight_bars.clicked.connect(lambda: self._weights.ask(panel))
        panel.others_box.toggled.connect(
            self._editor(self.tr("Set what attackers know"), lambda p, known: replace(p, others_as_qi=known))
        )
        counted = self._editor(self.tr("Set what the suppression limit counts"), edits.set_limit_counts)
        panel.limit_of_people_box.toggled.connect(
            lambda is_chosen: counted(PERSONS if is_chosen else RECORDS)
        )
        whole = self._editor(self.tr("Set which records of a person are suppressed"), edits.set_whole_persons)
        panel.whole_people_box.toggled.connect(whole)
        for signal in (
            session.project_opened,
            session.parts.table_changed,
            session.parts.roles_changed,
            session.parts.requirement_changed,
            session.parts.search_changed,
        ):
            signal.connect(lambda *_unused: self.refresh())
        session.shown.changed.connect(self._on_preview_changed)
        session.results.evaluation_changed.connect(lambda _evaluation: self._on_evaluation_changed())
        session.results.evaluation_rested.connect(self._show_outcome)
        session.results.evaluation_rested.connect(self._ask_next)
        session.results.problem_changed.connect(lambda *_unused: self._show_limit())
        session.results.problem_changed.connect(lambda *_unused: self._show_outcome())
        session.results.scoring_progressed.connect(self._show_outcome)

    def refresh(self) -> None:
        """Show the current project."""
        project = self._session.project
        if project is None:
            return
        choices = [
            ModelChoice(
                key,
                project.counted.worded(kind, "title"),
                self._why_not(project, kind),
                _(_GROUP_TITLES[kind.group]),
                kind.summary,
                key in {model.key for model in project.requirement.models},
            )
            for key, kind in _by_group(privacy_models)
        ]
        last = max(place for place, choice in enumerate(choices) if choice.key in _ATTACKERS)
        choices.insert(last + 1, self._who_knows_what(project))
        self._panel.show_choices(
            choices,
            {key: kind.title for key, kind in _usual_first(utility_metrics)},
        )
        self._panel.show_models([model_facts(project, model) for model in project.requirement.models])
        metric = utility_metrics[project.search.metric]
        words = _(metric.meaning)
        if metric.needs_target and project.target_column is not None:
            words = self.tr("of {target_column}: {words}").format(
                target_column=project.target_column, words=words
            )
        words = "; ".join(filter(None, (self._settings_words(project), words)))
        self._panel.show_metric(project.search.metric, words, self._target_words(metric))
        is_drawn = project.subset is not None and project.subset.draw is not None
        why_fixed = self.tr("Differential privacy draws the records") if is_drawn else ""
        self._panel.show_people(words_of(project), why_fixed)
        self._panel.show_others(project.others_as_qi, len(project.sensitive))
        requirement = project.requirement
        self._panel.show_persons(
            project.person is not None,
            limits_people=requirement.limit_counts == PERSONS,
            whole_people=requirement.whole_persons,
        )
        self._show_limit()
        self._show_weights()
        self._show_outcome()

    def _target_words(self, metric: type[UtilityMetric]) -> str:
        """Return where the column required by a metric is chosen."""
        if not metric.needs_target:
            return ""
        return self.tr("To change the target, right-click the header of another column.")

    def _settings_words(self, project: Project) -> str:
        """Return the settings of metric and search that differ from the defaults, in short."""
        search, found = project.search, []
        for descriptor in describe(utility_metrics[search.metric]):
            value = search.metric_options.get(descriptor.name)
            if isinstance(descriptor, Choice) and value is not None:
                found.append(within_sentence(_(dict(descriptor.options)[value])))
            elif value is not None:
                found.append(f"{within_sentence(_(descriptor.label))} {as_decimal(value, 2)}")
        if search.enforce == AFTERWARDS:
            found.append(self.tr("models of sensitive columns afterwards"))
        if search.enforce == BY_SIZE:
            found.append(self.tr("models of sensitive columns without suppression"))
        if search.enforce == CHECK:
            found.append(self.tr("models of sensitive columns only checked"))
        return ", ".join(found)

    def _show_limit(self) -> None:
        requirement, project = self._session.shown.requirement, self._session.project
        if requirement is not None and project is not None:
            allowed, problem = requirement.allowed(project.n_records), self._session.results.problem
            words = ngettext("at most {n} record", "at most {n} records", allowed)
            if problem is not None and limits_persons(problem, requirement):
                allowed = allowed_losses(problem, requirement)
                words = ngettext("at most {n} person", "at most {n} people", allowed)
            text = words.format(n=as_exact_count(allowed))
            why_none = ""
            if requirement.sampling is not None:
                why_none = self.tr("No limit applies to records drawn at random")
            self._panel.show_limit(requirement.suppression_limit, why_none or text, why_none)

    def _show_weights(self) -> None:
        project = self._session.project
        assert project is not None
        names = project.quasi_identifying
        weights = [project.search.weights.get(name, 1.0) for name in names]
        metric = utility_metrics[project.search.metric]
        reason = ""
        if not names:
            reason = self.tr("Weights need a quasi-identifying column")
        elif not metric.weighted:
            reason = self.tr("{title} does not use weights").format(title=_(metric.title))
        if not names:
            words = ""
        elif len(set(weights)) == 1:
            words = self.tr("all equal, {weight} each").format(weight=as_decimal(weights[0], 1))
        else:
            heaviest = max(range(len(names)), key=weights.__getitem__)
            words = self.tr("heaviest: {name}, {weight}").format(
                name=names[heaviest], weight=as_decimal(weights[heaviest], 1)
            )
        self._panel.show_weights(weights, words, reason)

    def _on_preview_changed(self) -> None:
        """Follow a knob at every turn only while the panel is visible."""
        if self._panel.isVisible() or not self._session.shown.is_preview:
            self._show_limit()

    def _on_evaluation_changed(self) -> None:
        if self._panel.isVisible() and self._session.shown.is_preview:
            self._show_outcome()

    def _show_outcome(self) -> None:
        problem, error = self._session.results.problem, self._session.results.problem_error
        evaluation = self._session.results.evaluation
        project = self._session.project
        is_fresh = project is not None and bool(project.undecided) and not project.quasi_identifying
        show, unknown = partial(self._panel.show_outcome, is_known=False), self.tr("Not scored yet")
        if is_fresh and self._panel.isVisible():
            show(unknown)
            self._consequences.of_suggestions(lambda text: show(text or unknown))
        elif isinstance(error, AnonymizerError) and self._session.results.is_problem_current:
            show(error.problem, tone="danger")
        elif problem is None or evaluation is None or not evaluation.n_scored:
            show(unknown)
        else:
            self._panel.show_outcome(*self._outcome(evaluation))

    def _ask_next(self) -> None:
        """Show what the next usual threshold would leave, while the panel is visible."""
        if not self._panel.isVisible() or self._session.shown.is_preview:
            return
        if self._session.results.evaluation is None:
            self._show_outcome()
        else:
            self._consequences.of_next_usual(self._panel.show_next_usual)

    def _outcome(self, evaluation: Evaluation) -> tuple[str, ...]:
        n_nodes = evaluation.problem.lattice.n_nodes
        n_satisfying = as_count(evaluation.n_satisfying)
        if evaluation.n_scored < n_nodes:
            words = self.tr("{n} of {n_scored} scored nodes satisfy, {n_nodes} in all")
            text = words.format(
                n=n_satisfying, n_scored=as_count(evaluation.n_scored), n_nodes=as_count(n_nodes)
            )
        else:
            words = ngettext("{n} of {n_nodes} node satisfies", "{n} of {n_nodes} nodes satisfy", n_nodes)
            text = words.format(n=n_satisfying, n_nodes=as_count(n_nodes))
        key = self._session.shown.metric
        if not evaluation.knows(key):
            return text, self.tr("computing the optimum")
        best = evaluation.optimum(key)
        if best is None:
            return (text,)
        at = np.array([best])
        metric, value = utility_metrics[key], float(evaluation.metric_at(key, at)[0])
        shown = as_significant(value) if metric.unit else as_loss(value)
        is_so_far = self._session.results.is_best_so_far
        words = self.tr("best so far {metric} {value}") if is_so_far else self.tr("optimum {metric} {value}")
        optimum = words.format(metric=within_sentence(metric.title), value=shown)
        n_suppressed = as_exact_count(int(evaluation.suppressed_at(at)[0]))
        return text, optimum, self.tr("{n} suppressed").format(n=n_suppressed)

    def _why_not(self, project: Project, kind: type[PrivacyModel]) -> str:
        """Return why a model cannot be added; empty if it can."""
        if _needs_column(kind) and not project.sensitive:
            return self.tr("Give a column the sensitive role first")
        if kind().needs_weights and project.weight is None:
            return self.tr("Select the column of survey weights first")
        return ""

    def _who_knows_what(self, project: Project) -> ModelChoice:
        """Return the entry for all attackers at once."""
        return ModelChoice(
            _WHO_KNOWS_WHAT,
            self.tr("Who knows what…"),
            "" if project.quasi_identifying else self.tr("Mark quasi-identifying columns first"),
            _(_GROUP_TITLES[Group.ATTACKERS]),
            self.tr("All attackers in one table: the columns and the k of each"),
            any(isinstance(model, AttackerModel) for model in project.requirement.models),
        )

    def _ask_attackers(self) -> None:
        """Open the matrix of attackers; models of other kinds keep their places."""
        project = self._session.project
        if project is None:
            return
        own = [model for model in project.requirement.models if isinstance(model, AttackerModel)]
        dialog = AttackersDialog(own, project.quasi_identifying, self._panel)
        dialog.attackers_chosen.connect(self._set_attackers)
        dialog.input_changed.connect(
            lambda found: self._consequences.of_form(self._with_attackers(found), dialog.show_consequence)
        )
        dialog.finished.connect(self._consequences.stop)
        dialog.ask()

    def _with_attackers(self, attackers: tuple[AttackerModel, ...] | None) -> Requirement | None:
        project = self._session.project
        if project is None or attackers is None:
            return None
        others = [m for m in project.requirement.models if not isinstance(m, AttackerModel)]
        return replace(project.requirement, models=(*others, *attackers))

    def _set_attackers(self, attackers: tuple[AttackerModel, ...]) -> None:
        project, after = self._session.project, self._with_attackers(attackers)
        if project is not None and after is not None and after != project.requirement:
            self._session.edit(self.tr("Set attackers"), replace(project, requirement=after))

    def _on_model_wanted(self, key: str) -> None:
        if key == _WHO_KNOWS_WHAT:
            self._ask_attackers()
            return
        kind = privacy_models[key]
        self._ask(kind, {}, self.tr("Add model"), self._add)

    def _on_model_edit_requested(self, index: int) -> None:
        project = self._session.project
        if project is not None:
            model = project.requirement.models[index]
            self._ask(
                type(model), values_of(model), self.tr("Change"), lambda m: self._replace(index, m), index
            )

    def _on_model_limit_chosen(self, index: int, value: float) -> None:
        project = self._session.project
        if project is not None:
            model = project.requirement.models[index]
            self._replace(index, model.with_limit(value))

    def _on_model_removal_requested(self, index: int) -> None:
        project = self._session.project
        if project is not None:
            model = project.requirement.models[index]
            self._session.edit(
                self.tr("Remove {title}").format(title=model.title), edits.remove_model(project, index)
            )

    def _add(self, model: PrivacyModel) -> None:
        self._session.change(self.tr("Add {title}").format(title=model.title), edits.add_model, model)

    def _replace(self, index: int, model: PrivacyModel) -> None:
        project = self._session.project
        if project is not None and index < len(project.requirement.models):
            after = edits.replace_model(project, index, model)
            self._session.edit(self.tr("Change {title}").format(title=model.title), after)

    def _ask(
        self,
        kind: type[PrivacyModel],
        values: Mapping[str, Any],
        text: str,
        accept: Callable[[PrivacyModel], None],
        index: int | None = None,
    ) -> None:
        """Open the form of a model; `index` is its place in the requirement if it has one."""
        project = self._session.project
        if project is None:
            return
        context = FormContext({role.value: [c.name for c in project.columns_of(role)] for role in Role})
        dialog = MemberDialog(kind, values, context, text, self._panel)
        dialog.member_chosen.connect(accept)
        dialog.input_changed.connect(lambda member: self._ask_of_form(dialog, member, index))
        dialog.finished.connect(self._consequences.stop)
        dialog.ask()

    def _ask_of_form(self, dialog: MemberDialog, member: PrivacyModel | None, index: int | None) -> None:
        """Show what the requirement would leave with the model of a form, added or in another's place.

        A model that draws records shows its class size and what it covers, since another sample would be
        scored.
        """
        project = self._session.project
        if isinstance(member, DifferentialPrivacy) and project is not None:
            self._consequences.stop()
            dialog.show_consequence(sampling_words(member, project.table.n_records))
            return
        wanted = None
        if project is not None and member is not None:
            models = list(project.requirement.models)
            place = len(models) if index is None else index
            wanted = replace(project.requirement, models=(*models[:place], member, *models[place + 1 :]))
        self._consequences.of_form(wanted, dialog.show_consequence)

    def _on_limit_moved(self, limit: float) -> None:
        requirement = self._session.shown.requirement
        if requirement is not None:
            self._session.shown.preview(replace(requirement, suppression_limit=limit))

    def _editor(self, text: str, edit: Callable[[Project, Any], Project]) -> Callable[[Any], None]:
        """Return a function that applies a chosen setting to the open project as an edit."""

        return lambda chosen: self._session.change(text, edit, chosen)

    def _on_settings_requested(self) -> None:
        if (project := self._session.project) is None:
            return
        metric = utility_metrics.create(project.search.metric, **project.search.metric_options)
        dialog = MetricDialog(metric, project.search, self._panel)
        dialog.settings_chosen.connect(self._on_settings_chosen)
        dialog.ask()

    def _on_settings_chosen(self, metric: UtilityMetric, search: SearchSettings) -> None:
        project = self._session.project
        if project is None:
            return
        options = changed_values(metric)
        after = edits.set_metric(replace(project, search=search), metric.key, options)
        if after.search != project.search:
            self._session.edit(self.tr("Change search settings"), after)


def _needs_column(kind: type[PrivacyModel]) -> bool:
    return any(isinstance(given, ColumnRef) and not given.may_be_empty for given in describe(kind))


def _by_group(kinds: Mapping[str, type[PrivacyModel]]) -> list[tuple[str, type[PrivacyModel]]]:
    """Return the models by group, sorted by title."""
    groups = list(Group)
    return sorted(kinds.items(), key=lambda item: (groups.index(item[1].group), item[1].title.lower()))


def _usual_first(kinds: Mapping[str, type[UtilityMetric]]) -> list[tuple[str, type[UtilityMetric]]]:
    places = {key: place for place, key in enumerate(USUAL_METRICS)}
    return sorted(kinds.items(), key=lambda item: (places.get(item[0], len(places)), item[1].title))
