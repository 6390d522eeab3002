"""Runs search algorithms on the open project and applies their results."""

from __future__ import annotations

from dataclasses import fields, replace
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.explore.algorithms.algorithm_dialog import AlgorithmDialog
from anonymizer_gui.perspectives.explore.algorithms.algorithm_runs import (
    PROMISES,
    AlgorithmRun,
    Limits,
    changed_values,
    run_algorithm,
    run_details,
    run_headings,
    run_rows,
)
from anonymizer_gui.perspectives.explore.algorithms.member_choice import MemberWords
from anonymizer_gui.perspectives.explore.algorithms.trial_dialog import TrialPresenter
from anonymizer_gui.perspectives.explore.metric_text import metric_name, metric_text
from anonymizer_gui.session import Session
from anonymizer_gui.session.applied import made_with_text
from anonymizer_gui.tasks import Task
from engine.numbers import as_exact_count
from engine.project import Project, edits
from engine.words import N_, _

if TYPE_CHECKING:
    from engine.search import SearchAlgorithm

KEY = "algorithm"
# Settings without effect on a run; a change of others makes earlier runs incomparable.
_NO_PART = ("name", "source", "options", "search", "recoding")


class AlgorithmPresenter(TrialPresenter):
    """Holder of the runs until the settings change, also while the sheet is closed."""

    apply_requested = Signal(object)  # node

    def __init__(self, session: Session, page: QWidget) -> None:
        super().__init__(session, page)
        self._dialog: AlgorithmDialog | None = None
        self._runs: list[AlgorithmRun] = []
        self._made_with: Project | None = None
        self._outdated = ""  # difference between the settings of the runs and the current ones
        self._waiting: list[AlgorithmRun] = []  # runs to repeat
        self._stop = Event()  # of the current run
        session.project_opened.connect(self._on_project_opened)
        session.snapshot_changed.connect(self._on_settings_changed)
        session.results.problem_changed.connect(lambda *_unused: self._on_settings_changed())

    def show(self) -> None:
        """Open the sheet, unless there are no columns to search."""
        from engine.search import search_algorithms

        project = self._session.project
        if project is None or self._session.results.problem is None:
            return
        if self._dialog is not None:
            self._open(self._dialog, KEY)
            return
        self._compare_settings(project)
        words = {
            key: MemberWords(
                _(PROMISES[kind.promise]), (_(_FINDS[kind.promise]),) if kind.promise in _FINDS else ()
            )
            for key, kind in search_algorithms.items()
        }
        limits = Limits(project.search.steps, project.search.seconds)
        dialog = self._dialog = AlgorithmDialog(search_algorithms, words, limits, self._page)
        dialog.choice.choose(project.search.algorithm, dict(project.search.options))
        dialog.run_requested.connect(self._on_run_requested)
        dialog.cancel_requested.connect(lambda: self._runner.cancel(KEY))
        dialog.stop_requested.connect(self._on_stop_requested)
        dialog.run_chosen.connect(lambda _row: self._show_chosen())
        dialog.select_requested.connect(self._on_select_requested)
        dialog.apply_requested.connect(self._on_apply_requested)
        dialog.use_requested.connect(self._on_use_requested)
        dialog.finished.connect(self._on_finished)
        dialog.banner.action_requested.connect(self._run_again)
        self._show_runs()
        self._open(dialog, KEY)
        dialog.stop_button.setEnabled(not self._stop.is_set())
        dialog.choice.list.setFocus()

    def _on_settings_changed(self) -> None:
        project = self._session.project
        if self._dialog is None or project is None:
            return
        if self._session.results.problem is None:
            self._dialog.reject()
            return
        self._compare_settings(project)
        self._show_runs()
        if not self._outdated:
            self._dialog.banner.hide()

    def _compare_settings(self, project: Project) -> None:
        """Show how the settings of the runs, also of a running one, differ from the current ones."""
        made_with = self._made_with
        has_runs = self._runs or self._runner.running(KEY) is not None
        if has_runs and made_with is not None and not _is_comparable(made_with, project):
            self._outdated = made_with_text(made_with, project) or self.tr("Made with other settings")
        else:
            self._take_settings(project)

    def _take_settings(self, project: Project) -> None:
        """Use the current settings for all further runs."""
        self._made_with, self._outdated = project, ""

    # -- running -------------------------------------------------------------------------------

    def _on_run_requested(self, algorithm: SearchAlgorithm, limits: Limits) -> None:
        project, problem = self._session.project, self._session.results.problem
        if project is None or problem is None:
            return
        if self._outdated:
            self._runs = []
            self._take_settings(project)
            self._show_runs()
        profile, self._stop = self._session.results.profile, Event()
        task = Task(run_algorithm, algorithm, limits, project, problem, profile, self._stop)
        task.cancelled.connect(self._waiting.clear)
        task.failed.connect(lambda _error: self._waiting.clear())
        task.succeeded.connect(self._on_found)
        self._start(task, KEY, algorithm.title)

    def _on_stop_requested(self) -> None:
        """End the current run with its best node, and do not repeat further ones."""
        self._waiting.clear()
        self._stop.set()

    def _on_found(self, run: AlgorithmRun) -> None:
        self._runs.append(run)
        if self._dialog is not None:
            self._dialog.show_busy("")
            self._show_runs()
        self._run_next()

    def _run_again(self) -> None:
        """Repeat all runs, one after the other."""
        if self._outdated and self._dialog is not None and not self._dialog.is_running:
            self._waiting = list({(run.algorithm, run.limits): run for run in self._runs}.values())
            self._run_next()

    def _run_next(self) -> None:
        if self._waiting:
            run = self._waiting.pop(0)
            self._on_run_requested(run.algorithm, run.limits)

    # -- results --------------------------------------------------------------------------------

    def _show_runs(self) -> None:
        if self._dialog is not None and self._session.project is not None:
            made_with = self._made_with or self._session.project
            headings = run_headings(made_with.search.metric)
            self._dialog.show_runs(headings, run_rows(self._runs), len(self._runs) - 1)
            if self._outdated:
                self._dialog.banner.show_error(self._outdated, action=self.tr("Run again"), tone="warn")
            self._show_chosen()

    def _show_chosen(self) -> None:
        dialog, problem, project = self._dialog, self._session.results.problem, self._session.project
        if dialog is None or problem is None or project is None:
            return
        row = dialog.table.currentIndex().row()
        if not 0 <= row < len(self._runs):
            first = self.tr("Run an algorithm first")
            dialog.show_run(self._known_without_run(), has_node=False, can_use=False, use_hint=first)
            return
        run = self._runs[row]
        if self._outdated:
            again = self.tr("Made with other settings: run it again first")
            dialog.show_run(run_details(run), has_node=False, can_use=False, use_hint=again, no_node=again)
            return
        can_use = _with_algorithm(project, run).search != project.search
        dialog.show_run(
            run_details(run),
            has_node=run.node is not None,
            can_use=can_use,
            use_hint=self.tr("Recipes and projects will name it")
            if can_use
            else self.tr("This is the algorithm of this project"),
            no_apply=self._session.applied.why_undecided,
        )

    def _known_without_run(self) -> str:
        """Return what the scores of the whole lattice have proven, or that nothing has run."""
        results = self._session.results
        evaluation, optimum = results.evaluation, results.optimum
        if evaluation is None or optimum is None or not results.is_optimum_proved or results.is_explored:
            return self.tr("No algorithm has run with these settings yet.")
        metric = self._session.shown.metric
        number = np.array([evaluation.lattice.number(optimum)])
        return self.tr(
            "Exhaustive: proven. All {n_nodes} nodes are scored, and the optimum has {metric} {value}. "
            "No other algorithm has run with these settings yet."
        ).format(
            n_nodes=as_exact_count(evaluation.lattice.n_nodes),
            metric=metric_name(metric),
            value=metric_text(metric)(float(evaluation.metric_at(metric, number)[0])),
        )

    def _on_select_requested(self, row: int) -> None:
        if self._dialog is not None and (node := self._runs[row].node) is not None:
            self._dialog.accept()
            self.perspective_requested.emit("explore")
            self._session.selection.select(node)

    def _on_apply_requested(self, row: int) -> None:
        if self._dialog is not None and (node := self._runs[row].node) is not None:
            self._dialog.accept()
            self._session.selection.select(node)
            self.apply_requested.emit(node)

    def _on_use_requested(self, row: int) -> None:
        project = self._session.project
        if project is None:
            return
        run = self._runs[row]
        after = _with_algorithm(project, run)
        self._session.edit(self.tr("Search with {title}").format(title=run.algorithm.title), after)
        self._take_settings(after)
        self._show_chosen()

    def _on_project_opened(self, _project: object) -> None:
        self._waiting.clear()
        self._runner.cancel(KEY)
        self._runs, self._made_with, self._outdated = [], None, ""
        if self._dialog is not None:
            self._dialog.reject()

    def _on_finished(self, _result: int) -> None:
        self._end()


_FINDS = {
    "best_known": N_("It may miss the optimum, and never proves it."),
    "none": N_("Its node may be far from the optimum."),
}


def _with_algorithm(project: Project, run: AlgorithmRun) -> Project:
    """Return the project with the algorithm, the parameters and the limits of a run."""
    after = edits.set_algorithm(project, run.algorithm.key, changed_values(run.algorithm))
    search = replace(after.search, steps=run.limits.steps, seconds=run.limits.seconds)
    return replace(after, search=search)


def _is_comparable(before: Project, now: Project) -> bool:
    """Return whether two projects differ only in the algorithm, its limits, or settings without effect."""
    parts = [field.name for field in fields(Project) if field.name not in _NO_PART]
    old = replace(before.search, algorithm="", options={}, steps=0, seconds=0.0)
    new = replace(now.search, algorithm="", options={}, steps=0, seconds=0.0)
    return old == new and all(getattr(before, part) == getattr(now, part) for part in parts)
