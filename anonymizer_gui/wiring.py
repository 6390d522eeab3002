"""Creates and connects session, runner, controllers and perspectives; the only module that does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QDialog

from anonymizer_gui.actions import Actions
from anonymizer_gui.application import Application
from anonymizer_gui.frame.first_release_presenter import FirstReleaseCard, FirstReleasePresenter
from anonymizer_gui.frame.history_presenter import HistoryPresenter
from anonymizer_gui.frame.status_strip import MemoryLabel
from anonymizer_gui.help.dialogs import AboutDialog, ShortcutsDialog
from anonymizer_gui.help.presenter import HelpPresenter
from anonymizer_gui.import_order import import_engine_of, steps_to_import
from anonymizer_gui.jobs_presenter import JobsPresenter
from anonymizer_gui.layout_keeper import place_of
from anonymizer_gui.main_window import START, MainWindow
from anonymizer_gui.perspectives.start.examples import CLINIC, DEMO, EXAMPLES
from anonymizer_gui.perspectives.start.opening import Pasting
from anonymizer_gui.perspectives.start.read_completion import ReadCompletion
from anonymizer_gui.perspectives.start.recovery_offers import RecoveryCard, RecoveryOffers
from anonymizer_gui.perspectives.start.reimporting import Reimporting
from anonymizer_gui.perspectives.start.start_page import StartPage
from anonymizer_gui.perspectives.start.table_opening import TableOpening
from anonymizer_gui.preferences_keeper import PreferencesKeeper
from anonymizer_gui.project_presenter import OPENINGS, ProjectPresenter
from anonymizer_gui.session import Session
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.session.autosave import Autosave, Recovering
from anonymizer_gui.session.fast_scoring import FastScoring
from anonymizer_gui.session.preferences import RecentFacts
from anonymizer_gui.session.release_controller import ReleaseController, RunRecorder, WrittenRelease
from anonymizer_gui.session.saving import states_of
from anonymizer_gui.session.scoring_controller import ScoringController
from anonymizer_gui.session.step_packer import StepPacker
from anonymizer_gui.session.words import why_fails
from anonymizer_gui.tasks import Task
from anonymizer_gui.tasks.call_queue import CallQueue
from anonymizer_gui.theming import theme_manager
from anonymizer_gui.widgets.file_dialogs import ask_open
from anonymizer_gui.widgets.made_ahead import MadeAhead
from anonymizer_gui.window_presenter import CONFIGURE, EXPLORE, GIVEN_TABLE, RISK, UTILITY, WindowPresenter
from engine.cached import cached_property
from engine.errors import AnonymizerError
from engine.processes import memory_held
from engine.records.options import JUDGED

if TYPE_CHECKING:
    from anonymizer_gui.command_palette import Command
    from anonymizer_gui.help.tour import Tour
    from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
    from anonymizer_gui.perspectives.explore.algorithms.algorithm_presenter import AlgorithmPresenter
    from anonymizer_gui.perspectives.explore.algorithms.improve_presenter import ImprovePresenter
    from anonymizer_gui.perspectives.explore.presenter import ExplorePresenter
    from anonymizer_gui.perspectives.export.presenter import ExportPresenter
    from anonymizer_gui.perspectives.given_table.presenter import GivenTablePresenter
    from anonymizer_gui.perspectives.report.presenter import ReportPresenter
    from anonymizer_gui.perspectives.risk.presenter import RiskPresenter
    from anonymizer_gui.perspectives.utility.presenter import UtilityPresenter
    from engine.lattice import Node
    from engine.project import Project

# Actions of this perspective.
_OF_CONFIGURE = ("find_replace", "columns_table", "filter_records", "go_to_record")

# What is needed after the start, and would delay the first use.
_IMPORTED_AHEAD = (
    "anonymizer_gui.charts.axes",
    "anonymizer_gui.command_palette",
    "anonymizer_gui.perspectives.configure.presenter",
    "anonymizer_gui.perspectives.explore.algorithms.algorithm_presenter",
    "anonymizer_gui.perspectives.explore.algorithms.improve_presenter",
    "anonymizer_gui.perspectives.explore.presenter",
    "anonymizer_gui.perspectives.export.presenter",
    "anonymizer_gui.perspectives.report.presenter",
    "anonymizer_gui.perspectives.risk.presenter",
    "anonymizer_gui.perspectives.utility.presenter",
    "anonymizer_gui.preferences_dialog",
)


class _Settling(Protocol):
    @property
    def is_settled(self) -> bool:
        """Return whether everything this part shows belongs to the current settings, once no task runs."""


class Wiring(QObject):
    """Objects that live as long as the window."""

    failed = Signal(object)  # the exception that prevented a file from opening

    def __init__(
        self, app: QApplication, *, theme: str = "", is_for_picture: bool = False, opens_at_once: bool = False
    ) -> None:
        """Create the window, and the perspectives if a project will be opened at once."""
        super().__init__()
        self._is_for_picture = is_for_picture
        self._steps_ahead, self._ahead = CallQueue(parent=self), MadeAhead()
        self.preferences = PreferencesKeeper(app, theme, self, is_for_picture=is_for_picture)
        self._settling: list[_Settling] = [self.preferences]
        self._recent: Path | None = None  # file of the project
        with theme_manager().building(app):
            self._build()
            theme_manager().adopt(app, self.window)
            if opens_at_once:
                self.make_perspectives()
        if isinstance(app, Application):
            app.file_requested.connect(self.open_path)

    def _build(self) -> None:
        self.session = Session(self)
        self.runner = self.session.runner
        self.runner.task_started.connect(self._hurry)
        self.fast_scoring = FastScoring(self)
        self.scoring = ScoringController(self.session, self)
        self.releases = ReleaseController(self.session, self)
        self.runs = RunRecorder(self.session, self)
        self.steps = StepPacker(self.session, self)
        self.desk = AnalysisDesk(self.session, self)
        self.desk.preparing = _import_analyses
        self.session.project_opening.connect(self.make_perspectives)
        self.session.project_opened.connect(self._spare_memory)
        self.session.parts.table_changed.connect(self._spare_memory)
        self.actions = Actions(self)
        self.window = MainWindow(self.actions)
        self.start_page = StartPage()
        self.window.restore_splitters(self.preferences.value.splitters)
        self.window.add_page(START, self.start_page)
        for name, make in (
            (CONFIGURE, lambda: self.configure.view),
            (EXPLORE, lambda: self.explore.view),
            (UTILITY, lambda: self.utility.view),
            (RISK, lambda: self.risk.view),
        ):
            self.window.add_later(name, make, partial(self._make_ahead, name))
        self.window.add_later(GIVEN_TABLE, lambda: self.given_table.view)
        self.projects = ProjectPresenter(self.window, self.session, self)
        recovering = Recovering()
        self.autosave = Autosave(self.session, recovering, self)
        self.recovery_card = RecoveryCard()
        self.recovery = RecoveryOffers(self.recovery_card, recovering, self.projects.opening, self)
        self.jobs = JobsPresenter(self.window, self.session, self)
        self.frame = WindowPresenter(
            self.window,
            self.actions,
            self.session,
            self.scoring,
            self.releases,
            self.projects,
            self.jobs,
            self,
        )
        self.help = HelpPresenter(self.window, self.actions, self)
        self.written = WrittenRelease(self.session, self)
        self._connect()
        self.window.show_page(START)

    def prepare(self) -> None:
        """Import and create the perspectives in short steps, while the program is idle."""

        def create(modules: tuple[str, ...]) -> None:
            pages = self.window.steps_to_make(CONFIGURE, EXPLORE, UTILITY, RISK)
            self._steps_ahead.ask_each(chain(steps_to_import(modules), pages))

        task = Task(partial(import_engine_of, _IMPORTED_AHEAD))
        task.succeeded.connect(create)
        self.runner.start(task, key="imports")

    def _make_ahead(self, perspective: str) -> Iterable[Callable[[], object]]:
        return self._ahead.steps(import_module(f"anonymizer_gui.perspectives.{perspective}.view").AHEAD)

    def _hurry(self, task: Task) -> None:
        """Create the perspectives in short steps while the first table is read; idle time was too short."""
        if task.key in OPENINGS:
            self._steps_ahead.ask_each(self.window.steps_to_make(CONFIGURE, EXPLORE))

    def make_perspectives(self) -> None:
        """Create the perspectives that a project needs unless they exist, before it opens."""
        self.window.make_pages(CONFIGURE, EXPLORE)

    @cached_property
    def configure(self) -> ConfigurePresenter:
        """Presenter of *Configure transformation*, created before the first project opens."""
        from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter

        made, preferences = ConfigurePresenter(self.session, self._ahead), self.preferences
        made.perspective_requested.connect(self.frame.show_perspective)
        made.selection_described.connect(self.frame.show_selection)
        made.view.currentChanged.connect(lambda _page: self.frame.show_editing(made.view.is_editing))
        table = made.view.table.table
        table.widths_chosen.connect(preferences.remember_widths)
        table.widths_chosen.connect(lambda _widths: table.set_known_widths(preferences.value.column_widths))
        table.set_known_widths(preferences.value.column_widths)
        table.records.modelReset.connect(self._show_records)
        return made

    @cached_property
    def explore(self) -> ExplorePresenter:
        """Presenter of *Explore results*, created before the first project opens."""
        from anonymizer_gui.perspectives.explore.presenter import ExplorePresenter

        made = ExplorePresenter(self.session, self._ahead)
        made.perspective_requested.connect(self.frame.show_perspective)
        self._settling.append(made)
        made.apply_requested.connect(self._apply)
        made.release_requested.connect(self.releases.apply_as_set)
        made.scoring_requested.connect(self.scoring.score_boxes)
        made.roles_requested.connect(self.configure.set_suggested_roles)
        made.search_requested.connect(lambda *given: self.algorithms.show(*given))
        made.improve_requested.connect(lambda *given: self.improve.show(*given))
        made.view.list.set_column_choices(self.preferences.value.list_columns)
        made.view.list.columns_chosen.connect(self.preferences.remember_columns)
        made.view.inspector.set_folds(self.preferences.value.folds)
        made.view.view_chosen.connect(self._remember_view)
        self.session.project_opened.connect(self._show_view)
        made.view.inspector.folds_chosen.connect(self.preferences.remember_folds)
        return made

    @cached_property
    def algorithms(self) -> AlgorithmPresenter:
        """Presenter of the side sheet that runs an algorithm."""
        from anonymizer_gui.perspectives.explore.algorithms.algorithm_presenter import AlgorithmPresenter

        made = AlgorithmPresenter(self.session, self.explore.view)
        made.apply_requested.connect(self.releases.apply)
        made.perspective_requested.connect(self.frame.show_perspective)
        return made

    @cached_property
    def improve(self) -> ImprovePresenter:
        """Presenter of the side sheet that improves the applied release."""
        from anonymizer_gui.perspectives.explore.algorithms.improve_presenter import ImprovePresenter

        made = ImprovePresenter(self.session, self.explore.view)
        made.perspective_requested.connect(self.frame.show_perspective)
        return made

    @cached_property
    def export(self) -> ExportPresenter:
        """Presenter of the dialog that exports a release."""
        from anonymizer_gui.perspectives.export.presenter import ExportPresenter

        made = ExportPresenter(self.session, self.window)
        made.written.connect(self.written.take)
        made.recorded.connect(self.scoring.score_again)
        made.closed.connect(lambda: self.report.on_export_closed())
        made.report_requested.connect(self.actions["report"].trigger)
        made.apply_again_requested.connect(self.actions["apply_again"].trigger)
        return made

    @cached_property
    def report(self) -> ReportPresenter:
        """Presenter of the dialog that writes a report."""
        from anonymizer_gui.perspectives.report.presenter import ReportPresenter

        made = ReportPresenter(self.session, self.written, self.window)
        made.export_requested.connect(self.actions["export"].trigger)
        return made

    @cached_property
    def utility(self) -> UtilityPresenter:
        """Presenter of *Analyze utility*, created on first use."""
        from anonymizer_gui.perspectives.utility.presenter import UtilityPresenter

        made = UtilityPresenter(self.desk, self._ahead)
        switch, name = made.view.strip.only_changed, "utility.only_changed"
        switch.setChecked(self.preferences.value.folds.get(name, False))
        switch.toggled.connect(lambda is_on: self.preferences.remember_folds({name: is_on}))
        self._take_in_previews(made)
        return made

    @cached_property
    def risk(self) -> RiskPresenter:
        """Presenter of *Analyze risk*, created on first use."""
        from anonymizer_gui.perspectives.risk.presenter import RiskPresenter

        tables = TableOpening(self.projects.opening.flow, "risk.linkage", JUDGED)
        made = RiskPresenter(self.desk, tables, self._ahead)
        made.perspective_requested.connect(self.frame.show_perspective)
        made.record_requested.connect(self._show_record)
        made.people_requested.connect(self.configure.people.ask)
        self._take_in_previews(made)
        self.report.accepted_risk = self.export.accepted_risk = lambda: made.threshold
        self.export.selection_leak = made.selection_leak
        self._show_written(made)
        self.written.changed.connect(lambda: self._show_written(made))
        return made

    @cached_property
    def given_table(self) -> GivenTablePresenter:
        """Presenter of the page that assesses a table, created on first use."""
        from anonymizer_gui.perspectives.given_table.presenter import GivenTablePresenter

        flow = self.projects.opening.flow
        tables = TableOpening(flow, "judge.open", JUDGED)
        originals = TableOpening(flow, "judge.original", JUDGED)
        made = GivenTablePresenter(self.runner, tables, originals, self.window)
        made.opened.connect(self.frame.show_assessment)
        made.left.connect(self.frame.leave_assessment)
        made.report_requested.connect(lambda path, _noun, material: self.report.show_file(path, material))
        return made

    def _show_view(self, project: Project | None) -> None:
        """Show the view in which a project was left."""
        from anonymizer_gui.perspectives.explore import view

        if project is not None:
            self.explore.view.show_view(self.preferences.view_of(project, view.FIRST_VIEW))

    def _remember_view(self, view: str) -> None:
        if (project := self.session.project) is not None:
            self.preferences.remember_view(project, view)

    def _apply(self, node: Node) -> None:
        """Apply a node; of a failing one, ask first."""
        if why := why_fails(self.session, node):
            self.frame.ask_to_apply(why, partial(self.releases.apply, node))
        else:
            self.releases.apply(node)

    def _take_in_previews(self, made: UtilityPresenter | RiskPresenter) -> None:
        """Connect a perspective that previews the selected node."""
        made.preview.apply_requested.connect(self._apply)
        made.preview.optimum_requested.connect(self.actions["apply_optimum"].trigger)
        made.preview.scoring_requested.connect(self.actions["score"].trigger)
        made.preview.roles_requested.connect(self.configure.set_suggested_roles)
        made.preview.perspective_requested.connect(self.frame.show_perspective)
        self._settling.append(made)

    def _spare_memory(self, *_: object) -> None:
        project = self.session.project
        self.runner.limit_tasks(0 if project is None else project.table.n_records)

    def open_demo(self) -> None:
        """Open the Adult example and apply its optimum."""
        self.session.project_opened.connect(self._on_demo_opened)
        self.projects.open_path(DEMO.path)

    @property
    def is_settled(self) -> bool:
        """Return whether everything shown belongs to the current settings."""
        return all(part.is_settled for part in self._settling)

    def shutdown(self) -> None:
        """Cancel all jobs and store the preferences; nothing runs afterwards."""
        self._steps_ahead.forget()
        self.pasting.shutdown()
        self.read_completion.shutdown()
        place = place_of(self.window)
        self.preferences.remember_window(
            (place.width(), place.height()),
            (place.left(), place.top()),
            is_maximised=self.window.isMaximized(),
        )
        self.preferences.remember_perspective(self.window.page)
        self.preferences.save()
        if self._is_for_picture:
            self.autosave.discard_changes()
        for jobs in (self.runner, self.fast_scoring, self.autosave):
            jobs.shutdown()
        self.projects.shutdown()
        self.session.history.own.blockSignals(True)  # it clears itself when Qt deletes it

    def _connect(self) -> None:
        frame, window, actions, preferences = self.frame, self.window, self.actions, self.preferences
        self.start_page.open_button.clicked.connect(actions["open"].trigger)
        self.start_page.folder_button.clicked.connect(actions["open_folder"].trigger)
        self.start_page.judge_button.clicked.connect(actions["judge"].trigger)
        self._connect_start()
        frame.assessment_requested.connect(lambda path: self.given_table.open(path))
        self._offer_actions()
        self.projects.opened.connect(lambda _opened, path: self._add_recent(path))
        self.projects.saved.connect(self._add_recent)
        self.projects.opening.failed.connect(self.failed)
        preferences.recent_changed.connect(self._show_recent)
        preferences.connect_actions(actions)
        self.fast_scoring.changed.connect(lambda: frame.show_preparing(self.fast_scoring.is_compiling))
        preferences.follow("score_memory", self.scoring.set_memory)
        window.splitter_moved.connect(preferences.remember_splitter)
        self._show_recent()
        frame.first_perspective = preferences.value.perspective
        preferences.follow("autosave_seconds", lambda n: self.autosave.set_interval(1000 * n))
        self._show_usage()
        flow = self.projects.opening.flow
        flow.prepare, flow.ask_first = preferences.as_preferred, self.projects.ask_to_save
        preferences.follow("missing", flow.set_missing)
        flow.recent_databases = lambda: preferences.value.recent_databases
        flow.database_used = preferences.add_database
        self.runner.error_raised.connect(frame.show_error)
        flow.opened.connect(lambda opened: self.projects.open_recovered(opened, None))
        self.projects.is_first_time = preferences.is_first_time
        card = FirstReleaseCard()
        window.add_side_panel(card)
        self.first = FirstReleasePresenter(self.session, self.scoring, self.releases, card)
        self._settling += [frame, self.first]
        self.first.perspective_requested.connect(frame.show_perspective)
        self.first.export_requested.connect(actions["export"].trigger)
        self.history = HistoryPresenter(window, window.bar, self.session, self)
        self.reimporting = Reimporting(flow, self.session, self)
        self.read_completion = ReadCompletion(flow, window.banner, self.session, self)
        self.projects.begun.connect(self.read_completion.follow)
        self.read_completion.abandoned.connect(self.projects.go_back)
        self.read_completion.state_changed.connect(window.bar.show_reading)
        self.read_completion.columns_requested.connect(self._show_columns)
        window.bar.broken.link_clicked.connect(self.read_completion.choose_again)
        self.pasting = Pasting(flow, self)
        # On other pages these keys are for fields and hierarchies.
        window.page_shown.connect(
            lambda page: actions.set_enabled("paste", page == START, self.tr("close the project first"))
        )

        self._connect_recovery()

    def _connect_start(self) -> None:
        page, actions, preferences = self.start_page, self.actions, self.preferences
        page.database_button.clicked.connect(actions["open_database"].trigger)
        page.tour_button.clicked.connect(actions["tour"].trigger)
        page.tutorial_button.clicked.connect(lambda: self.help.show("tutorial-hospital.md"))
        page.all_button.setMenu(self.window.recent_menu)
        page.path_requested.connect(self.projects.open_path)
        page.forget_requested.connect(preferences.forget_recent)
        page.locate_requested.connect(self._locate)
        page.shown_recent.connect(self._look_at_recent)
        self.window.files_dragged.connect(page.show_dragged)
        self.window.page_shown.connect(lambda shown: self._show_recent() if shown == START else None)
        self.runner.task_started.connect(lambda task: page.follow(task) if task.key in OPENINGS else None)
        self.session.applied.changed.connect(self._note_recent)
        self.session.applied.stale_changed.connect(self._note_recent)
        self.written.changed.connect(self._note_recent)
        self.session.results.problem_changed.connect(self._offer_ledger)
        if self._is_for_picture:
            self._show_lattices()
        else:
            self._steps_ahead.ask(self._show_lattices)

    def _show_lattices(self) -> None:
        """Show the lattices of the examples, once the window is there."""
        from anonymizer_gui.perspectives.explore.lattice.example import ExampleLattice

        small = {example.key: ExampleLattice(example.key, 240, 116) for example in EXAMPLES}
        self.start_page.show_pictures(ExampleLattice(DEMO.key, 760, 380, has_caption=True), small)

    def _look_at_recent(self, paths: tuple[Path, ...]) -> None:
        self.runner.run(states_of, paths, then=self.start_page.show_states, key="recent")

    def _locate(self, path: Path) -> None:
        """Ask where a recent file is now, and open it."""
        found = ask_open(self.window, self.tr("Locate {name}").format(name=path.name), f"*{path.suffix}")
        if found is not None:
            self.preferences.forget_recent(path)
            self.projects.open_path(found)

    def _add_recent(self, path: Path | None) -> None:
        self._recent = path
        if path is not None:
            self.preferences.add_recent(path)
            self._note_recent()

    def _offer_ledger(self, _problem: object, error: AnonymizerError | None) -> None:
        """Offer to choose another ledger, or none, where that of the project cannot be read."""
        if error is not None and "ledger" in error.context:
            self.window.banner.show_error(
                error.problem,
                error.hint,
                self.tr("Ledger…"),
                lambda: self.export.ledger.show(Path(), self.window),
                holds=lambda: self.session.results.problem_error is error,
            )

    def _note_recent(self, *_: object) -> None:
        """Note what the start page shows of the file that was opened or saved last."""
        project, problem, path = self.session.project, self.session.results.problem, self._recent
        if project is None or path is None:
            return
        applied, heights = self.session.applied, tuple[int, ...]()
        if problem is not None:
            heights = tuple(attribute.hierarchy.height for attribute in problem.attributes)
        state = "" if applied.release is None else "stale" if applied.stale_text else "applied"
        if state == "applied" and self.written.now is not None:
            state = "exported"
        node = applied.node or (0,) * len(heights)
        now = datetime.now().isoformat(timespec="minutes")
        counts = project.table.n_records, len(project.table.names)
        facts = RecentFacts(now, *counts, state, tuple(node), heights if len(heights) == len(node) else ())
        self.preferences.remember_facts(path, facts)

    def _connect_recovery(self) -> None:
        self.start_page.add_notice(self.recovery_card)
        self.recovery_card.filled.connect(self.start_page.show_has_offers)
        self.recovery.opened.connect(self.projects.open_recovered)
        self.autosave.seen = self.projects.seen
        self.autosave.failed.connect(self.frame.show_error)
        self.autosave.stored.connect(self.recovery.forget_adopted)
        self.projects.discarded.connect(self.autosave.discard_changes)
        self.recovery.look()

    def _show_written(self, risk: RiskPresenter) -> None:
        if (now := self.written.now) is not None:
            risk.show_verified(now.path.name)

    def _offer_actions(self) -> None:
        window, actions = self.window, self.actions
        slots: dict[str, Callable[[], object]] = {
            "first_release": lambda: self.first.start(),
            "history": lambda: self.history.show_list(),
            "apply_again": self.releases.apply_again,
            "open_database": lambda: self.projects.ask_to_save(self.projects.opening.databases.ask),
            "open_with": lambda: self.projects.ask_to_save(self.projects.opening.applying.ask),
            "reimport": lambda: self.reimporting.ask(),
            "paste": lambda: self.projects.ask_to_save(self.pasting.paste),
            "search_with": lambda: self.algorithms.show(),
            "utility": lambda: self.frame.show_perspective(UTILITY),
            "risk": lambda: self.frame.show_perspective(RISK),
            "walk": self._walk,
            "improve": lambda: self.improve.show(),
            "judge": lambda: self.given_table.ask(),
            "export": lambda: self.export.show(),
            "report": lambda: self.report.show_release(),
            "shortcuts": lambda: _open(ShortcutsDialog(window, actions)),
            "about": lambda: _open(AboutDialog(window)),
            "full_screen": self._toggle_full_screen,
            "preferences": self._show_preferences,
            "tour": self._start_tour,
            "palette": self._show_palette,
        }
        slots |= {name: partial(self._answer_by_configure, name) for name in _OF_CONFIGURE}
        answering = (self.frame, self.projects, self.jobs, self.help)
        for given in (*(part.actions() for part in answering), slots):
            for name, slot in given.items():
                actions.offer(name, slot)

    def _answer_by_configure(self, name: str) -> None:
        self.configure.actions()[name]()

    def _show_record(self, record: int) -> None:
        """Show a record, counted from 0, with its released values."""
        self.frame.show_perspective(UTILITY)
        self.utility.show_record(record)

    @cached_property
    def tour(self) -> Tour:
        """Tour of the Clinic example, created on first use."""
        from anonymizer_gui.help.tour import Tour

        made = Tour(self.window, self.session, self.frame.show_perspective, self.configure.selected_columns)
        self.configure.view.table.table.columns_selected.connect(made.look)
        return made

    def _start_tour(self) -> None:
        """Open the example, asking about unsaved changes first, and start the tour."""

        def begin(project: Project | None) -> None:
            self.session.project_opened.disconnect(begin)
            source = None if project is None else project.source
            # Else the user kept the previous project.
            if source is not None and source.parent == CLINIC.path.parent:
                self.tour.start()

        self.session.project_opened.connect(begin)
        self.projects.open_path(CLINIC.path)

    def _walk(self) -> None:
        self.frame.show_perspective(EXPLORE)
        self.explore.show_walk()

    def _show_usage(self) -> None:
        """Show in the status strip how many records a filter shows, and the memory in use."""
        self.memory = MemoryLabel((lambda: 0) if self._is_for_picture else memory_held)
        self.window.status.memory_slot.addWidget(self.memory)
        self.session.project_opened.connect(self._show_records)
        self.memory.start()

    def _show_records(self, *_: object) -> None:
        project = self.session.project
        n_shown = self.configure.view.table.table.records.rowCount()
        self.memory.show_records(n_shown, 0 if project is None else project.table.n_records)

    def _show_recent(self) -> None:
        recent = self.preferences.value.recent_files
        self.start_page.show_recent(recent, self.preferences.value.recent_facts)
        self.window.show_recent(recent)

    def _show_preferences(self) -> None:
        from anonymizer_gui.preferences_dialog import PreferencesDialog

        dialog = PreferencesDialog(self.preferences.value, self.window)
        dialog.chosen.connect(self.preferences.set_values)
        _open(dialog)

    def _show_palette(self) -> None:
        from anonymizer_gui.command_palette import Command, CommandPalette

        project = self.session.project
        names = () if project is None else project.table.names
        why_not = self.tr("close the hierarchy editor first") if self.configure.view.is_editing else ""
        columns = [
            Command(
                self.tr("Column: {name}").format(name=name),
                partial(self._show_columns, (name,)),
                why_not=why_not,
                group=self.tr("Columns"),
                icon="columns-3",
            )
            for name in names
        ]
        recent = [
            Command(
                self.tr("Open {name}").format(name=path.name),
                partial(self.projects.open_path, path),
                str(path.parent),
                group=self.tr("Recent files"),
                icon="file-text",
            )
            for path in map(Path, self.preferences.value.recent_files)
        ]
        persons = [
            Command(
                words,
                partial(self.configure.set_person, name),
                why_not=why_not,
                group=self.tr("People"),
                icon="user-search",
            )
            for name, words in self.configure.person_choices()
        ]
        pages = [
            Command(title, partial(self.help.show, link), group=self.tr("Help pages"), icon="book-open")
            for link, title in self.help.pages()
        ]
        CommandPalette.show_for(
            self.window,
            self.actions,
            [*columns, *recent, *persons, *self._risk_places(), *self._metrics(), *pages],
            self.preferences.value.recent_commands,
            self.preferences.add_command,
        )

    def _risk_places(self) -> Iterator[Command]:
        """Yield what Analyze risk shows, by name; also tests that have no page of their own."""
        from anonymizer_gui.command_palette import Command
        from anonymizer_gui.perspectives.risk.presenter import places

        for key, title in places() if self.session.project is not None else ():

            def show(key: str = key) -> None:
                self.frame.show_perspective(RISK)
                self.risk.show_place(key)

            text, group = self.tr("Analyze risk: {name}").format(name=title), self.tr("Analyze risk")
            yield Command(text, show, group=group, icon="shield-check")

    def _metrics(self) -> Iterator[Command]:
        """Yield every metric by its name, which shows it among the others."""
        from anonymizer_gui.command_palette import Command
        from engine.utility import utility_metrics

        def show() -> None:
            self.frame.show_perspective(UTILITY)
            self.utility.view.show_metrics()

        for kind in utility_metrics.values() if self.session.project is not None else ():
            text, group = self.tr("Metric: {name}").format(name=kind.title), self.tr("Analyze utility")
            yield Command(text, show, group=group, icon="chart-column")

    def _show_columns(self, names: tuple[str, ...]) -> None:
        self.frame.show_perspective(CONFIGURE)
        self.configure.view.table.table.select_columns(names)

    def _toggle_full_screen(self) -> None:
        if self.window.isFullScreen():
            self.window.showNormal()
        else:
            self.window.showFullScreen()

    def _on_demo_opened(self, project: object) -> None:
        if project is not None:
            self.session.project_opened.disconnect(self._on_demo_opened)
            self.frame.apply_optimum_when_settled()

    def open_path(self, path: Path) -> None:
        """Open a file that the command line names, or the desktop asks for."""
        self.projects.open_path(path)


def _import_analyses() -> None:
    """Import the analyses in advance, which avoids a delay on first use."""
    from engine.findings.base import risk_analyses, utility_analyses

    for registry in (utility_analyses, risk_analyses):
        len(registry)  # fills the registry


def _open(dialog: QDialog) -> None:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
