"""The open project, what is known of it and what is selected; announces every change."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.session.history import History
from anonymizer_gui.session.kept_release import KeptRelease, KeptReleases, LostRelease
from anonymizer_gui.session.project_edit import PinsEdit, ProjectEdit, ReleaseEdit, RunsEdit
from anonymizer_gui.session.project_parts import changed_parts
from anonymizer_gui.session.results import Results
from anonymizer_gui.session.selection import Selection
from anonymizer_gui.session.staleness import stale_text
from anonymizer_gui.session.table_versions import TableVersions
from engine.advice.findings import listed
from engine.errors import InputError
from engine.privacy import Requirement
from engine.project import Project
from engine.project.remembered import Pin, ProjectState, Run

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.recoding import Release
    from engine.table import Table


class Session(QObject):
    """Holds one project; edits come in as new projects, facts go out as signals."""

    project_opening = Signal()  # another project comes at once; all is still as it was
    project_opened = Signal(object)  # Project, or None when it was closed
    table_changed = Signal()
    roles_changed = Signal()
    hierarchies_changed = Signal()
    requirement_changed = Signal()
    search_changed = Signal()
    transformation_changed = Signal()
    recoding_changed = Signal()
    preview_changed = Signal()  # a knob turns, or was let go
    release_changed = Signal(object)  # Release or None
    stale_changed = Signal(str)
    modified_changed = Signal(bool)
    pins_changed = Signal()
    runs_changed = Signal()
    reading_changed = Signal(bool)  # whether the table shown is only the beginning of its file
    table_replaced = Signal(object)  # what changed with another reading of the table, for those who tell it
    snapshot_changed = Signal()  # something that a project file holds

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._project: Project | None = None
        self._path: Path | None = None
        self._release: Release | None = None
        self._release_project: Project | None = None
        self._stale_text = ""
        self._preview: tuple[Requirement, str] | None = None
        self._beginning: Table | None = None  # what was read of the table first
        self._whole: Project | None = None  # with the table read to its end
        self._pins: tuple[Pin, ...] = ()
        self._runs: tuple[Run, ...] = ()
        self._saved = ProjectState()  # as it stands in the file, or came without one
        self._was_modified = False  # when it was last told
        self._tables = TableVersions()
        self._kept_releases = KeptReleases(self._tables)
        self._lost: KeptRelease | None = None  # the release of this step, which is to be made again
        self._put_back: WeakSet[Release] = WeakSet()
        self._jump: set[str] | None = None  # what else than the project changed on the way to a step
        self.history = History(self)
        self.history.clean_changed.connect(self._tell_modified)
        self.results = Results(self, self)
        self.selection = Selection(self)
        self.results.problem_changed.connect(self._forget_nodes)
        self.selection.changed.connect(self.snapshot_changed)

    # What is known -----------------------------------------------------------------------------

    @property
    def project(self) -> Project | None:
        """The project as its last edit left it."""
        return self._project

    @property
    def path(self) -> Path | None:
        """The project file, once saved or opened from one."""
        return self._path

    @property
    def release(self) -> Release | None:
        """The applied release."""
        return self._release

    @property
    def release_project(self) -> Project | None:
        """The project as it was when the release was made."""
        return self._release_project

    @property
    def lost_release(self) -> LostRelease | None:
        """The release that undo or redo came to and that nothing holds any more."""
        return None if self._lost is None else self._kept_releases.lost(self._lost)

    @property
    def tables(self) -> TableVersions:
        """The tables that undo steps go back to."""
        return self._tables

    @property
    def stale_text(self) -> str:
        """How the release differs from the settings; empty if it does not."""
        return self._stale_text

    @property
    def is_provisional(self) -> bool:
        """Whether the table is only the beginning of its file, the rest of which is being read.

        Until then nothing is compiled, saved or released, and no edit changes the table.
        """
        return self._beginning is not None and self._whole is None

    @property
    def why_undecided(self) -> str:
        """Why nothing can be applied or leave since a column has no role; empty where all have one."""
        names = () if self._project is None else self._project.undecided
        if not names:
            return ""
        have = self.tr("{0} has none") if len(names) == 1 else self.tr("{0} have none")
        return self.tr("give every column a role first: {0}").format(have.format(listed(names)))

    @property
    def can_release(self) -> str:
        """Why the applied release may not leave; empty where it may.

        How records leave is no reason: the export makes the release again for that.
        """
        if self._project is None:
            return self.tr("open a table first")
        if self.is_provisional:
            return self.tr("the table is still being read")
        if why := self.why_undecided:
            return why
        if self._release is None or self._release_project is None:
            return self.tr("apply a node first, such as the optimum")
        made_with = replace(self._release_project, transformation=self._project.transformation)
        return stale_text(made_with, self._project)

    def snapshot(self) -> tuple[Project, ProjectState]:
        """What a project file holds: the project of now, and what is kept beside it.

        Raises
        ------
        RuntimeError
            There is no project.
        """
        if self._project is None:
            raise RuntimeError("there is no project to keep")
        return self._project, ProjectState(self._applied, self.selection.node, self._runs, self._pins)

    @property
    def _applied(self) -> Node | None:
        """The node whose release is the current one."""
        release = self._release
        return release.node if release is not None and not self._stale_text else None

    @property
    def requirement(self) -> Requirement | None:
        """The requirement to show: that of the turning knob, else the project's."""
        if self._preview is not None:
            return self._preview[0]
        return self._project.requirement if self._project else None

    @property
    def metric(self) -> str:
        """The key of the metric to show: previewed, else the project's."""
        if self._preview is not None:
            return self._preview[1]
        return self._project.search.metric if self._project else "loss"

    @property
    def is_previewing(self) -> bool:
        """Whether a knob is turning."""
        return self._preview is not None

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The nodes a person pinned, oldest first."""
        return self._pins

    @property
    def runs(self) -> tuple[Run, ...]:
        """The releases that were applied, oldest first."""
        return self._runs

    @property
    def is_modified(self) -> bool:
        """Whether there are edits, or applied releases, since opening or saving."""
        if self._project is None:
            return False
        if not self.history.is_clean or self._runs != self._saved.runs:
            return True
        # A project that is opened has no release until it is made anew.
        return self._applied is not None and self._applied != self._saved.applied

    # Project -----------------------------------------------------------------------------------

    def open_project(
        self,
        project: Project,
        path: Path | None = None,
        state: ProjectState = ProjectState(),
        *,
        provisional: bool = False,
    ) -> None:
        """Make a project the open one, with its pins and runs; everything known of the last is forgotten.

        A provisional one has the beginning of its table; `finish_reading` brings the rest.
        """
        self._replace_project(project, path, state, provisional=provisional)

    def finish_reading(self, after: Project) -> None:
        """Take the whole table in place of its beginning; roles and settings given meanwhile stay.

        No undo step: also what Undo brings back has the whole table then.

        Raises
        ------
        ValueError
            The whole table has other columns.
        """
        if not self.is_provisional or self._project is None:
            return
        if after.table.names != self._project.table.names:
            raise ValueError("the whole table has other columns than its beginning")
        self._whole = after
        self._show(self._project)
        self.reading_changed.emit(False)

    def replace_table(self, text: str, after: Project, report: object) -> None:
        """Take a project with another reading of its table as one undo step; announce what changed."""
        self.edit(text, after)
        self.table_replaced.emit(report)

    def close_project(self) -> None:
        """Go back to having no project."""
        if self._project is not None:
            self._replace_project(None, None, ProjectState())

    def edit(self, text: str, after: Project) -> None:
        """Take a new version of the project as one undo step; an equal one is no step."""
        if self._project is None:
            raise RuntimeError("there is no project to edit")
        before, was_previewing = self._project, self._preview is not None
        after = self._with_whole_table(after)
        if self.is_provisional and after.table is not before.table:
            raise InputError(
                self.tr("The table cannot be changed while it is being read."),
                hint=self.tr("Wait until all of it is read."),
            )
        self._preview = None
        if changed_parts(before, after):
            self.history.push(ProjectEdit(text, self._tables, before, after, self._show))
        elif was_previewing:
            self.preview_changed.emit()

    def edit_release(
        self, text: str, after: Project, release: Release, made_with: Project | None = None
    ) -> None:
        """Take a new version of the project together with another release, as one undo step.

        `made_with` is the project the release came from, `after` by default.
        """
        if self._project is None:
            raise RuntimeError("there is no project to edit")
        kept = partial(self._kept_releases.keep, release, made_with or after)
        self.history.push(ReleaseEdit(text, self._tables, self._project, after, kept, self._show_released))

    def edit_pins(self, text: str, pins: tuple[Pin, ...]) -> None:
        """Take other pins, or other notes on them, as one undo step; the same ones are no step."""
        if self._project is None:
            raise RuntimeError("there is no project to pin nodes of")
        if pins != self._pins:
            self.history.push(PinsEdit(text, self._pins, pins, self._show_pins))

    def set_runs(self, runs: tuple[Run, ...]) -> None:
        """Take another history; it tells what was done, so that undoing an edit does not change it."""
        self._runs = runs
        self.runs_changed.emit()
        self._tell_modified()
        self.snapshot_changed.emit()

    def edit_runs(self, text: str, runs: tuple[Run, ...]) -> None:
        """Take a history a person has changed, such as a note on a release, or one less, as one undo step."""
        if self._project is None:
            raise RuntimeError("there is no project whose releases were applied")
        if runs != self._runs:
            self.history.push(RunsEdit(text, self._runs, runs, self._show_runs))

    def go_to_step(self, step: int) -> None:
        """Take back or make again as many steps as it takes, and announce what came of all of them once."""
        before = self._project
        if self.history.is_drafting or before is None:
            self.history.go_to(step)
            return
        self._jump = set()
        try:
            self.history.go_to(step)
        finally:
            told, self._jump = self._jump, None
        self._announce(before)
        for name in ("pins", "runs"):
            if name in told:
                getattr(self, f"{name}_changed").emit()
        if "release" in told:
            self.release_changed.emit(self._release)

    def mark_saved(self, path: Path) -> None:
        """Note that the project now stands in a file."""
        self._path = path
        self._saved = self.snapshot()[1]
        self.history.mark_saved()
        self._tell_modified()

    def preview_requirement(self, requirement: Requirement, metric: str | None = None) -> None:
        """Evaluate under another requirement without an undo step, while a knob turns."""
        wanted = (requirement, metric or self.metric)
        if self._project is not None and wanted != self._preview:
            self._preview = wanted
            self.preview_changed.emit()

    def cancel_preview(self) -> None:
        """Return to the project's own requirement."""
        if self._preview is not None:
            self._preview = None
            self.preview_changed.emit()

    def set_release(self, release: Release | None, made_with: Project | None = None) -> None:
        """Make a release the applied one; `made_with` is the project it came from (now's by default)."""
        self._lost = None
        self._release = release
        self._release_project = (made_with or self._project) if release is not None else None
        self.release_changed.emit(release)
        self._update_stale_text()
        self._tell_modified()
        self.snapshot_changed.emit()

    def put_back(self, release: Release, made_with: Project) -> None:
        """Take the release that was lost, made again; it is no new one."""
        self._put_back.add(release)
        self.set_release(release, made_with)

    def was_put_back(self, release: Release) -> bool:
        """Whether a release was applied before and is only made again."""
        return release in self._put_back

    # -------------------------------------------------------------------------------------------

    def _replace_project(
        self, project: Project | None, path: Path | None, state: ProjectState, *, provisional: bool = False
    ) -> None:
        self.project_opening.emit()
        was_provisional = self.is_provisional
        self._project, self._path = project, path
        self._beginning = project.table if project is not None and provisional else None
        self._whole = None
        self._pins, self._runs, self._saved = state.pins, state.runs, state
        self._release = self._release_project = self._lost = None
        self._preview = None
        self.history.clear()
        self._tables.clear()
        self._kept_releases.clear()
        had_selection = self.selection.node is not None
        self.selection.forget()
        self.results.forget()
        self.project_opened.emit(project)
        self.pins_changed.emit()
        self.runs_changed.emit()
        if had_selection:
            self.selection.changed.emit(None)
        self.results.tell_all()
        self.release_changed.emit(None)
        self._was_modified = False
        self.modified_changed.emit(False)
        self._update_stale_text()
        if was_provisional or provisional:
            self.reading_changed.emit(provisional)
        self.snapshot_changed.emit()

    def _with_whole_table(self, project: Project) -> Project:
        """A project that was made when only the beginning of its table was read, with all of it."""
        whole = self._whole
        if whole is None or project.table is not self._beginning:
            return project
        return replace(
            project, table=whole.table, options=whole.options, source=whole.source, database=whole.database
        )

    def _show(self, project: Project) -> None:
        """Make an edited version the present one and announce only the parts that differ."""
        assert self._project is not None
        before, self._project = self._project, self._with_whole_table(project)
        self._preview = None
        if self._jump is None:
            self._announce(before)

    def _announce(self, before: Project) -> None:
        """Say which parts of the project are others than before."""
        assert self._project is not None
        changed = changed_parts(before, self._project)
        for name in ("table", "roles", "hierarchies", "requirement", "search", "transformation", "recoding"):
            if name in changed:
                getattr(self, f"{name}_changed").emit()
        self._update_stale_text()
        self.snapshot_changed.emit()

    def _show_released(self, project: Project, kept: KeptRelease | None) -> KeptRelease | None:
        """Show a version of the project with its release; the answer is what was applied until now."""
        before = self._lost
        if self._release is not None and self._release_project is not None:
            before = self._kept_releases.leave(self._release, self._release_project)
        found = None if kept is None else self._kept_releases.found(kept)
        self._release, self._release_project = found or (None, None)
        self._lost = kept if found is None else None
        self._show(project)
        if self._jump is None:
            self.release_changed.emit(self._release)
            self.snapshot_changed.emit()
        else:
            self._jump.add("release")
        return before

    def _show_pins(self, pins: tuple[Pin, ...]) -> None:
        self._pins = pins
        if self._jump is None:
            self.pins_changed.emit()
            self.snapshot_changed.emit()
        else:
            self._jump.add("pins")

    def _show_runs(self, n_replaced: int, runs: tuple[Run, ...]) -> None:
        self._runs = (*runs, *self._runs[n_replaced:])
        if self._jump is None:
            self.runs_changed.emit()
            self.snapshot_changed.emit()
        else:
            self._jump.add("runs")

    def _forget_nodes(self, problem: Problem | None, _error: object) -> None:
        self.selection.keep_only(lambda node: problem is not None and node in problem.lattice)

    def _update_stale_text(self) -> None:
        text = ""
        if self._release_project is not None and self._project is not None:
            text = stale_text(self._release_project, self._project)
        if text != self._stale_text:
            self._stale_text = text
            self.stale_changed.emit(text)

    def _tell_modified(self) -> None:
        if self._was_modified != self.is_modified:
            self._was_modified = self.is_modified
            self.modified_changed.emit(self._was_modified)
