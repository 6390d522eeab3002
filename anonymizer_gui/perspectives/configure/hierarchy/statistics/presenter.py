"""Updates the statistics of the editor, and the effects of levels on the optimum, with the draft."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer

from anonymizer_gui.perspectives.configure.facts import words_of_levels
from anonymizer_gui.perspectives.configure.hierarchy.drafts import HierarchyDrafts, Selection
from anonymizer_gui.perspectives.configure.hierarchy.statistics.panel import (
    StatisticsPanel,
    effect_rows,
    unknown_row,
)
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task
from engine.errors import AnonymizerError
from engine.hierarchies import Hierarchy
from engine.hierarchies.statistics import LevelStatistics, level_statistics
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.privacy import Requirement
from engine.privacy.requirement import PERSONS
from engine.project import AttributeHierarchy, Project
from engine.records import Column, Role
from engine.utility import utility_metrics
from engine.words import ngettext, within_sentence

if TYPE_CHECKING:
    from engine.advice.level_effects import LevelEffect
    from engine.lattice import Node

_STATISTICS, _EFFECTS = "hierarchy.statistics", "hierarchy.effects"
AT_ONCE = 20_000  # labels of all levels that are counted in the GUI thread
PAUSE = 150  # milliseconds without another draft before its effects are computed

DescribedStatistics = tuple[tuple[LevelStatistics, ...], tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class _Question:
    """Draft and optimum for which effects are computed."""

    project: Project
    requirement: Requirement
    metric: str
    name: str
    hierarchy: Hierarchy
    node: Node  # of the optimum; the level of the edited column is ignored

    def is_same(self, other: _Question) -> bool:
        return (
            self.project is other.project
            and self.hierarchy is other.hierarchy
            and (self.requirement, self.metric, self.name) == (other.requirement, other.metric, other.name)
            and self._others == other._others
        )

    @property
    def _others(self) -> list[int]:
        names = self.project.quasi_identifying
        return [level for name, level in zip(names, self.node, strict=True) if name != self.name]


class StatisticsPresenter(QObject):
    """Fills the statistics panel: groups per level, and the optimum with each level."""

    def __init__(self, session: Session, drafts: HierarchyDrafts, panel: StatisticsPanel) -> None:
        super().__init__(panel)
        self._session, self._runner, self._drafts, self._panel = session, session.runner, drafts, panel
        self._words: tuple[str, ...] = ()
        self._question: _Question | None = None
        self._effects: tuple[LevelEffect, ...] | None = None
        self._ask_soon = QTimer(self, singleShot=True, interval=PAUSE)
        self._ask_soon.timeout.connect(self._ask)
        drafts.draft_changed.connect(self._on_draft_changed)
        session.parts.requirement_changed.connect(self._count)
        for signal in (
            session.results.problem_changed,
            session.results.evaluation_rested,
            session.parts.roles_changed,
        ):
            signal.connect(self._follow_optimum)
        panel.level_requested.connect(self._on_level_requested)

    def _on_draft_changed(self) -> None:
        self._count()
        self._follow_optimum()

    def _on_level_requested(self, level: int) -> None:
        """Select all groups of a level."""
        outline = self._drafts.outline
        if outline is not None and level <= outline.hierarchy.height:
            entry = outline.hierarchy.levels[level]
            codes = np.unique(entry.codes[outline.leaves]).tolist()
            self._drafts.select(Selection(level, tuple(entry.labels[code] for code in codes)))

    # Statistics ---------------------------------------------------------------------------------

    def _count(self) -> None:
        column, hierarchy = self._drafts.column, self._drafts.draft.hierarchy
        self._runner.cancel(_STATISTICS)
        self._words = ()
        if column is None or hierarchy is None:
            self._panel.show_statistics("", (), (), None)
            return
        k = self._session.shown.requirement.k if self._session.shown.requirement is not None else None
        if hierarchy.n_leaves * len(hierarchy.levels) <= AT_ONCE:
            self._show_statistics(column, k, _statistics_of(hierarchy, column, k))
            return
        self._panel.show_statistics_updating()
        task = Task(_statistics_of, hierarchy, column, k)
        task.succeeded.connect(lambda found: self._on_counted(hierarchy, column, k, found))
        self._runner.start(task, key=_STATISTICS)

    def _on_counted(
        self, hierarchy: Hierarchy, column: Column, k: int | None, found: DescribedStatistics
    ) -> None:
        if hierarchy is self._drafts.draft.hierarchy and column is self._drafts.column:
            self._show_statistics(column, k, found)
            self._show_effects()

    def _show_statistics(self, column: Column, k: int | None, found: DescribedStatistics) -> None:
        statistics, self._words = found
        self._panel.show_statistics(column.name, statistics, self._words, k)

    # Effects ------------------------------------------------------------------------------------

    def _follow_optimum(self) -> None:
        """Recompute the effects after draft or optimum changed, and hide outdated ones."""
        found = self._wanted()
        before = self._question
        if isinstance(found, _Question) and before is not None and found.is_same(before):
            return
        self._ask_soon.stop()
        self._runner.cancel(_EFFECTS)
        self._question, self._effects = None, None
        if isinstance(found, _Question):
            self._question = found
            self._ask_soon.start()
            self._show_effects()
        elif found:
            self._panel.show_no_effects(found)
        else:
            self._panel.show_effects(())

    def _wanted(self) -> _Question | str:
        """Return the question to compute, or the reason why there is none; an empty reason is not shown."""
        session, column, hierarchy = self._session, self._drafts.column, self._drafts.draft.hierarchy
        project, requirement = session.project, session.shown.requirement
        if project is None or requirement is None or column is None or hierarchy is None:
            return ""
        if project.role(column.name) is not Role.QUASI_IDENTIFYING:
            return self.tr("{name} is not quasi-identifying: its levels do not change the optimum.").format(
                name=column.name
            )
        gaps = hierarchy.gaps(column)
        if gaps:
            words = ngettext("'{gap}' has no group yet.", "{n} values have no group yet.", len(gaps))
            return words.format(gap=gaps[0], n=as_exact_count(len(gaps)))
        if session.results.problem_error is not None:
            return self.tr("No optimum: {problem}").format(problem=session.results.problem_error.problem)
        evaluation, optimum = session.results.evaluation, session.results.optimum
        if not session.results.is_problem_current or evaluation is None:
            return self.tr("No optimum yet: not all nodes are scored.")
        if optimum is None:
            if evaluation.n_satisfying:
                return self.tr("Computing the optimum…")
            return self.tr("No optimum: no scored node satisfies the requirement.")
        return _Question(project, requirement, session.shown.metric, column.name, hierarchy, optimum)

    def _ask(self) -> None:
        question = self._question
        if question is not None:
            self._runner.run(
                _answer,
                question,
                then=lambda effects: self._on_answered(question, effects),
                otherwise=lambda error: self._on_refused(question, error),
                key=_EFFECTS,
            )

    def _on_answered(self, question: _Question, effects: tuple[LevelEffect, ...]) -> None:
        if question is self._question:
            self._effects = effects
            self._show_effects()

    def _on_refused(self, question: _Question, error: AnonymizerError) -> None:
        if question is self._question:
            self._panel.show_no_effects(error.problem)

    def _show_effects(self) -> None:
        question, effects, words = self._question, self._effects, self._words
        if question is None:
            return
        metric = question.metric
        title = "" if metric == "loss" else within_sentence(utility_metrics[metric].title)
        if effects is None or not words:
            rows = tuple(map(unknown_row, words or [""] * len(question.hierarchy.levels)))
        else:
            requirement, project = question.requirement, question.project
            counts_people = project.person is not None and requirement.limit_counts == PERSONS
            allowed = None if counts_people else requirement.allowed(project.n_records)
            rows = effect_rows(effects, words, metric, allowed)
        self._panel.show_effects(rows, title, is_updating=effects is None or not words)


def _statistics_of(hierarchy: Hierarchy, column: Column, k: int | None) -> DescribedStatistics:
    words = words_of_levels(column, AttributeHierarchy(hierarchy))
    return level_statistics(hierarchy, column, k), tuple(level.text for level in words)


def _answer(question: _Question, monitor: Monitor = SILENT) -> tuple[LevelEffect, ...]:
    from engine.advice.level_effects import level_effects

    project = replace(question.project, requirement=question.requirement)
    return level_effects(project, question.name, question.hierarchy, question.node, question.metric, monitor)
