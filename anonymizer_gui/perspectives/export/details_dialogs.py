"""Dialogs of details of an export: options of the format, and the replacement of identifiers."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.forms.param_form import PairsForm
from anonymizer_gui.forms.rule_form import OfferedRules, RuleForm, hiding_rules
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.elided_combo_box import ElidedComboBox
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named
from engine.errors import ExportError
from engine.params import Kept, stored_in, unneeded, values_of
from engine.recoding.rules import ColumnRule
from engine.records.options import ExportOptions

_WIDTH = 480


class IdentifiersDialog(AskingDialog):
    """The form reports invalid values.

    Parameters
    ----------
    columns : tuple of str
        Identifying columns.
    usual : ColumnRule
        Default rule.
    own : mapping of str to ColumnRule
        Rules of single columns, which override the default.
    """

    rules_chosen = Signal(object, object)  # ColumnRule, dict of str to ColumnRule

    def __init__(
        self,
        columns: tuple[str, ...],
        usual: ColumnRule,
        own: Mapping[str, ColumnRule],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("identifiersDialog", self.tr("Identifying columns"), self.tr("Use"), _WIDTH, parent)
        self._usual, self._own = usual, {name: rule for name, rule in own.items() if name in columns}
        self._column = ""
        self.column_box: QComboBox = named(ElidedComboBox(), "identifierColumnBox", self.tr("Column"))
        self.column_box.addItem(self.tr("All columns without a rule"), "")
        for name in columns:
            self.column_box.addItem(name, name)
        self._rule = RuleForm((self.tr("Column"), self.column_box))
        self.lay_out(self._rule)
        self._show_column("")
        self._rule.fitted.connect(self.fit)
        self.column_box.currentIndexChanged.connect(self._on_column_chosen)

    @property
    def form(self) -> ParamForm | None:
        """Parameters of the displayed rule; None if the column uses the default."""
        return self._rule.form

    def _show_column(self, name: str) -> None:
        self._column = name
        if name:
            title = self.tr("Default ({title})").format(title=self._usual.title)
            offered = OfferedRules(hiding_rules(), title, self._usual.summary)
            self._rule.show_choice(self._own.get(name), offered)
        else:
            self._rule.show_choice(self._usual, OfferedRules(hiding_rules()))

    def _keep(self) -> bool:
        """Store the rule of the form for its column; return False if a value is invalid."""
        is_good, rule = self._rule.choice()
        if not is_good:
            return False
        if rule is None:
            self._own.pop(self._column, None)
        elif self._column:
            self._own[self._column] = rule
        else:
            self._usual = rule
        return True

    def _on_column_chosen(self) -> None:
        if self._keep():
            self._show_column(self.column_box.currentData())
        else:
            with QSignalBlocker(self.column_box):
                self.column_box.setCurrentIndex(self.column_box.findData(self._column))

    def submit(self) -> bool:
        is_good = self._keep()
        if is_good:
            self.rules_chosen.emit(self._usual, dict(self._own))
        return is_good


_FORMAT_WIDTH = 440


class FormatDialog(AskingDialog):
    """Shows the options that matter for files of the kind that the given ones have."""

    options_chosen = Signal(object)  # ExportOptions

    def __init__(self, options: ExportOptions, parent: QWidget | None = None) -> None:
        super().__init__("formatDialog", self.tr("Format of the file"), self.tr("Use"), _FORMAT_WIDTH, parent)
        self.setModal(True)
        self._options = options
        with_file = (own.name for own in stored_in(ExportOptions, (Kept.NOWHERE,)))  # chosen with the file
        omitted = (*with_file, *unneeded(ExportOptions, options.has))
        self.form = PairsForm(ExportOptions, values_of(options), omitted=omitted)
        self.banner = ErrorBanner()
        checked = self.tr("The written file is read with the same settings and compared cell by cell.")
        self.lay_out(self.form, make_label(checked, Text.CELL, "text_2", wraps=True), self.banner)

    def submit(self) -> bool:
        options = self.form.applied_to(self._options)
        if options is None:
            return False
        try:
            options.refuse_impossible()
        except ExportError as error:
            self.banner.show_error(error.problem, error.hint)
            return False
        self.options_chosen.emit(options)
        return True
