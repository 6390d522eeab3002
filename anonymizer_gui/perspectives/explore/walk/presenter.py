"""Runs algorithms for a walk, and replays one or two of them with a common clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, QSize, QTimer, Signal
from PySide6.QtWidgets import QDialog, QWidget

from anonymizer_gui.perspectives.explore.algorithms.algorithm_runs import PROMISES
from anonymizer_gui.perspectives.explore.algorithms.member_choice import MemberChoice, MemberWords
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import step_from
from anonymizer_gui.perspectives.explore.view import ExplorePerspective
from anonymizer_gui.perspectives.explore.walk.run import (
    SPEEDS,
    WHOLE,
    Clock,
    WalkPlayer,
    WalkResult,
    n_ticks,
    phase_ticks,
    steps_at,
    tick_of,
    walk_algorithm,
)
from anonymizer_gui.session.applied import made_with_text
from anonymizer_gui.tasks import Task
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.elided_combo_box import ElidedCheckBox
from anonymizer_gui.widgets.fitted_dialog import take_room
from anonymizer_gui.widgets.layouts import named, vbox
from engine.errors import AnonymizerError
from engine.numbers import as_count
from engine.params import Configurable, values_of
from engine.project import Project
from engine.words import _

if TYPE_CHECKING:
    from anonymizer_gui.perspectives.explore.walk.lane import WalkLane
    from anonymizer_gui.perspectives.explore.walk.panel import WalkPanel
    from engine.search import SearchAlgorithm
    from engine.search.replay import Playhead


_WAIT = 400  # milliseconds before a notice about outdated runs: new ones start earlier
_MOST_NEW = 60  # with more steps at once, only the last one is framed
FIRST, SECOND = "incognito", "ola"  # default algorithms of the lanes


@dataclass
class _Run:
    """Run of one lane."""

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)
    recounts: bool = False
    walked: WalkResult | None = None
    playhead: Playhead | None = None
    made_with: Project | None = None


class WalkPresenter(QObject):
    """Presenter of the walk card, which is created on demand."""

    search_requested = Signal()

    def __init__(self, state: ExploreState, view: ExplorePerspective) -> None:
        super().__init__(view)
        self._session, self._runner = state.session, state.session.runner
        self._state, self._view = state, view
        self._panel: WalkPanel | None = None
        self._runs = [_Run(FIRST), _Run(SECOND)]
        self._clock = Clock.STEPS
        self._made_with: Project | None = None
        self.player = WalkPlayer(self)
        self.player.ticked.connect(self._show_moment)
        self.player.playing_changed.connect(self._on_playing_changed)
        view.lattice.walk.clicked.connect(self.show)
        state.forgotten.connect(self.close)
        for signal in (state.scores_changed, state.marks_changed):
            signal.connect(state.in_turn(self._show_marks))
        state.settled.connect(lambda _evaluation: self._follow_settings())
        self._looks = QTimer(self, singleShot=True, interval=_WAIT)
        self._looks.timeout.connect(self._show_outdated)
        for signal in (
            state.session.parts.requirement_changed,
            state.session.parts.search_changed,
            state.session.parts.transformation_changed,
        ):
            signal.connect(self._looks.start)

    @property
    def is_open(self) -> bool:
        """True if the walk is shown instead of the lattice."""
        return self._panel is not None and self._view.stage.currentWidget() is self._panel

    def show(self) -> None:
        """Show the walk; the first run starts immediately."""
        state = self._state
        if state.problem is None or state.layout is None or state.nodes is None or self.is_open:
            return
        panel = self._panel or self._made_panel()
        self._view.stage.setCurrentWidget(panel)
        if self._session.results.is_explored:
            panel.show_unavailable(self._why_not())
            panel.setFocus()
            return
        panel.show_walk()
        panel.show_second(False)
        self._begin_with_project()
        for lane in panel.lanes:
            lane.view.show_lattice(state.layout, state.nodes.levels)
        self._run(0)
        self._show_marks()
        panel.setFocus()  # the lattice gets the focus once there are steps

    def close(self) -> None:
        """Show the lattice, and discard the runs."""
        for number, run in enumerate(self._runs):
            self._runner.cancel(("explore.walk", number))
            run.walked = run.playhead = None
        self.player.reset(0)
        if self._panel is not None and self.is_open:
            self._view.stage.setCurrentWidget(self._view.lattice)
            self._view.lattice.view.setFocus()

    # -- runs ----------------------------------------------------------------------------------

    def _begin_with_project(self) -> None:
        """Start with the algorithm of the project, unless it is exhaustive."""
        project = self._session.project
        if project is not None and project.search.algorithm != "exhaustive" and self._made_with is None:
            self._runs[0] = _Run(project.search.algorithm, dict(project.search.options))
            if self._runs[0].key == self._runs[1].key:
                self._runs[1] = _Run(FIRST)

    def _run(self, number: int) -> None:
        """Run the algorithm of a lane."""
        from engine.search import search_algorithms

        project, problem, panel = self._session.project, self._session.results.problem, self._panel
        if project is None or problem is None or panel is None:
            return
        run, lane = self._runs[number], panel.lanes[number]
        run.walked = run.playhead = None
        self._made_with = run.made_with = project
        lane.show_algorithm(run.key)
        self._restart(0)
        algorithm = search_algorithms.create(run.key, **run.values)
        task = Task(walk_algorithm, algorithm, project, problem, self._session.results.profile, run.recounts)
        task.succeeded.connect(lambda walked: self._on_walked(number, walked))
        task.failed.connect(lambda error: self._on_failed(number, error))
        task.cancelled.connect(lambda: self._on_cancelled(number))
        task.progressed.connect(
            lambda done, total, text: lane.job.show_progress(done / max(total, 1), text or algorithm.title)
        )
        lane.show_running(algorithm.title)
        self._show_outdated()
        self._runner.start(task, key=("explore.walk", number))

    def _on_walked(self, number: int, walked: WalkResult) -> None:
        from anonymizer_gui.perspectives.explore.walk.lattice import effort_text
        from engine.search.replay import Playhead

        state, panel = self._state, self._panel
        if panel is None or state.layout is None or not self.is_open:
            return
        run = self._runs[number]
        run.walked, run.playhead = walked, Playhead(walked.replay)
        if state.scores is not None:
            utility = state.scores.classes
        else:
            utility = np.zeros(state.layout.n_nodes, dtype=np.uint8)
        checked = walked.replay.numbers[walked.replay.checks]
        rows, n_checked = state.layout.positions[:, 0], int(np.count_nonzero(checked >= 0))
        panel.lanes[number].show_run(rows, utility, n_checked, effort_text(walked))
        n_columns = len(self._names())
        has_parts = any(len(stage.attributes) < n_columns for stage in walked.replay.stages)
        panel.lanes[number].need_part(has_parts)
        panel.lanes[number].sentence.set_hint(" ".join(walked.notes))
        self._restart(self.player.tick)
        if panel.window().focusWidget() is panel:
            panel.lanes[number].view.setFocus()

    def _on_failed(self, number: int, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            raise error
        if self._panel is not None:
            sentence = self.tr("There are no steps to replay.")
            self._panel.lanes[number].show_stopped(sentence, error.problem, error.hint)

    def _on_cancelled(self, number: int) -> None:
        is_superseded = self._runner.running(("explore.walk", number)) is not None
        if self._panel is not None and not is_superseded:
            self._panel.lanes[number].show_stopped(self.tr("The run was cancelled."))

    def _follow_settings(self) -> None:
        """Repeat runs with outdated settings."""
        project = self._session.project
        if self._panel is None or not self.is_open or project is None or self._made_with is None:
            return
        if self._session.results.is_explored or not made_with_text(self._made_with, project):
            return
        self._run_again()

    def _run_again(self) -> None:
        if self._panel is not None and self.is_open:
            self._run(0)
            if self._panel.shows_second:
                self._run(1)

    def _show_outdated(self) -> None:
        """Show that runs have outdated settings."""
        now = self._session.project
        if self._panel is None or not self.is_open or now is None:
            return
        shown = [run.made_with for run in self._runs if run.walked is not None and run.made_with is not None]
        texts = [made_with_text(made_with, now) for made_with in shown]
        self._panel.show_outdated(next(filter(None, texts), ""))

    # -- the clock -----------------------------------------------------------------------------

    def _shown_runs(self) -> list[tuple[WalkLane, WalkResult, Playhead]]:
        if self._panel is None:
            return []
        return [
            (lane, run.walked, run.playhead)
            for lane, run in zip(self._panel.lanes, self._runs, strict=True)
            if run.walked is not None and run.playhead is not None
        ]

    def _restart(self, tick: int) -> None:
        """Update the player after runs were added or removed."""
        self.player.reset(
            n_ticks((walked.replay for _lane, walked, _head in self._shown_runs()), self._clock), tick
        )
        if self._panel is not None:
            shown = self._shown_runs()
            marks = phase_ticks(shown[0][1].replay, self._clock) if shown else ((), ())
            self._panel.transport.slider.show_phases(*marks)

    def _show_moment(self, tick: int) -> None:
        if self._panel is None:
            return
        self._panel.transport.show_position(tick, self.player.length)
        for lane, walked, playhead in self._shown_runs():
            self._show_lane(lane, walked, playhead, steps_at(walked.replay, tick, self._clock))
            if not self.player.is_playing:
                lane.announce()

    def _show_lane(self, lane: WalkLane, walked: WalkResult, playhead: Playhead, at: int) -> None:
        from anonymizer_gui.perspectives.explore.walk.lattice import ending_text, progress_text, step_text

        replay, before = walked.replay, playhead.at
        playhead.move(at)
        has_ended = at == replay.n_steps
        new = replay.numbers[before if at - _MOST_NEW <= before < at else max(at - 1, 0) : at]
        new = new[new >= 0] if not has_ended else new[:0]  # at the end, the complete lattice is shown
        self._show_part(lane, walked, at)
        rules = [rule.text for rule in replay.rules]
        minimal = walked.minimal if has_ended and walked.settles_all else None
        lane.show_moment(playhead, rules, new, minimal)
        names = self._names()
        by_checks = self._clock is Clock.CHECKS
        text = step_text(replay, at, names, with_following=by_checks)
        if has_ended:
            text = self.tr("Result: {walked}").format(walked=ending_text(walked, names))
        elif not at:
            text = self.tr("{title} begins; no node is known yet.").format(title=walked.algorithm.title)
        has_node = at > 0 and int(replay.numbers[at - 1]) >= 0
        why = self.tr("This step concerns only some of the columns") if at else self.tr("No step yet")
        lane.show_words(progress_text(walked, at, names), text, has_node=has_node, why_not=why)

    def _show_part(self, lane: WalkLane, walked: WalkResult, at: int) -> None:
        """Show the lattice of the subset of columns that the last step concerns."""
        replay, names = walked.replay, self._names()
        stage = replay.stage(at - 1) if at else None
        if stage is None or len(stage.attributes) == len(names):
            lane.part.show_nothing()
            return
        shape = [replay.lattice.shape[q] for q in stage.attributes]
        lane.part.show_part([names[q] for q in stage.attributes], shape, replay.part_states(stage, at))

    def _on_playing_changed(self, is_playing: bool) -> None:
        if self._panel is None:
            return
        self._panel.transport.show_playing(is_playing)
        if not is_playing:
            for lane, _walked, _head in self._shown_runs():
                lane.announce()

    # -- actions -------------------------------------------------------------------------------

    def _on_clock_requested(self, clock: str) -> None:
        """Change the clock at the position of the first run."""
        shown = self._shown_runs()
        self._clock = Clock(clock)
        self._restart(tick_of(shown[0][1].replay, shown[0][2].at, self._clock) if shown else 0)

    def _on_second_requested(self, is_wanted: bool) -> None:
        if self._panel is None or is_wanted == self._panel.shows_second:
            return
        self._panel.show_second(is_wanted)
        if is_wanted:
            self._run(1)
        else:
            self._runner.cancel(("explore.walk", 1))
            self._runs[1].walked = self._runs[1].playhead = None
            self._restart(self.player.tick)

    def _on_algorithm_requested(self, number: int, key: str) -> None:
        if key != self._runs[number].key or self._runs[number].walked is None:
            self._runs[number] = _Run(key, recounts=self._runs[number].recounts)
            self._run(number)

    def _on_settings_requested(self, number: int) -> None:
        from anonymizer_gui.perspectives.explore.algorithms.member_choice import MemberWords
        from engine.search import search_algorithms

        run = self._runs[number]
        words = {key: MemberWords(_(PROMISES[kind.promise])) for key, kind in search_algorithms.items()}
        dialog = WalkDialog(search_algorithms, words, self._view.window())
        dialog.show_settings(run.key, run.values, recounts=run.recounts)
        dialog.walk_requested.connect(lambda algorithm, recounts: self._on_set(number, algorithm, recounts))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_set(self, number: int, algorithm: SearchAlgorithm, recounts: bool) -> None:
        self._runs[number] = _Run(algorithm.key, values_of(algorithm), recounts)
        self._run(number)

    def _select_step(self, number: int) -> None:
        """Select the node of the last step of a lane."""
        run = self._runs[number]
        if run.walked is not None and run.playhead is not None and run.playhead.at:
            node = int(run.walked.replay.numbers[run.playhead.at - 1])
            if node >= 0:
                self._state.select(node)

    def _on_step_requested(self, direction: str) -> None:
        state = self._state
        problem, layout, nodes = state.problem, state.layout, state.nodes
        if problem is not None and layout is not None and nodes is not None:
            found = step_from(state.selected, direction, problem.lattice, nodes, layout, state.scores)
            if found is not None:
                self._session.selection.select(found)

    def _show_marks(self) -> None:
        if self._panel is None or not self.is_open or self._session.results.is_explored:
            return
        selected = self._state.selected
        description = "" if selected is None else self._state.describe(selected)
        for lane in self._panel.lanes:
            if lane.view.layout_shown is not None:
                lane.view.show_marks(self._state.marks, description)

    def _show_details(self, number: int, node: int) -> None:
        from anonymizer_gui.perspectives.explore.walk.lattice import node_text

        run = self._runs[number]
        if self._panel is not None and run.walked is not None and run.playhead is not None:
            text = node_text(run.walked.replay, node, run.playhead.at, self._names())
            self._panel.lanes[number].view.show_details(node, text)

    # -- texts and parts -----------------------------------------------------------------------

    def _names(self) -> tuple[str, ...]:
        problem = self._state.problem
        return () if problem is None else tuple(problem.names)

    def _why_not(self) -> str:
        problem = self._state.problem
        n_nodes = "" if problem is None else as_count(problem.lattice.n_nodes)
        return self.tr(
            "A walk needs every node scored, and this lattice ({n_nodes} nodes) is searched best "
            "first. Allow fewer levels, or make fewer columns quasi-identifying, to replay a "
            "walk; algorithms can search it anyway."
        ).format(n_nodes=n_nodes)

    def _made_panel(self) -> WalkPanel:
        from anonymizer_gui.perspectives.explore.walk.panel import WalkPanel
        from engine.search import search_algorithms

        self._panel = panel = WalkPanel()
        self._view.stage.addWidget(panel)
        offered = [(key, kind.title, kind.summary) for key, kind in search_algorithms.items()]
        panel.close_requested.connect(self.close)
        panel.second.toggled.connect(self._on_second_requested)
        panel.unavailable.action_requested.connect(self.search_requested)
        panel.select_requested.connect(lambda: self._select_step(0))
        panel.outdated.action_requested.connect(self._run_again)
        transport, player = panel.transport, self.player
        transport.play_requested.connect(player.toggle)
        transport.step_requested.connect(player.step)
        transport.jump_requested.connect(player.go)
        transport.speed.currentIndexChanged.connect(self._on_speed_chosen)
        transport.clock.selected.connect(self._on_clock_requested)
        for number, lane in enumerate(panel.lanes):
            lane.show_algorithms(offered)
            self._connect_lane(number, lane)
        return panel

    def _connect_lane(self, number: int, lane: WalkLane) -> None:
        lane.choice.data_chosen.connect(lambda key: self._on_algorithm_requested(number, key))
        lane.settings.clicked.connect(lambda: self._on_settings_requested(number))
        lane.nothing.action_requested.connect(lambda: self._run(number))
        lane.job.cancel_requested.connect(lambda: self._runner.cancel(("explore.walk", number)))
        lane.locate.clicked.connect(lambda: self._select_step(number))
        lane.view.node_requested.connect(self._state.select)
        lane.view.apply_requested.connect(self._state.apply)
        lane.view.step_requested.connect(self._on_step_requested)
        lane.view.details_requested.connect(lambda node: self._show_details(number, node))

    def _on_speed_chosen(self, place: int) -> None:
        self.player.speed = (WHOLE, *SPEEDS)[place]


class WalkDialog(QDialog):
    """Emits the settings; the presenter runs the algorithm."""

    walk_requested = Signal(object, bool)  # SearchAlgorithm, whether it recounts all classes

    def __init__(
        self,
        kinds: Mapping[str, type[Configurable]],
        words: Mapping[str, MemberWords],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("walkDialog")
        self.setWindowTitle(self.tr("Algorithm to replay"))
        self.choice = MemberChoice(kinds, words, title=self.tr("Algorithm"), last_heading=self.tr("Result"))
        self.recount_box = named(
            ElidedCheckBox(
                self.tr("Recount the classes of every node to measure scans and roll-ups (slower)")
            ),
            "walkAnew",
        )
        self._walk = make_button(self.tr("Walk"), "walkStartButton", kind="primary", icon_name="play")
        self._walk.setDefault(True)
        cancel = make_button(self.tr("Cancel"), "walkCancelButton")
        vbox(
            (self.choice, 1),
            self.recount_box,
            button_row(cancel, self._walk),
            spacing=12,
            margins=16,
            of=self,
        )
        self._walk.clicked.connect(self._on_walk_clicked)
        cancel.clicked.connect(self.reject)
        take_room(self, QSize(scaled(940), scaled(520)))

    def show_settings(self, key: str, values: Mapping[str, Any], *, recounts: bool) -> None:
        """Show the current settings of an algorithm."""
        self.choice.choose(key, values)
        self.recount_box.setChecked(recounts)
        self.choice.list.setFocus()

    def _on_walk_clicked(self) -> None:
        if (algorithm := self.choice.member()) is not None:
            self.accept()
            self.walk_requested.emit(algorithm, self.recount_box.isChecked())
