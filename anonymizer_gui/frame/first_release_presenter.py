"""*Get a first release*: suggests settings in a task, applies the optimum and shows a card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QPushButton

from anonymizer_gui.session import Session
from anonymizer_gui.session.release_controller import ReleaseController
from anonymizer_gui.session.scoring_controller import ScoringController
from anonymizer_gui.tasks import Task
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import IconLabel
from anonymizer_gui.widgets.floating_card import PassingCard
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, clear, gridbox, hbox, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.errors import AnonymizerError
from engine.project import Project
from engine.words import _

if TYPE_CHECKING:
    from engine.advice.first_release import FirstAccount, FirstSettings
    from engine.recoding import Release


@dataclass(frozen=True)
class CardLine:
    """One line: icon, colour token, subject and text."""

    icon: str
    token: str
    title: str
    text: str


class FirstReleaseCard(PassingCard):
    """Card beside the page; closed by the user or when it is out of date."""

    def __init__(self) -> None:
        super().__init__("firstRelease")
        self.lines: tuple[CardLine, ...] = ()  # lines of the card
        self._grid = gridbox(spacing=(8, 6), stretched=2)
        self.explore_button = self._button(self.tr("Explore"), _("Explore"))
        self.risk_button = self._button(self.tr("Analyze risk"), _("Risk"))
        self.export_button = self._button(self.tr("Export…"), _("Export"))
        self.undo_button = self._button(self.tr("Undo"), _("Undo"))
        further = hbox(self.explore_button, self.risk_button, STRETCH, spacing=8)
        last = hbox(self.export_button, STRETCH, self.undo_button, spacing=8)
        self.set_body(vbox(ScrollBody(vbox(self._grid, STRETCH, margins=0)), further, last, spacing=8))

    def show_lines(self, title: str, lines: Sequence[CardLine], *, has_release: bool) -> None:
        """Show the result; without a release the buttons for export and results are hidden."""
        self.set_title(title)
        self.lines = tuple(lines)
        clear(self._grid)
        for row, line in enumerate(lines):
            words = make_label(line.text, Text.CELL)
            words.setWordWrap(True)
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            top = Qt.AlignmentFlag.AlignTop
            self._grid.addWidget(IconLabel(line.icon, 16, line.token), row, 0, top)
            self._grid.addWidget(make_label(line.title, Text.CELL_STRONG), row, 1, top)
            self._grid.addWidget(words, row, 2, top)
        for button in (self.explore_button, self.risk_button, self.export_button):
            button.setVisible(has_release)
        self.show()

    def _button(self, text: str, name: str) -> QPushButton:
        return make_button(text, f"firstRelease{name}", small=True)


PATIENCE = 20_000  # milliseconds after which a partly scored lattice gives its best node so far


class FirstReleasePresenter(QObject):
    """Runs one first release at a time; any change to the project by the user ends it."""

    perspective_requested = Signal(str)
    export_requested = Signal()

    def __init__(
        self,
        session: Session,
        scoring: ScoringController,
        releases: ReleaseController,
        card: FirstReleaseCard,
    ) -> None:
        super().__init__(card)
        self._session, self._runner = session, session.runner
        self._scoring, self._releases, self.card = scoring, releases, card
        self._settings: FirstSettings | None = None  # of the run in progress, or of the release on the card
        self._is_waiting = False  # for the lattice to be scored
        self._step = 0  # of the undo stack, before the run
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE)
        self._patience.timeout.connect(lambda: self._look(takes_best_known=True))
        scoring.state_changed.connect(self._look)
        session.project_opened.connect(lambda _project: self._forget())
        session.applied.changed.connect(self._on_release_changed)
        session.snapshot_changed.connect(self._on_changed)
        card.explore_button.clicked.connect(lambda: self.perspective_requested.emit("explore"))
        card.risk_button.clicked.connect(lambda: self.perspective_requested.emit("risk"))
        card.export_button.clicked.connect(self.export_requested)
        card.undo_button.clicked.connect(self._undo)
        for button in (card.explore_button, card.risk_button, card.export_button):
            button.clicked.connect(card.leave)  # else it covers what they show

    @property
    def is_settled(self) -> bool:
        """Return whether no first release is in progress."""
        return not self._is_waiting

    def start(self) -> None:
        """Suggest settings for the open project."""
        from engine.advice.first_release import first_settings

        project = self._session.project
        if project is None:
            return
        self._forget()
        task = Task(first_settings, project)
        task.succeeded.connect(lambda settings: self._on_settings(project, settings))
        task.failed.connect(self._on_failed)
        self._runner.start(task, label=self.tr("Suggesting settings"), key="first release")

    def _on_settings(self, before: Project, settings: FirstSettings) -> None:
        if self._session.project is not before:
            return
        self._step = self._session.history.step
        self._adopt(settings)

    def _adopt(self, settings: FirstSettings) -> None:
        """Apply the suggested settings to the project and wait until its lattice is scored."""
        self._settings, self._is_waiting = settings, True
        self._session.edit(self.tr("Get a first release"), settings.project)
        self._patience.start()
        self._look()

    def _look(self, *, takes_best_known: bool = False) -> None:
        """Apply the optimum once it is known, or show why there is none."""
        session, settings = self._session, self._settings
        if not self._is_waiting or settings is None or not session.results.is_problem_current:
            return
        is_known = takes_best_known and session.results.is_explored and session.results.optimum is not None
        if not self._scoring.is_settled and not is_known:
            return
        if session.results.problem_error is not None:
            self._show_why_not(session.results.problem_error.problem, session.results.problem_error.hint)
        elif session.results.evaluation is None:
            return
        elif session.results.optimum is not None:
            self._is_waiting = False
            self._patience.stop()
            session.selection.select(session.results.optimum)
            self._releases.apply_as_set(session.results.optimum)
        elif self._scoring.was_stopped:
            self._show_why_not(self.tr("Scoring was stopped before a satisfying node was found."), "")
        else:
            self._ask_for_less(settings)

    def _ask_for_less(self, settings: FirstSettings) -> None:
        from engine.advice.first_release import attainable

        evaluation, self._is_waiting = self._session.results.evaluation, False
        task = Task(attainable, settings, evaluation)
        task.succeeded.connect(self._on_attainable)
        task.failed.connect(self._on_failed)
        self._runner.start(
            task, label=self.tr("Testing which requirement can be satisfied"), key="first release"
        )

    def _on_attainable(self, settings: FirstSettings | None) -> None:
        if self._settings is None or self._session.project is not self._settings.project:
            return
        if settings is not None:
            self._adopt(settings)
            return
        self._show_why_not(
            self.tr("No node satisfies these settings."),
            self.tr("Lower k, raise the suppression limit, or add higher levels to the hierarchies."),
        )

    def _on_failed(self, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            raise error
        self._show_why_not(error.problem, error.hint)

    # Card ---------------------------------------------------------------------------------------

    def _on_release_changed(self, release: Release | None) -> None:
        from engine.advice.first_release import account_of

        settings = self._settings
        if release is None or settings is None or self._session.applied.made_with is not settings.project:
            return
        task = Task(account_of, settings, release)
        task.succeeded.connect(lambda account: self._show_result(settings, account))
        task.failed.connect(self._on_failed)
        self._runner.start(task, key="first account")

    def _show_result(self, settings: FirstSettings, account: FirstAccount) -> None:
        if self._settings is not settings or self._session.project is not settings.project:
            return
        ok = ("circle-check", "ok")
        eye = ("triangle-alert", "warn") if account.singles_out else ok
        lines = [
            CardLine(*ok, self.tr("Roles"), account.roles),
            CardLine(*ok, self.tr("Levels"), account.levels),
            CardLine(*ok, self.tr("Suppressed"), account.suppressed),
            CardLine(*eye, self.tr("Unchanged"), account.unchanged),
        ]
        lines += [CardLine("info", "text_2", "", note) for note in account.notes]
        self.card.show_lines(self.tr("A first release has been applied"), lines, has_release=True)

    def _show_why_not(self, problem: str, hint: str) -> None:
        settings, self._is_waiting = self._settings, False
        self._patience.stop()
        notes = () if settings is None else settings.notes
        lines = [CardLine("circle-alert", "danger", "", text) for text in (f"{problem} {hint}".strip(),)]
        lines += [CardLine("info", "text_2", "", note) for note in notes]
        self.card.show_lines(self.tr("No first release"), lines, has_release=False)
        self.card.undo_button.setVisible(settings is not None)

    def _on_changed(self) -> None:
        """Close the card when the user changes the project that it describes."""
        if self._settings is not None and self._session.project is not self._settings.project:
            self._forget()

    def _undo(self) -> None:
        self._session.go_to_step(self._step)

    def _forget(self) -> None:
        self._settings, self._is_waiting = None, False
        self._patience.stop()
        self.card.hide()
        self.card.undo_button.show()
