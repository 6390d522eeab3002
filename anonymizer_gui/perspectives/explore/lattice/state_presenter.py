"""Says what a lattice in an unusual state means, and what leads out of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal

from anonymizer_gui.models.measured_text import limit_text
from anonymizer_gui.perspectives.explore.lattice.state_note import StateNote
from anonymizer_gui.perspectives.explore.showing import Showing
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.numbers import as_exact_count, as_nodes, as_percent
from engine.monitor import SILENT, Monitor
from engine.project import edits

if TYPE_CHECKING:
    from engine.advice.nearest import NearestChange
    from engine.scoring import Evaluation

_KEY = "nearest-changes"
_tr = partial(QCoreApplication.translate, "StatePresenter")


class StatePresenter(QObject):
    """Follows what is shown once it has come to rest; what would satisfy is looked for in a task."""

    configure_requested = Signal()
    error_raised = Signal(object)  # exception

    def __init__(
        self, session: Session, runner: TaskRunner, showing: Showing, note: StateNote, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._showing, self._note = session, runner, showing, note
        self._changes: tuple[NearestChange, ...] = ()
        showing.forgotten.connect(self._forget)
        showing.scores_changed.connect(showing.in_turn(self._on_scores_changed))
        showing.settled.connect(self._on_settled)
        note.action_requested.connect(self._on_action_requested)

    @property
    def is_settled(self) -> bool:
        return self._runner.running(_KEY) is None

    def _forget(self) -> None:
        self._runner.cancel(_KEY)
        self._changes = ()
        self._note.say("")

    def _on_scores_changed(self) -> None:
        """While a knob turns only what is not true any more is taken away."""
        scores = self._showing.scores
        if scores is not None and 0 < scores.n_satisfying < scores.n_all:
            self._forget()

    def _on_settled(self, evaluation: Evaluation) -> None:
        scores, problem = self._showing.scores, self._showing.problem
        self._runner.cancel(_KEY)
        self._changes = ()
        if scores is None or problem is None or not scores.is_complete:
            self._note.say("")
        elif not scores.n_satisfying:
            self._note.say(self.tr("No node satisfies the requirement."), tone="warn")
            task = Task(_find, evaluation)
            task.succeeded.connect(self._on_found)
            task.failed.connect(self.error_raised)
            self._runner.start(task, key=_KEY)
        elif scores.n_all == 1:
            words = self.tr(
                "There is one node only: every attribute has a single level. More are made in {0}."
            )
            self._note.say(words.format(self.tr("Configure")), [self.tr("Configure transformation")])
        elif scores.n_satisfying == scores.n_all:
            self._note.say(
                self._everything(int(scores.suppressed[problem.lattice.number(problem.lattice.minimum)]))
            )
        else:
            self._note.say("")

    def _everything(self, suppressed: int) -> str:
        """What it means that even the most precise node satisfies."""
        problem = self._showing.problem
        assert problem is not None, "only asked where nodes are shown"
        if not suppressed:
            return self.tr(
                "Every node satisfies. The most precise one does without suppressing a record: "
                "the requirement asks nothing of this table that generalizing would bring."
            )
        share = as_percent(suppressed / max(problem.n_records, 1))
        words = self.tr("Every node satisfies. The most precise one suppresses {0} records ({1}).")
        return words.format(as_exact_count(suppressed), share)

    def _on_found(self, found: tuple[Evaluation, tuple[NearestChange, ...]]) -> None:
        evaluation, changes = found
        if evaluation is not self._showing.evaluation or not self._is_present(evaluation):
            return
        self._changes = changes
        if not changes:
            words = self.tr(
                "No node satisfies the requirement, and no single threshold helps. Weaken several, or allow "
                "more general levels in Configure."
            )
            self._note.say(words, [self.tr("Configure transformation")], tone="warn")
            return
        words = self.tr("No node satisfies the requirement. Some would with")
        self._note.say(words, [change_words(change) for change in changes], tone="warn")

    def _is_present(self, evaluation: Evaluation) -> bool:
        """Whether what was found still answers the settings of the project."""
        return (
            not self._session.shown.is_preview and evaluation.requirement == self._session.shown.requirement
        )

    def _on_action_requested(self, number: int) -> None:
        if not self._changes:
            self.configure_requested.emit()
            return
        project = self._session.project
        if project is not None and number < len(self._changes):
            change = self._changes[number]
            text = self.tr("Set {0}").format(change_name(change))
            self._session.edit(text, edits.set_requirement(project, change.requirement))


def change_name(change: NearestChange) -> str:
    """A threshold with its value: "k = 20", "suppression limit 8.41 %"."""
    if change.index is None:
        return _tr("suppression limit {0}").format(as_percent(change.value))
    model = change.requirement.models[change.index]
    name = _tr("{0} of {1}").format(model.symbol, ", ".join(model.columns)) if model.columns else model.symbol
    return f"{name} = {limit_text(model, change.value)}"


def change_words(change: NearestChange) -> str:
    """A threshold with its value, and how many nodes would satisfy."""
    return f"{change_name(change)} · {as_nodes(change.n_satisfying)}"


def _find(evaluation: Evaluation, monitor: Monitor = SILENT) -> tuple[Evaluation, tuple[NearestChange, ...]]:
    from engine.advice.nearest import nearest_changes

    return evaluation, nearest_changes(evaluation.profile, evaluation.requirement, monitor)
