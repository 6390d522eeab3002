"""Dialog for the answers that a de-identification statement asks for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.editors import FormContext
from anonymizer_gui.forms.param_form import ParamForm
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from engine.params import values_of
from engine.project.attack_settings import RELEASED
from engine.project.statement import QUESTIONS, StatementAnswers

_WIDTH = 620


class StatementDialog(AskingDialog):
    """Emits the answers with those to the questions shown; the others stay as they were."""

    answers_chosen = Signal(object)  # StatementAnswers

    def __init__(
        self,
        title: str,
        answers: StatementAnswers,
        asks: Sequence[str],
        columns: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        """Create the dialog; `asks` are the questions of a form, and `columns` those that can be named."""
        super().__init__("statementDialog", title, self.tr("Store answers"), _WIDTH, parent)
        self._answers = answers
        omitted = [name for name in QUESTIONS if name not in asks]
        context = FormContext({RELEASED: columns})
        self.form = ParamForm(StatementAnswers, values_of(answers), context, omitted=omitted)
        explained = self.tr(
            "The project cannot fill these fields. Answers are stored in it, and used by every form that "
            "asks for them. Leave a field empty to enter it later."
        )
        self.lay_out(
            make_label(title, Text.HEADING),
            make_label(explained, Text.CELL, "text_2", wraps=True),
            self.form,
        )

    def submit(self) -> bool:
        found = self.form.applied_to(self._answers)
        if found is not None:
            self.answers_chosen.emit(found)
        return found is not None
