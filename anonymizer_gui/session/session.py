"""The open project, what is known of it and what is selected; announces every change."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoGroup, QUndoStack

from anonymizer_gui.session.exploring import Exploring
from anonymizer_gui.session.kept_release import KeptRelease, KeptReleases, LostRelease
from anonymizer_gui.session.project_edit import PinsEdit, ProjectEdit, ReleaseEdit, RunsEdit
from anonymizer_gui.session.project_parts import changed_parts, is_compiled_alike
from anonymizer_gui.session.staleness import stale_text
from anonymizer_gui.session.table_versions import TableVersions
from anonymizer_gui.session.visited import Node, VisitedNodes
from engine.errors import AnonymizerError, InputError
from engine.privacy import Requirement
from engine.project import Project
from engine.project.findings import listed
from engine.project.remembered import Pin, ProjectState, Run

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.recoding import Release
    from engine.scoring import Evaluation
    from engine.scoring.scored import Profile
    from engine.table import Table


class Session(QObject):
    """Holds one project; edits come in as new projects, facts go out as signals."""

    project_opened = Signal(object)  # Project, or None when it was closed
    table_changed = Signal()
    roles_changed = Signal()
    hierarchies_changed = Signal()
    requirement_changed = Signal()
    search_changed = Signal()
    transformation_changed = Signal()
    recoding_changed = Signal()
    problem_changed = Signal(object, object)  # Problem or None, AnonymizerError or None
    profile_changed = Signal(object)  # Profile or None: a new one, about to be filled
    scoring_progressed = Signal()
    preview_changed = Signal()  # a knob turns, or was let go
    evaluation_changed = Signal(object)  # Evaluation or None
    node_selected = Signal(object)  # node or None
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
        self._problem: Problem | None = None
        self._problem_error: AnonymizerError | None = None
        self._problem_project: Project | None = None
        self._profile: Profile | None = None
        self._exploring: Exploring | None = None
        self._evaluation: Evaluation | None = None
        self._release: Release | None = None
        self._release_project: Project | None = None
        self._stale_text = ""
        self._preview: tuple[Requirement, str] | None = None
        self._selected: Node | None = None
        self._beginning: Table | None = None  # what was read of the table first
        self._whole: Project | None = None  # with the table read to its end
        self._visited = VisitedNodes()
        self._pins: tuple[Pin, ...] = ()
        self._runs: tuple[Run, ...] = ()
        self._saved = ProjectState()  # as it stands in the file, or came without one
        self._was_modified = False  # when it was last told
        self._tables = TableVersions()
        self._kept_releases = KeptReleases(self._tables)
        self._lost: KeptRelease | None = None  # the release of this step, which is to be made again
        self._put_back: WeakSet[Release] = WeakSet()
        self._jump: set[str] | None = None  # what else than the project changed on the way to a step
        # Children go in the order they came: a group that goes first hears nothing of its stacks going.
        self._undo_group = QUndoGroup(self)
        self._undo_stack = QUndoStack(self)
        self._undo_group.addStack(self._undo_stack)
        self._undo_group.setActiveStack(self._undo_stack)
        self._undo_stack.cleanChanged.connect(self._tell_modified)

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
    def problem(self) -> Problem | None:
        """The compiled project; None while it cannot be compiled."""
        return self._problem

    @property
    def is_problem_current(self) -> bool:
        """Whether problem (or the error in its place) belongs to the project of now."""
        made, now = self._problem_project, self._project
        return made is not None and now is not None and is_compiled_alike(made, now)

    @property
    def problem_error(self) -> AnonymizerError | None:
        """Why there is no problem."""
        return self._problem_error

    @property
    def profile(self) -> Profile | None:
        """The scores of the lattice, or of the part explored; filled while the window looks."""
        return self._profile

    @property
    def is_explored(self) -> bool:
        """Whether the lattice is too large to score whole, so that the best nodes are looked for."""
        return self._exploring is not None

    @property
    def exploring(self) -> Exploring | None:
        """How far the exploration is under the requirement shown; None where it ran under another."""
        found, requirement = self._exploring, self.requirement
        if found is None or requirement is None or self._project is None:
            return None
        wanted = replace(Exploring.of(self._project), requirement=requirement)
        return found if found.is_for(wanted) else None

    @property
    def is_optimum_proved(self) -> bool:
        """Whether the best node known under the requirement shown is the best of the lattice."""
        if self.is_explored:
            return self.exploring is not None and self.exploring.is_proved
        return self._profile is not None and self._profile.is_complete

    @property
    def evaluation(self) -> Evaluation | None:
        """The profile under the requirement shown."""
        return self._evaluation

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
        return self._project, ProjectState(self._applied, self._selected, self._runs, self._pins)

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
    def selected(self) -> Node | None:
        """The selected node."""
        return self._selected

    @property
    def optimum(self) -> Node | None:
        """The optimum of the evaluation shown, as a node: the best of the scored nodes.

        None also while a costly metric, just chosen, is being worked out in a task.
        """
        if self._evaluation is None or not self._evaluation.knows(self.metric):
            return None
        number = self._evaluation.optimum(self.metric)
        return None if number is None else self._evaluation.lattice.node(number)

    @property
    def pins(self) -> tuple[Pin, ...]:
        """The nodes a person pinned, oldest first."""
        return self._pins

    @property
    def runs(self) -> tuple[Run, ...]:
        """The releases that were applied, oldest first."""
        return self._runs

    @property
    def visited(self) -> tuple[Node, ...]:
        """The nodes looked at, those that lie ahead on the way back and forward included."""
        return self._visited.nodes

    @property
    def undo_stack(self) -> QUndoStack:
        """The edits of the project."""
        return self._undo_stack

    @property
    def undo_group(self) -> QUndoGroup:
        """What Undo and Redo act on: the project, or a draft while one is being edited."""
        return self._undo_group

    @property
    def is_modified(self) -> bool:
        """Whether there are edits, or applied releases, since opening or saving."""
        if self._project is None:
            return False
        if not self._undo_stack.isClean() or self._runs != self._saved.runs:
            return True
        # A project that is opened has no release until it is made anew.
        return self._applied is not None and self._applied != self._saved.applied

    @property
    def can_go_back(self) -> bool:
        return self._visited.can_go_back

    @property
    def can_go_forward(self) -> bool:
        return self._visited.can_go_forward

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
            self._undo_stack.push(ProjectEdit(text, self._tables, before, after, self._show))
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
        self._undo_stack.push(
            ReleaseEdit(text, self._tables, self._project, after, kept, self._show_released)
        )

    def edit_pins(self, text: str, pins: tuple[Pin, ...]) -> None:
        """Take other pins, or other notes on them, as one undo step; the same ones are no step."""
        if self._project is None:
            raise RuntimeError("there is no project to pin nodes of")
        if pins != self._pins:
            self._undo_stack.push(PinsEdit(text, self._pins, pins, self._show_pins))

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
            self._undo_stack.push(RunsEdit(text, self._runs, runs, self._show_runs))

    @property
    def is_drafting(self) -> bool:
        """Whether Undo and Redo act on a draft."""
        return self._undo_group.activeStack() is not self._undo_stack

    def undo(self) -> None:
        self._undo_group.undo()

    def redo(self) -> None:
        self._undo_group.redo()

    @property
    def steps(self) -> tuple[str, ...]:
        """What the steps did that Undo and Redo act on, the first one first."""
        stack = self._undo_group.activeStack()
        return tuple(stack.text(number) for number in range(stack.count()))

    @property
    def step(self) -> int:
        """How many of the steps stand; the others were taken back."""
        return self._undo_group.activeStack().index()

    @property
    def saved_step(self) -> int:
        """How many of the steps stand in the file; -1 where that cannot be gone to."""
        return self._undo_group.activeStack().cleanIndex()

    def go_to_step(self, step: int) -> None:
        """Take back or make again as many steps as it takes, and announce what came of all of them once."""
        stack, before = self._undo_group.activeStack(), self._project
        if stack is not self._undo_stack or before is None:
            stack.setIndex(step)
            return
        self._jump = set()
        try:
            stack.setIndex(step)
        finally:
            told, self._jump = self._jump, None
        self._announce(before)
        for name in ("pins", "runs"):
            if name in told:
                getattr(self, f"{name}_changed").emit()
        if "release" in told:
            self.release_changed.emit(self._release)

    def undo_in(self, draft: QUndoStack | None) -> None:
        """Let Undo and Redo act on the steps of a draft; None gives them back to the project."""
        if draft is not None and draft not in self._undo_group.stacks():
            self._undo_group.addStack(draft)
        self._undo_group.setActiveStack(draft or self._undo_stack)

    def mark_saved(self, path: Path) -> None:
        """Note that the project now stands in a file."""
        self._path = path
        self._saved = self.snapshot()[1]
        self._undo_stack.setClean()
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

    # Selection ---------------------------------------------------------------------------------

    def select_node(self, node: Node | None) -> None:
        """Select a node of the lattice, or none."""
        node = None if node is None else tuple(int(level) for level in node)
        if node == self._selected:
            return
        if node is not None:
            self._visited.visit(node)
        self._announce_selected(node)

    def back(self) -> None:
        """Select the node visited before."""
        if (node := self._visited.back()) is not None:
            self._announce_selected(node)

    def forward(self) -> None:
        """Select the node visited next."""
        if (node := self._visited.forward()) is not None:
            self._announce_selected(node)

    # Results, given by the controllers ---------------------------------------------------------

    def set_problem(
        self, problem: Problem | None, error: AnonymizerError | None = None, made_from: Project | None = None
    ) -> None:
        """Take the compiled project, or why it cannot be compiled; older scores are forgotten."""
        self._problem, self._problem_error = problem, error
        self._problem_project = made_from or self._project
        self._profile = self._exploring = None
        self._evaluation = None
        if problem is None:
            self._visited = VisitedNodes()
        else:
            self._visited.keep_only(lambda node: node in problem.lattice)
        self.problem_changed.emit(problem, error)
        if self._selected is not None and (problem is None or self._selected not in problem.lattice):
            self._announce_selected(None)
        self.profile_changed.emit(None)
        self.evaluation_changed.emit(None)

    def set_profile(self, profile: Profile, exploring: Exploring | None = None) -> None:
        """Take the profile that a scoring, or an exploration, is about to fill."""
        self._profile, self._exploring = profile, exploring
        self.profile_changed.emit(profile)

    def set_exploring(self, exploring: Exploring) -> None:
        """Take how far the exploration is."""
        self._exploring = exploring

    def set_evaluation(self, evaluation: Evaluation | None) -> None:
        """Take the newest evaluation."""
        self._evaluation = evaluation
        self.evaluation_changed.emit(evaluation)

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
        was_provisional = self.is_provisional
        self._project, self._path = project, path
        self._beginning = project.table if project is not None and provisional else None
        self._whole = None
        self._pins, self._runs, self._saved = state.pins, state.runs, state
        self._release = self._release_project = self._lost = None
        self._preview = None
        self._undo_stack.clear()
        self._tables.clear()
        self._kept_releases.clear()
        self._visited = VisitedNodes()
        self._problem = self._problem_error = self._problem_project = None
        self._profile = self._exploring = self._evaluation = None
        had_selection, self._selected = self._selected is not None, None
        self.project_opened.emit(project)
        self.pins_changed.emit()
        self.runs_changed.emit()
        if had_selection:
            self.node_selected.emit(None)
        self.problem_changed.emit(None, None)
        self.profile_changed.emit(None)
        self.evaluation_changed.emit(None)
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

    def _announce_selected(self, node: Node | None) -> None:
        self._selected = node
        self.node_selected.emit(node)
        self.snapshot_changed.emit()

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
