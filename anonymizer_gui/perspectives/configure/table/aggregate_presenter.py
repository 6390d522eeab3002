"""Turns the chosen aggregate of a column into an edit."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.perspectives.configure.table.aggregate_choice import LABELS, AggregateChoice
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from engine.params import describe, values_of
from engine.project import Project, edits
from engine.recoding.aggregation import AggregateFunction, aggregate_functions
from engine.table import Role
from engine.words import within_sentence


class AggregatePresenter(QObject):
    """Listener of the choice of one column."""

    def __init__(
        self,
        session: Session,
        choice: AggregateChoice,
        selected_columns: Callable[[], tuple[str, ...]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self._choice, self._selected = session, choice, selected_columns
        choice.option_requested.connect(self._on_function_requested)
        choice.settings_requested.connect(self._on_settings_requested)

    def _on_function_requested(self, key: str) -> None:
        project, names = self._session.project, self._selected()
        if project is None or len(names) != 1:
            return
        before = project.microaggregation.get(names[0])
        if key == (before.key if before is not None else LABELS):
            return
        function = None
        if key != LABELS:
            # Parameters common to both functions keep their values.
            known = [descriptor.name for descriptor in describe(aggregate_functions[key])]
            kept = values_of(before) if before is not None else {}
            function = aggregate_functions.create(key, **{n: v for n, v in kept.items() if n in known})
        self._set(project, names[0], function)

    def _on_settings_requested(self) -> None:
        project, names = self._session.project, self._selected()
        if project is None or len(names) != 1 or names[0] not in project.microaggregation:
            return
        name = names[0]
        dialog = AggregateDialog(name, project.microaggregation[name], self._choice.window())
        dialog.function_chosen.connect(lambda function: self._on_function_chosen(name, function))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_function_chosen(self, name: str, function: AggregateFunction) -> None:
        if (project := self._session.project) is not None and project.role(name) is Role.QUASI_IDENTIFYING:
            self._set(project, name, function)

    def _set(self, project: Project, name: str, function: AggregateFunction | None) -> None:
        text = (
            self.tr("Release labels of {name}")
            if function is None
            else self.tr("Release an aggregate of {name}")
        )
        self._session.edit(text.format(name=name), edits.set_aggregate(project, name, function))


_WIDTH = 420


class AggregateDialog(AskingDialog):
    """Dialog for the parameters of an aggregate; the form reports invalid values."""

    function_chosen = Signal(object)  # AggregateFunction

    def __init__(self, column: str, function: AggregateFunction, parent: QWidget | None = None) -> None:
        title = self.tr("{column}: {title}").format(column=column, title=within_sentence(function.title))
        super().__init__("aggregateDialog", title, self.tr("Apply"), _WIDTH, parent)
        self.form = ParamForm(type(function), values_of(function), shows_help=True)
        self.lay_out(
            make_label(function.title, Text.HEADING),
            make_label(function.summary, Text.CELL, "text_2", wraps=True),
            self.form,
        )

    def submit(self) -> bool:
        if (member := self.form.member()) is not None:
            self.function_chosen.emit(member)
        return member is not None
