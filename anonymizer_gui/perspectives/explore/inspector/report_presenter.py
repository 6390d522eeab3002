"""Fills the parts computed from the classes of the selected node: models, charts, reasons."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.explore.inspector.classes_presenter import ClassesPresenter
from anonymizer_gui.perspectives.explore.inspector.panel import InspectorPanel
from anonymizer_gui.perspectives.explore.inspector.payout_part import money_lines
from anonymizer_gui.perspectives.explore.inspector.score_lines import with_bars
from anonymizer_gui.perspectives.explore.inspector.values import (
    ClassShares,
    ModelLine,
    Step,
    class_shares,
    requirement_lines,
    sizes_of,
    why_it_fails,
)
from anonymizer_gui.perspectives.explore.inspector.why_part import (
    class_size,
    helpful_step,
    why_sentence,
    worst_classes,
)
from anonymizer_gui.perspectives.explore.knobs.specs import model_variant
from anonymizer_gui.perspectives.explore.node_scores import NodeScores
from anonymizer_gui.session import Session
from engine.numbers import DASH, as_decimal, as_exact_count
from engine.privacy import PrivacyModel, Requirement, privacy_models
from engine.privacy.base import Group
from engine.privacy.measured_text import explained, figure_text, limit_text, titled, value_text
from engine.project import edits
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.frequency.counted import Noun
    from engine.lattice import Node
    from engine.privacy.values import MeasuredModel
    from engine.scoring.nodes.inspection import NodeReport
    from engine.scoring.nodes.payout import PayoutReport
    from engine.scoring.scored import Profile
    from engine.utility import UtilityMetric


_DIRECT_SECONDS = 0.03  # longer inspections run in a task
_DIRECT_RECORDS = 100_000  # inspections of larger tables always run in a task
_KEY = "explore.inspect.node"
CHOSEN = "CHOSEN"  # class chosen in the list, in addition to those of the engine


class ReportPresenter(QObject):
    """Inspects the classes of the node and shows each result when it is available."""

    class_shown = Signal(object, int)  # ClassTable, and its displayed class
    inspected = Signal(object)  # NodeReport of the selected node

    def __init__(self, session: Session, panel: InspectorPanel) -> None:
        super().__init__(panel)
        self._session, self._runner, self._panel = session, session.runner, panel
        self._seconds = math.inf  # of the last inspection, shown
        self._inspected: tuple[Problem, Node, Requirement, UtilityMetric | None] | None = None
        self._report: NodeReport | None = None
        self._scored: tuple[Node, NodeScores, Mapping[str, Any] | None] | None = None
        self._steps: Sequence[Step] = ()
        self._pick = self._pick_before = "FURTHEST"
        self._column = ""
        self._chosen: int | None = None
        self._classes = ClassesPresenter(session, panel)
        self._classes.class_chosen.connect(self._on_class_chosen)
        panel.sizes.classes.clicked.connect(lambda: self._classes.open(None))
        panel.why.class_requested.connect(self._classes.open)
        panel.shares.pick_chosen.connect(self._on_pick_chosen)
        panel.shares.column_chosen.connect(self._on_column_chosen)

    def forget(self) -> None:
        """Discard everything shown before."""
        self._runner.cancel(_KEY)
        self._inspected = self._report = self._scored = None
        self._chosen, self._steps = None, ()
        self._classes.show_table(None)

    def show_scores(
        self,
        node: Node,
        scores: NodeScores,
        details: Mapping[str, Any] | None,
        steps: Sequence[Step],
    ) -> None:
        """Use the values of a node from the scores of all nodes."""
        self._scored, self._steps = (node, scores, details), steps
        if self._report is not None and self._report.node == node:
            self._show_payout(self._report)
            self._show_models(self._report)
            self._show_reasons(self._report)

    def inspect(self, node: Node) -> None:
        """Inspect the classes of a node, unless that is done already."""
        session = self._session
        profile, requirement, problem = (
            session.results.profile,
            session.shown.requirement,
            session.results.problem,
        )
        if profile is None or requirement is None or problem is None:
            return
        metric = self._metric()
        wanted = (problem, node, requirement, metric)
        if wanted == self._inspected:
            return
        self._inspected = wanted
        is_quick = problem.n_records <= _DIRECT_RECORDS and self._seconds < _DIRECT_SECONDS
        if is_quick and profile.n_scored:
            self._runner.cancel(_KEY)
            self._show_timed(_timed_inspection(profile, node, requirement, metric))
            return
        self._panel.show_updating(True)
        show = self._show_timed
        self._runner.run(_timed_inspection, profile, node, requirement, metric, then=show, key=_KEY)

    # ------------------------------------------------------------------------------------------

    def _show_timed(self, found: tuple[NodeReport, float]) -> None:
        report, seconds = found
        started = time.perf_counter()
        self._show(report)
        self._seconds = seconds + time.perf_counter() - started

    def _show(self, report: NodeReport) -> None:
        problem, requirement = self._session.results.problem, self._session.shown.requirement
        if problem is None or requirement is None or report.node != self._session.selection.node:
            return
        if report.table.problem is not problem or report.table.requirement != requirement:
            return
        self._panel.show_updating(False)
        self._report, self._chosen = report, None
        if self._pick == CHOSEN:  # a class of another node
            self._pick = self._pick_before
        variants = [model_variant(model, problem) for model in requirement.models]
        self._panel.requirement.show_lines(requirement_lines(report, requirement, variants))
        sizes = sizes_of(report, requirement.k)
        self._panel.sections["classes"].set_title(sizes.title)
        self._panel.sizes.show_sizes(sizes, why_it_fails(report))
        self._show_payout(report)
        self._show_models(report)
        self._show_reasons(report)
        self._show_class(report)
        self._classes.show_table(report.table)
        self.inspected.emit(report)

    def _show_payout(self, report: NodeReport) -> None:
        found = report.payout
        if found is None:
            self._panel.show_payout((), "")
            return
        self._panel.show_payout(money_lines(found), found.warning(self._best_payout(found)))

    def _best_payout(self, found: PayoutReport) -> float | None:
        """Return the payout of the optimum, if that is the node that pays most by the same sums."""
        scores = None if self._scored is None else self._scored[1]
        if scores is None or scores.optimum is None or scores.is_part or self._metric() != found.payout:
            return None
        return found.most - float(scores.values[scores.optimum])

    def _metric(self) -> UtilityMetric | None:
        """Return the metric shown, with its settings."""
        from engine.utility import utility_metrics

        project = self._session.project
        if project is None:
            return None
        key = self._session.shown.metric
        options = project.search.metric_options if key == project.search.metric else {}
        return utility_metrics.create(key, **options)

    def _show_models(self, report: NodeReport) -> None:
        lines = model_lines(report)
        if self._scored is not None and self._scored[0] == report.node:
            node, scores, details = self._scored
            table = report.table
            names = figure_names(table.problem, table.requirement)
            lines = with_bars(lines, model_kinds(report), names, node, scores, details)
        columns = {line.column for line in lines if line.column}
        words = self.tr("of kept classes")
        section = self._panel.sections["models"]
        section.caption.setText(f"{words}; {columns.pop()}" if len(columns) == 1 else words)
        self._panel.models.show_lines(lines)
        self._offer_models(report)
        section.figure.setText(as_exact_count(len(lines)))

    def _offer_models(self, report: NodeReport) -> None:
        """Offer the measured models that are not required, with the values of this node."""
        from engine.advice.nearest import model_met_by

        required = [found.model for found in report.models]
        menu = self._panel.add_model.menu
        menu.clear()
        for found in report.values:
            model = None if _is_required(found, required) else model_met_by(found)
            if model is not None:
                about = f"{titled(found, report.table.problem.counted)}, {found.column}".removesuffix(", ")
                text = f"{about}: {model.symbol} {model.relation.value} {limit_text(model)}"
                menu.addAction(text, partial(self._require, model))
        self._panel.add_model.setEnabled(not menu.isEmpty())

    def _require(self, model: PrivacyModel) -> None:
        project = self._session.project
        if project is not None:
            self._session.edit(
                self.tr("Add {model}").format(model=model.title), edits.add_model(project, model)
            )

    def _show_reasons(self, report: NodeReport) -> None:
        text, step = helpful_step(report, self._steps) if self._steps else ("", None)
        self._panel.why.show_reasons(why_sentence(report), worst_classes(report), text, step)
        is_fine = report.satisfies
        title = self.tr("Why suppressed") if is_fine else self.tr("Why it fails")
        self._panel.sections["why"].set_title(title)

    def _show_class(self, report: NodeReport) -> None:
        from engine.scoring.nodes.class_table import ClassChoice

        table = report.table
        columns = [found.column for found in sorted(report.furthest, key=lambda found: -found.distance)]
        column = self._column if self._column in columns else (columns[0] if columns else "")
        picks = self._picks()
        short = {"FURTHEST": self.tr("Furthest class"), "FURTHEST_SUPPRESSED": self.tr("Suppressed class")}
        title = short.get(self._pick, dict(picks)[self._pick])
        self._panel.shares.set_choices(picks, self._pick, title, sorted(columns), column)
        if not column:
            self._panel.shares.show_shares(None, self.tr("No column is sensitive."))
            return
        is_chosen = self._pick == CHOSEN
        pick = ClassChoice.FURTHEST if is_chosen else ClassChoice[self._pick]
        number = self._chosen if is_chosen else table.pick(pick, column)
        if number is None:
            missing = self.tr("No class is suppressed.")
            chosen = self.tr("Choose one in the list of classes.")
            self._panel.shares.show_shares(None, chosen if is_chosen else missing)
            return
        self._panel.shares.show_shares(self._shares(report, column, number, pick))
        self.class_shown.emit(table, number)

    def _shares(self, report: NodeReport, column: str, number: int, pick: Any) -> ClassShares:
        from engine.scoring.nodes.class_table import ClassChoice

        table = report.table
        found = table.distribution(column, number, pick)
        parts = [class_size(table, number, found.n_records)]
        if pick is ClassChoice.LEAST_DIVERSE:
            parts.append(f"l\u00a0=\u00a0{as_exact_count(int(table.distinct(column)[number]))}")
        parts.append(f"t\u00a0=\u00a0{as_decimal(found.distance, 3)}")
        if not found.is_kept:
            parts.append(self.tr("suppressed"))
        return class_shares(found, f"{column}; {', '.join(parts)}")

    def _picks(self) -> list[tuple[str, str]]:
        return [
            ("FURTHEST", self.tr("Class with the largest distance")),
            ("SMALLEST", self.tr("Smallest class")),
            ("LEAST_DIVERSE", self.tr("Least diverse class")),
            ("MOST_ALIKE", self.tr("Most uniform class")),
            ("FURTHEST_SUPPRESSED", self.tr("Suppressed class with the largest distance")),
            (CHOSEN, self.tr("Class selected in the list")),
        ]

    def _on_pick_chosen(self, pick: str) -> None:
        self._pick = pick
        if pick != CHOSEN:
            self._pick_before = pick
        if self._report is not None:
            self._show_class(self._report)

    def _on_column_chosen(self, column: str) -> None:
        self._column = column
        if self._report is not None:
            self._show_class(self._report)

    def _on_class_chosen(self, number: int) -> None:
        self._chosen = number
        self._on_pick_chosen(CHOSEN)


def _timed_inspection(
    profile: Profile, node: Node, requirement: Requirement, metric: UtilityMetric | None
) -> tuple[NodeReport, float]:
    """Return the report of a node, and the seconds it took."""
    from engine.scoring.nodes.inspection import inspect_node

    started = time.perf_counter()
    report = inspect_node(profile, node, requirement, metric)
    return report, time.perf_counter() - started


def model_lines(report: NodeReport) -> list[ModelLine]:
    """Return every registered model with its value, or the reason why it has none."""
    required = [found.model for found in report.models]
    counted = report.table.problem.counted
    lines = [_measured(found, required, counted) for found in report.values]
    measured = {found.key for found in report.values}
    for own in report.models:
        if own.model.is_of_attackers and own.worst_kept is not None:
            kind, name = type(own.model), f"{counted.worded(own.model, 'title')}, {own.model.details}"
            lines.append(ModelLine(name, "", figure_text(kind, own.worst_kept, 3), True, explained(kind)))
            measured.add(kind.key)
    groups = list(Group)
    rest = [kind for kind in privacy_models.values() if kind.key not in measured]
    for kind in sorted(rest, key=lambda kind: (groups.index(kind.group), kind.title)):
        reason = _why_not(kind) if report.values else _("no record is kept")
        lines.append(ModelLine(counted.worded(kind, "title"), "", DASH, False, explained(kind), reason))
    return lines


def model_kinds(report: NodeReport) -> list[tuple[type[PrivacyModel], str] | None]:
    """Return model and sensitive column of every line; None for those without a value."""
    n_without = len(model_lines(report)) - len(report.values)
    return [*((found.kind, found.column) for found in report.values), *[None] * n_without]


def figure_names(problem: Problem, requirement: Requirement) -> dict[tuple[type[PrivacyModel], str], str]:
    """Return the names under which `details` has the values of models, by model and column."""
    from engine.privacy.k_anonymity import KAnonymity
    from engine.scoring.nodes.kept import figure_models

    names: dict[tuple[type[PrivacyModel], str], str] = {(KAnonymity, ""): "k"}
    for name, model in figure_models(problem, requirement).items():
        names.setdefault((type(model), "".join(model.columns)), name)
    return names


def _measured(found: MeasuredModel, required: Sequence[PrivacyModel], counted: Noun) -> ModelLine:
    detail = explained(found.kind)
    if found.value is None:
        none = _("Undefined: a class has only one sensitive value.")
        detail = f"{none if found.column else 'The estimator has no answer.'}\n{detail}"
    return ModelLine(
        titled(found, counted), found.column, value_text(found), _is_required(found, required), detail
    )


def _is_required(found: MeasuredModel, required: Sequence[PrivacyModel]) -> bool:
    return any(
        type(model) is found.kind and (not model.columns or found.column in model.columns)
        for model in required
    )


def _why_not(kind: type[PrivacyModel]) -> str:
    """Return why a model has no value."""
    if kind.group is Group.ATTACKERS:
        return _("not required")
    if kind().needs_weights:
        return _("needs survey weights")
    if kind.group is Group.COST:
        return _("needs sums of money, in the requirement")
    if kind.group is Group.SAMPLING:
        return _("only for a random sample")
    return _("needs a population") if kind.group is Group.POPULATION else _("needs a sensitive column")
