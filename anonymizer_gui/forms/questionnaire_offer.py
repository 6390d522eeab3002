"""Access to the questionnaire: the dialog over a widget, and the requirements that its answers demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.questionnaire_dialog import QuestionnaireDialog
from anonymizer_gui.session import Session
from engine.numbers import as_exact_count
from engine.project import Project
from engine.project.answers import Answers
from engine.project.questionnaire import Demand, demands, set_answers
from engine.table import Role
from engine.words import ngettext

_SETTLED = (Role.QUASI_IDENTIFYING, Role.IDENTIFYING)  # roles of columns that need not be asked for


class Counting(Protocol):
    """Counts nodes in tasks; a newer question wins."""

    def of_answers(self, answered: Project, say: Callable[[str], object]) -> None:
        """Say how many nodes satisfy the thresholds of a project."""

    def stop(self) -> None:
        """Answer no question of a closed dialog."""


class QuestionnaireOffer(QObject):
    """Opens the dialog; accepted answers are one undo step with all requirements they demand."""

    def __init__(self, session: Session, counting: Counting, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._counting = session, counting

    def ask(self, over: QWidget) -> None:
        """Open the dialog."""
        project = self._session.project
        if project is None:
            return
        of_survey = (project.weight, project.household)
        names = project.table.names
        columns = [name for name in names if project.role(name) not in _SETTLED and name not in of_survey]
        dialog = QuestionnaireDialog(project.answers, columns, over)
        dialog.answers_changed.connect(lambda answers: self._show(dialog, answers))
        dialog.answers_chosen.connect(self._on_answers_chosen)
        dialog.finished.connect(self._counting.stop)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_answers_chosen(self, answers: Answers) -> None:
        if (project := self._session.project) is not None:
            self._session.edit(self.tr("Answer the questionnaire"), set_answers(project, answers))

    def _show(self, dialog: QuestionnaireDialog, answers: Answers) -> None:
        project = self._session.project
        if project is None:
            return
        found = demands(project, answers)
        dialog.show_demands(self._summary(project, answers, found), found)
        self._counting.of_answers(set_answers(project, answers), dialog.show_counted)

    def _summary(self, project: Project, answers: Answers, found: tuple[Demand, ...]) -> str:
        n_lacking = sum(not demand.is_met for demand in found)
        if not found:
            words = self.tr("Nothing is demanded yet.")
        elif not n_lacking:
            words = self.tr("The settings meet everything that the answers demand.")
        else:
            words = ngettext(
                "{n} of {total} requirement will be added or strengthened.",
                "{n} of {total} requirements will be added or strengthened.",
                len(found),
            ).format(n=as_exact_count(n_lacking), total=as_exact_count(len(found)))
        n_open = sum(answer is None for _question, answer in answers.pairs)
        if n_open:
            asked = ngettext("{n} question is not answered.", "{n} questions are not answered.", n_open)
            words = f"{words} {asked.format(n=as_exact_count(n_open))}"
        return words
