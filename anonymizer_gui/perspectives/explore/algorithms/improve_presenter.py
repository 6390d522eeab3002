"""Tries recoding methods on the applied release; using one replaces it as an undo step."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from anonymizer_gui.models.node_name import own_name
from anonymizer_gui.perspectives.explore.algorithms.improve_dialog import ImproveDialog
from anonymizer_gui.perspectives.explore.algorithms.member_choice import MemberWords
from anonymizer_gui.perspectives.explore.algorithms.release_measures import (
    Improvement,
    ReleaseMeasures,
    measure_headings,
    measure_release,
    measure_rows,
    ranked,
    try_headings,
    try_method,
    try_rows,
)
from anonymizer_gui.perspectives.explore.algorithms.trial_dialog import TrialPresenter
from anonymizer_gui.session import Session
from anonymizer_gui.session.words import recoding_title, why_not_improved
from anonymizer_gui.tasks import Task
from engine.errors import AnonymizerError
from engine.numbers import as_exact_count
from engine.params import values_of
from engine.project import Project

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.recoding import RecodingMethod, Release


class MethodQueue:
    """Order and progress of several trials.

    Attributes
    ----------
    refused : list of str
        Titles of the methods that do not support the table or the requirement.
    """

    def __init__(self) -> None:
        self.n_methods = self.n_begun = 0
        self.refused: list[str] = []
        self._waiting: list[RecodingMethod] = []

    @property
    def is_running(self) -> bool:
        """Return whether a method is being tried or waits."""
        return self.n_methods > 0

    def start(self, methods: Sequence[RecodingMethod]) -> None:
        """Queue methods in place of all others."""
        self._waiting = list(methods)
        self.n_methods, self.n_begun, self.refused = len(methods), 0, []

    def next(self) -> RecodingMethod | None:
        """Return the next method to try; None after the last."""
        if not self._waiting:
            return None
        self.n_begun += 1
        return self._waiting.pop(0)

    def share(self, of_method: float) -> float:
        """Return the progress of all methods from that of the current one."""
        return (self.n_begun - 1 + of_method) / max(self.n_methods, 1)

    def end(self) -> list[str]:
        """Forget the waiting methods; return the titles of those that refused."""
        refused = self.refused
        self.start(())
        return refused


KEY, BASE_KEY = "improve", "improve base"
MOST_TRIES = 9  # each holds a complete table
MOST_BY_ITSELF = 200_000  # records; methods are tried on larger tables when asked to


class ImprovePresenter(TrialPresenter):
    """Holder of the trials until the settings or the applied node change."""

    def __init__(self, session: Session, page: QWidget) -> None:
        super().__init__(session, page)
        self._dialog: ImproveDialog | None = None
        self._methods: Mapping[str, type[RecodingMethod]] = {}
        self._base: tuple[Release, ReleaseMeasures] | None = None
        self._tries: list[Improvement] = []
        self._all = MethodQueue()
        self._stop = Event()  # of the current try
        self._can_stop = False
        session.project_opened.connect(self._on_project_opened)
        session.snapshot_changed.connect(self._on_settings_changed)
        session.applied.changed.connect(lambda _release: self._on_settings_changed())
        session.applied.stale_changed.connect(lambda _text: self._on_settings_changed())

    def show(self) -> None:
        """Open the sheet for the applied release."""
        from engine.recoding import recoding_methods

        project, release = self._session.project, self._session.applied.release
        if project is None or release is None or why_not_improved(self._session):
            return
        if self._dialog is not None:
            self._open(self._dialog, KEY)
            return
        self._methods = recoding_methods
        self._tries = [made for made in self._tries if self._is_comparable(made)]
        words = {key: MemberWords(lines=(self._weakness(kind),)) for key, kind in recoding_methods.items()}
        dialog = self._dialog = ImproveDialog(recoding_methods, words, self._page)
        dialog.choice.chosen.connect(lambda _key: self._show_can_try())
        dialog.try_requested.connect(self._on_try_requested)
        dialog.all_button.clicked.connect(self._on_all_requested)
        dialog.cancel_requested.connect(lambda: self._runner.cancel(KEY))
        dialog.stop_requested.connect(self._on_stop_requested)
        dialog.line_chosen.connect(lambda _row: self._show_line())
        dialog.use_requested.connect(self._on_use_requested)
        dialog.finished.connect(self._on_finished)
        if project.recoding is not None:
            dialog.choice.choose(project.recoding.key, values_of(project.recoding))
        else:
            dialog.choice.choose(next(key for key in recoding_methods if not self._why_no_try(key)))
        self._show_tries(len(self._tries))
        if self._base is None or self._base[0] is not release:
            self._measure_base(project, release)
        if self._all.is_running:
            self._show_all_busy()
        self._open(dialog, KEY)
        if not self._tries and not dialog.is_running and project.table.n_records <= MOST_BY_ITSELF:
            self._on_all_requested()
        dialog.show_stop(can_stop=dialog.is_running and self._can_stop and not self._stop.is_set())
        dialog.choice.list.setFocus()

    def _on_settings_changed(self) -> None:
        """Keep the trials that are comparable with the applied release; close without such a release."""
        dialog, project, release = self._dialog, self._session.project, self._session.applied.release
        if dialog is None:
            return
        if project is None or release is None or why_not_improved(self._session):
            dialog.reject()
            return
        self._tries = [made for made in self._tries if self._is_comparable(made)]
        if self._base is None or self._base[0] is not release:
            self._measure_base(project, release)
        self._show_tries(dialog.tries.currentIndex().row())
        self._show_can_try()

    # -- the applied release -------------------------------------------------------------------

    def _measure_base(self, project: Project, release: Release) -> None:
        self._base = None
        task = Task(measure_release, project, release)
        task.succeeded.connect(lambda measures: self._on_base_measured(release, measures))
        task.failed.connect(self._on_failed)
        self._runner.start(task, key=BASE_KEY)

    def _on_base_measured(self, release: Release, measures: ReleaseMeasures) -> None:
        self._base = (release, measures)
        if self._dialog is not None:
            self._show_tries(self._dialog.tries.currentIndex().row())

    def _node(self) -> Node | None:
        """Return the node whose release is improved."""
        release = self._session.applied.release
        return None if release is None else release.node

    def _why_no_try(self, key: str) -> str:
        if self._methods[key].needs_start and self._node() is None:
            return self.tr("Improves the release of a node: apply a node first.")
        return ""

    # -- trials --------------------------------------------------------------------------------

    def _show_can_try(self) -> None:
        if self._dialog is not None:
            self._dialog.show_can_try(self._why_no_try(self._dialog.choice.key))

    def _on_try_requested(self, method: RecodingMethod) -> None:
        project, problem = self._session.project, self._session.results.problem
        if self._dialog is None or project is None or problem is None:
            return
        if method.needs_start and self._node() is None:  # some methods need one only with certain parameters
            hint = self.tr("Apply a node, or let the method start from scratch.")
            self._dialog.banner.show_error(self.tr("Improves the release of a node."), hint, tone="warn")
            return
        task = self._task(project, problem, method, self._node())
        task.succeeded.connect(self._on_tried)
        self._start(task, KEY, method.title)
        self._dialog.show_stop(can_stop=self._can_stop)

    def _task(self, project: Project, problem: Problem, method: RecodingMethod, node: Node | None) -> Task:
        self._stop, self._can_stop = Event(), method.can_stop
        return Task(try_method, project, problem, method, node, self._stop)

    def _on_stop_requested(self) -> None:
        """End the current method with its best release so far."""
        self._stop.set()

    def _on_tried(self, made: Improvement) -> None:
        if self._session.project is None or not self._is_comparable(made):  # changed meanwhile
            if self._dialog is not None:
                self._dialog.show_busy("")
            return
        self._tries = [*self._tries, made][-MOST_TRIES:]
        if self._dialog is not None:
            self._dialog.show_busy("")
            self._show_tries(len(self._tries))

    def _on_all_requested(self) -> None:
        """Try every method that can be tried, one after the other; closing the sheet does not end this."""
        project, problem, node = self._session.project, self._session.results.problem, self._node()
        if project is None or problem is None:
            return
        kinds = [kind for key, kind in self._methods.items() if not self._why_no_try(key)]
        methods = [method for kind in kinds for method in kind.tried()]
        self._all.start([method for method in methods if node is not None or not method.needs_start])
        self._show_all_busy()
        self._try_next(project, problem, node)

    def _try_next(self, project: Project, problem: Problem, node: Node | None) -> None:
        is_same = self._session.project is project and self._node() == node
        method = self._all.next() if is_same else None
        if method is None:
            self._end_all()
            return
        task = self._task(project, problem, method, node)
        task.succeeded.connect(lambda made: self._on_one_tried(made, project, problem, node))
        task.failed.connect(lambda error: self._on_one_refused(error, method, project, problem, node))
        task.cancelled.connect(self._end_all)
        task.progressed.connect(self._on_all_progressed)
        self._runner.start(task, label=self.tr("Trying all methods"), key=KEY)
        if self._dialog is not None:
            self._dialog.show_stop(can_stop=self._can_stop)

    def _on_one_tried(self, made: Improvement, project: Project, problem: Problem, node: Node | None) -> None:
        tries = [other for other in self._tries if other.method != made.method]
        self._tries = ranked([*tries, made])[:MOST_TRIES]
        self._show_tries(1)
        self._try_next(project, problem, node)

    def _on_one_refused(
        self,
        error: Exception,
        method: RecodingMethod,
        project: Project,
        problem: Problem,
        node: Node | None,
    ) -> None:
        if not isinstance(error, AnonymizerError):
            self._end_all()
            raise error
        self._all.refused.append(method.title)
        self._try_next(project, problem, node)

    def _on_all_progressed(self, done: int, total: int, _text: str) -> None:
        if self._dialog is not None:
            self._dialog.job.show_progress(self._all.share(done / max(total, 1)), self._all_text())

    def _show_all_busy(self) -> None:
        if self._dialog is not None:
            self._dialog.show_busy(self._all_text())

    def _all_text(self) -> str:
        return self.tr("Trying all methods: {n} of {total}").format(
            n=as_exact_count(max(self._all.n_begun, 1)), total=as_exact_count(self._all.n_methods)
        )

    def _end_all(self) -> None:
        refused = self._all.end()
        dialog = self._dialog
        if dialog is None:
            return
        dialog.show_busy("")
        if refused:
            text = self.tr("These methods do not support this table or requirement: {names}.")
            dialog.banner.show_error(text.format(names=", ".join(refused)), tone="warn")

    # -- comparing and using -------------------------------------------------------------------

    def _show_tries(self, chosen: int) -> None:
        dialog, release = self._dialog, self._session.applied.release
        if dialog is None or release is None:
            return
        name = recoding_title(release) or (
            own_name(release.node, release.problem) if release.node is not None else ""
        )
        base = None if self._base is None else self._base[1]
        now = self.tr("Current: {name}").format(name=name)
        dialog.show_tries(try_headings(), try_rows(now, base, self._tries), min(chosen, len(self._tries)))
        self._show_line()

    def _show_line(self) -> None:
        dialog = self._dialog
        if dialog is None:
            return
        row = dialog.tries.currentIndex().row()
        made = self._tries[row - 1] if 0 < row <= len(self._tries) else None
        if self._base is not None:
            now = self._base[1]
            after = None if made is None else made.measures
            dialog.show_measures(measure_headings(), measure_rows(now, after))
            last = after or now
            dialog.show_bars((now.detail, last.detail), (now.kept, last.kept))
        if made is None:
            dialog.show_use(can_use=False, why_not=self.tr("Try a method first"), is_fault=False)
        else:
            is_now = made.release is self._session.applied.release
            dialog.show_use(
                can_use=not made.why_not and not is_now,
                why_not=made.why_not or (self.tr("This is the current release") if is_now else ""),
                is_fault=bool(made.why_not),
                weakness=f"{made.method.full_title}. {self._weakness(made.method)}",
            )

    def _on_use_requested(self, number: int) -> None:
        dialog, project = self._dialog, self._session.project
        if dialog is None or project is None or not 0 <= number < len(self._tries):
            return
        made = self._tries[number]
        if made.why_not:
            return
        dialog.accept()
        text = self.tr("Use {title}").format(title=made.method.title)
        self._session.edit_release(text, made.project, made.release)

    def _weakness(self, method: RecodingMethod | type[RecodingMethod]) -> str:
        return self.tr("What an attacker may learn: {weakness}").format(weakness=method.weakness)

    def _is_comparable(self, made: Improvement) -> bool:
        """Return whether a trial was made with the current settings from the applied node."""
        project = self._session.project
        assert project is not None
        parts = [field.name for field in dataclasses.fields(Project) if field.name != "recoding"]
        same = all(getattr(made.project, part) == getattr(project, part) for part in parts)
        return same and (not made.method.needs_start or made.release.node == self._node())

    def _on_project_opened(self, _project: object) -> None:
        self._tries, self._base = [], None
        self._runner.cancel(KEY)
        if self._dialog is not None:
            self._dialog.reject()

    def _on_finished(self, _result: int) -> None:
        self._runner.cancel(BASE_KEY)
        self._end()
