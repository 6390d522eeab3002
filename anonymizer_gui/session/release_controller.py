"""Release of the selected node: applied, recorded in the run history, and written as a verified file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.parts import is_compiled_alike
from anonymizer_gui.session.session import Session
from anonymizer_gui.tasks import Task
from engine.errors import InputError, RequirementNotMetError
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.project.deciding import refuse_undecided
from engine.project.pins_and_runs import Run
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.recoding import RecodingMethod, Release
    from engine.report import Verification


class _ReleaseRequest(NamedTuple):
    """Request for a release: of a node, or of the project's recoding method starting at it.

    `columns` names the columns that the levels of the node refer to, if given. A release that is applied
    again is only accepted if it satisfies the requirement. `is_step` is whether undo takes it back.
    """

    node: Node | None
    is_recoded: bool
    columns: tuple[str, ...] | None = None
    must_satisfy: bool = False
    is_step: bool = True


class ReleaseController(QObject):
    """Makes one release at a time; a newer request replaces an older one."""

    failed = Signal(object)  # the exception
    state_changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = session.runner
        self._restoring: Task | None = None  # recomputes a release that undo returned to
        self._waiting: _ReleaseRequest | None = None  # starts once the current settings are compiled
        session.project_opened.connect(self._on_project_opened)
        session.results.problem_changed.connect(self._on_problem_changed)
        session.applied.changed.connect(self._on_release_changed)

    @property
    def is_applying(self) -> bool:
        return self._waiting is not None or self._runner.running("release") is not None

    def apply(self, node: Node) -> None:
        """Make the release of a node the applied one, with one level per column, as an undo step.

        If levels have varied by record until now, this turns that off.
        """
        self._make(_ReleaseRequest(node, is_recoded=False))

    def apply_as_set(self, node: Node | None) -> None:
        """Make the release as the project sets it: of a node, or of the recoding method starting at it.

        It belongs to the step that set the project, or to its opening, and makes none of its own.
        """
        project = self._session.project
        if project is not None:
            self._make(_ReleaseRequest(node, is_recoded=project.recoding is not None, is_step=False))

    def apply_again(self) -> None:
        """Apply the out-of-date release again under the current settings."""
        project, release = self._session.project, self._session.applied.release
        if project is None or release is None:
            return
        is_recoded = project.recoding is not None
        node, names = release.node, release.problem.names
        self._make(_ReleaseRequest(node, is_recoded, columns=names, must_satisfy=True))

    def apply_optimum(self) -> None:
        """Apply the optimum of the current evaluation."""
        if (node := self._session.results.optimum) is not None:
            self.apply(node)

    def _make(self, request: _ReleaseRequest) -> None:
        project, problem = self._session.project, self._session.results.problem
        if project is None:
            return
        try:
            refuse_undecided(project)
        except InputError as error:
            self.failed.emit(error)
            return
        if problem is None or not self._session.results.is_problem_current:
            self._waiting = request
            return
        self._waiting = None
        node = _levels_of(request, problem)
        if request.node is not None and (node is None or node not in problem.lattice):
            if request.must_satisfy:
                self.failed.emit(
                    InputError(
                        _("The applied node does not exist with the current settings."),
                        hint=_("Apply the optimum (Ctrl+Enter), or choose another node."),
                    )
                )
            return
        request = request._replace(node=node)
        if request.is_recoded and project.recoding is not None:
            task = Task(_recoded, project, problem, project.recoding, request.node)
            task.succeeded.connect(lambda release: self._take(project, release, is_step=request.is_step))
            label = project.recoding.title
        elif request.node is not None:
            task = Task(_release, project, problem, request.node, request.must_satisfy)
            task.succeeded.connect(
                lambda release: self._on_node_released(project, release, is_step=request.is_step)
            )
            label = self.tr("Applying the node")
        else:
            return
        task.failed.connect(self.failed)
        task.ended.connect(self.state_changed)
        self._runner.start(task, label=label, key="release")
        self.state_changed.emit()

    def _take(self, made_with: Project, release: Release, *, is_step: bool) -> None:
        if is_step:
            self._session.apply_release(self.tr("Apply a node"), release, made_with)
        else:
            self._session.applied.set(release, made_with)

    def _on_node_released(self, made_with: Project, release: Release, *, is_step: bool) -> None:
        now = self._session.project
        assert now is not None, "with the project its tasks end"
        made_with = replace(made_with, recoding=None) if made_with.recoding is not None else made_with
        if now.recoding is None:
            self._take(made_with, release, is_step=is_step)
            return
        after = replace(now, recoding=None)
        self._session.edit_release(self.tr("Apply a node"), after, release, made_with)

    def _on_project_opened(self, _project: object) -> None:
        self._waiting = None
        self._runner.cancel("release")

    def _on_release_changed(self, _release: object) -> None:
        """Recompute the release that undo returned to; a job for another step is cancelled."""
        project, evicted = self._session.project, self._session.applied.evicted
        if self._restoring is not None:
            self._restoring.cancel()
            self._restoring = None
        if project is None or evicted is None:
            return
        made_with, problem = evicted.made_with, self._session.results.problem
        is_same = self._session.results.is_problem_current and is_compiled_alike(made_with, project)
        task = self._restoring = Task(_made_again, made_with, problem if is_same else None, evicted.node)
        task.succeeded.connect(lambda release: self._session.applied.restore(release, made_with))
        task.failed.connect(self.failed)
        task.ended.connect(self.state_changed)
        self._runner.start(task, label=self.tr("Recomputing the release of this step"), key="release")
        self.state_changed.emit()

    def _on_problem_changed(self, problem: object, error: object) -> None:
        if error is not None:
            self._waiting = None
        if problem is not None and self._waiting is not None:
            self._make(self._waiting)


def _levels_of(request: _ReleaseRequest, problem: Problem) -> Node | None:
    """Return the node of a request in the current column order, or None if the columns differ."""
    if request.node is None or request.columns is None:
        return request.node
    if set(request.columns) != set(problem.names):
        return None
    level_of = dict(zip(request.columns, request.node, strict=True))
    return tuple(level_of[name] for name in problem.names)


def _release(project: Project, problem: Problem, node: Node, must_satisfy: bool) -> Release:
    """Return the release of a node.

    Raises
    ------
    RequirementNotMetError
        The release must satisfy the requirement, but fails it.
    """
    from engine.recoding import make_release

    release = make_release(project, problem, node)
    if not release.satisfies and must_satisfy:
        raise RequirementNotMetError(
            _("The applied node does not satisfy the current settings."),
            hint=_("Apply the optimum (Ctrl+Enter), or choose another node."),
        )
    return release


def _recoded(
    project: Project, problem: Problem, method: RecodingMethod, node: Node | None, monitor: Monitor = SILENT
) -> Release:
    """Return the release of a recoding method, if it satisfies the requirement.

    Raises
    ------
    RequirementNotMetError
        It fails the requirement.
    """
    from engine.pipeline import recode

    release = recode(project, problem, method, node if method.needs_start else None, monitor)
    if not release.satisfies:
        raise RequirementNotMetError(
            _("The release of {title} does not satisfy the requirement.").format(title=method.title),
            hint=_("Apply a satisfying node, such as the optimum, and improve its release."),
        )
    return release


def _made_again(
    project: Project, problem: Problem | None, node: Node | None, monitor: Monitor = SILENT
) -> Release:
    """Return a release recomputed with the project it was first made with."""
    from engine.project.compile import compile_problem

    problem = problem if problem is not None else compile_problem(project)
    if project.recoding is not None:
        return _recoded(project, problem, project.recoding, node, monitor)
    assert node is not None, "a release without a recoding is that of a node"
    return _release(project, problem, node, must_satisfy=False)


class RunRecorder(QObject):
    """Adds each applied release to the history; a release restored by undo or redo is not added again."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, session.runner
        self._known: WeakSet[Release] = WeakSet()
        self._numbers = count()
        self._opened = 0
        session.project_opened.connect(self._on_project_opened)
        session.applied.changed.connect(self._on_release_changed)

    def _on_project_opened(self) -> None:
        self._opened += 1

    def _on_release_changed(self, release: Release | None) -> None:
        made_with = self._session.applied.made_with
        if release is None or made_with is None or release in self._known:
            return
        if self._session.applied.was_restored(release):
            return
        self._known.add(release)
        opened = self._opened
        task = Task(_measured, made_with, release, datetime.now().isoformat(timespec="minutes"))
        task.succeeded.connect(lambda run: self._record(run, opened))
        task.failed.connect(self._on_failed)
        self._runner.start(task, key=("run", next(self._numbers)))

    def _on_failed(self, error: Exception) -> None:
        raise error  # a finished release can always be measured, so this is a bug

    def _record(self, run: Run, opened: int) -> None:
        if opened != self._opened:
            return
        runs = self._session.remembered.runs
        # An opened project recomputes its release, which is already in the history.
        if not runs or not _is_alike(run, runs[-1]):
            from engine.project.run_settings import thinned

            self._session.remembered.set_runs(thinned((*runs, run)))


