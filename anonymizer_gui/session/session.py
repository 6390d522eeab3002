"""Open project with results and selection; emits a signal for every change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.applied import Applied
from anonymizer_gui.session.history import History, Remembered, Saved, UndoStep
from anonymizer_gui.session.parts import ProjectParts, Reading, Selection, Shown, changed_parts
from anonymizer_gui.session.results import Results
from anonymizer_gui.session.table_versions import ProjectVersion, TableVersions
from anonymizer_gui.tasks import TaskRunner
from engine.errors import AnonymizerError, InputError
from engine.project import Project, edits
from engine.project.pins_and_runs import Choice, ProjectState

if TYPE_CHECKING:
    from anonymizer_gui.session.applied import ReleaseRecord
    from engine.frequency import Problem
    from engine.recoding import Release


class Session(QObject):
    """Holds one project; edits replace the project, and signals announce every change.

    Attributes
    ----------
    reading : whether only the first records of the table are read.
    history : undo steps.
    parts : parts of the project that an edit has changed.
    shown : requirement and metric for the evaluation.
    results : results of the project.
    selection : selected node.
    applied : applied release.
    remembered : pinned nodes and applied releases.
    saved : state of the project file.
    runner : runs tasks of the project, and all others that need no runner of their own.
    """

    project_opening = Signal()  # another project is about to replace this one
    project_opened = Signal(object)  # Project, or None when it was closed
    snapshot_changed = Signal()  # a change of the project file's content

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runner = TaskRunner(self)
        self.project: Project | None = None
        self._is_jumping = False  # over several steps, announced as one
        self.tables = TableVersions()  # for undo steps
        self.history = History(self)
        self.reading = Reading(self)
        self.parts = ProjectParts(self)
        self.shown = Shown(self, self)
        self.results = Results(self, self)
        self.selection = Selection(self)
        self.applied = Applied(self, self.tables, self)
        self.remembered = Remembered(self.history, self)
        self.results.problem_changed.connect(self._forget_nodes)
        self.saved = Saved(self.history, self.applied, self.remembered, self)
        for signal in (
            self.selection.changed,
            self.remembered.pins_changed,
            self.remembered.runs_changed,
            self.applied.changed,
        ):
            signal.connect(self.snapshot_changed)

    # State ---------------------------------------------------------------------------------------

    def snapshot(self) -> tuple[Project, ProjectState]:
        """Return the content for a project file: the current project and its state.

        Raises
        ------
        RuntimeError
            There is no project.
        """
        if self.project is None:
            raise RuntimeError("there is no project to keep")
        return self.project, ProjectState(
            self.applied.node, self.selection.node, self.remembered.runs, self.remembered.pins
        )

    # Project -----------------------------------------------------------------------------------

    def open_project(
        self,
        project: Project | None,
        path: Path | None = None,
        state: ProjectState = ProjectState(),
        *,
        provisional: bool = False,
    ) -> None:
        """Open a project with its pins and runs, and discard all results of the previous one.

        A provisional project has the first records of its table; `finish_reading` adds the rest.
        """
        self.project_opening.emit()
        was_provisional, had_selection = self.reading.is_provisional, self.selection.node is not None
        self.project = project
        self.reading.begin(project.table if project is not None and provisional else None)
        self.saved.take(path, state)
        self.remembered.take(state)
        self.history.clear()
        self.tables.clear()
        for part in (self.applied, self.shown, self.selection, self.results):
            part.forget()
        self.project_opened.emit(project)
        self.remembered.announce()
        if had_selection:
            self.selection.changed.emit(None)
        self.results.announce_all()
        self.applied.announce()
        self.saved.modified_changed.emit(False)
        self.applied.compare()
        if was_provisional or provisional:
            self.reading.changed.emit(provisional)
        self.snapshot_changed.emit()

    def close_project(self) -> None:
        """Close the project."""
        if self.project is not None:
            self.open_project(None)

    def finish_reading(self, after: Project) -> None:
        """Replace the first records by the complete table; roles and settings changed in between are kept.

        This is not an undo step: states restored by undo then have the complete table too.

        Raises
        ------
        ValueError
            The complete table has other columns.
        """
        if not self.reading.is_provisional or self.project is None:
            return
        if after.table.names != self.project.table.names:
            raise ValueError("the whole table has other columns than its beginning")
        self.reading.finish(after)
        self._show(self.project)
        self.reading.changed.emit(False)

    def edit(self, text: str, after: Project, choice: Choice | None = None, knob: str = "") -> None:
        """Set a new version of the project as one undo step; an equal version makes no step.

        `choice` has the node that the step is about, if any, and `knob` names what was turned, so that its
        further turns within a moment belong to the step.
        """
        if self.project is None:
            raise RuntimeError("there is no project to edit")
        before = self.project
        after = self.reading.with_complete_table(after)
        if self.reading.is_provisional and after.table is not before.table:
            raise InputError(
                self.tr("The table cannot be changed while it is being read."),
                hint=self.tr("Wait until the table has been read completely."),
            )
        if changed_parts(before, after):
            self.shown.forget()
            self._push(text, self.tables.note(before, after), self._show, choice, knob)
        else:
            self.shown.cancel()

    def change(self, text: str, edit: Callable[..., Project], *given: Any) -> None:
        """Edit the open project, if there is one, by a function of it and of further arguments."""
        if self.project is not None:
            self.edit(text, edit(self.project, *given))

    def change_later(
        self,
        text: str,
        edit: Callable[..., Project],
        *given: Any,
        otherwise: Callable[[AnonymizerError], object],
        key: str,
    ) -> None:
        """Make an edit in the background; it is discarded if the project has changed meanwhile."""
        if (project := self.project) is not None:

            def take(after: Project) -> None:
                if self.project is project:
                    self.edit(text, after)

            self.runner.run(edit, project, *given, then=take, otherwise=otherwise, key=key)

    def edit_release(
        self, text: str, after: Project, release: Release, made_with: Project | None = None
    ) -> None:
        """Set a new version of the project together with another release, as one undo step.

        `made_with` is the project of the release, `after` by default.
        """
        if self.project is None:
            raise RuntimeError("there is no project to edit")
        versions = self.tables.note(self.project, after)
        other: ReleaseRecord | None = self.applied.record(release, made_with or after)

        def show(project: Project) -> None:
            nonlocal other
            shown = self.applied.release
            other = self.applied.swap(other)
            self._show(project)
            if not self._is_jumping and (shown is None or self.applied.release is not shown):
                self.applied.announce()

        choice = Choice(release.problem.names, release.node, after.requirement, after.search.metric)
        self._push(text, versions, show, choice)

    def keep_levels(self, levels: Mapping[str, int]) -> None:
        """Allow no other levels, as one undo step; an applied release on them stays."""
        if self.project is None:
            return
        after, release = edits.keep_levels(self.project, levels), self.applied.release
        if after is self.project:
            return
        text = self.tr("Keep these levels")
        if release is None or release.levels != levels or self.applied.stale_text:
            self.edit(text, after)
        else:
            self.edit_release(text, after, release)

    def apply_release(self, text: str, release: Release, made_with: Project) -> None:
        """Make a release of the project the applied one, as an undo step that changes nothing else."""
        other: ReleaseRecord | None = self.applied.record(release, made_with)

        def swap() -> None:
            nonlocal other
            other = self.applied.swap(other)
            self.applied.compare()
            if not self._is_jumping:
                self.applied.announce()

        choice = Choice(release.problem.names, release.node, made_with.requirement, made_with.search.metric)
        self.history.push(UndoStep(text, swap, swap, choice))

    def go_to_step(self, step: int) -> None:
        """Undo or redo up to a step and announce the result once."""
        before, release = self.project, (self.applied.release, self.applied.evicted)
        if self.history.is_drafting or before is None:
            self.history.go_to(step)
            return
        pins, runs = self.remembered.pins, self.remembered.runs
        self._is_jumping = True
        self.remembered.blockSignals(True)
        try:
            self.history.go_to(step)
        finally:
            self.remembered.blockSignals(False)
            self._is_jumping = False
        self._announce(before)
        if self.remembered.pins is not pins:
            self.remembered.pins_changed.emit()
        if self.remembered.runs is not runs:
            self.remembered.runs_changed.emit()
        if (self.applied.release, self.applied.evicted) != release:
            self.applied.announce()

    def mark_saved(self, path: Path) -> None:
        """Mark the project as saved in a file."""
        self.saved.mark(path, self.snapshot()[1])

    def _push(
        self,
        text: str,
        versions: tuple[ProjectVersion, ProjectVersion],
        show: Callable[[Project], None],
        choice: Choice | None,
        knob: str = "",
    ) -> None:
        """Push a step between two versions of the project, which share all unchanged parts."""
        before, after = versions
        self.history.push(
            UndoStep(
                text,
                after=lambda: show(self.tables.project(after)),
                before=lambda: show(self.tables.project(before)),
                choice=choice,
                knob=knob,
            )
        )

    def _show(self, project: Project) -> None:
        """Make an edited version the current one and announce only the changed parts."""
        assert self.project is not None
        before, self.project = self.project, self.reading.with_complete_table(project)
        self.shown.forget()
        if not self._is_jumping:
            self._announce(before)

    def _announce(self, before: Project) -> None:
        """Announce the parts that differ from an earlier version."""
        assert self.project is not None
        self.results.drop_misfit()
        self.parts.announce(before, self.project)
        self.applied.compare()
        self.snapshot_changed.emit()

    def _forget_nodes(self, problem: Problem | None, _error: object) -> None:
        self.selection.keep_only(lambda node: problem is not None and node in problem.lattice)
