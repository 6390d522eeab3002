"""Presenter of the window frame: session state into the bars, and handlers of menu actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.actions import PROJECT, WHOLE_TABLE, Actions
from anonymizer_gui.frame.perspective_bar import AGAIN, EXPORT, FIRST
from anonymizer_gui.jobs_presenter import JobsPresenter
from anonymizer_gui.main_window import MainWindow
from anonymizer_gui.models.node_name import named_in, named_node
from anonymizer_gui.project_presenter import ProjectPresenter
from anonymizer_gui.session import Session
from anonymizer_gui.session.release_controller import ReleaseController
from anonymizer_gui.session.scoring_controller import ScoringController
from anonymizer_gui.session.words import recoding_title, scored_words, why_not_improved
from engine.errors import (
    AnonymizerError,
    ExportError,
    InputError,
    ProjectFileError,
    RecipeError,
    RequirementNotMetError,
    TableError,
)
from engine.numbers import as_exact_count
from engine.project import Project
from engine.project.storage.opened_project import OpenedProject
from engine.words import _

if TYPE_CHECKING:
    from engine.recoding import Release

START, CONFIGURE, EXPLORE, GIVEN_TABLE = "start", "configure", "explore", "judge"
UTILITY, RISK = "utility", "risk"
DOT = " · "


class WindowPresenter(QObject):
    """Keeps the frame in step with the session and carries out its actions."""

    assessment_requested = Signal(object)  # Path of a table

    def __init__(
        self,
        window: MainWindow,
        actions: Actions,
        session: Session,
        scoring: ScoringController,
        releases: ReleaseController,
        projects: ProjectPresenter,
        jobs: JobsPresenter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._actions = actions
        self._session = session
        self._runner = session.runner
        self._scoring = scoring
        self._releases = releases
        self._projects = projects
        self._jobs = jobs
        self._apply_optimum_when_settled = False
        self._selection_text = ""
        self._is_editing = False
        self._preparing = ""
        self._before_assessment = START
        self.first_perspective = EXPLORE  # of the next project that has results
        window.page_shown.connect(lambda _name: self._on_page_shown())
        self._connect_session()
        self._update_all()

    # Opening -----------------------------------------------------------------------------------

    def apply_optimum_when_settled(self) -> None:
        """Apply the optimum, or the project's recoding of it, once the lattice is scored."""
        self._apply_optimum_when_settled = True
        self._on_scoring_state_changed()

    @property
    def is_settled(self) -> bool:
        """Return whether no running job would still change the display."""
        return (
            self._scoring.is_settled
            and self._session.results.is_resting
            and not self._runner.is_busy
            and not self._apply_optimum_when_settled
            and not self._releases.is_applying
        )

    def show_perspective(self, name: str) -> None:
        """Show a perspective, if the project has content for it."""
        if self._session.project is not None:
            if name == EXPLORE and self._window.page != EXPLORE:
                self._scoring.offer_present_optimum()
            self._window.show_page(name)
            self._update_next_step()

    def _on_files_dropped(self, paths: Sequence[Path]) -> None:
        """Open a file dropped on the page for assessing tables there, else as a project or table."""
        if self._window.page == GIVEN_TABLE and len(paths) == 1:
            self.assessment_requested.emit(paths[0])
        else:
            self._projects.open_together(paths)

    def show_assessment(self) -> None:
        """Show the page that assesses a table."""
        self._window.banner.dismiss()
        if self._window.page != GIVEN_TABLE:
            self._before_assessment = self._window.page
        self._window.show_page(GIVEN_TABLE)

    def leave_assessment(self) -> None:
        """Return to the page from which the assessment was opened, if it still exists."""
        page = self._before_assessment if self._session.project is not None else START
        self._window.show_page(START if page == GIVEN_TABLE else page)
        self._update_next_step()

    def show_editing(self, is_editing: bool) -> None:
        """Leave the primary button to the hierarchy editor while it is open."""
        self._is_editing = is_editing
        self._update_next_step()

    def show_selection(self, text: str) -> None:
        """Show in the status strip which columns are selected, while they are visible."""
        self._selection_text = text
        self._update_hint()

    def show_preparing(self, is_preparing: bool) -> None:
        """Show that scoring is still slow because kernels are being prepared."""
        self._preparing = self.tr("Preparing fast scoring (once)") if is_preparing else ""
        self._update_scoring_facts()

    def _on_page_shown(self) -> None:
        self._update_hint()
        self._update_nodes()
        self._update_scoring_facts()

    def _update_hint(self) -> None:
        self._window.status.show_hint(self._selection_text if self._window.page == CONFIGURE else "")

    def show_error(self, error: Exception) -> None:
        """Show an error; an unexpected one goes to the error hook."""
        if isinstance(error, MemoryError):
            self._window.banner.show_error(
                self.tr("Not enough memory."),
                self.tr("The project and its files are unchanged. Close other programs and try again."),
            )
        else:
            self._window.banner.show_failure(error)

    def _fail(
        self,
        error: Exception,
        text: str,
        act: Callable[[], object],
        holds: Callable[[], bool] | None = None,
    ) -> None:
        """Show an error with a button for its action, as long as it applies."""
        if not isinstance(error, AnonymizerError):
            raise error

        def dismiss_and_act() -> None:
            self._window.banner.dismiss()
            act()

        self._window.banner.show_error(error.problem, error.hint, text, dismiss_and_act, holds=holds)

    def _until_released(self) -> Callable[[], bool]:
        """Return a function that checks that no other release has been applied since this call."""
        release = self._session.applied.release
        return lambda: self._session.applied.release is release

    def _prevents_applying(self, problem: str) -> bool:
        """Return whether this reason keeps the settings from being applied."""
        error = self._session.results.problem_error
        return error is not None and error.problem == problem

    def _on_release_failed(self, error: Exception) -> None:
        holds = self._until_released()
        if self._session.results.optimum is not None and isinstance(
            error, RequirementNotMetError | InputError
        ):
            self._fail(error, self.tr("Apply the optimum"), self._releases.apply_optimum, holds)
        else:
            self._fail(error, self.tr("Show settings"), lambda: self.show_perspective(CONFIGURE), holds)

    def _on_file_failed(self, error: Exception) -> None:
        if isinstance(error, ExportError):
            self._fail(error, self.tr("Save as…"), self._actions["save_as"].trigger)
        elif isinstance(error, TableError | ProjectFileError | RecipeError):
            self._fail(error, self.tr("Choose another file…"), self._actions["open"].trigger)
        else:
            self.show_error(error)

    # Connections -------------------------------------------------------------------------------

    def _connect_session(self) -> None:
        session, window = self._session, self._window
        session.project_opened.connect(self._on_project_opened)
        session.parts.table_changed.connect(self._update_project_facts)
        session.saved.modified_changed.connect(self._update_project_facts)
        session.reading.changed.connect(self._update_project_facts)
        session.selection.changed.connect(self._update_nodes)
        session.selection.changed.connect(self._update_next_step)
        session.applied.stale_changed.connect(self._update_next_step)
        session.results.problem_changed.connect(self._update_next_step)
        session.applied.changed.connect(self._on_release_changed)
        session.results.evaluation_rested.connect(self._on_evaluation_rested)
        session.results.scoring_progressed.connect(self._update_scoring_facts)
        session.results.problem_changed.connect(self._update_scoring_facts)
        session.results.problem_changed.connect(self._update_actions)
        for changed in (
            session.results.problem_changed,
            session.results.evaluation_rested,
            session.applied.changed,
        ):
            changed.connect(window.banner.look_again)
        session.history.own.indexChanged.connect(window.banner.take_success)
        session.applied.stale_changed.connect(window.bar.show_stale)
        session.applied.stale_changed.connect(self._update_actions)
        session.reading.changed.connect(self._update_actions)
        for changed in (session.parts.roles_changed, session.parts.hierarchies_changed):
            changed.connect(self._update_next_step)
        session.parts.roles_changed.connect(self._update_actions)
        session.history.group.undoTextChanged.connect(self._update_undo)
        session.history.group.redoTextChanged.connect(self._update_undo)
        session.history.group.indexChanged.connect(self._update_undo)
        session.history.group.activeStackChanged.connect(self._update_undo)
        self._scoring.state_changed.connect(self._on_scoring_state_changed)
        self._scoring.scoring_failed.connect(
            lambda error: self._fail(error, self.tr("Try again"), self._scoring.score_again)
        )
        self._releases.failed.connect(self._on_release_failed)
        self._releases.state_changed.connect(self._update_actions)
        self._projects.opened.connect(self._on_opened)
        self._projects.saved.connect(lambda _path: self._update_project_facts())
        self._projects.saved.connect(window.banner.take_success)
        self._projects.failed.connect(self._on_file_failed)
        self._jobs.changed.connect(self._update_scoring_facts)
        self._jobs.changed.connect(self._update_actions)
        window.bar.perspective_requested.connect(self.show_perspective)
        window.bar.stale.link_clicked.connect(self._on_review_requested)
        window.files_dropped.connect(self._on_files_dropped)
        window.status.continue_button.clicked.connect(self._scoring.continue_scoring)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """Handlers of menu entries by id."""
        return {
            "quit": self._window.close,
            "undo": self._session.history.undo,
            "redo": self._session.history.redo,
            "configure": lambda: self.show_perspective(CONFIGURE),
            "explore": lambda: self.show_perspective(EXPLORE),
            "score": self._scoring.score_again,
            "continue_scoring": self._scoring.continue_scoring,
            "apply_optimum": self._releases.apply_optimum,
        }

    # Run ---------------------------------------------------------------------------------------

    def _on_scoring_state_changed(self) -> None:
        self._update_actions()
        self._update_scoring_facts()
        session = self._session
        if not self._apply_optimum_when_settled or not self._scoring.is_settled:
            return
        if session.results.problem_error is not None and session.results.is_problem_current:
            self._apply_optimum_when_settled = False
            problem = session.results.problem_error.problem
            self._fail(
                session.results.problem_error,
                self.tr("Show settings"),
                lambda: self.show_perspective(CONFIGURE),
                lambda: self._prevents_applying(problem),
            )
        elif self._scoring.was_stopped:
            # Stopping a scoring also withdraws the request to apply its optimum.
            self._apply_optimum_when_settled = False
        elif session.results.is_problem_current and session.results.evaluation is not None:
            self._apply_optimum_when_settled = False
            if session.results.optimum is not None:
                session.selection.select(session.results.optimum)
                self._releases.apply_as_set(session.results.optimum)
            else:
                is_same = self._until_released()
                self._window.banner.show_error(
                    self.tr("No node satisfies these settings."),
                    self.tr("Lower k, raise the suppression limit, or add higher levels to the hierarchies."),
                    tone="warn",
                    holds=lambda: session.results.optimum is None and is_same(),
                )

    def ask_to_apply(self, why_fails: str, apply: Callable[[], object]) -> None:
        """Say that a node fails, and offer to apply it anyway, while it stays selected."""
        node = self._session.selection.node
        self._window.banner.show_error(
            self.tr("This node does not satisfy the requirement."),
            self.tr("{why} Its release could not be exported.").format(why=why_fails),
            self.tr("Apply anyway"),
            apply,
            tone="warn",
            holds=lambda: self._session.selection.node == node and self._session.applied.node != node,
        )

    def _on_review_requested(self) -> None:
        """Show the applied node under the current settings, if it can be applied again."""
        if self._session.applied.release is not None and self._session.results.problem is not None:
            node = self._session.applied.release.node
            if (
                node is not None
                and len(node) == len(self._session.results.problem.names)
                and node in self._session.results.problem.lattice
            ):
                self._session.selection.select(node)
        self.show_perspective(EXPLORE)

    # Session state in the frame -----------------------------------------------------------------

    def _on_opened(self, opened: OpenedProject, _path: Path) -> None:
        method, applied = opened.project.recoding, opened.state.applied
        if opened.project.undecided:
            return
        if applied is not None or (method is not None and not method.needs_start):
            self._releases.apply_as_set(applied)
        elif method is not None:
            self.apply_optimum_when_settled()

    def _on_project_opened(self, project: Project | None) -> None:
        self._apply_optimum_when_settled = False
        if project is None:
            self._window.show_page(START)
        else:
            has_results = bool(project.hierarchies and project.qi_order)
            if not has_results or self._window.page in (START, GIVEN_TABLE):
                self._window.show_page(self.first_perspective if has_results else CONFIGURE)
                self.first_perspective = EXPLORE
        self._update_all()

    def _on_release_changed(self, release: Release | None) -> None:
        self._update_nodes()
        self._update_actions()
        self._update_next_step()

    def _on_evaluation_rested(self) -> None:
        self._update_nodes()
        self._update_scoring_facts()
        self._update_actions()

    def _update_all(self) -> None:
        self._update_project_facts()
        self._update_scoring_facts()
        self._update_undo()
        self._update_actions()
        self._update_next_step()
        self._update_nodes()

    def _update_nodes(self) -> None:
        """Name the nodes of interest; the optimum only if no other is shown."""
        session, status = self._session, self._window.status
        results, release, selected = session.results, session.applied.release, session.selection.node
        applied = None if release is None else named_in(release.node, results)
        if applied is None and release is not None and release.node is not None:
            applied = named_node(release.node, release.problem)  # of a lattice that has changed since
        status.selected.show_node(named_in(selected, results))
        status.applied.show_node(applied, recoding_title(release))
        is_alone = selected is None and release is None
        if self._window.page == GIVEN_TABLE:  # its table is none of the project
            for item in (status.selected, status.applied, status.optimum):
                item.show_node(None)
            return
        status.optimum.show_node(named_in(results.optimum, results) if is_alone else None)

    def _update_project_facts(self) -> None:
        project, window = self._session.project, self._window
        if project is None:
            window.show_project_facts("")
            window.setWindowTitle(_("Anonymizer"))
            window.setWindowModified(False)
            return
        table, is_modified = project.table, self._session.saved.is_modified
        records = (
            self.tr("first {n_records} records")
            if self._session.reading.is_provisional
            else self.tr("{n_records} records")
        )
        facts = [
            project.name,
            records.format(n_records=as_exact_count(table.n_records)),
            self.tr("{n} columns").format(n=len(table.columns)),
            *([project.place] if project.place else []),
        ]
        if is_modified:
            facts.append(self.tr("unsaved changes"))
        elif self._session.saved.path is not None:
            at = self._projects.saved_at
            facts.append(self.tr("saved {at}").format(at=at) if at else self.tr("saved"))
        window.show_project_facts(DOT.join(facts))
        window.setWindowTitle(f"{project.name}[*] – Anonymizer")
        window.setWindowModified(is_modified)

    def _update_scoring_facts(self) -> None:
        profile, status = self._session.results.profile, self._window.status
        if self._window.page == GIVEN_TABLE:
            status.show_facts("", "ok")
            return
        if self._session.history.is_drafting:
            text = self._session.history.group.undoText()
            status.show_facts(self.tr("Undo: {text}").format(text=text) if text else "", "step")
            return
        can_continue = self._scoring.can_continue
        if profile is None:
            status.show_facts(self._preparing, "busy", can_continue=can_continue)
            return
        counts = scored_words(self._session)
        is_so_far = self._session.results.is_best_so_far
        status.optimum.set_name(self.tr("Best so far") if is_so_far else self.tr("Optimum"))
        if self._session.results.is_explored:
            self._show_explored_facts(counts, can_continue)
        elif profile.is_complete and not can_continue:
            words = [counts, self.tr("exact"), *filter(None, [self._preparing])]
            status.show_facts(DOT.join(words), "ok")
        else:
            status.show_facts(counts, "warn", can_continue=can_continue)

    def _show_explored_facts(self, counts: str, can_continue: bool) -> None:
        exploring, status = self._session.results.exploring, self._window.status
        if exploring is not None and exploring.is_proved:
            status.show_facts(self.tr("{counts} · optimum proven").format(counts=counts), "ok")
        elif exploring is not None and exploring.is_full:
            status.show_facts(self.tr("{counts} · memory for scores is full").format(counts=counts), "warn")
        else:
            status.show_facts(counts, "warn", can_continue=can_continue)

    def _update_undo(self) -> None:
        self._update_scoring_facts()
        stack = self._session.history.group
        for name, can, text, word, nothing in (
            ("undo", stack.canUndo(), stack.undoText(), self.tr("Undo"), self.tr("Nothing to undo")),
            ("redo", stack.canRedo(), stack.redoText(), self.tr("Redo"), self.tr("Nothing to redo")),
        ):
            action = self._actions[name]
            action.setEnabled(can)
            action.setText(f"{word}: {text}" if can and text else word)
            action.setToolTip(action.text() if can else nothing)

    def _update_actions(self) -> None:
        session, actions = self._session, self._actions
        has_project = session.project is not None
        no_project = self.tr("open a table first")
        for name in actions.needing(PROJECT):
            actions.set_enabled(name, has_project, no_project)
        undecided = session.applied.why_undecided
        can_apply = bool(session.applied.stale_text) and not undecided
        actions.set_enabled("apply_again", can_apply, undecided or self.tr("no release is out of date"))
        actions.set_enabled("continue_scoring", self._scoring.can_continue, self.tr("no scoring was stopped"))
        actions.set_enabled("cancel", self._jobs.is_running, self.tr("no job is running"))
        can_apply = session.results.optimum is not None and not undecided
        actions.set_enabled("apply_optimum", can_apply, undecided or self.tr("no node satisfies yet"))
        actions.set_enabled("search_with", not (why := self._why_not_searched()), why)
        actions.set_enabled("walk", not (why := self._why_not_walked()), why)
        actions.set_enabled("improve", not (why := why_not_improved(session)), why)
        may_ask = session.applied.release is not None and not session.reading.is_provisional and not undecided
        actions.set_enabled("export", may_ask, why := session.applied.can_release)
        if may_ask and why:  # the dialog shows this too, and offers to apply the release again
            actions["export"].setToolTip(f"{actions.name_of('export')}: {why}")
        actions.set_enabled("report", may_ask, why)

        if session.reading.is_provisional:
            for name in actions.needing(WHOLE_TABLE):
                actions.set_enabled(name, False, self.tr("the table is still being read"))

    def _why_not_searched(self) -> str:
        """Return why no algorithm can run now; empty if one can."""
        session = self._session
        if session.project is None:
            return self.tr("open a table first")
        if not session.project.quasi_identifying:
            return self.tr("assign roles first")
        if not session.results.is_problem_current:
            return self.tr("the settings are being prepared")
        return (
            "" if session.results.problem is not None else self.tr("the current settings cannot be released")
        )

    def _why_not_walked(self) -> str:
        """Return why no algorithm can be replayed step by step now; empty if one can."""
        if why := self._why_not_searched():
            return why
        return "" if self._session.results.evaluation is not None else self.tr("no node is scored yet")

    def _update_next_step(self, *_: object) -> None:
        self._window.bar.show_next(self._next_step())

    def _next_step(self) -> str:
        """Return the step of the one primary button; empty if that is *Apply* or *Done* of a page."""
        session, page = self._session, self._window.page
        if session.project is None or page not in self._window.bar.names:
            return ""
        if page == CONFIGURE and self._is_editing:
            return ""
        applied, selected = session.applied, session.selection.node
        if page == EXPLORE and selected is not None and selected != applied.node:
            return ""
        if applied.release is not None:
            return AGAIN if applied.stale_text else EXPORT
        if applied.why_undecided or session.results.problem is None:
            return FIRST
        return "" if page == EXPLORE else EXPLORE