def _is_alike(run: Run, last: Run) -> bool:
    """Return whether two runs are of the same release; the last one may have fewer values."""
    figures = {key: run.figures.get(key) for key in last.figures}
    return replace(run, figures=figures, **_words(last)) == last


def _words(run: Run) -> dict[str, Any]:
    """Return the fields that do not identify a release."""
    names = ("made_at", "note", "name", "is_pinned", "settings")
    return {name: getattr(run, name) for name in names}


def _measured(project: Project, release: Release, made_at: str) -> Run:
    from engine.project.run_settings import run_of

    return run_of(project, release.problem, release, made_at)


@dataclass(frozen=True, eq=False)
class Written:
    """A verified file.

    Attributes
    ----------
    path : Path
        For a folder on a cluster, the part of it that is a path here.
    verification : Verification
        Includes the digest of the file at the time of verification, but not of a folder on a cluster.
    """

    path: Path
    verification: Verification

    @property
    def is_on_cluster(self) -> bool:
        """Return whether it is a folder on a cluster."""
        return not self.verification.file.sha256


class WrittenRelease(QObject):
    """Stores the last exported file of the applied release; a new release removes it."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._release: Release | None = None
        self.now: Written | None = None
        session.applied.changed.connect(self._on_release_changed)

    def take(self, release: Release, written: Written) -> None:
        """Store the file of a release."""
        if release is self._session.applied.release:
            self._release, self.now = release, written
            self.changed.emit()

    def _on_release_changed(self, release: Release | None) -> None:
        if self.now is not None and release is not self._release:
            self._release = self.now = None
            self.changed.emit()
