"""Questions about the recipients of the release, and the resulting requirements with their sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from anonymizer_gui.forms.list_editors import CheckList
from anonymizer_gui.session import Session
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import TextsTable
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.fitted_dialog import ForeseeingDialog, room_for
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, gridbox, named, vbox
from anonymizer_gui.widgets.scroll_body import ScrollBody
from engine.numbers import as_exact_count
from engine.project import Project
from engine.project.answers import QUESTIONS, Answers, Question
from engine.project.questionnaire import Demand, Reason, demands, set_answers
from engine.records import Role
from engine.words import ngettext

_WIDTH, _AROUND = 1000, 48
_ROWS, _ROW, _KNOWN = 6, 24, 76  # rows of the table seen at once, their height, height of the known columns


class AnswerChips(QWidget):
    """The answers of a question as buttons in two columns; another press on the chosen one takes it back."""

    changed = Signal()

    def __init__(self, question: Question, chosen: str) -> None:
        super().__init__()
        named(self, f"answer.{question.key}", question.asks)
        self.buttons: dict[str, QPushButton] = {}
        grid = gridbox(spacing=(6, 4), margins=0, of=self)
        for place, answer in enumerate(question.answers):
            button = make_button(answer.title, f"answer.{question.key}.{answer.key}", small=True)
            button.setCheckable(True)
            button.setChecked(answer.key == chosen)
            button.clicked.connect(lambda _unused=False, clicked=button: self._on_clicked(clicked))
            self.buttons[answer.key] = button
            grid.addWidget(button, *divmod(place, 2))

    def answer(self) -> str:
        """Return the key of the chosen answer; empty for none."""
        return next((key for key, button in self.buttons.items() if button.isChecked()), "")

    def _on_clicked(self, clicked: QPushButton) -> None:
        for button in self.buttons.values():
            button.setChecked(button is clicked and button.isChecked())
        self.changed.emit()


class QuestionnaireDialog(ForeseeingDialog):
    """Emits the answers at every change, and when they are accepted; the presenter shows what follows."""

    answers_chosen = Signal(object)  # Answers

    def __init__(self, answers: Answers, columns: Sequence[str], parent: QWidget | None = None) -> None:
        """Create the dialog; `columns` are those that could be known and are not quasi-identifying yet."""
        title, accept = self.tr("From answers to thresholds"), self.tr("Set requirements")
        super().__init__("questionnaireDialog", title, accept, 0, parent)
        room = room_for(self).width() - scaled(_AROUND)
        self.setMinimumWidth(min(scaled(_WIDTH), room))
        self._fixed = tuple(name for name in answers.known if name not in columns)
        self._rows: list[tuple[Demand, Reason]] = []
        self.chips: dict[str, AnswerChips] = {}
        self._effects: dict[str, QLabel] = {}
        grid = gridbox(spacing=(12, 4), stretched=1)
        for row, question in enumerate(QUESTIONS):
            chips = AnswerChips(question, getattr(answers, question.key))
            chips.changed.connect(self._on_changed)
            self.chips[question.key] = chips
            effect = make_label("", Text.CELL, "text_2", wraps=True)
            self._effects[question.key] = named(effect, f"effect.{question.key}")
            asks = make_label(question.asks, Text.CELL, wraps=True)
            grid.addWidget(asks, 2 * row, 0, 2, 1, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(chips, 2 * row, 1)
            grid.addWidget(effect, 2 * row + 1, 1)
        grid.setColumnMinimumWidth(0, room // 6)
        self.known = CheckList("known", [(name, name) for name in columns], are_sentences=False)
        self.known.set_value(answers.known)
        self.known.changed.connect(self._on_changed)
        if columns:
            self._add_known(grid)
        self.table = TextsTable(
            "demandTable", self.tr("Requirements that follow"), stretched=-1, gives_way=True
        )
        self.table.row_chosen.connect(self._show_detail)
        self.table.hide()
        self._summary = named(make_label("", Text.CELL_STRONG, wraps=True), "demandSummary")
        self._detail = named(make_label("", Text.CELL, "text_2", wraps=True), "demandDetail")
        explained = self.tr(
            "Every answer demands named requirements by published rules. They add up, the strictest wins, "
            "and nothing of yours becomes weaker. If you are unsure, choose the answer listed first."
        )
        self.lay_out(
            make_label(self.windowTitle(), Text.HEADING),
            make_label(explained, Text.CELL, "text_2", wraps=True),
            grid,
            self._summary,
            self.table,
            self._detail,
            self.consequence,
        )
        next(iter(next(iter(self.chips.values())).buttons.values())).setFocus()

    def wanted(self) -> Answers:
        """Return the answers as chosen."""
        chosen = {key: chips.answer() for key, chips in self.chips.items()}
        return Answers(**chosen, known=(*self._fixed, *self.known.value()))

    def show_demands(self, summary: str, demands: Sequence[Demand]) -> None:
        """Show what follows from the answers; the strictest rules are strong."""
        self._rows = [(demand, reason) for demand in demands for reason in demand.reasons]
        self._summary.setText(summary)
        headings = [
            Heading(self.tr("Requirement")),
            Heading(self.tr("Now")),
            Heading(self.tr("Effect")),
            Heading(self.tr("Answers")),
            Heading(self.tr("Source")),
        ]
        self.table.show_rows(headings, [self._cells(*row) for row in self._rows])
        if self._rows and not self.table.currentIndex().isValid():
            self.table.setCurrentIndex(self.table.texts.index(0, 0))
        n_shown = min(len(self._rows), _ROWS) + 1
        self.table.setFixedHeight(scaled(_ROW) * n_shown + 2)
        self.table.setVisible(bool(self._rows))
        self._show_detail(self.table.currentIndex().row())

    def submit(self) -> bool:
        self.answers_chosen.emit(self.wanted())
        return True

    def _add_known(self, grid: QGridLayout) -> None:
        """Add the columns that an attacker could know, a few of them at once."""
        row = 2 * len(QUESTIONS)
        asks = self.tr("Which other columns could an attacker know?")
        grid.addWidget(make_label(asks, Text.CELL, wraps=True), row, 0, 2, 1, Qt.AlignmentFlag.AlignTop)
        area = ScrollBody(vbox(self.known, STRETCH, spacing=0, margins=0))
        area.setFixedHeight(min(self.known.sizeHint().height() + 4, scaled(_KNOWN)))
        grid.addWidget(area, row, 1)
        effect = self.tr(
            "Known columns become quasi-identifying; known sensitive ones are assumed to be known."
        )
        grid.addWidget(make_label(effect, Text.CELL, "text_2", wraps=True), row + 1, 1)

    def _cells(self, demand: Demand, reason: Reason) -> list[Cell]:
        effect, tone = (self.tr("met"), "ok") if demand.is_met else (self.tr("will be set"), "warn")
        others = "text"
        if not reason.decides:
            effect, tone, others = self.tr("less strict"), "text_3", "text_3"
        return [
            Cell(reason.words, tone=others, is_strong=reason.decides),
            Cell(demand.current, tone=others),
            Cell(effect, tone=tone),
            Cell(reason.because, tone=others),
            Cell(reason.rule.source, tone=others),
        ]

    def _show_detail(self, place: int) -> None:
        words = "\u00a0"
        if 0 <= place < len(self._rows):
            demand, reason = self._rows[place]
            detail = f"{reason.words}. {reason.because}. {reason.rule.why} ({reason.rule.source})"
            words = f"{detail} {demand.note}".rstrip()
        self._detail.setText(words)
        self.fit()

    def _on_changed(self) -> None:
        for question, answer in self.wanted().pairs:
            self._effects[question.key].setText("" if answer is None else answer.effect)
        wanted = self.wanted()
        is_answered = bool(wanted.known) or any(answer is not None for _question, answer in wanted.pairs)
        self.accept_button.setEnabled(is_answered)
        self.accept_button.setToolTip("" if is_answered else self.tr("Answer a question first"))
        super()._on_changed()


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
        dialog.input_changed.connect(lambda answers: self._show(dialog, answers))
        dialog.answers_chosen.connect(self._on_answers_chosen)
        dialog.finished.connect(self._counting.stop)
        dialog.ask()

    def _on_answers_chosen(self, answers: Answers) -> None:
        self._session.change(self.tr("Answer the questionnaire"), set_answers, answers)

    def _show(self, dialog: QuestionnaireDialog, answers: Answers) -> None:
        project = self._session.project
        if project is None:
            return
        found = demands(project, answers)
        dialog.show_demands(self._summary(project, answers, found), found)
        self._counting.of_answers(set_answers(project, answers), dialog.show_consequence)

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
