"""Analyses of the applied or previewed release, one by one off the GUI thread, with cached findings."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from anonymizer_gui.session.session import Session
from anonymizer_gui.tasks import Task
from engine.errors import CancelledError

if TYPE_CHECKING:
    from engine.findings.base import Analysis
    from engine.findings.subject import Subject
    from engine.lattice import Node
    from engine.project import Project
    from engine.recoding import Release


KEY = "preview"


class Preview(QObject):
    """Makes the release of the selected node while a page wants it.

    It is never exported and makes no undo step. An applied release replaces it. A cancelled preview is made
    when a page is shown again.
    """

    changed = Signal()  # another preview, or none
    state_changed = Signal()  # one is being made, or no longer

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._runner = session, session.runner
        self._wanting: set[str] = set()
        self.release: Release | None = None
        self.made_with: Project | None = None
        self._tried: tuple[Node, Project] | None = None
        # One look for the several signals of an edit.
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._look)
        for signal in (
            session.selection.changed,
            session.applied.changed,
            session.results.problem_changed,
            session.project_opened,
        ):
            signal.connect(self._on_changed)

    @property
    def node(self) -> Node | None:
        """Node to preview: the selected one; None if there is none, or one is applied."""
        session = self._session
        if session.applied.release is not None or session.applied.evicted is not None:
            return None
        if session.results.problem is None or not session.results.is_problem_current:
            return None
        return session.selection.node

    @property
    def is_settled(self) -> bool:
        """Return whether the preview belongs to the current node and settings."""
        return not self._timer.isActive() and not self.is_pending

    @property
    def is_pending(self) -> bool:
        """Return whether a preview is being made."""
        return self._runner.running(KEY) is not None

    def want(self, page: str, is_wanted: bool) -> None:
        """Set whether a page shows previews now."""
        (self._wanting.add if is_wanted else self._wanting.discard)(page)
        self._look()

    # -------------------------------------------------------------------------------------------

    def _on_changed(self, *_: object) -> None:
        if self.release is not None and not self._is_current():
            self._forget()
        self._timer.start()

    def _is_current(self) -> bool:
        """Return whether the release is the one that would be made now."""
        project, node = self._session.project, self.node
        return project is not None and node is not None and self._tried == (node, project)

    def _forget(self) -> None:
        self._tried = None
        self._runner.cancel(KEY)
        if self.release is not None:
            self.release = self.made_with = None
            self.changed.emit()

    def _look(self) -> None:
        self._timer.stop()
        if not self._is_current():
            self._forget()
        project, problem, node = self._session.project, self._session.results.problem, self.node
        if not self._wanting or self._tried is not None or node is None:
            return
        if project is None or problem is None or node not in problem.lattice:
            return
        from engine.recoding import make_release

        self._tried = wanted = (node, project)
        made_with = replace(project, recoding=None) if project.recoding is not None else project
        task = Task(make_release, made_with, problem, node)

        def take(release: Release) -> None:
            if self._tried == wanted:
                self.release, self.made_with = release, made_with
                self.changed.emit()

        task.succeeded.connect(take)

        def retry_later() -> None:
            if self._tried == wanted:
                self._tried = None

        task.cancelled.connect(retry_later)
        task.failed.connect(self._runner.error_raised)
        task.ended.connect(self.state_changed)
        self._runner.start(task, label=self.tr("Previewing the selected node"), key=KEY)
        self.state_changed.emit()


MOST_KEPT = 48  # findings; the least recently used ones are removed first
_Done = Callable[[Any], object]
_Failed = Callable[[Exception], object]


@dataclass(frozen=True)
class _Requester:
    """Callbacks of one requester."""

    place: str
    done: _Done
    failed: _Failed | None


@dataclass(eq=False)
class _Request:
    """Queued analysis with its requesters."""

    analysis: Analysis
    requesters: list[_Requester]

    def is_from(self, key: str, place: str) -> bool:
        """Return whether it is of this kind and was requested from this page."""
        return self.analysis.key == key and any(requester.place == place for requester in self.requesters)

    def deliver(self, found: Any) -> None:
        """Pass the findings to all requesters."""
        for requester in tuple(self.requesters):
            requester.done(found)

    def fail(self, error: Exception) -> None:
        """Pass the error to all requesters."""
        for requester in tuple(self.requesters):
            if requester.failed is not None:
                requester.failed(error)


class AnalysisDesk(QObject):
    """Queue of analyses of the release; cheap ones run before slow ones, else in order of request.

    An analysis requested from the same page replaces an earlier one of the same kind, whose findings are no
    longer needed. A new release discards all findings and pending requests without a reply: request again on
    `subject_changed`.
    """

    subject_changed = Signal()  # another release, or none
    changed = Signal()  # an analysis was queued, ended or cancelled
    progressed = Signal(str, int, int)  # key of the analysis, done, total

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._runner = session.runner
        self.preview = Preview(session, self)
        self._subject: Subject | None = None
        self._known: OrderedDict[Analysis, Any] = OrderedDict()
        self._waiting: list[_Request] = []
        self._answering: _Request | None = None
        self._task: Task | None = None
        self.preparing: Callable[[], object] | None = None  # runs in a task once there is a release
        session.applied.changed.connect(self._on_release_changed)
        self.preview.changed.connect(self._on_release_changed)

    @property
    def is_preview(self) -> bool:
        """Return whether the release described is that of the selected node, which is not applied."""
        return self.session.applied.release is None and self.preview.release is not None

    @property
    def subject(self) -> Subject | None:
        """Applied release with the project it was made with, else the previewed one, or None."""
        described = self.preview if self.is_preview else self.session.applied
        release, project = described.release, described.made_with
        if release is None or project is None:
            return None
        known = self._subject
        if known is None or known.release is not release or known.project is not project:
            from engine.findings.subject import Subject

            self._subject = Subject(project, release)
        return self._subject

    @property
    def is_settled(self) -> bool:
        """Return whether no analysis is pending."""
        return self._answering is None and not self._waiting

    def known(self, analysis: Analysis) -> Any | None:
        """Return the cached findings of an analysis of this release, or None."""
        found = self._known.get(analysis)
        if found is not None:
            self._known.move_to_end(analysis)
        return found

    def is_pending(self, key: str, place: str = "") -> bool:
        """Return whether an analysis of this kind is pending for this page."""
        return any(request.is_from(key, place) for request in self._open())

    def ask(self, analysis: Analysis, done: _Done, failed: _Failed | None = None, *, place: str = "") -> None:
        """Request an analysis of the release; cached findings are passed on immediately.

        Parameters
        ----------
        done : callable
            Receives the findings, on the GUI thread.
        failed : callable, optional
            Receives the exception; a `CancelledError` if the user cancelled the analysis.
        place : str
            Requesting page; its next request of the same kind replaces this one.
        """
        self._drop(analysis.key, place, but=analysis)
        found = self.known(analysis)
        if found is not None:
            done(found)
            return
        if self.subject is None:
            return
        requester = _Requester(place, done, failed)
        same = next((request for request in self._open() if request.analysis == analysis), None)
        if same is not None:
            same.requesters.append(requester)
            return
        self._waiting.append(_Request(analysis, [requester]))
        self._waiting.sort(key=lambda request: request.analysis.is_costly)
        self._begin_next()
        self.changed.emit()

    def cancel(self, key: str, place: str = "") -> None:
        """Cancel an analysis as the user does with Cancel; requesters receive a `CancelledError`."""
        taken = [request for request in self._waiting if request.is_from(key, place)]
        self._waiting = [request for request in self._waiting if request not in taken]
        for request in taken:
            request.fail(CancelledError())
        if self._answering is not None and self._answering.is_from(key, place):
            assert self._task is not None
            self._task.cancel()
        self.changed.emit()

    # -------------------------------------------------------------------------------------------

    def _open(self) -> list[_Request]:
        return [*self._waiting, *([self._answering] if self._answering is not None else [])]

    def _drop(self, key: str, place: str, but: Analysis) -> None:
        """Remove an earlier request of this kind and page; the analysis runs on if others requested it."""
        for request in self._open():
            if request.analysis.key == key and request.analysis != but:
                request.requesters = [
                    requester for requester in request.requesters if requester.place != place
                ]
        self._waiting = [request for request in self._waiting if request.requesters]
        if self._answering is not None and not self._answering.requesters:
            self._give_up()
            self._begin_next()

    def _give_up(self) -> None:
        """Cancel the running analysis."""
        task, self._task, self._answering = self._task, None, None
        if task is not None:
            task.cancel()

    def _begin_next(self) -> None:
        if self._answering is not None or not self._waiting or self.subject is None:
            return
        request = self._answering = self._waiting.pop(0)
        task = self._task = Task(request.analysis.run, self.subject)
        key = request.analysis.key
        task.progressed.connect(lambda done, total, _text: self.progressed.emit(key, done, total))
        task.succeeded.connect(lambda found: self._on_succeeded(request, found))
        task.failed.connect(lambda error: self._on_failed(request, error))
        task.cancelled.connect(lambda: self._on_failed(request, CancelledError()))
        task.ended.connect(self._on_ended)
        self._runner.start(task, label=request.analysis.title, key=("analysis", request.analysis))

    def _on_succeeded(self, request: _Request, found: Any) -> None:
        if self._is_over(request):
            self._known[request.analysis] = found
            while len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)
            request.deliver(found)

    def _on_failed(self, request: _Request, error: Exception) -> None:
        if self._is_over(request):
            request.fail(error)

    def _is_over(self, request: _Request) -> bool:
        """Record the end of an analysis; return False if no request for it is pending any more."""
        if request is not self._answering:
            return False
        self._answering = self._task = None  # before the callbacks, which may request again
        return True

    def _on_ended(self) -> None:
        self._begin_next()
        self.changed.emit()

    def _on_release_changed(self) -> None:
        before = self._subject
        if before is not None and self.subject is before:
            return
        self._waiting.clear()
        self._give_up()
        self._known.clear()
        if self.subject is None:
            self._subject = None
        elif self.preparing is not None:
            self._runner.start(Task(self.preparing), key="analysis.prepare")
            self.preparing = None
        self.subject_changed.emit()
        self.changed.emit()
