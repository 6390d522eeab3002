"""Analyze risk: asks about the applied release what the pages show, and says what it rests on."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.perspectives.risk.asking import Asking
from anonymizer_gui.perspectives.risk.overview_presenter import OverviewPresenter
from anonymizer_gui.perspectives.risk.strip_values import basis_words, made_with_words
from anonymizer_gui.perspectives.risk.view import RiskPerspective
from anonymizer_gui.session import Session
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.errors import AnonymizerError


class RiskPresenter(QObject):
    """Nothing is worked out before somebody looks."""

    perspective_requested = Signal(str)
    apply_requested = Signal()  # the optimum
    record_requested = Signal(int)  # counted from 0, to be shown in the table
    error_raised = Signal(object)  # exception

    def __init__(self, session: Session, desk: AnalysisDesk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._desk = session, desk
        self.view = view = RiskPerspective()
        self._asking = Asking(desk, self)
        self._asking.error_raised.connect(self._show_error)
        self._overview = OverviewPresenter(view.overview, self._asking, self)
        self._overview.statement_changed.connect(view.strip.show_statement)
        self._overview.threshold_changed.connect(view.strip.show_threshold)
        self._overview.record_requested.connect(self.record_requested)
        view.strip.threshold_changed.connect(self._overview.set_threshold)
        view.shown.connect(self._ask)
        view.action_requested.connect(self._on_action)
        desk.subject_changed.connect(self._on_subject_changed)
        session.stale_changed.connect(lambda _text: self._show_made_with())
        session.evaluation_changed.connect(lambda _evaluation: self._show_state())
        self._is_asked = False
        self._on_subject_changed()

    @property
    def is_settled(self) -> bool:
        """Whether everything in sight is there."""
        return self._desk.is_settled

    def show_verified(self, file_name: str) -> None:
        """Say that the release was written and recomputed from its file."""
        self.view.strip.show_basis(*basis_words(is_verified=True, file_name=file_name))

    def _on_subject_changed(self) -> None:
        self._is_asked = False
        self.view.error.hide()
        self.view.strip.show_basis(*basis_words(is_verified=False))
        self._overview.forget()
        self._show_state()
        self._show_made_with()
        if self.view.isVisible():
            self._ask()

    def _ask(self) -> None:
        if self._is_asked or self._desk.subject is None:
            return
        self._is_asked = True
        self._overview.ask()

    def _show_state(self) -> None:
        if self._session.release is not None:
            self.view.show_results()
            return
        sentence = self.tr("Here is what a release still gives away, beside its input. Apply a node first.")
        has_optimum = self._session.optimum is not None
        self.view.show_empty(
            sentence, self.tr("Apply the optimum") if has_optimum else self.tr("Go to Explore results")
        )

    def _show_made_with(self) -> None:
        subject = self._desk.subject
        if subject is None:
            self.view.show_made_with("")
        else:
            self.view.show_made_with(*made_with_words(subject, self._session.stale_text))

    def _on_action(self) -> None:
        if self._session.optimum is not None:
            self.apply_requested.emit()
        else:
            self.perspective_requested.emit("explore")

    def _show_error(self, error: Exception) -> None:
        if not isinstance(error, AnonymizerError):
            raise error
        self.view.error.show_error(error.problem, error.hint)
